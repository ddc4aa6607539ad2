"""Sums and squares of columns in one read of dense rows."""

from __future__ import annotations

from numba import njit

from linework.data.blocks import Array


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def add_squares(X: Array, w: Array, shift: Array, sums: Array, squares: Array) -> None:
    """Add Σ w (x − s) and Σ w (x − s)² for each column to ``sums`` and ``squares``, shape (d,)."""
    n, d = X.shape
    for i in range(n):
        for j in range(d):
            z = X[i, j] - shift[j]
            sums[j] += w[i] * z
            squares[j] += w[i] * z * z
