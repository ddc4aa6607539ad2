"""Terms: which treatment each column and group of columns gets, from what the user says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

from linework.design.bases import Basis, Fourier, Gaussian, Polynomial, Sigmoid, Spline
from linework.design.dates import Dates
from linework.design.encoders import Encoder, LevelEncoder, Origin
from linework.design.frame import Column, Frame, Rows
from linework.design.slots import Piece, product
from linework.design.statistics import Levels, Parts
from linework.design.treatments import Nominal, Numeric, Ordinal, Settings, Text, Treatment

WORDS: dict[str, type[Treatment]] = {
    "numeric": Numeric,
    "nominal": Nominal,
    "ordinal": Ordinal,
    "dates": Dates,
    "polynomial": Polynomial,
    "spline": Spline,
    "gaussian": Gaussian,
    "sigmoid": Sigmoid,
    "fourier": Fourier,
}


@dataclass(frozen=True, slots=True)
class Terms:
    """Treatments of columns, by their places in the table, and products of what they give.

    Attributes
    ----------
    single : tuple of (places, Treatment)
    interactions : tuple of tuple of int
        The columns whose terms are multiplied.
    """

    single: tuple[tuple[tuple[int, ...], Treatment], ...]
    interactions: tuple[tuple[int, ...], ...]

    def statistic(self, rows: Rows) -> Parts:
        """What the treatments have to know of some rows."""
        return Parts(
            tuple(
                treatment.statistic.from_columns([rows.columns[j] for j in places])
                for places, treatment in self.single
            )
        )

    @property
    def with_levels(self) -> set[int]:
        """Places of the columns whose levels matter."""
        return {p[0] for p, treatment in self.single if treatment.statistic is Levels}

    def encoders(self, frame: Frame, stats: Parts, settings: Settings) -> Encoders:
        """The treatments, fitted."""
        single = tuple(
            treatment.encoder(places, [frame.columns[j] for j in places], part, settings)
            for (places, treatment), part in zip(self.single, stats.parts, strict=True)
        )
        alone = {e.places[0]: k for k, e in enumerate(single) if len(e.places) == 1}
        gaps = any(e.has_gaps(part) for e, part in zip(single, stats.parts, strict=True))
        products = tuple(tuple(alone[j] for j in group) for group in self.interactions)
        return Encoders(single, products, gaps)


@dataclass(frozen=True, slots=True)
class Encoders:
    """Fitted terms: encoders of columns, and products of what they give.

    Attributes
    ----------
    single : tuple of Encoder
    interactions : tuple of tuple of int
        Numbers of the encoders that are multiplied.
    has_gaps : bool
        Whether the rows they were fitted on have values that a policy is for.
    """

    single: tuple[Encoder, ...]
    interactions: tuple[tuple[int, ...], ...]
    has_gaps: bool

    @property
    def n_columns(self) -> int:
        """How many columns there are, counted without multiplying them."""
        names = [[""] * len(encoder.places) for encoder in self.single]
        widths = [sum(map(len, e.origins(n))) for e, n in zip(self.single, names, strict=True)]
        return sum(widths) + sum(prod(widths[k] for k in group) for group in self.interactions)

    def slots(self, columns: Sequence[Column]) -> Piece:
        """All slots of some rows."""
        pieces = [encoder.slots([columns[j] for j in encoder.places]) for encoder in self.single]
        pieces += [reduce(product, [pieces[k] for k in group]) for group in self.interactions]
        return [slot for piece in pieces for slot in piece]

    @property
    def with_levels(self) -> set[int]:
        """Places of the columns whose levels matter."""
        return {e.places[0] for e in self.single if isinstance(e, LevelEncoder)}

    def origins(self, names: Sequence[str]) -> list[list[Origin]]:
        """Of every column of the design matrix, in their order, by slot."""
        found = [encoder.origins([names[j] for j in encoder.places]) for encoder in self.single]
        found += [reduce(_products, [found[k] for k in group]) for group in self.interactions]
        return [slot for piece in found for slot in piece]


def _products(left: list[list[Origin]], right: list[list[Origin]]) -> list[list[Origin]]:
    """What `product` of the slots are about."""
    return [[x * y for y in b for x in a] for b in right for a in left]


def read_terms(given: Mapping[Any, Any] | None, frame: Frame) -> Terms:
    """Terms from what the user says of some columns, and from the types of the others."""
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise TypeError(
            f"terms is {given!r}, and a formula or a dictionary is expected, such as "
            "{'size': ['small', 'large'], 'age': 'spline'}."
        )
    named: list[tuple[tuple[int, ...], Treatment]] = []
    interactions: list[tuple[int, ...]] = []
    seen: set[int] = set()
    dropped: set[int] = set()
    for key, what in given.items():
        places = _places(key, frame)
        if isinstance(what, str) and what == "interaction":
            if len(places) < 2:
                raise ValueError(
                    f"An interaction is of several columns, and {key!r} is one: name a tuple of "
                    "them."
                )
            interactions.append(places)
            continue
        seen.update(places)
        if isinstance(what, str) and what == "drop":
            dropped.update(places)
        else:
            named.append((places, _treatment(what, key)))
    others = (j for j in range(len(frame.columns)) if j not in seen)
    named += [((j,), _by_type(frame.columns[j])) for j in others]
    _reject_groups(named, frame)
    for column in (frame.columns[j] for places, _ in named for j in places):
        if column.problem:
            raise ValueError(column.problem)
    alone = {places[0] for places, _ in named if len(places) == 1}
    for j in (j for group in interactions for j in group if j not in alone):
        raise ValueError(
            f"Column {frame.names[j]!r} is part of an interaction and has no term of its own: name "
            "its treatment."
        )
    if not named:
        raise ValueError("Every column is dropped, and no feature is left: keep at least one.")
    return Terms(tuple(sorted(named, key=lambda term: term[0][0])), tuple(interactions))


def _treatment(what: Any, key: Any) -> Treatment:
    if isinstance(what, Treatment):
        return what
    if isinstance(what, str) and what in WORDS:
        return WORDS[what]()
    if isinstance(what, list | tuple | Mapping):
        return Ordinal(what)
    words = ", ".join(map(repr, (*WORDS, "interaction", "drop")))
    raise ValueError(
        f"The treatment of {key!r} is {what!r}, and one of {words}, a list of levels in their "
        "order, or an object such as Spline(knots=8) is expected."
    )


def _by_type(column: Column) -> Treatment:
    if column.kind == "text":
        return Text() if column.declared is None else Nominal()
    return Numeric()


def _places(key: Any, frame: Frame) -> tuple[int, ...]:
    """Positions of the columns that a key names: one, or a tuple for a group."""
    return tuple(_place(name, frame) for name in (key if isinstance(key, tuple) else (key,)))


def _place(name: Any, frame: Frame) -> int:
    if str(name) in frame.names:
        return frame.names.index(str(name))
    if isinstance(name, int) and 0 <= name < len(frame.columns):
        return name
    shown = ", ".join(map(repr, frame.names[:20])) + (", …" if len(frame.names) > 20 else "")
    raise ValueError(f"A term is of column {name!r}, which is none of the table's: {shown}.")


def _reject_groups(named: list[tuple[tuple[int, ...], Treatment]], frame: Frame) -> None:
    """Raise a sentence where a group has a treatment that is for one column."""
    for places, treatment in named:
        if len(places) > 1 and not isinstance(treatment, Basis):
            names = ", ".join(repr(frame.names[j]) for j in places)
            raise ValueError(
                f"{type(treatment).__name__} is of one column, and {names} are a group: name the "
                "columns one by one, or make them an 'interaction' or a Polynomial."
            )
