"""Class means of one block, and its scatter within classes, in one product for all classes."""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, Matrix, compressed
from linework.stats.centre import (
    SAMPLE_ROWS,
    centred_products,
    in_working_precision,
    is_sparse,
    leaves_single,
    scratch,
    shift_sparse,
    tile_rows,
)


def within_products(block: Block, codes: Array, n_classes: int) -> tuple[Array, Array, Array]:
    """Weight (K,), mean (K, d) and S_w (d, d) of X, in float64; row i is of class codes[i] < K.

    S_w = Σ_k Σ_{i in k} w_i (x_i − m_k)(x_i − m_k)ᵀ. As in `centred_products`, with a shift for
    each class: K·d numbers more than one scatter, not K·d².
    """
    block = in_working_precision(block)
    X, w = block.X, block.weight
    if n_classes == 1:
        total, mean, scatter = centred_products(dataclasses.replace(block, y=None))
        return np.array([total]), mean[None], scatter
    weight = np.bincount(codes, w).astype(np.float64)
    if is_sparse(X):
        return weight, *_sparse_products(X, w, codes, weight)
    shift = _provisional_shift(X, codes, n_classes)
    mean, scatter = _dense_products(X, shift, w, codes, weight)
    if (weight @ (mean - shift) ** 2 > 4.0 * np.diag(scatter)).any():
        # The samples of rows misled: take the means themselves.
        mean, scatter = _dense_products(X, mean.astype(X.dtype), w, codes, weight)
    if X.dtype == np.float32 and leaves_single(block, np.diag(scatter), mean, codes):
        X = X.astype(np.float64)
        return within_products(dataclasses.replace(block, X=X), codes, n_classes)
    return weight, mean, scatter


def by_class(codes: Array) -> Array:
    """The positions of the rows class by class, in order within each."""
    short = np.uint16 if codes.max(initial=0) < 1 << 16 else codes.dtype  # sorted by counting
    return np.argsort(codes.astype(short), kind="stable")


def _indicator(codes: Array, n_classes: int, values: Array) -> Matrix:
    """The (K, n) matrix with values[i] at (codes[i], i): times rows, it sums them by class."""
    n = len(codes)
    return compressed(sp.csc_array, values, codes, np.arange(n + 1), (n_classes, n))


def _provisional_shift(X: Matrix, codes: Array, n_classes: int) -> Array:
    """What to take off the rows before they are multiplied: a number for each class and column.

    The mean of the first rows of each class, exact where a column is constant in a class; or zero,
    shape (1, 1), where the squares of the means sum to no more than twice those within classes.
    """
    order = by_class(codes)
    count = np.bincount(codes)
    starts = np.cumsum(count) - count
    sample = order[np.arange(len(codes)) - np.repeat(starts, count) < SAMPLE_ROWS]
    base, rows, kind = X[order[starts]], X[sample], codes[sample]
    if sp.issparse(X):
        base, rows = base.toarray(), rows.toarray()
    rest = rows - base[kind]
    sums = _indicator(kind, n_classes, np.ones(len(kind), X.dtype)) @ rest
    step = sums / np.bincount(kind)[:, None].astype(X.dtype)
    shift: Array = base + step
    rest -= step[kind]
    within = np.square(rest).sum(axis=0) * (len(codes) / len(sample))
    if (count @ np.square(shift) <= 2.0 * within).all():
        return np.zeros((1, 1), X.dtype)
    return shift


def _dense_products(
    X: Matrix, shift: Array, w: Array | None, codes: Array, weight: Array
) -> tuple[Array, Array]:
    """Means and scatter by way of Z = √w (X − shift of its class), by tiles of rows."""
    n, d = X.shape
    sums, gram = np.zeros((len(weight), d)), np.zeros((d, d))
    root = (np.ones(n) if w is None else np.sqrt(w)).astype(X.dtype)
    step = tile_rows(d)
    for start in range(0, n, step):
        Z: Matrix = X[start : start + step]
        kind, part = codes[start : start + step], root[start : start + step]
        if sp.issparse(Z):
            Z = Z.toarray()
        if len(shift) > 1:
            own = np.take(shift, kind, axis=0, out=scratch(Z.shape, X.dtype), mode="clip")
            Z = np.subtract(Z, own, out=own)
        if w is not None:
            Z = np.multiply(Z, part[:, None], out=scratch(Z.shape, X.dtype))
        sums += _indicator(kind, len(weight), part) @ Z
        gram += Z.T @ Z
    offset = sums / weight[:, None]
    return shift + offset, gram - sums.T @ offset


def _sparse_products(
    X: Matrix, w: Array | None, codes: Array, weight: Array
) -> tuple[Array, Array]:
    """Means and scatter of sparse rows; what is off the diagonal blocks of Z stays sparse."""
    Z, shift = shift_sparse(X, w, codes, len(weight))
    root = np.ones(len(codes)) if w is None else np.sqrt(w)
    if w is not None:
        Z = Z.multiply(root[:, None]).tocsr()
    sums = _indicator(codes, len(weight), root) @ Z
    offset = sums.multiply(1.0 / weight[:, None]).tocsr()
    return shift + offset.toarray(), (Z.T @ Z - sums.T @ offset).toarray()
