"""Scores of linear models: from predictions by any of scikit-learn's scorers, or from moments."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring

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


def r2_from_moments(coef: Array, intercept: Array, test: Moments) -> Array:
    """R² of a linear model (d, t) on rows known by their moments, for each target: shape (t,).

    As scikit-learn has it, a target without variance counts 1 if predicted exactly, else 0, and
    fewer than two rows have no R²: NaN.
    """
    if test.count < 2:
        return np.full(test.n_targets, np.nan)
    gram, cross, squares = test.centred(True)
    bias = test.y_mean - test.x_mean @ coef - intercept
    rss = np.diag(squares) - 2.0 * (coef * cross).sum(axis=0) + (coef * (gram @ coef)).sum(axis=0)
    rss = np.maximum(rss, 0.0) + test.weight * bias**2
    total = np.diag(squares)
    share = 1.0 - rss / np.where(total > 0.0, total, 1.0)
    return np.asarray(np.where(total > 0.0, share, rss == 0.0))
