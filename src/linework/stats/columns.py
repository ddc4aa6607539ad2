"""Means and variances column by column, where a d × d matrix would be too much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, compressed, transposed
from linework.stats.centre import SAMPLE_ROWS, scratch, tile_rows
from linework.stats.checks import reject_bad_range


@dataclass(frozen=True, slots=True, eq=False)
class ColumnMoments:
    """Weighted count, means and centred squares of each column of [x, y]; `a + b` is of both.

    The diagonal of `Moments`, in d + t numbers instead of (d + t)².

    Attributes
    ----------
    count : int
    weight : float
    mean : array of shape (d + t,)
    squares : array of shape (d + t,)
        Σ w (z − m)².
    n_targets : int

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.stats import ColumnMoments
    >>> ColumnMoments.from_block(Block(np.array([[1.0], [3.0]]))).squares
    array([2.])
    """

    count: int
    weight: float
    mean: Array
    squares: Array
    n_targets: int

    @classmethod
    def from_block(cls, block: Block, compiled: bool = False) -> ColumnMoments:
        """Moments of the block's rows of positive weight.

        ``compiled`` asks for a loop by Numba, for dense rows that lie one after another.
        """
        rows = block.present()
        w = np.ones(len(rows)) if rows.weight is None else rows.weight
        weight = float(w.sum())
        with np.errstate(over="ignore", invalid="ignore"):  # told in words below
            parts = [_sparse(rows, w) if sp.issparse(rows.X) else _dense(rows.X, w, compiled)]
            parts.append(_dense(rows.targets, w))
        mean, squares = (np.concatenate(column) for column in zip(*parts, strict=True))
        reject_bad_range(rows, squares, mean[None])
        return cls(len(rows), weight, mean, squares, rows.targets.shape[1])

    def __add__(self, other: ColumnMoments) -> ColumnMoments:
        weight = self.weight + other.weight
        if not weight:
            return self
        delta = other.mean - self.mean
        return ColumnMoments(
            self.count + other.count,
            weight,
            self.mean + delta * (other.weight / weight),
            self.squares + other.squares + delta**2 * (self.weight / weight * other.weight),
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


def _dense(X: Array, w: Array, compiled: bool = False) -> tuple[Array, Array]:
    """By tiles in the cache, about a row near the mean: exact for a constant column."""
    d, weight = X.shape[1], float(w.sum())
    if not weight:
        return np.zeros(d), np.zeros(d)
    sample = X[:: max(1, len(X) // SAMPLE_ROWS)]
    shift = sample[0] + (sample - sample[0]).mean(axis=0, dtype=np.float64)
    sums, squares = np.zeros(d), np.zeros(d)
    if compiled and X.flags.c_contiguous:
        from linework.stats.column_kernels import add_squares

        add_squares(X, w.astype(np.float64, copy=False), shift, sums, squares)
    else:
        step = tile_rows(d)
        for start in range(0, len(X), step):
            rows, part = X[start : start + step], w[start : start + step]
            Z = np.subtract(rows, shift, out=scratch(rows.shape, np.float64))
            sums += part @ Z
            squares += part @ np.square(Z, out=Z)
    step_to_mean = sums / weight
    return shift + step_to_mean, np.maximum(squares - sums * step_to_mean, 0.0)


def _sparse(rows: Block, w: Array) -> tuple[Array, Array]:
    """Zeros count as −m each: their number and weight is known without visiting them."""
    X, d, weight = rows.X, rows.X.shape[1], w.sum()
    if not weight:
        return np.zeros(d), np.zeros(d)

    def sums(values: Array) -> Array:
        part = compressed(sp.csr_array, values, X.indices, X.indptr, X.shape)
        total: Array = transposed(part) @ w
        return total

    mean = sums(X.data) / weight
    squares = sums((X.data - mean[X.indices]) ** 2)
    zeros = weight - sums(np.ones(len(X.data)))
    return mean, squares + np.maximum(zeros, 0.0) * mean**2
