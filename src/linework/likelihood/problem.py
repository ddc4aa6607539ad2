"""A penalised likelihood over the rows of a table, as an objective for Newton's method."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.losses import Loss, SoftmaxLoss
from linework.solvers.newton import Minimum, minimise
from linework.stats import ColumnMoments, Curvature, Gradient

SAMPLE = 8.0
"""The sample that a fit begins with is of SAMPLE · √(rows · parameters / Hessian's cost) rows. More
contract the error faster, by about √(parameters / rows) in every step, and take longer: measured
from 10 to 500 columns, half and twice as many cost a pass more, or none."""

FEWEST = 10
"""Rows for each parameter that the sample has at least."""

LARGE = 1 << 21
"""Numbers of a table from which its passes are by the compiled loop: a fit of 20 ms, where loading
Numba takes 200 the first time."""


@dataclass(frozen=True, eq=False)
class Problem:
    """1/W Σ w ℓ(y, b + Bᵀx + offset) + ½ Σ_j l2_j ‖B_j‖² + l1 ‖B‖₁, for B (d, k) and b (k,).

    The objective is one of θ (p·k,), which holds the rows of B and, last, those of b + Bᵀx̄: about
    the means the intercept says nothing of the slopes, and nothing large cancels.

    Attributes
    ----------
    table : Table
    loss : Loss
    columns : ColumnMoments
        Of all rows: x̄ and the spread of the columns.
    fit_intercept : bool
    l2 : array of shape (d,)
    l1_factor : float
    unit : float
        Root of the mean square of the scores of the model without slopes.
    redundant : bool
        Whether a constant added to all k linear predictors changes nothing, as for a softmax.
    large : bool
        Whether passes are by compiled loops.
    """

    table: Table
    loss: Loss
    columns: ColumnMoments
    fit_intercept: bool
    l2: Array
    l1_factor: float
    unit: float
    redundant: bool = False
    large: bool = False

    @classmethod
    def of(
        cls, table: Table, loss: Loss, null: Array, fit_intercept: bool, l2: float, l1: float
    ) -> Problem:
        """The problem of a table, by a pass for its columns and one for the model without slopes.

        ``null`` (k,) holds that model's linear predictors.
        """
        large = not table.sparse and table.n_rows * table.n_columns >= LARGE
        columns = map_reduce(table, partial(ColumnMoments.from_block, compiled=large))

        def square(block: Block) -> Array:
            block = block.present()
            eta = np.tile(null if fit_intercept else 0.0 * null, (len(block), 1))
            if block.offset is not None:
                eta += block.offset[:, None]
            squares = np.square(loss.evaluate(block.targets, eta)[1]).mean(axis=1)
            return np.array(squares.sum() if block.weight is None else block.weight @ squares)

        unit = float(np.sqrt(map_reduce(table, square) / columns.weight))
        penalties = np.full(table.n_columns, l2)
        redundant = isinstance(loss, SoftmaxLoss)
        return cls(
            table, loss, columns, fit_intercept, penalties, l1, unit or 1.0, redundant, large
        )

    @property
    def _shape(self) -> tuple[int, int]:
        return self.table.n_columns + self.fit_intercept, self.loss.n_scores

    @property
    def l1(self) -> Array | None:
        """The factors of the 1-norm (p·k,); intercepts have none."""
        if self.l1_factor == 0.0:
            return None
        factors = np.full(self._shape, self.l1_factor)
        factors[self.table.n_columns :] = 0.0
        return factors.ravel()

    @property
    def hessian_cost(self) -> float:
        """Gradients that a Hessian takes as long as, as measured from 10 to 500 columns."""
        columns, pairs = self.table.n_columns, (self.loss.n_scores + 1) / 2.0
        return pairs * (2.0 + columns / 12.0 if self.large else 1.5 + columns / 40.0)

    @property
    def _centre(self) -> Array:
        return self.columns.x_mean if self.fit_intercept else np.zeros(self.table.n_columns)

    @property
    def _squares(self) -> Array:
        """Mean squares of the columns about the centre, shape (d,)."""
        d, moments = self.table.n_columns, self.columns
        squares = moments.squares[:d] / moments.weight
        return squares if self.fit_intercept else squares + moments.x_mean**2

    @property
    def _scale(self) -> Array:
        """Root mean squares (p,), with infinity for a column that does not vary."""
        squares, floor = (
            self._squares,
            np.square(8 * np.finfo(np.float64).eps * self.columns.x_mean),
        )
        scale = np.where(squares > floor, np.sqrt(squares), np.inf)
        return np.append(scale, np.ones(int(self.fit_intercept)))

    def coefficients(self, theta: Array) -> tuple[Array, Array]:
        """B (d, k) and b (k,)."""
        theta, d = theta.reshape(self._shape), self.table.n_columns
        coef = theta[:d]
        if not self.fit_intercept:
            return coef, np.zeros(self.loss.n_scores)
        return coef, theta[d] - self._centre @ coef

    def parameters(self, coef: Array, intercept: Array) -> Array:
        """Θ of coefficients (d, k) and intercepts (k,)."""
        if not self.fit_intercept:
            return coef.ravel()
        return np.vstack([coef, intercept + self._centre @ coef]).ravel()

    def evaluate(self, theta: Array) -> tuple[float, Array]:
        """The objective without its 1-norm, and its gradient."""
        coef, intercept = self.coefficients(theta)
        fused = self.loss.fused if self.large else None

        def gradient(block: Block) -> Gradient:
            with np.errstate(over="ignore", invalid="ignore"):  # outside the loss's domain
                return Gradient.from_block(block, coef, intercept, self.loss.evaluate, fused)

        sums = map_reduce(self.table, gradient)
        weight, l2 = self.columns.weight, self.l2[:, None]
        slope = l2 * coef - sums.centred(self._centre) / weight
        slope[np.isinf(self._scale[: len(coef)])] = 0.0
        if self.fit_intercept:
            slope = np.vstack([slope, -sums.intercept / weight])
        return float(sums.value / weight + 0.5 * (l2 * coef**2).sum()), slope.ravel()

    def hessian(self, theta: Array) -> Array:
        """Its second derivatives, expected where they depend on y."""
        coef, intercept = self.coefficients(theta)
        centre, curve, compiled = self._centre, self.loss.curvature, self.large

        def curvature(block: Block) -> Curvature:
            return Curvature.from_block(block, coef, intercept, centre, curve, compiled)

        (p, k), d = self._shape, self.table.n_columns
        H = map_reduce(self.table, curvature).matrix(k)[:p, :, :p] / self.columns.weight
        column, each = np.arange(p), np.arange(k)[:, None]
        if self.redundant:
            # The gradient is zero along these directions: any curvature there leaves steps alone.
            gauged = column[d if self.l1_factor else 0 :]
            H[gauged, :, gauged] += H[gauged, 0, gauged, 0][:, None, None]
        H[column[:d], each, column[:d], each] += self.l2
        still = np.flatnonzero(np.isinf(self._scale))
        H[still], H[:, :, still] = 0.0, 0.0
        H[still, each, still, each] = 1.0
        return H.reshape(p * k, p * k)

    def scaled(self, gradient: Array) -> float:
        """The largest derivative by a column of unit spread, beside the scores' root mean square.

        It is at most 1 for the model without slopes, whatever the units of X and y.
        """
        slope = gradient.reshape(self._shape) / self._scale[:, None]
        return float(np.abs(slope).max(initial=0.0) / self.unit)

    def sample(self, n_rows: int) -> Problem:
        """The problem on so many rows, held near zero where they alone do not determine it."""
        rows = np.random.default_rng(0).choice(self.table.n_rows, n_rows, replace=False)
        part = self.table.take(np.sort(rows)).held()
        weight = float(n_rows if part.weight is None else part.weight.sum())
        columns = dataclasses.replace(self.columns, weight=weight)
        columns = dataclasses.replace(
            columns, squares=columns.squares * weight / self.columns.weight
        )
        l2 = self.l2 + self._squares * self.unit**2 * np.prod(self._shape) / n_rows
        return dataclasses.replace(self, table=part, columns=columns, l2=l2)

    def solve(self, theta: Array, tol: float, max_iter: int) -> Minimum:
        """Its minimum, from a start: by way of a sample of the rows, where there are many.

        The sample is solved until its gradient is within its own sampling noise. Its Hessian, an
        estimate of that of all rows to one part in √(rows / parameters), makes the steps.
        """
        parameters = int(np.prod(self._shape))
        best = SAMPLE * np.sqrt(self.table.n_rows * parameters / self.hessian_cost)
        n_rows = max(int(best), FEWEST * parameters, 2_000)
        if 3 * n_rows > self.table.n_rows:
            return minimise(self, theta, tol, max_iter)
        part = self.sample(n_rows)
        begun = minimise(part, theta, max(0.1 / np.sqrt(n_rows), tol), max_iter)
        hessian = dataclasses.replace(part, l2=self.l2).hessian(begun.theta)
        return minimise(self, begun.theta, tol, max_iter, hessian)
