"""Classifiers of balanced subsets, whose posteriors are averaged."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.engine import map_each
from linework.imbalance.resampled import PosteriorWrapper, ResampledClassifier
from linework.imbalance.rows import RandomUnderSampler


class EasyEnsembleClassifier(PosteriorWrapper):
    """The mean posterior of classifiers, each fitted to a balanced random subset of the rows.

    A subset has all rows of the smallest class and as many random ones of each other. One of them
    ignores most rows; together they do not (Liu, Wu and Zhou, 2009). The subsets are fitted side by
    side.

    Parameters
    ----------
    n_estimators : int, default=10
        Subsets.
    estimator : classifier with ``predict_proba``, default=None
        By default `LinearDiscriminantAnalysis`; the authors boosted trees, scikit-learn's
        AdaBoostClassifier.
    sampling_strategy : str, float, dict or callable, default="auto"
        Of the subsets: see `RandomUnderSampler`.
    replacement : bool, default=False
        Whether a row may be drawn again within a subset. With ``sampling_strategy="all"`` this is
        balanced bagging: a bootstrap sample of every class, the smallest too.
    correct_prior : bool, default=True
        Whether posteriors and decisions are for the shares of the classes in all rows. Without it
        they are for those in the subsets, as imbalanced-learn's.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    estimators_ : list of ResampledClassifier
    classes_ : array of shape (K,)

    Examples
    --------
    >>> import numpy as np
    >>> from linework import EasyEnsembleClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(5000) < 0.04).astype(int)
    >>> X = rng.standard_normal((5000, 2)) + 1.5 * y[:, None]
    >>> model = EasyEnsembleClassifier().fit(X, y)
    >>> round(float(model.predict_proba(X)[:, 1].mean()), 3), round(float(y.mean()), 3)
    (0.041, 0.04)
    >>> balanced = EasyEnsembleClassifier(correct_prior=False).fit(X, y)
    >>> round(float((balanced.predict(X) == y)[y == 1].mean()), 2)  # of the small class
    0.9
    """

    estimators_: list[ResampledClassifier]

    def __init__(
        self,
        n_estimators: int = 10,
        estimator: Any = None,
        *,
        sampling_strategy: Any = "auto",
        replacement: bool = False,
        correct_prior: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.sampling_strategy = sampling_strategy
        self.replacement = replacement
        self.correct_prior = correct_prior
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw the subsets and fit a classifier to each.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weights go with the rows that are drawn; they do not say which are.

        Returns
        -------
        self
        """
        if not isinstance(self.n_estimators, Integral) or self.n_estimators < 1:
            raise ValueError(
                f"n_estimators is {self.n_estimators!r}, and a number of subsets, 1 or more, is "
                "expected."
            )
        inner = self._inner()
        if not hasattr(inner, "predict_proba"):
            raise TypeError(
                f"{type(inner).__name__} has no predict_proba, and posteriors are averaged: "
                "calibrate it first, for example with CalibratedClassifier."
            )
        X, labels, weight = self._read(X, y, sample_weight)
        seeds = check_random_state(self.random_state).randint(1 << 31, size=self.n_estimators)

        def fitted(seed: Any) -> ResampledClassifier:
            sampler = RandomUnderSampler(
                sampling_strategy=self.sampling_strategy,
                random_state=int(seed),
                replacement=self.replacement,
            )
            member = clone(inner)
            names = [n for n in member.get_params() if n.rpartition("__")[2] == "random_state"]
            member.set_params(**dict.fromkeys(names, int(seed)))
            model = ResampledClassifier(sampler, member, correct_prior=self.correct_prior)
            return model.fit(X, labels, weight)

        self.estimators_ = map_each(seeds, fitted, "Subsets", len(seeds))
        self._note_columns(self.estimators_[0])
        return self

    def predict_log_proba(self, X: Any) -> Array:  # noqa: D102
        check_is_fitted(self)
        total = self.estimators_[0].predict_log_proba(X)
        for model in self.estimators_[1:]:
            total = np.logaddexp(total, model.predict_log_proba(X))
        return np.asarray(total - np.log(len(self.estimators_)))

    def __len__(self) -> int:
        return len(self.estimators_)
