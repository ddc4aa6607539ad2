"""Ridge regression with its penalty chosen by leave-one-out, by GCV or by folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring
from sklearn.utils import check_scalar
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_reduce, map_rows
from linework.folds import Split, fold_moments
from linework.regression.base import GRAM_COLUMNS, ClosedForm
from linework.regression.cross_validated import CrossValidated
from linework.regression.leave_one_out import LeaveOneOut
from linework.regression.ridge import Ridge
from linework.solvers.least_squares import CHOLESKY_LIMIT, factors
from linework.solvers.spectral import Spectrum
from linework.stats import Moments, RFactor


def _from_statistics(model: RidgeCV) -> bool:
    """Whether α can be chosen without rows."""
    return bool(model.cv == "gcv")


class RidgeCV(CrossValidated, Ridge):
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
    coef_, intercept_, rank_, condition_, solver_, stats_
        As in `Ridge`, at the best α on all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import RidgeCV
    >>> X = np.arange(10.0)[:, None]
    >>> RidgeCV(alphas=[0.01, 100.0]).fit(X, 3 * X[:, 0] + np.sin(X[:, 0])).alpha_
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
        alphas = self._alphas()
        table, flat = self._read_training(X, y, sample_weight)
        if table.sparse and table.n_columns > GRAM_COLUMNS:
            raise ValueError(
                f"X is sparse with {table.n_columns} columns, and RidgeCV needs eigenvectors of all "
                f"columns; it takes up to {GRAM_COLUMNS}. Use Ridge with a fixed alpha, or select "
                "columns first."
            )
        wide = table.n_rows <= table.n_columns
        if self.cv is None or isinstance(self.cv, str):
            stats = map_reduce(table, (RFactor if wide else Moments).from_block)
            choose = self._gcv if self.cv else partial(self._leave_one_out, table, flat)
            scores = choose(stats, alphas)
        else:
            splits = self._splits(X, y, params)
            stats, parts = (_factor_folds if wide else fold_moments)(table, splits)
            scores = self._folds(table, splits, parts, alphas)
        self._fit_best(stats, alphas, scores, flat)
        self.stats_ = stats if isinstance(stats, Moments) else None
        return self

    fit_stats = available_if(_from_statistics)(ClosedForm.fit_stats)
    partial_fit = available_if(_from_statistics)(ClosedForm.partial_fit)
    forget = available_if(_from_statistics)(ClosedForm.forget)

    def _solve(self, stats: Moments | RFactor, flat: bool) -> None:
        alphas = self._alphas()
        self._fit_best(stats, alphas, self._gcv(stats, alphas), flat)

    def _alphas(self) -> Array:
        bounds = "left" if self.cv is not None and self.cv != "gcv" else "neither"
        alphas = np.ravel(np.asarray(self.alphas, dtype=object))
        for i, alpha in enumerate(alphas):
            check_scalar(alpha, f"alphas[{i}]", Real, min_val=0.0, include_boundaries=bounds)
        return alphas.astype(np.float64)

    def _fit_best(self, stats: Moments | RFactor, alphas: Array, scores: Array, flat: bool) -> None:
        """Take the α of the largest score, ``scores`` being of shape (alphas, t)."""
        if not self.alpha_per_target:
            scores = scores.mean(axis=1, keepdims=True)
        best = scores.argmax(axis=0)
        alpha, score = alphas[best], scores.max(axis=0)
        one = flat or not self.alpha_per_target
        self.alpha_, self.best_score_ = (alpha[0], score[0]) if one else (alpha, score)
        model = Ridge(alpha, fit_intercept=self.fit_intercept)
        self._set_solution(model._ridge(stats), stats, flat)

    def _gcv(self, stats: Moments | RFactor, alphas: Array) -> Array:
        """−(RSS / W) / (1 − tr H / W)², of shape (alphas, t)."""
        if self.cv != "gcv":
            raise ValueError(f'cv is {self.cv!r}; the only word for it is "gcv".')
        spectrum, squares = self._spectrum(stats)
        rss = squares - spectrum.explained(alphas)
        trace = spectrum.degrees_of_freedom(alphas) + self.fit_intercept
        return -(rss / stats.weight) / (1.0 - trace[:, None] / stats.weight) ** 2

    def _spectrum(self, stats: Moments | RFactor) -> tuple[Spectrum, Array]:
        """Of the Gram matrix, and ‖y‖² of each target, shape (t,)."""
        if isinstance(stats, Moments):
            gram, cross, squares = stats.centred(self.fit_intercept)
            return Spectrum.from_gram(gram, cross), np.diag(squares)
        R_x, R_y = factors(stats, self.fit_intercept)
        return Spectrum.from_factor(R_x, R_y, stats.count), np.square(R_y).sum(axis=0)

    def _leave_one_out(
        self, table: Table, flat: bool, stats: Moments | RFactor, alphas: Array
    ) -> Array:
        """−(mean squared errors), or the scores of the predictions, of shape (alphas, t or 1)."""
        assert table.y is not None
        if stats.count == 1:
            raise ValueError(
                "There is one row (n_samples = 1), and leaving it out leaves none to fit: give more "
                "rows, or use Ridge with a fixed alpha."
            )
        spectrum, _ = self._spectrum(stats)
        if spectrum.penalised_condition(alphas.min()) > CHOLESKY_LIMIT and isinstance(
            stats, Moments
        ):
            spectrum, _ = self._spectrum(map_reduce(table, RFactor.from_block))
        loo = LeaveOneOut(spectrum, stats, alphas, self.fit_intercept)
        if self.scoring is None and not self.store_cv_results:
            return -map_reduce(table, loo.squared) / stats.weight
        errors = map_rows(table, loo.errors)
        weight = np.ones(table.n_rows) if table.weight is None else table.weight
        squared = weight[:, None, None] * errors**2
        results = squared if self.scoring is None else table.y[:, None] - errors
        if self.store_cv_results:
            self.cv_results_ = results[..., 0] if flat else np.swapaxes(results, 1, 2)
        if self.scoring is not None:
            return self._score(table.y, results, table.weight)
        return -results.sum(axis=0) / stats.weight

    def _folds(
        self, table: Table, splits: Sequence[Split], parts: Iterator[Any], alphas: Array
    ) -> Array:
        """Mean scores over the splits, of shape (alphas, t or 1)."""
        if self.store_cv_results:
            raise ValueError(
                "cv!=None and store_cv_results=True do not go together: folds are scored as a whole, "
                "and there is no number for each row. Leave cv=None, or store_cv_results=False."
            )
        scores = []
        for (train, test), (_, rows) in zip(parts, splits, strict=True):
            models = [Ridge(alpha, fit_intercept=self.fit_intercept) for alpha in alphas]
            models = [model.fit_stats(train) for model in models]
            if self.scoring is None and isinstance(test, Moments):
                scores.append([r2_from_moments(model, test) for model in models])
                continue
            held_out = table.take(rows)
            assert held_out.y is not None
            predictions = np.stack([model._predict(held_out) for model in models], axis=1)
            predictions = predictions.reshape(len(rows), len(alphas), -1)
            scores.append(self._score(held_out.y, predictions, held_out.weight))
        return np.mean(scores, axis=0)

    def _score(self, y: Array, predictions: Array, weight: Array | None) -> Array:
        """The scorer's word on predictions (n, alphas, t): shape (alphas, t) or (alphas, 1)."""
        scorer = check_scoring(_Predicted(), scoring=self.scoring or "r2")
        params = {} if weight is None else {"sample_weight": weight}
        targets = list(y.T) if self.alpha_per_target or y.shape[1] == 1 else [y]
        return np.array(
            [
                [
                    scorer(_Predicted(), p[:, k] if target.ndim == 1 else p, target, **params)
                    for k, target in enumerate(targets)
                ]
                for p in np.swapaxes(predictions, 0, 1)
            ]
        )


def _factor_folds(
    table: Table, splits: Sequence[Split]
) -> tuple[RFactor, Iterator[tuple[RFactor, None]]]:
    """As `fold_moments` for fewer rows than columns; the test rows are read for their predictions."""

    def factor(rows: Table) -> RFactor:
        return map_reduce(rows, RFactor.from_block)

    return factor(table), ((factor(table.take(np.sort(train))), None) for train, _ in splits)


class _Predicted(BaseEstimator):
    """Stands for an estimator whose predictions are known: a scorer asks it to predict them."""

    def fit(self, X: Array, y: Array) -> Self:
        return self

    def predict(self, predictions: Array) -> Array:
        return predictions


def r2_from_moments(model: Ridge, test: Moments) -> Array:
    """R² of a linear model on rows known by their moments, for each target: shape (t,)."""
    coef = np.atleast_2d(model.coef_).T
    gram, cross, total = test.centred(True)
    bias = test.y_mean - test.x_mean @ coef - model.intercept_
    rss = np.diag(total) - 2 * (coef * cross).sum(axis=0) + (coef * (gram @ coef)).sum(axis=0)
    return np.asarray(1.0 - (rss + test.weight * bias**2) / np.diag(total))
