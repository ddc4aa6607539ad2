"""Moments: count, means and centred second moments, what closed-form models are solved from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array, Block
from linework.stats.centre import centred_products, in_single
from linework.stats.checks import (
    reject_bad_merge,
    reject_bad_range,
    removal_rounding,
    require_digits,
    require_rows,
    require_same_columns,
    require_weight,
)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Weighted count, means and centred second moments of z = [x, y]; `a + b` is that of both.

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
        Bound on the error on the diagonal of S beyond that of sums in float64: what float32
        products and subtractions left there.

    Notes
    -----
    Two parts merge by the pairwise update (Chan, Golub and LeVeque, 1983), δ = m_b − m_a::

        W = W_a + W_b,  m = m_a + δ W_b / W,  S = S_a + S_b + δδᵀ W_a W_b / W

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.stats import Moments
    >>> one, three = Block(np.array([[1.0]])), Block(np.array([[3.0]]))
    >>> both = Moments.from_block(one) + Moments.from_block(three)
    >>> both.mean, both.scatter
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
        if len(rows) == 0:
            return cls._empty(rows.X.shape[1] + t, t)
        with np.errstate(over="ignore", invalid="ignore"):
            weight, mean, scatter = centred_products(rows)
        diagonal = scatter.diagonal()
        reject_bad_range(rows, diagonal, mean[None])
        noise = np.finfo(np.float32).eps * diagonal if in_single(rows.X) else np.zeros(len(mean))
        return cls(len(rows), weight, mean, scatter, t, noise)

    @classmethod
    def _empty(cls, p: int, t: int) -> Moments:
        return cls(0, 0.0, np.zeros(p), np.zeros((p, p)), t, np.zeros(p))

    def __add__(self, other: Moments) -> Moments:
        require_same_columns(self, other)
        if not self.count:
            return other
        if not other.count:
            return self
        weight = self.weight + other.weight
        delta = other.mean - self.mean
        mean = self.mean + delta * (other.weight / weight)
        with np.errstate(over="ignore", invalid="ignore"):
            scatter = np.multiply.outer(delta * (self.weight / weight * other.weight), delta)
            scatter += self.scatter
            scatter += other.scatter
        reject_bad_merge(scatter, delta, mean)
        return Moments(
            self.count + other.count,
            weight,
            mean,
            scatter,
            self.n_targets,
            self.noise + other.noise,
        )

    def __sub__(self, other: Moments) -> Moments:
        """The moments without the rows of `other`, or a sentence where too few digits would remain.

        Notes
        -----
        `noise` adds up what rounding can have done: to S, relative to what is taken from, and by
        way of the means to δδᵀ W_a W_b / W, where W is the weight that remains. A column keeps at
        least six correct digits of its variance, or nothing is returned.
        """
        require_same_columns(self, other)
        if not other.count:
            return self
        require_rows(self.count, self.weight, other.count, other.weight)
        if other.count == self.count:
            return self._empty(len(self.mean), self.n_targets)
        weight = self.weight - other.weight
        require_weight(weight, self.weight)
        delta = self.mean - other.mean
        grown = self.weight * (other.weight / weight)
        scatter = self.scatter - other.scatter - np.multiply.outer(delta * grown, delta)
        rounding = removal_rounding(self.count)
        shaken = rounding * (abs(self.mean) + abs(other.mean))
        noise = self.noise + other.noise + rounding * self.scatter.diagonal()
        noise += grown * shaken * (2 * abs(delta) + shaken)
        noise[self.scatter.diagonal() == 0] = 0.0  # a constant column is taken off exactly
        require_digits(noise, scatter.diagonal())
        mean = self.mean + delta * (other.weight / weight)
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
        """XᵀX (d, d), XᵀY (d, t) and YᵀY (t, t), about the means, or about zero if no intercept."""
        d = self.n_features
        S = self.scatter
        if not fit_intercept:
            S = S + np.multiply.outer(self.weight * self.mean, self.mean)
        return S[:d, :d], S[:d, d:], S[d:, d:]

    def columns(self, index: Array) -> Moments:
        """The moments of these columns of X (a mask or positions) and of the targets."""
        column = np.arange(len(self.mean))
        keep = np.concatenate([column[: self.n_features][index], column[self.n_features :]])
        return Moments(
            self.count,
            self.weight,
            self.mean[keep],
            self.scatter[np.ix_(keep, keep)],
            self.n_targets,
            self.noise[keep],
        )
