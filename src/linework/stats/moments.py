"""Moments: the count, means and centred second moments that every closed-form model is solved from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array, Block
from linework.stats.centre import centred_products

EPS = float(np.finfo(np.float64).eps)
SMALLEST_SQUARE = 1e-290
"""Second moments below this have lost digits to underflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Weighted count, means and centred second moments of z = [x, y]; `a + b` is the moments of both.

    Attributes
    ----------
    count : int
        Rows of positive weight.
    weight : float
        W = Σ w.
    mean : array of shape (d + t,)
        m = Σ w z / W.
    scatter : array of shape (d + t, d + t)
        S = Σ w (z − m)(z − m)ᵀ.
    n_targets : int
        t; the targets are the last columns.
    noise : array of shape (d + t,)
        Bound on the rounding error that subtractions left on the diagonal of S.

    Notes
    -----
    Two parts merge by the pairwise update (Chan, Golub and LeVeque, 1983), δ = m_b − m_a::

        W = W_a + W_b,  m = m_a + δ W_b / W,  S = S_a + S_b + δδᵀ W_a W_b / W

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.stats import Moments
    >>> a, b = Moments.from_block(Block(np.array([[1.0]]))), Moments.from_block(Block(np.array([[3.0]])))
    >>> (a + b).mean, (a + b).scatter
    (array([2.]), array([[2.]]))
    """

    count: int
    weight: float
    mean: Array
    scatter: Array
    n_targets: int
    noise: Array

    @classmethod
    def from_block(cls, block: Block) -> Moments:
        """Moments of the block's rows of positive weight."""
        rows = block.present()
        t = rows.targets.shape[1]
        p = rows.X.shape[1] + t
        if len(rows) == 0:
            block.reject_nonfinite()
            return cls(0, 0.0, np.zeros(p), np.zeros((p, p)), t, np.zeros(p))
        with np.errstate(over="ignore", invalid="ignore"):
            weight, mean, scatter = centred_products(rows)
        _reject_bad_range(rows, mean, np.diag(scatter))
        return cls(len(rows), weight, mean, scatter, t, np.zeros(p))

    def __add__(self, other: Moments) -> Moments:
        if not self.count:
            return other
        if not other.count:
            return self
        weight = self.weight + other.weight
        delta = other.mean - self.mean
        scatter = np.multiply.outer(delta * (self.weight / weight * other.weight), delta)
        scatter += self.scatter
        scatter += other.scatter
        return Moments(
            self.count + other.count,
            weight,
            self.mean + delta * (other.weight / weight),
            scatter,
            self.n_targets,
            self.noise + other.noise,
        )

    def __sub__(self, other: Moments) -> Moments:
        """The moments without the rows of `other`, or a sentence where too few digits would remain.

        Notes
        -----
        Each subtraction leaves an error of at most about 4ε of what it is taken from; `noise` adds
        them up. A column keeps at least six correct digits of its variance, or nothing is returned.
        """
        if other.count > self.count or other.weight > self.weight * (1 + 8 * EPS):
            raise ValueError(
                f"Cannot take out {other.count} rows of total weight {other.weight:g}: only "
                f"{self.count} rows of total weight {self.weight:g} were put in."
            )
        if other.count == self.count:
            p = len(self.mean)
            return Moments(0, 0.0, np.zeros(p), np.zeros((p, p)), self.n_targets, np.zeros(p))
        weight = self.weight - other.weight
        mean = (self.mean * self.weight - other.mean * other.weight) / weight
        delta = other.mean - mean
        between = np.multiply.outer(delta * (weight / self.weight * other.weight), delta)
        scatter = self.scatter - other.scatter - between
        noise = self.noise + other.noise + 4 * EPS * np.diag(self.scatter)
        lost = np.flatnonzero(noise > 1e-6 * np.diag(scatter))
        lost = lost[np.diag(self.scatter)[lost] > 0]
        if lost.size:
            raise ArithmeticError(
                f"Taking out these rows would leave fewer than six correct digits in the variance "
                f"of {lost.size} column(s) (the first is number {lost[0]}): the rows that remain "
                "vary too little beside those taken out. Fit again on the remaining rows."
            )
        return Moments(self.count - other.count, weight, mean, scatter, self.n_targets, noise)

    @property
    def n_features(self) -> int:
        """d, the number of columns of X."""
        return len(self.mean) - self.n_targets

    @property
    def x_mean(self) -> Array:
        """x̄, shape (d,)."""
        return self.mean[: self.n_features]

    @property
    def y_mean(self) -> Array:
        """ȳ, shape (t,)."""
        return self.mean[self.n_features :]

    def centred(self, fit_intercept: bool) -> tuple[Array, Array, Array]:
        """XᵀX (d, d), XᵀY (d, t) and YᵀY (t, t), about the means or, without intercept, about zero."""
        d = self.n_features
        S = self.scatter
        if not fit_intercept:
            S = S + np.multiply.outer(self.weight * self.mean, self.mean)
        return S[:d, :d], S[:d, d:], S[d:, d:]

    def columns(self, index: Array) -> Moments:
        """The moments of these columns of z alone, targets kept last."""
        keep = np.concatenate([index, np.arange(self.n_features, len(self.mean))])
        return Moments(
            self.count,
            self.weight,
            self.mean[keep],
            self.scatter[np.ix_(keep, keep)],
            self.n_targets,
            self.noise[keep],
        )


def _reject_bad_range(block: Block, mean: Array, diagonal: Array) -> None:
    """Raise a sentence where the block holds NaN or infinity, or its squares leave float64."""
    if not np.isfinite(diagonal.sum()):
        block.reject_nonfinite()
        raise ValueError(
            "The numbers are too large: their squares overflow float64 (about 1e308). Divide the "
            "columns of X, or y, by a suitable power of ten and fit again."
        )
    small = np.flatnonzero(diagonal < SMALLEST_SQUARE)
    if small.size and _varies(block, small, mean):
        raise ValueError(
            "The numbers of a column vary so little (below 1e-145) that their squares underflow "
            "float64. Multiply the columns of X, or y, by a suitable power of ten and fit again."
        )


def _varies(block: Block, columns: Array, mean: Array) -> bool:
    d = block.X.shape[1]
    for j in columns:
        z = block.targets[:, j - d] if j >= d else block.X[:, [j]]
        z = np.asarray(z.todense() if hasattr(z, "todense") else z).ravel()
        if np.ptp(z) > 4 * EPS * abs(mean[j]):
            return True
    return False
