"""What samplers share: their interface, labels as numbers, rows of any kind out as they came in."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin
from sklearn.utils.validation import _check_feature_names

from linework.data.blocks import Array
from linework.data.sources import reject_other_length
from linework.imbalance.kinds import as_rows, is_frame, take
from linework.imbalance.strategy import amounts
from linework.labels import encode


class Sampler(OneToOneFeatureMixin, BaseEstimator):
    """Makes other rows of the rows it is given, as imbalanced-learn's samplers do."""

    _estimator_type: ClassVar[str] = "sampler"
    _under: ClassVar[bool] = False

    sampling_strategy: Any
    n_features_in_: int
    sampling_strategy_: dict[Any, int]

    def fit(self, X: Any, y: Any) -> Self:
        """Check the rows and say how many there will be; `fit_resample` makes them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)

        Returns
        -------
        self
        """
        self._check(X, y)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows and labels after resampling, of the kind they came in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)

        Returns
        -------
        X_resampled : array, sparse matrix or data frame of shape (n_new, d)
        y_resampled : array or series of shape (n_new,)
        """
        rows, classes, numbers = self._check(X, y)
        chosen = {
            name: np.flatnonzero(numbers == classes.tolist().index(name))
            for name in self.sampling_strategy_
        }
        X_new, index = self._resample(rows, numbers, classes, chosen)
        return X_new, take(y, index)

    def _resample(
        self, X: Any, numbers: Array, classes: Array, chosen: dict[Any, Array]
    ) -> tuple[Any, Array]:
        """Resampled rows, and for each the row whose label it has.

        ``chosen`` are the rows of each class that is resampled.
        """
        raise NotImplementedError

    def _check(self, X: Any, y: Any) -> tuple[Any, Array, Array]:
        """The rows, the classes (K,), and the number of each row's class (n,)."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        rows = as_rows(X, type(self).__name__)
        _check_feature_names(self, X, reset=True)
        self.n_features_in_ = int(rows.shape[1])
        labels = np.asarray(y)
        if is_frame(y) and labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels[:, 0]
        reject_other_length(len(labels), rows.shape[0])
        classes, numbers = encode(labels, None, len(labels))
        self.sampling_strategy_ = amounts(
            self.sampling_strategy,
            classes,
            np.bincount(numbers, minlength=len(classes)),
            labels,
            under=self._under,
        )
        return rows, classes, numbers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = None
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class RowSampler(Sampler):
    """A sampler of rows as they are, whatever they hold."""

    sample_indices_: Array

    def _resample(
        self, X: Any, numbers: Array, classes: Array, chosen: dict[Any, Array]
    ) -> tuple[Any, Array]:
        self.sample_indices_ = self._draw(numbers, classes, chosen)
        return take(X, self.sample_indices_), self.sample_indices_

    def _draw(self, numbers: Array, classes: Array, chosen: dict[Any, Array]) -> Array:
        """The rows of the resampled table, by their positions."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags
