"""Sources: anything that can be read again and again as numbered chunks of blocks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from linework.data.blocks import Array, Block, Matrix, compressed
from linework.data.numbers import as_numbers

Chunk: TypeAlias = Callable[[], Iterator[Block]]
"""A numbered part of a source: called (in a worker), it reads its rows and yields their blocks."""

DENSE_BLOCK = 1 << 21
"""Numbers in a dense block of a long table: so many that their work outweighs the calls. A table
that would give few blocks is cut into halves of it, for threads to share."""

GRAM_COLUMNS = 4096
"""Columns up to which a d × d matrix is the cheapest road; it holds 128 MB there."""


class Source(Protocol):
    """What `engine.map_reduce` reads: re-iterable, in numbered chunks, as long as it may be."""

    @property
    def n_rows(self) -> int | None:
        """Number of rows; None where it is known only after reading."""
        ...

    @property
    def n_columns(self) -> int:
        """d, the number of columns of X."""
        ...

    @property
    def n_targets(self) -> int:
        """t, the number of columns of y; 0 where there is no y."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64: the type of X in every block."""
        ...

    @property
    def sparse(self) -> bool:
        """Whether the blocks' X are CSR matrices."""
        ...

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the columns, where they have some."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """The source's parts in order, cut at the same places whenever it is called."""
        ...


@dataclass(frozen=True)
class Table:
    """A source over rows in memory or in a memory-mapped file; blocks are views where they can be.

    ``rows(key)`` gives X[key], for a slice or an array of positions, as an array or CSR matrix.
    ``numbers`` are those of the rows in the table the user gave, where rows were taken from it.
    """

    rows: Callable[[slice | Array], Matrix]
    n_rows: int
    n_columns: int
    dtype: np.dtype[Any]
    step: int
    sparse: bool = False
    names: tuple[str, ...] | None = None
    y: Array | None = None
    weight: Array | None = None
    group: Array | None = None
    numbers: Array | None = None
    offset: Array | None = None

    @property
    def n_targets(self) -> int:
        """t, the number of columns of y; 0 where there is no y."""
        return 0 if self.y is None else int(self.y.shape[1])

    def chunks(self) -> Iterator[Chunk]:
        """Chunks of at most ``step`` rows and nearly the same number, one block each."""
        count = -(-self.n_rows // self.step)
        cuts = [self.n_rows * number // max(count, 1) for number in range(count + 1)]
        for start, stop in pairwise(cuts):
            yield partial(self._read, start, stop)

    def _read(self, start: int, stop: int) -> Iterator[Block]:
        def part(a: Array | None) -> Array | None:
            return None if a is None else a[start:stop]

        X = self.rows(slice(start, stop))
        yield Block(
            X if X.dtype == self.dtype else X.astype(self.dtype),
            part(self.y),
            part(self.weight),
            part(self.group),
            start,
            self.names,
            part(self.numbers),
            part(self.offset),
        )

    def with_group(self, group: Array) -> Table:
        """The same rows with a class, fold or cluster number each."""
        if len(group) != self.n_rows:
            raise ValueError(
                f"There are {len(group)} group numbers for {self.n_rows} rows; give one per row."
            )
        return dataclasses.replace(self, group=group)

    def take(self, index: Array) -> Table:
        """The table of these rows (a mask or positions), copied block by block when read."""
        index = np.arange(self.n_rows)[index]

        def part(a: Array | None) -> Array | None:
            return None if a is None else a[index]

        return dataclasses.replace(
            self,
            rows=lambda key: self.rows(index[key]),
            n_rows=len(index),
            y=part(self.y),
            weight=part(self.weight),
            group=part(self.group),
            numbers=index if self.numbers is None else self.numbers[index],
            offset=part(self.offset),
        )

    def held(self) -> Table:
        """The same rows, read into memory once: for a few rows that are read many times."""
        X = self.rows(slice(0, self.n_rows))
        X = X if X.dtype == self.dtype else X.astype(self.dtype)
        rows = partial(_sparse_rows, X) if self.sparse else X.__getitem__
        return dataclasses.replace(self, rows=rows, step=_dense_step(*X.shape))

    def columns(self, index: Array) -> Table:
        """The table of these columns (a mask or positions)."""
        index = np.arange(self.n_columns)[index]
        return dataclasses.replace(
            self,
            rows=lambda key: self.rows(key)[:, index],
            n_columns=len(index),
            names=None if self.names is None else tuple(self.names[j] for j in index),
        )

    def beside(self, other: Table) -> Table:
        """The same rows with the columns of another table of theirs after their own."""
        if other.n_rows != self.n_rows:
            raise ValueError(
                f"The columns have {other.n_rows} rows, and {self.n_rows} are expected, one for "
                "each row of X."
            )

        def rows(key: slice | Array) -> Matrix:
            parts = self.rows(key), other.rows(key)
            if self.sparse:
                return sp.hstack(parts, format="csr", dtype=self.dtype)
            dense = (part.toarray() if sp.issparse(part) else part for part in parts)
            return np.concatenate(list(dense), axis=1, dtype=self.dtype)

        names = self.names and other.names and (*self.names, *other.names)
        return dataclasses.replace(
            self,
            rows=rows,
            n_columns=self.n_columns + other.n_columns,
            names=names or None,
        )


def as_table(
    X: Any, y: Any = None, sample_weight: Any = None, *, caller: str = "linework"
) -> Table:
    """Rows of an array, CSR matrix or data frame as a `Table`, checked in everything but NaN.

    Whether numbers are finite is seen in the statistics of each block, which costs no pass.

    Parameters
    ----------
    X : array-like, SciPy sparse matrix, or pandas / polars / Arrow table of shape (n, d)
    y : array-like of shape (n,) or (n, t), optional
    sample_weight : array-like of shape (n,) or number, optional
    caller : str
        Name for messages.
    """
    reject_lazy(X)
    is_array = isinstance(X, np.ndarray) or sp.issparse(X)  # asking for a frame costs more
    if is_array or not nw.dependencies.is_into_dataframe(X):
        table = _array_table(X if is_array else np.asarray(X), caller)
    else:
        table = _frame_table(X, caller)
    weight = check_weight(sample_weight, table.n_rows)
    if y is None:
        return table if weight is None else dataclasses.replace(table, weight=weight)
    return dataclasses.replace(table, y=_targets(y, table.n_rows), weight=weight)


def _targets(y: Any, n_rows: int) -> Array:
    y = as_numbers(y, "y")
    if y.ndim not in (1, 2) or y.size == 0:
        raise ValueError(
            f"y has shape {y.shape}, and (n,) or (n, t) is expected: give one number, or one per "
            "target, for each row of X."
        )
    reject_other_length(len(y), n_rows)
    targets: Array = y.reshape(n_rows, -1)
    return targets


def reject_other_length(length: int, n_rows: int) -> None:
    """Raise a sentence where y has another length than X."""
    if length != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n_rows}, {length}]; X "
            f"has {n_rows} rows and y has {length}: give one value of y for each row of X."
        )


