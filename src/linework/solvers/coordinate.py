"""Lasso and elastic-net paths: from a Gram matrix or, for many columns, by passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.engine import single_threaded_blas
from linework.progress import progress, shown

NEW_COLUMNS = 128
"""Columns a working set may gain at first; later it may double."""


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Solutions for a sequence of penalties.

    Attributes
    ----------
    coefs : array of shape (a, d)
    gaps : array of shape (a,)
        Duality gaps, on the scale of ½‖y − Xβ‖².
    n_iter : array of int of shape (a,)
        Sweeps over coordinates.
    """

    coefs: Array
    gaps: Array
    n_iter: Array


@dataclass(frozen=True, slots=True)
class Penalty:
    """W·(α·l1_ratio·‖β‖₁ + ½·α·(1 − l1_ratio)·‖β‖²), W the sum of weights, for each α of a path."""

    alphas: Array
    l1_ratio: float
    positive: bool = False
    tol: float = 1e-4
    max_iter: int = 1000

    @property
    def l1(self) -> Array:
        """The factor of ‖β‖₁ for each α, without W."""
        return self.alphas * self.l1_ratio

    @property
    def l2(self) -> Array:
        """The factor of ½‖β‖² for each α, without W."""
        return self.alphas * (1.0 - self.l1_ratio)

    def value(self, beta: Array) -> float:
        """The penalty at β for the first α, without W."""
        return float(self.l1[0] * np.abs(beta).sum() + 0.5 * self.l2[0] * beta @ beta)


@shown("Coordinate descent")
def gram_path(gram: Array, cross: Array, yy: float, weight: float, penalty: Penalty) -> Path:
    """Solutions from XᵀX (d, d), Xᵀy (d,) and yᵀy: no rows, each from the one before.

    A sweep costs d·(coordinates that move), at most; d² numbers are held.
    """
    from linework.solvers.coordinate_kernels import path

    l1, l2 = weight * penalty.l1, weight * penalty.l2
    tol, sweeps = penalty.tol * yy, penalty.max_iter
    gram, cross = np.ascontiguousarray(gram), np.ascontiguousarray(cross)
    with single_threaded_blas:
        return Path(*path(gram, cross, yy, l1, l2, penalty.positive, tol, sweeps))


def working_set_path(
    gradient: Callable[[Array], Array],
    gram: Callable[[Array], Array],
    cross: Array,
    yy: float,
    weight: float,
    penalty: Penalty,
) -> Path:
    """Solutions without a d × d matrix: the Gram matrix of few columns, the gradient of all.

    Columns enter a working set when they break their optimality condition |x_jᵀr| ≤ l1, the worst
    first; each round is a pass for the Gram matrix of the set, where it grew, and one for Xᵀr.

    Parameters
    ----------
    gradient : callable
        β (d,) ↦ Xᵀ(y − Xβ), shape (d,).
    gram : callable
        Positions of k columns ↦ their XᵀX, shape (k, k).
    """
    from linework.solvers.coordinate_kernels import duality_gap, solve

    d = len(cross)
    beta, g = np.zeros(d), cross.copy()
    chosen, Q = np.empty(0, np.intp), np.empty((0, 0))
    coefs, gaps, n_iter = [], [], []
    tol, limit = penalty.tol * yy, penalty.max_iter
    with progress("Penalties", len(penalty.alphas)) as advance:
        for l1, l2 in zip(weight * penalty.l1, weight * penalty.l2, strict=True):
            room, sweeps = NEW_COLUMNS, 0
            while True:
                gap = duality_gap(beta, g, cross, yy, l1, l2, penalty.positive)
                if gap <= tol or sweeps >= limit:
                    break
                excess = (g if penalty.positive else np.abs(g)) - l1
                excess[chosen] = 0.0
                worst = np.argpartition(excess, -min(room, d))[-min(room, d) :]
                added = worst[excess[worst] > 0.0]
                if len(added):
                    chosen = np.union1d(np.union1d(np.flatnonzero(beta), added), chosen)
                    Q = gram(chosen)
                    room *= 2
                before = beta[chosen]
                part, b = g[chosen], before.copy()
                with single_threaded_blas:
                    _, used = solve(
                        Q, cross[chosen], yy, l1, l2, penalty.positive, b, part, 0.1 * tol, limit
                    )
                sweeps += int(used)
                if not len(added) and (b == before).all():
                    break
                beta[chosen] = b
                g = gradient(beta)
            coefs.append(beta.copy())
            gaps.append(gap)
            n_iter.append(sweeps)
            advance(1)
    return Path(np.array(coefs), np.array(gaps), np.array(n_iter))
