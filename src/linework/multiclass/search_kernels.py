"""Simulated annealing of a coding matrix, entry by entry."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linework.data.blocks import Array

HOT, COLD = 1.0, 1e-3
"""Temperatures at the beginning and at the end; a pair at the mean distance has energy 1."""


@njit(cache=True)
def _is_new(code: Array, m: int) -> bool:
    """Whether column m is a dichotomy that no other column is, nor its complement."""
    n_classes, length = code.shape
    total = 0
    for k in range(n_classes):
        total += code[k, m]
    if abs(total) == n_classes:
        return False
    for other in range(length):
        same = 0
        for k in range(n_classes):
            same += code[k, m] * code[k, other]
        if other != m and abs(same) == n_classes:
            return False
    return True


@njit(cache=True)
def _distances(code: Array) -> Array:
    n_classes, length = code.shape
    apart = np.zeros((n_classes, n_classes), np.int64)
    for a in range(n_classes):
        for b in range(n_classes):
            for m in range(length):
                apart[a, b] += code[a, m] != code[b, m]
    return apart


@njit(cache=True)
def _smallest(apart: Array) -> Any:
    """The smallest distance of two rows, less the share of pairs that are at it."""
    smallest, count = apart[0, 1], 0
    for a in range(len(apart)):
        for b in range(a):
            if apart[a, b] < smallest:
                smallest, count = apart[a, b], 0
            count += apart[a, b] == smallest
    return smallest - count / (len(apart) * len(apart))


@njit(cache=True)
def anneal(code: Array, steps: int, rng: np.random.Generator) -> Array:
    """The best code met on the way from one whose entries ±1 are flipped one by one.

    A flip that raises Σ 3^(mean − d_ab) by ΔE is made with probability exp(−ΔE / T); the
    temperature T falls from step to step by a constant factor.
    """
    n_classes, length = code.shape
    code = code.copy()
    apart = _distances(code)
    mean = apart.sum() / (n_classes * (n_classes - 1))
    energy = np.empty(length + 2)
    for d in range(length + 2):
        energy[d] = 3.0 ** (mean - d)
    best, found = _smallest(apart), code.copy()
    temperature, cooling = HOT, (COLD / HOT) ** (1.0 / steps)
    for _ in range(steps):
        k, m = rng.integers(0, n_classes), rng.integers(0, length)
        temperature *= cooling
        change = 0.0
        for j in range(n_classes):
            if j != k:
                d = apart[k, j]
                change += energy[d + 1 if code[j, m] == code[k, m] else d - 1] - energy[d]
        if change > 0.0 and rng.random() >= np.exp(-change / temperature):
            continue
        code[k, m] *= -1
        if not _is_new(code, int(m)):
            code[k, m] *= -1
            continue
        for j in range(n_classes):
            if j != k:
                apart[k, j] += 1 if code[j, m] != code[k, m] else -1
                apart[j, k] = apart[k, j]
        if change < 0.0:
            value = _smallest(apart)
            if value > best:
                best, found = value, code.copy()
    return found
