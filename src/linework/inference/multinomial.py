"""`infer` for logistic regression of three and more classes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp, softmax

from linework.data.blocks import Array, Block
from linework.engine import map_reduce, map_rows
from linework.inference.class_coordinates import ClassCoordinates, ClassScores
from linework.inference.covariance import Covariance, Weights, count_clusters, robust_meat
from linework.inference.line import dense_tiles
from linework.inference.multinomial_fit import MultinomialFit
from linework.inference.multinomial_result import MultinomialInference
from linework.inference.table import CoefficientTable
from linework.likelihood.logistic import LogisticRegression
from linework.likelihood.problem import Problem
from linework.losses import SoftmaxLoss
from linework.stats import ColumnMoments


@dataclass(frozen=True, slots=True, eq=False)
class LogOdds:
    """The log odds of each class against all others, and their standard errors.

    Attributes
    ----------
    model : LogisticRegression
    order : array of int of shape (K,)
        Numbers of the classes, the reference first.
    columns : array of int
        Those that have slopes of their own.
    coordinates : ClassCoordinates
    meat : array of shape (k, k)
    """

    model: LogisticRegression
    order: Array
    columns: Array
    coordinates: ClassCoordinates
    meat: Array

    def __call__(self, X: Any, offset: Any) -> tuple[Array, Array]:
        """Log odds and errors of rows, each (n, K), in the order of the model's classes."""
        if offset is not None:
            raise ValueError("An offset is given, and LogisticRegression has none: leave it out.")
        table = self.model._read(X, reset=False)
        eta = map_rows(table, self.model._checked_scores).astype(np.float64)[:, self.order]
        back = np.argsort(self.order)
        others = np.where(np.eye(eta.shape[1], dtype=bool), -np.inf, eta[:, None, :])
        value = eta - logsumexp(others, axis=2)
        slopes = np.eye(eta.shape[1]) - softmax(others, axis=2)  # of log odds k by predictor l
        table = dataclasses.replace(
            table.columns(self.columns), y=slopes[..., 1:].reshape(len(eta), -1)
        )

        def errors(block: Block) -> Array:
            parts = []
            for rows, X in dense_tiles(block):
                F = self.coordinates.rows(X)
                G = rows.targets.reshape(len(X), -1, F.shape[1]) @ F
                parts.append(np.sqrt(np.einsum("ick,ick->ic", G @ self.meat, G)))
            return np.concatenate(parts)

        return value[:, back], map_rows(table, errors)[:, back]


def infer_multinomial(
    fit: MultinomialFit, covariance: Covariance, weights: Weights, level: float
) -> MultinomialInference:
    """What `infer` says of several classes; its parameters and Notes are there."""
    model, work, n, k = fit.model, fit.work, fit.n, fit.work.coordinates.size
    meat = class_meat(fit, covariance, weights)
    matrix = work.coordinates.spread(meat, work.columns, fit.table.n_columns)
    return MultinomialInference(
        table=_coefficients(fit, matrix, level),
        covariance_matrix=matrix,
        covariance=covariance,
        n_clusters=count_clusters(fit.table) if covariance == "cluster" else None,
        n=n,
        df_residual=fit.df,
        df_null=(n - int(model.fit_intercept)) * (len(fit.order) - 1),
        deviance=-2.0 * fit.loglik,
        null_deviance=-2.0 * fit.null_loglik,
        pearson=fit.pearson,
        dispersion=1.0,
        loglik=fit.loglik,
        aic=-2.0 * fit.loglik + 2.0 * k,
        bic=-2.0 * fit.loglik + float(np.log(n)) * k,
        n_iter=int(model.n_iter_[0]),
        loss=SoftmaxLoss(len(fit.order)),
        penalised_loglik=None if fit.kind is Problem else fit.optimum().loglik,
        _predictor=LogOdds(model, fit.order, work.columns, work.coordinates, meat),
        classes=model.classes_[fit.order],
        terms=fit.terms,
    )


def class_meat(fit: MultinomialFit, covariance: Covariance, weights: Weights) -> Array:
    """M (k, k) of the covariance chosen: the coefficients' is T M Tᵀ (`ClassCoordinates`)."""
    work = fit.work
    if covariance == "classic":
        return np.eye(work.coordinates.size)
    return robust_meat(work.table, work.coordinates, ClassScores(weights), covariance, fit.n)


def _coefficients(fit: MultinomialFit, covariance: Array, level: float) -> CoefficientTable:
    columns = map_reduce(dataclasses.replace(fit.work.table, y=None), ColumnMoments.from_block)
    one = int(fit.model.fit_intercept)
    spread = np.append(np.full(one, np.nan), np.sqrt(columns.squares / columns.weight))
    numbers = np.full((len(fit.names), 2), np.nan)
    importance = fit.estimate * np.tile(spread, len(fit.order) - 1)
    numbers[fit.places] = np.column_stack([fit.estimate, importance])
    return CoefficientTable(
        names=fit.names,
        estimate=numbers[:, 0],
        std_error=np.sqrt(np.diag(covariance)),
        df=np.inf,
        level=level,
        vif=np.full(len(numbers), np.nan),
        standardised=numbers[:, 1],
    )