def _array_table(X: Any, caller: str) -> Table:
    if isinstance(X, np.ma.MaskedArray) or not (sp.issparse(X) or X.dtype.kind in "biufc"):
        X = as_numbers(X, "X")
    if type(X) is not np.ndarray or X.dtype.kind == "c" or X.ndim != 2 or not X.size:
        X = _checked(X, caller)
    n, d = X.shape
    dtype = np.dtype(np.float32 if X.dtype.char in "ef" else np.float64)
    if not sp.issparse(X):
        return Table(X.__getitem__, n, d, dtype, _dense_step(n, d))
    if not X.has_canonical_format:  # a number in two parts would count as two
        X = X.copy()
        X.sum_duplicates()
    return Table(partial(_sparse_rows, X), n, d, dtype, _sparse_step(n, d, X.nnz), sparse=True)


def _sparse_rows(X: Matrix, key: slice | Array) -> Matrix:
    """X[key] of a canonical CSR matrix: views of its numbers where rows follow one another."""
    if not isinstance(key, slice):
        return X[key]
    indptr = X.indptr[key.start : key.stop + 1]
    within = slice(indptr[0], indptr[-1])
    shape = len(indptr) - 1, X.shape[1]
    return compressed(sp.csr_array, X.data[within], X.indices[within], indptr - indptr[0], shape)


