"""Targets, weights and offsets of a likelihood model, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.data.numbers import as_numbers
from linework.data.sources import Table
from linework.losses import Family


def check_offset(offset: Any, n_rows: int) -> Array | None:
    """Offsets as an array of shape (n, 1), or a sentence on what is wrong with them."""
    if offset is None:
        return None
    values = as_numbers(offset, "offset")
    if values.shape != (n_rows,) or not np.isfinite(values).all():
        raise ValueError(
            f"offset has shape {values.shape}, and {n_rows} finite numbers are expected, one for "
            "each row; ln 0 is infinite, so give exposures above zero."
        )
    return values[:, None]


def chosen(table: Table) -> Array | slice:
    """The rows of positive weight."""
    return slice(None) if table.weight is None else table.weight > 0.0


def present_rows(table: Table) -> tuple[Array, Array]:
    """Targets and weights of the rows of positive weight."""
    assert table.y is not None
    rows = chosen(table)
    y = table.y[rows, 0]
    return y, np.ones(len(y)) if table.weight is None else table.weight[rows]


def reject_outside(family: Family, table: Table) -> None:
    """Raise a sentence that names the first y the family cannot give."""
    assert table.y is not None
    y = table.y[:, 0]
    bad = family.outside(y) | ~np.isfinite(y)
    if table.weight is not None:  # removed rows may hold anything
        bad &= table.weight > 0.0
    if not bad.any():
        return
    row = int(np.flatnonzero(bad)[0])
    if not np.isfinite(y[row]):
        kind = "NaN" if np.isnan(y[row]) else "infinity (inf)"
        raise ValueError(
            f"Input y contains {kind} in row {row}, and a linear model needs finite numbers: "
            "remove such rows, or fill them first."
        )
    raise ValueError(
        f"Some value(s) of y are out of the valid range of the loss: y is {y[row]:g} in row {row}, "
        f"and a {family.name} family takes y {family.range}. Correct them, or choose another."
    )
