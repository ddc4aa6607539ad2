"""Codes that are looked for: of the largest smallest distance, or of easy dichotomies."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from linework.data.blocks import Array
from linework.multiclass.codes import (
    dense_random,
    distinct,
    exhaustive,
    n_dichotomies,
    one_by_one,
    one_vs_rest,
)
from linework.solvers.quadratic import solve_semidefinite
from linework.stats import PooledMoments

SUBSETS = 50_000
"""Sets of columns up to which all are compared."""

SWEEPS = 200
"""Times that annealing visits each entry, on average."""

LISTED = 12
"""Classes up to which all dichotomies are candidates of an easy code: 2,047."""

CANDIDATES = 2048


def search(n_classes: int, length: int, rng: np.random.Generator) -> Array:
    """The dense code whose nearest rows are as far apart as can be found.

    Of few classes and columns, all sets of columns are compared, and it is the best there is. Of
    more, by simulated annealing from a random code: entries are flipped one by one, to lower
    Σ_{a<b} 3^(−d_ab) over pairs of rows at distance d_ab, columns staying different.
    """
    possible = n_dichotomies(n_classes)
    if length >= possible:
        return exhaustive(n_classes)
    if possible <= 1 << 12 and comb(int(possible), length) <= SUBSETS:
        return _best_subset(exhaustive(n_classes), length)
    from linework.multiclass.search_kernels import anneal

    code = dense_random(n_classes, length, rng)
    steps = SWEEPS * code.size
    return np.asarray(anneal(code, steps, rng))


def _best_subset(columns: Array, length: int) -> Array:
    """By the smallest distance, then by how few pairs are at it."""
    first, second = np.triu_indices(len(columns), 1)
    apart = columns[first] != columns[second]
    subsets = np.array(list(combinations(range(columns.shape[1]), length)))
    distance = sum(apart[:, subsets[:, j]].astype(np.int16) for j in range(length))
    assert not isinstance(distance, int)
    smallest = distance.min(axis=0)
    best = np.lexsort(((distance == smallest).sum(axis=0), -smallest))[0]
    return np.asarray(columns[:, subsets[best]])


def easy(stats: PooledMoments, length: int, rng: np.random.Generator) -> Array:
    """The dense code of easy dichotomies: those that a linear function tells apart well.

    Of each candidate column, R² is the share of its targets' variance that least squares
    explains, which the moments by class give without a look at a row. Columns are taken one by
    one, each for the largest R² times the number of the nearest pairs that it parts.
    """
    n_classes = len(stats.weight)
    if length >= n_dichotomies(n_classes):
        return exhaustive(n_classes)
    candidates, ease = _candidates(stats, rng)
    length = min(length, candidates.shape[1])
    return one_by_one(n_classes, length, lambda: (candidates, ease))


def _candidates(stats: PooledMoments, rng: np.random.Generator) -> tuple[Array, Array]:
    """Dichotomies (K, C) and their R²: all; or random ones, also as two flips make them easier."""
    n_classes = len(stats.weight)
    if n_classes <= LISTED:
        columns = exhaustive(n_classes)
        return columns, explained(stats, columns)
    drawn = rng.integers(0, 2, (n_classes, CANDIDATES), dtype=np.int8) * 2 - 1
    pool = [one_vs_rest(n_classes), drawn]
    for _ in range(2):
        pool.append(_flipped(stats, pool[-1]))
    columns = distinct(np.hstack(pool).astype(np.int8))
    return columns, explained(stats, columns)


def _flipped(stats: PooledMoments, columns: Array) -> Array:
    """Each column with that entry flipped which makes it the easiest."""
    flips = 1 - 2 * np.eye(len(columns), dtype=np.int8)
    gains = [explained(stats, columns * flip[:, None]) for flip in flips]
    result: Array = columns * flips[np.argmax(gains, axis=0)].T
    return result


def explained(stats: PooledMoments, columns: Array) -> Array:
    """R² of least squares for the targets ±1 of each column (K, M): cᵀT⁻¹c / (1 − ȳ²).

    T is the covariance of all rows, c = Σ_k π_k y_k (m_k − m) that of X and y.
    """
    share = stats.weight / stats.weight.sum()
    centred = stats.mean - share @ stats.mean
    total = stats.scatter / stats.weight.sum() + (centred.T * share) @ centred
    kernel = centred @ solve_semidefinite(total, centred.T)
    y = columns * share[:, None]
    spread = 1.0 - np.square(y.sum(axis=0))
    return np.asarray(np.einsum("km,km->m", y, kernel @ y) / np.maximum(spread, 1e-300))
