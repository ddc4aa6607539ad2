"""A fitted likelihood model with the rows it was fitted on: what every inference begins with."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_rows
from linework.inference.checks import group_codes, positions_of
from linework.inference.covariance import Weights
from linework.inference.likelihood_checks import (
    class_numbers,
    problem_of,
    reject_other_rows,
    reject_reweighted,
)
from linework.inference.optimum import Optimum, of_columns
from linework.inference.working import Working
from linework.likelihood.beginnings import mean_loss, null_model
from linework.likelihood.glm import GLM
from linework.likelihood.logistic import LogisticRegression
from linework.likelihood.problem import Problem
from linework.likelihood.rows import present_rows
from linework.losses import LINKS, Binomial, GeneralizedLoss


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodFit:
    """A `GLM` without penalty at its rows.

    Attributes
    ----------
    model : GLM
    loss : GeneralizedLoss
    table : Table
        The rows, with class labels as 0 and 1.
    eta : array of shape (n,)
        Their linear predictors, offsets included.
    work : Working
        Their working weights and targets.
    y, w, mu : array
        Targets, weights and means of the rows of positive weight.
    n, df : float
        Rows as the weights count, and n − k.
    pearson, dispersion : float
        Σ w (y − μ)² / V(μ), and that over n − k, or 1 where φ is known.
    kind : type
        Of the problem that the fit solves.
    """

    model: GLM
    loss: GeneralizedLoss
    table: Table
    eta: Array
    work: Working
    y: Array
    w: Array
    mu: Array
    n: float
    df: float
    pearson: float
    dispersion: float
    kind: type[Problem]

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        offset: Any,
        weights: Weights,
        groups: Any = None,
    ) -> LikelihoodFit:
        """From what the user gave, or a sentence where the model is not the fit to these rows."""
        glm = as_glm(model)
        loss = glm._loss()
        table = _rows(glm, X, y, sample_weight, offset)
        if groups is not None:
            table = table.with_group(group_codes(groups, table.n_rows))
        eta = map_rows(table, glm._predictor)
        work = Working.at(table, eta, loss, glm.fit_intercept)
        targets, w = present_rows(table)
        mu = loss.link.mean(eta if table.weight is None else eta[table.weight > 0.0])
        n = float(w.sum()) if weights == "frequency" else float(len(targets))
        k = len(work.columns) + int(glm.fit_intercept)
        with np.errstate(divide="ignore", invalid="ignore"):
            pearson = float((w * (targets - mu) ** 2 / loss.family.variance(mu)).sum())
        estimated = pearson / (n - k) if n > k else np.nan
        dispersion = estimated if loss.family.dispersed else 1.0
        kind = problem_of(model)
        fit = cls(glm, loss, table, eta, work, targets, w, mu, n, n - k, pearson, dispersion, kind)
        decrement = work.decrement if kind is Problem else fit.optimum().decrement
        reject_other_rows(decrement, k * (dispersion if dispersion > 0.0 else 1.0))
        return fit

    @property
    def k(self) -> int:
        """Coefficients that are defined, with the intercept."""
        return len(self.work.columns) + int(self.model.fit_intercept)

    @property
    def test_df(self) -> float:
        """Degrees of freedom of tests: ∞ where the dispersion is known."""
        return self.df if self.loss.family.dispersed else np.inf

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all coefficients, the intercept first."""
        first = ("(Intercept)",) * int(self.model.fit_intercept)
        return first + self.model._column_names(range(self.table.n_columns))

    @property
    def places(self) -> Array:
        """Positions of the defined coefficients among all."""
        return self.work.coordinates.places(self.work.columns)

    @property
    def estimate(self) -> Array:
        """The defined coefficients, the intercept first."""
        return np.append([self.work.intercept] * int(self.model.fit_intercept), self.work.coef)

    def positions(self, which: Any) -> list[int]:
        """Positions of coefficients by their names."""
        return positions_of(which, self.names)

    def at(self, table: Table) -> Working:
        """The same linear predictors beside other columns."""
        return Working.at(table, self.eta, self.loss, self.model.fit_intercept)

    def optimum(self) -> Optimum:
        """Where the likelihood is highest."""
        work, one = self.work, int(self.model.fit_intercept)
        null, _ = null_model(self.table, self.loss)
        table = of_columns(self.table, work.columns)
        problem = self.kind.of(table, self.loss, null, bool(one), 0.0, 0.0)
        theta = problem.parameters(work.coef[:, None], np.array([work.intercept]))
        return Optimum(problem, theta, np.roll(np.arange(len(theta)), one))


def as_glm(model: Any) -> GLM:
    """The model as a `GLM` without penalty, or a sentence where it is none."""
    if not isinstance(model, GLM | LogisticRegression):
        raise TypeError(
            f"A fitted GLM or LogisticRegression is expected, and a {type(model).__name__} is "
            "given. For least squares, GLM() gives the same coefficients."
        )
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
            f"The model tells {len(model.classes_)} classes apart, and this is for two: fit one "
            "class against another, or against the rest."
        )
    reject_reweighted(model)
    glm = GLM("binomial", fit_intercept=model.fit_intercept, tol=model.tol, max_iter=model.max_iter)
    glm.coef_, glm.intercept_ = model.coef_[0], float(model.intercept_[0])
    glm.n_iter_, glm.n_features_in_ = int(model.n_iter_[0]), model.n_features_in_
    for names in ("feature_names_in_", "_names_from_pipeline"):
        if hasattr(model, names):
            setattr(glm, names, getattr(model, names))
    glm.classes_ = model.classes_
    return glm


def _rows(model: GLM, X: Any, y: Any, sample_weight: Any, offset: Any) -> Table:
    """The rows, with class labels as 0 and 1, and the deviance without slopes noted."""
    if hasattr(model, "classes_"):
        numbers = class_numbers(model.classes_, y)
        y = numbers.astype(np.float64)
    table = model._read_training(X, y, sample_weight, offset, reset=False)
    if not hasattr(model, "null_deviance_"):
        y, w = present_rows(table)
        loss = GeneralizedLoss(Binomial(), LINKS["logit"])
        null = null_model(table, loss)[0] if model.fit_intercept else np.zeros(1)
        model.null_deviance_ = 2.0 * float(w.sum()) * mean_loss(table, loss, null)
    return table
