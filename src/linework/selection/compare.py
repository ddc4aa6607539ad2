"""Whether one model is better than another: a test for scores of overlapping training parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import is_classifier
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, check_cv
from sklearn.utils import indexable

from linework.data.blocks import Array
from linework.selection.validation import cross_validate


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference of two models' scores, first less second.

    Attributes
    ----------
    difference : float
        Mean over the splits.
    standard_error : float
        √((1/k + n_test/n_train) s²), with s² the variance of the k differences.
    statistic : float
        t, their ratio.
    p_value : float
        Two-sided, from Student's t with k − 1 degrees of freedom.
    interval : tuple of float
        Of the difference.
    confidence : float
    n_splits : int
    """

    difference: float
    standard_error: float
    statistic: float
    p_value: float
    interval: tuple[float, float]
    confidence: float
    n_splits: int

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"difference {self.difference:.4g}, {100.0 * self.confidence:g} % interval "
            f"{low:.4g} to {high:.4g}, t = {self.statistic:.3g}, p = {self.p_value:.3g} "
            f"({self.n_splits} splits)"
        )


def corrected_t_test(
    differences: Any, n_train: float, n_test: float, confidence: float = 0.95
) -> Comparison:
    """The corrected resampled t-test (Nadeau and Bengio, 2003) of paired scores.

    Training parts of different splits share most of their rows, so the scores vary together, and
    the variance of their mean is more than s²/k: it is taken to be (1/k + n_test/n_train) s².
    Without that correction a difference between equal models is found far too often.

    Parameters
    ----------
    differences : array-like of shape (k,)
        First model's score less the second's, split by split.
    n_train, n_test : float
        Rows of a training and of a test part.
    confidence : float, default=0.95

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from linework import corrected_t_test
    >>> print(corrected_t_test([0.02, 0.01, 0.03, 0.0, 0.02], n_train=80, n_test=20))
    difference 0.016, 95 % interval -0.005236 to 0.03724, t = 2.09, p = 0.105 (5 splits)
    """
    d: Array = np.asarray(differences, np.float64)
    if d.ndim != 1 or len(d) < 2 or not np.isfinite(d).all():
        raise ValueError(
            f"differences have shape {d.shape}, and two or more finite numbers are expected: one "
            "for each split."
        )
    if not (n_train > 0 and n_test > 0 and 0.0 < confidence < 1.0):
        raise ValueError(
            f"n_train is {n_train}, n_test {n_test} and confidence {confidence}: give numbers of "
            "rows above zero, and a confidence between 0 and 1."
        )
    k, mean = len(d), float(d.mean())
    error = float(np.sqrt((1.0 / k + n_test / n_train) * d.var(ddof=1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = float(np.float64(mean) / error) if mean else 0.0
    reach = float(stats.t.ppf(0.5 + confidence / 2.0, k - 1)) * error
    p = float(2.0 * stats.t.sf(abs(t), k - 1))
    return Comparison(mean, error, t, p, (mean - reach, mean + reach), confidence, k)


def compare_models(
    first: Any,
    second: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    cv: Any = None,
    groups: Any = None,
    params: Any = None,
    confidence: float = 0.95,
) -> Comparison:
    """Cross-validate two models on the same splits and test the difference of their scores.

    Parameters
    ----------
    first, second : estimators
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,) or (n, t)
    scoring : str or callable, default=None
        One metric.
    cv : int, splitter or iterable of (train, test), default=None
        None: ten folds, ten times over, stratified for classifiers; the same each time.
    groups, params
        As in `cross_validate`.
    confidence : float, default=0.95

    Returns
    -------
    Comparison
        By `corrected_t_test`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import LinearDiscriminantAnalysis, compare_models
    >>> X, y = load_iris(return_X_y=True)
    >>> lda = LinearDiscriminantAnalysis(unbiased=False)
    >>> print(compare_models(lda, LinearDiscriminantAnalysis(shrinkage=0.5), X, y))
    difference 0.02, 95 % interval -0.01304 to 0.05304, t = 1.2, p = 0.233 (100 splits)
    """
    X, y, groups = indexable(X, y, groups)
    classify = is_classifier(first)
    if cv is None:
        repeated = RepeatedStratifiedKFold if classify else RepeatedKFold
        cv = repeated(n_splits=10, n_repeats=10, random_state=0)
    splits = list(check_cv(cv, y, classifier=classify).split(X, y, groups))
    scores = [
        cross_validate(model, X, y, scoring=scoring, cv=splits, params=params)["test_score"]
        for model in (first, second)
    ]
    n_train, n_test = (float(np.mean([len(s[part]) for s in splits])) for part in (0, 1))
    return corrected_t_test(scores[0] - scores[1], n_train, n_test, confidence)
