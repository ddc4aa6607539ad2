"""Encoders: fitted treatments, which make slots of the columns of some rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from linework.data.blocks import Array
from linework.design.frame import Column, is_text
from linework.design.functions import Functions
from linework.design.slots import Piece, Slot, indicator
from linework.design.statistics import Levels

Policy: TypeAlias = Literal["error", "reference", "indicator", "ignore"]

POLICIES = ("error", "reference", "indicator", "ignore")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a column of the design matrix, and so a coefficient, comes from.

    Attributes
    ----------
    name : str
        Of the column of the design matrix.
    columns : tuple of str
        The columns of the table that it is made of.
    levels : tuple
        The level of each of these columns that it is about; None where it is about numbers.
    """

    name: str
    columns: tuple[str, ...]
    levels: tuple[Any, ...]

    def __mul__(self, other: Origin) -> Origin:
        return Origin(
            f"{self.name}:{other.name}", self.columns + other.columns, self.levels + other.levels
        )


class Encoder(ABC):
    """A fitted treatment of the columns at ``places`` in the table."""

    places: tuple[int, ...]

    @abstractmethod
    def slots(self, columns: Sequence[Column]) -> Piece:
        """The slots of these columns' rows."""

    def has_gaps(self, stats: Any) -> bool:
        """Whether the rows that ``stats`` are of have values that a policy is for."""
        return bool(stats.missing)

    @abstractmethod
    def origins(self, names: Sequence[str]) -> list[list[Origin]]:
        """Of each column of each slot, from the names of the columns that it takes."""


