"""Firth's penalised likelihood: finite estimates of less bias, whatever the classes' separation."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cholesky, solve_triangular

from linework.data.blocks import Array, Block
from linework.engine import map_reduce
from linework.likelihood.problem import Problem
from linework.solvers.cholesky import EPS, column_scale
from linework.stats.centre import tile_rows


class FirthProblem(Problem):
    """Binary logistic regression with the penalty −½ ln |I(β)| of Jeffreys's prior (Firth, 1993).

    Its score is Σ w [y − p + h (½ − p)] z with z = [x, 1], where h = p (1 − p) zᵀI⁻¹z is the
    leverage of a row: as if each row had h/2 of a success and h/2 of a failure beside its own.
    """

    def evaluate(self, theta: Array) -> tuple[float, Array]:
        """The objective and its gradient: three passes, with the information and the leverages."""
        value, gradient = super().evaluate(theta)
        information = super().hessian(theta) * self.columns.weight
        scale = column_scale(information.diagonal())
        try:
            R = cholesky(information / scale / scale[:, None])
        except np.linalg.LinAlgError:
            return np.inf, gradient
        if np.square(R.diagonal()).min() < 1e2 * EPS * len(R):
            return np.inf, gradient
        log_det = 2.0 * float(np.log(R.diagonal()).sum() + np.log(scale).sum())
        coef, intercept = self.coefficients(theta)
        centre, one = self.centre, int(self.fit_intercept)

        def pull(block: Block) -> Array:
            """Σ w h (½ − p) z."""
            block = block.present()
            total = np.zeros(len(R))
            step = tile_rows(len(R))
            for start in range(0, len(block), step):
                rows = slice(start, start + step)
                X = block.X[rows]
                X = np.asarray(X.toarray() if sp.issparse(X) else X, np.float64)
                eta = X @ coef + intercept
                Z = np.column_stack([X - centre, np.ones((len(X), one))])
                Q = solve_triangular(R, (Z / scale).T, trans="T", check_finite=False)
                curved = self.loss.curvature(block.targets[rows], eta)[:, 0]
                fit = -self.loss.evaluate(np.zeros_like(eta), eta)[1][:, 0]
                r = curved * np.einsum("ij,ij->j", Q, Q) * (0.5 - fit)
                total += (r if block.weight is None else r * block.weight[rows]) @ Z
            return total

        slope = gradient - map_reduce(self.table, pull) / self.columns.weight
        slope[np.isinf(self.scale)] = 0.0
        return value - 0.5 * log_det / self.columns.weight, slope
