"""One against the rest: a learner for each class, or for each label."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import MultiOutputMixin
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array
from linework.multiclass.base import learner_has
from linework.multiclass.codes import one_vs_rest
from linework.multiclass.coding import is_dichotomy
from linework.multiclass.incremental import Incremental


class OneVsRestClassifier(MultiOutputMixin, Incremental):
    """A learner for each class against all others; the most confident one tells the class.

    The code is 2I − 1. For ``y`` of shape (n, L), an indicator matrix, there is a learner for each
    of the L labels, and a row has any number of them: the sets of labels are the rows of the code
    then.

    Parameters
    ----------
    estimator : estimator, default=None
        As in `OneVsOneClassifier`.
    n_jobs : int, default=None
        Processes for learners that are fitted one by one.
    verbose : int, default=0
        For scikit-learn's interface: progress is shown at a terminal in any case.

    Attributes
    ----------
    classes_ : array of shape (K,)
    n_classes_ : int
    multilabel_ : bool
    estimators_ : sequence of K estimators
        One for two classes.
    code_book_ : array of shape (K, M)
        For labels, of shape (number of different sets of them, L).
    label_binarizer_ : LabelBinarizer or None
        For labels.
    pairwise_indices_ : None

    Notes
    -----
    Learners that are solved from moments share one pass, and logistic regressions the passes of all
    (see `linework.likelihood.dichotomies`). ``estimators_`` are then made when they are looked at.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import OneVsRestClassifier, LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    >>> model.predict_proba(X[:1]).round(3)
    array([[0.897, 0.103, 0.   ]])
    """

    def __init__(
        self, estimator: Any = None, *, n_jobs: int | None = None, verbose: int = 0
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Fit a learner for each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,), or indicator matrix of shape (n, L)
        sample_weight : array-like of shape (n,), optional
            Goes to the learners. Zero removes a row, two counts it twice.
        **params
            Metadata for the learners' `fit`, with scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        params = self._routed("fit", sample_weight, params)
        shape = y.shape if sp.issparse(y) else np.asarray(y).shape
        if len(shape) == 2 and shape[1] > 1:  # an indicator matrix, or refused
            self.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(y)
            self.classes_ = self.label_binarizer_.classes_
            labels = self.label_binarizer_.transform(y).toarray()
            sets, number = np.unique(labels, axis=0, return_inverse=True)
            code, number = (2 * sets - 1).astype(np.int8), number.ravel()
        else:
            self.classes_, number = self._encoded(X, y, params)
            self.label_binarizer_ = None
            code = one_vs_rest(len(self.classes_))
        if is_dichotomy(code).all():
            self.estimators_ = self._fit_columns(X, number, code, params)
        else:
            self.estimators_ = self._fit_each(X, number, code, params, self.classes_)
        self.code_book_, self.pairwise_indices_ = code, None
        return self

    def predict(self, X: Any) -> Array:
        """The class of the highest score, or the labels of scores above zero.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,), or indicator matrix of shape (n, L)
        """
        self._require_fit()
        if self.multilabel_:
            indicator = self._of_scores(X, lambda scores: scores > 0.0)
            told = self.label_binarizer_.inverse_transform(sp.csc_array(indicator.astype(int)))
            return told  # type: ignore[no-any-return]
        if len(self.estimators_) == 1:
            best = self._of_scores(X, lambda scores: scores[:, 0] > 0.0).astype(np.intp)
        else:  # as they are: 2p − 1 would make small probabilities equal
            best = self._of_scores(X, lambda scores: scores.argmax(axis=1), centred=False)
        return np.asarray(self.classes_[best])

    @available_if(learner_has("decision_function"))
    def decision_function(self, X: Any) -> Array:
        """The scores of the learners; of two classes, that of the second.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K), or (n,) for two classes
        """
        scores = self._of_scores(X, lambda scores: scores)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @available_if(learner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Array:
        """The learners' probabilities, divided by their sum; those of labels as they are.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        shares = self._of_shares(X, lambda shares: shares)
        if shares.shape[1] == 1:
            shares = np.column_stack([1.0 - shares[:, 0], shares[:, 0]])
        if self.multilabel_:
            return shares
        total = shares.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(shares, total, out=shares, where=total != 0.0))

    @property
    def multilabel_(self) -> bool:
        """Whether rows have any number of labels."""
        return self.label_binarizer_ is not None

    def _columns_of(self, n_classes: int) -> Array:
        return one_vs_rest(n_classes)

    def _begin(self, code: Array) -> None:
        super()._begin(code)
        self.label_binarizer_ = None

    def _strange_labels(self, found: Array) -> str:
        return f"Mini-batch contains {found} while classes must be subset of {self.classes_}"
