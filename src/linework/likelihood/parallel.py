"""A likelihood of several linear predictors that share their slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.linalg.lapack import dpotrf

from linework.data.blocks import Array, Block
from linework.engine import map_reduce
from linework.likelihood.problem import Problem
from linework.likelihood.wide import WideProblem
from linework.solvers.cholesky import column_scale
from linework.stats import Curvature, Gradient
from linework.stats.gradient import Evaluate

Seconds: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]
"""Targets and linear predictors (n, k) ↦ second derivatives of rows: H1 (n, k), and the upper
triangle of H (n, k(k + 1)/2)."""

INDEFINITE = 1e-8
"""Least eigenvalue, with the opposite sign, of a correlation form that counts as semidefinite."""


class ParallelProblem(Problem):
    """1/W Σ w ℓ(y, b + wᵀx) + ½ Σ_j l2_j w_j², for slopes w (d,) and intercepts b (k,).

    θ (d + k,) holds w and, last, b + wᵀx̄. As a `Problem` its B is w in each of k columns; here a
    pass forms one product with w, and one with the sum of a row's scores.
    """

    @staticmethod
    def _mean_squares(scores: Array) -> Array:
        return np.asarray(np.square(scores.sum(axis=1)))

    @property
    def shape(self) -> tuple[int, int]:
        """(d + k, 1)."""
        return self.table.n_columns + self.loss.n_scores, 1

    @property
    def scale(self) -> Array:
        """Root mean squares (d + k,) of the columns, with infinity for one that does not vary."""
        return np.append(super().scale, np.ones(self.loss.n_scores - 1))

    @property
    def hessian_cost(self) -> float:
        """Gradients that a Hessian takes as long as: of one predictor, and of a second pass."""
        return 1.0 + 2.0 * super().hessian_cost / (self.loss.n_scores + 1)

    def coefficients(self, theta: Array) -> tuple[Array, Array]:
        """B (d, k), of equal columns, and b (k,)."""
        slope, level = np.split(theta, [self.table.n_columns])
        return np.tile(slope[:, None], self.loss.n_scores), level - self.centre @ slope

    def parameters(self, coef: Array, intercept: Array) -> Array:
        """Θ of coefficients (d, k), of which the first column counts, and intercepts (k,)."""
        slope = np.where(np.isinf(self.scale[: len(coef)]), 0.0, coef[:, 0])
        return np.concatenate([slope, intercept + self.centre @ slope])

    def evaluate(self, theta: Array) -> tuple[float, Array]:
        """The objective and its gradient."""
        coef, intercept = self.coefficients(theta)

        def shared(y: Array, eta: Array) -> tuple[Array, Array]:
            value, r = self.loss.evaluate(y, eta + intercept)
            return np.column_stack([value, -r]), -r.sum(axis=1, keepdims=True)

        slope, (value, *level) = self._sums(coef[:, :1], shared)
        if not np.isfinite(value):
            return np.inf, np.full_like(theta, np.nan)
        slope = slope[:, 0] + self.l2 * coef[:, 0]
        slope[np.isinf(self.scale[: len(slope)])] = 0.0
        return float(value + 0.5 * self.l2 @ coef[:, 0] ** 2), np.append(slope, level)

    def hessian(self, theta: Array) -> Array:
        """Its second derivatives; where they are indefinite, the squares of scores for the loss's.

        The two have one expectation, if the model is true, and squares are never negative.
        """
        H = self.second_derivatives(theta)
        scale = column_scale(np.abs(H.diagonal()))
        correlation = H / scale / scale[:, None] + INDEFINITE * np.eye(len(H))
        _, indefinite = dpotrf(correlation)
        return self._assembled(theta, self._squares) if indefinite else H

    def second_derivatives(self, theta: Array) -> Array:
        """Its second derivatives, whatever their signs: two passes."""
        return self._assembled(theta, self._exact)

    def _exact(self, y: Array, eta: Array) -> tuple[Array, Array]:
        return self.loss.product(y, eta, np.ones_like(eta)), self.loss.curvature(y, eta)

    def _squares(self, y: Array, eta: Array) -> tuple[Array, Array]:
        r = self.loss.evaluate(y, eta)[1]
        first, second = np.triu_indices(self.loss.n_scores)
        return r * r.sum(axis=1, keepdims=True), r[:, first] * r[:, second]

    def _assembled(self, theta: Array, seconds: Seconds) -> Array:
        (coef, intercept), d = self.coefficients(theta), self.table.n_columns

        def by_slopes(y: Array, eta: Array) -> Array:
            return np.asarray(seconds(y, eta + intercept)[0].sum(axis=1, keepdims=True))

        def by_intercepts(y: Array, eta: Array) -> tuple[Array, Array]:
            by_one, by_both = seconds(y, eta + intercept)
            return by_both, by_one

        def curvature(block: Block) -> Curvature:
            return Curvature.from_block(
                block, coef[:, :1], np.zeros(1), self.centre, by_slopes, self.large
            )

        H = np.empty(2 * self.shape[:1])
        H[:d, :d] = map_reduce(self.table, curvature).sums[0, :d, :d] / self.columns.weight
        H[:d, :d] += np.diag(self.l2)
        H[:d, d:], triangle = self._sums(coef[:, :1], by_intercepts)
        H[d:, :d] = H[:d, d:].T
        first, second = np.triu_indices(self.loss.n_scores)
        H[d + first, d + second] = H[d + second, d + first] = triangle
        still = np.flatnonzero(np.isinf(self.scale))
        H[still], H[:, still] = 0.0, 0.0
        H[still, still] = 1.0
        return H

    def _sums(self, coef: Array, evaluate: Evaluate) -> tuple[Array, Array]:
        """Mean (x − x̄) rᵀ and mean values over the rows, for predictors without intercepts."""
        zero = np.zeros(coef.shape[1])

        def gradient(block: Block) -> Gradient:
            with np.errstate(over="ignore", invalid="ignore"):  # outside the loss's domain
                return Gradient.from_block(block, coef, zero, evaluate)

        sums, weight = map_reduce(self.table, gradient), self.columns.weight
        return sums.centred(self.centre) / weight, sums.value / weight


class WideParallelProblem(ParallelProblem, WideProblem):
    """A `ParallelProblem` that knows products with its second derivatives."""

    def product(self, theta: Array) -> Callable[[Array], Array]:
        """S ↦ H(θ)s, a pass over the rows each."""
        coef, intercept = self.coefficients(theta)

        def product(direction: Array) -> Array:
            along, level = self.coefficients(direction)

            def evaluate(y: Array, both: Array) -> tuple[Array, Array]:
                eta, step = both[:, :1] + intercept, both[:, 1:] + level
                image = self.loss.product(y, eta, step)
                return image, image.sum(axis=1, keepdims=True)

            image, by_level = self._sums(np.column_stack([coef[:, 0], along[:, 0]]), evaluate)
            still = np.isinf(self.scale)
            whole = np.append(image[:, 0] + self.l2 * along[:, 0], by_level)
            return np.where(still, direction, whole)

        return product

    def preconditioner(self, theta: Array) -> Callable[[Array], Array]:
        """Solves with 1ᵀH̄1 S + l2 for slopes and the mean curvature H̄ (k, k) for intercepts."""
        spread, directions = self._spread
        curved, turn = np.linalg.eigh(self._mean_curvature(theta))
        curved = np.maximum(curved, 1e-8 * curved[-1])
        d, across = len(spread), float(curved @ turn.sum(axis=0) ** 2)

        def solve(rhs: Array) -> Array:
            slope = rhs[:d] if directions is None else directions.T @ rhs[:d]
            slope = slope / (across * spread + self.l2)
            slope = slope if directions is None else directions @ slope
            return np.append(slope, turn @ ((turn.T @ rhs[d:]) / curved))

        return solve
