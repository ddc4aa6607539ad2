"""Candidates of a search, fitted in every fold without reading the fold's rows for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from sklearn.base import clone

from linework.data.blocks import Array, Block
from linework.data.sources import Table

Candidates: TypeAlias = Sequence[Mapping[str, Any]]
"""Parameters to set, for each candidate."""

Part: TypeAlias = Literal["train", "test"]


class ByRows(Exception):
    """The candidates are to be fitted one by one, each from its rows; the message says why."""


class Fits(Protocol):
    """Candidates fitted to the training rows of one split."""

    def respond(self, block: Block, method: str, chosen: slice) -> Array:
        """What the m chosen candidates say of the rows: (rows, m), or (rows, m, K)."""
        ...

    def model(self, number: int) -> Any:
        """One of them, as an estimator."""
        ...

    def scores(self, metric: Callable[..., Any], part: Part) -> Array | None:
        """The metric (m,) of their predictions for a part, if known without its rows."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class FoldFits:
    """What an estimator's ``_fit_folds(candidates, X, y, sample_weight, splits)`` returns.

    An estimator that has this method is served by the searches of `linework.selection`. It raises
    `ByRows` where it cannot serve these candidates or this table, and ValueError as `fit` would.

    Attributes
    ----------
    road : str
        ``"statistics"`` or ``"shared passes"``.
    table : Table
        The rows as the estimator reads them.
    parts : iterable
        What is to be fitted in each split.
    fit : callable
        From such a part to its `Fits`.
    refit : callable
        From a candidate's number to the estimator fitted to all rows.
    """

    road: str
    table: Table
    parts: Iterable[Any]
    fit: Callable[[Any], Fits]
    refit: Callable[[int], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """`Fits` of estimators, each of which knows what to say of a block."""

    models: Sequence[Any]

    def respond(self, block: Block, method: str, chosen: slice) -> Array:
        """The responses of these models."""
        return np.stack([model._respond(block, method) for model in self.models[chosen]], axis=1)

    def model(self, number: int) -> Any:
        """One of them."""
        return self.models[number]

    def scores(self, metric: Callable[..., Any], part: Part) -> None:
        """None: scores take rows."""


def alike(
    estimator: Any, candidates: Candidates, name: str
) -> list[tuple[Any, list[int], list[Any]]]:
    """Candidates that differ in the parameter ``name`` only.

    Returns
    -------
    list of (estimator with what is common to the group, positions, values of the parameter)
    """
    groups: list[tuple[dict[str, Any], list[int], list[Any]]] = []
    default = getattr(estimator, name, None)
    for number, candidate in enumerate(candidates):
        rest = {k: v for k, v in candidate.items() if k != name}
        like = (group for group in groups if _is_same(group[0], rest))
        group = next(like, None)
        if group is None:
            groups.append(group := (rest, [], []))
        group[1].append(number)
        group[2].append(candidate.get(name, default))
    return [(clone(estimator).set_params(**rest), *members) for rest, *members in groups]


def _is_same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(a[k] is b[k] for k in a)
