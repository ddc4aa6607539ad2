"""Ridge regression with its penalty chosen by leave-one-out, by GCV or by folds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array
from linework.data.sources import GRAM_COLUMNS, Table
from linework.engine import map_reduce, map_rows
from linework.estimator import CrossValidated
from linework.folds import Split, fold_moments
from linework.progress import progress
from linework.regression.base import ClosedForm
from linework.regression.checks import check_grid
from linework.regression.ladder import Solve, climb, collect, condition_limit
from linework.regression.leave_one_out import LeaveOneOut
from linework.regression.lines import predict_each
from linework.regression.ridge import Ridge
from linework.regression.scoring import MomentErrors, score_predictions
from linework.solvers.least_squares import factors
from linework.solvers.ridge import ridge
from linework.solvers.spectral import Spectrum
from linework.stats import Moments, RFactor


def _from_statistics(model: RidgeCV) -> bool:
    """Whether α can be chosen without rows."""
    return bool(model.cv == "gcv")


class RidgeCV(CrossValidated, ClosedForm):
    """Ridge regression, argmin ‖y − Xw − b‖² + α ‖w‖², with the best of several α.

    One eigendecomposition serves every α. Leaving a row out needs no fit either, because with
    h_i(α) = w_i/W + w_i x̃_iᵀ(X̃ᵀX̃ + αI)⁻¹x̃_i the error of row i, predicted without it, is
    r_i / (1 − h_i).

    Parameters
    ----------
    alphas : array-like of positive numbers, default=(0.1, 1.0, 10.0)
    fit_intercept : bool, default=True
    scoring : str or callable, default=None
        As in scikit-learn. None: mean squared error for leave-one-out and GCV, R² for folds.
    cv : None, "gcv", int, splitter or iterable of (train, test), default=None
        None leaves each row out in turn; a row of weight 2 is left out as a whole. ``"gcv"`` takes
        the mean of h in its place, which needs no second pass. Otherwise folds, from one pass.
    store_cv_results : bool, default=False
        Whether the weighted squared errors (the predictions, under `scoring`) of each row are
        kept; for leave-one-out only.
    alpha_per_target : bool, default=False
        Whether each target has its own best α; for leave-one-out and ``"gcv"``.

    Attributes
    ----------
    alpha_ : float or array of shape (t,)
    best_score_ : float or array of shape (t,)
    cv_results_ : array of shape (n, alphas) or (n, t, alphas)
        If `store_cv_results`.
    coef_, intercept_, rank_, condition_, aliased_, solver_, stats_
        As in `Ridge`, at the best α on all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import RidgeCV
    >>> X = np.arange(10.0)[:, None]
    >>> float(RidgeCV(alphas=[0.01, 100.0]).fit(X, 3 * X[:, 0] + np.sin(X[:, 0])).alpha_)
    0.01
    """

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose α and fit.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,) or (n, t)
        sample_weight : array-like of shape (n,), optional
        **params
            For the splitter, such as groups, where metadata routing is enabled.

        Returns
        -------
        self
        """
        self._alphas()
        table, flat = self._read_training(X, y, sample_weight)
        if table.sparse and table.n_columns > GRAM_COLUMNS:
            raise ValueError(
                f"X is sparse with {table.n_columns} columns, and RidgeCV needs eigenvectors of "
                f"all columns; it takes up to {GRAM_COLUMNS}. Use Ridge with a fixed alpha, or "
                "select columns first."
            )
        if self.cv is None or self.cv == "gcv":
            stats = collect(table)
            loo = self.cv is None
            scores = self._leave_one_out(table, stats, flat) if loo else self._gcv(stats)
        else:
            splits = self._splits(X, y, table.weight, params)
            wide = table.n_rows <= table.n_columns
            stats, parts = (_factor_folds if wide else fold_moments)(table, splits)
            scores = self._folds(table, splits, parts)
        solution, means, self.stats_ = climb(table, self._best(scores, flat), stats)
        self._set_solution(solution, means, flat, table.dtype)
        return self

    fit_stats = available_if(_from_statistics)(ClosedForm.fit_stats)
    partial_fit = available_if(_from_statistics)(ClosedForm.partial_fit)
    forget = available_if(_from_statistics)(ClosedForm.forget)

    def _solve(self, stats: Moments | RFactor, flat: bool) -> None:
        solution = self._best(self._gcv(stats), flat)(stats)
        self._set_solution(solution, stats, flat)

    def _alphas(self) -> Array:
        bounds = "left" if self.cv is not None and self.cv != "gcv" else "neither"
        return check_grid(self.alphas, include_boundaries=bounds)

    def _best(self, scores: Array, flat: bool) -> Solve:
        """Note the α of the largest score, of scores (alphas, t), and give the solver for it."""
        if not self.alpha_per_target:
            scores = scores.mean(axis=1, keepdims=True)
        if np.isnan(scores).any():
            warnings.warn(
                "Some scores are not numbers, and their alphas lose: R² needs two rows or more in "
                'every fold. Take fewer folds, or scoring="neg_mean_squared_error".',
                UserWarning,
                stacklevel=3,
            )
        best = np.nan_to_num(scores, nan=-np.inf, neginf=-np.inf).argmax(axis=0)
        alpha, score = self._alphas()[best], scores[best, np.arange(len(best))]
        one = flat or not self.alpha_per_target
        self.alpha_, self.best_score_ = (alpha[0], score[0]) if one else (alpha, score)
        return partial(ridge, alpha=alpha, fit_intercept=self.fit_intercept)

    def _gcv(self, stats: Moments | RFactor) -> Array:
        """−(RSS / W) / (1 − tr H / W)², of shape (alphas, t)."""
        spectrum, squares = self._spectrum(stats)
        alphas = self._alphas()
        rss = squares - spectrum.explained(alphas)
        trace = spectrum.degrees_of_freedom(alphas) + self.fit_intercept
        free = 1.0 - trace[:, None] / stats.weight
        free[free == 0.0] = 1.0  # one row, which the intercept fits: no residual, whatever α
        return np.asarray(-(rss / stats.weight) / free**2)

    def _spectrum(self, stats: Moments | RFactor) -> tuple[Spectrum, Array]:
        """Of the Gram matrix, and ‖y‖² of each target, shape (t,)."""
        if isinstance(stats, Moments):
            gram, cross, squares = stats.centred(self.fit_intercept)
            return Spectrum.from_gram(gram, cross), np.diag(squares)
        R_x, R_y = factors(stats, self.fit_intercept)
        return Spectrum.from_factor(R_x, R_y, stats.count), np.square(R_y).sum(axis=0)

    def _leave_one_out(self, table: Table, stats: Moments | RFactor, flat: bool) -> Array:
        """−(mean squared errors), or the scores of the predictions, of shape (alphas, t or 1)."""
        if stats.count == 1:
            raise ValueError(
                "There is one row (n_samples = 1), and leaving it out leaves none to fit: give "
                "more rows, or use Ridge with a fixed alpha."
            )
        alphas = self._alphas()
        spectrum, _ = self._spectrum(stats)
        if isinstance(stats, Moments):
            condition = spectrum.penalised_condition(alphas.min())
            if condition > condition_limit(table):
                spectrum, _ = self._spectrum(map_reduce(table, RFactor.from_block))
        loo = LeaveOneOut(spectrum, stats, alphas, self.fit_intercept)
        if self.scoring is None and not self.store_cv_results:
            return np.asarray(-map_reduce(table, loo.squared) / stats.weight)
        errors = map_rows(table, loo.errors)
        assert table.y is not None
        if self.scoring is None:
            weight = np.ones(table.n_rows) if table.weight is None else table.weight
            results = weight[:, None, None] * errors**2
            scores: Array = -results.sum(axis=0) / stats.weight
        else:
            results = table.y[:, None] - errors
            scores = self._score(table, results)
        if self.store_cv_results:
            self.cv_results_ = results[..., 0] if flat else np.swapaxes(results, 1, 2)
        return scores

    def _folds(self, table: Table, splits: Sequence[Split], parts: Iterator[Any]) -> Array:
        """Mean scores over the splits, of shape (alphas, t or 1)."""
        if self.store_cv_results:
            raise ValueError(
                "cv!=None and store_cv_results=True do not go together: folds are scored as a "
                "whole, and there is no number for each row. Leave cv=None, or "
                "store_cv_results=False."
            )
        scores, model = [], Ridge(fit_intercept=self.fit_intercept)
        with progress("Folds", len(splits)) as advance:
            for (train, test), (_, rows) in zip(parts, splits, strict=True):
                coef = model._along(train, list(self._alphas()), np.inf)
                intercept = np.zeros(coef.shape[::2])
                if self.fit_intercept:
                    intercept = train.y_mean - train.x_mean @ coef
                if self.scoring is None and isinstance(test, Moments):
                    scores.append(MomentErrors.of(coef, intercept, test).r2)
                else:
                    held_out = table.take(rows)
                    predict = partial(predict_each, coef=coef, intercept=intercept)
                    scores.append(self._score(held_out, map_rows(held_out, predict)))
                advance(1)
        return np.asarray(np.mean(scores, axis=0))

    def _score(self, table: Table, predictions: Array) -> Array:
        scoring = "r2" if self.scoring is None else self.scoring
        assert table.y is not None
        return score_predictions(scoring, table.y, predictions, table.weight, self.alpha_per_target)


def _factor_folds(
    table: Table, splits: Sequence[Split]
) -> tuple[RFactor, Iterator[tuple[RFactor, None]]]:
    """As `fold_moments` for fewer rows than columns; test rows are read for their predictions."""

    def factor(rows: Table) -> RFactor:
        return map_reduce(rows, RFactor.from_block)

    return factor(table), ((factor(table.take(np.sort(train))), None) for train, _ in splits)
