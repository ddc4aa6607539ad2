"""What the least-squares estimators share: reading, predicting, adding and removing rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from linework.candidates import ByRows, Candidates, FoldFits
from linework.data.blocks import Array, Block
from linework.data.numbers import dtype_of
from linework.data.sources import GRAM_COLUMNS, Table
from linework.engine import blas_for, map_reduce, map_rows
from linework.estimator import RowReader
from linework.folds import Split, fold_moments
from linework.regression.ladder import condition_limit
from linework.regression.lines import lines_by_fold
from linework.solvers.least_squares import Solution
from linework.stats import ColumnMoments, Moments, RFactor

Means = Moments | RFactor | ColumnMoments
"""Any statistic that knows the means."""


class LinearModel(RegressorMixin, RowReader):
    """f(x) = wᵀx + b."""

    fit_intercept: bool
    coef_: Array
    intercept_: Any

    def predict(self, X: Any) -> Array:
        """f(x) for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,) or (n, t)
        """
        check_is_fitted(self)
        return self._predict(self._read(X, reset=False))

    def _predict(self, table: Table) -> Array:
        coef, intercept = self.coef_.T, self.intercept_

        def decide(block: Block) -> Array:
            with np.errstate(invalid="ignore"):  # infinity times zero is told below, in words
                values = np.asarray(block.X @ coef + intercept)
            if not np.isfinite(values).all():
                block.reject_nonfinite()
            return values

        return map_rows(table, decide)

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True
    ) -> tuple[Table, bool]:
        """The rows with their targets, and whether y is of shape (n,)."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        return self._read(X, y, sample_weight, reset=reset), np.asarray(y).ndim == 1

    def _set_line(self, coef: Array, intercept: Array, flat: bool, dtype: Any) -> None:
        """Set ``coef_`` from (d, t), ``intercept_`` from (t,); ``flat`` drops the targets' axis.

        One target's coefficients have shape (d,) for y of shape (n, 1), too, as in scikit-learn.
        Numbers that leave the range of float32 stay in float64.
        """
        dtype = dtype_of(dtype, coef, intercept)
        coef, intercept = coef.T.astype(dtype, order="C"), intercept.astype(dtype)
        self.coef_ = coef[0] if len(coef) == 1 else coef
        self.intercept_ = intercept[0] if flat else intercept

    def _set_solution(
        self, solution: Solution, means: Means, flat: bool, dtype: Any = np.float64
    ) -> None:
        """Set the coefficients and what the solver learnt; b = ȳ − wᵀx̄."""
        self.rank_, self.condition_ = solution.rank, solution.condition
        self.solver_, self.aliased_ = solution.solver, self._column_names(solution.aliased)
        intercept = np.zeros(means.n_targets)
        if self.fit_intercept:
            with blas_for(0):
                intercept = means.y_mean - means.x_mean @ solution.coef
        self._set_line(solution.coef, intercept, flat, dtype)


class ClosedForm(MultiOutputMixin, LinearModel):
    """A model solved from moments, so that rows can be added and taken out again."""

    stats_: Moments | None

    _path_parameter: ClassVar[str] = ""
    """The parameter whose values share most of the work."""

    def fit_stats(self, stats: Moments | RFactor) -> Self:
        """Fit from merged statistics instead of rows.

        Parameters
        ----------
        stats : Moments or RFactor
            Of the columns and their targets, as ``map_reduce(source, Moments.from_block)`` gives
            them; those of several parts add up with ``+``.

        Returns
        -------
        self
        """
        if not isinstance(stats, Moments | RFactor):
            raise TypeError(
                f"{type(self).__name__}.fit_stats takes Moments or an RFactor, and "
                f"{type(stats).__name__} is given: collect Moments.from_block of the rows."
            )
        if not (stats.n_targets and stats.count):
            raise ValueError(
                f"The statistics are of {stats.count} rows with {stats.n_targets} targets, and a "
                "fit needs at least one row and one target."
            )
        self.n_features_in_ = stats.n_features
        self._solve(stats, stats.n_targets == 1)
        self.stats_ = stats if isinstance(stats, Moments) else None
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows: the same model as a fit on all rows so far, at the cost of these.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,) or (n, t)
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        first = not hasattr(self, "coef_")
        table, _ = self._read_training(X, y, sample_weight, reset=first)
        added = map_reduce(table, Moments.from_block)
        return self.fit_stats(added if first else self._kept_stats("added to") + added)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows out: the same model as a fit without them, to about six digits or better.

        Parameters
        ----------
        X, y, sample_weight
            Rows that were fitted before, in any order.

        Returns
        -------
        self

        Raises
        ------
        ArithmeticError
            Where what remains is so little beside what is taken out that digits would be lost.
        """
        check_is_fitted(self)
        table, _ = self._read_training(X, y, sample_weight, reset=False)
        return self.fit_stats(
            self._kept_stats("taken from") - map_reduce(table, Moments.from_block)
        )

    def _kept_stats(self, what: str) -> Moments:
        if self.stats_ is None:
            raise ValueError(
                f"Rows cannot be {what} this {type(self).__name__}: it was fitted without keeping "
                "moments, because it has more columns than rows or too many for a d × d matrix. "
                "Fit it by partial_fit from the start, or fit it again."
            )
        return self.stats_

    def _solve(self, stats: Moments | RFactor, flat: bool) -> None:
        raise NotImplementedError

    def _fit(self, table: Table, flat: bool, known: Moments | None = None) -> Self:
        """Fit from rows, whose moments may be at hand."""
        raise NotImplementedError

    def _along(self, stats: Moments | RFactor, values: Sequence[Any], limit: float) -> Array:
        """Coefficients (m, d, t) for values of `_path_parameter`.

        Raises `ByRows` where the condition number is above ``limit``.
        """
        raise NotImplementedError

    def _fit_folds(
        self, candidates: Candidates, X: Any, y: Any, sample_weight: Any, splits: Sequence[Split]
    ) -> FoldFits:
        """Every candidate in every fold, from one pass: see `linework.candidates`."""
        table, flat = self._read_training(X, y, sample_weight)
        if table.n_columns > min(table.n_rows - 1, GRAM_COLUMNS):
            raise ByRows(
                f"There are {table.n_columns} columns for {table.n_rows} rows, and moments serve "
                f"fewer columns than rows, up to {GRAM_COLUMNS}."
            )

        def fit_all(model: Self, total: Moments) -> Self:
            return model._fit(*model._read_training(X, y, sample_weight), total)

        moments = fold_moments(table, splits)
        return lines_by_fold(
            self, candidates, table, moments, fit_all, flat, condition_limit(table)
        )
