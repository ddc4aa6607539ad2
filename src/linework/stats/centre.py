"""Means and centred products of one block, without losing digits to a large mean."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, Matrix, compressed, transposed

_local = threading.local()

SAMPLE_ROWS = 32
"""Rows looked at to choose a provisional shift."""

DENSIFY = 0.1
"""Share of non-zero numbers above which a tile of sparse rows costs less as a dense one."""

TILE = 1 << 17
"""Numbers in a tile: 1 MB of float64, so that it stays in a core's L2 cache."""

KEEP = 1 << 25
"""Bytes of scratch memory that a thread may hold on to."""

SINGLE_RANGE = 1e-30, 1e36
"""Mean squares whose sums float32 can hold with all its digits."""


def tile_rows(d: int) -> int:
    """Rows of a tile: it fits the cache, or its d × d product is worth adding."""
    fitting = max(TILE // max(d, 1), 1)
    return min(max(1 << fitting.bit_length() - 1, min(d, 1 << 11), 64), 1 << 14)


def scratch(shape: tuple[int, int], dtype: Any, order: Any = "C") -> Array:
    """Uninitialised memory that a thread reuses: what is in it lasts to the next call."""
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    buffer: Array | None = getattr(_local, "buffer", None)
    if buffer is None or buffer.nbytes < size:
        buffer = np.empty(size, np.uint8)
        if size <= KEEP:
            _local.buffer = buffer
    array: Array = buffer[:size].view(dtype).reshape(shape, order=order)
    return array


def centred_products(block: Block) -> tuple[float, Array, Array]:
    """Weight, mean (p,) and centred scatter (p, p) of the block's [X, y], in float64.

    S = Σ w (z − m)(z − m)ᵀ. A provisional shift s near the mean is taken off the rows first, then
    the exact correction W (m − s)(m − s)ᵀ off the product: nothing cancels, whatever the mean.
    Columns whose mean is within a standard deviation of zero need no shift, and a block of such
    columns is multiplied where it lies: without a shift, at most one bit is lost.
    """
    block = in_working_precision(block)
    X, Y, w = block.X, block.targets, block.weight
    d = X.shape[1]
    if is_sparse(X):
        Z, shifts = shift_sparse(X, w, np.zeros(len(block), np.intp), 1)
        return _products(Z, shifts[0], Y, w)
    shift = _provisional_shift(X)
    weight, mean, scatter = _products(X, shift, Y, w)
    offset = mean[:d] if shift is None else mean[:d] - shift
    diagonal = scatter.diagonal()
    if (offset**2 * weight > 4.0 * diagonal[:d]).any():
        # The sample of rows misled: take the mean itself.
        weight, mean, scatter = _products(X, mean[:d].astype(X.dtype), Y, w)
    if X.dtype == np.float32 and leaves_single(block, diagonal, mean[None]):
        return centred_products(dataclasses.replace(block, X=X.astype(np.float64)))
    return weight, mean, scatter


def in_single(X: Matrix) -> bool:
    """Whether products of X are formed in float32: sparse or few numbers cost no less in it."""
    return bool(X.dtype == np.float32 and X.size > TILE and not is_sparse(X))


def in_working_precision(block: Block) -> Block:
    """The block in float64, unless its products are formed in float32."""
    if block.X.dtype == np.float64 or in_single(block.X):
        return block
    return dataclasses.replace(block, X=block.X.astype(np.float64))


def is_sparse(X: Matrix) -> bool:
    """Whether X is sparse enough for sparse arithmetic to cost less."""
    return sp.issparse(X) and bool(X.nnz < DENSIFY * X.shape[0] * X.shape[1])


def varies(block: Block, columns: Array, mean: Array, codes: Array | None = None) -> bool:
    """Whether some of these columns of [X, y] hold, up to rounding, more than their class's mean.

    Row i is of class codes[i], or they are all of one; mean is (K, p).
    """
    d = block.X.shape[1]
    codes = np.zeros(len(block), np.intp) if codes is None else codes
    for part, index in ((block.X, columns[columns < d]), (block.targets, columns[columns >= d])):
        if not index.size:
            continue
        if sp.issparse(part):  # where a column has zeros beside numbers, those are not the mean
            z = sp.coo_array(part[:, index])
            values, at = z.data, mean[codes[z.coords[0]], index[z.coords[1]]]
        else:
            values, at = part[:, index - (0 if part is block.X else d)], mean[:, index][codes]
        if (np.abs(values - at) > 4 * np.finfo(np.float64).eps * np.abs(at)).any():
            return True
    return False


def leaves_single(block: Block, diagonal: Array, mean: Array, codes: Array | None = None) -> bool:
    """Whether squares of the block's numbers are too large or too small for float32."""
    low, high = SINGLE_RANGE
    outside = np.flatnonzero(~((diagonal > low * len(block)) & (diagonal < high)))
    return bool(outside.size) and varies(block, outside, mean, codes)


def shift_sparse(X: Matrix, w: Array | None, codes: Array, n_classes: int) -> tuple[Matrix, Array]:
    """X less a shift (K, d) for each class, and the shift.

    Only a column without a zero among the rows of a class is shifted, by its mean: the mean of any
    other cannot swamp its variance, and a shift would fill it.
    """
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    d, size = X.shape[1], n_classes * X.shape[1]
    lengths = np.diff(X.indptr)
    keys = X.indices + d * np.repeat(codes, lengths)
    full = np.bincount(keys, minlength=size) == np.repeat(np.bincount(codes), d)
    shift = np.zeros(size)
    if full.any():
        shift[keys] = X.data  # one number of each column: exact where all are the same
        shift[~full] = 0.0
        rest = X.data - shift[keys]
        weight = np.bincount(codes, w)
        total = np.bincount(keys, rest if w is None else rest * np.repeat(w, lengths), size)
        shift += np.where(full, total / np.repeat(weight, d), 0.0)
        X = compressed(sp.csr_array, X.data - shift[keys], X.indices, X.indptr, X.shape)
    return X, shift.reshape(n_classes, d)


def _provisional_shift(X: Matrix) -> Array | None:
    """Mean of a few rows; None where no column's mean is far from zero."""
    sample = X[:: max(1, X.shape[0] // SAMPLE_ROWS)]
    sample = sample.toarray() if sp.issparse(sample) else sample
    rest = sample - sample[0]
    mean = rest.sum(axis=0) / X.dtype.type(len(rest))
    shift: Array = sample[0] + mean  # exact for a constant column
    if (np.abs(shift) > np.linalg.norm(rest - mean, axis=0) / np.sqrt(len(rest))).any():
        return shift
    return None


def _products(
    X: Matrix, shift: Array | None, Y: Array, w: Array | None
) -> tuple[float, Array, Array]:
    """Weight, mean and scatter of [X, Y] by way of Z = √w (X − shift); sparse X comes shifted."""
    n, d = X.shape
    weight = float(n) if w is None else float(w.sum())
    left = np.ones((1 + Y.shape[1], n))
    left[1:] = (Y - Y[0]).T
    step = (left[1:].sum(axis=1) if w is None else left[1:] @ w) / weight
    left[1:] -= step[:, None]
    y_mean = Y[0] + step
    if w is not None:
        left *= np.sqrt(w)
    if is_sparse(X):
        Z = X if w is None else X.multiply(left[0][:, None]).tocsr()
        Zt = transposed(Z)
        sums, gram = (Zt @ left.T).T, (Zt @ Z).toarray()
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
    X: Matrix, shift: Array | None, left: Array, weighted: bool
) -> tuple[Array, Array]:
    """The products left @ Z and ZᵀZ, by tiles of rows that stay in the L2 cache between them."""
    d = X.shape[1]
    sums, gram = np.zeros((len(left), d)), np.zeros((d, d))
    left = left.astype(X.dtype, copy=False)
    order = "C" if sp.issparse(X) or abs(X.strides[0]) >= abs(X.strides[1]) else "F"
    step = tile_rows(d)
    for start in range(0, X.shape[0], step):
        Z, part = X[start : start + step], left[:, start : start + step]
        if sp.issparse(Z):
            Z = Z.toarray()
        if weighted or shift is not None:
            Z = np.subtract(Z, 0 if shift is None else shift, out=scratch(Z.shape, Z.dtype, order))
        if weighted:
            Z *= part[0][:, None]
        sums += part @ Z
        gram += Z.T @ Z
    return sums, gram
