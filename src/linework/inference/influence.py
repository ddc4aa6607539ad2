"""Influence: how much each row has to say in a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_rows
from linework.inference.checks import check_request
from linework.inference.coordinates import Coordinates
from linework.inference.covariance import FULL_LEVERAGE, Weights
from linework.inference.likelihood_fit import LikelihoodFit
from linework.inference.line import dense_tiles
from linework.inference.linear import fit_of
from linework.likelihood.glm import GLM
from linework.likelihood.logistic import LogisticRegression
from linework.regression.linear import LinearRegression


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """What each row says in a fit; arrays with one entry per row, zeros for a row of weight zero.

    Attributes
    ----------
    leverage : array of shape (n,)
        h: by how much the fit at a row follows its own y; R's ``hatvalues``. They add up to k.
    standardised : array of shape (n,)
        d / √(φ (1 − h)), with d the residual, of a likelihood model the deviance residual; R's
        ``rstandard``. About one in twenty is beyond 2.
    cooks_distance : array of shape (n,)
        r² h / (φ k (1 − h)²), with r the Pearson residual: how far the coefficients would go
        without the row, exactly for least squares; R's ``cooks.distance``.
    """

    leverage: Array
    standardised: Array
    cooks_distance: Array


def influence(
    model: LinearRegression | GLM | LogisticRegression,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    offset: Any = None,
    weights: Weights = "frequency",
) -> Influence:
    """Leverage, standardised residual and Cook's distance of each row.

    Parameters
    ----------
    model : LinearRegression, LogLinearRegression, GLM or LogisticRegression
        Fitted to one target, without a penalty; of two classes.
    X, y
        The rows that the model was fitted on.
    sample_weight, offset : array-like of shape (n,), optional
        Those the model was fitted with.
    weights : {"frequency", "precision"}, default="frequency"
        ``"frequency"``: what is said is of one of the rows that a weight counts. ``"precision"``,
        also for numbers of trials: of the row as a whole, as in R.

    Returns
    -------
    Influence

    Notes
    -----
    A likelihood model is taken as the weighted least squares of its last step, as in R: what Cook's
    distance says of it is nearly what leaving the row out would do. A row of leverage 1 is fitted
    exactly whatever its y: its residual and distance are not defined, and NaN.

    Examples
    --------
    >>> from linework import LinearRegression, influence
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [10.0]], [0.1, 0.9, 2.2, 2.8, 7.0]
    >>> rows = influence(LinearRegression().fit(X, y), X, y)
    >>> rows.leverage.round(2)
    array([0.36, 0.28, 0.22, 0.2 , 0.94])
    >>> rows.cooks_distance.round(2)  # the last row alone decides on the slope
    array([ 0.35,  0.08,  0.19,  0.11, 18.26])
    """
    check_request("classic", None, weights, 0.5)
    if isinstance(model, GLM | LogisticRegression):
        return _of_likelihood(
            LikelihoodFit.of(model, X, y, sample_weight, offset, weights), weights
        )
    if offset is not None:
        raise ValueError(
            f"An offset is given, and {type(model).__name__} has none: take it off y, or fit a GLM."
        )
    line_fit, coef, _ = fit_of(model, X, y, None, sample_weight, weights)
    if len(coef) > 1:
        raise ValueError(
            f"The model has {len(coef)} targets, and influence takes one: fit each by itself."
        )
    r, w = line_fit.residuals(line_fit.line(0, coef[0]))
    k = line_fit.coordinates.size
    variance = (w @ r**2) / np.float64(line_fit.n - k if line_fit.n > k else np.nan)
    number = w if weights == "precision" else np.ones_like(w)
    r = np.sqrt(number) * r
    return _influence(line_fit.table, line_fit.coordinates, number, r, r, variance)


def _of_likelihood(fit: LikelihoodFit, weights: Weights) -> Influence:
    eta = fit.eta if fit.table.weight is None else fit.eta[fit.table.weight > 0.0]
    value, score = fit.loss.evaluate(fit.y[:, None], eta[:, None])
    h = fit.loss.curvature(fit.y[:, None], eta[:, None])[:, 0]
    number = fit.w if weights == "precision" else np.ones_like(fit.w)
    distance = 2.0 * number * np.maximum(value - fit.loss.family.saturated(fit.y), 0.0)
    deviance = np.sign(fit.y - fit.mu) * np.sqrt(distance)
    # The Pearson residual (y − μ) / √V; where h is zero, so is y − μ.
    pearson = np.sqrt(number) * np.divide(
        score[:, 0], np.sqrt(h), out=np.zeros_like(h), where=h > 0.0
    )
    table = fit.table.columns(fit.work.columns)
    return _influence(
        table, fit.work.coordinates, number * h, deviance, pearson, np.float64(fit.dispersion)
    )


def _influence(
    table: Table,
    coordinates: Coordinates,
    factor: Array,
    residual: Array,
    pearson: Array,
    dispersion: np.float64,
) -> Influence:
    """From residuals of the rows of positive weight, and c, so that leverages are c·qᵀq."""

    def squares(block: Block) -> Array:
        tiles = (coordinates.rows(X) for _, X in dense_tiles(block))
        return np.concatenate([np.empty(0), *(np.square(Q).sum(axis=1) for Q in tiles)])

    h = factor * map_rows(table, squares)
    rest = np.where(1.0 - h < FULL_LEVERAGE, np.nan, 1.0 - h)
    with np.errstate(divide="ignore", invalid="ignore"):
        standardised = residual / np.sqrt(dispersion * rest)
        cooks = np.square(pearson / rest) * h / (dispersion * coordinates.size)

    def spread(values: Array) -> Array:
        if table.weight is None:
            return values
        full = np.zeros(table.n_rows)
        full[table.weight > 0.0] = values
        return full

    return Influence(spread(h), spread(standardised), spread(cooks))
