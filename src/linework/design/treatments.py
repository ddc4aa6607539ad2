"""Treatments: what a user can say a column becomes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from linework.data.numbers import as_numbers
from linework.design.encoders import (
    POLICIES,
    Encoder,
    LevelEncoder,
    NumberEncoder,
    Policy,
)
from linework.design.frame import DAY, Column
from linework.design.statistics import Levels, Spread

TEXT_LEVELS = 20
"""Levels from which text that hardly repeats is taken for no category."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a design says of all its columns."""

    reference: bool
    missing: Policy
    unseen: Policy
    scale: bool


@dataclass(frozen=True)
class Treatment(ABC):
    """What one column, or a group of columns, becomes."""

    missing: Policy | None = field(default=None, kw_only=True)

    statistic: ClassVar[Any] = Spread
    """What has to be known of the columns; a class with ``from_columns`` and ``+``."""

    def __post_init__(self) -> None:
        for name in ("missing", "unseen"):
            check_policy(name, getattr(self, name, None) or "error")

    @abstractmethod
    def encoder(
        self, places: tuple[int, ...], columns: Sequence[Column], stats: Any, settings: Settings
    ) -> Encoder:
        """The treatment, fitted to columns by what is known of all their rows."""


def check_policy(name: str, policy: object) -> None:
    """Raise a sentence where a policy is none."""
    if policy not in POLICIES:
        raise ValueError(
            f"{name} is {policy!r}, and one of {', '.join(map(repr, POLICIES))} is expected."
        )


@dataclass(frozen=True)
class Numeric(Treatment):
    """A column of numbers or truth values as it is, or a date as days since the first one seen.

    Parameters
    ----------
    missing : {"error", "reference", "indicator", "ignore"}, optional
        What a missing value becomes, where it is not what the design says. ``"reference"``: the
        mean of the others, or False. ``"indicator"``: that, and a one in a column of its own.
        ``"ignore"``: zero.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, Numeric
    >>> Design({"age": Numeric(missing="reference")}).fit_transform(
    ...     pd.DataFrame({"age": [20.0, None, 40.0]})
    ... )
    array([[20.],
           [30.],
           [40.]])
    """

    def encoder(
        self, places: tuple[int, ...], columns: Sequence[Column], stats: Spread, settings: Settings
    ) -> Encoder:
        """The columns, centred and scaled if the design says so."""
        reject_empty(columns, stats.count)
        if settings.scale or (self.missing or settings.missing) != "error":
            reject_overflow(columns, stats)
        truth = columns[0].kind == "truth values"
        centre, scale = 0.0, 1.0
        if settings.scale and not truth:
            centre, scale = float(stats.mean[0]), float(stats.deviation[0])
        elif columns[0].has_dates:
            centre, scale = float(stats.low[0]), DAY
        fill = 0.0 if truth else float(stats.mean[0])
        return NumberEncoder(places, (centre,), (scale,), (fill,), self.missing or settings.missing)


@dataclass(frozen=True)
class Nominal(Treatment):
    """A column of zeros and ones for each level, as R's factors and scikit-learn's OneHotEncoder.

    Parameters
    ----------
    reference : level, optional
        The level that has no column, so that the others' coefficients are differences from it. By
        default the first one that is there, or none where the design says ``reference=False``.
    levels : sequence, optional
        The levels in their order. By default those that the column's type declares, or those that
        are there, sorted.
    missing, unseen : {"error", "reference", "indicator", "ignore"}, optional
        What a missing value, and a level that is none of these, become, where it is not what the
        design says. ``"reference"``: the reference level. ``"indicator"``: a one in a column of its
        own. ``"ignore"``: zeros.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, Nominal
    >>> rows = pd.DataFrame({"drug": ["a", "placebo", "b"]})
    >>> design = Design({"drug": Nominal(reference="placebo")}).fit(rows)
    >>> design.get_feature_names_out()
    array(['drug=a', 'drug=b'], dtype=object)
    """

    reference: Any = None
    levels: Sequence[Any] | None = None
    unseen: Policy | None = field(default=None, kw_only=True)

    statistic: ClassVar[Any] = Levels

    def encoder(
        self, places: tuple[int, ...], columns: Sequence[Column], stats: Levels, settings: Settings
    ) -> Encoder:
        """Indicators of the levels."""
        [column] = columns
        counts = stats.table()
        reject_empty(columns, np.array([len(counts)]))
        levels = as_levels(self.levels or column.declared or tuple(counts))
        first = next((k for k, level in enumerate(levels) if level in counts), 0)
        if self.reference is not None:
            [level] = as_levels([self.reference])
            if level not in levels:
                raise ValueError(
                    f"The reference of column {column.name!r} is {self.reference!r}, which is none "
                    f"of its levels {', '.join(map(repr, levels[:10]))}: name one of them."
                )
            first = levels.index(level)
        return LevelEncoder(
            places,
            levels,
            first,
            settings.reference or self.reference is not None,
            None,
            self.missing or settings.missing,
            self.unseen or settings.unseen,
        )


