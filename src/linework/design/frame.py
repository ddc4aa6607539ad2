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

Kind: TypeAlias = Literal["numbers", "truth values", "levels", "dates", "nothing"]
"""What a column holds; ``"nothing"`` where every value is missing and its type says no more."""

STEP = 1 << 15
"""Rows of a block: their numbers outweigh the calls, and those of a column stay in a core's cache."""

DAY = 86_400_000_000
"""Microseconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column of some rows.

    Attributes
    ----------
    name : str
    kind : {"numbers", "truth values", "levels", "dates", "nothing"}
    values : array of numbers, NaN where one is missing, or Arrow array
    declared : tuple of str or None
        The levels in the order of the column's type, where that has one.
    start : int
        Number of the first row, for messages.
    """

    name: str
    kind: Kind
    values: Any
    declared: tuple[str, ...] | None = None
    start: int = 0

    def __len__(self) -> int:
        return len(self.values)

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

        if self.kind != "levels" or pa.types.is_dictionary(self.values.type):
            return self
        values = self.values.dictionary_encode()
        if hasattr(values, "chunks"):
            values = values.unify_dictionaries()
        return dataclasses.replace(self, values=values)

    def numbers(self) -> Array:
        """The values as float64, dates as days since 1970, NaN where one is missing."""
        if self.kind == "nothing":
            return np.full(len(self), np.nan)
        if self.kind == "levels":
            raise ValueError(
                f"Column {self.name!r} holds text or categories, and a treatment for numbers is "
                "asked for: make it 'nominal', list its levels in order, or leave it out with "
                "'drop'."
            )
        if self.kind == "dates":
            import pyarrow as pa

            # An instant is the same in all zones: Arrow counts from 1970 in UTC.
            times = self.values.cast(pa.timestamp("us", getattr(self.values.type, "tz", None)))
            return _floats(times.cast(pa.int64())) / DAY
        return np.asarray(self.values, np.float64)

    def encoded(self) -> tuple[Array, Any]:
        """A code for each row, −1 where the value is missing, and the Arrow array it points to."""
        import pyarrow as pa

        values = self.values
        if isinstance(values, np.ndarray):
            truth = self.kind == "truth values"
            values = pa.array(values, pa.float64(), from_pandas=True)
            values = values.cast(pa.bool_()) if truth else values
        elif self.kind == "dates":
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
    [('size', 'levels'), ('price', 'numbers')]
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
    if dtype.is_float() or (dtype.is_integer() and not series.is_null().any()):
        try:
            return Column(name, "numbers", series.to_numpy())
        except (TypeError, ValueError):  # a nullable column of pandas with gaps
            pass
    if dtype.is_numeric():
        return Column(name, "numbers", series.cast(nw.Float64).to_numpy())
    try:
        values = series.to_arrow()
    except Exception as error:  # each package has its own for what Arrow cannot hold
        raise _not_of_one_kind(name, str(error)) from None
    declared = None
    if dtype == nw.Enum or (dtype == nw.Categorical and hasattr(series.to_native(), "cat")):
        declared = _declared(series)
    return _arrow_column(name, values, declared)


def _declared(series: nw.Series[Any]) -> tuple[str, ...] | None:
    """Levels in the order of a type that states it: pandas' categories, polars' Enum."""
    if series.implementation.is_polars() and series.dtype != nw.Enum:
        return None  # polars numbers the levels of its Categorical as they turn up
    levels = series.cat.get_categories().to_list()
    return tuple(levels) if all(isinstance(level, str) for level in levels) else None


def _array_column(name: str, values: Array) -> Column:
    import pyarrow as pa

    if values.dtype.kind == "b":
        return Column(name, "truth values", values)
    if values.dtype.kind in "iuf":
        return Column(name, "numbers", values)
    try:
        return _arrow_column(name, pa.array(values, from_pandas=True))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise _not_of_one_kind(name, str(error)) from None


def _arrow_column(name: str, values: Any, declared: tuple[str, ...] | None = None) -> Column:
    import pyarrow as pa

    kind = values.type
    if pa.types.is_dictionary(kind):
        if kind.ordered and declared is None and pa.types.is_string(kind.value_type):
            values = values.unify_dictionaries() if hasattr(values, "chunks") else values
            first = values.chunk(0) if hasattr(values, "chunks") else values
            declared = tuple(first.dictionary.to_pylist())
        if not (is_text(kind.value_type) or declared):
            return _arrow_column(name, values.cast(kind.value_type))
        return Column(name, "levels", values, declared)
    if pa.types.is_null(kind):
        return Column(name, "nothing", values)
    if is_text(kind):
        return Column(name, "levels", values)
    if pa.types.is_boolean(kind):
        return Column(name, "truth values", _floats(values.cast(pa.int8())))
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return Column(name, "dates", values)
    if pa.types.is_duration(kind):
        days = _floats(values.cast(pa.duration("us")).cast(pa.int64())) / DAY
        return Column(name, "numbers", days)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Column(name, "numbers", _floats(values.cast(pa.float64())))
    raise ValueError(
        f"Column {name!r} holds values of type {kind}, and numbers, truth values, text, categories "
        "or dates are expected: take what matters out of it into columns of its own, or leave it "
        "out."
    )


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


def _not_of_one_kind(name: str, why: str) -> ValueError:
    return ValueError(
        f"Column {name!r} does not hold values of one kind ({why.rstrip('.')}): make them all "
        "numbers or all text."
    )
