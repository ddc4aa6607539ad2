"""A classifier whose posteriors are made to mean what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.classifier import FromLogPosteriors, log_posterior
from linework.data.blocks import Array
from linework.evaluate.calibration_maps import (
    Map,
    fit_beta,
    fit_isotonic,
    fit_sigmoid,
    fit_temperature,
    log_rest,
)
from linework.evaluate.wrapper import ScoreWrapper, class_decisions

LOWEST = np.log(2.0**-52)
"""Of logarithms of posteriors: votes of trees may be zero, and mean no more than this."""

MAPS: dict[str, Callable[[Array, Array, Array], Map]] = {
    "sigmoid": fit_sigmoid,
    "isotonic": fit_isotonic,
    "beta": fit_beta,
}
METHODS = (*MAPS, "temperature")


class CalibratedClassifier(FromLogPosteriors, ScoreWrapper):
    """Any classifier with its posteriors calibrated on rows that it was not fitted to.

    Beyond scikit-learn's ``CalibratedClassifierCV`` it has beta calibration, starts from log-odds
    wherever there are posteriors, so that a calibrated model stays as it is, and is one model that
    was fitted to all rows and not an average over folds.

    Parameters
    ----------
    estimator : classifier, default=None
        With ``predict_proba`` or ``decision_function``; by default `LinearDiscriminantAnalysis`.
        One that is fitted already is given as ``sklearn.frozen.FrozenEstimator(model)``: all rows
        are then for the calibration.
    method : {"sigmoid", "beta", "isotonic", "temperature"}, default="sigmoid"
        ``"sigmoid"``: σ(a s + b) of the log-odds or the score s (Platt). ``"beta"``:
        σ(a ln p − b ln(1 − p) + c), which can bend both ends of the curve by themselves; it needs
        posteriors. ``"isotonic"``: any map that does not fall; it needs a thousand rows or more,
        and gives 0 and 1. ``"temperature"``: the softmax of all scores by one number T, which
        changes no decision; of scores without an error there is no best T, and it is 0.001. The
        first three take each class against the rest, and make the probabilities of more than two
        add up to 1.
    cv : int, splitter or float, default=5
        Folds, whose scores are by models fitted without them; or the share of the rows to hold
        out, to which the estimator is then not fitted.
    random_state : int, default=0
        Of the rows held out.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    classes_ : array of shape (K,)
    maps_ : list of callables
        From the score of a class to its log-odds: of each class, or of two classes of the
        second. Empty for a temperature.
    temperature_ : float or None
        T.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from linework import CalibratedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedClassifier(GaussianNB(), method="temperature").fit(X, y)
    >>> bool(model.temperature_ > 1.0)  # naive Bayes is too sure of itself
    True
    """

    maps_: list[Map]
    temperature_: float | None

    def __init__(
        self,
        estimator: Any = None,
        method: str = "sigmoid",
        *,
        cv: Any = 5,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the estimator, and its calibration.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        if self.method not in METHODS:
            raise ValueError(f"method is {self.method!r}, and one of {METHODS} is expected.")
        if self.method == "beta" and not hasattr(self._inner(), "predict_proba"):
            raise TypeError(
                f"{type(self._inner()).__name__} has no predict_proba, and beta calibration is of "
                "posteriors: take method='sigmoid'."
            )
        if self.cv is None:
            raise ValueError("cv is None, and rows outside the fit are needed: give folds.")
        scores, numbers, weight = self._fit_and_score(X, y, sample_weight, self.cv)
        assert scores is not None
        self.maps_, self.temperature_ = [], None
        if self.method == "temperature":
            self.temperature_ = 1.0 / fit_temperature(scores, numbers, weight)
        else:
            K = len(self.classes_)
            self.maps_ = [
                MAPS[self.method](self._of_class(scores, k), numbers == k, weight)
                for k in (range(K) if K > 2 else [1])
            ]
        return self

    def _score_rows(self, model: Any, X: Any) -> Array:
        """Logarithms of posteriors (n, K), or other scores of the classes."""
        if not hasattr(model, "predict_proba"):
            return class_decisions(model, X)
        with np.errstate(divide="ignore"):
            if hasattr(model, "predict_log_proba"):
                logs = model.predict_log_proba(X)
            else:
                logs = np.log(model.predict_proba(X))
        return np.maximum(np.asarray(logs, np.float64), LOWEST)

    def _of_class(self, scores: Array, k: int) -> Array:
        """What the map of a class goes by: its score, its log-odds, or both logarithms (n, 2)."""
        if not hasattr(self.estimator_, "predict_proba"):
            return scores[:, [k]]
        rest = log_rest(scores, k)
        if self.method == "beta":
            return np.column_stack([scores[:, k], -rest])
        return np.asarray(scores[:, [k]] - rest[:, None])

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of `predict_proba`, without underflow.

        Classes whose probabilities all come out as zero share one equally.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        check_is_fitted(self)
        scores = self._score_rows(self.estimator_, X)
        if self.temperature_ is not None:
            return log_posterior(scores / self.temperature_)
        if len(self.maps_) == 1:
            t = self.maps_[0](self._of_class(scores, 1))
            return np.asarray(-np.logaddexp(0.0, np.column_stack([t, -t])))
        each = [fitted(self._of_class(scores, k)) for k, fitted in enumerate(self.maps_)]
        logs = -np.logaddexp(0.0, -np.column_stack(each))
        logs[np.isneginf(logs).all(axis=1)] = 0.0
        return log_posterior(logs)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "maps_")