@dataclass(frozen=True)
class Text(Nominal):
    """Text whose type does not say that it is a category: nominal if its values repeat."""

    def encoder(
        self, places: tuple[int, ...], columns: Sequence[Column], stats: Levels, settings: Settings
    ) -> Encoder:
        """Indicators of the levels, or a sentence where nearly every row has one of its own."""
        levels = np.count_nonzero(stats.counts)
        rows = int(stats.counts.sum())
        if levels > TEXT_LEVELS and 2 * levels > rows:
            name = columns[0].name
            raise ValueError(
                f"Column {name!r} is text with {levels} different values in {rows} rows, too many "
                f"to learn from: leave it out with {{{name!r}: 'drop'}}, take what matters out of "
                f"it into columns of its own, or say that they are levels, {{{name!r}: 'nominal'}}."
            )
        return super().encoder(places, columns, stats, settings)


@dataclass(frozen=True)
class Ordinal(Treatment):
    """Levels with an order as one number each.

    Parameters
    ----------
    levels : sequence or mapping, optional
        The levels from the lowest to the highest: the k-th of K becomes k / (K − 1), so that they
        are equally spaced from 0 to 1. Or a number for each level. By default the order that the
        column's type declares.
    missing, unseen : {"error", "reference", "indicator", "ignore"}, optional
        What a missing value, and a level that is none of these, become, where it is not what the
        design says. ``"reference"``: the first level. ``"indicator"``: zero, and a one in a column
        of its own. ``"ignore"``: zero.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, Ordinal
    >>> rows = pd.DataFrame({"height": ["medium", "low", "high"]})
    >>> Design({"height": Ordinal(["low", "medium", "high"])}).fit_transform(rows)
    array([[0.5],
           [0. ],
           [1. ]])
    """

    levels: Sequence[Any] | Mapping[Any, float] | None = None
    unseen: Policy | None = field(default=None, kw_only=True)

    statistic: ClassVar[Any] = Levels

    def encoder(
        self, places: tuple[int, ...], columns: Sequence[Column], stats: Levels, settings: Settings
    ) -> Encoder:
        """A number for each level."""
        [column] = columns
        given = column.declared if self.levels is None else self.levels
        if not given:
            raise ValueError(
                f"Column {column.name!r} is to be ordinal, and its type declares no order: give "
                f"its levels from the lowest to the highest, {{{column.name!r}: [...]}}."
            )
        levels = as_levels(given)
        if isinstance(given, Mapping):
            values = tuple(as_numbers(list(given.values()), "The values of levels").tolist())
        else:
            values = tuple(k / max(len(levels) - 1, 1) for k in range(len(levels)))
        return LevelEncoder(
            places,
            levels,
            0,
            False,
            values,
            self.missing or settings.missing,
            self.unseen or settings.unseen,
        )


def reject_overflow(columns: Sequence[Column], stats: Spread) -> None:
    """Raise a sentence where the mean or the deviation of a column leaves float64."""
    for column, numbers in zip(columns, np.stack([stats.mean, stats.deviation]).T, strict=True):
        if not np.isfinite(numbers).all():
            raise ValueError(
                f"Column {column.name!r} has numbers so large that their mean or variance leaves "
                "float64: give it in other units."
            )


def as_levels(levels: Any) -> tuple[Any, ...]:
    """Levels as Arrow gives them back: numbers as floats; a sentence where one is there twice."""
    found = tuple(
        float(level)
        if isinstance(level, int | float | np.number) and not isinstance(level, bool)
        else level
        for level in levels
    )
    if len({isinstance(level, str) for level in found}) > 1:
        raise ValueError(
            f"The levels {list(levels)} are text and numbers: list them as the column holds them."
        )
    if len(set(found)) < len(found):
        twice = next(level for level in found if found.count(level) > 1)
        raise ValueError(f"The level {twice!r} is listed twice: list each level once.")
    return found


def reject_empty(columns: Sequence[Column], counts: Any) -> None:
    """Raise a sentence where a column has no values at all."""
    for column, count in zip(columns, counts, strict=True):
        if not count:
            raise ValueError(
                f"Column {column.name!r} has no values, every one is missing (NaN): leave it out "
                f"with {{{column.name!r}: 'drop'}}."
            )
