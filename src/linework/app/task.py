"""What is to be learned: a number, one of two classes, or one of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linework.app.errors import UserError
from linework.data.blocks import Array
from linework.design.encoders import label
from linework.design.frame import Column
from linework.design.treatments import TEXT_LEVELS

FEW = 10
"""Different whole numbers up to which a target is taken for classes."""

NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"


@dataclass(frozen=True, slots=True)
class Task:
    """A target and what it asks for.

    Attributes
    ----------
    target : str
    kind : {"regression", "binary", "multiclass"}
    balance : dict
        Rows of each class, by its name; empty for numbers.
    span : tuple of float
        Smallest, mean and largest number.
    """

    target: str
    kind: str
    balance: Mapping[str, int]
    span: tuple[float, ...] = ()

    @property
    def classes(self) -> int:
        """How many there are; 0 for numbers."""
        return len(self.balance)

    def __str__(self) -> str:
        if self.kind == "regression":
            low, mean, high = self.span
            return (
                f"{self.target!r} is a number from {low:.6g} to {high:.6g}, {mean:.6g} on average"
            )
        rows = sum(self.balance.values())
        shares = [f"{short(name)} {count / rows:.0%}" for name, count in self.balance.items()]
        more = ", …" if len(shares) > FEW else ""
        return f"{self.target!r} is one of {self.classes} classes: {', '.join(shares[:FEW])}{more}"


def read_task(column: Column, kind: str | None = None) -> tuple[Task, Array]:
    """The task that a target without gaps sets, and the target as numbers or labels.

    Text and truth values are classes, and so are up to ten different whole numbers, if they repeat.

    Parameters
    ----------
    column : Column
    kind : {"regression", "classification"}, optional

    Returns
    -------
    Task, array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from linework.app.task import read_task
    >>> from linework.design.frame import Column
    >>> task, y = read_task(Column("grade", "numbers", np.array([1, 2, 2, 3, 1, 1, 3, 2.0])))
    >>> print(task)
    'grade' is one of 3 classes: 1 38%, 2 38%, 3 25%
    >>> read_task(Column("grade", "numbers", np.array([1.5, 2.5, 4.0, 5.0])))[0].kind
    'regression'
    """
    name, n = column.name, len(column)
    if column.kind not in ("numbers", "truth values", "text"):
        raise UserError(
            f"The target {name!r} holds {column.kind}, and numbers, text or truth values are "
            "expected: make a column of what is to be predicted."
        )
    numeric = column.kind == "numbers"
    y = column.numbers() if column.kind != "text" else np.array(column.values.to_pylist())
    if numeric and not np.isfinite(y).all():
        raise UserError(f"The target {name!r} has an infinity (inf): correct or remove such rows.")
    if column.kind == "text" and (strange := not_numbers(column)):
        raise UserError(
            f"The target {name!r} is text, and all but {len(strange)} of its {n} values are "
            f"numbers; {strange[0]!r} is none: correct such cells, or leave them empty."
        )
    if kind == "regression" and column.kind == "text":
        raise UserError(f"The target {name!r} holds text, and a regression needs numbers.")
    levels, counts = np.unique(y, return_counts=True)
    if len(levels) < 2:
        raise UserError(
            f"The target {name!r} has one value, {_name(column, levels[0])}: there is nothing to "
            "learn."
        )
    whole = bool((y == np.rint(y)).all()) if numeric else True
    few = whole and len(levels) <= FEW and 2 * len(levels) <= n
    if numeric and (kind == "regression" or (kind is None and not few)):
        if n < 4:
            raise UserError(f"There are {n} rows with a target: too few to learn from.")
        return Task(name, "regression", {}, (float(y.min()), float(y.mean()), float(y.max()))), y
    if len(levels) > TEXT_LEVELS and 2 * len(levels) > n:
        raise UserError(
            f"The target {name!r} has {len(levels)} different values in {n} rows: these are no "
            "classes. Name another target."
        )
    if counts.min() < 2:
        rare = [_name(column, level) for level in levels[counts < 2]]
        raise UserError(
            f"{len(rare)} class(es) of the target {name!r} have one row only, {rare[0]!r} first: "
            "leave such rows out, or merge the class with another."
        )
    if column.kind == "truth values":
        y = y.astype(bool)
    elif numeric and whole:
        y = y.astype(np.int64)
    balance = {_name(column, level): int(k) for level, k in zip(levels, counts, strict=True)}
    return Task(name, "binary" if len(levels) == 2 else "multiclass", balance), y


def short(name: str) -> str:
    """A name as it is shown: 60 characters at most.

    Parameters
    ----------
    name : str

    Returns
    -------
    str

    Examples
    --------
    >>> from linework.app.task import short
    >>> short("ab" * 40)[-4:]
    'aba…'
    """
    return name if len(name) <= 60 else f"{name[:59]}…"


def not_numbers(column: Column) -> list[str]:
    """The texts of a column that is numbers but for one in ten or fewer; else none.

    Parameters
    ----------
    column : Column
        Of text.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linework.app.task import not_numbers
    >>> from linework.design.frame import Column
    >>> not_numbers(Column("age", "text", pa.array(["31", "?", *map(str, range(20))])))
    ['?']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values = column.values.cast(pa.string()).drop_null()
    strange = values.filter(pc.invert(pc.match_substring_regex(values, NUMBER)))
    return strange.to_pylist() if 0 < 10 * len(strange) <= len(values) else []


def _name(column: Column, level: object) -> str:
    return str(bool(level)) if column.kind == "truth values" else label(level)
