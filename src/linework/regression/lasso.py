"""Lasso and elastic net for a given penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from linework.data.blocks import Array
from linework.data.sources import GRAM_COLUMNS, Table
from linework.engine import map_reduce
from linework.regression.base import Means
from linework.regression.checks import check_grid, check_penalty, tighter
from linework.regression.ladder import climb, exact
from linework.regression.penalised import PassProblem, PenalisedProblem, StatsProblem
from linework.regression.sides import SidesRegression
from linework.solvers.convergence import Convergence
from linework.solvers.coordinate import Penalty
from linework.solvers.least_squares import Solution, nonnegative
from linework.solvers.ridge import ridge
from linework.stats import Moments, RFactor

ADVICE = "Raise max_iter or tol, or take a larger penalty."


class ElasticNet(SidesRegression):
    """Elastic net.

    Minimises, with W the sum of the weights (n without)::

        1 / (2 W) ‖y − Xw − b‖² + alpha · l1_ratio · ‖w‖₁ + ½ · alpha · (1 − l1_ratio) · ‖w‖²

    Parameters
    ----------
    alpha : float, default=1.0
    l1_ratio : float, default=0.5
        Share of the penalty that is the 1-norm: 1 is the lasso, 0 ridge regression.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Sweeps over the coordinates, at most.
    tol : float, default=1e-4
        The duality gap to reach, as a share of ‖y − ȳ‖² / W.
    positive : bool, default=False
        Whether the coefficients are held at zero or above.

    Attributes
    ----------
    coef_ : array of shape (d,) or (t, d)
    intercept_ : float or array of shape (t,)
    dual_gap_ : float or array of shape (t,)
        No solution's objective is smaller by more than this.
    n_iter_ : int or list of int
        Sweeps.
    convergence_ : Convergence
        Of the target that was slowest.
    solver_ : str
        ``"coordinate descent"`` on the Gram matrix, or ``"working set"`` for more than 4,096
        columns; without 1-norm penalty, the closed form's (see `Ridge`).
    rank_, condition_, aliased_
        As in `Ridge` without 1-norm penalty; otherwise None, None and ().
    stats_ : Moments or None
        What `partial_fit` and `forget` go on from.

    Examples
    --------
    >>> from linework import ElasticNet
    >>> X = [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]]
    >>> ElasticNet(alpha=0.1, l1_ratio=0.9).fit(X, [1.0, 2.0, 3.0, 4.0]).coef_.round(3)
    array([0.921, 0.   ])
    """

    _path_parameter = "alpha"
    _simpler: ClassVar = {"alpha": 1, "l1_ratio": 1}

    dual_gap_: Any
    n_iter_: Any

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        positive: bool = False,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.positive = positive

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,) or (n, t)
        sample_weight : array-like of shape (n,), optional
            Zero removes a row, two counts it twice.

        Returns
        -------
        self
        """
        self._penalty()
        return self._fit(*self._read_training(X, y, sample_weight))

    def _fit(self, table: Table, flat: bool, known: Moments | None = None) -> Self:
        penalty = self._penalty()
        if not penalty.l1.any():
            solution, stats, self.stats_ = climb(table, self._closed_form, known)
            self._set_closed(solution, stats, flat, table.dtype)
        elif table.n_columns > GRAM_COLUMNS:
            self.stats_ = None
            problems = [
                PassProblem.of(table, k, self.fit_intercept) for k in range(table.n_targets)
            ]
            self._descend(problems, penalty, problems[0].columns, flat, table.dtype)
        else:
            self.stats_ = map_reduce(table, Moments.from_block) if known is None else known
            self._solve(self.stats_, flat, table.dtype)
        return self

    def _solve(self, stats: Moments | RFactor, flat: bool, dtype: Any = np.float64) -> None:
        penalty = self._penalty()
        if not penalty.l1.any():
            self._set_closed(self._closed_form(stats), stats, flat, dtype)
            return
        problems = [StatsProblem.of(stats, k, self.fit_intercept) for k in range(stats.n_targets)]
        self._descend(problems, penalty, stats, flat, dtype)

    def _along(self, stats: Moments | RFactor, values: Sequence[Any], limit: float) -> Array:
        order = np.argsort(values, kind="stable")[::-1]
        penalty = replace(self._penalty(), alphas=check_grid(values)[order])
        if not penalty.l1.all():
            models = [clone(self).set_params(alpha=alpha) for alpha in values]
            return np.stack([exact(model._closed_form(stats), limit) for model in models])
        problems = [StatsProblem.of(stats, k, self.fit_intercept) for k in range(stats.n_targets)]
        coefs = np.empty((len(values), stats.n_features, stats.n_targets))
        for k, problem in enumerate(problems):
            path = problem.path(penalty)
            coefs[order, :, k] = path.coefs
            worst = int(path.gaps.argmax())
            Convergence(
                "duality gap",
                float(path.gaps[worst] / stats.weight),
                self.tol * problem.yy / stats.weight,
                int(path.n_iter[worst]),
                np.nan,  # of no use in a warning
            ).warn(type(self).__name__, ADVICE)
        return coefs

    def _penalty(self) -> Penalty:
        penalty = check_penalty(self.alpha, self.l1_ratio, self.positive, self.tol, self.max_iter)
        return replace(penalty, tol=tighter(penalty.tol))

    def _closed_form(self, stats: Moments | RFactor) -> Solution:
        solve = nonnegative if self.positive else ridge
        alpha = np.array([stats.weight * self.alpha])
        return solve(stats, alpha=alpha, fit_intercept=self.fit_intercept)

    def _set_closed(self, solution: Solution, stats: Means, flat: bool, dtype: Any) -> None:
        self._set_solution(solution, stats, flat, dtype)
        zeros = np.zeros(stats.n_targets)
        self.dual_gap_, self.n_iter_ = (0.0, 1) if flat else (zeros, [1] * len(zeros))

    def _descend(
        self,
        problems: Sequence[PenalisedProblem],
        penalty: Penalty,
        means: Means,
        flat: bool,
        dtype: Any,
        caller: str = "",
    ) -> None:
        """Solve target by target and set the attributes, those of the penalty's last α."""
        paths = [problem.path(penalty) for problem in problems]
        coef = np.stack([path.coefs[-1] for path in paths], axis=1)
        gaps = np.array([path.gaps[-1] for path in paths]) / means.weight
        n_iter = [int(path.n_iter[-1]) for path in paths]
        last = replace(penalty, alphas=penalty.alphas[-1:])
        bounds = [self.tol * problem.yy / means.weight for problem in problems]
        slowest = int(np.argmax(gaps - bounds))
        self.convergence_ = Convergence(
            "duality gap",
            float(gaps[slowest]),
            bounds[slowest],
            n_iter[slowest],
            problems[slowest].objective(coef[:, slowest], last) / means.weight,
        )
        self.convergence_.warn(caller or type(self).__name__, ADVICE)
        self._set_solution(Solution(coef, None, None, problems[0].solver), means, flat, dtype)
        self.dual_gap_, self.n_iter_ = (gaps[0], n_iter[0]) if flat else (gaps, n_iter)


class Lasso(ElasticNet):
    """Lasso: linear regression with a 1-norm penalty, which sets coefficients to zero.

    Minimises, with W the sum of the weights (n without)::

        1 / (2 W) ‖y − Xw − b‖² + alpha ‖w‖₁

    Parameters
    ----------
    alpha : float, default=1.0
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Sweeps over the coordinates, at most.
    tol : float, default=1e-4
        The duality gap to reach, as a share of ‖y − ȳ‖² / W.
    positive : bool, default=False
        Whether the coefficients are held at zero or above.

    Attributes
    ----------
    coef_, intercept_, dual_gap_, n_iter_, convergence_, solver_, stats_
        As in `ElasticNet`.
    rank_, condition_, aliased_
        As in `ElasticNet`: None, None and () unless alpha is 0.

    Examples
    --------
    >>> from linework import Lasso
    >>> Lasso(alpha=0.1).fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2]).coef_
    array([0.85, 0.  ])
    """

    l1_ratio = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        positive: bool = False,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.positive = positive
