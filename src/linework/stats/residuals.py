"""The gradient of least squares at given coefficients, in twofold precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block
from linework.stats import twofold

PIECE = 1 << 14
"""Numbers worked on at a time: twofold arithmetic makes a dozen temporaries of this size."""


@dataclass(frozen=True, slots=True, eq=False)
class Gradient:
    """Residual sums at coefficients (W, b), to twofold precision for dense rows.

    With r_i = y_i − b − Wᵀx_i, for each of the t targets::

        intercept = Σ w_i r_i  (t,),   slope = Σ w_i x_i r_iᵀ  (d, t),   square = Σ w_i r_i²  (t,)

    Each sum but ``square`` is a pair (high, low). `a + b` is the sum over both parts' rows.
    """

    intercept: tuple[Array, Array]
    slope: tuple[Array, Array]
    square: Array

    @classmethod
    def from_block(
        cls, block: Block, coef: tuple[Array, Array], intercept: tuple[Array, Array]
    ) -> Gradient:
        """Sums over the block at coefficients ``coef`` (d, t) and ``intercept`` (t,), as pairs."""
        rows = block.present()
        t = rows.targets.shape[1]
        d = rows.X.shape[1]
        if sp.issparse(rows.X):
            return cls._sparse(rows, coef[0], intercept[0])
        zero = np.zeros(t), np.zeros(t)
        total = cls(zero, (np.zeros((d, t)), np.zeros((d, t))), np.zeros(t))
        step = max(1, PIECE // max(d, 1))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            X = np.asarray(rows.X[part], np.float64)
            w = None if rows.weight is None else rows.weight[part]
            for k in range(t):
                pairs = (coef[0][:, k], coef[1][:, k], intercept[0][k], intercept[1][k])
                total = total + cls._target(X, rows.targets[part, k], w, pairs, k, t)
        return total

    @classmethod
    def _target(
        cls, X: Array, y: Array, w: Array | None, at: tuple[Any, ...], k: int, t: int
    ) -> Gradient:
        coef, coef_low, intercept, intercept_low = at
        product, error = twofold.two_product(X.T, coef[:, None])
        fit = twofold.two_total(product)
        fit = fit[0], fit[1] + error.sum(axis=0) + X @ coef_low
        r = twofold.add((y, 0.0), (-fit[0], -fit[1]))
        r = twofold.add(r, (-intercept, -intercept_low))
        square = r[0] ** 2
        if w is not None:
            high, low = twofold.two_product(w, r[0])
            r = high, low + w * r[1]
            square = square * w
        product, error = twofold.two_product(X, r[0][:, None])
        slope = twofold.two_total(product)
        slope = slope[0], slope[1] + error.sum(axis=0) + X.T @ r[1]
        total = twofold.two_total(r[0])
        total = total[0], total[1] + r[1].sum()

        def place(value: Any) -> Array:
            out = np.zeros((*np.shape(value), t))
            out[..., k] = value
            return out

        return cls(
            (place(total[0]), place(total[1])),
            (place(slope[0]), place(slope[1])),
            place(square.sum()),
        )

    @classmethod
    def _sparse(cls, rows: Block, coef: Array, intercept: Array) -> Gradient:
        r = rows.targets - rows.X @ coef - intercept
        wr = r if rows.weight is None else r * rows.weight[:, None]
        slope = np.asarray(rows.X.T @ wr, np.float64)
        total = wr.sum(axis=0)
        return cls(
            (total, np.zeros_like(total)), (slope, np.zeros_like(slope)), (wr * r).sum(axis=0)
        )

    def __add__(self, other: Gradient) -> Gradient:
        return Gradient(
            twofold.add(self.intercept, other.intercept),
            twofold.add(self.slope, other.slope),
            self.square + other.square,
        )

    def centred(self, mean: Array) -> Array:
        """Σ w (x − mean) r, shape (d, t): what the solvers of the centred problem take."""
        high, low = twofold.two_product(mean[:, None], self.intercept[0])
        low = low + mean[:, None] * self.intercept[1]
        total, rest = twofold.add(self.slope, (-high, -low))
        return np.asarray(total + rest)
