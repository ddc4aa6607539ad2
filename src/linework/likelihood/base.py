"""What the likelihood models share: from a table and a loss to coefficients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_scalar

from linework.candidates import ByRows, Candidates, FoldFits
from linework.data.blocks import Array
from linework.data.sources import Table
from linework.estimator import RowReader
from linework.folds import Split
from linework.likelihood.duality import duality_gap
from linework.likelihood.fold_paths import paths_by_fold
from linework.likelihood.path import Fit, Penalties
from linework.likelihood.problem import Problem
from linework.likelihood.solve import solve
from linework.losses import Loss
from linework.progress import shown
from linework.solvers.convergence import Convergence
from linework.solvers.newton import Minimum

Solver: TypeAlias = Callable[[Problem, Array, float, int], Minimum]
"""A problem, θ to begin at, the scaled gradient to reach, and iterations at most ↦ its minimum."""

TIGHTER = 1e-4
"""The gradient is brought to this share of ``tol``: near the optimum a step adds several digits."""

REACH = 64
"""Rounding errors of the scaled gradient, in units of the last place of X's type: no fit is asked
for less, which for float32 means 8e-6."""


MORE_ITERATIONS = (
    "Allow more iterations by max_iter, add a penalty, or accept it: where the gradient no longer "
    "falls, rounding errors are all that is left."
)


class LikelihoodModel(RowReader):
    """A model of coefficients that maximise a penalised likelihood."""

    fit_intercept: bool
    tol: float
    max_iter: int
    convergence_: Convergence

    _path_parameter: ClassVar[str] = ""
    """The strength of the penalty, whose values share most of the work."""

    def _fit_folds(
        self, candidates: Candidates, X: Any, y: Any, sample_weight: Any, splits: Sequence[Split]
    ) -> FoldFits:
        """Every candidate in every fold, by paths: see `linework.candidates`."""
        models = [clone(self).set_params(**candidate) for candidate in candidates]
        table = self._read_for_folds(models, X, y, sample_weight, splits)

        def fit_all(model: Any) -> Any:
            return model.fit(X, y, sample_weight)

        return paths_by_fold(self, candidates, table, splits, fit_all)

    def _read_for_folds(
        self, models: Sequence[Self], X: Any, y: Any, sample_weight: Any, splits: Sequence[Split]
    ) -> Table:
        """The rows, where paths serve these models; raises `ByRows` where they do not."""
        raise ByRows(f"{type(self).__name__} is fitted to each fold's rows.")

    def _path_problem(self, table: Table) -> tuple[Problem, Array]:
        """The problem of these rows, without a penalty, and the model without slopes."""
        raise NotImplementedError

    def _path_penalties(self, values: Sequence[Any]) -> Callable[[float], Penalties]:
        """From the weight of the rows to the penalties for values of `_path_parameter`."""
        raise NotImplementedError

    def _place(self, fit: Fit, dtype: Any) -> None:
        """Set the coefficients."""
        raise NotImplementedError

    def _check_iterations(self) -> None:
        check_scalar(self.tol, "tol", Real, min_val=0.0, include_boundaries="neither")
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)

    @shown("Likelihood")
    def _minimise(
        self,
        table: Table,
        loss: Loss,
        null: Array,
        l2: float,
        l1: float,
        start: tuple[Array, Array] | None = None,
        solver: Solver = solve,
        kind: type[Problem] = Problem,
    ) -> tuple[Array, Array, Problem]:
        """B (d, k) and b (k,) of the smallest penalised loss, and the problem they solve.

        Parameters
        ----------
        null : array of shape (k,)
            The linear predictors of the model without slopes.
        l2, l1 : float
            Penalties beside the mean loss.
        start : pair of arrays, optional
            B and b to begin with.
        solver : callable, default=solve
            The way to the minimum.
        kind : type, default=Problem
            What is minimised.
        """
        problem = kind.of(table, loss, null, self.fit_intercept, l2, l1)
        zero = np.zeros((table.n_columns, loss.n_scores)), null
        theta = problem.parameters(*(zero if start is None else start))
        found = solver(problem, theta, self._reach(table), self.max_iter)
        gap = duality_gap(problem, found.theta) if l1 else None
        self._set_convergence(found, self._reach(table), gap)
        coef, intercept = problem.coefficients(found.theta)
        return coef, intercept, problem

    def _reach(self, table: Table) -> float:
        """The scaled gradient to go on to."""
        return max(TIGHTER * self.tol, REACH * float(np.finfo(table.dtype).eps))

    def _set_convergence(self, found: Minimum, tol: float, gap: float | None = None) -> None:
        self.convergence_ = Convergence(
            "gradient",
            found.size,
            tol,
            len(found.trace) - 1,
            found.value,
            found.trace,
            found.passes,
            gap,
        )
        self.convergence_.warn(
            type(self).__name__,
            MORE_ITERATIONS,
        )
