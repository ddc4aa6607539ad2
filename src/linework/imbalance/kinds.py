"""Rows of any kind of table, and more rows of the same kind."""

from __future__ import annotations

import dataclasses
from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from linework.data.blocks import Array, Matrix
from linework.data.sources import Table
from linework.engine import map_each

NEW_ROWS = 1 << 12
"""New rows that are computed at a time."""


def is_frame(X: Any) -> bool:
    """Whether rows are of a pandas, polars or Arrow table."""
    return not (isinstance(X, np.ndarray) or sp.issparse(X)) and bool(
        nw.dependencies.is_into_dataframe(X)
    )


def is_numeric(X: Any) -> bool:
    """Whether all columns hold numbers or truth values."""
    if is_frame(X):
        kinds = nw.from_native(X, eager_only=True).schema.values()
        return all(kind.is_numeric() or kind == nw.Boolean for kind in kinds)
    return bool(X.dtype.kind in "biuf")


def reject_nonfinite(table: Table, weight: Array | None = None) -> None:
    """Raise a sentence that names the first NaN or infinity in rows that count."""
    table = dataclasses.replace(table, weight=weight)

    def look(chunk: Any) -> None:
        for block in chunk():
            block.present().reject_nonfinite()

    map_each(table.chunks(), look, "Blocks read")


def as_rows(X: Any, caller: str) -> Any:
    """X as it is, where it is a frame, else as an array or sparse matrix of whatever it holds."""
    if hasattr(X, "collect"):
        raise TypeError(f"X is a lazy table ({type(X).__name__}): give its rows, X.collect().")
    if is_frame(X):
        return X
    return check_array(
        X, accept_sparse=("csr", "csc"), dtype=None, ensure_all_finite=False, estimator=caller
    )


def take(values: Any, rows: Array) -> Any:
    """These rows of an array, sparse matrix, frame or series, of the same kind.

    Labels of pandas' rows are numbered anew: a row that comes twice would have one of them twice.
    """
    if sp.issparse(values):
        return values.tocsr()[rows].asformat(values.format)
    if isinstance(values, np.ndarray):
        return values[rows]
    native = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series):
        return nw.maybe_reset_index(native[rows]).to_native()
    return np.asarray(values)[rows]


def rows_between(
    table: Table, base: Array, other: Array, step: Array, out: Array | None = None
) -> Matrix:
    """x_b + step (x_o − x_b) for pairs of a table's rows, as an array or CSR matrix (m, d).

    Parameters
    ----------
    table : Table
    base, other : array of int of shape (m,)
    step : array of shape (m,)
    out : array of shape (m, d), optional
        Where to put the numbers of a dense table.
    """
    pieces = [slice(at, at + NEW_ROWS) for at in range(0, len(base), NEW_ROWS)]
    if table.sparse:

        def piece(part: slice) -> Any:
            start = table.rows(base[part])
            return start + sp.diags_array(step[part]) @ (table.rows(other[part]) - start)

        nothing = sp.csr_array((0, table.n_columns), dtype=table.dtype)
        made = map_each(pieces, piece, "Rows made", len(pieces))
        return sp.vstack([nothing, *made], format="csr", dtype=table.dtype)
    result = np.empty((len(base), table.n_columns), table.dtype) if out is None else out

    def fill(part: slice) -> None:
        start = table.rows(base[part]).astype(table.dtype, copy=False)
        way = table.rows(other[part]).astype(table.dtype, copy=False) - start
        way *= step[part, None].astype(table.dtype)
        np.add(start, way, out=result[part])

    map_each(pieces, fill, "Rows made", len(pieces))
    return result


def in_type(made: Matrix, dtype: np.dtype[Any]) -> Matrix:
    """Numbers in this type, rounded where it is of whole numbers or truth values."""
    return (np.rint(made) if dtype.kind in "biu" else made).astype(dtype, copy=False)


def with_rows(X: Any, made: Matrix) -> Any:
    """An array, sparse matrix or frame with more rows, all of whose columns are numbers."""
    if is_frame(X):
        names = nw.from_native(X, eager_only=True).columns
        made = made.toarray() if sp.issparse(made) else made
        return with_columns(X, {name: made[:, j] for j, name in enumerate(names)})
    made = in_type(made, X.dtype)
    if sp.issparse(X):
        return sp.vstack([X, type(X)(made)], format=X.format)
    return np.concatenate([X, made])


def with_columns(X: Any, new: dict[str, Any]) -> Any:
    """A frame with more rows, whose columns are given as arrays or series, in its own types."""
    frame = nw.from_native(X, eager_only=True)
    columns = []
    for name, kind in frame.schema.items():
        column = new[name]
        if isinstance(column, np.ndarray):
            column = np.rint(column) if kind.is_integer() or kind == nw.Boolean else column
            column = nw.new_series(name, column, backend=frame.implementation)
            column = column if kind == nw.Unknown else column.cast(kind)
        columns.append(nw.maybe_reset_index(column))
    more = columns[0].to_frame().with_columns(*columns[1:])
    return nw.maybe_reset_index(nw.concat([frame, more], how="vertical")).to_native()
