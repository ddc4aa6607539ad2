"""Ordinary least squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import GRAM_COLUMNS, Table
from linework.regression.by_passes import ridge_by_passes
from linework.regression.ladder import climb, exact, is_exact
from linework.regression.refine import refine
from linework.regression.sides import SidesRegression
from linework.solvers.least_squares import Solution, least_squares, nonnegative
from linework.stats import Moments, RFactor

SMALL = 1 << 12
"""Numbers in a table that is refined in any case: it costs a fraction of a millisecond."""


class LinearRegression(SidesRegression):
    """Ordinary least squares: argmin ‖y − Xw − b‖².

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether b is fitted; otherwise it is 0.
    positive : bool, default=False
        Whether the coefficients are held at zero or above.

    Attributes
    ----------
    coef_ : array of shape (d,) or (t, d)
        w; of minimum norm where the columns are not independent.
    intercept_ : float or array of shape (t,)
        b.
    rank_ : int or None
        Independent columns; None where the solver does not tell (``"conjugate gradient"``).
    condition_ : float or None
        Condition number of the centred columns, each scaled to unit length.
    aliased_ : tuple of str
        Names of the columns that the columns before them explain, as R's ``lm`` shows by NA.
    solver_ : str
        The rung of the ladder that gave the answer. ``"cholesky"`` of the Gram matrix up to a
        condition of 1,000, where at least ten digits are right; beyond it, or with fewer rows than
        columns, ``"orthogonal"``: a second pass for a triangular factor, its singular values, and
        refinement with residuals in twofold precision, which small tables get in any case.
        ``"spectral"`` where moments are all there is (`fit_stats`, `partial_fit`), ``"active set"``
        for `positive`, and ``"conjugate gradient"`` for sparse X of more than 4,096 columns.
    convergence_ : Convergence
        Of ``"conjugate gradient"`` only.
    stats_ : Moments
        What `partial_fit` and `forget` go on from.

    See Also
    --------
    linework.infer : Standard errors, tests and intervals.

    Examples
    --------
    >>> from linework import LinearRegression
    >>> model = LinearRegression().fit([[1, 1], [1, 2], [2, 2], [2, 3]], [6, 8, 9, 11])
    >>> model.coef_.round(12), round(float(model.intercept_), 12)
    (array([1., 2.]), 3.0)
    >>> model.predict([[3, 5]]).round(12)
    array([16.])
    """

    def __init__(self, *, fit_intercept: bool = True, positive: bool = False) -> None:
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
        if table.sparse and table.n_columns > GRAM_COLUMNS and not self.positive:
            return self._fit_by_passes(table, flat)
        solution, stats, self.stats_ = climb(table, self._least_squares, known)
        self._set_solution(solution, stats, flat, table.dtype)
        costly = table.n_rows * table.n_columns > SMALL
        if solution.solve is None or table.sparse or (costly and is_exact(solution, table)):
            return self
        self._set_line(*refine(table, solution, stats, self.fit_intercept), flat, table.dtype)
        return self

    def _fit_by_passes(self, table: Table, flat: bool) -> Self:
        self.stats_ = None
        solution, means, self.convergence_ = ridge_by_passes(table, np.zeros(1), self.fit_intercept)
        self.convergence_.warn(
            type(self).__name__,
            "Scale the columns to similar sizes, or use Ridge with a small alpha.",
        )
        self._set_solution(solution, means, flat, table.dtype)
        return self

    def _solve(self, stats: Moments | RFactor, flat: bool) -> None:
        self._set_solution(self._least_squares(stats), stats, flat)

    def _set_line(self, coef: Array, intercept: Array, flat: bool, dtype: Any) -> None:
        super()._set_line(coef, intercept, flat, dtype)
        if not flat:
            self.coef_ = np.atleast_2d(self.coef_)

    def _along(self, stats: Moments | RFactor, values: Sequence[Any], limit: float) -> Array:
        return np.repeat(exact(self._least_squares(stats), limit)[None], len(values), axis=0)

    def _squares_penalty(self) -> float | None:
        return 0.0

    def _least_squares(self, stats: Moments | RFactor) -> Solution:
        solve = nonnegative if self.positive else least_squares
        return solve(stats, self.fit_intercept)
