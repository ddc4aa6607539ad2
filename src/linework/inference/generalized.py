"""`infer` for likelihood models: generalized linear models and logistic regression."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_reduce, map_rows
from linework.inference.checks import group_codes
from linework.inference.covariance import Covariance, Weights, robust_meat
from linework.inference.generalized_result import GeneralizedInference, LinkedPredictor
from linework.inference.table import CoefficientTable
from linework.inference.working import Working, WorkingScores
from linework.likelihood.glm import GLM, present_rows
from linework.likelihood.logistic import LogisticRegression
from linework.losses import LINKS, Binomial, GeneralizedLoss
from linework.stats import ColumnMoments

SAME_FIT = 1e-2
"""Standard errors by which a model may differ from the fit to the rows."""


def infer_likelihood(
    model: GLM | LogisticRegression,
    X: Any,
    y: Any,
    covariance: Covariance,
    groups: Any,
    sample_weight: Any,
    offset: Any,
    weights: Weights,
    level: float,
) -> GeneralizedInference:
    """What `infer` says of a likelihood model; its parameters and Notes are there."""
    model = as_glm(model)
    loss = model._loss()
    table = rows_of(model, X, y, sample_weight, offset)
    if groups is not None:
        table = table.with_group(group_codes(groups, table.n_rows))
    eta = map_rows(table, model._predictor)
    work = Working.at(table, eta, loss, model.fit_intercept)
    y, w = present_rows(table)
    eta = eta if table.weight is None else eta[table.weight > 0.0]
    n = float(w.sum()) if weights == "frequency" else float(len(y))
    k = len(work.columns) + int(model.fit_intercept)
    family, mu = loss.family, loss.link.mean(eta)
    df = n - k
    with np.errstate(divide="ignore", invalid="ignore"):
        pearson = float((w * (y - mu) ** 2 / family.variance(mu)).sum())
    estimated = pearson / df if df > 0.0 else np.nan
    dispersion = estimated if family.dispersed else 1.0
    if work.decrement > SAME_FIT * np.sqrt(k * (dispersion if dispersion > 0.0 else 1.0)):
        raise ValueError(
            "The model is not the fit to these rows: give infer the X, y, sample_weight and offset "
            "that the model was fitted with, or fit it again on these."
        )
    if covariance == "classic":
        meat = dispersion * np.eye(k)
    else:
        scores = WorkingScores(table.weight, weights)
        meat = robust_meat(work.table, work.coordinates, scores, covariance, n)
    value = loss.evaluate(y[:, None], eta[:, None])[0] - family.saturated(y)
    deviance = 2.0 * float(w @ np.maximum(value, 0.0))
    phi = deviance / n if family.dispersed else 1.0
    if weights == "frequency":
        loglik = float(w @ family.loglik(y, mu, np.ones_like(w), phi))
    else:
        loglik = float(family.loglik(y, mu, w, phi).sum())
    parameters = k + int(family.dispersed)
    matrix = _spread(work, meat)
    return GeneralizedInference(
        table=_coefficients(model, table, work, matrix, df if family.dispersed else np.inf, level),
        covariance_matrix=matrix,
        covariance=covariance,
        n_clusters=_n_clusters(table) if covariance == "cluster" else None,
        n=n,
        df_residual=df,
        df_null=n - int(model.fit_intercept),
        deviance=deviance,
        null_deviance=float(model.null_deviance_),
        pearson=pearson,
        dispersion=float(dispersion),
        loglik=loglik,
        aic=-2.0 * loglik + 2.0 * parameters,
        bic=-2.0 * loglik + float(np.log(n)) * parameters,
        n_iter=model.n_iter_,
        loss=loss,
        _predictor=LinkedPredictor(model, work.columns, work.coordinates, work.coef, meat),
    )


def as_glm(model: GLM | LogisticRegression) -> GLM:
    """The model as a `GLM` without penalty, or a sentence where it is none."""
    check_is_fitted(model)
    if isinstance(model, GLM):
        if model.alpha:
            raise ValueError(
                f"The model has a penalty, alpha={model.alpha!r}, and standard errors do not hold "
                "for penalised coefficients: fit it with alpha=0 on the chosen columns."
            )
        return copy.copy(model)  # a later fit must not change what is said here
    if len(model.classes_) > 2:
        raise ValueError(
            f"The model tells {len(model.classes_)} classes apart, and infer takes two: fit one "
            "class against another, or against the rest."
        )
    if np.isfinite(model.C) or model.class_weight is not None:
        raise ValueError(
            f"The model has C={model.C!r} and class_weight={model.class_weight!r}, and standard "
            "errors do not hold for penalised or reweighted fits: fit "
            "LogisticRegression(C=np.inf), without class_weight, on the chosen columns."
        )
    glm = GLM("binomial", fit_intercept=model.fit_intercept)
    glm.coef_, glm.intercept_ = model.coef_[0], float(model.intercept_[0])
    glm.n_iter_, glm.n_features_in_ = int(model.n_iter_[0]), model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        glm.feature_names_in_ = model.feature_names_in_
    glm.classes_ = model.classes_
    return glm


def rows_of(model: GLM, X: Any, y: Any, sample_weight: Any, offset: Any) -> Table:
    """The rows, with class labels as 0 and 1, and the deviance without slopes noted."""
    if hasattr(model, "classes_"):
        numbers = np.searchsorted(model.classes_, y)
        if not np.array_equal(model.classes_[np.minimum(numbers, 1)], np.asarray(y)):
            raise ValueError(
                f"y holds labels other than {model.classes_.tolist()}: give infer the y that the "
                "model was fitted with."
            )
        y = numbers.astype(np.float64)
    table = model._read_training(X, y, sample_weight, offset, reset=False)
    if not hasattr(model, "null_deviance_"):
        y, w = present_rows(table)
        loss = GeneralizedLoss(Binomial(), LINKS["logit"])
        null = model._null(table, loss, y, w)[0] if model.fit_intercept else np.zeros(1)
        model.null_deviance_ = 2.0 * float(w.sum()) * model._mean_loss(table, loss, null)
    return table


def _spread(work: Working, meat: Array) -> Array:
    """T M Tᵀ, with NaN for the coefficients that are not defined."""
    T = work.coordinates.to_coef()
    covariance = T @ meat @ T.T
    places = _places(work)
    k = work.stats.n_features + work.coordinates.intercept
    full = np.full((k, k), np.nan)
    full[np.ix_(places, places)] = 0.5 * (covariance + covariance.T)
    return full


def _places(work: Working) -> Array:
    if not work.coordinates.intercept:
        return work.columns
    return np.concatenate([[0], work.columns + 1])


def _coefficients(
    model: GLM, table: Table, work: Working, covariance: Array, df: float, level: float
) -> CoefficientTable:
    one, d = int(work.coordinates.intercept), work.stats.n_features
    columns = map_reduce(dataclasses.replace(table, y=None), ColumnMoments.from_block)
    importance = work.coef * np.sqrt(columns.squares[work.columns] / columns.weight)
    first = np.array([[work.intercept, np.nan, np.nan]])[:one]
    slopes = np.column_stack([work.coef, work.coordinates.inflation(), importance])
    numbers = np.full((d + one, 3), np.nan)
    numbers[_places(work)] = np.vstack([first, slopes])
    return CoefficientTable(
        names=("(Intercept)",) * one + model._column_names(range(d)),
        estimate=numbers[:, 0],
        std_error=np.sqrt(np.diag(covariance)),
        df=float(df),
        level=level,
        vif=numbers[:, 1],
        standardised=numbers[:, 2],
    )


def _n_clusters(table: Table) -> int:
    assert table.group is not None
    present = table.group if table.weight is None else table.group[table.weight > 0.0]
    return len(np.unique(present))
