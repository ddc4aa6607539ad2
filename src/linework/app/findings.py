"""What is in a table: each column's kind, what a model makes of it, and what is odd about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from linework.app.errors import UserError
from linework.app.task import Task, read_task
from linework.data.blocks import Array
from linework.design.frame import Column, as_frame
from linework.design.treatments import TEXT_LEVELS

CELLS = 20_000_000
"""Cells up to which equal rows are looked for."""

SUSPECT_ROWS = 20
"""Rows from which a column that tells the target by itself is no accident."""

GIVEN_AWAY = 0.9999
"""Share of a number's variance that a column explains where it gives the target away."""


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """A column of the table.

    Attributes
    ----------
    name, kind : str
    missing, distinct : int
        Rows without a value, and different values.
    used : str
        What it becomes for a model; empty where it is left out.
    note : str
        Why it is left out, or what is odd about it.
    """

    name: str
    kind: str
    missing: int
    distinct: int
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
    """The end of a sentence on a name that is not there."""
    import difflib

    close = difflib.get_close_matches(name, names, 3) or list(names)[:8]
    more = ", …" if len(close) == 8 and len(names) > 8 else ""
    return f": there are {', '.join(map(repr, close))}{more}."


def _column(column: Column, y: Array, task: Task, dropped: bool) -> ColumnFinding:
    """What one column is good for."""
    name, kind, rows = column.name, column.kind, len(column)
    if column.problem:
        return ColumnFinding(name, "other values", 0, 0, "", "has values of another kind")
    if kind == "nothing":
        return ColumnFinding(name, kind, rows, 0, "", "has no values")
    codes, distinct = codes_of(column)
    missing = int(np.count_nonzero(codes < 0))
    reason = "is left out as asked" if dropped else _useless(column, codes, distinct, missing)
    if reason:
        return ColumnFinding(name, kind, missing, distinct, "", reason)
    used = {
        "text": f"{distinct} levels",
        "truth values": "0 and 1",
        "dates": "days",
        "dates with a zone": "days",
    }.get(kind, "number")
    note = "gives the target away" if _gives_away(column, codes, y, task) else ""
    return ColumnFinding(name, kind, missing, distinct, used, note)


def codes_of(column: Column) -> tuple[Array, int]:
    """A number for each row's value, −1 where it is missing; ordered as numbers and dates are."""
    if column.kind == "text":
        codes, levels = column.encoded()
        return codes, len(np.unique(codes[codes >= 0]))
    x = column.numbers()
    levels, inverse = np.unique(x, return_inverse=True)
    count = len(levels) - int(np.isnan(levels[-1:]).any())
    return np.where(np.isnan(x), -1, inverse), count


def _useless(column: Column, codes: Array, distinct: int, missing: int) -> str:
    """Why the column says nothing of other rows."""
    present = len(column) - missing
    if not distinct:
        return "has no values"
    if distinct == 1 and not missing:
        return "has one value"
    if column.kind == "text" and distinct > TEXT_LEVELS and 2 * distinct > present:
        return f"is text with {distinct} different values in {present} rows: an identifier"
    if column.kind == "numbers":
        x = column.numbers()
        if not np.isfinite(x[codes >= 0]).all():
            return "has an infinity (inf)"
        counts = present > TEXT_LEVELS and distinct == len(column)
        if counts and np.ptp(x) == len(column) - 1 and (x == np.rint(x)).all():
            return "numbers the rows: an identifier"
    return ""


def _gives_away(column: Column, codes: Array, y: Array, task: Task) -> bool:
    """Whether the column alone tells the target."""
    there = codes >= 0
    codes, y = codes[there], y[there]
    if len(y) < SUSPECT_ROWS:
        return False
    if task.kind == "regression":
        if column.kind == "text":
            if 2 * (codes.max() + 1) > len(y):
                return False
            sums, counts = (np.bincount(codes, w) for w in (y, None))
            x = (sums / np.maximum(counts, 1))[codes]
        else:
            x = column.numbers()[there]
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            return False
        x, y = (x - x.mean()) / np.ptp(x), (y - y.mean()) / np.ptp(y)
        return bool((x @ y) ** 2 > GIVEN_AWAY * (x @ x) * (y @ y))
    labels = np.unique(y, return_inverse=True)[1]
    order = np.lexsort((labels, codes))
    codes, labels = codes[order], labels[order]
    turns = labels[1:] != labels[:-1]
    if (turns & (codes[1:] == codes[:-1])).any():
        return False
    levels = int(turns.sum()) + 1
    # Text has no order along which classes could lie: each level has its class.
    few = len(np.unique(codes)) * 2 <= len(y) if column.kind == "text" else levels <= task.classes
    return bool(few)


def _duplicates(table: Any) -> int | None:
    """Rows that are equal to one before them."""
    import pyarrow as pa

    if table.num_rows * table.num_columns > CELLS:
        return None
    try:
        distinct = table.group_by(table.column_names).aggregate([]).num_rows
    except pa.ArrowNotImplementedError:  # columns of lists and the like
        return None
    return int(table.num_rows - distinct)


def lines(findings: Findings) -> Iterator[str]:
    """The findings in sentences."""
    task, rows = findings.task, findings.rows
    yield f"{rows:,} rows; {task}"
    if findings.without_target:
        yield f"{findings.without_target:,} rows have no {task.target!r} and are left out"
    if findings.duplicates:
        yield f"{findings.duplicates:,} rows are equal to one before them (they stay)"
    used = [column for column in findings.columns if column.used]
    yield f"{len(used)} of {len(findings.columns)} columns are used: {_kinds(used)}"
    gaps = [f"{column.name} ({column.missing:,})" for column in used if column.missing]
    if gaps:
        yield f"missing values, filled and marked: {_some(gaps)}"
    out: Mapping[str, list[str]] = {}
    for column in findings.columns:
        if not column.used:
            out = {**out, column.note: [*out.get(column.note, []), column.name]}
    for note, names in out.items():
        yield f"left out, {note}: {_some(names)}"
    suspects = [column.name for column in used if column.note]
    if suspects:
        yield (
            f"tells the target by itself: {_some(suspects)}. If it would not be known in time, "
            f"leave it out: --drop {suspects[0]}"
        )


def _kinds(columns: Sequence[ColumnFinding]) -> str:
    kinds = [column.kind.replace(" with a zone", "") for column in columns]
    return ", ".join(f"{kinds.count(kind)} of {kind}" for kind in dict.fromkeys(kinds))


def _some(names: Sequence[str], limit: int = 6) -> str:
    rest = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {rest:,} more" if rest > 0 else "")
