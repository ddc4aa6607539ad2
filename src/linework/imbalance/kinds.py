"""Rows of any kind of table, and more rows of the same kind."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_each

NEW_ROWS = 1 << 14
"""New rows that are computed at a time."""


def is_frame(X: Any) -> bool:
    """Whether rows are of a pandas, polars or Arrow table."""
    return not (isinstance(X, np.ndarray) or sp.issparse(X)) and bool(
        nw.dependencies.is_into_dataframe(X)
    )


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


def points_between(X: Any, table: Table, base: Array, other: Array, step: Array) -> Any:
    """The rows of X, and after them x_b + step (x_o − x_b) for each pair of rows, of the same kind.

    Columns keep their types: in whole numbers and truth values, the result is rounded.

    Parameters
    ----------
    X : array, sparse matrix or frame of n rows
    table : Table
        Of X.
    base, other : array of int of shape (m,)
    step : array of shape (m,)

    Returns
    -------
    array, sparse matrix or frame of n + m rows
    """
    pieces = [slice(at, at + NEW_ROWS) for at in range(0, len(base), NEW_ROWS)]
    n, d = table.n_rows, table.n_columns
    if table.sparse:
        rows = table.rows(slice(0, n))

        def piece(part: slice) -> Any:
            start = rows[base[part]]
            return start + sp.diags_array(step[part]) @ (rows[other[part]] - start)

        new = [made.astype(X.dtype) for made in map_each(pieces, piece, "Rows made", len(pieces))]
        return sp.vstack([X, *new], format=X.format)
    whole = X.dtype.kind in "biu" if isinstance(X, np.ndarray) else False
    plain = isinstance(X, np.ndarray) and X.dtype == table.dtype
    out = np.empty((n + len(base) if plain else len(base), d), table.dtype)
    made = out[n:] if plain else out
    if plain:
        out[:n] = X

    def fill(part: slice) -> None:
        from linework.imbalance.neighbours_kernels import between

        b, o = base[part], other[part]
        if plain:
            between(X, b, o, step[part], made[part])
        else:
            pair = np.arange(len(b))
            rows = np.concatenate([table.rows(b), table.rows(o)]).astype(table.dtype)
            between(rows, pair, pair + len(b), step[part], made[part])

    map_each(pieces, fill, "Rows made", len(pieces))
    if plain:
        return out
    if isinstance(X, np.ndarray):
        return np.concatenate([X, (np.rint(made) if whole else made).astype(X.dtype)])
    return _more_rows(X, {name: made[:, j] for j, name in enumerate(nw.from_native(X).columns)})


def _more_rows(X: Any, new: dict[str, Any]) -> Any:
    """A frame with more rows, whose columns are given as arrays or series, in its own types."""
    frame = nw.from_native(X, eager_only=True)
    schema = frame.schema
    columns = []
    for name, values in new.items():
        kind = schema[name]
        if isinstance(values, np.ndarray):
            if kind.is_integer() or kind == nw.Boolean:
                values = np.rint(values)
            values = nw.new_series(name, values, backend=frame.implementation).cast(kind)
        columns.append(values)
    more = columns[0].to_frame().with_columns(*columns[1:])
    return nw.maybe_reset_index(nw.concat([frame, more], how="vertical")).to_native()
