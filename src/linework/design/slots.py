"""Slots: the numbers of a design matrix, held by column of the table instead of by coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

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


def fill_csr(columns: Array, data: Array, piece: Sequence[Slot]) -> Array:
    """Write slots as rows of a CSR matrix, and give the number of entries of each row.

    ``columns`` and ``data`` of shape (rows, slots) have room for one entry of each slot. Where rows
    have fewer, the entries follow one another from the beginning, and the rest is left over.
    """
    first = 0
    absent = False
    for k, slot in enumerate(piece):
        data[:, k] = 1.0 if slot.values is None else slot.values
        if slot.codes is None:
            columns[:, k] = first
        else:
            columns[:, k] = slot.codes + first
            missing = slot.codes < 0
            if missing.any():
                columns[missing, k] = -1
                absent = True
        first += slot.width
    if not absent:
        return np.full(len(data), len(piece))
    there = columns >= 0
    for whole in (columns, data):
        entries = whole[there]
        whole.reshape(-1)[: len(entries)] = entries
    counts: Array = there.sum(axis=1)
    return counts


class CsrRows:
    """The rows of a CSR matrix, written block by block in any order.

    Parameters
    ----------
    n_rows, n_columns, n_slots : int
        No row has more than ``n_slots`` entries.
    dtype : dtype
    """

    def __init__(self, n_rows: int, n_columns: int, n_slots: int, dtype: np.dtype[Any]) -> None:
        self._shape = n_rows, n_columns
        self._columns = np.empty((n_rows, n_slots), np.int32)
        self._data = np.empty((n_rows, n_slots), dtype)
        self._counts = np.empty(n_rows, np.int64)

    def fill(self, start: int, stop: int, piece: Sequence[Slot]) -> None:
        """Write the rows from ``start`` to ``stop``."""
        rows = slice(start, stop)
        self._counts[rows] = fill_csr(self._columns[rows], self._data[rows], piece)

    def matrix(self, cuts: Sequence[int]) -> Matrix:
        """The matrix, from blocks that begin at ``cuts``."""
        indptr = np.concatenate([[0], np.cumsum(self._counts)])
        n_slots = self._data.shape[1]
        columns, data = self._columns.reshape(-1), self._data.reshape(-1)
        if indptr[-1] < data.size:
            for start, stop in pairwise((*cuts, self._shape[0])):
                here = slice(start * n_slots, start * n_slots + indptr[stop] - indptr[start])
                there = slice(indptr[start], indptr[stop])
                columns[there], data[there] = columns[here], data[here]
            columns, data = columns[: indptr[-1]], data[: indptr[-1]]
        if indptr[-1] <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        else:
            columns = columns.astype(np.int64)
        return compressed(sp.csr_array, data, columns, indptr, self._shape)
