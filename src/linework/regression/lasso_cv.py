"""Lasso and elastic net with their penalty chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import column_or_1d

from linework.data.blocks import Array
from linework.data.sources import GRAM_COLUMNS, Table
from linework.estimator import CrossValidated
from linework.folds import Parts, Split, fold_moments, group_moments
from linework.progress import progress
from linework.regression.base import LinearModel, Means
from linework.regression.checks import check_penalty, tighter
from linework.regression.lasso import ElasticNet
from linework.regression.paths import grid, unfinished, warn_unfinished
from linework.regression.penalised import PassProblem, PenalisedProblem, StatsProblem
from linework.regression.scoring import MomentErrors
from linework.stats import ClassMoments, Moments

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
            return self._fit_best(problem, folds, len(splits), problem.columns, table.dtype)
        total, parts = fold_moments(table, splits)
        return self._fit_moments(total, parts, len(splits), table.dtype)

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
        if not isinstance(stats, ClassMoments):
            raise TypeError(
                f"{type(self).__name__}.fit_stats takes ClassMoments, whose groups are folds, and "
                f"{type(stats).__name__} is given: collect ClassMoments.from_block of the rows."
            )
        total, parts = group_moments(stats)
        self.n_features_in_ = total.n_features
        return self._fit_moments(total, parts, len(stats.groups))

    def _fit_moments(
        self, total: Moments, parts: Parts, n_folds: int, dtype: Any = np.float64
    ) -> Self:
        problem = StatsProblem.of(total, 0, self.fit_intercept)
        folds = _moment_folds(parts, self.fit_intercept)
        return self._fit_best(problem, folds, n_folds, total, dtype)

    def _fit_best(
        self,
        problem: PenalisedProblem,
        folds: Iterator[Fold],
        n_folds: int,
        means: Means,
        dtype: Any,
    ) -> Self:
        """Follow every path in every fold, take the best penalty and fit it to all rows."""
        if self.rule not in ("min", "1se"):
            raise ValueError(f'rule is {self.rule!r}; it is "min" or "1se".')
        ratios = np.ravel(np.asarray(self.l1_ratio, dtype=object))
        if not len(ratios):
            raise ValueError(f"l1_ratio is {self.l1_ratio!r}: give at least one share to try.")
        penalties = [
            check_penalty([], ratio, self.positive, self.tol, self.max_iter) for ratio in ratios
        ]
        penalties = [
            grid([problem], self.alphas, penalty, self.eps, means.weight)
            for penalty in (replace(each, tol=tighter(each.tol)) for each in penalties)
        ]
        errors, misses = [], 0
        with progress("Folds", n_folds) as advance:
            for training, squared_errors in folds:
                paths = [training.path(penalty) for penalty in penalties]
                errors.append([squared_errors(path.coefs) for path in paths])
                misses += sum(unfinished(path, self.tol * training.yy) for path in paths)
                advance(1)
        mse: Array = np.moveaxis(np.array(errors), 0, -1)
        warn_unfinished(misses, mse.size)
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
        model._descend([problem], path, means, True, dtype, type(self).__name__)
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
