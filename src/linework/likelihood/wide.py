"""Likelihoods of too many parameters for a matrix of their second derivatives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cached_property

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import GRAM_COLUMNS
from linework.engine import map_reduce, map_rows
from linework.likelihood.problem import Problem
from linework.stats import Gradient, Moments
from linework.stats.gradient import linear_predictors

SAMPLE = 5
"""Rows for each column in the sample whose scatter preconditions products."""


class WideProblem(Problem):
    """A `Problem` that knows products with its second derivatives."""

    @property
    def _gauge(self) -> Array:
        """None: the preconditioner keeps steps from the constants, and knows no other curvature."""
        return np.zeros(self.shape[0])

    def product(self, theta: Array) -> Callable[[Array], Array]:
        """S ↦ H(θ)s, a pass over the rows each; the linear predictors at θ are held, (n, k)."""
        coef, intercept = self.coefficients(theta)

        def predictors(block: Block) -> Array:
            return linear_predictors(block.X, coef, intercept, block.offset)

        k, eta = self.loss.n_scores, map_rows(self.table, predictors)
        assert self.table.y is not None
        table = dataclasses.replace(self.table, y=np.hstack([self.table.y, eta]), offset=None)

        def evaluate(known: Array, v: Array) -> tuple[Array, Array]:
            return np.zeros(len(v)), self.loss.product(known[:, :-k], known[:, -k:], v)

        def product(direction: Array) -> Array:
            V, v = self.coefficients(direction)
            sums = map_reduce(table, lambda block: Gradient.from_block(block, V, v, evaluate))
            image = sums.centred(self.centre) / self.columns.weight + self.l2[:, None] * V
            if self.fit_intercept:
                image = np.vstack([image, sums.intercept / self.columns.weight])
            still = np.isinf(self.scale)
            image[still] = direction.reshape(self.shape)[still]
            return np.asarray(image.ravel())

        return product

    def preconditioner(self, theta: Array) -> Callable[[Array], Array]:
        """Solves with S ⊗ H̄ + l2, for the scatter S of the columns and the mean curvature H̄ (k, k).

        It is what H is where curvature and columns are independent.
        """
        spread, directions = self._spread
        curved, turn = np.linalg.eigh(self._mean_curvature(theta))
        # Along a constant for all k, a softmax has no curvature, and the gradient no part.
        curved = np.where(curved > 1e-8 * curved[-1], curved, curved[-1])
        d = len(spread)
        damped = np.multiply.outer(spread, curved) + self.l2[:, None]

        def solve(rhs: Array) -> Array:
            R = rhs.reshape(self.shape) @ turn
            slopes = R[:d] if directions is None else directions.T @ R[:d]
            slopes = slopes / damped
            R[:d] = slopes if directions is None else directions @ slopes
            R[d:] /= curved
            return np.asarray((R @ turn.T).ravel())

        return solve

    def _mean_curvature(self, theta: Array) -> Array:
        """The mean second derivatives by the linear predictors, shape (k, k)."""
        coef, intercept = self.coefficients(theta)

        def total(block: Block) -> Array:
            block = block.present()
            eta = linear_predictors(block.X, coef, intercept, block.offset)
            h = self.loss.curvature(block.targets, eta)
            return np.asarray(h.sum(axis=0) if block.weight is None else block.weight @ h)

        k = self.loss.n_scores
        first, second = np.triu_indices(k)
        mean = np.empty((k, k))
        mean[first, second] = map_reduce(self.table, total) / self.columns.weight
        mean[second, first] = mean[first, second]
        return mean

    @cached_property
    def _spread(self) -> tuple[Array, Array | None]:
        """Eigenvalues (d,) and eigenvectors (d, d) of the scatter of a sample of the rows.

        Beyond `GRAM_COLUMNS`, the columns' own squares and None.
        """
        d = self.table.n_columns
        still = np.isinf(self.scale[:d])
        if d > GRAM_COLUMNS:
            return np.where(still, 1.0, self.squares), None
        table = self.table
        if table.n_rows > SAMPLE * d:
            table = self.sample(SAMPLE * d).table
        moments = map_reduce(dataclasses.replace(table, y=None), Moments.from_block)
        scatter = moments.centred(self.fit_intercept)[0] / moments.weight
        scatter[still], scatter[:, still] = 0.0, 0.0
        values, vectors = np.linalg.eigh(scatter)
        return np.maximum(values, 1e-8 * values[-1]), vectors
