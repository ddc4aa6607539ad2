"""Coordinate descent for the elastic net on a Gram matrix: the loops BLAS cannot do.

All functions minimise, over β of shape (d,), with Q = XᵀX, c = Xᵀy and yy = yᵀy::

    ½ yy − cᵀβ + ½ βᵀQβ + l1 ‖β‖₁ + ½ l2 ‖β‖²        (β ≥ 0 where positive)

and keep the gradient's negative, g = c − Qβ, beside β.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from linework.data.blocks import Array

NEWTON_COST = 15
"""A Newton step on m of k columns takes as long as m² / (15 k) sweeps, measured to m = 1,200."""


DEPENDENT = 1e-10
"""Added to the diagonal, relative to it, where a Newton step meets a singular matrix."""


@njit(cache=True, nogil=True)
def duality_gap(
    beta: Array, g: Array, c: Array, yy: float, l1: float, l2: float, positive: bool
) -> float:
    """Objective minus that of a feasible dual point: no solution is better by more than this.

    The dual point is the residual scaled into |Xᵀr − l2 β| ≤ l1. Without an l1 penalty the bound
    is ‖g − l2 β‖² / (2 l2), over the coordinates that may move.
    """
    cb = gb = size = square = largest = total = 0.0
    for j in range(len(beta)):
        cb += c[j] * beta[j]
        gb += g[j] * beta[j]
        size += abs(beta[j])
        square += beta[j] * beta[j]
        slope = g[j] - l2 * beta[j]
        if positive:
            largest = max(largest, slope)
            if beta[j] > 0.0 or slope > 0.0:
                total += slope * slope
        else:
            largest = max(largest, abs(slope))
            total += slope * slope
    if l1 == 0.0:
        return total / (2.0 * l2) if total > 0.0 else 0.0
    rss = yy - cb - gb
    shrink = 1.0 if largest <= l1 else l1 / largest
    half = 0.5 * (1.0 + shrink * shrink)
    return max(half * rss + l1 * size - shrink * (yy - cb) + half * l2 * square, 0.0)


@njit(cache=True, nogil=True)
def _objective(b: Array, g: Array, c: Array, yy: float, l1: float, l2: float) -> float:
    total = 0.5 * yy
    for i in range(len(b)):
        total += 0.5 * (l2 * b[i] - c[i] - g[i]) * b[i] + l1 * abs(b[i])
    return total


@njit(cache=True, nogil=True)
def _newton_step(Q: Array, c: Array, yy: float, l1: float, l2: float, b: Array, g: Array) -> None:
    """Go to the minimum for the present signs; what changes its sign on the way becomes zero.

    Where that is no descent, stop at the first sign change, up to which it is one.
    """
    k = len(b)
    S = np.empty(k, np.int64)
    m = 0
    for i in range(k):
        if b[i] != 0.0:
            S[m] = i
            m += 1
    A = np.empty((m, m)).T  # LAPACK's order; it reads the lower triangle
    step = np.empty(m)
    for j in range(m):
        for i in range(j, m):
            A[i, j] = Q[S[j], S[i]]
        A[j, j] += l2
        step[j] = g[S[j]] - l2 * b[S[j]] - (l1 if b[S[j]] > 0.0 else -l1)
    try:
        L = np.linalg.cholesky(A)
    except Exception:  # dependent columns: far along what they do not determine, to a sign change
        for j in range(m):
            A[j, j] *= 1.0 + DEPENDENT
        try:
            L = np.linalg.cholesky(A)
        except Exception:
            return
    for j in range(m):
        step[j] /= L[j, j]
        for i in range(j + 1, m):
            step[i] -= L[i, j] * step[j]
    for j in range(m - 1, -1, -1):
        for i in range(j + 1, m):
            step[j] -= L[i, j] * step[i]
        step[j] /= L[j, j]
    crossing = 1.0
    for i in range(m):
        if step[i] * b[S[i]] < 0.0:
            crossing = min(crossing, -b[S[i]] / step[i])
    before = _objective(b, g, c, yy, l1, l2)
    for share in (1.0, crossing):
        new_b, new_g = b.copy(), g.copy()
        for i in range(m):
            value = b[S[i]] + share * step[i]
            if value * b[S[i]] <= 0.0:
                value = 0.0
            _move(new_b, new_g, Q, S[i], value)
        if _objective(new_b, new_g, c, yy, l1, l2) < before:
            for i in range(k):
                b[i], g[i] = new_b[i], new_g[i]
            return


@njit(cache=True, nogil=True)
def _move(b: Array, g: Array, Q: Array, i: int, value: float) -> None:
    """Set b[i] and keep g = c − Qb."""
    change = value - b[i]
    for j in range(len(g)):
        g[j] -= change * Q[i, j]
    b[i] = value


@njit(cache=True, nogil=True)
def _descend(
    Q: Array,
    c: Array,
    yy: float,
    l1: float,
    l2: float,
    positive: bool,
    b: Array,
    g: Array,
    tol: float,
    max_sweeps: int,
) -> int:
    """Cyclic coordinate descent on all coordinates, b and g in place; the number of sweeps.

    A sweep that changes no sign has found a face of the penalty, and a Newton step its minimum.
    The step is taken where it costs less than the sweeps that are left at the present rate or,
    where the gap does not fall, than those already spent.
    """
    k = len(b)
    gap = duality_gap(b, g, c, yy, l1, l2, positive)
    rate, since = 0.0, 0
    for sweep in range(1, max_sweeps + 1):
        moved = turned = False
        m = 0
        for i in range(k):
            q = Q[i, i]
            z = g[i] + q * b[i]
            value = 0.0
            if z > l1:
                value = (z - l1) / (q + l2)
            elif z < -l1 and not positive:
                value = (z + l1) / (q + l2)
            if value != b[i]:
                turned |= value * b[i] <= 0.0
                moved = True
                _move(b, g, Q, i, value)
            m += value != 0.0
        before, gap = gap, duality_gap(b, g, c, yy, l1, l2, positive)
        if not moved or gap <= tol:
            return sweep
        left = np.log(gap / tol) if tol > 0.0 else np.inf
        since += 1
        rate = 0.5 * (rate + np.log(before / gap)) if since > 1 else np.log(before / gap)
        cost = m * m / (NEWTON_COST * k)
        if not turned and (left > rate * cost if rate > 0.0 else since > cost):
            _newton_step(Q, c, yy, l1, l2, b, g)
            since = 0
    return max_sweeps


@njit(cache=True, nogil=True)
def solve(
    Q: Array,
    c: Array,
    yy: float,
    l1: float,
    l2: float,
    positive: bool,
    beta: Array,
    g: Array,
    tol: float,
    max_sweeps: int,
) -> Any:
    """Solve from β, in place, by working sets: coordinates that are in, or break their condition.

    Returns the duality gap and the number of sweeps, one or more. It ends with a gap above ``tol``
    at ``max_sweeps``, or where rounding errors leave nothing to gain.
    """
    d = len(c)
    sweeps = 0
    W = np.empty(d, np.int64)
    gap = np.inf
    while gap > tol and sweeps < max_sweeps:
        k = 0
        for j in range(d):
            breaks = g[j] > l1 or (g[j] < -l1 and not positive)
            if Q[j, j] > 0.0 and (beta[j] != 0.0 or breaks):
                W[k] = j
                k += 1
        A, cross = np.empty((k, k)), np.empty(k)
        b, part = np.empty(k), np.empty(k)
        for i in range(k):
            b[i], part[i], cross[i] = beta[W[i]], g[W[i]], c[W[i]]
            for j in range(k):
                A[i, j] = Q[W[i], W[j]]
        sweeps += _descend(A, cross, yy, l1, l2, positive, b, part, 0.5 * tol, max_sweeps - sweeps)
        moved = False
        for i in range(k):
            moved |= b[i] != beta[W[i]]
            beta[W[i]] = 0.0
        for j in range(d):
            g[j] = c[j]
        for i in range(k):
            if b[i] != 0.0:
                _move(beta, g, Q, W[i], b[i])
        gap = duality_gap(beta, g, c, yy, l1, l2, positive)
        if not moved:
            break
    return gap, sweeps


@njit(cache=True, nogil=True)
def path(
    Q: Array,
    c: Array,
    yy: float,
    l1: Array,
    l2: Array,
    positive: bool,
    tol: float,
    max_sweeps: int,
) -> Any:
    """Solutions (a, d), gaps (a,) and sweeps (a,) for pairs of penalties, each from the last."""
    d = len(c)
    coefs = np.zeros((len(l1), d))
    gaps, sweeps = np.zeros(len(l1)), np.zeros(len(l1), np.int64)
    beta, g = np.zeros(d), c.copy()
    last_beta, last_g = beta.copy(), g.copy()
    for a in range(len(l1)):
        gaps[a] = duality_gap(beta, g, c, yy, l1[a], l2[a], positive)
        if gaps[a] > tol:
            if a > 1 and l1[a - 2] > l1[a - 1]:
                ahead = (l1[a - 1] - l1[a]) / (l1[a - 2] - l1[a - 1])
                _extrapolate(c, yy, l1[a], l2[a], positive, beta, g, last_beta, last_g, ahead)
            gaps[a], sweeps[a] = solve(Q, c, yy, l1[a], l2[a], positive, beta, g, tol, max_sweeps)
        for j in range(d):
            coefs[a, j] = beta[j]
    return coefs, gaps, sweeps


@njit(cache=True, nogil=True)
def _extrapolate(
    c: Array,
    yy: float,
    l1: float,
    l2: float,
    positive: bool,
    b: Array,
    g: Array,
    last_b: Array,
    last_g: Array,
    ahead: float,
) -> None:
    """Start where the path's last step points, if that is better; note where it starts from.

    Between sign changes the path is a straight line, and g is linear in β: it costs no sweep.
    """
    d = len(b)
    new_b, new_g = np.empty(d), np.empty(d)
    feasible = True
    for j in range(d):
        new_b[j] = b[j] + ahead * (b[j] - last_b[j])
        new_g[j] = g[j] + ahead * (g[j] - last_g[j])
        feasible &= new_b[j] >= 0.0 or not positive
        last_b[j], last_g[j] = b[j], g[j]
    if feasible and _objective(new_b, new_g, c, yy, l1, l2) < _objective(b, g, c, yy, l1, l2):
        for j in range(d):
            b[j], g[j] = new_b[j], new_g[j]
