"""Logistic regressions of many dichotomies of the same rows, fitted by passes that all share."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.dichotomies import by_classes_used
from linework.engine import map_each, map_reduce, map_rows
from linework.likelihood.problem import LARGE, Problem
from linework.likelihood.solve import FEWEST
from linework.solvers.newton_each import Minima, minimise_each
from linework.stats import ColumnMoments, Curvature, Gradient, PooledMoments
from linework.stats.gradient import linear_predictors

CLOSE = 100
"""Rows for each parameter that estimate a Hessian: a step leaves about a tenth of the error."""

ROWS = 8.0
"""The sample that a fit begins with is of ROWS · √(rows · parameters) rows, some four times as many
as for one problem: each has few rows near its boundary."""


@dataclass(frozen=True)
class DichotomyLoss:
    """ln(1 + exp(−c η)) for each column of a code without zeros, c being its entry for the class.

    ``y`` (n, 1) holds the rows of the code (K, k).
    """

    code: Array
    compiled: bool = False

    @property
    def n_scores(self) -> int:
        """K."""
        return int(self.code.shape[1])

    @property
    def fused(self) -> None:
        """None: products of matrices carry most of the work, and `evaluate` the rest."""
        return None

    @property
    def convex(self) -> bool:
        """True."""
        return True

    def least(self, y: Array) -> Array:
        """Zeros, (n,)."""
        return np.zeros(len(y))

    def evaluate(self, y: Array, eta: Array) -> tuple[Array, Array]:
        """The values and the scores −∂ℓ/∂η, both of shape (n, k)."""
        if self.compiled:
            from linework.likelihood.dichotomy_kernels import evaluate

            value, score = np.empty(eta.shape), np.empty(eta.shape)
            evaluate(self.code, y[:, 0], eta, value, score)
            return value, score
        side = self.code[y[:, 0].astype(np.intp)]
        z = eta * side
        odds = np.exp(-np.abs(z))
        value = np.log1p(odds)
        value -= np.minimum(z, 0.0)
        score = np.where(z >= 0.0, odds, 1.0)
        score /= 1.0 + odds
        score *= side
        return value, score

    def curvature(self, y: Array, eta: Array) -> Array:
        """The second derivatives (n, k): none of two columns."""
        odds = np.exp(-np.abs(eta))
        return np.asarray(odds / np.square(1.0 + odds))

    def product(self, y: Array, eta: Array, direction: Array) -> Array:
        """The second derivatives times directions (n, k)."""
        return self.curvature(y, eta) * direction


@dataclass(frozen=True, eq=False)
class EachProblem(Problem):
    """The problems of the columns of a code, under one penalty: `Objectives` of θ (k, p).

    Attributes
    ----------
    share : array of shape (k,)
        π, the weight of the positive side as a share of all.
    """

    loss: DichotomyLoss
    share: Array = dataclasses.field(kw_only=True)

    def part(self, index: Array) -> EachProblem:
        """The problems of these columns."""
        loss = DichotomyLoss(np.ascontiguousarray(self.loss.code[:, index]), self.large)
        return dataclasses.replace(self, loss=loss, share=self.share[index])

    @property
    def hessian_cost(self) -> float:
        """Gradients of one of many problems that its Hessian takes as long as, as measured.

        More than of a problem by itself, whose gradient is no product of matrices.
        """
        whole = 4.0 + self.table.n_columns / 5.0
        return min(whole, 2.0 + whole * CLOSE * self.shape[0] / self.n_present)

    def evaluate(self, theta: Array) -> tuple[Array, Array]:  # type: ignore[override]
        """Values (k,) and gradients (k, p)."""
        coef, intercept = self.coefficients(theta.T)

        def gradient(block: Block) -> Gradient:
            with np.errstate(over="ignore", invalid="ignore"):
                return Gradient.from_block(block, coef, intercept, self.loss.evaluate)

        sums = map_reduce(self.table, gradient)
        slope = self.slope(sums, coef)
        value = sums.value / self.columns.weight + 0.5 * (self.l2 @ np.square(coef))
        return value, np.ascontiguousarray(slope.T)

    def hessians(self, theta: Array, exact: bool = False) -> Array:
        """Second derivatives (k, p, p), or estimates where there are many rows.

        Those are by `CLOSE` rows for each parameter, drawn for each problem on its own in
        proportion to their curvature. A row counts where it is near a boundary: of many classes few
        are near that of one, so that rows which serve all problems alike would have to be many.
        """
        coef, intercept = self.coefficients(theta.T)
        n_rows, centre, curve = CLOSE * self.shape[0], self.centre, self.loss.curvature
        if exact or 2 * n_rows > self.n_present:

            def curvature(block: Block) -> Curvature:
                return Curvature.from_block(
                    block, coef, intercept, centre, curve, self.large, diagonal=True
                )

            p = self.shape[0]
            H = map_reduce(self.table, curvature).sums[:, :p, :p] / self.columns.weight
            return np.array([self._penalised_hessian(h) for h in H])

        def of_rows(block: Block) -> Array:
            h = curve(block.targets, linear_predictors(block.X, coef, intercept, block.offset))
            return np.asarray(h if block.weight is None else h * block.weight[:, None])

        h = map_rows(self.table, of_rows)

        def estimate(m: int) -> Array:
            drawn = self.part(np.array([m])).drawn(h[:, m], n_rows)
            assert isinstance(drawn, EachProblem)
            return np.asarray(drawn.hessians(theta[[m]], exact=True)[0])

        return np.array(map_each(range(len(theta)), estimate, "Hessians", len(theta)))

    def _penalised_hessian(self, H: Array) -> Array:
        slopes = np.arange(self.table.n_columns)
        H[slopes, slopes] += self.l2
        still = np.flatnonzero(np.isinf(self.scale))
        H[still], H[:, still] = 0.0, 0.0
        H[still, still] = 1.0
        return H

    def sizes(self, gradient: Array) -> Array:
        """As `Problem.scaled`, for each: √(π (1 − π)) is the root mean square of its scores."""
        units = np.sqrt(self.share * (1.0 - self.share))
        return np.asarray(np.abs(gradient / self.scale).max(axis=1, initial=0.0) / units)

    def sample(self, n_rows: int) -> EachProblem:
        """As `Problem.sample`, each problem having p parameters of its own."""
        part = super().sample(n_rows)
        l2 = self.l2 + (part.l2 - self.l2) / self.loss.n_scores
        return dataclasses.replace(self, table=part.table, columns=part.columns, l2=l2)

    def beginning(self) -> tuple[Array, Array]:
        """Θ (k, p) to begin at, and the Hessians there.

        Linear discriminants, which the moments of the classes give for all problems at once, or
        intercepts alone, whichever has the smaller objective.
        """
        theta = self._discriminants()
        bare = np.zeros_like(theta)
        if self.fit_intercept:
            bare[:, -1] = np.log(self.share / (1.0 - self.share))
        worse = ~(self.evaluate(theta)[0] < self.evaluate(bare)[0])
        theta[worse] = bare[worse]
        return theta, self.hessians(theta)

    def _discriminants(self) -> Array:
        """Θ (k, p) of linear discriminants, zero where the moments do not give them."""
        stats = map_reduce(self.table, PooledMoments.from_block)
        theta = np.zeros(self.shape[::-1])
        for columns, sides in by_classes_used(stats, self.loss.code):
            directions, _, known = sides.discriminants(1e-4)
            coef = directions * sides.weight.sum(axis=1, keepdims=True)
            odds = np.log(sides.weight[:, 1] / sides.weight[:, 0])
            intercept = odds - np.einsum("md,md->m", coef, sides.middle)
            found = self.parameters(coef.T, intercept).reshape(self.shape).T
            theta[columns[known]] = found[known]
        return theta


def solve_each(problem: EachProblem, tol: float, max_iter: int) -> Minima:
    """The minima of all, by way of a sample of the rows where there are many, as `solve.solve`.

    What the Hessians have learnt on the sample is kept.
    """
    present, p = problem.n_present, problem.shape[0]
    n_rows = max(int(ROWS * np.sqrt(present * p)), FEWEST * p, 2_000)
    if 3 * n_rows > present:
        return minimise_each(problem, *problem.beginning(), tol, max_iter)
    part = problem.sample(n_rows)
    begun = minimise_each(part, *part.beginning(), max(0.5 / np.sqrt(n_rows), tol), max_iter)
    hessians, slopes = begun.hessians, np.arange(problem.table.n_columns)
    hessians[:, slopes, slopes] += problem.l2 - part.l2
    return minimise_each(problem, begun.theta, hessians, tol, max_iter)


def fit_together(
    table: Table, code: Array, fit_intercept: bool, C: float, tol: float, max_iter: int
) -> tuple[Array, Array, Minima]:
    """W (k, d) and b (k,) of C Σ_i w_i ln(1 + exp(−c η)) + ½ ‖w‖² for each column of a code.

    Parameters
    ----------
    table : Table
        Its groups are the rows of ``code``.
    code : array of shape (K, k)
        Without zeros.
    """
    assert table.group is not None
    large = not table.sparse and table.n_rows * table.n_columns >= LARGE
    weight = np.bincount(table.group, table.weight, len(code))
    share = (code > 0).T @ weight / weight.sum()
    table = dataclasses.replace(table, y=table.group[:, None].astype(np.float64))
    problem = EachProblem(
        table,
        DichotomyLoss(np.ascontiguousarray(code, np.float64), large),
        map_reduce(table, partial(ColumnMoments.from_block, compiled=large)),
        fit_intercept,
        np.full(table.n_columns, 1.0 / (C * weight.sum())),
        0.0,
        float(np.sqrt((share * (1.0 - share)).mean())),
        large=large,
        share=share,
    )
    found = solve_each(problem, tol, max_iter)
    coef, intercept = problem.coefficients(found.theta.T)
    return coef.T, intercept, found
