"""The gradient of a loss at given coefficients: one cheap pass, for any number of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, Matrix, transposed
from linework.stats.centre import in_working_precision, tile_rows

Evaluate: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]
"""Targets (n, t) and linear predictors (n, k) ↦ values ℓ (n, …) and scores −∂ℓ/∂η (n, m)."""


class Fused(IntEnum):
    """Losses for which a compiled loop goes over dense rows once."""

    GAUSSIAN_IDENTITY = 0
    BINOMIAL_LOGIT = 1
    POISSON_LOG = 2
    GAMMA_LOG = 3
    SOFTMAX = 4


WIDEST = 1 << 14
"""Coefficients up to which that loop is used: they lie in the cache beside the rows."""


def squares(y: Array, eta: Array) -> tuple[Array, Array]:
    """Least squares: values (y − η)² and scores y − η, for each target."""
    r = y - eta
    return r * r, r


def linear_predictors(X: Matrix, coef: Array, intercept: Array, offset: Array | None) -> Array:
    """Bᵀx + b + offset of rows X (n, d) for B (d, k) and b (k,): shape (n, k), float64.

    An offset (n, m) is a part of the first m. The product is formed in X's own type.
    """
    eta = np.asarray(X @ coef.astype(X.dtype, copy=False), np.float64)
    eta += intercept
    if offset is not None:
        eta[:, : offset.shape[1]] += offset
    return eta


@dataclass(frozen=True, slots=True, eq=False)
class Gradient:
    """A loss and the sums of its scores at coefficients (B, b); `a + b` is of both parts' rows.

    With η_i = b + Bᵀx_i, plus the row's offset, and scores r_i = −∂ℓ_i/∂η_i.

    Attributes
    ----------
    intercept : array of shape (m,)
        Σ w_i r_i.
    slope : array of shape (d, m)
        Σ w_i x_i r_iᵀ.
    value : array of shape () or (t,)
        Σ w_i ℓ_i.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.stats import Gradient
    >>> block = Block(np.array([[1.0], [2.0]]), y=np.array([[1.0], [4.0]]))
    >>> Gradient.from_block(block, coef=np.array([[1.0]]), intercept=np.zeros(1)).slope
    array([[4.]])
    """

    intercept: Array
    slope: Array
    value: Array

    @classmethod
    def from_block(
        cls,
        block: Block,
        coef: Array,
        intercept: Array,
        evaluate: Evaluate = squares,
        fused: Fused | None = None,
    ) -> Gradient:
        """Sums over the block at ``coef`` (d, k) and ``intercept`` (k,).

        The rows are read twice while they lie in the cache; 4·d·k operations a row. ``fused`` names
        the loss for the compiled loop, which takes Numba and rows that lie one after another.
        """
        block = in_working_precision(block.present())
        coef = coef.astype(block.X.dtype, copy=False)
        in_rows = not sp.issparse(block.X) and block.X.flags.c_contiguous
        if fused is not None and in_rows and coef.size <= WIDEST:
            return cls._in_one_loop(block, coef, intercept, fused)
        step = len(block) if sp.issparse(block.X) else tile_rows(block.X.shape[1])
        total: Gradient | None = None
        for start in range(0, len(block), step) or [0]:
            rows = slice(start, start + step)
            X = block.X if step >= len(block) else block.X[rows]
            offset = None if block.offset is None else block.offset[rows]
            eta = linear_predictors(X, coef, intercept, offset)
            value, r = evaluate(block.targets[rows], eta)
            if block.weight is None:
                value = value.sum(axis=0)
            else:
                w = block.weight[rows]
                value, r = w @ value, r * w[:, None]
            slope = np.asarray(transposed(X) @ r.astype(X.dtype, copy=False), np.float64)
            part = cls(r.sum(axis=0), slope, value)
            total = part if total is None else total + part
        assert total is not None
        return total

    @classmethod
    def _in_one_loop(cls, block: Block, coef: Array, intercept: Array, fused: Fused) -> Gradient:
        from linework.stats.gradient_kernels import add_gradient

        def column(a: Array | None) -> Array:
            return np.ascontiguousarray([] if a is None else a, np.float64)

        y, w = column(block.targets[:, 0]), column(block.weight)
        offset = np.empty((0, 0)) if block.offset is None else column(block.offset)
        coef = np.ascontiguousarray(coef.T)
        slope, scores = np.zeros(coef.shape), np.zeros(len(coef))
        value = add_gradient(
            int(fused), block.X, y, w, offset, coef, column(intercept), slope, scores
        )
        return cls(scores, slope.T, np.asarray(value))

    def __add__(self, other: Gradient) -> Gradient:
        return Gradient(
            self.intercept + other.intercept, self.slope + other.slope, self.value + other.value
        )

    def centred(self, mean: Array) -> Array:
        """Σ w (x − mean) rᵀ, shape (d, m)."""
        return self.slope - np.multiply.outer(mean, self.intercept)
