"""Slots: the numbers of a design matrix, held by column of the table instead of by coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Matrix, compressed

Piece: TypeAlias = "list[Slot]"
"""What one term gives for some rows: columns of the design matrix, side by side."""


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """At most one number for each row, in one of ``width`` columns.

    A column of numbers is a slot of width 1, the indicators of K levels one of width K: neither
    holds a zero.

    Attributes
    ----------
    width : int
    codes : array of int of shape (rows,) or None
        The column that the row's number stands in, −1 where it has none. None: the first.
    values : array of shape (rows,) or None
        The numbers; None where they are ones.
    """

    width: int
    codes: Array | None = None
    values: Array | None = None

    def __mul__(self, other: Slot) -> Slot:
        """Products of every column with every column of the other; ours vary faster, as in R."""
        codes, values = self.codes, self.values
        if other.codes is not None:
            ours = 0 if codes is None else codes
            codes = np.where((ours < 0) | (other.codes < 0), -1, ours + self.width * other.codes)
        if other.values is not None:
            values = other.values if values is None else values * other.values
        return Slot(self.width * other.width, codes, values)


def product(left: Piece, right: Piece) -> Piece:
    """Every slot of one piece times every slot of the other, ours varying faster."""
    return [a * b for b in right for a in left]


def indicator(rows: Array) -> Slot:
    """A column that is one in some rows (a mask)."""
    return Slot(1, np.where(rows, 0, -1))


def fill_dense(out: Array, piece: Sequence[Slot]) -> None:
    """Write slots into the rows of an array of zeros."""
    first = 0
    rows = np.arange(len(out))
    for slot in piece:
        values = 1.0 if slot.values is None else slot.values
        if slot.codes is None:
            out[:, first] = values
        else:
            there = slot.codes >= 0
            if there.all():
                out[rows, first + slot.codes] = values
            else:
                values = values if np.ndim(values) == 0 else np.asarray(values)[there]
                out[rows[there], first + slot.codes[there]] = values
        first += slot.width


def as_csr(piece: Sequence[Slot], n_rows: int, dtype: np.dtype[np.floating]) -> Matrix:
    """The slots as a canonical CSR matrix."""
    columns = np.empty((n_rows, len(piece)), np.int32)
    data = np.ones((n_rows, len(piece)), dtype)
    first = 0
    whole = True
    for k, slot in enumerate(piece):
        if slot.codes is None:
            columns[:, k] = first
        else:
            np.add(slot.codes, first, out=columns[:, k], casting="unsafe")
            absent = slot.codes < 0
            if absent.any():
                columns[absent, k] = -1
                whole = False
        if slot.values is not None:
            data[:, k] = slot.values
        first += slot.width
    if whole:
        indptr = np.arange(0, columns.size + 1, len(piece), np.int32)
        return compressed(sp.csr_array, data.ravel(), columns.ravel(), indptr, (n_rows, first))
    there = columns >= 0
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
    return compressed(sp.csr_array, data[there], columns[there], indptr, (n_rows, first))


def stacked(parts: Sequence[Matrix]) -> Matrix:
    """CSR matrices of the same columns, one below the other."""
    if len(parts) == 1:
        return parts[0]
    data = np.concatenate([part.data for part in parts])
    index = np.int32 if len(data) <= np.iinfo(np.int32).max else np.int64
    indices = np.concatenate([part.indices for part in parts], dtype=index)
    ends = np.cumsum([0, *(part.nnz for part in parts)])
    tails = [part.indptr[1:] + end for part, end in zip(parts, ends, strict=False)]
    indptr = np.concatenate([[0], *tails]).astype(index)
    shape = len(indptr) - 1, parts[0].shape[1]
    return compressed(sp.csr_array, data, indices, indptr, shape)
