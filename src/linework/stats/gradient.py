"""The gradient of least squares at given coefficients: one cheap pass, for any number of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, transposed
from linework.stats.centre import tile_rows


@dataclass(frozen=True, slots=True, eq=False)
class Gradient:
    """Residual sums at coefficients (B, b); `a + b` is the sum over both parts' rows.

    With r_i = y_i − b − Bᵀx_i, for each of t targets.

    Attributes
    ----------
    intercept : array of shape (t,)
        Σ w_i r_i.
    slope : array of shape (d, t)
        Σ w_i x_i r_iᵀ.
    square : array of shape (t,)
        Σ w_i r_i².
    """

    intercept: Array
    slope: Array
    square: Array

    @classmethod
    def from_block(
        cls, block: Block, coef: Array, intercept: Array, homogeneous: bool = False
    ) -> Gradient:
        """Sums over the block at ``coef`` (d, t) and ``intercept`` (t,); with y = 0 if homogeneous.

        The rows are read twice while they lie in the cache; 4·d·t operations a row.
        """
        total: Gradient | None = None
        step = len(block) if sp.issparse(block.X) else tile_rows(block.X.shape[1])
        coef = coef.astype(block.X.dtype, copy=False)
        for start in range(0, len(block), step):
            rows = slice(start, start + step)
            X = block.X if step >= len(block) else block.X[rows]
            r = -intercept - X @ coef
            if not homogeneous:
                r += block.targets[rows]
            wr = r if block.weight is None else r * block.weight[rows, None]
            slope = np.asarray(transposed(X) @ wr.astype(X.dtype, copy=False), np.float64)
            part = cls(wr.sum(axis=0), slope, (wr * r).sum(axis=0))
            total = part if total is None else total + part
        assert total is not None  # a block has rows
        return total

    def __add__(self, other: Gradient) -> Gradient:
        return Gradient(
            self.intercept + other.intercept,
            self.slope + other.slope,
            self.square + other.square,
        )

    def centred(self, mean: Array) -> Array:
        """Σ w (x − mean) r, shape (d, t)."""
        return self.slope - np.multiply.outer(mean, self.intercept)
