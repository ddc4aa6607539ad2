"""Scores of linear models: from predictions by any of scikit-learn's scorers, or from moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import (
    check_scoring,
    explained_variance_score,
    mean_squared_error,
    r2_score,
    root_mean_squared_error,
)

from linework.data.blocks import Array
from linework.stats import Moments


class _Predicted(BaseEstimator):
    """Stands for an estimator whose predictions are known: a scorer asks it to predict them."""

    def fit(self, X: Array, y: Array) -> Self:
        return self

    def predict(self, predictions: Array) -> Array:
        return predictions


def score_predictions(
    scoring: Any, y: Array, predictions: Array, weight: Array | None, per_target: bool
) -> Array:
    """The scorer's word on several models' predictions.

    Parameters
    ----------
    scoring : str or callable
    y : array of shape (n, t)
    predictions : array of shape (n, models, t)
    weight : array of shape (n,) or None
    per_target : bool
        Whether each target is scored by itself.

    Returns
    -------
    array of shape (models, t) or (models, 1)
    """
    scorer = check_scoring(_Predicted(), scoring=scoring)
    params = {} if weight is None else {"sample_weight": weight}
    t = y.shape[1]
    parts: list[Any] = list(range(t)) if per_target or t == 1 else [slice(None)]
    return np.array(
        [
            [scorer(_Predicted(), predictions[:, m, part], y[:, part], **params) for part in parts]
            for m in range(predictions.shape[1])
        ]
    )


@dataclass(frozen=True, slots=True, eq=False)
class MomentErrors:
    """Errors of m linear models on rows known by their moments.

    Attributes
    ----------
    squares : array of shape (m, t)
        Σ w (e − ē)², e = y − f(x).
    bias : array of shape (m, t)
        ē.
    total : array of shape (t,)
        Σ w (y − ȳ)².
    weight : float
    count : int
    """

    squares: Array
    bias: Array
    total: Array
    weight: float
    count: int

    @classmethod
    def of(cls, coef: Array, intercept: Array, rows: Moments) -> Self:
        """Of coefficients (m, d, t) and intercepts (m, t)."""
        gram, cross, squares = rows.centred(True)
        total = np.diag(squares)
        explained = (coef * (2.0 * cross - gram @ coef)).sum(axis=1)
        bias = rows.y_mean - rows.x_mean @ coef - intercept
        return cls(np.maximum(total - explained, 0.0), bias, total, rows.weight, rows.count)

    @property
    def mean_squares(self) -> Array:
        """Mean squared errors, shape (m, t)."""
        return np.asarray(self.squares / self.weight + self.bias**2)

    def share(self, squares: Array) -> Array:
        """1 − squares / Σ w (y − ȳ)², shape (m, t).

        As scikit-learn has it, a target without variance counts 1 if predicted exactly, else 0.
        """
        varies = self.total > 0.0
        share = 1.0 - squares / np.where(varies, self.total, 1.0)
        return np.asarray(np.where(varies, share, squares == 0.0))

    @property
    def r2(self) -> Array:
        """R² of shape (m, t); fewer than two rows have none: NaN."""
        if self.count < 2:
            return np.full_like(self.squares, np.nan)
        return self.share(self.weight * self.mean_squares)


METRICS: dict[Callable[..., Any], Callable[[MomentErrors], Array]] = {
    r2_score: lambda errors: errors.r2,
    explained_variance_score: lambda errors: errors.share(errors.squares),
    mean_squared_error: lambda errors: errors.mean_squares,
    root_mean_squared_error: lambda errors: np.sqrt(errors.mean_squares),
}
"""scikit-learn's metrics that moments determine, target by target."""
