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
    """Losses and scores −∂ℓ/∂η of a panel, of one linear predictor a row."""
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _evaluate_softmax(y: Array, eta: Array, value: Array, score: Array) -> None:
    """Losses and scores of a panel of rows, of a linear predictor for each class."""
    n, k = len(y), score.shape[1]
    for i in range(n):
        highest = eta[i, 0]
        for c in range(1, k):
            highest = max(highest, eta[i, c])
        for c in range(k):
            eta[i, c] -= highest
    exponents, powers = eta.reshape(-1), score.reshape(-1)
    for i in range(n * k):
        powers[i] = _exp(exponents[i])
    for i in range(n):
        label, total = int(y[i]), 0.0
        for c in range(k):
            total += score[i, c]
        value[i] = math.log(total) - eta[i, label]
        for c in range(k):
            score[i, c] /= -total
        score[i, label] += 1.0


@njit(cache=True, nogil=True, fastmath=SUMS)
def _predict(X: Array, coef: Array, intercept: Array, eta: Array) -> None:
    """Linear predictors, row after row as they lie: memory is read faster than by several rows."""
    n, d = X.shape
    for i in range(n):
        for c in range(len(coef)):
            total = X.dtype.type(0)
            for j in range(d):
                total += X[i, j] * coef[c, j]
            eta[i, c] = total + intercept[c]


@njit(cache=True, nogil=True, fastmath=SUMS)
def _add_products(X: Array, r: Array, slope: Array) -> None:
    """Add rᵀX, four rows at a time."""
    n, d = X.shape
    for i in range(0, n - 3, 4):
        for c in range(len(slope)):
            p, q, s, t = r[i, c], r[i + 1, c], r[i + 2, c], r[i + 3, c]
            for j in range(d):
                pair = p * X[i, j] + q * X[i + 1, j]
                slope[c, j] += pair + (s * X[i + 2, j] + t * X[i + 3, j])
    for i in range(n - n % 4, n):
        for c in range(len(slope)):
            for j in range(d):
                slope[c, j] += r[i, c] * X[i, j]


@njit(cache=True, nogil=True, fastmath=SUMS)
def add_gradient(
    loss: int,
    X: Array,
    y: Array,
    weight: Array,
    offset: Array,
    coef: Array,
    intercept: Array,
    slope: Array,
    scores: Array,
) -> Any:
    """Add Σ w r xᵀ to the slope (k, d) and Σ w r to the scores (k,); the return value is Σ w ℓ.

    No weights are an array of none, and offsets are of the first linear predictors, or of none.
    ``coef`` (k, d) is of X's type, as are the sums of a panel; those of panels are of float64.
    """
    (n, d), k = X.shape, len(coef)
    step = max(min(PANEL // d, 1024) & -4, 4)
    eta, score, value = np.empty((step, k)), np.empty((step, k)), np.empty(step)
    r, part = np.empty((step, k), X.dtype), np.empty((k, d), X.dtype)
    total = 0.0
    for start in range(0, n, step):
        m = min(step, n - start)
        rows, target = X[start : start + m], y[start : start + m]
        _predict(rows, coef, intercept, eta)
        if offset.shape[1]:
            for i in range(m):
                for c in range(offset.shape[1]):
                    eta[i, c] += offset[start + i, c]
        if loss == Fused.SOFTMAX:
            _evaluate_softmax(target, eta, value, score)
        else:
            _evaluate(loss, target, eta.reshape(-1), value, score.reshape(-1))
        if len(weight):
            for i in range(m):
                value[i] *= weight[start + i]
                for c in range(k):
                    score[i, c] *= weight[start + i]
        for i in range(m):
            total += value[i]
            for c in range(k):
                scores[c] += score[i, c]
        r[:] = score
        part[:] = 0
        _add_products(rows, r[:m], part)
        for c in range(k):
            for j in range(d):
                slope[c, j] += part[c, j]
    return total
