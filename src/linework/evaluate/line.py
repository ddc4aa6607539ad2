"""The linear predictor of a fitted model, and how far each row is from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.data.numbers import as_numbers
from linework.data.sources import as_table, check_weight
from linework.engine import map_rows
from linework.likelihood.glm import GLM
from linework.likelihood.logistic import LogisticRegression
from linework.losses import FAMILIES, LINKS, GeneralizedLoss
from linework.regression.linear import LinearRegression
from linework.regression.log_linear import LogLinearRegression


@dataclass(frozen=True, slots=True, eq=False)
class LinearPredictor:
    """Rows of positive weight on the scale on which the model is linear.

    Attributes
    ----------
    rows : array of int
        Their positions.
    eta : array of shape (n,)
    residual : array of shape (n,)
        y − η of least squares, of ln y where the model is of that; else deviance residuals.
    working : array of shape (n,)
        The same, or (y − μ) / (dμ/dη).
    """

    rows: Array
    eta: Array
    residual: Array
    working: Array

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: Any, offset: Any) -> LinearPredictor:
        """Of a fitted model of one target, and its rows."""
        if not isinstance(model, LinearRegression | GLM | LogisticRegression):
            raise TypeError(
                f"{type(model).__name__} has no residuals on a linear scale: give a "
                "LinearRegression, LogLinearRegression, GLM or LogisticRegression."
            )
        table = as_table(X, caller=type(model).__name__)
        weight = check_weight(sample_weight, table.n_rows)
        coef, intercept = np.ravel(model.coef_), np.ravel(model.intercept_)
        if len(coef) != table.n_columns or len(intercept) != 1:
            raise ValueError(
                "The model has more targets or classes than one line: fit each by itself."
            )
        eta = map_rows(table, lambda block: np.asarray(block.X @ coef + intercept[0]))
        eta = eta if offset is None else eta + as_numbers(offset, "offset")
        loss: GeneralizedLoss | None = None
        if isinstance(model, LogisticRegression):
            target = (np.asarray(y) == model.classes_[1]).astype(np.float64)
            loss = GeneralizedLoss(FAMILIES["binomial"](), LINKS["logit"])
        else:
            target = as_numbers(y, "y").ravel()
        if isinstance(model, GLM):
            loss = model._loss()
        if loss is None:
            target = np.log(target) if isinstance(model, LogLinearRegression) else target
            residual = working = target - eta
        else:
            mu = loss.link.mean(eta)
            value = loss.evaluate(target[:, None], eta[:, None])[0] - loss.family.saturated(target)
            residual = np.sign(target - mu) * np.sqrt(2.0 * np.maximum(value, 0.0))
            working = (target - mu) / loss.link.slope(eta)
        rows = np.arange(table.n_rows) if weight is None else np.flatnonzero(weight)
        return cls(rows, eta[rows], residual[rows], working[rows])
