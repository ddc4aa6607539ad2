"""A classifier whose posteriors are turned into decisions by a rule."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv, train_test_split
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.data.sources import check_weight
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.evaluate.rules import Decision, DecisionRule, LeastCost, Rule
from linework.labels import encode


def _inner_has(name: str) -> Any:
    def check(self: DecisionClassifier) -> bool:
        getattr(getattr(self, "estimator_", None) or self._inner(), name)
        return True

    return check


class DecisionClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
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

    estimator_: Any
    classes_: Array
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

    def _inner(self) -> Any:
        return LinearDiscriminantAnalysis() if self.estimator is None else self.estimator

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
        inner, cv = self._inner(), rule.cv if self.cv is None else self.cv
        if not hasattr(inner, "predict_proba") and (
            rule.calibrated or not hasattr(inner, "decision_function")
        ):
            raise TypeError(
                f"{type(inner).__name__} has no predict_proba, and {type(rule).__name__} decides "
                "by posteriors: calibrate it first, for example with CalibratedClassifier."
            )
        learned: slice | Array = slice(None)
        scores = None
        if isinstance(inner, FrozenEstimator):
            self.estimator_ = inner.estimator
            scores = self._scores(self.estimator_, X) if rule.cv is not None else None
        elif rule.cv is None:
            self.estimator_ = _fit(clone(inner), X, y, sample_weight)
        elif isinstance(cv, float):
            labels = np.asarray(y)
            fitted, learned = train_test_split(
                np.arange(len(labels)),
                test_size=cv,
                stratify=labels,
                random_state=self.random_state,
            )
            self.estimator_ = _fit(clone(inner), *_rows(X, labels, sample_weight, fitted))
            scores = self._scores(self.estimator_, _safe_indexing(X, learned))
        else:
            self.estimator_ = _fit(clone(inner), X, y, sample_weight)
            scores = self._out_of_fold(inner, X, np.asarray(y), sample_weight, cv)
        self.classes_ = self.estimator_.classes_
        labels = np.asarray(y)
        weight = check_weight(sample_weight, len(labels))
        found, codes = encode(labels, weight, len(labels))
        if strange := [label for label in found.tolist() if label not in self.classes_.tolist()]:
            raise ValueError(
                f"y holds the label {strange[0]!r}, and the model's classes are "
                f"{self.classes_.tolist()}: give rows of these."
            )
        numbers = np.searchsorted(self.classes_, found)[codes][learned]
        weight = (np.ones(len(labels)) if weight is None else weight)[learned]
        kept = weight > 0.0
        self.decision_ = rule.learn(
            None if scores is None else scores[kept], numbers[kept], weight[kept], self.classes_
        )
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _out_of_fold(self, inner: Any, X: Any, y: Array, sample_weight: Any, cv: Any) -> Array:
        """Scores of each row by a model that was fitted without it."""
        scores = None
        for train, test in check_cv(cv, y, classifier=True).split(X, y):
            model = _fit(clone(inner), *_rows(X, y, sample_weight, train))
            if len(model.classes_) < len(self.estimator_.classes_):
                raise ValueError(
                    "A fold leaves a class without rows to fit: take fewer folds, or a splitter "
                    "that spreads the classes."
                )
            part = self._scores(model, _safe_indexing(X, test))
            scores = np.empty((len(y), part.shape[1])) if scores is None else scores
            scores[test] = part
        assert scores is not None
        return scores

    @staticmethod
    def _scores(model: Any, X: Any) -> Array:
        """Posteriors (n, K), or other scores of the classes from a model that has none."""
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(X))
        g = np.asarray(model.decision_function(X))
        return np.column_stack([-g, g]) if g.ndim == 1 else g

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
        numbers = self.decision_(self._scores(self.estimator_, X), costs)
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._inner()).input_tags.sparse
        return tags


def _fit(model: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fitted; weights go only to a model that is given some."""
    return (
        model.fit(X, y) if sample_weight is None else model.fit(X, y, sample_weight=sample_weight)
    )


def _rows(X: Any, y: Array, sample_weight: Any, rows: Array) -> tuple[Any, Array, Any]:
    weight = None if sample_weight is None else check_weight(sample_weight, len(y))
    return _safe_indexing(X, rows), y[rows], None if weight is None else weight[rows]
