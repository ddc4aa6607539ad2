"""What classifiers share: reading labels, and saying which class a row is of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_rows
from linework.estimator import RowReader
from linework.labels import encode

SCORES = 1 << 20
"""Scores held at a time while the best class of each row is found."""


class Classifier(ClassifierMixin, RowReader):
    """An estimator that gives each class a score for a row, and says the class of the highest."""

    classes_: Array

    def _scores(self, block: Block) -> Array:
        """Scores of the classes, up to a number that is common to all, shape (n, K)."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """The class of highest score for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,)
        """
        self._require_fit()
        return np.asarray(self.classes_[map_rows(self._read(X, reset=False), self._best)])

    def decision_function(self, X: Any) -> Array:
        """The score of each class; of two classes, that of the second less that of the first.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K), or (n,) for two classes
        """
        return self._of_scores(X, contrast)

    def _respond(self, block: Block, method: str) -> Array:
        """What the method of this name says of the block's rows."""
        if method == "predict":
            return np.asarray(self.classes_[self._best(block)])
        return FROM_SCORES[method](self._checked_scores(block))

    def _of_scores(self, X: Any, function: Callable[[Array], Array]) -> Array:
        self._require_fit()
        table = self._read(X, reset=False)
        return map_rows(table, lambda block: function(self._checked_scores(block)))

    def _best(self, block: Block) -> Array:
        """The number of the best class of each row, without holding all scores of a block."""
        step = max(1, SCORES // len(self.classes_))
        best = np.empty(len(block), np.intp)
        for start in range(0, len(block), step):
            rows = block if step >= len(block) else block.take(np.arange(len(block))[start:][:step])
            best[start : start + step] = self._best_of(self._checked_scores(rows))
        return best

    def _best_of(self, scores: Array) -> Array:
        return np.asarray(scores.argmax(axis=1))

    def _checked_scores(self, block: Block) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):  # told below, in words
            scores = self._scores(block)
            best = scores.max(axis=1)
        if not np.isfinite(best).all():
            block.reject_nonfinite()
        return scores

    def _read_labelled(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Table, Array]:
        """The rows with the number of their class as group, and the classes."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        table = self._read(X, sample_weight=sample_weight, reset=reset)
        classes, numbers = encode(y, table.weight, table.n_rows)
        return table.with_group(numbers), classes

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. {self._why_not_fitted()}"
            )

    def _why_not_fitted(self) -> str:
        return "Call 'fit' with rows and labels first."

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")


class Probabilistic(Classifier):
    """A classifier whose scores are log posteriors, up to a number common to all classes."""

    def predict_proba(self, X: Any) -> Array:
        """P(G = k | x) = π_k f_k(x) / Σ_l π_l f_l(x).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        return self._of_scores(X, posterior)

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of `predict_proba`, without underflow.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        return self._of_scores(X, log_posterior)


class FromLogPosteriors:
    """What a classifier says by the logarithms of its posteriors alone."""

    classes_: Array

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        raise NotImplementedError

    def predict_proba(self, X: Any) -> Array:
        """The posterior of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict(self, X: Any) -> Array:
        """The class of highest posterior.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)  # before classes_ is asked for
        return np.asarray(self.classes_[self.predict_log_proba(X).argmax(axis=1)])

    def decision_function(self, X: Any) -> Array:
        """Logarithms of the posteriors; of two classes, their difference, the log odds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K), or (n,) for two classes
        """
        return contrast(self.predict_log_proba(X))


def contrast(scores: Array) -> Array:
    """Scores (n, K) as scikit-learn gives them: for two classes, their difference (n,)."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def log_posterior(scores: Array) -> Array:
    """Ln P(G = k | x) from scores (n, K)."""
    return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))


def posterior(scores: Array) -> Array:
    """P(G = k | x) from scores (n, K)."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


FROM_SCORES: dict[str, Callable[[Array], Array]] = {
    "decision_function": contrast,
    "predict_proba": posterior,
    "predict_log_proba": log_posterior,
}
"""What a method makes of scores (n, K)."""
