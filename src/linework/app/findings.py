"""What is in a table: each column's kind, what a model makes of it, and what is odd about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from linework.app.errors import UserError
from linework.app.task import Task, not_numbers, read_task
from linework.data.blocks import Array
from linework.design.frame import Column, as_frame
from linework.design.treatments import TEXT_LEVELS

CELLS = 20_000_000
"""Cells up to which equal rows are looked for."""

SUSPECT_ROWS = 20
"""Rows from which a column that tells the target by itself is no accident."""

GIVES_AWAY = "tells the target by itself"

FIRST = 2000
"""Rows that are looked at before all are."""

GIVEN_AWAY = 0.9999
"""Share of a number's variance that a column explains where it gives the target away."""


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """A column of the table.

    Attributes
    ----------
    name, kind : str
    missing, levels : int
        Rows without a value, and different texts.
    used : str
        What it becomes for a model; empty where it is left out.
    note : str
        Why it is left out, or what is odd about it.
    """

    name: str
    kind: str
    missing: int
    levels: int
    used: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """A table and what is in it.

    Attributes
    ----------
    rows : int
        With a target.
    task : Task
    columns : tuple of ColumnFinding
        All but the target.
    without_target : int
        Rows that were taken out because they have none.
    duplicates : int or None
        Rows that are equal to one before them; None where they were not looked for.
    """

    rows: int
    task: Task
    columns: tuple[ColumnFinding, ...]
    without_target: int
    duplicates: int | None

    @property
    def used(self) -> list[str]:
        """Names of the columns that a model learns from."""
        return [column.name for column in self.columns if column.used]

    @property
    def gaps(self) -> list[str]:
        """Names of those that have missing values."""
        return [column.name for column in self.columns if column.used and column.missing]

    def as_dict(self) -> dict[str, Any]:
        """The findings as plain values."""
        return asdict(self)


def look(
    table: Any, target: str, *, kind: str | None = None, drop: Sequence[str] = ()
) -> tuple[Any, Array, Findings]:
    """The rows with a target, their targets, and what was found.

    Parameters
    ----------
    table : pyarrow.Table
    target : str
    kind : {"regression", "classification"}, optional
        What is to be learned; decided by the target's values where it is left out.
    drop : sequence of str
        Columns to leave out.

    Returns
    -------
    pyarrow.Table, array of shape (n,), Findings

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linework.app.findings import look
    >>> table = pa.table({"x": [1.0, 2.0, None, 4.5], "c": [1, 1, 1, 1], "y": ["a", "b", "a", "b"]})
    >>> rows, y, findings = look(table, "y")
    >>> findings.used, findings.task.kind
    (['x'], 'binary')
    >>> findings.columns[1].note
    'has one value'
    """
    for name in (target, *drop):
        if name not in table.column_names:
            raise UserError(f"There is no column {name!r}{nearest(name, table.column_names)}")
    n_rows = table.num_rows
    table = table.filter(table.column(target).is_valid())
    if not table.num_rows:
        raise UserError(f"The target {target!r} has no values: every row of it is missing.")
    [column] = as_frame(table.select([target])).columns
    if column.kind == "numbers" and np.isnan(column.numbers()).any():
        present = ~np.isnan(column.numbers())
        table, column = table.filter(present), column
        [column] = as_frame(table.select([target])).columns
    task, y = read_task(column, kind)
    others = table.drop_columns([target])
    if not others.num_columns:
        raise UserError(f"{target!r} is the only column: there is nothing to predict it from.")
    columns = as_frame(others).columns
    found = tuple(_column(each, y, task, each.name in drop) for each in columns)
    findings = Findings(len(y), task, found, n_rows - len(y), _duplicates(table))
    if not findings.used:
        reasons = "; ".join(f"{c.name!r} {c.note}" for c in found[:5])
        raise UserError(f"No column is left to predict {target!r} from: {reasons}.")
    return others, y, findings


def nearest(name: str, names: Sequence[str]) -> str:
    """The end of a sentence on a name that is not there.

    Parameters
    ----------
    name : str
    names : sequence of str
        That are there.

    Returns
    -------
    str

    Examples
    --------
    >>> from linework.app.findings import nearest
    >>> nearest("prize", ["size", "price"])
    ": there are 'price', 'size'."
    """
    import difflib

    close = difflib.get_close_matches(name, names, 3) or list(names)[:8]
    more = ", …" if len(close) == 8 and len(names) > 8 else ""
    return f": there are {', '.join(map(repr, close))}{more}."


