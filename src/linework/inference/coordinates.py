"""Coordinates in which a design is orthonormal: where covariances keep their digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from linework.data.blocks import Array
from linework.solvers.cholesky import Factor, cholesky, column_scale
from linework.stats import Moments, RFactor


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """q = [1/√W, R⁻ᵀD⁻¹(x − x̄)] for a row x, so that Σ w q qᵀ = I; k numbers.

    With XᵀX = D RᵀR D about the means. Without an intercept the means are zero and the first number
    of q is left out. In these coordinates the leverage of a row is w qᵀq, and the covariance of the
    coefficients is T M Tᵀ, where M is σ²I or, robustly, a sum over rows (`covariance.Meat`): the
    sandwich (XᵀX)⁻¹ (Σ …x xᵀ) (XᵀX)⁻¹ without the two inverses, which would lose twice the digits.

    Attributes
    ----------
    factor : Factor
        D and R.
    x_mean : array of shape (d,)
    weight : float
        W = Σ w.
    intercept : bool

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.inference.coordinates import Coordinates
    >>> from linework.stats import RFactor
    >>> X = np.array([[1.0], [2.0], [6.0]])
    >>> stats = RFactor.from_block(Block(X))
    >>> Q = Coordinates.of(stats, np.array([0]), fit_intercept=True).rows(X)
    >>> abs(Q.T @ Q).round(12)
    array([[1., 0.],
           [0., 1.]])
    """

    factor: Factor
    x_mean: Array
    weight: float
    intercept: bool

    @classmethod
    def of(cls, stats: Moments | RFactor, columns: Array, fit_intercept: bool) -> Coordinates:
        """The coordinates of these independent columns."""
        mean = stats.x_mean[columns] * float(fit_intercept)
        factor = _factor(stats, columns, fit_intercept)
        return cls(factor, mean, stats.weight, fit_intercept)

    @property
    def size(self) -> int:
        """K."""
        return len(self.x_mean) + self.intercept

    def rows(self, X: Array) -> Array:
        """Q for dense rows X (m, d): shape (m, k). d² operations a row."""
        Z = self.factor.whiten(X - self.x_mean) if X.shape[1] else np.empty(X.shape)
        if not self.intercept:
            return Z
        return np.column_stack([np.full(len(Z), self.weight**-0.5), Z])

    def scores(self, X: Array, u: Array, c: Array, power: int) -> tuple[Array, Array]:
        """The scores u q / (1 − h)^½power of rows X (m, d), shape (m, k), and 1 − h = 1 − c qᵀq."""
        Q = self.rows(X)
        rest = 1.0 - c * np.square(Q).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):  # told by who asks for them
            return Q * (u / rest ** (0.5 * power))[:, None], rest

    def of_coef(self, coef: Array) -> Array:
        """γ = R D β for slopes β (d,): the slopes' effect in these coordinates."""
        effect: Array = self.factor.R @ (self.factor.scale * coef)
        return effect

    def to_coef(self) -> Array:
        """T (k, k): intercept and slopes, [b, β] = T [·, γ]."""
        d = len(self.x_mean)
        slopes = self.factor.whiten(np.eye(d)) if d else np.empty((0, 0))
        if not self.intercept:
            return slopes
        first = np.concatenate([[self.weight**-0.5], -self.x_mean @ slopes])
        return np.vstack([first, np.column_stack([np.zeros(d), slopes])])

    def places(self, columns: Array) -> Array:
        """Positions of these coordinates' coefficients, the intercept first, among those of all."""
        return np.concatenate([[0], columns + 1]) if self.intercept else columns

    def spread(self, meat: Array, columns: Array, n_features: int) -> Array:
        """T M Tᵀ, among the coefficients of all columns; NaN for those that are not defined."""
        T, k = self.to_coef(), n_features + int(self.intercept)
        largest = np.abs(T).max(axis=1, keepdims=True)
        unit = T / largest  # so that only a number's own size takes it out of range
        covariance = unit @ meat @ unit.T
        varies = covariance.diagonal() > 0.0
        with np.errstate(over="ignore", under="ignore"):
            covariance = covariance * largest * largest.T
        variance = covariance.diagonal()[varies]
        if not ((variance >= np.finfo(np.float64).tiny) & (variance < np.inf)).all():
            raise ValueError(
                "The squares of the coefficients' standard errors leave float64 (1e-308 to 1e308): "
                "multiply or divide the columns of X, or y, by a suitable power of ten and fit "
                "again."
            )
        places, full = self.places(columns), np.full((k, k), np.nan)
        full[np.ix_(places, places)] = 0.5 * (covariance + covariance.T)
        return full

    def inflation(self) -> Array:
        """(XᵀX)⁻¹_jj (XᵀX)_jj = 1 / (1 − R_j²) for each column: its variance inflation."""
        d = len(self.x_mean)
        half = self.factor.whiten(np.eye(d)) if d else np.empty((0, 0))
        inflation: Array = np.square(self.factor.scale) * np.square(half).sum(axis=1)
        return inflation


def _factor(stats: Moments | RFactor, columns: Array, fit_intercept: bool) -> Factor:
    if isinstance(stats, Moments):
        factor = cholesky(stats.columns(columns).centred(fit_intercept)[0])
        assert factor is not None  # moments are kept only where they are well-conditioned
        return factor
    R = stats.split(fit_intercept)[0][:, columns]
    scale = column_scale(np.square(R).sum(axis=0))
    triangle: Array = qr(R / scale, mode="r", check_finite=False)[0][: len(columns)]
    return Factor(scale, triangle, np.nan)
