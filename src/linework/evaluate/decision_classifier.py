"""A classifier whose posteriors are turned into decisions by a rule."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.evaluate.rules import Decision, DecisionRule, LeastCost, Rule
from linework.evaluate.wrapper import ScoreWrapper


def _inner_has(name: str) -> Any:
    def check(self: DecisionClassifier) -> bool:
        getattr(getattr(self, "estimator_", None) or self._inner(), name)
        return True

    return check


class DecisionClassifier(ScoreWrapper):
    """Any classifier with a rule for its decisions.

    Parameters
    ----------
    estimator : classifier, default=None
        linework's or scikit-learn's; by default `LinearDiscriminantAnalysis`. One that is fitted
        already is given as ``sklearn.frozen.FrozenEstimator(model)``: all rows are then for the
        rule.
    rule : DecisionRule, NeymanPearsonRule or TunedThresholds, default=None
        By default the class of highest posterior.
    cv : int, splitter, float or None, default=None
        Which rows the rule learns from, where it needs other rows than the fit. Folds: their scores
        are by models fitted without them, and the estimator is fitted to all rows. A share between
        0 and 1: these rows are held out, and the estimator is fitted to the others, as the
        confidence of a Neyman–Pearson rule asks. None is as the rule needs it.
    reject_label : default=-1
        What is said of rejected rows, where the rule rejects.
    random_state : int, default=0
        Of the rows held out.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    classes_ : array of shape (K,)
    decision_ : callable
        What the rule has learnt: a `LeastCost`, `ScoreThreshold` or `ClassThresholds`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from linework import DecisionClassifier, DecisionRule, LinearDiscriminantAnalysis
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rule = DecisionRule(costs=[10.0, 1.0])  # a missed tumour, class 0, costs ten
    >>> model = DecisionClassifier(LinearDiscriminantAnalysis(), rule).fit(X, y)
    >>> plain = LinearDiscriminantAnalysis().fit(X, y)
    >>> (plain.predict(X) == 0).sum(), (model.predict(X) == 0).sum()
    (np.int64(196), np.int64(214))
    """

    decision_: Decision

    def __init__(
        self,
        estimator: Any = None,
        rule: Rule | None = None,
        *,
        cv: Any = None,
        reject_label: Any = -1,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.cv = cv
        self.reject_label = reject_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the estimator, and learn the rule.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        rule = DecisionRule() if self.rule is None else self.rule
        inner = self._inner()
        if not hasattr(inner, "predict_proba") and (
            rule.calibrated or not hasattr(inner, "decision_function")
        ):
            raise TypeError(
                f"{type(inner).__name__} has no predict_proba, and {type(rule).__name__} decides "
                "by posteriors: calibrate it first, for example with CalibratedClassifier."
            )
        cv = rule.cv if rule.cv is None or self.cv is None else self.cv
        self.decision_ = rule.learn(
            *self._fit_and_score(X, y, sample_weight, cv), classes=self.classes_
        )
        return self

    def predict(self, X: Any, *, costs: Any = None) -> Array:
        """The class that the rule decides for.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        costs : array-like of shape (n, K) or (n, K, K), optional
            Of each row by itself, in place of those of a `DecisionRule`.

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        numbers = self.decision_(self._score_rows(self.estimator_, X), costs)
        if getattr(self.decision_, "reject", None) is None:
            return np.asarray(self.classes_[numbers])
        if self.reject_label in self.classes_.tolist():
            raise ValueError(
                f"reject_label is {self.reject_label!r}, which is a class: choose another one."
            )
        return np.append(self.classes_, self.reject_label)[numbers]

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Array:
        """Posteriors, under the priors of a `DecisionRule`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        check_is_fitted(self)
        scores = np.asarray(self.estimator_.predict_proba(X))
        decision = self.decision_
        return decision.posterior(scores) if isinstance(decision, LeastCost) else scores

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> Array:
        """The estimator's own scores, which no rule has touched.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K), or (n,) for two classes
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "decision_")
