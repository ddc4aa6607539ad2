"""Dates and times: days elapsed, and parts such as the month, in the dates' own zone."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.design.encoders import Encoder, LevelEncoder, NumberEncoder, Origin, Policy
from linework.design.frame import DAY, Column
from linework.design.slots import Piece
from linework.design.statistics import Spread
from linework.design.treatments import Numeric, Settings, Treatment, reject_empty

PARTS: dict[str, Sequence[int]] = {
    "elapsed": (),
    "year": (),
    "quarter": range(1, 5),
    "month": range(1, 13),
    "weekday": range(1, 8),
    "hour": range(24),
}
"""The levels of each part; none where it is a number."""


@dataclass(frozen=True)
class Dates(Treatment):
    """Dates and times by their parts.

    Parameters
    ----------
    *parts : {"elapsed", "year", "quarter", "month", "weekday", "hour"}
        ``"elapsed"``: days since the first date seen. The year is a number. The others are nominal,
        with all the levels that a calendar has (the first is the reference); weekdays count from
        1, Monday, and hours from 0. Times with a zone are read in that zone.
    missing : {"error", "reference", "indicator", "ignore"}, optional
        As for numbers and levels.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Dates, Design
    >>> rows = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-04-30"])})
    >>> design = Design({"day": Dates("elapsed", "quarter")})
    >>> design.set_output(transform="pandas").fit_transform(rows)
       day  day quarter=2  day quarter=3  day quarter=4
    0  0.0            0.0            0.0            0.0
    1  120.0          1.0            0.0            0.0
    """

    parts: tuple[str, ...]

    def __init__(self, *parts: str, missing: Policy | None = None) -> None:
        object.__setattr__(self, "parts", parts or ("elapsed",))
        object.__setattr__(self, "missing", missing)
        self.__post_init__()
        for part in self.parts:
            check_part(part)

    def encoder(
        self, places: tuple[int, ...], columns: Sequence[Column], stats: Spread, settings: Settings
    ) -> Encoder:
        """An encoder for each part."""
        [column] = columns
        if not column.has_dates:
            raise ValueError(
                f"Column {column.name!r} holds {column.kind}, and dates are expected: convert it, "
                "for example with pandas.to_datetime."
            )
        reject_empty(columns, stats.count)
        missing = self.missing or settings.missing
        encoders: list[Encoder] = []
        for part in self.parts:
            if part == "elapsed":
                encoders.append(Numeric(missing=missing).encoder(places, columns, stats, settings))
            elif levels := PARTS[part]:
                calendar = tuple(map(float, levels))
                encoders.append(
                    LevelEncoder(places, calendar, 0, settings.reference, None, missing, "error")
                )
            else:
                middle = 1970.0 + float(stats.mean[0]) / (365.2425 * DAY)
                encoders.append(NumberEncoder(places, (0.0,), (1.0,), (middle,), missing))
        return DateEncoder(places, self.parts, tuple(encoders))


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

    def slots(self, columns: Sequence[Column]) -> Piece:
        """The slots of all parts."""
        [column] = columns
        return [
            slot
            for part, encoder in zip(self.parts, self.encoders, strict=True)
            for slot in encoder.slots([column if part == "elapsed" else part_of(column, part)])
        ]

    def origins(self, names: Sequence[str]) -> list[list[Origin]]:
        """Of the slots of all parts, each named by its part."""
        [name] = names
        return [
            [dataclasses.replace(origin, columns=(name,)) for origin in slot]
            for part, encoder in zip(self.parts, self.encoders, strict=True)
            for slot in encoder.origins([name if part == "elapsed" else f"{name} {part}"])
        ]


def check_part(part: object) -> None:
    """Raise a sentence where a part is none."""
    if part not in PARTS:
        raise ValueError(
            f"{part!r} is no part of a date: give some of {', '.join(map(repr, PARTS))}."
        )


def part_of(column: Column, part: str) -> Column:
    """A part of a column of dates, as numbers."""
    import pyarrow.compute as pc

    check_part(part)  # it names a function of Arrow's, and may come out of a file
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
