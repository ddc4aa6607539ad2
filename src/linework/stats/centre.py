"""Means and centred products of one block, without losing digits to a large mean."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, Matrix

_local = threading.local()

SAMPLE_ROWS = 32
"""Rows looked at to choose a provisional shift."""

DENSIFY = 0.1
"""Share of non-zero numbers above which a sparse block costs less as a dense one."""

TILE = 1 << 17
"""Numbers in a tile: 1 MB of float64, so that it stays in a core's L2 cache."""


def tile_rows(d: int) -> int:
    """Rows of a tile: it fits the cache, and its d × d product is worth adding."""
    fitting = max(TILE // max(d, 1), 1)
    return min(max(1 << fitting.bit_length() - 1, d, 64), 1 << 14)


def scratch(shape: tuple[int, int], dtype: Any, order: Any = "C") -> Array:
    """Uninitialised memory that each thread keeps and reuses: its content lasts to the next call."""
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    buffer: Array | None = getattr(_local, "buffer", None)
    if buffer is None or buffer.nbytes < size:
        buffer = _local.buffer = np.empty(size, np.uint8)
    return buffer[:size].view(dtype).reshape(shape, order=order)


def centred_products(block: Block) -> tuple[float, Array, Array]:
    """Weight, mean (p,) and centred scatter (p, p) of the block's [X, y], in float64.

    S = Σ w (z − m)(z − m)ᵀ. A provisional shift s near the mean is taken off the rows first, then
    the exact correction W (m − s)(m − s)ᵀ off the product: nothing cancels, whatever the mean.
    Columns whose mean is within a standard deviation of zero need no shift, and a block of such
    columns is multiplied where it lies: without a shift, at most one bit is lost.
    """
    X, Y, w = block.X, block.targets, block.weight
    if sp.issparse(X):
        if X.nnz < DENSIFY * X.shape[0] * X.shape[1]:
            return _products(*_shift_sparse(X), Y, w)
        X = X.toarray()
    shift = _provisional_shift(X)
    weight, mean, scatter = _products(X, shift, Y, w)
    d = X.shape[1]
    offset = mean[:d] if shift is None else mean[:d] - shift
    if (offset**2 * weight > 4.0 * np.diag(scatter)[:d]).any():
        # The sample of rows misled: take the mean itself.
        weight, mean, scatter = _products(X, mean[:d].astype(X.dtype), Y, w)
    return weight, mean, scatter


def _provisional_shift(X: Array) -> Array | None:
    """Mean of a few rows; None where no column's mean is far from zero."""
    sample = X[:: max(1, len(X) // SAMPLE_ROWS)]
    rest = sample - sample[0]
    mean = rest.mean(axis=0)
    shift: Array = sample[0] + mean  # exact for a constant column
    if (shift**2 > np.square(rest).mean(axis=0) - mean**2).any():
        return shift
    return None


def _shift_sparse(X: Matrix) -> tuple[Matrix, Array]:
    """Shift the columns without a zero by their mean: only there can a mean swamp the variance."""
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    shift = np.zeros(X.shape[1], X.dtype)
    if full.any():
        shift[full] = np.asarray(X.mean(axis=0)).ravel()[full]
        X = type(X)((X.data - shift[X.indices], X.indices, X.indptr), shape=X.shape)
    return X, shift


def _products(
    X: Matrix, shift: Array | None, Y: Array, w: Array | None
) -> tuple[float, Array, Array]:
    """Weight, mean and scatter of [X, Y] by way of Z = √w (X − shift); sparse X comes shifted."""
    n, d = X.shape
    weight = float(n) if w is None else float(w.sum())
    y_mean = (Y if w is None else Y * w[:, None]).sum(axis=0) / weight
    left = np.ones((1 + Y.shape[1], n))
    left[1:] = (Y - y_mean).T
    if w is not None:
        left *= np.sqrt(w)
    if sp.issparse(X):
        Z = X if w is None else X.multiply(left[0][:, None]).tocsr()
        sums, gram = (Z.T @ left.T).T, (Z.T @ Z).toarray()
    else:
        sums, gram = _tiled_products(X, shift, left, w is not None)
    offset = sums[0] / weight
    scatter = np.empty((len(left) - 1 + d,) * 2)
    np.subtract(gram, np.multiply.outer(sums[0], offset), out=scatter[:d, :d])
    scatter[d:, :d] = sums[1:]
    scatter[:d, d:] = sums[1:].T
    scatter[d:, d:] = left[1:] @ left[1:].T
    mean = np.concatenate([offset if shift is None else shift + offset, y_mean])
    return weight, mean, scatter


def _tiled_products(
    X: Array, shift: Array | None, left: Array, weighted: bool
) -> tuple[Array, Array]:
    """left @ Z and ZᵀZ, by tiles of rows that stay in the L2 cache between the products."""
    d = X.shape[1]
    sums, gram = np.zeros((len(left), d)), np.zeros((d, d))
    left = left.astype(X.dtype, copy=False)
    order = "F" if X.strides[0] < X.strides[1] else "C"
    step = tile_rows(d)
    for start in range(0, len(X), step):
        Z, part = X[start : start + step], left[:, start : start + step]
        if weighted or shift is not None:
            Z = np.subtract(Z, 0 if shift is None else shift, out=scratch(Z.shape, Z.dtype, order))
        if weighted:
            Z *= part[0][:, None]
        for total, row in zip(sums, part, strict=True):
            total += row @ Z
        gram += Z.T @ Z
    return sums, gram
