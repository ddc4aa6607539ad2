"""A penalised likelihood over the rows of a table, as an objective for Newton's method."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Self

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce, map_rows
from linework.losses import Loss, SoftmaxLoss
from linework.solvers.quadratic import Quadratic
from linework.stats import ColumnMoments, Curvature, Gradient
from linework.stats.gradient import linear_predictors

FLAT = 1e-5
"""Curvature, for columns of unit spread and beside the scores' mean square, that counts as none."""

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
        Root of the mean square of the scores of intercepts alone.
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
    ) -> Self:
        """The problem of a table, by a pass for its columns and one for intercepts alone.

        ``null`` (k,) holds the best of those.
        """
        large = not table.sparse and table.n_rows * table.n_columns >= LARGE
        columns = map_reduce(table, partial(ColumnMoments.from_block, compiled=large))

        def square(block: Block) -> Array:
            block = block.present()
            eta = np.tile(null, (len(block), 1))
            if block.offset is not None:
                eta += block.offset
            squares = cls._mean_squares(loss.evaluate(block.targets, eta)[1])
            return np.array(squares.sum() if block.weight is None else block.weight @ squares)

        unit = float(np.sqrt(map_reduce(table, square) / columns.weight))
        penalties = np.full(table.n_columns, l2)
        redundant = isinstance(loss, SoftmaxLoss)
        return cls(
            table, loss, columns, fit_intercept, penalties, l1, unit or 1.0, redundant, large
        )

    @staticmethod
    def _mean_squares(scores: Array) -> Array:
        """Of the scores (n, k) that the slopes of a row have, shape (n,)."""
        return np.asarray(np.square(scores).mean(axis=1))

    @property
    def shape(self) -> tuple[int, int]:
        """(p, k)."""
        return self.table.n_columns + self.fit_intercept, self.loss.n_scores

    @property
    def l1(self) -> Array | None:
        """The factors of the 1-norm (p·k,); intercepts have none."""
        if self.l1_factor == 0.0:
            return None
        factors = np.full(self.shape, self.l1_factor)
        factors[self.table.n_columns :] = 0.0
        return factors.ravel()

    @property
    def hessian_cost(self) -> float:
        """Gradients that a Hessian takes as long as, as measured from 10 to 500 columns."""
        columns, pairs = self.table.n_columns, (self.loss.n_scores + 1) / 2.0
        return pairs * (2.0 + columns / 12.0 if self.large else 1.5 + columns / 40.0)

    @property
    def centre(self) -> Array:
        """x̄, or zero without an intercept."""
        return self.columns.x_mean if self.fit_intercept else np.zeros(self.table.n_columns)

    @property
    def squares(self) -> Array:
        """Mean squares of the columns about the centre, shape (d,)."""
        d, moments = self.table.n_columns, self.columns
        squares = moments.squares[:d] / moments.weight
        return squares if self.fit_intercept else squares + moments.x_mean**2

    @cached_property
    def scale(self) -> Array:
        """Root mean squares (p,), with infinity for a column that does not vary."""
        squares, rounding = self.squares, 8 * np.finfo(np.float64).eps
        floor = np.square(rounding * self.columns.x_mean)
        scale = np.where(squares > floor, np.sqrt(squares), np.inf)
        return np.append(scale, np.ones(int(self.fit_intercept)))

    def coefficients(self, theta: Array) -> tuple[Array, Array]:
        """B (d, k) and b (k,)."""
        theta, d = theta.reshape(self.shape), self.table.n_columns
        coef = theta[:d]
        if not self.fit_intercept:
            return coef, np.zeros(self.loss.n_scores)
        return coef, theta[d] - self.centre @ coef

    def parameters(self, coef: Array, intercept: Array) -> Array:
        """Θ of coefficients (d, k) and intercepts (k,); a column that does not vary has none."""
        coef = np.where(np.isinf(self.scale[: len(coef), None]), 0.0, coef)
        if not self.fit_intercept:
            return coef.ravel()
        return np.vstack([coef, intercept + self.centre @ coef]).ravel()

    @property
    def _gauge(self) -> Array:
        """The h (p,) of ½ Σ_j h_j (Σ_k θ_jk)², added where all else is blind to constants.

        It is zero at the minimum, and of the size of the other curvatures. Without it rounding
        errors along the constants would not decay. Coefficients under a 1-norm need none.
        """
        if not self.redundant:
            return np.zeros(self.shape[0])
        gauge = np.where(np.isinf(self.scale), 1.0, self.unit * self.scale) ** 2
        gauge[: self.table.n_columns if self.l1_factor else 0] = 0.0
        return gauge

    def penalised(self, l2: float, l1: float) -> Problem:
        """The problem with other penalties beside the mean loss."""
        return dataclasses.replace(self, l2=np.full(len(self.l2), l2), l1_factor=l1)

    def repenalised(self, model: Quadratic | None, l2: float) -> Array | None:
        """A Hessian of this loss under the penalty ``l2``, under this one's."""
        if model is None:
            return None
        k = self.loss.n_scores
        moved, slopes = model.matrix().copy(), np.arange(self.l2.size * k)
        moved[slopes, slopes] += np.repeat(self.l2 - l2, k)
        still = np.flatnonzero(np.repeat(np.isinf(self.scale), k))
        moved[still], moved[:, still] = 0.0, 0.0
        moved[still, still] = 1.0
        return moved

    def evaluate(self, theta: Array) -> tuple[float, Array]:
        """The objective without its 1-norm, and its gradient."""
        coef, intercept = self.coefficients(theta)
        fused = self.loss.fused if self.large else None

        def gradient(block: Block) -> Gradient:
            with np.errstate(over="ignore", invalid="ignore"):  # outside the loss's domain
                return Gradient.from_block(block, coef, intercept, self.loss.evaluate, fused)

        sums = map_reduce(self.table, gradient)
        if not np.isfinite(sums.value):  # and there is no gradient
            return np.inf, np.full_like(theta, np.nan)
        weight, l2 = self.columns.weight, self.l2[:, None]
        slope = self.slope(sums, coef)
        constants = theta.reshape(self.shape).sum(axis=1)
        slope += (self._gauge * constants)[:, None]
        penalty = np.square(np.sqrt(l2) * coef).sum()
        penalty += np.square(np.sqrt(self._gauge) * constants).sum()
        return float(sums.value / weight + 0.5 * penalty), slope.ravel()

    def slope(self, sums: Gradient, coef: Array) -> Array:
        """The gradient (p, k) of the mean loss and the squared penalty, from the sums of scores."""
        slope = self.l2[:, None] * coef - sums.centred(self.centre) / self.columns.weight
        slope[np.isinf(self.scale[: len(coef)])] = 0.0
        if self.fit_intercept:
            slope = np.vstack([slope, -sums.intercept / self.columns.weight])
        return slope

    def information(self, theta: Array) -> Array:
        """The mean loss's second derivatives, expected where they depend on y: (p, k, p, k)."""
        coef, intercept = self.coefficients(theta)
        centre, curve, compiled = self.centre, self.loss.curvature, self.large

        def curvature(block: Block) -> Curvature:
            return Curvature.from_block(block, coef, intercept, centre, curve, compiled)

        p, k = self.shape
        matrix = map_reduce(self.table, curvature).matrix(k)[:p, :, :p]
        return np.asarray(matrix / self.columns.weight)

    def hessian(self, theta: Array) -> Array:
        """The objective's second derivatives, expected where they depend on y."""
        (p, k), d = self.shape, self.table.n_columns
        H = self.information(theta)
        column, each = np.arange(p), np.arange(k)[:, None]
        H[column, :, column] += self._gauge[:, None, None]
        H[column[:d], each, column[:d], each] += self.l2
        still = np.flatnonzero(np.isinf(self.scale))
        H[still], H[:, :, still] = 0.0, 0.0
        H[still, each, still, each] = 1.0
        return H.reshape(p * k, p * k)

    def second_derivatives(self, theta: Array) -> Array:
        """As `hessian`."""
        return self.hessian(theta)

    def is_flat(self, theta: Array) -> bool:
        """Whether there is a direction of all but no curvature, as in every separable fit."""
        scale = np.repeat(self.scale, self.shape[1])
        varying = np.flatnonzero(np.isfinite(scale))
        H = self.second_derivatives(theta) / scale / scale[:, None]
        return bool(np.linalg.eigvalsh(H[np.ix_(varying, varying)])[0] < FLAT * self.unit**2)

    def settled(self, theta: Array) -> Array:
        """Where the 1-norm is least among the points that the rest cannot tell from θ.

        A constant added to a column's k coefficients changes nothing for a softmax but the norm,
        which is least where as many are above zero as below.
        """
        if not self.redundant or self.l2.any():
            return theta
        d, k = self.table.n_columns, self.loss.n_scores
        theta = theta.reshape(self.shape).copy()
        ordered = np.sort(theta[:d], axis=1)
        theta[:d] -= np.clip(0.0, ordered[:, (k - 1) // 2], ordered[:, k // 2])[:, None]
        return theta.ravel()

    def scaled(self, gradient: Array) -> float:
        """The largest derivative by a column of unit spread, beside the scores' root mean square.

        It is at most 1 for intercepts alone, whatever the units of X and y.
        """
        slope = gradient.reshape(self.shape) / self.scale[:, None]
        return float(np.abs(slope).max(initial=0.0) / self.unit)

    def among(self, index: Array) -> Problem:
        """The problem with these columns only, read into memory."""
        d = self.table.n_columns
        kept = np.concatenate([index, np.arange(d, len(self.columns.mean))])
        columns = dataclasses.replace(
            self.columns, mean=self.columns.mean[kept], squares=self.columns.squares[kept]
        )
        table = self.table.columns(index).held()
        return dataclasses.replace(self, table=table, columns=columns, l2=self.l2[index])

    @property
    def n_present(self) -> int:
        """The number of rows of positive weight."""
        weight = self.table.weight
        return self.table.n_rows if weight is None else int(np.count_nonzero(weight))

    def sample(self, n_rows: int) -> Problem:
        """The problem on so many rows, held near zero where they alone do not determine it."""
        rows = np.sort(np.random.default_rng(0).choice(self.n_present, n_rows, replace=False))
        if self.table.weight is not None:  # rows of weight zero count as removed
            rows = np.flatnonzero(self.table.weight)[rows]
        part = self.table.take(rows).held()
        weight = float(n_rows if part.weight is None else part.weight.sum())
        squares = self.columns.squares * (weight / self.columns.weight)
        columns = dataclasses.replace(self.columns, weight=weight, squares=squares)
        l2 = self.l2 + self.squares * self.unit**2 * np.prod(self.shape) / n_rows
        return dataclasses.replace(self, table=part, columns=columns, l2=l2)

    def focused(self, theta: Array, n_rows: int) -> Problem:
        """About so many rows, drawn in proportion to their curvature at θ, with weights to undo it.

        Where few rows carry the curvature, those near a boundary or of a rare class, these give the
        Hessian at θ as well as many times as many drawn evenly.
        """
        coef, intercept = self.coefficients(theta)
        first, second = np.triu_indices(len(intercept))

        def curvature(block: Block) -> Array:
            eta = linear_predictors(block.X, coef, intercept, block.offset)
            h = np.abs(self.loss.curvature(block.targets, eta)[:, first == second].sum(axis=1))
            return np.asarray(h if block.weight is None else h * block.weight)

        return self.drawn(map_rows(self.table, curvature), n_rows)

    def drawn(self, h: Array, n_rows: int) -> Problem:
        """About so many rows, drawn in proportion to h (n,), with weights to undo it."""
        marks = np.cumsum(h)
        total = marks[-1]
        if not 0.0 < total < np.inf:
            return self
        count = np.diff(np.floor(marks * (n_rows / total) + 0.5), prepend=0.0)
        rows = np.flatnonzero(count)
        weight = count[rows] * (total / n_rows) / h[rows]
        part = self.table.take(rows).held()
        weight = weight if part.weight is None else weight * part.weight
        return dataclasses.replace(self, table=dataclasses.replace(part, weight=weight))
