"""Least squares for sparse data of very many columns: a few passes instead of a d × d matrix."""

from __future__ import annotations

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Source
from linework.engine import map_reduce, single_threaded_blas
from linework.solvers.conjugate import conjugate_gradient
from linework.solvers.convergence import Convergence
from linework.solvers.least_squares import Solution
from linework.stats import ColumnMoments, Gradient
from linework.stats.gradient import squares

TOLERANCE = 1e-10
"""The gradient's size beside that at zero, in the preconditioner's norm."""


def centred_gradient(
    source: Source,
    columns: ColumnMoments,
    coef: Array,
    fit_intercept: bool = True,
    homogeneous: bool = False,
) -> Gradient:
    """Residual sums at coefficients (d, t), intercept at its best; y = 0 if ``homogeneous``."""
    intercept = np.zeros(coef.shape[1])
    if fit_intercept:
        intercept -= columns.x_mean @ coef
        if not homogeneous:
            intercept += columns.y_mean

    def gradient(block: Block) -> Gradient:
        evaluate = _from_zero if homogeneous else squares
        return Gradient.from_block(block, coef, intercept, evaluate)

    return map_reduce(source, gradient)


def _from_zero(y: Array, eta: Array) -> tuple[Array, Array]:
    return squares(np.zeros(1), eta)


def ridge_by_passes(
    source: Source, alpha: Array, fit_intercept: bool, max_iter: int | None = None
) -> tuple[Solution, ColumnMoments, Convergence]:
    """Minimise ‖Y − XB‖² + Σ_t α_t ‖b_t‖² by conjugate gradients, a pass each.

    Without a penalty there is no preconditioner, so that the solution is that of minimum norm.
    """
    columns = map_reduce(source, ColumnMoments.from_block)
    d, t = columns.n_features, columns.n_targets
    shift = columns.x_mean if fit_intercept else np.zeros(d)

    def product(P: Array) -> Array:
        g = centred_gradient(source, columns, P, fit_intercept, homogeneous=True)
        return alpha * P - g.centred(shift)

    start = centred_gradient(source, columns, np.zeros((d, t)), fit_intercept)
    squares = columns.squares[:d]
    if not fit_intercept:
        squares = squares + columns.weight * columns.x_mean**2
    diagonal = squares + alpha.min() if alpha.all() else np.ones(d)
    iterations = max_iter if max_iter is not None else max(1000, 10 * d)
    rhs = start.centred(shift)
    with single_threaded_blas:  # between passes, too: its threads would go on waiting in them
        coef, residual, passes = conjugate_gradient(product, rhs, diagonal, TOLERANCE, iterations)
    objective = float(start.value.sum() - (rhs * coef).sum())
    convergence = Convergence("gradient", residual, TOLERANCE, passes, objective)
    return Solution(coef, None, None, "conjugate gradient"), columns, convergence
