"""Predictions for another table, beside the columns that are to be kept."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from linework.app.errors import UserError
from linework.app.findings import nearest
from linework.app.model import Card
from linework.design.encoders import label


def predict(pipeline: Pipeline, table: Any, keep: Sequence[str] | None = None) -> Any:
    """The table's kept columns with the prediction, and of classes their probabilities.

    Parameters
    ----------
    pipeline : Pipeline
        With its card.
    table : pyarrow.Table
    keep : sequence of str, optional
        Columns to keep; all, if left out.

    Returns
    -------
    pyarrow.Table

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linework.app.predicting import predict
    >>> from linework.app.steps import fit_table
    >>> table = pa.table({"x": [0.0, 1.0, 2.0, 3.0] * 3, "y": [1.5, 3.5, 5.5, 7.5] * 3})
    >>> pipeline = fit_table(table, "y", models=["linear"]).pipeline
    >>> out = predict(pipeline, pa.table({"x": [5.0], "id": ["a"]}), keep=["id"])
    >>> out["id"].to_pylist(), round(out["prediction"][0].as_py(), 6)
    (['a'], 11.5)
    """
    import pyarrow as pa

    card: Card = pipeline.card_
    _check_columns(card, table)
    kept = list(table.column_names if keep is None else keep)
    for name in kept:
        if name not in table.column_names:
            raise UserError(f"There is no column {name!r}{nearest(name, table.column_names)}")
    X = pipeline[0].transform(table.select(list(card.columns)))
    model = pipeline[-1]
    added = {"prediction": pa.array(np.asarray(model.predict(X)).tolist())}
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        names = [f"p({label(level)})" for level in model.classes_.tolist()]
        added |= {name: pa.array(shares[:, k]) for k, name in enumerate(names)}
    if taken := [name for name in added if name in kept]:
        raise UserError(
            f"The table has a column {taken[0]!r} of its own, and predictions go by that name: "
            "rename it, or name the columns to keep without it."
        )
    out = table.select(kept)
    for name, values in added.items():
        out = out.append_column(name, values)
    return out


def write_table(table: Any, path: str | Path | None) -> None:
    """Write a table as Parquet where the name ends so, else as CSV; to stdout without a name."""
    from pyarrow import csv, parquet

    if path is None:
        sys.stdout.flush()
        csv.write_csv(table, sys.stdout.buffer)
        return
    path = Path(path)
    try:
        if path.suffix in (".parquet", ".pq"):
            parquet.write_table(table, path)
        else:
            csv.write_csv(table, path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error}.") from None


def _check_columns(card: Card, table: Any) -> None:
    lacking = [name for name in card.columns if name not in table.column_names]
    if not lacking:
        return
    others = [name for name in table.column_names if name not in card.columns]
    shown = ", ".join(map(repr, lacking[:8])) + (", …" if len(lacking) > 8 else "")
    more = ", ".join(map(repr, others[:8])) + (", …" if len(others) > 8 else "")
    beside = f"; it has {more}, which the model does not know" if others else ""
    raise UserError(
        f"The table lacks {len(lacking)} of the {len(card.columns)} columns that the model was "
        f"fitted on: {shown}{beside}. Give a table with these columns."
    )
