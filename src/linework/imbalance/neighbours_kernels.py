"""The loop of nearest neighbours that BLAS cannot do."""

from __future__ import annotations

from numba import njit

from linework.data.blocks import Array

RUN = 32
"""Similarities whose largest is looked at before each of them: a few vector registers' worth."""


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "reassoc"})
def keep_largest(
    S: Array,
    start: int,
    own: Array,
    codes: Array,
    codes_of: Array,
    penalty: float,
    best: Array,
    found: Array,
) -> None:
    """Keep the k largest of each row's similarities, the largest first, in place.

    Of equal ones the point of lower number is first. Cost: one comparison for each number of S.

    Parameters
    ----------
    S : array of shape (q, c)
        Similarities of queries to the points from number ``start`` on.
    own : array of int of shape (q,)
        The point that a query is itself, which is none of its neighbours, or −1.
    codes : array of int of shape (q, m)
        Categories of the queries.
    codes_of : array of int of shape (n, m)
        Those of all points.
    penalty : float
        What each category that differs takes off.
    best : array of shape (q, k)
        The largest up to now, −∞ where there are fewer.
    found : array of int of shape (q, k)
        Their points.
    """
    rows, count = S.shape
    k = best.shape[1]
    m = codes.shape[1]
    for i in range(rows):
        least = best[i, k - 1]
        for first in range(0, count, RUN):
            last = min(first + RUN, count)
            largest = S[i, first]
            for j in range(first + 1, last):
                largest = S[i, j] if S[i, j] > largest else largest
            if largest <= least:
                continue
            for j in range(first, last):
                value = S[i, j]
                point = start + j
                if value <= least or point == own[i]:
                    continue
                for c in range(m):
                    if codes[i, c] != codes_of[point, c]:
                        value -= penalty
                place = k
                while place > 0 and value > best[i, place - 1]:
                    place -= 1
                if place == k:
                    continue
                for later in range(k - 1, place, -1):
                    best[i, later] = best[i, later - 1]
                    found[i, later] = found[i, later - 1]
                best[i, place] = value
                found[i, place] = point
                least = best[i, k - 1]
