"""Generalized linear models along a sequence of penalties."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from linework.data.blocks import Array
from linework.likelihood.beginnings import null_model
from linework.likelihood.glm import GLM
from linework.likelihood.path import check_list, follow, warn_unfinished
from linework.likelihood.problem import Problem
from linework.losses import loss_of


def glm_path(
    X: Any,
    y: Any,
    *,
    family: Any = "gaussian",
    link: Any = None,
    l1_ratio: float = 1.0,
    alphas: Any = 100,
    eps: float = 1e-3,
    fit_intercept: bool = True,
    tol: float = 1e-4,
    max_iter: int = 100,
    sample_weight: Any = None,
    offset: Any = None,
) -> tuple[Array, Array, Array]:
    """Coefficients of `GLM` along a sequence of penalties.

    Each fit begins at the one before, with its Hessian, from strong penalties to weak; only columns
    that are in the model or break their optimality condition are worked on.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,)
    family, link
        As for `GLM`.
    l1_ratio : float from 0 to 1, default=1.0
    alphas : int or list of float, default=100
        How many α, or which.
    eps : float, default=1e-3
        Smallest α as a share of the largest, which is the smallest that leaves no coefficient.
    fit_intercept : bool, default=True
    tol : float, default=1e-4
    max_iter : int, default=100
    sample_weight, offset : array-like of shape (n,), optional

    Returns
    -------
    alphas : array of shape (a,), descending
    coefs : array of shape (a, d)
    intercepts : array of shape (a,)

    Examples
    --------
    >>> from linework import glm_path
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 6.0, 14.0]
    >>> alphas, coefs, intercepts = glm_path(X, y, family="poisson", alphas=3)
    >>> alphas.round(4), coefs[:, 0].round(3)
    (array([5.375 , 0.17  , 0.0054]), array([0.   , 0.869, 0.91 ]))
    """
    loss = loss_of(family, link)
    if loss.family.unknown is not None:  # it would be another at every penalty
        loss.family.known(loss.family.unknown)
    model = GLM(family, link, l1_ratio=l1_ratio, fit_intercept=fit_intercept, tol=tol)
    model.max_iter = max_iter
    model._check_iterations()
    check_scalar(l1_ratio, "l1_ratio", Real, min_val=0.0, max_val=1.0)
    check_scalar(eps, "eps", Real, min_val=0.0, max_val=1.0, include_boundaries="neither")
    table = model._read_training(X, y, sample_weight, offset, reset=True)
    null, _ = null_model(table, loss)
    problem = Problem.of(table, loss, null, fit_intercept, 0.0, 0.0)
    values = _alphas(problem, null, alphas, l1_ratio, eps)
    reach = model._reach(table)
    penalties = [(alpha * (1.0 - l1_ratio), alpha * l1_ratio) for alpha in values]
    fits = follow(problem, penalties, null, reach, max_iter)
    warn_unfinished(np.array([fit.found.size for fit in fits]), reach)
    coefs = np.array([fit.coef[:, 0] for fit in fits])
    return values, coefs, np.array([fit.intercept[0] for fit in fits])


def _alphas(problem: Problem, null: Array, alphas: Any, l1_ratio: float, eps: float) -> Array:
    """The penalties in descending order: as given, or down from the least without slopes."""
    if not isinstance(alphas, Integral):
        check_list(alphas, "alphas")
        return np.sort(np.asarray(alphas, np.float64))[::-1]
    check_scalar(alphas, "alphas", Integral, min_val=1)
    if not l1_ratio > 0.0:
        raise ValueError(
            "With l1_ratio=0 no penalty leaves all coefficients at zero, so there is no largest "
            "alpha to start a grid from: give the alphas themselves, as alphas=[...]."
        )
    d = problem.table.n_columns
    theta = problem.parameters(np.zeros((d, 1)), null)
    largest = float(np.abs(problem.evaluate(theta)[1][:d]).max()) / l1_ratio
    largest = max(largest, float(np.finfo(np.float64).resolution))
    return np.geomspace(largest, largest * eps, int(alphas))
