"""`infer` for least-squares models."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.inference.checks import check_fit, check_model, group_codes
from linework.inference.coordinates import Coordinates
from linework.inference.covariance import Covariance, Weights
from linework.inference.fit import Fit
from linework.regression.ladder import climb
from linework.regression.linear import SMALL, LinearRegression
from linework.solvers.least_squares import least_squares
from linework.stats import Moments, RFactor


def infer_least_squares(
    model: LinearRegression,
    X: Any,
    y: Any,
    covariance: Covariance,
    groups: Any,
    sample_weight: Any,
    weights: Weights,
    level: float,
) -> Any:
    """What `infer` says of a least-squares model; its parameters and Notes are there."""
    check_model(model)
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
