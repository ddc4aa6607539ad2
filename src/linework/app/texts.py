"""What is printed: the leaderboard, the coefficients and the card, as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from linework.app.choice import Entry, Leaderboard
from linework.app.model import Card
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
    header = ["", *next(iter(found.values()))]
    rows = [
        [name, *(f"{value:.4g}" for value in values.values())]
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
