"""Classification by regression on the indicator matrix."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_scalar

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.dichotomies import TwoSides, regression_planes, unknown
from linework.discriminant.base import ByClass, ClassModel
from linework.engine import map_reduce
from linework.solvers.ridge import ridge
from linework.stats import PooledMoments
from linework.stats.indicator import indicator_moments


class IndicatorClassifier(ClassModel):
    """Least squares on the indicator matrix: argmin_B ‖Y − XB‖² + α ‖B‖², y_ik = 1 if g_i = k.

    A row is of the class of the largest fitted value f_k(x) = b_k + β_kᵀx, which is also the class
    of the nearest target: ‖f − t_k‖² = ‖f‖² − 2 f_k + 1, where t_k is the k-th unit vector.

    Parameters
    ----------
    alpha : float, default=0.0
        Penalty α ≥ 0 on all coefficients but the intercepts.
    fit_intercept : bool, default=True
        Whether there are intercepts b_k; with them, a row's fitted values sum to one.
    rule : {"argmax", "nearest"}, default="argmax"
        The largest fitted value, or the nearest target: the same class.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (K, d)
    intercept_ : array of shape (K,)
    rank_, condition_, solver_
        As in `Ridge`.
    masked_classes_ : array or None
        Classes that no training row is assigned to; None after `fit_stats`, `partial_fit` and
        `forget`, which see no rows or not all of them.
    stats_ : PooledMoments

    Notes
    -----
    The indicator matrix is never formed: its moments follow from the class means. Where a class
    lies between others it may be **masked**: f_k is nowhere the largest. A second pass looks for
    that, and a warning names the class. `LinearDiscriminantAnalysis` does not mask, nor does this
    on columns with their squares and products (`sklearn.preprocessing.PolynomialFeatures`).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import IndicatorClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = IndicatorClassifier().fit(X, y)
    >>> model.fitted_values(X[:1]).round(3), round(model.score(X, y), 3)
    (array([[ 0.979,  0.125, -0.104]]), 0.847)
    """

    _simpler: ClassVar = {"alpha": 1}

    def __init__(
        self, alpha: float = 0.0, *, fit_intercept: bool = True, rule: str = "argmax"
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.rule = rule

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from rows, and look for masked classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
            Labels of any kind that can be ordered.
        sample_weight : array-like of shape (n,), optional
            Zero removes a row, two counts it twice.

        Returns
        -------
        self
        """
        return super().fit(X, y, sample_weight)

    def fitted_values(self, X: Any) -> Array:
        """f(x) for each row: like posteriors they sum to one, but may leave [0, 1].

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, K)
        """
        return self._of_scores(X, lambda scores: scores)

    def _solve(self, stats: ByClass, table: Table | None, dtype: Any) -> None:
        assert isinstance(stats, PooledMoments)
        check_scalar(self.alpha, "alpha", Real, min_val=0.0)
        if self.rule not in ("argmax", "nearest"):
            raise ValueError(f"rule is {self.rule!r}; 'argmax' and 'nearest' are known.")
        moments = indicator_moments(stats)
        solution = ridge(moments, np.array([float(self.alpha)]), self.fit_intercept)
        self.rank_, self.condition_ = solution.rank, solution.condition
        self.solver_ = solution.solver
        intercept = np.zeros(len(self.classes_))
        if self.fit_intercept:
            intercept = moments.y_mean - moments.x_mean @ solution.coef
        self.coef_, self.intercept_ = solution.coef.T.astype(dtype), intercept.astype(dtype)
        self.masked_classes_ = None if table is None else self._masked(table)

    def hyperplanes(self, sides: TwoSides) -> tuple[Array, Array, Array]:
        """Solutions wᵀx + b of many problems of two groups of classes.

        Parameters
        ----------
        sides : TwoSides

        Returns
        -------
        w (M, d), b (M,), and which are known (M,)
        """
        if not self.fit_intercept:
            return unknown(sides)
        return regression_planes(sides, float(self.alpha))

    def _masked(self, table: Table) -> Array:
        """The classes that no row of the table is assigned to."""
        n_classes = len(self.classes_)

        def assigned(block: Block) -> Array:
            return np.bincount(self._best(block.present()), minlength=n_classes)

        masked: Array = self.classes_[map_reduce(table, assigned) == 0]
        if masked.size:
            warnings.warn(
                f"No training row is assigned to class {', '.join(map(repr, masked.tolist()))}: "
                "it lies between others and is masked by them. Use LinearDiscriminantAnalysis, or "
                "add squares and products of the columns (PolynomialFeatures).",
                UserWarning,
                stacklevel=5,
            )
        return masked

    def _scores(self, block: Block) -> Array:
        return np.asarray(block.X @ self.coef_.T + self.intercept_)

    def _best_of(self, scores: Array) -> Array:
        if self.rule == "argmax":
            return super()._best_of(scores)
        squares = np.square(scores).sum(axis=1, keepdims=True) - 2.0 * scores + 1.0
        return np.asarray(squares.argmin(axis=1))
