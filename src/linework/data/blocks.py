"""A block: some rows of a table, the only form in which data reach a statistic."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array: TypeAlias = npt.NDArray[Any]
Matrix: TypeAlias = Any
"""A dense 2-D array or a SciPy CSR matrix."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows of a source.

    Attributes
    ----------
    X : array or CSR matrix of shape (rows, d), float32 or float64
        Numbers of any other type are converted to float64.
    y : array of shape (rows, t) or None
    weight : array of shape (rows,) or None
        ``None`` means that every row counts once.
    group : array of int of shape (rows,) or None
        A class, fold or cluster number per row.
    start : int
        Number of the first row in its source.
    names : tuple of str or None
        Names of the columns, for messages.
    numbers : array of int of shape (rows,) or None
        Numbers of the rows in their source; ``None`` where they count on from ``start``.
    offset : array of shape (rows, m) or None
        A known part of the first m linear predictors of each row.
    """

    X: Matrix
    y: Array | None = None
    weight: Array | None = None
    group: Array | None = None
    start: int = 0
    names: tuple[str, ...] | None = None
    numbers: Array | None = None
    offset: Array | None = None

    def __post_init__(self) -> None:
        if self.X.dtype.char not in "fd":  # integers would truncate every mean taken off them
            object.__setattr__(self, "X", self.X.astype(np.float64))

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def targets(self) -> Array:
        """``y`` of shape (rows, t); t = 0 where the source has no target."""
        return np.empty((len(self), 0)) if self.y is None else self.y

    def take(self, rows: Array) -> Block:
        """The block with only these rows (a mask or positions), as views if they are a run."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        run = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all()
        key = slice(int(rows[0]), int(rows[-1]) + 1) if run else rows

        def part(a: Any) -> Any:
            return None if a is None else a[key]

        return dataclasses.replace(
            self,
            X=self.X[key],
            y=part(self.y),
            weight=part(self.weight),
            group=part(self.group),
            numbers=self.start + rows if self.numbers is None else self.numbers[rows],
            offset=part(self.offset),
        )

    def present(self) -> Block:
        """The block without its rows of weight zero: those count as removed."""
        if self.weight is None or self.weight.all():
            return self
        return self.take(np.flatnonzero(self.weight))

    def reject_nonfinite(self) -> None:
        """Raise a sentence that names the first NaN or infinity in X or y, if there is one."""
        if sp.issparse(self.X):
            rows, columns = sp.coo_array(self.X).coords
            bad = np.flatnonzero(~np.isfinite(self.X.data))
            if bad.size:
                self._name_value("X", rows[bad[0]], columns[bad[0]], self.X.data[bad[0]])
        elif not np.isfinite(self.X).all():
            row, column = np.argwhere(~np.isfinite(self.X))[0]
            self._name_value("X", row, column, self.X[row, column])
        if self.y is not None and not np.isfinite(self.y).all():
            row, column = np.argwhere(~np.isfinite(self.y))[0]
            self._name_value("y", row, column, self.y[row, column])

    def _name_value(self, what: str, row: int, column: int, value: float) -> NoReturn:
        kind = "NaN" if np.isnan(value) else "infinity (inf)"
        where = f"row {self.start + row if self.numbers is None else self.numbers[row]}"
        if what == "X":
            name = f"{self.names[column]!r}" if self.names else str(column)
            where = f"column {name}, {where}"
        raise ValueError(
            f"Input {what} contains {kind} in {where}, and a linear model needs finite numbers: "
            "remove such rows, or fill them first, for example with sklearn.impute.SimpleImputer."
        )


def compressed(
    kind: type, data: Array, indices: Array, indptr: Array, shape: tuple[int, int]
) -> Matrix:
    """A canonical CSR or CSC array over these very arrays.

    SciPy's constructor copies views of arrays more than twice their size, and looks them through.
    """
    matrix = kind(shape, dtype=data.dtype)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    matrix.has_canonical_format = True
    return matrix


def transposed(X: Matrix) -> Matrix:
    """Xᵀ of a dense array or a canonical CSR matrix, without copying a number."""
    if not sp.issparse(X):
        return X.T
    return compressed(sp.csc_array, X.data, X.indices, X.indptr, X.shape[::-1])
