"""What is printed, as plain text: findings, the leaderboard, coefficients and the card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from linework.app.choice import Entry, Leaderboard
from linework.app.findings import GIVES_AWAY, ColumnFinding, Findings
from linework.app.model import Card
from linework.app.task import short
from linework.inference.formats import Grid

WORDS = {
    "r2": "R²",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "log_loss": "log loss",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "area under the ROC curve",
}
LOWER = ("rmse", "mae", "log_loss")
"""Metrics of which less is better."""

SHOWN = 20
"""Coefficients that are shown."""


def findings(found: Findings) -> Iterator[str]:
    r"""What is in a table, a line for each thing.

    Parameters
    ----------
    found : Findings

    Yields
    ------
    str

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linework.app.findings import look
    >>> from linework.app.texts import findings
    >>> table = pa.table({"x": [1.0, 2.0, None, 4.5], "c": [1, 1, 1, 1], "y": ["a", "b", "a", "b"]})
    >>> print(*findings(look(table, "y")[2]), sep="\n")
    4 rows; 'y' is one of 2 classes: a 50%, b 50%
    1 of 2 columns are used: 1 of numbers
    missing values, taken as the mean or as a level of their own: x (1)
    left out, has one value: c
    """
    task, rows = found.task, found.rows
    yield f"{rows:,} rows; {task}"
    if found.without_target:
        yield f"{found.without_target:,} rows have no {task.target!r} and are left out"
    if found.duplicates:
        yield f"{found.duplicates:,} rows are equal to one before them (they stay)"
    used = [column for column in found.columns if column.used]
    yield f"{len(used)} of {len(found.columns)} columns are used: {_kinds(used)}"
    gaps = [f"{column.name} ({column.missing:,})" for column in used if column.missing]
    if gaps:
        yield f"missing values, taken as the mean or as a level of their own: {_some(gaps)}"
    out: Mapping[str, list[str]] = {}
    for column in found.columns:
        if not column.used:
            out = {**out, column.note: [*out.get(column.note, []), column.name]}
    for note, names in out.items():
        yield f"left out, {note}: {_some(names)}"
    for column in used:
        if column.note and column.note != GIVES_AWAY:
            yield f"{column.note}: {column.name}"
    suspects = [column.name for column in used if column.note == GIVES_AWAY]
    if suspects:
        yield (
            f"{GIVES_AWAY}: {_some(suspects)}. If it would not be known in time, "
            f"leave it out: --drop {suspects[0]}"
        )


def leaderboard(board: Leaderboard) -> Iterator[str]:
    """The models, best first, and the baseline below them.

    Parameters
    ----------
    board : Leaderboard

    Yields
    ------
    str
    """
    better = "lower" if board.metric in LOWER else "higher"
    yield f"Leaderboard, {board.folds} folds, by {WORDS[board.metric]} ({better} is better)"
    yield ""
    header = ["", board.metric, "95 % interval", board.beside, "seconds"]
    rows = [_line(entry) for entry in (*board.entries, board.baseline)]
    yield from _indented(Grid(header, rows))
    for name, reason in board.failed.items():
        yield f"  {name} is not on it: {reason}"
    yield ""
    yield f"Chosen: {board.chosen}"


def coefficients(found: Mapping[str, Mapping[str, float]], limit: int = SHOWN) -> Iterator[str]:
    """The intercept and the largest coefficients.

    Parameters
    ----------
    found : dict of dict
        As `linework.app.model.coefficients` gives them.
    limit : int

    Yields
    ------
    str
    """
    if not found:
        yield "This model has no coefficients: its boundaries are curved."
        return
    yield "Coefficients, largest first; numbers and dates count in standard deviations"
    yield ""
    items = list(found.items())
    header = ["", *map(short, next(iter(found.values())))]
    rows = [
        [short(name), *(f"{value:.4g}" for value in values.values())]
        for name, values in items[: limit + 1]
    ]
    yield from _indented(Grid(header, rows))
    if len(items) > limit + 1:
        yield f"  and {len(items) - limit - 1:,} more"


def card(found: Card) -> Iterator[str]:
    r"""What a model was learned from, in sentences.

    Parameters
    ----------
    found : Card

    Yields
    ------
    str

    Examples
    --------
    >>> from linework.app.model import Card
    >>> from linework.app.texts import card
    >>> found = Card("price", "regression", 90, ("x", "z"), "ridge", "r2", 5, 0.9, (0.85, 0.95))
    >>> print(*card(found), sep="\n")
    ridge for 'price' (regression), from 90 rows
    R² of rows held out, 5 folds: 0.9 (0.85 to 0.95)
    columns: x, z
    """
    low, high = found.interval
    yield f"{found.model} for {found.target!r} ({found.task}), from {found.rows:,} rows"
    yield (
        f"{WORDS[found.metric]} of rows held out, {found.folds} folds: "
        f"{found.score:.4g} ({low:.4g} to {high:.4g})"
    )
    shown = ", ".join(found.columns[:SHOWN])
    rest = len(found.columns) - SHOWN
    yield f"columns: {shown}" + (f" and {rest:,} more" if rest > 0 else "")


def _line(entry: Entry) -> list[str]:
    low, high = entry.interval
    return [
        entry.model,
        f"{entry.score:.4g}",
        f"{low:.4g} to {high:.4g}",
        f"{entry.beside:.4g}",
        f"{entry.seconds:.2f}",
    ]


def _indented(grid: Grid) -> Iterator[str]:
    """The grid's lines, two spaces between its columns and before them."""
    wide = Grid([f"{h} " for h in grid.header], [[f"{cell} " for cell in row] for row in grid.rows])
    yield from (f"  {line}" for line in wide.text())


def _kinds(columns: Sequence[ColumnFinding]) -> str:
    kinds = [column.kind.replace(" with a zone", "") for column in columns]
    return ", ".join(f"{kinds.count(kind)} of {kind}" for kind in dict.fromkeys(kinds))


def _some(names: Sequence[str], limit: int = 6) -> str:
    rest = len(names) - limit
    return ", ".join(map(short, names[:limit])) + (f" and {rest:,} more" if rest > 0 else "")
