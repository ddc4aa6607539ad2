"""Families and links by their names, or as objects."""

from __future__ import annotations

from typing import Any

from linework.losses.families import FAMILIES
from linework.losses.family import Family
from linework.losses.links import LINKS, Link
from linework.losses.loss import GeneralizedLoss


def loss_of(family: Any, link: Any) -> GeneralizedLoss:
    """The loss of a family and a link, None for its own; or a sentence on what they are not."""
    if isinstance(family, str):
        if family not in FAMILIES:
            raise ValueError(f"family is {family!r}; {', '.join(FAMILIES)} are known.")
        family = FAMILIES[family]()
    _require(family, Family)
    link = family.default_link if link is None else link
    if isinstance(link, str):
        if link not in LINKS:
            raise ValueError(f"link is {link!r}; {', '.join(LINKS)} are known, and Power(p).")
        link = LINKS[link]
    _require(link, Link)
    return GeneralizedLoss(family, link)


def _require(value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(
            f"{value!r} is given as a {kind.__name__.lower()}, and a name or a {kind.__name__} of "
            "linework.losses is expected."
        )
