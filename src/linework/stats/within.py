"""Class means of one block, and its scatter within classes, in one product for all classes."""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, Matrix
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
    shift = _sample_means(X, codes, n_classes)
    mean, scatter = _dense_products(X, shift, w, codes, weight)
    if (weight @ (mean - shift) ** 2 > 4.0 * np.diag(scatter)).any():
        # The samples of rows misled: take the means themselves.
        mean, scatter = _dense_products(X, mean.astype(X.dtype), w, codes, weight)
    if X.dtype == np.float32 and leaves_single(block, np.diag(scatter), mean, codes):
        X = X.astype(np.float64)
        return within_products(dataclasses.replace(block, X=X), codes, n_classes)
    return weight, mean, scatter


def _indicator(codes: Array, n_classes: int, values: Array) -> Matrix:
    """The (K, n) matrix with values[i] at (codes[i], i): times rows, it sums them by class."""
    n = len(codes)
    return sp.csc_array((values, codes, np.arange(n + 1)), shape=(n_classes, n))


def _sample_means(X: Matrix, codes: Array, n_classes: int) -> Array:
    """Mean of the first rows of each class, exact where a column is constant in a class."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(n_classes))
    sample = order[np.arange(len(codes)) - starts[codes[order]] < SAMPLE_ROWS]
    base, rows = X[order[starts]], X[sample]
    if sp.issparse(X):
        base, rows = base.toarray(), rows.toarray()
    kind = codes[sample]
    rest = rows - base[kind]
    sums = _indicator(kind, n_classes, np.ones(len(kind), X.dtype)) @ rest
    shift: Array = base + sums / np.bincount(kind)[:, None].astype(X.dtype)
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
        rows: Matrix = X[start : start + step]
        kind, part = codes[start : start + step], root[start : start + step]
        Z = np.take(shift, kind, axis=0, out=scratch(rows.shape, X.dtype), mode="clip")
        np.subtract(rows.toarray() if sp.issparse(rows) else rows, Z, out=Z)
        if w is not None:
            Z *= part[:, None]
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
