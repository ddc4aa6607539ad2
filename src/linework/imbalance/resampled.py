"""A classifier fitted to resampled rows, whose posteriors are for the rows as they came."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from linework.classifier import FromLogPosteriors, log_posterior
from linework.data.blocks import Array
from linework.data.sources import as_table, check_weight, reject_other_length
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.imbalance.kinds import as_rows, is_numeric, reject_nonfinite, take
from linework.imbalance.rows import RandomUnderSampler
from linework.labels import encode


class PosteriorWrapper(FromLogPosteriors, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier around classifiers, that says everything by the logarithms of posteriors."""

    estimator: Any

    def _inner(self) -> Any:
        return LinearDiscriminantAnalysis() if self.estimator is None else self.estimator

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array, Array | None]:
        """Rows of positive weight, their labels and weights; sets the classes."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        X = as_rows(X, type(self).__name__)
        weight = check_weight(sample_weight, X.shape[0])
        if is_numeric(X) and not get_tags(self._inner()).input_tags.allow_nan:
            reject_nonfinite(as_table(X), weight)  # while rows have the numbers the user knows
        reject_other_length(len(np.asarray(y)), X.shape[0])
        self.classes_, numbers = encode(y, weight, X.shape[0])
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            X, numbers, weight = take(X, kept), numbers[kept], weight[kept]
        return X, self.classes_[numbers], weight

    def _note_columns(self, model: Any) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._inner()).input_tags.sparse
        return tags


def _gives(name: str) -> Any:
    def check(self: ResampledClassifier) -> bool:
        getattr(getattr(self, "estimator_", None) or self._inner(), name)
        return True

    return check


class ResampledClassifier(PosteriorWrapper):
    """A sampler and a classifier: rows are resampled in `fit`, and nowhere else.

    scikit-learn's pipelines know no samplers. Here rows that are predicted, or that are held out
    in cross-validation, are never resampled, and none is a neighbour of a row that is made.

    Resampled rows have other shares of the classes, π', than those that come, π. Posteriors are
    corrected, P(k | x) ∝ P'(k | x) π_k / π'_k, so that they mean what they say: for decisions
    that find more of a small class, say what its errors cost, by `DecisionRule`.

    Parameters
    ----------
    sampler : sampler, default=None
        With ``fit_resample``, linework's or imbalanced-learn's; by default `RandomUnderSampler`.
    estimator : classifier, default=None
        By default `LinearDiscriminantAnalysis`.
    correct_prior : bool, default=True
        Whether posteriors and decisions are for the shares of the classes before resampling.
        Without it they are for those after: the estimator's own.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to the resampled rows.
    classes_ : array of shape (K,)
    shift_ : array of shape (K,)
        π_k / π'_k.

    Notes
    -----
    ``sample_weight`` goes with the rows, so it needs a sampler that draws rows and makes none.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import ResampledClassifier, LogisticRegression, SMOTE
    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(5000) < 0.04).astype(int)
    >>> X = rng.standard_normal((5000, 2)) + 1.5 * y[:, None]
    >>> corrected = ResampledClassifier(SMOTE(), LogisticRegression()).fit(X, y)
    >>> as_fitted = ResampledClassifier(SMOTE(), LogisticRegression(), correct_prior=False)
    >>> as_fitted = as_fitted.fit(X, y)
    >>> [round(float(m.predict_proba(X)[:, 1].mean()), 2) for m in (corrected, as_fitted)]
    [0.04, 0.2]
    """

    def __init__(
        self, sampler: Any = None, estimator: Any = None, *, correct_prior: bool = True
    ) -> None:
        self.sampler = sampler
        self.estimator = estimator
        self.correct_prior = correct_prior

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Resample the rows, and fit the estimator to them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        inner = clone(self._inner())
        if self.correct_prior and not hasattr(inner, "predict_proba"):
            raise TypeError(
                f"{type(inner).__name__} has no predict_proba, and only posteriors can be brought "
                "back to the shares of the classes before resampling: take correct_prior=False, "
                "or calibrate it first, for example with CalibratedClassifier."
            )
        X, labels, weight = self._read(X, y, sample_weight)
        sampler = RandomUnderSampler() if self.sampler is None else clone(self.sampler)
        X_new, y_new = sampler.fit_resample(X, labels)
        weight_new = None
        if weight is not None:
            if not hasattr(sampler, "sample_indices_"):
                raise ValueError(
                    f"{type(sampler).__name__} makes rows, which have no weight: leave "
                    "sample_weight out, or take RandomUnderSampler or RandomOverSampler."
                )
            weight_new = weight[sampler.sample_indices_]
        self.shift_ = self._shares(labels, weight) / self._shares(y_new, weight_new)
        options = {} if weight_new is None else {"sample_weight": weight_new}
        self.estimator_ = inner.fit(X_new, y_new, **options)
        self._note_columns(self.estimator_)
        return self

    def _shares(self, labels: Any, weight: Array | None) -> Array:
        numbers = np.searchsorted(self.classes_, labels)
        totals = np.bincount(numbers, weight, len(self.classes_))
        if not totals.all():
            name = self.classes_.tolist()[int(totals.argmin())]
            raise ValueError(
                f"The sampler leaves no rows of class {name!r}: a classifier needs some of each."
            )
        return np.asarray(totals / totals.sum())

    @available_if(_gives("predict_proba"))
    def predict_log_proba(self, X: Any) -> Array:  # noqa: D102
        check_is_fitted(self)
        if hasattr(self.estimator_, "predict_log_proba"):
            scores = np.asarray(self.estimator_.predict_log_proba(X))
        else:
            with np.errstate(divide="ignore"):
                scores = np.log(self.estimator_.predict_proba(X))
        if not self.correct_prior:
            return scores
        return log_posterior(scores + np.log(self.shift_))

    @available_if(_gives("predict_proba"))
    def predict_proba(self, X: Any) -> Array:  # noqa: D102
        return super().predict_proba(X)

    def decision_function(self, X: Any) -> Array:  # noqa: D102
        check_is_fitted(self)
        if self.correct_prior:
            return super().decision_function(X)
        return np.asarray(self.estimator_.decision_function(X))

    def predict(self, X: Any) -> Array:  # noqa: D102
        check_is_fitted(self)
        return super().predict(X) if self.correct_prior else np.asarray(self.estimator_.predict(X))