@dataclass(frozen=True, slots=True)
class NumberEncoder(Encoder):
    """(x − centre) / scale of columns of numbers, or functions of them.

    Attributes
    ----------
    places : tuple of int
    centre, scale : tuple of float
    fill : tuple of float
        What stands for a missing value: the mean.
    functions : Functions, optional
    missing : {"error", "reference", "indicator", "ignore"}
    """

    places: tuple[int, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    fill: tuple[float, ...]
    missing: Policy
    functions: Functions | None = None

    def slots(self, columns: Sequence[Column]) -> Piece:
        """Numbers, and a column for what is missing where that is the policy."""
        numbers = [self._checked(column) for column in columns]
        absent = [np.isnan(x) for x in numbers]
        gaps = [bool(mask.any()) for mask in absent]
        settings = zip(numbers, absent, gaps, self.fill, self.centre, self.scale, strict=True)
        filled = [
            ((np.where(mask, fill, x) if gap else x) - centre) / scale
            if (centre, scale) != (0.0, 1.0)
            else (np.where(mask, fill, x) if gap else x)
            for x, mask, gap, fill, centre, scale in settings
        ]
        results = [*self.functions(np.column_stack(filled)).T] if self.functions else filled
        if self.missing == "ignore" and any(gaps):
            lost = np.logical_or.reduce(absent)
            results = [np.where(lost, 0.0, x) for x in results]
        piece = [Slot(1, None, x) for x in results]
        if self.missing == "indicator":
            piece += [indicator(mask) for mask in absent]
        return piece

    def _checked(self, column: Column) -> Array:
        x = column.numbers()
        if not np.isfinite(x).all():
            infinite = np.flatnonzero(np.isinf(x))
            if len(infinite):
                row = column.start + infinite[0]
                raise ValueError(
                    f"Column {column.name!r} has an infinity (inf) in row {row}, and a linear "
                    "model needs finite numbers: remove such rows, or make it a missing value."
                )
            if self.missing == "error":
                row = int(np.flatnonzero(np.isnan(x))[0])
                raise column.rejected(row, "has a missing value (NaN)", "missing")
        return x

    def origins(self, names: Sequence[str]) -> list[list[Origin]]:
        """Of each function."""
        columns = tuple(names)
        labels = self.functions.labels(names) if self.functions else list(names)
        found = [[Origin(label, columns, (None,) * len(columns))] for label in labels]
        if self.missing == "indicator":
            found += [[Origin(f"{name} is missing", (name,), ("missing",))] for name in names]
        return found


@dataclass(frozen=True, slots=True)
class LevelEncoder(Encoder):
    """Levels as indicators, or each as a number.

    Attributes
    ----------
    places : tuple of int
    levels : tuple of str, float or bool
    reference : int
        Position of the reference level, which stands for what has no level where a policy says so.
    dropped : bool
        Whether the reference level has no indicator.
    values : tuple of float or None
        The number of each level; None for indicators.
    missing, unseen : {"error", "reference", "indicator", "ignore"}
    """

    places: tuple[int, ...]
    levels: tuple[Any, ...]
    reference: int
    dropped: bool
    values: tuple[float, ...] | None
    missing: Policy
    unseen: Policy

    def slots(self, columns: Sequence[Column]) -> Piece:
        """One slot for the levels, and one for each policy that has a column of its own."""
        [column] = columns
        codes, positions = self._places_of_levels(column)
        # One look-up for each row: a code's column or number, those without a level from behind.
        targets = self._targets()[positions][codes]
        slots = [Slot(1, None, targets) if self.values is not None else Slot(self._width, targets)]
        return slots[: self._width] + [
            indicator(positions[codes] == sign)
            for sign, policy in ((-1, self.missing), (-2, self.unseen))
            if policy == "indicator"
        ]

    def has_gaps(self, stats: Levels) -> bool:
        """Whether values are missing, or levels none of these."""
        return bool(stats.missing) or not stats.table().keys() <= set(self.levels)

    def level_numbers(self, column: Column) -> Array:
        """The number of each row's level, that of the reference where a policy says so."""
        codes, positions = self._places_of_levels(column)
        numbers: Array = np.where(positions < 0, self.reference, positions)[codes]
        return numbers

    def _places_of_levels(self, column: Column) -> tuple[Array, Array]:
        """A code for each row, and for each code the number of its level; −2 where that is new.

        Missing values have the code −1, and so the last of the numbers, −1.
        """
        codes, found = column.encoded()
        positions = np.append(self._find(column, found), np.int32(-1))
        if self.missing == "error" and codes.min(initial=0) < 0:
            row = int(np.flatnonzero(codes < 0)[0])
            raise column.rejected(row, "has a missing value (NaN)", "missing")
        if self.unseen == "error" and (positions == -2).any():
            rows = np.flatnonzero(positions[codes] == -2)
            if len(rows):  # a dictionary may hold levels that no row has
                row = int(rows[0])
                raise column.rejected(row, self._strange(found[int(codes[row])].as_py()), "unseen")
        return codes, positions

    def _find(self, column: Column, found: Any) -> Array:
        """The number of each level that was found, −2 where it is none of these."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not len(found):
            return np.empty(0, np.int32)
        known = pa.array(self.levels)
        if pa.types.is_string(known.type) != is_text(found.type):
            raise ValueError(
                f"Column {column.name!r} holds {column.kind}, and its levels are such as "
                f"{self.levels[0]!r}: give values of the kind that the design was fitted on."
            )
        positions = pc.index_in(found, value_set=known.cast(found.type))
        numbers: Array = positions.fill_null(-2).to_numpy()
        return numbers

    def _strange(self, level: Any) -> str:
        shown = ", ".join(map(repr, self.levels[:5])) + (", …" if len(self.levels) > 5 else "")
        return f"has the level {level!r}, which is none of its {len(self.levels)} ({shown}),"

    @property
    def _width(self) -> int:
        return 1 if self.values is not None else len(self.levels) - self.dropped

    def _targets(self) -> Array:
        """What stands for each position, for a new level (−2) and for a missing value (−1)."""
        if self.values is not None:
            numbers = np.array(self.values)
            nothing = 0.0
        else:
            numbers = np.arange(len(self.levels), dtype=np.int32)
            nothing = -1
            if self.dropped:
                numbers[self.reference :] -= 1
                numbers[self.reference] = -1
        ends = [
            numbers[self.reference] if policy == "reference" else nothing
            for policy in (self.unseen, self.missing)
        ]
        return np.append(numbers, np.array(ends, numbers.dtype))

    def origins(self, names: Sequence[str]) -> list[list[Origin]]:
        """Of each level that has a column."""
        [name] = names
        if self.values is not None:
            own = [Origin(name, (name,), (None,))]
        else:
            own = [
                Origin(f"{name}={label(level)}", (name,), (level,))
                for k, level in enumerate(self.levels)
                if not (self.dropped and k == self.reference)
            ]
        return [own][: self._width] + [
            [Origin(f"{name} is {what}", (name,), (what,))]
            for what, policy in (("missing", self.missing), ("unseen", self.unseen))
            if policy == "indicator"
        ]


def label(level: Any) -> str:
    """A level as it stands in a name: whole numbers without a point."""
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
