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
    S = np.flatnonzero(b)
    m = len(S)
    A = np.empty((m, m))
    step = np.empty(m)
    for i in range(m):
        for j in range(m):
            A[i, j] = Q[S[i], S[j]]
        A[i, i] += l2
        step[i] = g[S[i]] - l2 * b[S[i]] - l1 * np.sign(b[S[i]])
    try:
        L = np.linalg.cholesky(A)
    except Exception:  # the columns are dependent: coordinate descent goes on alone
        return
    for i in range(m):
        step[i] = (step[i] - L[i, :i] @ step[:i]) / L[i, i]
    for i in range(m - 1, -1, -1):
        step[i] /= L[i, i]
        step[:i] -= step[i] * L[i, :i]
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
            new_g -= (value - b[S[i]]) * Q[S[i]]
            new_b[S[i]] = value
        if _objective(new_b, new_g, c, yy, l1, l2) < before:
            b[:] = new_b
            g[:] = new_g
            return


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

    A sweep that changes no sign has found a face of the penalty, and a Newton step its minimum:
    where columns are collinear, that takes the place of hundreds of sweeps.
    """
    _newton_step(Q, c, yy, l1, l2, b, g)
    for sweep in range(1, max_sweeps + 1):
        moved = turned = False
        for i in range(len(b)):
            q = Q[i, i]
            z = g[i] + q * b[i]
            value = 0.0
            if z > l1:
                value = (z - l1) / (q + l2)
            elif z < -l1 and not positive:
                value = (z + l1) / (q + l2)
            if value != b[i]:
                turned |= np.sign(value) != np.sign(b[i])
                g -= (value - b[i]) * Q[i]
                b[i] = value
                moved = True
        if not moved or duality_gap(b, g, c, yy, l1, l2, positive) <= tol:
            return sweep
        if not turned:
            _newton_step(Q, c, yy, l1, l2, b, g)
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

    Returns the duality gap and the number of sweeps. It ends with a gap above ``tol`` at
    ``max_sweeps``, or where rounding errors leave nothing to gain.
    """
    d = len(c)
    sweeps = 0
    gap = duality_gap(beta, g, c, yy, l1, l2, positive)
    while gap > tol and sweeps < max_sweeps:
        chosen = (beta != 0.0) | (g > l1)
        if not positive:
            chosen |= g < -l1
        for j in range(d):
            chosen[j] &= Q[j, j] > 0.0
        W = np.flatnonzero(chosen)
        k = len(W)
        if 2 * k > d:
            W = np.arange(d)
            k = d
            A = Q
        else:
            A = np.empty((k, k))
            for i in range(k):
                for j in range(k):
                    A[i, j] = Q[W[i], W[j]]
        b, part = beta[W], g[W]
        sweeps += _descend(A, c[W], yy, l1, l2, positive, b, part, 0.5 * tol, max_sweeps - sweeps)
        moved = False
        for i in range(k):
            moved |= b[i] != beta[W[i]]
        beta[W] = b
        g[:] = c
        for j in range(d):
            if beta[j] != 0.0:
                g -= beta[j] * Q[j]
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
    coefs = np.empty((len(l1), len(c)))
    gaps = np.empty(len(l1))
    sweeps = np.empty(len(l1), np.int64)
    beta, g = np.zeros(len(c)), c.copy()
    for a in range(len(l1)):
        gaps[a], sweeps[a] = solve(Q, c, yy, l1[a], l2[a], positive, beta, g, tol, max_sweeps)
        coefs[a] = beta
    return coefs, gaps, sweeps
