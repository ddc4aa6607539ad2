"""The loop of nearest neighbours that BLAS cannot do."""

from __future__ import annotations

import numpy as np
from numba import njit

from linework.data.blocks import Array

RUN = 16
"""Similarities that are looked at together before each by itself."""

LOWER = 1.0 + 2.0**-22
"""Takes a negative number below itself, in single precision too."""


@njit(cache=True, nogil=True)
def _insert(best: Array, found: Array, i: int, value: float, point: int) -> None:
    """Put a point into list i of k that descends, of equal ones the lower number first."""
    k = best.shape[1]
    place = k
    while place > 0 and (
        value > best[i, place - 1] or (value == best[i, place - 1] and point < found[i, place - 1])
    ):
        place -= 1
    for later in range(k - 1, place, -1):
        best[i, later] = best[i, later - 1]
        found[i, later] = found[i, later - 1]
    if place < k:
        best[i, place] = value
        found[i, place] = point


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "reassoc"})
def keep_largest(
    S: Array,
    rows: Array,
    columns: Array,
    points: Array,
    codes: Array,
    penalty: float,
    both: bool,
    best: Array,
    found: Array,
    least: Array,
) -> None:
    """Keep the k largest similarities −½ d² of each point, the largest first, in place.

    The lists do not depend on the order in which blocks come. Cost: two comparisons for each number
    of S, and a distance in full for each that may come into a list.

    Parameters
    ----------
    S : array of shape (q, c)
        No less than the similarities of points ``rows`` (q,) to points ``columns`` (c,).
    points : array of shape (n, d)
        All points; without columns, S is exact.
    codes : array of int of shape (n, m)
        Categories of all points.
    penalty : float
        What each category that differs takes off.
    both : bool
        Whether the rows are candidates for the columns, too, or only these for the rows.
    best : array of shape (n, k)
        The largest up to now, −∞ where there are fewer.
    found : array of int of shape (n, k)
        Their points.
    least : array of shape (n,)
        The last column of ``best``, rounded down, or +∞ for a point that is not asked for. Of the
        type of S: numbers of one type are compared many at a time.
    """
    k, m, d = best.shape[1], codes.shape[1], points.shape[1]
    bound = least[columns]
    for a in range(len(rows)):
        i = rows[a]
        for first in range(0, len(columns), RUN):
            last = min(first + RUN, len(columns))
            own, reach = least[i], np.float32(-np.inf)
            if both:
                for b in range(first, last):
                    gap = S[a, b] - (bound[b] if bound[b] < own else own)
                    reach = gap if gap > reach else reach
            else:
                for b in range(first, last):
                    gap = S[a, b] - own
                    reach = gap if gap > reach else reach
            if reach < 0.0:
                continue
            for b in range(first, last):
                j, value = columns[b], float(S[a, b])
                if i == j or (value < least[i] and not (both and value >= bound[b])):
                    continue
                if d > 0:
                    square = 0.0
                    for c in range(d):
                        square += (points[i, c] - points[j, c]) ** 2
                    value = -0.5 * square
                for c in range(m):
                    if codes[i, c] != codes[j, c]:
                        value -= penalty
                if value >= least[i]:
                    _insert(best, found, i, value, j)
                    least[i] = best[i, k - 1] * LOWER
                if both and value >= bound[b]:
                    _insert(best, found, j, value, i)
                    least[j] = bound[b] = best[j, k - 1] * LOWER
