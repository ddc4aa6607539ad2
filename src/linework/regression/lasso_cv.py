"""Lasso and elastic net with their penalty chosen by cross-validation, and the paths themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils import check_scalar
from sklearn.utils.validation import column_or_1d

from linework.data.blocks import Array
from linework.data.sources import GRAM_COLUMNS, Table, as_table
from linework.engine import map_reduce
from linework.estimator import CrossValidated
from linework.folds import Parts, Split, fold_moments, group_moments
from linework.regression.base import LinearModel, Means
from linework.regression.lasso import ElasticNet, check_penalty, tighter
from linework.regression.penalised import PassProblem, PenalisedProblem, StatsProblem
from linework.regression.scoring import MomentErrors
from linework.solvers.coordinate import Penalty
from linework.stats import ClassMoments, Moments


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
    table, flat = as_table(X, y, caller="enet_path"), np.asarray(y).ndim == 1
    problems = _problems(table, fit_intercept=False)
    weight = float(table.n_rows)
    penalty = check_penalty([], l1_ratio, positive, tol, max_iter)
    penalty = _grid(problems, alphas, penalty, eps, weight)
    paths = [problem.path(penalty) for problem in problems]
    coefs = np.stack([path.coefs.T for path in paths])
    gaps = np.stack([path.gaps for path in paths]) / weight
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


def _grid(
    problems: Sequence[PenalisedProblem], alphas: Any, penalty: Penalty, eps: float, weight: float
) -> Penalty:
    """The penalty with α in descending order: as given, or down from the first without effect."""
    if not isinstance(alphas, int | np.integer):
        for i, alpha in enumerate(alphas):
            check_scalar(alpha, f"alphas[{i}]", Real, min_val=0.0)
        return replace(penalty, alphas=np.sort(np.asarray(alphas, np.float64))[::-1])
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


Fold = tuple[PenalisedProblem, Callable[[Array], Array]]
"""The training problem, and coefficients (a, d) ↦ mean squared errors (a,) on the test rows."""


class ElasticNetCV(CrossValidated, LinearModel):
    """Elastic net with the best penalty by cross-validation; the objective is `ElasticNet`'s.

    One pass over the data serves every fold and every penalty.

    Parameters
    ----------
    l1_ratio : float or list of float, default=0.5
        Shares to try.
    eps : float, default=1e-3
        Smallest α as a share of the largest, which is the smallest that leaves no coefficient.
    alphas : int or array-like, default=100
        How many α, or which.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
    tol : float, default=1e-4
    cv : int, splitter or iterable of (train, test), default=None
        None: five folds of consecutive rows.
    positive : bool, default=False
    rule : {"min", "1se"}, default="min"
        The α of the smallest mean error, or the largest α within one standard error of it: the
        simplest model that is not told from the best.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
    alphas_ : array of shape (alphas,) or (l1_ratios, alphas), descending
    mse_path_ : array of shape (alphas, folds) or (l1_ratios, alphas, folds)
    coef_, intercept_, dual_gap_, n_iter_, convergence_, solver_, rank_, condition_, aliased_
        As in `ElasticNet`, at the chosen penalty on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import ElasticNetCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(float(ElasticNetCV(l1_ratio=[0.5, 0.9]).fit(X, y).l1_ratio_), 2)
    0.9
    """

    def __init__(
        self,
        *,
        l1_ratio: Any = 0.5,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        cv: Any = None,
        positive: bool = False,
        rule: str = "min",
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.positive = positive
        self.rule = rule

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose the penalty and fit.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        **params
            For the splitter, such as groups, where metadata routing is enabled.

        Returns
        -------
        self
        """
        table, flat = self._read_training(X, y, sample_weight)
        if table.n_targets != 1:
            raise ValueError(
                f"y has {table.n_targets} columns, and {type(self).__name__} takes one target: fit "
                "one model for each (multi-task outputs have no common penalty here)."
            )
        if not flat:
            column_or_1d(y, warn=True)
        splits = self._splits(X, y, table.weight, params)
        if table.n_columns > GRAM_COLUMNS:
            problem = PassProblem.of(table, 0, self.fit_intercept)
            folds = _pass_folds(table, splits, self.fit_intercept)
            return self._fit_best(problem, folds, problem.columns, table.dtype)
        total, parts = fold_moments(table, splits)
        return self._fit_moments(total, parts, table.dtype)

    def fit_stats(self, stats: ClassMoments) -> Self:
        """Fit from the moments of each fold.

        Parameters
        ----------
        stats : ClassMoments
            Groups are folds, each held out in turn: ``map_reduce(source.with_group(fold),
            ClassMoments.from_block)``.

        Returns
        -------
        self
        """
        total, parts = group_moments(stats)
        self.n_features_in_ = total.n_features
        return self._fit_moments(total, parts)

    def _fit_moments(self, total: Moments, parts: Parts, dtype: Any = np.float64) -> Self:
        problem = StatsProblem.of(total, 0, self.fit_intercept)
        folds = _moment_folds(parts, self.fit_intercept)
        return self._fit_best(problem, folds, total, dtype)

    def _fit_best(
        self,
        problem: PenalisedProblem,
        folds: Iterator[Fold],
        means: Means,
        dtype: Any,
    ) -> Self:
        """Follow every path in every fold, take the best penalty and fit it to all rows."""
        if self.rule not in ("min", "1se"):
            raise ValueError(f'rule is {self.rule!r}; it is "min" or "1se".')
        ratios = np.atleast_1d(self.l1_ratio)
        penalties = [
            check_penalty([], ratio, self.positive, tighter(self.tol), self.max_iter)
            for ratio in ratios
        ]
        penalties = [
            _grid([problem], self.alphas, penalty, self.eps, means.weight) for penalty in penalties
        ]
        errors = []
        for training, squared_errors in folds:
            paths = [training.path(penalty) for penalty in penalties]
            errors.append([squared_errors(path.coefs) for path in paths])
        mse: Array = np.moveaxis(np.array(errors), 0, -1)
        mean = mse.mean(axis=-1)
        ratio, best = divmod(int(mean.argmin()), mean.shape[1])
        if self.rule == "1se":
            largest = mse[ratio, best].max()  # squares of the errors may overflow
            relative = mse[ratio, best] / (largest if largest > 0.0 else 1.0)
            spread = largest * relative.std(ddof=1) / np.sqrt(len(relative))
            best = int(np.flatnonzero(mean[ratio] <= mean[ratio, best] + spread)[0])
        self.alpha_ = float(penalties[ratio].alphas[best])
        self.l1_ratio_ = float(ratios[ratio])
        one = np.ndim(self.l1_ratio) == 0
        grids = np.array([penalty.alphas for penalty in penalties])
        self.alphas_ = grids[0] if one or np.ndim(self.alphas) else grids
        self.mse_path_ = mse[0] if one else mse
        model = ElasticNet(
            self.alpha_,
            l1_ratio=self.l1_ratio_,
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            tol=self.tol,
            positive=self.positive,
        )
        # Along the path: a small α takes many more sweeps from zero.
        path = replace(model._penalty(), alphas=penalties[ratio].alphas[: best + 1])
        model._descend([problem], path, means, True, dtype)
        self.__dict__.update({k: v for k, v in vars(model).items() if k.endswith("_")})
        return self


