"""Losses of many dichotomies at once; NumPy would go over the linear predictors ten times."""

from __future__ import annotations

from numba import njit

from linework.data.blocks import Array
from linework.stats.gradient_kernels import _exp, _log1p


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def evaluate(code: Array, y: Array, eta: Array, value: Array, score: Array) -> None:
    """Values and scores (n, k) of rows whose classes' sides are the rows of ``code`` (K, k)."""
    n, k = eta.shape
    for i in range(n):
        side, row = code[int(y[i])], eta[i]
        for c in range(k):
            z = side[c] * row[c]
            odds = _exp(-abs(z))
            value[i, c] = _log1p(odds) - (z if z < 0.0 else 0.0)
            score[i, c] = side[c] * (odds if z >= 0.0 else 1.0) / (1.0 + odds)
