"""Centring and scaling of dense rows in one read."""

from __future__ import annotations

from numba import njit

from linework.data.blocks import Array


@njit(cache=True, nogil=True)
def scale_rows(X: Array, centre: Array, factor: Array, out: Array) -> None:
    """Row i of ``out`` (n, d + 1) is f_i [x_i − c, 1], for factors f (n,)."""
    n, d = X.shape
    for i in range(n):
        for j in range(d):
            out[i, j] = factor[i] * (X[i, j] - centre[j])
        out[i, d] = factor[i]