class LassoCV(ElasticNetCV):
    """Lasso with the best penalty by cross-validation; the objective is `Lasso`'s.

    One pass over the data serves every fold and every penalty.

    Parameters
    ----------
    eps : float, default=1e-3
        Smallest α as a share of the largest, which is the smallest that leaves no coefficient.
    alphas : int or array-like, default=100
        How many α, or which.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
    tol : float, default=1e-4
    cv : int, splitter or iterable of (train, test), default=None
        None: five folds of consecutive rows.
    positive : bool, default=False
    rule : {"min", "1se"}, default="min"
        As in `ElasticNetCV`.

    Attributes
    ----------
    alpha_, l1_ratio_, alphas_, mse_path_
        As in `ElasticNetCV`.
    coef_, intercept_, dual_gap_, n_iter_, convergence_, solver_, rank_, condition_, aliased_
        As in `Lasso`, at the chosen penalty on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import LassoCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> LassoCV(rule="1se").fit(X, y).coef_.round()
    array([   0.,  -87.,  512.,  240.,    0.,    0., -178.,    0.,  451.,
              4.])
    """

    l1_ratio = 1.0

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        cv: Any = None,
        positive: bool = False,
        rule: str = "min",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.positive = positive
        self.rule = rule


def _moment_folds(parts: Parts, fit_intercept: bool) -> Iterator[Fold]:
    for train, test in parts:
        errors = partial(_mean_squared_errors, train, test, fit_intercept)
        yield StatsProblem.of(train, 0, fit_intercept), errors


def _mean_squared_errors(train: Moments, test: Moments, fit_intercept: bool, coefs: Array) -> Array:
    """Mean squared error on rows known by their moments, for coefficients (a, d): shape (a,)."""
    intercepts = train.y_mean - coefs @ train.x_mean if fit_intercept else np.zeros(len(coefs))
    return MomentErrors.of(coefs[:, :, None], intercepts[:, None], test).mean_squares[:, 0]


def _pass_folds(table: Table, splits: Sequence[Split], fit_intercept: bool) -> Iterator[Fold]:
    for train, test in splits:
        problem = PassProblem.of(table.take(np.sort(train)), 0, fit_intercept)
        held_out = table.take(np.sort(test))
        weight = float(len(test) if held_out.weight is None else held_out.weight.sum())
        yield problem, partial(problem.mean_squared_errors, held_out, weight)
