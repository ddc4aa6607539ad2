"""Learners that take rows batch by batch."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.multiclass import _partial_fit_binary
from sklearn.utils.metaestimators import _safe_split, available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import _check_method_params

from linework.data.blocks import Array
from linework.multiclass.base import DichotomyClassifier, learner_has


class Incremental(DichotomyClassifier):
    """A classifier by dichotomies whose columns follow from the number of classes alone."""

    def _columns_of(self, n_classes: int) -> Array:
        """The coding matrix (K, M)."""
        raise NotImplementedError

    @available_if(learner_has("partial_fit"))
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, **params: Any
    ) -> Self:
        """Hand rows to the learners' `partial_fit`, to each those of its classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        classes : array-like of shape (K,), optional
            All labels there will be; the first call needs them.
        sample_weight : array-like of shape (n,), optional
        **params
            Metadata for the learners' `partial_fit`, with scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        params = self._routed("partial_fit", sample_weight, params)
        if _check_partial_fit_first_call(self, classes):
            code = self._columns_of(len(self.classes_))
            self.estimators_ = [clone(self._learner()) for _ in code.T]
            self._begin(code)
        y = np.asarray(y)
        check_classification_targets(y)
        if np.setdiff1d(y, self.classes_).size:
            raise ValueError(self._strange_labels(np.unique(y)))
        number = np.searchsorted(self.classes_, y)
        X = X if hasattr(X, "shape") else np.asarray(X)
        for column, learner in zip(self.code_book_.T, self.estimators_, strict=True):
            rows = np.flatnonzero(column[number])
            if rows.size:
                part, _ = _safe_split(learner, X, None, indices=rows)
                own = _check_method_params(X, params, indices=rows)
                _partial_fit_binary(learner, part, (column[number][rows] > 0).astype(int), own)
        if hasattr(self.estimators_[0], "n_features_in_"):
            self.n_features_in_ = self.estimators_[0].n_features_in_
        return self

    def _begin(self, code: Array) -> None:
        """Set what `fit` sets beside the learners."""
        self.code_book_, self.pairwise_indices_ = code, None

    def _strange_labels(self, found: Array) -> str:
        return f"Mini-batch contains {found} while it must be subset of {self.classes_}"
