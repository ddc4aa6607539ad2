"""Coding matrices by name: one-vs-rest, one-vs-one, exhaustive, random and BCH codes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from linework.data.blocks import Array
from linework.engine import single_threaded_blas
from linework.multiclass.coding import is_dichotomy, opposed, oriented

EXHAUSTIVE = 15
"""Classes up to which all dichotomies are listed: 16,383 of them."""

DRAWS = 64
"""Columns that are drawn for each of a random code, and sets of words for one of a BCH code."""


def one_vs_rest(n_classes: int) -> Array:
    """Each class against the others, shape (K, K); of two classes the second, shape (2, 1)."""
    code = 2 * np.eye(n_classes, dtype=np.int8) - 1
    return code[:, 1:] if n_classes == 2 else code


def one_vs_one(n_classes: int) -> Array:
    """Each class against each later one, which is +1; shape (K, K(K − 1)/2)."""
    pairs = np.array(list(combinations(range(n_classes), 2)))
    code = np.zeros((n_classes, len(pairs)), np.int8)
    code[pairs[:, 0], np.arange(len(pairs))] = -1
    code[pairs[:, 1], np.arange(len(pairs))] = 1
    return code


def exhaustive(n_classes: int) -> Array:
    """All 2^(K−1) − 1 dichotomies of all classes (Dietterich and Bakiri, 1995).

    Of distance 2^(K−2), the largest there is for so many columns.
    """
    if n_classes > EXHAUSTIVE:
        raise ValueError(
            f"{n_classes} classes have {2 ** (n_classes - 1) - 1:,} dichotomies, and "
            f"code='exhaustive' is for at most {EXHAUSTIVE} classes: take 'random' or 'search'."
        )
    numbers = np.arange(1, 2 ** (n_classes - 1))
    bits = (numbers >> np.arange(n_classes)[::-1, None]) & 1
    return (2 * bits - 1).astype(np.int8)


def n_dichotomies(n_classes: int) -> float:
    """How many ways there are to set some classes against all others."""
    return 2.0 ** (n_classes - 1) - 1.0


def check_length(n_classes: int, length: int) -> None:
    """Raise a sentence where so few columns cannot tell so many classes apart."""
    fewest = int(np.ceil(np.log2(n_classes)))
    if length < fewest:
        raise ValueError(
            f"{n_classes} classes have different rows from {fewest} columns on, and code_size asks "
            f"for {length}: set it to at least {fewest / n_classes:.2g}."
        )


def dense_random(n_classes: int, length: int, rng: np.random.Generator) -> Array:
    """Entries ±1 with equal chances, columns different; all of them where there are no more.

    Of 64 draws for each column, that one is taken which parts the most of the nearest rows.
    """
    if length >= n_dichotomies(n_classes):
        return exhaustive(n_classes)
    return _drawn(n_classes, length, rng, np.array([-1, 1], np.int8))


def sparse_random(n_classes: int, length: int, rng: np.random.Generator) -> Array:
    """Entries 0 with chance ½ and ±1 with ¼ each (Allwein, Schapire and Singer, 2000).

    Columns are taken as in `dense_random`.
    """
    possible = (3**n_classes - 2 ** (n_classes + 1) + 1) // 2
    return _drawn(n_classes, min(length, possible), rng, np.array([-1, 0, 0, 1], np.int8))


def _drawn(n_classes: int, length: int, rng: np.random.Generator, entries: Array) -> Array:
    def offer() -> tuple[Array, Array]:
        drawn = entries[rng.integers(len(entries), size=(n_classes, DRAWS))]
        drawn = drawn[:, is_dichotomy(drawn)]
        return drawn, np.ones(drawn.shape[1])

    code = one_by_one(n_classes, length, offer)
    if not _smallest(code):
        raise ValueError(
            f"{length} columns with zeros that tell all {n_classes} classes apart were not found: "
            "raise code_size, or take code='random'."
        )
    return code


def one_by_one(n_classes: int, length: int, offer: Callable[[], tuple[Array, Array]]) -> Array:
    """A code of different columns, each taken for its worth times the nearest pairs it parts.

    ``offer`` gives candidates (K, C) and their worth (C,). The nearest pairs are those of rows that
    the columns so far have parted least often.
    """
    columns: list[Array] = []
    seen: set[bytes] = set()
    apart = np.zeros((n_classes, n_classes), np.int64)
    others = ~np.eye(n_classes, dtype=bool)
    while len(columns) < length:
        candidates, worth = offer()
        nearest = ((apart == apart[others].min()) & others).astype(np.float64)
        used, signs = np.abs(candidates).astype(np.float64), candidates.astype(np.float64)
        with single_threaded_blas:
            parted = (used * (nearest @ used) - signs * (nearest @ signs)).sum(axis=0)
        keys = [column.tobytes() for column in oriented(candidates).T]
        for j in np.argsort(-worth * parted, kind="stable"):
            if keys[j] not in seen:
                seen.add(keys[j])
                columns.append(candidates[:, j])
                apart += np.multiply.outer(candidates[:, j], candidates[:, j]) < 0
                break
    return np.column_stack(columns)


def _smallest(code: Array) -> int:
    apart = opposed(code)
    return int(apart[~np.eye(len(apart), dtype=bool)].min())


def distinct(code: Array) -> Array:
    """The columns that are dichotomies, each once, in their order and as they are."""
    code = code[:, is_dichotomy(code)]
    _, first = np.unique(oriented(code), axis=1, return_index=True)
    return code[:, np.sort(first)]


def bch(n_classes: int, length: int, rng: np.random.Generator) -> Array:
    """Words of a binary BCH code of length 2^m − 1 ≥ ``length`` (Bose and Ray-Chaudhuri, 1960).

    Of the narrow-sense codes of that length, the one of the largest designed distance with words
    enough. Its generator is the product of the minimal polynomials of α, α², … over GF(2). The K
    words are drawn at random; columns that are constant or repeated then are left out.
    """
    m = max(2, int(np.ceil(np.log2(length + 1))))
    n = 2**m - 1
    if length >= n_dichotomies(n_classes):
        return exhaustive(n_classes)
    factors = _minimal_polynomials(m)
    generator = 1
    for factor in factors:
        longer = _product(generator, factor)
        if 2 ** (n - (longer.bit_length() - 1)) < n_classes:
            break
        generator = longer
    dimension = n - (generator.bit_length() - 1)
    best, largest = None, 0
    for _ in range(DRAWS):
        words: set[int] = set()
        while len(words) < n_classes:
            message = int.from_bytes(rng.bytes(-(-dimension // 8)), "little") >> (-dimension % 8)
            words.add(_product(message, generator))
        bits = np.array([[word >> j & 1 for j in range(n)] for word in sorted(words)])
        code = distinct((2 * bits - 1).astype(np.int8))
        if code.shape[1] and (smallest := _smallest(code)) > largest:
            best, largest = code, smallest
    assert best is not None
    return best


PRIMITIVE = {2: 0b111, 3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001,
             8: 0b100011101, 9: 0b1000010001, 10: 0b10000001001, 11: 0b100000000101,
             12: 0b1000001010011}  # fmt: skip
"""A primitive polynomial over GF(2) of each degree, a bit for each coefficient."""


def _product(a: int, b: int) -> int:
    """The product of polynomials over GF(2)."""
    total = 0
    while b:
        total ^= a * (b & 1)
        a, b = a << 1, b >> 1
    return total


def _minimal_polynomials(m: int) -> list[int]:
    """Those of α, α³, … over GF(2), each once: the factors of xⁿ − 1, n = 2^m − 1."""
    if m not in PRIMITIVE:
        raise ValueError(
            f"code='bch' has at most {2 ** max(PRIMITIVE) - 1:,} columns: lower code_size."
        )
    n = 2**m - 1
    power = [1]  # αʲ as polynomials
    for _ in range(n - 1):
        shifted = power[-1] << 1
        power.append(shifted ^ (PRIMITIVE[m] if shifted >> m else 0))
    log = {value: j for j, value in enumerate(power)}
    seen: set[int] = set()
    found = []
    for start in range(1, n):
        if start in seen:
            continue
        conjugates = {start * 2**i % n for i in range(m)}
        seen |= conjugates
        coefficients = [1]  # of Π (x − α^j), the highest first, in GF(2^m)
        for j in conjugates:
            times = [power[(log[c] + j) % n] if c else 0 for c in coefficients]
            coefficients = [a ^ b for a, b in zip([*coefficients, 0], [0, *times], strict=True)]
        found.append(int("".join(map(str, coefficients)), 2))
    return found
