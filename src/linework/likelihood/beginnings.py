"""Where a generalized linear model begins: without slopes, and inside the domain of its link."""

from __future__ import annotations

import dataclasses

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.likelihood.problem import Problem
from linework.likelihood.rows import chosen, present_rows
from linework.losses import GeneralizedLoss
from linework.solvers.least_squares import least_squares
from linework.solvers.newton import minimise
from linework.stats import Moments

TOLERANCE = 1e-10
"""The scaled gradient at the best intercept beside offsets."""


def null_model(table: Table, loss: GeneralizedLoss) -> tuple[Array, float]:
    """The linear predictor (1,) of the model of an intercept alone, and its mean loss."""
    y, weight = present_rows(table)
    family, link, total = loss.family, loss.link, float(weight.sum())
    mean = float(weight @ y) / total
    at_bound = mean in (family.lowest, family.highest)  # the best intercept is infinite
    if at_bound:
        mean = (total * mean + 0.5) / (total + 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        eta = np.atleast_1d(link.link(np.array(mean))).astype(np.float64)
    if not np.isfinite(eta).all():
        raise ValueError(
            f"The mean of y is {mean:g}, and no linear predictor gives that with the "
            f"{link.name} link: choose one whose means it is among, such as link='identity'."
        )
    if table.offset is not None:
        bare = table.columns(np.zeros(0, np.intp))
        inside = _inside(loss, y, eta, table.offset[chosen(table), 0], weight)
        problem = Problem.of(bare, loss, inside, True, 0.0, 0.0)
        eta = minimise(problem, inside, TOLERANCE, 100).theta
    if at_bound:
        return eta, float(weight @ family.saturated(y)) / total
    return eta, mean_loss(table, loss, eta)


def mean_loss(table: Table, loss: GeneralizedLoss, eta: Array) -> float:
    """The mean loss of the linear predictors eta + offset."""
    y, weight = present_rows(table)
    offset = np.zeros((table.n_rows, 1)) if table.offset is None else table.offset
    values, _ = loss.evaluate(y[:, None], eta + offset[chosen(table)])
    return float(weight @ values / weight.sum())


def first_slopes(table: Table, loss: GeneralizedLoss) -> tuple[Array, Array] | None:
    """Slopes (d, 1) and no intercept to begin with, where zeros are outside the link's domain.

    That is so for links of positive means: least squares for g of y, moved to the mean, leads
    inside where anything does.
    """
    zero = np.zeros((table.n_rows, 1)) if table.offset is None else table.offset
    y, weight = present_rows(table)
    if np.isfinite(loss.evaluate(y[:, None], zero[chosen(table)])[0]).all():
        return None
    assert table.y is not None
    target = loss.link.link((table.y + float(weight @ y) / weight.sum()) / 2.0)
    working = dataclasses.replace(table, y=target - zero)
    coef = least_squares(map_reduce(working, Moments.from_block), fit_intercept=False).coef
    return coef, np.zeros(1)


def _inside(loss: GeneralizedLoss, y: Array, eta: Array, offset: Array, weight: Array) -> Array:
    """An intercept (1,) that brings η + offset near ``eta`` and into the link's domain.

    Domains end below, above or on both sides: the largest and the least that any row would have
    keep all rows on one side.
    """
    wanted = eta - offset
    choices = np.average(wanted, weights=weight), wanted.max(), wanted.min()
    for intercept in choices:
        if np.isfinite(loss.evaluate(y[:, None], (intercept + offset)[:, None])[0]).all():
            return np.array([intercept])
    return np.array(choices[:1])
