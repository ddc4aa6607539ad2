"""The sums of a loss in one pass over dense rows; NumPy would call on short arrays again and again.

A panel of rows comes into the cache once, for its linear predictors and for its scores. The
loops are of a kind that the compiler does on several numbers at a time, exponentials included. They
run in one thread: a block gives the same bits wherever it is worked on.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from linework.data.blocks import Array
from linework.stats.gradient import Fused

PANEL = 1 << 14
"""Numbers in a panel: 128 KB of float64."""

SUMS = {"reassoc", "contract", "nsz"}
"""What the compiler may do to sums: take them in another order."""

LOG2_E, LN2_HIGH, LN2_LOW = 1.0 / math.log(2.0), 6.93147180369123816490e-01, 1.90821492927058770e-10
"""ln 2 in two parts, of which the first has zeros at its end: small multiples of it are exact."""

POWERS = 2.0 ** np.arange(-1022, 1024)
EXP_SERIES = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))
ATANH_SERIES = tuple(2.0 / (2 * k + 1) for k in range(14, -1, -1))


@njit(cache=True, nogil=True, error_model="numpy")
def _exp(x: float) -> float:
    """e^x = 2^k e^r for whole k and |r| ≤ ½ ln 2; zero comes out as 1e-308, what it rounds to."""
    t = x if x > -708.0 else -708.0
    t = t if t < 709.0 else 709.0
    k = np.floor(t * LOG2_E + 0.5)
    r = (t - k * LN2_HIGH) - k * LN2_LOW
    total = 0.0
    for c in EXP_SERIES:
        total = total * r + c
    value = total * POWERS[int(k) + 1022]
    return value if x <= 709.0 else x * np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def _log1p(u: float) -> float:
    """ln(1 + u) = 2 artanh(u / (2 + u)) for 0 ≤ u ≤ 1."""
    s = u / (2.0 + u)
    z = s * s
    total = 0.0
    for c in ATANH_SERIES:
        total = total * z + c
    return total * s


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _evaluate(loss: int, y: Array, eta: Array, value: Array, score: Array) -> None:
    """Losses and scores −∂ℓ/∂η of a panel."""
    if loss == Fused.GAUSSIAN_IDENTITY:
        for i in range(len(y)):
            score[i] = y[i] - eta[i]
            value[i] = 0.5 * score[i] * score[i]
    elif loss == Fused.BINOMIAL_LOGIT:
        for i in range(len(y)):
            odds = _exp(-abs(eta[i]))
            score[i] = y[i] - (1.0 if eta[i] >= 0.0 else odds) / (1.0 + odds)
            value[i] = _log1p(odds) + (eta[i] if eta[i] > 0.0 else 0.0) - y[i] * eta[i]
    elif loss == Fused.POISSON_LOG:
        for i in range(len(y)):
            mu = _exp(eta[i])
            score[i] = y[i] - mu
            value[i] = mu - y[i] * eta[i]
    else:
        for i in range(len(y)):
            ratio = y[i] * _exp(-eta[i])
            score[i] = ratio - 1.0
            value[i] = ratio + eta[i]


@njit(cache=True, nogil=True, fastmath=SUMS)
def _predict(X: Array, coef: Array, eta: Array) -> None:
    """Xβ, row after row as they lie: memory is read faster than in several rows at a time."""
    n, d = X.shape
    for i in range(n):
        total = X.dtype.type(0)
        for j in range(d):
            total += X[i, j] * coef[j]
        eta[i] = total


@njit(cache=True, nogil=True, fastmath=SUMS)
def _add_products(X: Array, r: Array, slope: Array) -> None:
    """Add Xᵀr, four rows at a time."""
    n, d = X.shape
    for i in range(0, n - 3, 4):
        a, b, c, e = r[i], r[i + 1], r[i + 2], r[i + 3]
        for j in range(d):
            slope[j] += (a * X[i, j] + b * X[i + 1, j]) + (c * X[i + 2, j] + e * X[i + 3, j])
    for i in range(n - n % 4, n):
        for j in range(d):
            slope[j] += r[i] * X[i, j]


@njit(cache=True, nogil=True, fastmath=SUMS)
def gradient(
    loss: int,
    X: Array,
    y: Array,
    weight: Array,
    offset: Array,
    coef: Array,
    intercept: float,
    slope: Array,
) -> Any:
    """Add Σ w r x to the slope (d,); Σ w r and Σ w ℓ. No weights, or offsets, are arrays of none.

    Sums of a panel are of X's type, as is ``coef``; those of panels are of float64.
    """
    n, d = X.shape
    step = max(min(PANEL // d, 1024) & -4, 4)
    eta, value, score = np.empty(step), np.empty(step), np.empty(step)
    r, part = np.empty(step, X.dtype), np.empty(d, X.dtype)
    total = scores = 0.0
    for start in range(0, n, step):
        m = min(step, n - start)
        rows = X[start : start + m]
        _predict(rows, coef, eta[:m])
        for i in range(m):
            eta[i] += intercept
        if len(offset):
            for i in range(m):
                eta[i] += offset[start + i]
        _evaluate(loss, y[start : start + m], eta, value, score)
        if len(weight):
            for i in range(m):
                value[i] *= weight[start + i]
                score[i] *= weight[start + i]
        for i in range(m):
            total += value[i]
            scores += score[i]
            r[i] = score[i]
        part[:] = 0
        _add_products(rows, r[:m], part)
        for j in range(d):
            slope[j] += part[j]
    return total, scores
