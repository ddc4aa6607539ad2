"""RFactor: the triangular factor of the centred rows, where moments are too ill-conditioned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import cast

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block
from linework.stats.centre import tile_rows
from linework.stats.checks import reject_overflow, require_same_columns


@dataclass(frozen=True, slots=True, eq=False)
class RFactor:
    """Weighted count, means and a factor R of the scatter, RᵀR = Σ w (z − m)(z − m)ᵀ, z = [x, y].

    The scatter squares the condition number, R does not. `a + b` is the factor of both parts: R of
    the rows R_a, R_b and √(W_a W_b / W) (m_b − m_a) stacked.

    Attributes
    ----------
    count, weight, mean, n_targets
        As in `Moments`.
    R : array of shape (k, d + t), k ≤ d + t
        Triangular; while there are fewer rows than columns, the centred rows themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.stats import RFactor
    >>> abs(RFactor.from_block(Block(np.array([[1.0], [2.0], [3.0]]))).R.round(12))
    array([[1.41421356]])
    """

    count: int
    weight: float
    mean: Array
    R: Array
    n_targets: int

    @classmethod
    def from_block(cls, block: Block) -> RFactor:
        """Factor of the block's rows of positive weight: centred twice, scaled by √w, QR."""
        rows = block.present()
        t = rows.targets.shape[1]
        p = rows.X.shape[1] + t
        if len(rows) == 0:
            return cls(0, 0.0, np.zeros(p), np.zeros((0, p)), t)
        if sp.issparse(rows.X):  # as dense rows, but few at a time
            step = max(tile_rows(p), 4 * p)
            parts = (np.arange(i, min(i + step, len(rows))) for i in range(0, len(rows), step))
            return reduce(add, (cls._from_dense(rows.take(part)) for part in parts))
        return cls._from_dense(rows)

    @classmethod
    def _from_dense(cls, rows: Block) -> RFactor:
        X = rows.X.toarray() if sp.issparse(rows.X) else rows.X
        Z = np.concatenate([X, rows.targets], axis=1, dtype=np.float64)
        w = np.ones(len(Z)) if rows.weight is None else rows.weight
        weight = float(w.sum())
        mean = Z[0].copy()
        with np.errstate(over="ignore", invalid="ignore"):
            Z -= mean
            for _ in range(2):  # the second round takes off the first mean's rounding error
                step = w @ Z / weight
                Z -= step
                mean += step
            Z *= np.sqrt(w)[:, None]
        if not np.isfinite(mean).all():
            rows.reject_nonfinite()
            reject_overflow(mean)
        return cls(len(rows), weight, mean, _triangle(Z), rows.targets.shape[1])

    def __add__(self, other: RFactor) -> RFactor:
        require_same_columns(self, other)
        if not self.count:
            return other
        if not other.count:
            return self
        weight = self.weight + other.weight
        with np.errstate(over="ignore"):
            delta = other.mean - self.mean
        reject_overflow(delta)
        between = np.sqrt(self.weight / weight * other.weight) * delta
        return RFactor(
            self.count + other.count,
            weight,
            self.mean + delta * (other.weight / weight),
            _triangle(np.vstack([self.R, other.R, between])),
            self.n_targets,
        )

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

    def split(self, fit_intercept: bool) -> tuple[Array, Array]:
        """The factor's columns of X (k, d) and of y (k, t), about the means or about zero."""
        R = self.R
        if not fit_intercept:
            R = _triangle(np.vstack([R, np.sqrt(self.weight) * self.mean]))
        return R[:, : self.n_features], R[:, self.n_features :]

    def centred(self, fit_intercept: bool) -> tuple[Array, Array, Array]:
        """XᵀX (d, d), XᵀY (d, t) and YᵀY (t, t), as `Moments.centred`, from the factor."""
        R_x, R_y = self.split(fit_intercept)
        return R_x.T @ R_x, R_x.T @ R_y, R_y.T @ R_y


def _triangle(rows: Array) -> Array:
    """R of the QR factorisation, or the rows themselves where they are no more than the columns."""
    if len(rows) <= rows.shape[1]:
        return rows
    return cast(Array, np.linalg.qr(rows, mode="r"))
