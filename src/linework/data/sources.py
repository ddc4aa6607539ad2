"""Sources: anything that can be read again and again as numbered chunks of blocks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, check_consistent_length

from linework.data.blocks import Array, Block, Matrix

Chunk: TypeAlias = Callable[[], Iterator[Block]]
"""A numbered part of a source: called (in a worker), it reads its rows and yields them as blocks."""

DENSE_BLOCK = 1 << 20
"""Numbers in a dense block: many enough that the work outweighs the calls, few enough to share."""


class Source(Protocol):
    """What `engine.map_reduce` reads: re-iterable, cut into numbered chunks, as long as it may be.

    ``chunks()`` can be called any number of times and always cuts the rows at the same places.
    ``n_rows`` is None where it is known only after reading.
    """

    @property
    def n_rows(self) -> int | None: ...
    @property
    def n_columns(self) -> int: ...
    @property
    def n_targets(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def sparse(self) -> bool: ...
    @property
    def names(self) -> tuple[str, ...] | None: ...

    def chunks(self) -> Iterator[Chunk]:
        """The source's parts in order."""
        ...


@dataclass(frozen=True)
class Table:
    """A source over rows in memory or in a memory-mapped file; dense blocks are views if they can be.

    ``rows(start, stop)`` gives X[start:stop] as an array or CSR matrix.
    """

    rows: Callable[[int, int], Matrix]
    n_rows: int
    n_columns: int
    dtype: np.dtype[Any]
    step: int
    sparse: bool = False
    names: tuple[str, ...] | None = None
    y: Array | None = None
    weight: Array | None = None
    group: Array | None = None

    @property
    def n_targets(self) -> int:
        return 0 if self.y is None else int(self.y.shape[1])

    def chunks(self) -> Iterator[Chunk]:
        """Chunks of ``step`` rows, one block each; the cuts depend on the table's shape alone."""
        for start in range(0, self.n_rows, self.step):
            yield partial(self._read, start, min(start + self.step, self.n_rows))

    def _read(self, start: int, stop: int) -> Iterator[Block]:
        def part(a: Array | None) -> Array | None:
            return None if a is None else a[start:stop]

        X = self.rows(start, stop)
        yield Block(
            X if X.dtype == self.dtype else X.astype(self.dtype),
            part(self.y),
            part(self.weight),
            part(self.group),
            start,
            self.names,
        )

    def with_group(self, group: Array) -> Table:
        """The same rows with a class, fold or cluster number each."""
        return dataclasses.replace(self, group=group)

    def take(self, index: Array) -> Table:
        """The table of these rows, in this order; they are copied block by block when read."""

        def part(a: Array | None) -> Array | None:
            return None if a is None else a[index]

        return dataclasses.replace(
            self,
            rows=lambda start, stop: _gather(self, index[start:stop]),
            n_rows=len(index),
            y=part(self.y),
            weight=part(self.weight),
            group=part(self.group),
        )

    def columns(self, index: Array) -> Table:
        """The table of these columns."""
        return dataclasses.replace(
            self,
            rows=lambda start, stop: self.rows(start, stop)[:, index],
            n_columns=len(index),
            names=None if self.names is None else tuple(self.names[j] for j in index),
        )


def _gather(table: Table, index: Array) -> Matrix:
    """Rows at ascending or arbitrary positions, read through the narrowest range that holds them."""
    if index.size == 0:
        return table.rows(0, 0)
    low, high = int(index.min()), int(index.max()) + 1
    return table.rows(low, high)[index - low]


def as_table(X: Any, y: Any = None, sample_weight: Any = None, *, caller: str = "linework") -> Table:
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
    table = _frame_table(X) if nw.dependencies.is_into_dataframe(X) else _array_table(X, caller)
    if y is not None:
        y = np.asarray(y)
        check_consistent_length(X, y)
        y = y.astype(np.float64, copy=False).reshape(table.n_rows, -1)
    weight = check_weight(sample_weight, table.n_rows)
    return dataclasses.replace(table, y=y, weight=weight)


def _array_table(X: Any, caller: str) -> Table:
    X = check_array(
        X,
        accept_sparse="csr",
        dtype="numeric",
        ensure_all_finite=False,
        estimator=caller,
        input_name="X",
    )
    n, d = X.shape
    dtype = np.dtype(np.float32 if X.dtype in (np.float32, np.float16) else np.float64)
    if sp.issparse(X):
        step = _sparse_step(n, d, X.nnz)
        return Table(lambda start, stop: X[start:stop], n, d, dtype, step, sparse=True)
    return Table(lambda start, stop: X[start:stop], n, d, dtype, _dense_step(d))


def _frame_table(X: Any) -> Table:
    frame = nw.from_native(X, eager_only=True)
    n, d = frame.shape
    for kind, found in (("row", n), ("column", d)):
        if found == 0:
            word = {"row": "sample", "column": "feature"}[kind]
            raise ValueError(
                f"Found a table with 0 {word}(s) (shape={frame.shape}) while a minimum of 1 is "
                f"required: give it at least one {kind}."
            )
    schema = frame.schema
    for name, kind in schema.items():
        if not (kind.is_numeric() or kind == nw.Boolean):
            raise ValueError(
                f"Column {name!r} holds {kind}, and a linear model needs numbers: encode it, for "
                "example with sklearn.preprocessing.OneHotEncoder, or leave it out."
            )
    single = all(kind == nw.Float32 for kind in schema.values())
    dtype = np.dtype(np.float32 if single else np.float64)
    names = tuple(str(name) for name in frame.columns)

    def rows(start: int, stop: int) -> Array:
        part: Array = frame[start:stop].to_numpy()
        return part.astype(dtype) if part.dtype == object else part

    if nw.dependencies.is_pandas_dataframe(X) and isinstance(X.dtypes.iloc[0], np.dtype):
        if X.dtypes.nunique() == 1:
            values: Array = X.to_numpy()  # one dtype: a view of the frame's own memory
            return Table(lambda start, stop: values[start:stop], n, d, dtype, _dense_step(d), names=names)
    return Table(rows, n, d, dtype, _dense_step(d), names=names)


def check_weight(sample_weight: Any, n_rows: int) -> Array | None:
    """Row weights as an array of shape (n,), or a sentence on what is wrong with them."""
    if sample_weight is None:
        return None
    if np.isscalar(sample_weight):
        sample_weight = np.full(n_rows, sample_weight)
    weight = np.asarray(sample_weight)
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
    weight = weight.astype(np.float64, copy=False)
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


def _dense_step(d: int) -> int:
    """Rows of a dense block: 8 MB, or enough for a d × d result to be worth merging."""
    return min(max(1 << max(DENSE_BLOCK // max(d, 1), 1).bit_length() - 1, 2 * d, 64), 1 << 16)


def _sparse_step(n: int, d: int, nnz: int) -> int:
    """Rows of a sparse block: enough numbers in it to outweigh a d × d result."""
    numbers = min(max(d * d // 8, 1 << 18), 1 << 22)
    return max(1, min(n, int(numbers / max(nnz / max(n, 1), 1e-9))))
