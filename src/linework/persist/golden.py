"""Golden rows: a few rows and what the model said of them, to be said again after loading."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import joblib
import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing

from linework.data.blocks import Array
from linework.persist.errors import ModelFileError

ROWS = 16
NUMBERS = 4096
"""Generated rows have about as many numbers at most; there are two rows at least."""

LIBRARIES = ("pandas", "polars", "pyarrow")
METHODS = ("predict", "predict_proba", "decision_function", "transform")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A data frame as arrays: the library it is of, its columns' names, and the columns."""

    library: str
    names: tuple[str, ...]
    columns: tuple[Array, ...]

    @classmethod
    def of(cls, frame: nw.DataFrame[Any]) -> Self:
        """The frame's columns, text and what else is no number or time as objects."""
        columns = tuple(_column(series) for series in frame.iter_columns())
        return cls(frame.implementation.name.lower(), tuple(frame.columns), columns)

    def native(self) -> Any:
        """The frame, in its library."""
        if self.library not in LIBRARIES:
            raise ModelFileError("The file's rows are a data frame of no library that is known.")
        columns = (c.tolist() if c.dtype.kind == "O" else c for c in self.columns)
        data = dict(zip(self.names, columns, strict=True))
        return nw.from_dict(data, backend=import_module(self.library)).to_native()


def _column(series: nw.Series[Any]) -> Array:
    values = series.to_numpy()
    if values.dtype.kind in "biufM":
        return values
    objects = np.empty(len(series), object)
    objects[:] = series.to_list()
    objects[series.is_null().to_numpy().astype(bool)] = None
    return objects


@dataclass(frozen=True, slots=True, eq=False)
class Golden:
    """Rows, and for each method of the model what it says of them."""

    rows: Any
    outputs: dict[str, Array]

    @classmethod
    def of(cls, model: Any, X: Any = None) -> Self:
        """Of rows spread over those given, or of rows generated."""
        if X is not None:
            rows = _spread(X)
            return cls(rows, outputs(model, rows))
        rows = _generated(model)
        try:
            return cls(rows, outputs(model, rows))
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise ValueError(
                f"{type(model).__name__} says nothing of generated rows, to be checked when the "
                f"file is read ({error}). Give a few rows like those it was fitted to, X=..."
            ) from error

    def check(self, model: Any) -> None:
        """A sentence where the model says other things of these rows."""
        for name, expected in outputs(model, self.rows).items():
            if name not in self.outputs or not same(self.outputs[name], expected):
                raise ModelFileError(
                    f"The model's {name} of the golden rows is not what it was when the file was "
                    "written: the file was altered, or another version of a library computes "
                    "otherwise. load(path, verify=False) reads it all the same."
                )


def outputs(model: Any, rows: Any) -> dict[str, Array]:
    """What each method of the model says of the rows, by one worker and without warnings."""
    X = rows.native() if isinstance(rows, Frame) else rows
    if X.shape[0] > ROWS:
        raise ModelFileError(f"The file has more than {ROWS} golden rows.")
    with warnings.catch_warnings(), joblib.parallel_config("sequential"):
        warnings.simplefilter("ignore")
        said = {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}
    return {
        name: value.toarray() if sp.issparse(value) else np.asarray(value)
        for name, value in said.items()
    }


def same(before: Array, after: Array) -> bool:
    """Labels equal, and numbers to half their digits, beside the largest: processors differ."""
    if before.shape != after.shape or before.dtype.kind != after.dtype.kind:
        return False
    if before.dtype.kind != "f":
        return bool(before.tolist() == after.tolist())
    finite = np.isfinite(before)
    if not np.array_equal(before[~finite], after[~finite], equal_nan=True):
        return False
    scale = np.abs(before[finite]).max(initial=0.0) or 1.0
    bound = np.sqrt(np.finfo(before.dtype).eps) * scale
    return bool((np.abs(after[finite] - before[finite]) <= bound).all())


def _spread(X: Any) -> Any:
    """Up to `ROWS` of the rows, from the first to the last."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    table: Any = frame
    if not isinstance(frame, nw.DataFrame):
        table = X.tocsr() if sp.issparse(X) else np.asarray(X)
    n = table.shape[0]
    if not n:
        raise ValueError("X has no rows: give a few like those the model was fitted to.")
    kept = np.unique(np.linspace(0, n - 1, ROWS).astype(int))
    if isinstance(table, nw.DataFrame):
        return Frame.of(table[kept.tolist()])
    return _safe_indexing(table, kept)


def _generated(model: Any) -> Array:
    """Normal rows, of the means and spreads that the model knows of its columns."""
    d = getattr(model, "n_features_in_", None)
    if d is None:
        raise ValueError(
            f"{type(model).__name__} does not tell its number of columns, n_features_in_: give a "
            "few rows like those it was fitted to, X=..."
        )
    mean, spread = _columns(model)
    rows = np.random.default_rng(0).standard_normal((min(ROWS, max(2, NUMBERS // max(d, 1))), d))
    return np.asarray(mean + spread * rows)


def _columns(model: Any) -> tuple[Any, Any]:
    """Means and spreads of the columns, as far as the model, or what it begins with, has them."""
    if hasattr(model, "steps"):
        return _columns(model.steps[0][1])
    if hasattr(model, "estimator_"):
        return _columns(model.estimator_)
    stats: Any = getattr(model, "stats_", None)
    if hasattr(stats, "total"):
        stats = stats.total()
    if hasattr(stats, "x_mean") and np.ndim(stats.x_mean) == 1:
        d = stats.n_features
        return stats.x_mean, np.sqrt(np.diagonal(stats.scatter)[:d] / stats.weight)
    if getattr(model, "mean_", None) is not None and getattr(model, "scale_", None) is not None:
        return model.mean_, model.scale_
    return 0.0, 1.0
