"""One target's penalised least-squares problem, from statistics or by passes over the rows."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.regression.by_passes import centred_gradient
from linework.solvers.coordinate import Path, Penalty, gram_path, working_set_path
from linework.stats import ColumnMoments, Gradient, Moments, RFactor


class PenalisedProblem(Protocol):
    """½‖y − Xβ‖² about the means or, without intercept, about zero, plus a penalty."""

    solver: ClassVar[str]

    @property
    def yy(self) -> float:
        """‖y‖²."""
        ...

    def largest_slope(self, positive: bool) -> float:
        """The largest |x_jᵀy| (x_jᵀy, where positive): from there on, l1 leaves no coefficient."""
        ...

    def path(self, penalty: Penalty) -> Path:
        """Solutions for every α."""
        ...

    def objective(self, beta: Array, penalty: Penalty) -> float:
        """The objective at β for the first α."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class StatsProblem:
    """A problem whose XᵀX (d, d), Xᵀy (d,) and yᵀy are known."""

    solver: ClassVar[str] = "coordinate descent"
    gram: Array
    cross: Array
    yy: float
    weight: float

    @classmethod
    def of(cls, stats: Moments | RFactor, target: int, fit_intercept: bool) -> Self:
        """The problem of one target."""
        gram, cross, squares = stats.centred(fit_intercept)
        return cls(gram, cross[:, target], float(squares[target, target]), stats.weight)

    def largest_slope(self, positive: bool) -> float:
        """The largest x_jᵀy, in absolute value unless positive."""
        return float((self.cross if positive else np.abs(self.cross)).max())

    def path(self, penalty: Penalty) -> Path:
        """Solutions for every α."""
        return gram_path(self.gram, self.cross, self.yy, self.weight, penalty)

    def objective(self, beta: Array, penalty: Penalty) -> float:
        """The objective at β for the first α."""
        rss = self.yy - 2.0 * self.cross @ beta + beta @ self.gram @ beta
        return float(0.5 * rss + self.weight * penalty.value(beta))


@dataclass(frozen=True, slots=True, eq=False)
class PassProblem:
    """A problem with too many columns for XᵀX: its gradient, and XᵀX of few columns, are passes."""

    solver: ClassVar[str] = "working set"
    table: Table
    columns: ColumnMoments
    fit_intercept: bool
    start: Gradient

    @classmethod
    def of(cls, table: Table, target: int, fit_intercept: bool) -> Self:
        """The problem of one target; two passes."""
        assert table.y is not None
        table = dataclasses.replace(table, y=table.y[:, [target]])
        columns = map_reduce(table, ColumnMoments.from_block)
        zero = np.zeros((table.n_columns, 1))
        start = centred_gradient(table, columns, zero, fit_intercept)
        return cls(table, columns, fit_intercept, start)

    @property
    def yy(self) -> float:
        """‖y‖²."""
        return float(self.start.value[0])

    def largest_slope(self, positive: bool) -> float:
        """The largest x_jᵀy, in absolute value unless positive."""
        slopes = self._centred(self.start)
        return float((slopes if positive else np.abs(slopes)).max())

    def path(self, penalty: Penalty) -> Path:
        """Solutions for every α."""
        cross, weight = self._centred(self.start), self.columns.weight
        return working_set_path(self._slopes, self._gram, cross, self.yy, weight, penalty)

    def objective(self, beta: Array, penalty: Penalty) -> float:
        """The objective at β for the first α."""
        rss = float(self._gradient(beta).value[0])
        return 0.5 * rss + self.columns.weight * penalty.value(beta)

    def mean_squared_errors(self, test: Table, weight: float, coefs: Array) -> Array:
        """Mean squared error on the rows of another table, for coefficients (a, d): shape (a,)."""
        intercepts = np.zeros(len(coefs))
        if self.fit_intercept:
            intercepts = self.columns.y_mean - coefs @ self.columns.x_mean

        def errors(block: Block) -> Array:
            squares = (block.targets - intercepts - block.X @ coefs.T) ** 2
            weight = np.ones(len(block)) if block.weight is None else block.weight
            return np.asarray(weight @ squares)

        return map_reduce(test, errors) / weight

    def _centred(self, gradient: Gradient) -> Array:
        shift = self.columns.x_mean if self.fit_intercept else np.zeros(self.table.n_columns)
        return gradient.centred(shift)[:, 0]

    def _gradient(self, beta: Array) -> Gradient:
        return centred_gradient(self.table, self.columns, beta[:, None], self.fit_intercept)

    def _slopes(self, beta: Array) -> Array:
        return self._centred(self._gradient(beta))

    def _gram(self, index: Array) -> Array:
        part = dataclasses.replace(self.table.columns(index), y=None)
        return map_reduce(part, Moments.from_block).centred(self.fit_intercept)[0]
