"""Parts of dates: the year, the month, the weekday, in the dates' own zone."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.design.encoders import Encoder, Origin
from linework.design.frame import Column
from linework.design.slots import Piece

PARTS: dict[str, Sequence[int]] = {
    "elapsed": (),
    "year": (),
    "quarter": range(1, 5),
    "month": range(1, 13),
    "weekday": range(1, 8),
    "hour": range(24),
}
"""The levels of each part; none where it is a number."""


@dataclass(frozen=True, slots=True)
class DateEncoder(Encoder):
    """Parts of a date, each with an encoder of its own.

    Attributes
    ----------
    places : tuple of int
    parts : tuple of str
    encoders : tuple of Encoder
    """

    places: tuple[int, ...]
    parts: tuple[str, ...]
    encoders: tuple[Encoder, ...]

    @property
    def n_slots(self) -> int:
        """Those of all parts."""
        return sum(encoder.n_slots for encoder in self.encoders)

    def slots(self, columns: Sequence[Column]) -> Piece:
        """The slots of all parts."""
        [column] = columns
        return [
            slot
            for part, encoder in zip(self.parts, self.encoders, strict=True)
            for slot in encoder.slots([column if part == "elapsed" else part_of(column, part)])
        ]

    def origins(self, names: Sequence[str]) -> list[Origin]:
        """Of the columns of all parts, each named by its part."""
        [name] = names
        return [
            dataclasses.replace(origin, columns=(name,))
            for part, encoder in zip(self.parts, self.encoders, strict=True)
            for origin in encoder.origins([name if part == "elapsed" else f"{name} {part}"])
        ]


def part_of(column: Column, part: str) -> Column:
    """A part of a column of dates, as numbers."""
    import pyarrow.compute as pc

    if column.kind == "nothing":
        return column
    dates = column.values
    if part == "hour" and str(dates.type).startswith("date"):
        raise ValueError(
            f"Column {column.name!r} holds days without a time, and its hour is asked for: leave "
            "that part out."
        )
    if part == "weekday":
        numbers = pc.day_of_week(dates, count_from_zero=False)
    else:
        numbers = getattr(pc, part)(dates)
    values: Array = numbers.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    return dataclasses.replace(column, kind="numbers", values=values)
