"""Lasso and elastic-net coefficients along a sequence of penalties."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linework.data.sources import GRAM_COLUMNS, Table, as_table
from linework.engine import map_reduce
from linework.regression.checks import check_grid, check_penalty
from linework.regression.penalised import PassProblem, PenalisedProblem, StatsProblem
from linework.solvers.coordinate import Path, Penalty
from linework.stats import Moments


def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    alphas: Any = 100,
    positive: bool = False,
    tol: float = 1e-4,
    max_iter: int = 1000,
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """Elastic-net coefficients along a sequence of penalties; the objective is `ElasticNet`'s.

    There is no intercept: centre X and y first to have one.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,) or (n, t)
    l1_ratio : float, default=0.5
    eps : float, default=1e-3
        Smallest α as a share of the largest, which is the smallest that leaves no coefficient.
    alphas : int or array-like, default=100
        How many α, or which.
    positive : bool, default=False
    tol : float, default=1e-4
    max_iter : int, default=1000
    return_n_iter : bool, default=False

    Returns
    -------
    alphas : array of shape (a,), descending
    coefs : array of shape (d, a) or (t, d, a)
    dual_gaps : array of shape (a,) or (t, a)
    n_iters : list of int, if `return_n_iter`

    Examples
    --------
    >>> from linework import enet_path
    >>> alphas, coefs, gaps = enet_path([[1.0], [2.0]], [1.0, 2.0], alphas=[1.0, 0.1])
    >>> coefs.round(3)
    array([[0.667, 0.961]])
    """
    if y is None:
        raise ValueError("enet_path follows the coefficients of y, and y is None.")
    table, flat = as_table(X, y, caller="enet_path"), np.asarray(y).ndim == 1
    problems = _problems(table, fit_intercept=False)
    weight = float(table.n_rows)
    penalty = check_penalty([], l1_ratio, positive, tol, max_iter)
    penalty = grid(problems, alphas, penalty, eps, weight)
    paths = [problem.path(penalty) for problem in problems]
    coefs = np.stack([path.coefs.T for path in paths])
    misses = [unfinished(path, tol * each.yy) for each, path in zip(problems, paths, strict=True)]
    gaps = np.stack([path.gaps for path in paths]) / weight
    warn_unfinished(sum(misses), gaps.size)
    result: tuple[Any, ...] = (
        penalty.alphas,
        coefs[0] if flat else coefs,
        gaps[0] if flat else gaps,
    )
    return (*result, [int(k) for k in paths[0].n_iter]) if return_n_iter else result


def lasso_path(X: Any, y: Any, **params: Any) -> tuple[Any, ...]:
    """Lasso coefficients along a sequence of penalties: `enet_path` at ``l1_ratio=1``.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,) or (n, t)
    **params
        As in `enet_path`.

    Returns
    -------
    alphas, coefs, dual_gaps
        As in `enet_path`.

    Examples
    --------
    >>> from linework import lasso_path
    >>> lasso_path([[1.0], [2.0]], [1.0, 2.0], alphas=[1.0, 0.1])[1].round(3)
    array([[0.6 , 0.96]])
    """
    return enet_path(X, y, l1_ratio=1.0, **params)


def _problems(table: Table, fit_intercept: bool) -> list[Any]:
    """One problem per target."""
    targets = range(table.n_targets)
    if table.n_columns > GRAM_COLUMNS:
        return [PassProblem.of(table, k, fit_intercept) for k in targets]
    moments = map_reduce(table, Moments.from_block)
    return [StatsProblem.of(moments, k, fit_intercept) for k in targets]


def unfinished(path: Path, bound: float) -> int:
    """How many solutions of a path have a duality gap above this."""
    return int(np.count_nonzero(path.gaps > bound))


def warn_unfinished(misses: int, fits: int) -> None:
    """Warn where some fits along paths did not converge."""
    if misses:
        warnings.warn(
            f"{misses} of the {fits} fits along the penalties did not converge: their duality gap "
            "is above tol. Raise max_iter or tol, or leave the smallest penalties out.",
            ConvergenceWarning,
            stacklevel=3,
        )


def grid(
    problems: Sequence[PenalisedProblem], alphas: Any, penalty: Penalty, eps: float, weight: float
) -> Penalty:
    """The penalty with α in descending order: as given, or down from the first without effect."""
    if not isinstance(alphas, Integral):
        return replace(penalty, alphas=np.sort(check_grid(alphas))[::-1])
    if not (int(alphas) >= 1 and 0.0 < eps <= 1.0):
        raise ValueError(
            f"alphas is {alphas!r} and eps is {eps!r}: how many penalties, at least 1, and the "
            "smallest as a share of the largest, above 0 and up to 1, are expected."
        )
    if not penalty.l1_ratio > 0.0:
        raise ValueError(
            "With l1_ratio=0 no penalty leaves all coefficients at zero, so there is no largest "
            "alpha to start a grid from: give the alphas themselves, as alphas=[...]."
        )
    slope = max(problem.largest_slope(penalty.positive) for problem in problems)
    largest, least = slope / (weight * penalty.l1_ratio), float(np.finfo(np.float64).resolution)
    if not largest > 0.0:
        return replace(penalty, alphas=np.full(alphas, least))
    return replace(penalty, alphas=np.geomspace(largest, largest * eps, int(alphas)))
