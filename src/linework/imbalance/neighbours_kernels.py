"""The loop of nearest neighbours that BLAS cannot do."""

from __future__ import annotations

import numpy as np
from numba import njit

from linework.data.blocks import Array

RUN = 32
"""Similarities that are looked at together before each by itself: a few vector registers."""


@njit(cache=True, nogil=True)
def _insert(best: Array, found: Array, value: float, point: int) -> None:
    """Put a point into a list of k that descends, of equal ones the lower number first."""
    place = len(best)
    while place > 0 and (
        value > best[place - 1] or (value == best[place - 1] and point < found[place - 1])
    ):
        place -= 1
    for later in range(len(best) - 1, place, -1):
        best[later] = best[later - 1]
        found[later] = found[later - 1]
    if place < len(best):
        best[place] = value
        found[place] = point


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "reassoc"})
def keep_largest(
    S: Array,
    rows: Array,
    columns: Array,
    codes: Array,
    penalty: float,
    both: bool,
    best: Array,
    found: Array,
    least: Array,
) -> None:
    """Keep the k largest similarities of each point, the largest first, in place.

    The lists do not depend on the order in which blocks come. Cost: two comparisons for each number
    of S.

    Parameters
    ----------
    S : array of shape (q, c)
        Similarities of points ``rows`` (q,) to points ``columns`` (c,).
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
        The last column of ``best``, or +∞ for a point that is not asked for.
    """
    k, m = best.shape[1], codes.shape[1]
    bound = least[columns]
    for a in range(len(rows)):
        i = rows[a]
        for first in range(0, len(columns), RUN):
            last = min(first + RUN, len(columns))
            own, reach = least[i], -np.inf
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
                j, value = columns[b], S[a, b]
                if i == j or (value < least[i] and not (both and value >= bound[b])):
                    continue
                for c in range(m):
                    if codes[i, c] != codes[j, c]:
                        value -= penalty
                if value >= least[i]:
                    _insert(best[i], found[i], value, j)
                    least[i] = best[i, k - 1]
                if both and value >= bound[b]:
                    _insert(best[j], found[j], value, i)
                    least[j] = bound[b] = best[j, k - 1]
