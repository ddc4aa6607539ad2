"""Logistic regression along a sequence of penalties."""

from __future__ import annotations

from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.likelihood.logistic import LogisticRegression
from linework.likelihood.path import C_penalties, as_Cs, follow_any, warn_unfinished


def logistic_path(
    X: Any,
    y: Any,
    *,
    Cs: Any = 10,
    l1_ratio: float = 0.0,
    fit_intercept: bool = True,
    class_weight: Any = None,
    tol: float = 1e-4,
    max_iter: int = 100,
    sample_weight: Any = None,
) -> tuple[Array, Array, Array]:
    """Coefficients of `LogisticRegression` along a sequence of penalties.

    Each fit begins at the one before, from strong penalties to weak.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,)
    Cs : int or list of float, default=10
        Inverse strengths of the penalty, or how many from 1e-4 to 1e4.
    l1_ratio : float, default=0.0
    fit_intercept : bool, default=True
    class_weight : None, dict, "balanced", "effective" or ("effective", β), default=None
    tol : float, default=1e-4
    max_iter : int, default=100
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    Cs : array of shape (c,)
    coefs : array of shape (c, K, d), K being 1 for two classes
    intercepts : array of shape (c, K)

    Examples
    --------
    >>> from linework import logistic_path
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> Cs, coefs, intercepts = logistic_path(X, y, Cs=[0.1, 1.0, 10.0], l1_ratio=1.0)
    >>> coefs[:, 0, 0].round(3)
    array([0.   , 0.   , 0.795])
    """
    model = LogisticRegression(
        l1_ratio=l1_ratio,
        fit_intercept=fit_intercept,
        class_weight=class_weight,
        tol=tol,
        max_iter=max_iter,
    )
    model._check_penalty()
    values = as_Cs(Cs)
    table, classes = model._read_labelled(X, y, sample_weight, reset=True)
    problem, null = model._problem(table, classes)
    reach = model._reach(table)
    penalties = C_penalties(values, l1_ratio, problem.columns.weight)
    fits = follow_any(problem, penalties, null, reach, max_iter)
    warn_unfinished(np.array([fit.found.size for fit in fits]), reach)
    coefs = np.array([fit.coef.T for fit in fits])
    return values, coefs, np.array([fit.intercept for fit in fits])
