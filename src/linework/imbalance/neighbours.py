"""The nearest neighbours of rows, exactly, by blocks of distances in bounded memory."""

from __future__ import annotations

from contextlib import ExitStack
from threading import Lock, local

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Matrix
from linework.engine import map_each

POINTS = 512
"""Points that are compared with as many others at a time: their similarities stay in the cache."""


def nearest(
    points: Matrix,
    k: int,
    queries: Array | None = None,
    codes: Array | None = None,
    penalty: float = 0.0,
) -> Array:
    """The k nearest points of some points, nearest first; none is a neighbour of itself.

    The squared distance is ‖x − z‖² + penalty · (number of codes that differ). Minus half of it is
    at most x'z − ½‖x‖² − ½‖z‖², of which a block is one matrix product, that serves the neighbours
    of x as well as those of z. It is in single precision, with its rounding errors added, and only
    says which distances are worth computing in full.

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
    Cost: n² d operations by BLAS for all points, 2 q n d for q of them, and memory for two copies
    of the points and a block of similarities per thread. Products of sparse points are exact.

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
    asked = np.arange(n) if queries is None else queries
    codes = np.zeros((n, 0), np.int64) if codes is None else codes
    if sp.issparse(points):
        half = 0.5 * np.asarray(points.multiply(points).sum(axis=1)).ravel()
        left, right, exact = points, points, np.empty((n, 0))
    else:
        left, right, exact, scale = _bounds(points)
        penalty *= scale**2
    others = _blocks(np.arange(n))
    rows = others if queries is None else _blocks(queries)
    left, right = [left[part] for part in rows], [right[part] for part in others]
    best = np.full((n, k), -np.inf)
    found = np.full((n, k), -1, np.int64)
    least = np.full(n, np.inf, left[0].dtype)
    least[asked] = -np.inf
    locks, own = [Lock() for _ in others], local()

    def compare(pair: tuple[int, int]) -> None:
        from linework.imbalance.neighbours_kernels import keep_largest

        a, b = pair
        if sp.issparse(left[a]):
            S = (left[a] @ right[b].T).toarray() - half[rows[a], None] - half[others[b]]
        else:  # into memory that each thread keeps
            shape = len(rows[a]), len(others[b])
            if not hasattr(own, "S"):
                own.S = np.empty(POINTS**2, np.float32)
            S = own.S[: shape[0] * shape[1]].reshape(shape)
            np.matmul(left[a], right[b].T, out=S)
        both = queries is None and a != b
        with ExitStack() as held:  # of the points whose lists change, lower ones first
            for at in sorted({a, b} if both else {a}):
                held.enter_context(locks[at])
            keep_largest(
                S, rows[a], others[b], exact, codes, 0.5 * penalty, both, best, found, least
            )

    if queries is None:  # neighbours in this list share no block, so threads seldom wait
        pairs = [(a, a + gap) for gap in range(len(rows)) for a in range(len(rows) - gap)]
    else:
        pairs = [(a, b) for b in range(len(others)) for a in range(len(rows))]
    map_each(pairs, compare, "Neighbours", len(pairs))
    return found[asked]


def _bounds(points: Array) -> tuple[Array, Array, Array, float]:
    """Factors of a product that is no less than −½ d², the points it is of, and their scale.

    Single precision errs by no more than (d + 8) 2⁻²⁴ (‖x‖² + ‖z‖²), which is given away.
    """
    d = points.shape[1]
    points = points - points.mean(axis=0, dtype=np.float64)
    scale = 1.0 / (np.abs(points).max() or 1.0)  # within the range of single precision
    points *= scale
    half = (0.5 - (d + 8) * 2.0**-24) * np.einsum("ij,ij->i", points, points)
    one = np.ones(len(points))
    left, right = np.column_stack([points, half, one]), np.column_stack([points, -one, -half])
    return left.astype(np.float32), right.astype(np.float32), points, scale


def _blocks(numbers: Array) -> list[Array]:
    return [numbers[start : start + POINTS] for start in range(0, len(numbers), POINTS)]
