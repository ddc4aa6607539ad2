"""What the classifiers share that decode: fitting a code, votes and coupled probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array
from linework.data.sources import check_weight
from linework.multiclass.base import DichotomyClassifier, learner_has
from linework.multiclass.coding import CodingMatrix
from linework.multiclass.coupling import COUPLINGS
from linework.multiclass.decoding import DECODERS


class CodeClassifier(DichotomyClassifier):
    """A classifier whose learners' answers are decoded by the rows of a coding matrix."""

    decoder: str
    coupling: str
    minimum_distance_: float
    n_corrected_: int
    _weights: Array | None

    def _code(self, X: Any, number: Array, n_classes: int, params: dict[str, Any]) -> CodingMatrix:
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Fit a learner for each column of the code.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Goes to the learners. Zero removes a row, two counts it twice.
        **params
            Metadata for the learners' `fit`, with scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        for name, known in (("decoder", DECODERS), ("coupling", COUPLINGS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}, and these are known: {', '.join(known)}."
                )
        params = self._routed("fit", sample_weight, params)
        classes, number = self._encoded(X, y, params)
        code = self._code(X, number, len(classes), params)
        self.estimators_ = self._fit_columns(X, number, code.matrix, params)
        self.classes_ = classes
        self._set_code(code)
        if self.decoder == "loss-weighted":
            self._weights = self._reliability(X, number, params)
        return self

    def _set_code(self, code: CodingMatrix) -> None:
        self.code_book_, self._weights = code.matrix, None
        self.minimum_distance_, self.n_corrected_ = code.minimum_distance, code.n_corrected

    def predict(self, X: Any) -> Array:
        """The class whose row of the code fits best to what the learners say.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,)
        """
        best = self._of_scores(X, lambda scores: self._decoded(scores).argmax(axis=1))
        return np.asarray(self.classes_[best])

    def decision_function(self, X: Any) -> Array:
        """How well each class's row fits, by the decoder; of two classes, the learner's score.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K), or (n,) for two classes
        """
        self._require_fit()
        if len(self.classes_) == 2:
            sign = float(self.code_book_[1, 0])
            return self._of_scores(X, lambda scores: sign * scores[:, 0])
        return self._of_scores(X, self._decoded)

    @available_if(learner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes that agree best with those of the dichotomies.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        couple = COUPLINGS[self.coupling]
        return self._of_shares(X, lambda shares: couple(shares, self.code_book_))

    def _decoded(self, scores: Array) -> Array:
        return DECODERS[self.decoder](scores, self.code_book_.astype(np.float64), self._weights)

    def _reliability(self, X: Any, number: Array, params: dict[str, Any]) -> Array:
        """How often each learner is right of each class's rows, as shares of 1 for the class."""
        answers = self.answers(X)
        weight = check_weight(params.get("sample_weight"), len(number))
        w = np.ones(len(number)) if weight is None else weight
        right = np.empty(self.code_book_.shape)
        for k, row in enumerate(self.code_book_):
            mine = number == k
            right[k] = w[mine] @ (answers[mine] == row) / w[mine].sum()
        right[self.code_book_ == 0] = 0.0
        right += 1e-12 * (self.code_book_ != 0)  # a class that no learner is ever right of
        return np.asarray(right / right.sum(axis=1, keepdims=True))