def _checked(X: Any, caller: str) -> Matrix:
    """What scikit-learn makes of X, in its words where it is no table of numbers."""
    checked: Matrix = check_array(
        X,
        accept_sparse="csr",
        dtype="numeric",
        ensure_all_finite=False,
        estimator=caller,
        input_name="X",
    )
    return checked


def reject_lazy(X: Any) -> None:
    """Raise a sentence where a table is only a plan of one."""
    if hasattr(X, "collect"):
        raise TypeError(f"X is a lazy table ({type(X).__name__}): give its rows, X.collect().")


def reject_empty_table(shape: tuple[int, int]) -> None:
    """Raise a sentence where a data frame has no rows or no columns."""
    for found, kind, word in zip(shape, ("row", "column"), ("sample", "feature"), strict=True):
        if found == 0:
            raise ValueError(
                f"Found a table with 0 {word}(s) (shape={shape}) while a minimum of 1 is "
                f"required: give it at least one {kind}."
            )


def _frame_table(X: Any, caller: str) -> Table:
    frame = nw.from_native(X, eager_only=True)
    n, d = frame.shape
    reject_empty_table((n, d))
    schema = frame.schema
    names = tuple(str(name) for name in frame.columns)
    if nw.Unknown in schema.values():  # among them sparse columns of pandas
        return dataclasses.replace(_array_table(_checked(X, caller), caller), names=names)
    for name, kind in schema.items():
        if not (kind.is_numeric() or kind in (nw.Boolean, nw.Object)):
            raise ValueError(
                f"Column {name!r} holds {kind}, and a linear model needs numbers: encode it, "
                "for example with linework.Design, or leave it out."
            )
    single = all(kind == nw.Float32 for kind in schema.values())
    dtype = np.dtype(np.float32 if single else np.float64)

    def rows(key: slice | Array) -> Array:
        part: Array = frame[key].to_numpy()
        if part.dtype == object:  # truth values with gaps, decimals
            part = as_numbers(frame[key].select(nw.all().cast(nw.Float64)).to_numpy(), "X")
        return part

    def pandas_rows(key: slice | Array) -> Array:
        part: Array = X.iloc[key].to_numpy()  # a view, where the columns lie in one array
        return as_numbers(part, "X") if part.dtype == object else part

    plain = nw.dependencies.is_pandas_dataframe(X) and all(
        isinstance(kind, np.dtype) for kind in X.dtypes
    )
    return Table(pandas_rows if plain else rows, n, d, dtype, _dense_step(n, d), names=names)


def check_weight(sample_weight: Any, n_rows: int) -> Array | None:
    """Row weights as an array of shape (n,), or a sentence on what is wrong with them."""
    if sample_weight is None:
        return None
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, and have shape {weight.shape}: "
            "give one number per row."
        )
    if len(weight) != n_rows:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}: "
            f"there are {len(weight)} weights for {n_rows} rows; give one number per row."
        )
    if not np.isfinite(weight).all():
        row = int(np.flatnonzero(~np.isfinite(weight))[0])
        raise ValueError(
            f"Input sample_weight contains {'NaN' if np.isnan(weight[row]) else 'infinity (inf)'} "
            f"in row {row}: weights are finite numbers, zero or more."
        )
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise ValueError(
            f"Negative values in data passed to `sample_weight`: row {row} has weight "
            f"{weight[row]}, and weights are zero or more. To take rows out of a fitted model, "
            "use its forget(X, y)."
        )
    if not weight.any():
        raise ValueError(
            "Sample weights must contain at least one non-zero number: every row has weight zero, "
            "which removes them all."
        )
    return weight


def _dense_step(n: int, d: int) -> int:
    """Rows of a dense block, or enough for a d × d result to be worth merging."""
    numbers = DENSE_BLOCK if n * d >= 16 * DENSE_BLOCK else DENSE_BLOCK // 2
    return min(max(numbers // max(d, 1), 2 * d, 64), 1 << 16)


def _sparse_step(n: int, d: int, nnz: int) -> int:
    """Rows of a sparse block: enough numbers in it to outweigh a result of d × d, or of d."""
    result = d * d // 8 if d <= GRAM_COLUMNS else 8 * d
    numbers = min(max(result, 1 << 18 if d <= GRAM_COLUMNS else 1 << 20), 1 << 22)
    return max(1, min(n, int(numbers / max(nnz / max(n, 1), 1e-9))))