def _column(column: Column, y: Array, task: Task, dropped: bool) -> ColumnFinding:
    """What one column is good for."""
    name, kind, rows = column.name, column.kind, len(column)
    if column.problem:
        return ColumnFinding(name, kind, 0, 0, "", "has values of another kind")
    if kind == "nothing":
        return ColumnFinding(name, kind, rows, 0, "", "has no values")
    levels, mixed = 0, []
    if kind == "text":
        mixed = not_numbers(column)
        column = column.hashed()
        codes, _ = column.encoded()
        missing = int(np.count_nonzero(codes < 0))
        levels = len(np.unique(codes[codes >= 0]))
        reason = _useless_text(levels, missing, rows)
    else:
        x = column.numbers()
        missing = int(np.count_nonzero(np.isnan(x)))
        reason = _useless_numbers(column, x[~np.isnan(x)], missing)
    if mixed:
        reason = reason and f"read as text because of {mixed[0]!r}"
    if dropped:
        reason = "as asked"
    if reason:
        return ColumnFinding(name, kind, missing, levels, "", reason)
    used = {"text": "levels", "truth values": "0 and 1"}.get(kind, "number")
    note = f"read as text because of {mixed[0]!r}" if mixed else ""
    note = GIVES_AWAY if _gives_away(column, y, task) else note
    return ColumnFinding(name, kind, missing, levels, used, note)


def _useless_text(levels: int, missing: int, rows: int) -> str:
    """Why a column of text says nothing of other rows."""
    if not levels:
        return "has no values"
    if levels == 1 and not missing:
        return "has one value"
    if levels > TEXT_LEVELS and 2 * levels > rows - missing:
        return f"is text with {levels} different values in {rows - missing} rows: an identifier"
    return ""


def _useless_numbers(column: Column, x: Array, missing: int) -> str:
    """Why a column of numbers, those of its rows that are there, says nothing of other rows."""
    if not len(x):
        return "has no values"
    if not np.isfinite(x).all():
        return "has an infinity (inf)"
    extent = np.ptp(x)
    if not extent and not missing:
        return "has one value"
    counts = column.kind == "numbers" and len(x) > TEXT_LEVELS and extent == len(column) - 1
    if counts and (x == np.rint(x)).all() and len(np.unique(x)) == len(column):
        return "numbers the rows: an identifier"
    return ""


def _gives_away(column: Column, y: Array, task: Task) -> bool:
    """Whether the column alone tells the target."""
    if len(y) < SUSPECT_ROWS:
        return False
    x, there = _values(column)
    if task.kind == "regression":
        return _tells_number(x[there], y[there], column.kind == "text")
    # What a whole column tells, its first rows tell as well, and most columns fail there.
    return all(
        _tells_class(x[:stop][there[:stop]], y[:stop][there[:stop]], column.kind == "text", task)
        for stop in (FIRST, len(y))
    )


def _values(column: Column) -> tuple[Array, Array]:
    """Numbers, or codes of levels, and where they are there."""
    if column.kind == "text":
        codes, _ = column.encoded()
        return codes, codes >= 0
    x = column.numbers()
    return x, ~np.isnan(x)


def _tells_number(x: Array, y: Array, levels: bool) -> bool:
    """Whether x, or the mean of each of its levels, explains nearly all of y's variance."""
    if levels:
        if 2 * len(np.unique(x)) > len(y):
            return False
        sums, counts = np.bincount(x, y), np.bincount(x)
        x = (sums / np.maximum(counts, 1))[x]
    if len(y) < SUSPECT_ROWS or not np.ptp(x) or not np.ptp(y):
        return False
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    x, y = x - x.mean(), y - y.mean()
    return bool((x @ y) ** 2 > GIVEN_AWAY * (x @ x) * (y @ y))


def _tells_class(x: Array, y: Array, levels: bool, task: Task) -> bool:
    """Whether each level has one class, or classes lie apart on the line of numbers."""
    if len(y) < SUSPECT_ROWS:
        return False
    labels = np.unique(y, return_inverse=True)[1]
    order = np.lexsort((labels, x))
    x, labels = x[order], labels[order]
    turns, steps = labels[1:] != labels[:-1], x[1:] != x[:-1]
    if (turns & ~steps).any():
        return False
    if levels:
        return bool(2 * (np.count_nonzero(steps) + 1) <= len(y))
    return bool(np.count_nonzero(turns) < task.classes)


def _duplicates(table: Any) -> int | None:
    """Rows that are equal to one before them; most tables show in a few columns that none is."""
    import pyarrow as pa

    n, width = table.num_rows, 2
    if n * table.num_columns > CELLS:
        return None
    try:
        while True:
            names = table.column_names[:width]
            distinct = table.select(names).group_by(names).aggregate([]).num_rows
            if distinct == n or width >= table.num_columns:
                return int(n - distinct)
            width *= 4
    except pa.ArrowNotImplementedError:  # columns of lists and the like
        return None
