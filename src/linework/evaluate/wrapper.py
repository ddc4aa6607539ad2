"""What works on the scores of another classifier: fitted to some rows, it scores others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv, train_test_split
from sklearn.utils import _safe_indexing, get_tags, indexable

from linework.data.blocks import Array
from linework.data.sources import check_weight
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.labels import encode


class Scored(NamedTuple):
    """Rows of positive weight that the model was not fitted to, or was fitted to without scores."""

    scores: Array | None
    numbers: Array
    weight: Array


class ScoreWrapper(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier around a classifier, with parameters ``estimator``, ``random_state``."""

    estimator: Any
    random_state: Any
    estimator_: Any
    classes_: Array

    def _inner(self) -> Any:
        return LinearDiscriminantAnalysis() if self.estimator is None else self.estimator

    def _score_rows(self, model: Any, X: Any) -> Array:
        """Posteriors (n, K), or other scores of the classes from a model that has none."""
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(X))
        return class_decisions(model, X)

    def _fit_and_score(self, X: Any, y: Any, sample_weight: Any, cv: Any) -> Scored:
        """Fit the estimator; scores are of all rows by folds, of those held out, or of none.

        ``cv`` is a number of folds, a splitter or the splits, a share to hold out, or None. An
        estimator that is frozen scores all rows.
        """
        inner = self._inner()
        rows: slice | Array = slice(None)
        scores = None
        if isinstance(inner, FrozenEstimator):
            self.estimator_ = inner.estimator
            scores = None if cv is None else self._score_rows(self.estimator_, X)
        elif cv is None:
            self.estimator_ = _fit(clone(inner), X, y, sample_weight)
        elif isinstance(cv, float):
            X, labels = indexable(X)[0], np.asarray(y)
            fitted, rows = train_test_split(
                np.arange(len(labels)),
                test_size=cv,
                stratify=encode(labels, None, len(labels))[1],
                random_state=self.random_state,
            )
            self.estimator_ = _fit(clone(inner), *_rows(X, labels, sample_weight, fitted))
            scores = self._score_rows(self.estimator_, _safe_indexing(X, rows))
        else:
            self.estimator_ = _fit(clone(inner), X, y, sample_weight)
            scores = self._out_of_fold(indexable(X)[0], np.asarray(y), sample_weight, cv)
        self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        labels = np.asarray(y)
        given = check_weight(sample_weight, len(labels))
        found, codes = encode(labels, given, len(labels))
        if strange := [label for label in found.tolist() if label not in self.classes_.tolist()]:
            raise ValueError(
                f"y holds the label {strange[0]!r}, and the model's classes are "
                f"{self.classes_.tolist()}: give rows of these."
            )
        numbers = np.searchsorted(self.classes_, found)[codes][rows]
        weight = (np.ones(len(labels)) if given is None else given)[rows]
        kept = weight > 0.0
        return Scored(None if scores is None else scores[kept], numbers[kept], weight[kept])

    def _out_of_fold(self, X: Any, y: Array, sample_weight: Any, cv: Any) -> Array:
        """Scores of each row by a model that was fitted without it."""
        scores = None
        numbers = encode(y, None, len(y))[1]  # splitters round large labels
        for train, test in check_cv(cv, numbers, classifier=True).split(X, numbers):
            model = _fit(clone(self._inner()), *_rows(X, y, sample_weight, train))
            if len(model.classes_) < len(self.estimator_.classes_):
                raise ValueError(
                    "A fold leaves a class without rows to fit: take fewer folds, or a splitter "
                    "that spreads the classes."
                )
            part = self._score_rows(model, _safe_indexing(X, test))
            scores = np.full((len(y), part.shape[1]), np.nan) if scores is None else scores
            scores[test] = part
        if scores is None or np.isnan(scores).any():
            raise ValueError("cv leaves rows out of every test part: give folds that cover all.")
        return scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._inner()).input_tags.sparse
        return tags


def class_decisions(model: Any, X: Any) -> Array:
    """The decision function of each class (n, K), of two classes with opposite signs."""
    g = np.asarray(model.decision_function(X))
    return np.column_stack([-g, g]) if g.ndim == 1 else g


def _fit(model: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fitted; weights go only to a model that is given some."""
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    return model.fit(X, y, **weights)


def _rows(X: Any, y: Array, sample_weight: Any, rows: Array) -> tuple[Any, Array, Any]:
    weight = None if sample_weight is None else check_weight(sample_weight, len(y))
    return _safe_indexing(X, rows), y[rows], None if weight is None else weight[rows]
