"""Ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import GRAM_COLUMNS, Table
from linework.regression.by_passes import ridge_by_passes
from linework.regression.checks import check_alphas
from linework.regression.ladder import climb, exact
from linework.regression.sides import SidesRegression
from linework.solvers.least_squares import CHOLESKY_LIMIT, Solution, nonnegative
from linework.solvers.ridge import ridge, ridge_path
from linework.stats import Moments, RFactor


class Ridge(SidesRegression):
    """Ridge regression: argmin ‖y − Xw − b‖² + α ‖w‖².

    Parameters
    ----------
    alpha : float or array of shape (t,), default=1.0
        α ≥ 0, one for all targets or one for each. It is not divided by the number of rows.
    fit_intercept : bool, default=True
        Whether b, which is never penalised, is fitted; otherwise it is 0.
    positive : bool, default=False
        Whether the coefficients are held at zero or above.

    Attributes
    ----------
    coef_, intercept_, rank_, aliased_, stats_
        As in `LinearRegression`.
    condition_ : float or None
        Condition number of the penalised problem.
    solver_ : str
        ``"cholesky"`` of XᵀX + αI while that is well-conditioned, else ``"orthogonal"`` from a
        second pass, or ``"spectral"`` where moments are all there is; ``"active set"`` for
        `positive`; ``"conjugate gradient"`` for sparse X of more than 4,096 columns.
    convergence_ : Convergence
        Of ``"conjugate gradient"`` only.

    Examples
    --------
    >>> from linework import Ridge
    >>> Ridge(alpha=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).coef_.round(6)
    array([0.666667])
    """

    _path_parameter = "alpha"
    _simpler: ClassVar = {"alpha": 1}

    def __init__(
        self, alpha: Any = 1.0, *, fit_intercept: bool = True, positive: bool = False
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
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
        return self._fit(*self._read_training(X, y, sample_weight))

    def _fit(self, table: Table, flat: bool, known: Moments | None = None) -> Self:
        alpha = check_alphas(self.alpha, table.n_targets)
        if table.sparse and table.n_columns > GRAM_COLUMNS and not self.positive:
            solution, means, self.convergence_ = ridge_by_passes(table, alpha, self.fit_intercept)
            self.convergence_.warn(type(self).__name__, "Scale the columns, or raise alpha.")
            self._set_solution(solution, means, flat, table.dtype)
            self.stats_ = None
            return self
        solution, stats, self.stats_ = climb(table, self._ridge, known)
        self._set_solution(solution, stats, flat, table.dtype)
        return self

    def _solve(self, stats: Moments | RFactor, flat: bool) -> None:
        self._set_solution(self._ridge(stats), stats, flat)

    def _along(self, stats: Moments | RFactor, values: Sequence[Any], limit: float) -> Array:
        alphas = [check_alphas(alpha, stats.n_targets) for alpha in values]
        if not self.positive and isinstance(stats, Moments):
            found = ridge_path(stats, alphas, self.fit_intercept, min(limit, CHOLESKY_LIMIT))
            if found is not None:
                return found
        solve = nonnegative if self.positive else ridge
        fit = partial(solve, stats, fit_intercept=self.fit_intercept)
        return np.stack([exact(fit(alpha=alpha), limit) for alpha in alphas])

    def _squares_penalty(self) -> float | None:
        return float(self.alpha) if isinstance(self.alpha, Real) else None

    def _ridge(self, stats: Moments | RFactor) -> Solution:
        alpha = check_alphas(self.alpha, stats.n_targets)
        solve = nonnegative if self.positive else ridge
        return solve(stats, alpha=alpha, fit_intercept=self.fit_intercept)
