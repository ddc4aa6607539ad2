"""The nearest neighbours of rows, exactly, by blocks of distances in bounded memory."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Matrix
from linework.engine import map_each

QUERIES = 256
"""Rows whose neighbours are looked for at a time."""

POINTS = 512
"""Points they are compared with at a time, so that similarities stay in the cache."""


def nearest(
    points: Matrix,
    k: int,
    queries: Array | None = None,
    codes: Array | None = None,
    penalty: float = 0.0,
) -> Array:
    """The k nearest points of some points, nearest first; none is a neighbour of itself.

    The squared distance is ‖x − z‖² + penalty · (number of codes that differ). Order by it is that
    by the similarity x'z − ½‖z‖² − ½ penalty · (…), of which a block is one matrix product.

    Parameters
    ----------
    points : array or CSR matrix of shape (n, d)
    k : int
        Less than n.
    queries : array of int of shape (q,), optional
        The numbers of the points whose neighbours are looked for; by default all.
    codes : array of int of shape (n, m), optional
        Categories.
    penalty : float

    Returns
    -------
    array of int of shape (q, k)
        Of points at the same distance the one of lower number is first.

    Notes
    -----
    Cost: 2 q n d operations by BLAS, and memory for a block of similarities per thread. Points are
    centred, so that a mean far from the origin costs no digits; sparse ones are not.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.imbalance.neighbours import nearest
    >>> nearest(np.array([[0.0], [1.0], [3.0], [7.0]]), 2)
    array([[1, 2],
           [0, 2],
           [1, 0],
           [2, 1]])
    """
    n = points.shape[0]
    queries = np.arange(n) if queries is None else queries
    codes = np.zeros((n, 0), np.int64) if codes is None else codes
    if not sp.issparse(points):
        points = points - points.mean(axis=0, dtype=np.float64).astype(points.dtype)
        half = np.einsum("ij,ij->i", points, points) * 0.5
        # One more column takes ½‖z‖² off within the product.
        right = np.ascontiguousarray(np.column_stack([points, half]).T)
        left = np.column_stack([points, -np.ones(n, points.dtype)])
    else:
        half = np.asarray(points.multiply(points).sum(axis=1)).ravel() * 0.5
        left, right = points, points.T.tocsc()

    def search(start: int) -> Array:
        from linework.imbalance.neighbours_kernels import keep_largest

        own = queries[start : start + QUERIES]
        rows = left[own]
        best = np.full((len(own), k), -np.inf, rows.dtype)
        found = np.full((len(own), k), -1, np.int64)
        for first in range(0, n, POINTS):
            block = slice(first, min(first + POINTS, n))
            S = rows @ right[:, block]
            if sp.issparse(S):
                S = S.toarray() - half[block]
            keep_largest(S, first, own, codes[own], codes, 0.5 * penalty, best, found)
        return found

    starts = range(0, len(queries), QUERIES)
    return np.concatenate(map_each(starts, search, "Neighbours", len(starts)))
