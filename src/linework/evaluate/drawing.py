"""What the displays share: how a class looks, which rows are drawn, axes with a legend beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_rows
from linework.labels import encode

MAX_POINTS = 2000
"""Rows that are drawn of a larger table, unless another number is asked for."""

BINS = 30
"""Bins of a histogram; rules by the number of rows smooth over the gaps between classes."""

LEGEND_SIZE = 50
"""Area of a marker in a legend, in square points."""

COLORS = (
    "#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6",
    "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd",
)  # fmt: skip
"""Petroff's ten (2021, arXiv:2107.02270), which the colour-blind can tell apart."""

MARKERS = "osD^vPX"
LINES = ("-", "--", "-.", (0, (1, 1)))
STYLES = len(COLORS) * len(MARKERS)
"""Classes that look different: the numbers of colours and markers have no common divisor."""


class Style(NamedTuple):
    """How a class looks; the colour is never the only difference."""

    color: str
    marker: str
    line: Any


def style(number: int) -> Style:
    """The style of class number 0, 1 and so on."""
    return Style(
        COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)], LINES[number % len(LINES)]
    )


def require_matplotlib(caller: str) -> None:
    """Raise a sentence where there is no matplotlib."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError:
        raise ImportError(
            f"{caller} draws with matplotlib, which is not installed: "
            'python -m pip install "linework[plot]".'
        ) from None


def new_axes(ax: Any, caller: str) -> Any:
    """The axes given, or those of a new figure that makes room for a legend beside them."""
    require_matplotlib(caller)
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    return ax


def legend_beside(ax: Any, **options: Any) -> None:
    """A legend to the right of the axes, where it covers nothing."""
    count = len(ax.get_legend_handles_labels()[1])
    legend = ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        ncols=1 + (count - 1) // 20,
        **options,
    )
    for handle in legend.legend_handles:
        if hasattr(handle, "set_sizes"):  # markers as small as those of rows are hard to tell
            handle.set_sizes([LEGEND_SIZE])
            handle.set_alpha(1.0)


def class_numbers(y: Any, n_rows: int, classes: Array) -> Array:
    """The place of each row's label among a model's classes."""
    found, codes = encode(y, None, n_rows)
    strange = found[~np.isin(found, classes)]
    if strange.size:
        raise ValueError(
            f"y holds the label {strange.tolist()[0]!r}, and the model's classes are "
            f"{classes.tolist()}: give rows of these."
        )
    if len(found) > STYLES:
        raise ValueError(
            f"y holds {len(found)} classes, and a picture shows at most {STYLES}: give the rows of "
            "those that matter."
        )
    return np.asarray(np.searchsorted(classes, found)[codes])


def sample(n_rows: int, max_points: int, random_state: Any) -> Array:
    """The positions of the rows to draw: all, or so many at random, in order."""
    if max_points < 1:
        raise ValueError(f"max_points is {max_points}, and at least 1 row is drawn.")
    if n_rows <= max_points:
        return np.arange(n_rows)
    chosen = np.random.default_rng(random_state).choice(n_rows, max_points, replace=False)
    return np.sort(chosen)


def values(table: Table) -> Array:
    """The rows as one dense array of float64, all of them finite."""

    def read(block: Any) -> Array:
        block.reject_nonfinite()
        X = block.X.toarray() if table.sparse else block.X
        return np.asarray(X, np.float64)

    return map_rows(table, read)


def rows_like(X: Any) -> Callable[[Array], Any]:
    """Makes rows the kind of table that X is, with its columns."""
    if not nw.dependencies.is_into_dataframe(X):
        return np.asarray
    frame = nw.from_native(X, eager_only=True)

    def like(rows: Array) -> Any:
        return nw.from_numpy(rows, frame.columns, backend=frame.implementation).to_native()

    return like


def column_names(model: Any, table: Table) -> tuple[str, ...]:
    """Names of the columns, as they were when the model was fitted or as they are in the table."""
    names = getattr(model, "feature_names_in_", table.names)
    return tuple(f"x{j}" if names is None else str(names[j]) for j in range(table.n_columns))


def column_number(column: Any, names: tuple[str, ...]) -> int:
    """The position of a column that is given by its name or its position."""
    if column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return int(column)
    raise ValueError(
        f"There is no column {column!r}: give the position of a column from 0 to {len(names) - 1}, "
        f"or its name, one of {', '.join(names[:10])}{', …' if len(names) > 10 else ''}."
    )


def last_step(model: Any) -> Any:
    """The estimator at the end of a pipeline, or the estimator itself."""
    steps = getattr(model, "steps", None)
    return steps[-1][1] if steps else model


def discriminant_labels(model: Any, count: int) -> list[str]:
    """Labels such as discriminant 1 (99.1 %): its share in what separates the classes."""
    last = last_step(model)
    share = getattr(last, "explained_variance_ratio_", getattr(last, "separation_ratio_", None))
    return [
        f"discriminant {j + 1}" + ("" if share is None else f" ({100.0 * share[j]:.1f} %)")
        for j in range(count)
    ]
