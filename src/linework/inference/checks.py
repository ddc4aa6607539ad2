"""What `infer` refuses, in sentences."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.inference.covariance import Covariance, Weights
from linework.inference.tails import check_level
from linework.regression.linear import LinearRegression
from linework.solvers.least_squares import Solution
from linework.stats import Moments, RFactor

SAME_FIT = 1e-4
"""Share of y's spread by which a model may differ from the least-squares fit to the rows."""


def check_model(model: Any) -> None:
    """Raise a sentence where the model is no fitted least-squares model."""
    if not isinstance(model, LinearRegression):
        raise TypeError(
            "infer takes a fitted LinearRegression, LogLinearRegression, GLM or "
            f"LogisticRegression, and a {type(model).__name__} is given. Classical standard errors "
            "do not hold for penalised coefficients: fit LinearRegression on the chosen columns. "
            "Of a Pipeline, give the last step, and X as it reaches that."
        )
    if model.positive:
        raise ValueError(
            "Classical standard errors do not hold for coefficients held at zero or above: fit "
            "LinearRegression with positive=False on the columns whose coefficients are not zero."
        )
    check_is_fitted(model)


def check_request(covariance: str, groups: Any, weights: str, level: float) -> None:
    """Raise a sentence where what is asked for does not exist or does not go together."""
    for name, value, choices in (
        ("covariance", covariance, get_args(Covariance)),
        ("weights", weights, get_args(Weights)),
    ):
        if value not in choices:
            raise ValueError(f"{name} is {value!r}, and one of {', '.join(choices)} is expected.")
    if covariance == "cluster" and groups is None:
        raise ValueError(
            'covariance="cluster" needs to know the cluster of each row: give groups, one number '
            "or text per row."
        )
    if covariance != "cluster" and groups is not None:
        raise ValueError(
            f"groups are given, and covariance={covariance!r} makes no use of them: set "
            'covariance="cluster", or leave groups out.'
        )
    check_level(level)


def group_codes(groups: Any, n_rows: int) -> Array:
    """A number for each row's group."""
    groups = np.asarray(groups)
    if groups.shape != (n_rows,):
        raise ValueError(
            f"groups has shape {groups.shape}, and ({n_rows},) is expected: give the cluster of "
            "each row of X."
        )
    missing = [i for i, group in enumerate(groups) if group is None or group != group]
    if missing:
        raise ValueError(
            f"groups has no value in row {missing[0]}: give such rows a cluster, or leave them out."
        )
    try:
        codes: Array = np.unique(groups, return_inverse=True)[1]
    except TypeError as error:
        raise TypeError(
            f"groups holds values that cannot be sorted ({error}): give only numbers or only texts."
        ) from None
    return codes


def check_fit(model: LinearRegression, solution: Solution, stats: Moments | RFactor) -> None:
    """Raise a sentence where the model is not the least-squares fit to these rows.

    It is where its values differ from those of the fit by next to nothing: √Σ w (xᵀδ)² is small
    beside √Σ w (y − ȳ)², δ being the difference of the coefficients.
    """
    coef = np.atleast_2d(model.coef_).T.astype(np.float64)
    if coef.shape != solution.coef.shape:
        raise ValueError(
            f"y has {stats.n_targets} target(s), and the model was fitted on {coef.shape[1]}: give "
            "the y it was fitted on."
        )
    delta = coef - solution.coef
    if isinstance(stats, RFactor):
        squares = np.square(stats.split(model.fit_intercept)[0] @ delta).sum(axis=0)
    else:
        squares = (delta * (stats.centred(model.fit_intercept)[0] @ delta)).sum(axis=0)
    level = np.zeros(1)
    if model.fit_intercept:
        level = np.abs(model.intercept_ + stats.x_mean @ coef - stats.y_mean)
    distance = np.sqrt(np.maximum(squares, 0.0)) + np.sqrt(stats.weight) * level
    rounding = 1e3 * float(np.finfo(model.coef_.dtype).eps) * np.sqrt(stats.weight)
    size = np.abs(stats.x_mean) @ np.abs(coef) + np.abs(stats.y_mean)
    spread = np.sqrt(np.diag(stats.centred(model.fit_intercept)[2]))
    if (distance > SAME_FIT * spread + rounding * size).any():
        raise ValueError(
            "The model is not the least-squares fit to these rows: give infer the X, y and "
            "sample_weight that the model was fitted with, or fit it again on these."
        )
