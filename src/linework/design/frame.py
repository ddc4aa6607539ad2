"""A table of any kinds of columns as a source: numbers as NumPy arrays, all else as Arrow's."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
from sklearn.utils.validation import check_array

from linework.data.blocks import Array
from linework.data.sources import reject_empty_table, reject_lazy

Kind: TypeAlias = Literal[
    "numbers", "truth values", "text", "dates", "dates with a zone", "nothing", "other values"
]
"""What a column holds: text and categories are one; ``"nothing"`` where every value is missing and
the type says no more."""

STEP = 1 << 15
"""Rows of a block: their work outweighs the calls, and a column of them stays in a core's cache."""

DAY = 86_400e6
"""Microseconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column of some rows.

    Attributes
    ----------
    name : str
    kind : Kind
    values : array of numbers, NaN where one is missing, or Arrow array
    declared : tuple of str or None
        The levels in the order of the column's type, where that has one.
    start : int
        Number of the first row, for messages.
    problem : str or None
        Why other values can become no numbers.
    """

    name: str
    kind: Kind
    values: Any
    declared: tuple[str, ...] | None = None
    start: int = 0
    problem: str | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def has_dates(self) -> bool:
        """Whether it holds dates or times."""
        return self.kind.startswith("dates")

    def part(self, start: int, stop: int) -> Column:
        """The rows from ``start`` to ``stop``."""
        if isinstance(self.values, np.ndarray):
            return dataclasses.replace(self, values=self.values[start:stop], start=start)
        values = self.values.slice(start, stop - start)
        if hasattr(values, "chunks"):
            values = values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
        return dataclasses.replace(self, values=values, start=start)

    def hashed(self) -> Column:
        """The column with its text as codes, so that it need not be hashed again."""
        import pyarrow as pa

        if self.kind != "text" or pa.types.is_dictionary(self.values.type):
            return self
        values = self.values.dictionary_encode()
        if hasattr(values, "chunks"):
            values = values.unify_dictionaries()
        return dataclasses.replace(self, values=values)

    def numbers(self) -> Array:
        """The values as float64, dates as microseconds since 1970, NaN where one is missing."""
        if self.kind == "nothing":
            return np.full(len(self), np.nan)
        if self.kind == "text":
            raise ValueError(
                f"Column {self.name!r} holds text or categories, and a treatment for numbers is "
                "asked for: make it 'nominal', list its levels in order, or leave it out with "
                "'drop'."
            )
        if self.has_dates:
            import pyarrow as pa

            # An instant is the same in all zones: Arrow counts from 1970 in UTC.
            unit = pa.timestamp("us", getattr(self.values.type, "tz", None))
            return _floats(self.values.cast(unit, safe=False).cast(pa.int64()))
        return np.asarray(self.values, np.float64)

    def encoded(self) -> tuple[Array, Any]:
        """A code for each row, −1 where the value is missing, and the Arrow array it points to."""
        import pyarrow as pa

        values = self.values
        if self.kind == "nothing":
            return np.full(len(self), -1, np.int32), pa.array([], pa.string())
        if isinstance(values, np.ndarray):
            truth = self.kind == "truth values"
            values = pa.array(values, pa.float64(), from_pandas=True)
            values = values.cast(pa.bool_()) if truth else values
        elif self.has_dates:
            values = values.cast(pa.string())
        if not pa.types.is_dictionary(values.type):
            values = values.dictionary_encode()
        codes = values.indices.cast(pa.int32())
        codes = codes.fill_null(-1) if codes.null_count else codes
        return codes.to_numpy(zero_copy_only=False), values.dictionary

    def rejected(self, row: int, what: str, policy: str) -> ValueError:
        """The sentence on a value in a row of these that has no place in the model."""
        return ValueError(
            f"Column {self.name!r} {what} in row {self.start + row}: correct it, or set {policy} "
            "to 'reference', 'indicator' or 'ignore'."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Some rows of a frame: its columns in their order."""

    columns: tuple[Column, ...]
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A table in memory, read in blocks of rows."""

    columns: tuple[Column, ...]
    n_rows: int
    native: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def chunks(self) -> Iterator[Callable[[], Iterator[Rows]]]:
        """Blocks of rows, one for each chunk."""
        for start in range(0, self.n_rows, STEP):
            yield partial(self._read, start, min(start + STEP, self.n_rows))

    def _read(self, start: int, stop: int) -> Iterator[Rows]:
        yield Rows(tuple(column.part(start, stop) for column in self.columns), start, stop)


def as_frame(X: Any, *, caller: str = "linework") -> Frame:
    """The columns of a pandas, polars or Arrow table, or of a NumPy array, as they are.

    Parameters
    ----------
    X : data frame or array-like of shape (n, d)
        Columns of an array are called x0, x1, …
    caller : str
        Name for messages.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = as_frame(pd.DataFrame({"size": ["S", "L"], "price": [1.5, 2.0]}))
    >>> [(column.name, column.kind) for column in frame.columns]
    [('size', 'text'), ('price', 'numbers')]
    """
    reject_lazy(X)
    if isinstance(X, np.ndarray) or not nw.dependencies.is_into_dataframe(X):
        array = check_array(
            X, dtype=None, ensure_all_finite=False, estimator=caller, input_name="X"
        )
        columns = tuple(_array_column(f"x{j}", array[:, j]) for j in range(array.shape[1]))
        return Frame(columns, len(array), array)
    reject_repeated_names(X)
    frame = nw.from_native(X, eager_only=True)
    reject_empty_table(frame.shape)
    return Frame(tuple(map(_frame_column, frame.iter_columns())), len(frame), X)


def reject_repeated_names(X: Any) -> None:
    """Raise a sentence where two columns of a data frame have one name."""
    names = getattr(X, "column_names", getattr(X, "columns", ()))
    repeated = [name for name, count in Counter(map(str, names)).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{len(repeated)} column name(s) stand for several columns, {repeated[0]!r} first: "
            "rename the columns, so that each coefficient has a name of its own."
        )


def _frame_column(series: nw.Series[Any]) -> Column:
    name, dtype = str(series.name), series.dtype
    if dtype.is_numeric():
        try:
            gaps = dtype.is_integer() and series.is_null().any()
            values = series.cast(nw.Float64).to_numpy() if gaps else series.to_numpy()
        except Exception:  # NumPy has no such numbers: decimals, integers of 128 bits
            values = series.cast(nw.Float64).to_numpy()
        if values.dtype.kind not in "iuf":
            values = series.cast(nw.Float64).to_numpy()
        return Column(name, "numbers", values)
    native = series.to_native()
    declares = dtype == nw.Categorical and hasattr(native, "cat") and hasattr(native, "iloc")
    if dtype == nw.Unknown and hasattr(native, "sparse"):
        return _array_column(name, native.to_numpy())
    if hasattr(native, "iloc") and dtype in (nw.Categorical, nw.Enum):
        native = native.cat.rename_categories([str(level) for level in native.cat.categories])
        series = nw.from_native(native, series_only=True)
    try:
        values = series.to_arrow()
    except Exception as error:  # each package has its own for what Arrow cannot hold
        return _other(name, len(series), f"has values of no one kind ({str(error).rstrip('.')})")
    return _arrow_column(name, values, declares)


def _array_column(name: str, values: Array) -> Column:
    import pyarrow as pa

    if values.dtype.kind == "b":
        return Column(name, "truth values", values)
    if values.dtype.kind in "iuf":
        return Column(name, "numbers", values)
    try:
        return _arrow_column(name, pa.array(values, from_pandas=True))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        return _other(name, len(values), f"has values of no one kind ({str(error).rstrip('.')})")


def _arrow_column(name: str, values: Any, declares: bool = False) -> Column:
    """A column of an Arrow array; ``declares`` tells that its dictionary has an order to keep."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.cast(pa.dictionary(pa.int32(), pa.string(), kind.ordered))
        whole = values.unify_dictionaries() if hasattr(values, "chunks") else values
        first = whole.chunk(0) if hasattr(whole, "chunks") else whole
        # polars numbers the levels of its Categorical as they turn up: that is no order.
        declared = tuple(first.dictionary.to_pylist()) if declares or kind.ordered else None
        return Column(name, "text", whole, declared)
    if pa.types.is_null(kind):
        return Column(name, "nothing", values)
    if is_text(kind):
        return Column(name, "text", values)
    if pa.types.is_boolean(kind):
        return Column(name, "truth values", _floats(values.cast(pa.int8())))
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        zoned = getattr(kind, "tz", None) is not None
        return Column(name, "dates with a zone" if zoned else "dates", values)
    if pa.types.is_duration(kind):
        days = _floats(values.cast(pa.duration("us"), safe=False).cast(pa.int64())) / DAY
        return Column(name, "numbers", days)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Column(name, "numbers", _floats(values.cast(pa.float64())))
    what = f"holds values of type {kind}, and numbers, text, categories or dates are expected"
    return _other(name, len(values), what)


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of text."""
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _floats(values: Any) -> Array:
    """An Arrow array of numbers as float64, NaN where one is missing."""
    numbers: Array = values.to_numpy() if hasattr(values, "chunks") else _to_numpy(values)
    return numbers.astype(np.float64, copy=False)


def _to_numpy(values: Any) -> Array:
    array: Array = values.to_numpy(zero_copy_only=False)
    return array


def _other(name: str, n_rows: int, what: str) -> Column:
    """A column that can become no numbers: it may stand in a table as long as it is dropped."""
    problem = (
        f"Column {name!r} {what}: make numbers or text of it, or leave it out with "
        f"{{{name!r}: 'drop'}}."
    )
    return Column(name, "other values", np.empty(n_rows), problem=problem)
