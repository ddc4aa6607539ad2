"""`infer` for likelihood models: generalized linear models and logistic regression."""

from __future__ import annotations

import dataclasses

import numpy as np

from linework.data.blocks import Array
from linework.engine import map_reduce
from linework.inference.covariance import Covariance, Weights, count_clusters, robust_meat
from linework.inference.generalized_result import GeneralizedInference, LinkedPredictor
from linework.inference.likelihood_fit import LikelihoodFit
from linework.inference.table import CoefficientTable
from linework.inference.working import WorkingScores
from linework.likelihood.problem import Problem
from linework.stats import ColumnMoments


def infer_likelihood(
    fit: LikelihoodFit, covariance: Covariance, weights: Weights, level: float
) -> GeneralizedInference:
    """What `infer` says of a likelihood model; its parameters and Notes are there."""
    family, table, n, w = fit.loss.family, fit.table, fit.n, fit.w
    meat = meat_of(fit, covariance, weights)
    deviance = _deviance(fit)
    phi = deviance / n if family.dispersed else 1.0
    if weights == "frequency":
        loglik = float(w @ family.loglik(fit.y, fit.mu, np.ones_like(w), phi))
    else:
        loglik = float(family.loglik(fit.y, fit.mu, w, phi).sum())
    estimated = getattr(fit.model.family, "unknown", None) is not None
    parameters = fit.k + int(family.dispersed) + int(estimated)
    work = fit.work
    matrix = work.coordinates.spread(meat, work.columns, work.stats.n_features)
    return GeneralizedInference(
        table=_coefficients(fit, matrix, level),
        covariance_matrix=matrix,
        covariance=covariance,
        n_clusters=count_clusters(table) if covariance == "cluster" else None,
        n=n,
        df_residual=fit.df,
        df_null=n - int(fit.model.fit_intercept),
        deviance=deviance,
        null_deviance=float(fit.model.null_deviance_),
        pearson=fit.pearson,
        dispersion=float(fit.dispersion),
        loglik=loglik,
        aic=-2.0 * loglik + 2.0 * parameters,
        bic=-2.0 * loglik + float(np.log(n)) * parameters,
        n_iter=fit.model.n_iter_,
        loss=fit.loss,
        penalised_loglik=None if fit.kind is Problem else fit.optimum().loglik,
        _predictor=LinkedPredictor(fit.model, work.columns, work.coordinates, work.coef, meat),
    )


def meat_of(fit: LikelihoodFit, covariance: Covariance, weights: Weights) -> Array:
    """M (k, k) of the covariance chosen: that of the coefficients is T M Tᵀ (`Coordinates`)."""
    if covariance == "classic":
        return np.asarray(fit.dispersion * np.eye(fit.k))
    scores = WorkingScores(fit.table.weight, weights)
    return robust_meat(fit.work.table, fit.work.coordinates, scores, covariance, fit.n)


def _deviance(fit: LikelihoodFit) -> float:
    eta = fit.eta if fit.table.weight is None else fit.eta[fit.table.weight > 0.0]
    value = fit.loss.evaluate(fit.y[:, None], eta[:, None])[0] - fit.loss.family.saturated(fit.y)
    return 2.0 * float(fit.w @ np.maximum(value, 0.0))


def _coefficients(fit: LikelihoodFit, covariance: Array, level: float) -> CoefficientTable:
    work, one = fit.work, int(fit.model.fit_intercept)
    columns = map_reduce(dataclasses.replace(fit.table, y=None), ColumnMoments.from_block)
    importance = work.coef * np.sqrt(columns.squares[work.columns] / columns.weight)
    first = np.array([[work.intercept, np.nan, np.nan]])[:one]
    slopes = np.column_stack([work.coef, work.coordinates.inflation(), importance])
    numbers = np.full((len(fit.names), 3), np.nan)
    numbers[fit.places] = np.vstack([first, slopes])
    return CoefficientTable(
        names=fit.names,
        estimate=numbers[:, 0],
        std_error=np.sqrt(np.diag(covariance)),
        df=fit.test_df,
        level=level,
        vif=numbers[:, 1],
        standardised=numbers[:, 2],
    )
