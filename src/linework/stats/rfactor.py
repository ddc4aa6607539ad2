"""RFactor: the triangular factor of the centred rows, for problems too ill-conditioned for moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block


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
        X = rows.X.toarray() if sp.issparse(rows.X) else rows.X
        Z = np.concatenate([X, rows.targets], axis=1, dtype=np.float64)
        t = rows.targets.shape[1]
        if len(rows) == 0:
            return cls(0, 0.0, np.zeros(Z.shape[1]), Z, t)
        w = np.ones(len(Z)) if rows.weight is None else rows.weight
        weight = float(w.sum())
        mean = Z[0].copy()
        Z -= mean
        for _ in range(2):  # the second round takes off the first mean's rounding error
            step = w @ Z / weight
            Z -= step
            mean += step
        if not np.isfinite(mean).all():
            rows.reject_nonfinite()
        Z *= np.sqrt(w)[:, None]
        return cls(len(rows), weight, mean, _triangle(Z), t)

    def __add__(self, other: RFactor) -> RFactor:
        if not self.count:
            return other
        if not other.count:
            return self
        weight = self.weight + other.weight
        delta = other.mean - self.mean
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


def _triangle(rows: Array) -> Array:
    """R of the QR factorisation, or the rows themselves where they are no more than the columns."""
    if len(rows) <= rows.shape[1]:
        return rows
    R: Array = np.linalg.qr(rows, mode="r")
    return R
