"""`infer`: how sure a fitted least-squares model can be of its coefficients."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.inference.checks import check_fit, check_model, check_request, group_codes
from linework.inference.coordinates import Coordinates
from linework.inference.covariance import Covariance, Weights
from linework.inference.fit import Fit
from linework.regression.ladder import climb
from linework.regression.linear import SMALL, LinearRegression
from linework.solvers.least_squares import least_squares
from linework.stats import Moments, RFactor


def infer(
    model: LinearRegression,
    X: Any,
    y: Any,
    *,
    covariance: Covariance = "classic",
    groups: Any = None,
    sample_weight: Any = None,
    weights: Weights = "frequency",
    level: float = 0.95,
) -> Any:
    """Standard errors, tests and intervals of a fitted least-squares model: R's ``summary(lm())``.

    Two passes over the rows, and one more for a robust covariance; no row is kept.

    Parameters
    ----------
    model : LinearRegression or LogLinearRegression
        Fitted, without ``positive=True``. For `LogLinearRegression` everything is about ln y.
    X : array-like, sparse matrix or data frame of shape (n, d)
        The rows that the model was fitted on.
    y : array-like of shape (n,) or (n, t)
    covariance : {"classic", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="classic"
        ``"classic"`` is σ²(XᵀX)⁻¹, for errors of one variance. The others are sandwiches
        (XᵀX)⁻¹ M (XᵀX)⁻¹. With residuals r, leverages h and k coefficients, M = Σ r² x xᵀ for
        ``"HC0"``; times n / (n − k) for ``"HC1"``; with r² / (1 − h) for ``"HC2"`` and
        r² / (1 − h)² for ``"HC3"``, the careful choice for few rows. ``"cluster"`` lets errors
        depend on one another within each of G groups: M = Σ_g s_g s_gᵀ with s_g = Σ_{i in g} r x,
        times G / (G − 1) · (n − 1) / (n − k).
    groups : array-like of shape (n,), optional
        The cluster of each row, numbers or texts; for ``"cluster"`` only.
    sample_weight : array-like of shape (n,), optional
        The weights that the model was fitted with. Zero removes a row.
    weights : {"frequency", "precision"}, default="frequency"
        What the weights mean. ``"frequency"``: a row of weight 2 is two rows, and n = Σ w.
        ``"precision"``: a row of weight 2 has half the error variance, and n counts the rows, as in
        R's ``lm(weights=)``.
    level : float, default=0.95
        Of the confidence intervals.

    Returns
    -------
    Inference, or a tuple of one for each target where y is of shape (n, t) with t > 1

    Notes
    -----
    With k coefficients, σ² = RSS / (n − k), and tests are t tests on n − k degrees of freedom for
    every covariance. The F statistic is a Wald test of all slopes by the covariance chosen, R's own
    for ``"classic"``. A column that the columns before it explain has NaN in its row, and the
    others are as if it were left out. Without degrees of freedom standard errors are NaN.

    Examples
    --------
    >>> from linework import LinearRegression, infer
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> y = [1.1, 2.9, 5.2, 6.8, 9.1, 11.2, 12.8, 15.1]
    >>> model = LinearRegression().fit(X, y)
    >>> infer(model, X, y).confint().round(3)
    array([[0.749, 1.318],
           [1.93 , 2.066]])
    >>> infer(model, X, y, covariance="HC3").confint().round(3)
    array([[0.768, 1.298],
           [1.929, 2.067]])
    """
    check_model(model)
    check_request(covariance, groups, weights, level)
    model = copy.copy(model)  # a later fit must not change what is said here
    table, _ = model._read_training(X, y, sample_weight, reset=False)
    if groups is not None:
        table = table.with_group(group_codes(groups, table.n_rows))
    stats, aliased = _collect(table, model)
    columns = np.setdiff1d(np.arange(table.n_columns), aliased)
    if aliased:
        table = table.columns(columns)
        coef, intercept = _fit_columns(table, stats, model.fit_intercept)
    else:
        coef, intercept = np.atleast_2d(model.coef_), model.intercept_
    coordinates = Coordinates.of(stats, columns, model.fit_intercept)
    fit = Fit(model, table, stats, columns, coordinates, weights)
    intercepts = np.broadcast_to(intercept, table.n_targets)
    results = tuple(
        fit.infer(t, coef[t].astype(np.float64), float(intercepts[t]), covariance, level)
        for t in range(table.n_targets)
    )
    return results if len(results) > 1 else results[0]


def _collect(table: Table, model: LinearRegression) -> tuple[Moments | RFactor, tuple[int, ...]]:
    """The statistic of the rows, and the columns that those before them explain.

    A triangular factor where it costs little, else what the ladder of the fits comes to.
    """
    solve = partial(least_squares, fit_intercept=model.fit_intercept)
    if table.n_rows * table.n_columns <= SMALL:
        stats: Moments | RFactor = map_reduce(table, RFactor.from_block)
        solution = solve(stats)
    else:
        solution, stats, _ = climb(table, solve)
    check_fit(model, solution, stats)
    return stats, solution.aliased


def _fit_columns(
    table: Table, stats: Moments | RFactor, fit_intercept: bool
) -> tuple[Array, Array]:
    """Slopes (t, d) and intercepts of independent columns, of which there may be none."""
    if table.n_columns == 0:
        return np.empty((table.n_targets, 0)), stats.y_mean * fit_intercept
    model = LinearRegression(fit_intercept=fit_intercept)._fit(table, flat=False)
    return model.coef_, model.intercept_
