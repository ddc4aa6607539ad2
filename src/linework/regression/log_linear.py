"""Log-linear regression: least squares for ln y."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import column_or_1d

from linework.candidates import ByRows, FoldFits
from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.regression.linear import LinearRegression
from linework.stats import Moments, RFactor


class LogLinearRegression(LinearRegression):
    """Log-linear regression: ln y ≈ wᵀx + b, fitted by least squares.

    exp(wᵀx + b) is the *median* of y when the errors of ln y are symmetric. Its mean is larger, by
    the factor E[exp(ε)], and `mean` says how that factor is found.

    Parameters
    ----------
    mean : {"normal", "smearing", "median"}, default="normal"
        ``"normal"`` predicts the mean for normal errors, with the factor exp(σ²/2), σ² = RSS /
        (W − rank − 1). ``"smearing"`` predicts the mean without that assumption, with the average
        of exp(residual) (Duan, 1983). ``"median"`` predicts exp(wᵀx + b).
    fit_intercept : bool, default=True

    Attributes
    ----------
    coef_, intercept_, rank_, condition_, aliased_, solver_, stats_
        As in `LinearRegression`, of ln y.
    sigma_ : float or array of shape (t,)
        σ, the standard deviation of the errors of ln y.
    factor_ : float or array of shape (t,)
        What exp(wᵀx + b) is multiplied by.

    Examples
    --------
    >>> from linework import LogLinearRegression
    >>> model = LogLinearRegression(mean="median").fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0])
    >>> model.predict([[3.0]]).round(6)
    array([8.])
    """

    positive = False

    sigma_: Any
    factor_: Any

    def __init__(self, *, mean: str = "normal", fit_intercept: bool = True) -> None:
        self.mean = mean
        self.fit_intercept = fit_intercept

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,) or (n, t)
            Above zero.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        table, flat = self._read_training(X, y, sample_weight)
        self._fit(table, flat)
        sums = map_reduce(table, self._residual_sums)
        self._set_factor(sums[1], sums[0, 0], sums[2] / sums[0], flat)
        return self

    def _fit_folds(self, *_: Any) -> FoldFits:
        raise ByRows("The factor of LogLinearRegression takes a pass over residuals in each fold.")

    def predict(self, X: Any) -> Array:
        """The mean (or median) of y for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,) or (n, t)
        """
        return np.asarray(np.exp(super().predict(X), dtype=np.float64) * self.factor_)

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True
    ) -> tuple[Table, bool]:
        table, flat = super()._read_training(X, y, sample_weight, reset=reset)
        if not flat and table.n_targets == 1:
            column_or_1d(y, warn=True)
            flat = True
        assert table.y is not None
        y = table.y
        if table.weight is not None:  # removed rows may hold anything
            y = np.where(table.weight[:, None] > 0.0, y, 1.0)
        if (y <= 0.0).any():
            row = int(np.argwhere(y <= 0.0)[0, 0])
            raise ValueError(
                f"y is {y[row].min():g} in row {row}, and its logarithm is taken: every y must be "
                "positive. For counts with zeros, a Poisson model fits."
            )
        return replace(table, y=np.log(y)), flat

    def _residual_sums(self, block: Block) -> Array:
        """Σ w, Σ w r² and Σ w exp(r) for each target, shape (3, t)."""
        block = block.present()
        r = block.targets - np.asarray(block.X @ np.atleast_2d(self.coef_).T) - self.intercept_
        weight = np.ones(len(block)) if block.weight is None else block.weight
        with np.errstate(over="ignore"):  # told in words where the factor is set
            return np.array([weight @ part for part in (np.ones_like(r), r**2, np.exp(r))])

    def _solve(self, stats: Moments | RFactor, flat: bool) -> None:
        if self.mean == "smearing":
            raise ValueError(
                'mean="smearing" averages over the residuals of the rows, and statistics have no '
                'rows: set mean="normal" or mean="median".'
            )
        super()._solve(stats, flat)
        _, cross, squares = stats.centred(self.fit_intercept)
        rss = np.diag(squares) - (np.atleast_2d(self.coef_).T * cross).sum(axis=0)
        self._set_factor(np.maximum(rss, 0.0), stats.weight, np.ones(len(rss)), flat)

    def _set_factor(self, rss: Array, weight: float, smear: Array, flat: bool) -> None:
        rank = self.n_features_in_ if self.rank_ is None else self.rank_
        freedom = weight - rank - self.fit_intercept
        sigma = np.sqrt(rss / freedom) if freedom > 0.0 else np.zeros(len(rss))
        with np.errstate(over="ignore"):
            factors = {
                "normal": np.exp(sigma**2 / 2.0),
                "smearing": smear,
                "median": np.ones(len(rss)),
            }
        if self.mean not in factors:
            raise ValueError(f'mean is {self.mean!r}; it is "normal", "smearing" or "median".')
        factor = factors[self.mean]
        if not np.isfinite(factor).all():
            raise ValueError(
                f"The errors of ln y have standard deviation {sigma.max():.3g}, and the mean of y "
                'overflows float64 (about 1e308): set mean="median", or divide y by a suitable '
                "power of ten."
            )
        self.sigma_, self.factor_ = (sigma[0], factor[0]) if flat else (sigma, factor)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        tags.target_tags.multi_output = (
            False  # several targets work, but not those scikit-learn tries
        )
        return tags
