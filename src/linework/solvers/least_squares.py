"""The least-squares ladder: Cholesky where it is exact enough, orthogonal factors where not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from linework.data.blocks import Array
from linework.progress import shown
from linework.solvers.cholesky import EPS, cholesky, column_scale
from linework.solvers.orthogonal import aliased_columns, minimum_norm
from linework.solvers.spectral import Spectrum
from linework.stats import Moments, RFactor

CHOLESKY_LIMIT = 1e3
"""Condition number up to which Cholesky is kept: ten correct digits or more."""

CONSTANT = 8 * EPS
"""A standard deviation below this times the mean is rounding error: the column is constant."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Coefficients and what was learnt on the way to them.

    Attributes
    ----------
    coef : array of shape (d, t)
    rank : int or None
        Independent columns, where the solver tells.
    condition : float or None
        Condition number of the columns, each scaled to unit length, where the solver tells.
    solver : str
        The rung of the ladder: ``"cholesky"``, ``"spectral"``, ``"orthogonal"`` ``"active set"`` or
        ``"conjugate gradient"``.
    aliased : tuple of int
        Columns that those before them explain.
    solve : callable or None
        (XᵀX)⁻¹ of a right-hand side (d, t), where X has full rank: for refinement.
    """

    coef: Array
    rank: int | None
    condition: float | None
    solver: str
    aliased: tuple[int, ...] = ()
    solve: Callable[[Array], Array] | None = None


def least_squares(stats: Moments | RFactor, fit_intercept: bool = True) -> Solution:
    """Minimise ‖Y − XB‖²; of minimum norm where X has not full rank.

    `Moments` are factorised by Cholesky, which costs d³/3 and is right to ``condition² · 2e-16``.
    Beyond a condition of `CHOLESKY_LIMIT`, eigenvalues tell the rank (9d³); those within the noise
    of the moments count as zero. An `RFactor` is solved by singular values, right to
    ``condition · 2e-16``.
    """
    if isinstance(stats, RFactor):
        return _orthogonal(stats, fit_intercept)
    gram, cross, _ = stats.centred(fit_intercept)
    if stats.count > len(gram) and not (fit_intercept and len(constant_columns(stats))):
        factor = cholesky(gram)
        if factor is not None and factor.condition <= _limit(stats, factor.scale):
            coef = factor.solve(cross)
            return Solution(coef, len(gram), factor.condition, "cholesky", solve=factor.solve)
    spectrum, scale = _spectrum(stats, fit_intercept)
    return _solution(spectrum, scale, "spectral")


def factors(stats: Moments | RFactor, fit_intercept: bool) -> tuple[Array, Array]:
    """R_x (k, d) and R_y (k, t) with R_xᵀR_x = XᵀX and R_xᵀR_y = XᵀY; constant columns as zeros."""
    if isinstance(stats, Moments):
        spectrum, scale = _spectrum(stats, fit_intercept)
        root = np.sqrt(spectrum.values)[:, None]
        return root * spectrum.vectors.T * scale, spectrum.projected / root
    R_x, R_y = stats.split(fit_intercept)
    if fit_intercept and len(constant := constant_columns(stats)):
        R_x = R_x.copy()
        R_x[:, constant] = 0.0
    return R_x, R_y


def _spectrum(stats: Moments, fit_intercept: bool) -> tuple[Spectrum, Array]:
    """Of columns scaled to unit length, constant ones as zeros, and their scale.

    What float32 or rows taken out left in the moments is no direction of the columns.
    """
    gram, cross, _ = stats.centred(fit_intercept)
    scale = column_scale(np.diag(gram).copy())
    gram, cross = gram / scale / scale[:, None], cross / scale[:, None]
    if fit_intercept and len(constant := constant_columns(stats)):
        gram[constant, :] = gram[:, constant] = 0.0
        cross[constant] = 0.0
    return Spectrum.from_gram(gram, cross, _noise(stats, scale)), scale


def _noise(stats: Moments, scale: Array) -> float:
    """Bound on the eigenvalues' error beyond rounding: |E_ij| ≤ √(n_i n_j), and ‖E‖ ≤ Σ n_j."""
    return float((stats.noise[: stats.n_features] / scale**2).sum())


def _limit(stats: Moments, scale: Array) -> float:
    """The condition up to which Cholesky is exact enough, and no eigenvalue within the noise."""
    return min(CHOLESKY_LIMIT, float(max(_noise(stats, scale), EPS) ** -0.5))


def constant_columns(stats: Moments | RFactor) -> Array:
    """Columns that vary by no more than rounding error about their mean."""
    if isinstance(stats, RFactor):
        squares = np.square(stats.R[:, : stats.n_features]).sum(axis=0)
    else:
        squares = np.diag(stats.scatter)[: stats.n_features]
    return np.flatnonzero(squares <= stats.weight * np.square(CONSTANT * stats.x_mean))


def _orthogonal(stats: RFactor, fit_intercept: bool) -> Solution:
    R_x, R_y = factors(stats, fit_intercept)
    scale = column_scale(np.square(R_x).sum(axis=0))
    scaled = R_x / scale
    # Taking off the means leaves rounding errors of theirs, which are no direction of their own.
    noise = 4.0 * EPS * float((np.abs(stats.x_mean) * np.sqrt(stats.weight) / scale).max())
    spectrum = Spectrum.from_factor(scaled, R_y, stats.count, noise * fit_intercept)
    solution = _solution(spectrum, scale, "orthogonal")
    if solution.rank != len(scale):
        return solution
    R = np.linalg.qr(scaled, mode="r")

    def solve(rhs: Array) -> Array:
        z = solve_triangular(R, rhs / scale[:, None], trans="T", check_finite=False)
        return np.asarray(solve_triangular(R, z, check_finite=False)) / scale[:, None]

    return replace(solution, solve=solve)


def _solution(spectrum: Spectrum, scale: Array, solver: str) -> Solution:
    """The minimum-norm solution of scaled columns, with aliases where rank is missing."""
    full = spectrum.rank == len(scale)
    return Solution(
        minimum_norm(spectrum, scale),
        spectrum.rank,
        spectrum.condition,
        solver,
        () if full else aliased_columns(spectrum),
    )


@shown("Active set")
def nonnegative(
    stats: Moments | RFactor, fit_intercept: bool = True, alpha: Array | float = 0.0
) -> Solution:
    """Minimise ‖Y − XB‖² + Σ_t α_t ‖b_t‖² over B ≥ 0, by Lawson and Hanson's active sets.

    Exact after finitely many steps; each costs a solve of the active columns.
    """
    R_x, R_y = factors(stats, fit_intercept)
    scale = column_scale(np.square(R_x).sum(axis=0))
    alphas = np.broadcast_to(alpha, R_y.shape[1])
    coef = np.empty((R_x.shape[1], R_y.shape[1]))
    for t, penalty in enumerate(alphas):
        A, b = R_x / scale, R_y[:, t]
        if penalty:
            A = np.vstack([A, np.diag(np.sqrt(penalty) / scale)])
            b = np.concatenate([b, np.zeros(len(scale))])
        coef[:, t] = nnls(A, b, maxiter=10 * A.shape[1])[0] / scale if len(A) else 0.0
    spectrum = Spectrum.from_factor(R_x / scale, R_y, stats.count)
    return Solution(coef, spectrum.rank, spectrum.condition, "active set")
