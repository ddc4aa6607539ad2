"""Scores over the values of one parameter, and over the number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import model_selection
from sklearn.model_selection._validation import _translate_train_sizes
from sklearn.utils import check_random_state

from linework.candidates import ByRows, Part
from linework.data.blocks import Array
from linework.selection.validation import as_given, score_all, split_rows


def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    param_name: str,
    param_range: Any,
    groups: Any = None,
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    error_score: Any = np.nan,
    params: Any = None,
    **options: Any,
) -> tuple[Array, Array]:
    """Training and test scores for values of one parameter: scikit-learn's `validation_curve`.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,) or (n, t)
    param_name : str
    param_range : array-like of shape (m,)
    groups, cv, scoring, n_jobs, error_score, params
        As in scikit-learn.
    **options
        pre_dispatch and verbose, likewise.

    Returns
    -------
    train_scores, test_scores : arrays of shape (m, splits)

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import Ridge, validation_curve
    >>> X, y = load_diabetes(return_X_y=True)
    >>> train, test = validation_curve(Ridge(), X, y, param_name="alpha", param_range=[0.1, 10.0])
    >>> test.mean(axis=1).round(2)
    array([0.48, 0.14])
    """
    splits = split_rows(estimator, X, y, groups, cv)
    candidates = [{param_name: value} for value in param_range]
    try:
        both: tuple[Part, ...] = ("train", "test")
        out, _ = score_all(estimator, candidates, X, y, splits, scoring, params, both, error_score)
    except ByRows:
        rest = as_given(splits, cv, groups)
        found: tuple[Array, Array] = model_selection.validation_curve(
            estimator,
            X,
            y,
            param_name=param_name,
            param_range=param_range,
            scoring=scoring,
            n_jobs=n_jobs,
            error_score=error_score,
            params=params,
            **rest,
            **options,
        )
        return found
    train, test = (
        np.array([each[f"{part}_scores"]["score"] for each in out]).reshape(len(candidates), -1)
        for part in ("train", "test")
    )
    return train, test


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    train_sizes: Any = (0.1, 0.325, 0.55, 0.775, 1.0),
    cv: Any = None,
    scoring: Any = None,
    shuffle: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    error_score: Any = np.nan,
    return_times: bool = False,
    params: Any = None,
    **options: Any,
) -> tuple[Array, ...]:
    """Training and test scores for growing numbers of rows: scikit-learn's `learning_curve`.

    The first rows of each training part, so many at a time, are parts like folds: one pass
    collects the statistics of all of them.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,) or (n, t)
    groups, train_sizes, cv, scoring, shuffle, random_state, n_jobs, error_score, return_times
    params
        As in scikit-learn.
    **options
        exploit_incremental_learning, pre_dispatch and verbose, likewise.

    Returns
    -------
    train_sizes_abs : array of shape (m,)
    train_scores, test_scores : arrays of shape (m, splits)
    fit_times, score_times : arrays of shape (m, splits), if `return_times`

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import LinearDiscriminantAnalysis, learning_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> sizes, train, test = learning_curve(
    ...     LinearDiscriminantAnalysis(), X, y, train_sizes=[0.2, 1.0], shuffle=True, random_state=0
    ... )
    >>> sizes, test.mean(axis=1).round(2)
    (array([ 24, 120]), array([0.96, 0.98]))
    """
    splits = split_rows(estimator, X, y, groups, cv)
    try:
        if splits is None or options.get("exploit_incremental_learning"):
            raise ByRows("Rows are added to one model.")
        sizes = _translate_train_sizes(train_sizes, len(splits[0][0]))
        rng = check_random_state(random_state)
        ordered = [(rng.permutation(train) if shuffle else train, test) for train, test in splits]
        grown = [(train[:size], test) for train, test in ordered for size in sizes]
        both: tuple[Part, ...] = ("train", "test")
        out, _ = score_all(estimator, [{}], X, y, grown, scoring, params, both, error_score)
    except ByRows:
        rest = as_given(splits, cv, groups)
        found: tuple[Array, ...] = model_selection.learning_curve(
            estimator,
            X,
            y,
            train_sizes=np.asarray(train_sizes),
            scoring=scoring,
            shuffle=shuffle,
            random_state=random_state,
            n_jobs=n_jobs,
            error_score=error_score,
            return_times=return_times,
            params=params,
            **rest,
            **options,
        )
        return found
    numbers = [[each["train_scores"]["score"], each["test_scores"]["score"]] for each in out]
    times = [[each["fit_time"], each["score_time"]] for each in out]
    every = np.hstack([numbers, times] if return_times else [numbers])
    return sizes, *(column.reshape(len(splits), -1).T for column in every.T)
