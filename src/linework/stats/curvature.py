"""The second derivatives of a loss at given coefficients: a weighted Gram matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, Matrix, transposed
from linework.stats.centre import in_working_precision, is_sparse, scratch, tile_rows
from linework.stats.gradient import linear_predictors

Curve: TypeAlias = Callable[[Array, Array], Array]
"""Targets (n, t) and linear predictors (n, k) ↦ ∂²ℓ/∂η_a∂η_b for a ≤ b, shape (n, k(k + 1)/2)."""


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """Σ w_i h_i z_i z_iᵀ with z = [x − c, 1], for second derivatives h at coefficients (B, b).

    The matrices of Newton's method and of iteratively reweighted least squares; `a + b` is of both
    parts' rows. About a centre c near the mean nothing large cancels.

    Attributes
    ----------
    sums : array of shape (k(k + 1)/2, d + 1, d + 1)
        For each pair of linear predictors a ≤ b. Or of shape (k, d + 1, d + 1), where predictors
        have losses of their own and h is of a = b alone.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.stats import Curvature
    >>> block, at = Block(np.array([[1.0], [3.0]])), (np.zeros((1, 1)), np.zeros(1))
    >>> Curvature.from_block(block, *at, np.array([2.0]), lambda y, eta: np.ones_like(eta)).sums
    array([[[2., 0.],
            [0., 2.]]])
    """

    sums: Array

    @classmethod
    def from_block(
        cls,
        block: Block,
        coef: Array,
        intercept: Array,
        centre: Array,
        curve: Curve,
        compiled: bool = False,
        diagonal: bool = False,
    ) -> Curvature:
        """Sums over the block at ``coef`` (d, k) and ``intercept`` (k,); d² a row for each pair.

        ``compiled`` asks for a loop by Numba, for dense rows that lie one after another. With
        ``diagonal``, ``curve`` gives the ∂²ℓ/∂η_a² alone, shape (n, k).
        """
        block = in_working_precision(block.present())
        d, k = coef.shape
        total = np.zeros((k if diagonal else k * (k + 1) // 2, d + 1, d + 1))
        step = max(len(block), 1) if is_sparse(block.X) else tile_rows(d)
        for start in range(0, len(block), step):
            rows = slice(start, start + step)
            X = block.X if step >= len(block) else block.X[rows]
            offset = None if block.offset is None else block.offset[rows]
            h = curve(block.targets[rows], linear_predictors(X, coef, intercept, offset))
            if block.weight is not None:
                h = h * block.weight[rows, None]
            if is_sparse(X):
                _add_sparse(total, X, h, centre)
            else:
                _add_dense(total, X.toarray() if sp.issparse(X) else X, h, centre, compiled)
        return cls(total)

    def __add__(self, other: Curvature) -> Curvature:
        return Curvature(self.sums + other.sums)

    def matrix(self, k: int) -> Array:
        """All second derivatives, of shape (d + 1, k, d + 1, k)."""
        p = self.sums.shape[1]
        H = np.empty((p, k, p, k))
        for part, a, b in zip(self.sums, *np.triu_indices(k), strict=True):
            H[:, a, :, b] = H[:, b, :, a] = part
        return H


def _add_dense(total: Array, X: Array, h: Array, centre: Array, compiled: bool) -> None:
    n, d = X.shape
    Z = scratch((n, d + 1), X.dtype)
    root, centre = np.sqrt(np.abs(h)).astype(X.dtype, copy=False), centre.astype(X.dtype)
    for pair in range(h.shape[1]):
        if compiled and X.flags.c_contiguous:
            from linework.stats.curvature_kernels import scale_rows

            scale_rows(X, centre, np.ascontiguousarray(root[:, pair]), Z)
        else:
            np.subtract(X, centre, out=Z[:, :d])
            Z[:, d] = 1.0
            Z *= root[:, pair, None]
        below = h[:, pair] < 0.0
        if not below.any():
            total[pair] += Z.T @ Z
        elif (h[:, pair] <= 0.0).all():
            total[pair] -= Z.T @ Z
        else:
            total[pair] += Z.T @ Z - 2.0 * (Z[below].T @ Z[below])


def _add_sparse(total: Array, X: Matrix, h: Array, centre: Array) -> None:
    d = X.shape[1]
    Xt = transposed(X)
    sums = np.asarray(Xt @ h)
    for pair in range(h.shape[1]):
        weight, s = float(h[:, pair].sum()), sums[:, pair]
        gram = (Xt @ X.multiply(h[:, pair, None]).tocsr()).toarray()
        shift = np.multiply.outer(s, centre)
        total[pair, :d, :d] += gram - shift - shift.T + weight * np.multiply.outer(centre, centre)
        total[pair, d, :d] += s - weight * centre
        total[pair, :d, d] += s - weight * centre
        total[pair, d, d] += weight
