"""SMOTE from those rows of a small class that lie next to the others."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.imbalance.smote import SMOTE, Pairs, draw_pairs, join, neighbours_of, values


class BorderlineSMOTE(SMOTE):
    """SMOTE from the rows in danger: of their m neighbours half or more, not all, are of others.

    A row whose neighbours are all of other classes counts as noise (Han, Wang and Mao, 2005).

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        Which classes, and to what size: see `SMOTE`.
    random_state : int, RandomState or None, default=0
    k_neighbors : int or neighbours estimator, default=5
        New rows lie between a row in danger and one of so many neighbours.
    m_neighbors : int or neighbours estimator, default=10
        So many neighbours, of any class, say whether a row is in danger.
    kind : {"borderline-1", "borderline-2"}, default="borderline-1"
        Whether the k neighbours are of the class, or of any; from those of another class a new row
        is at least half the way off.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows that are added, by class, if any of its rows is in danger.
    in_danger_indices : dict
        Numbers of the rows in danger, by class.

    Notes
    -----
    Of q rows of a class in a table of n rows, the m neighbours take 2 q n d operations.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import BorderlineSMOTE
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [3.4], [4.6], [5.2]])
    >>> y = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    >>> sampler = BorderlineSMOTE(k_neighbors=1, m_neighbors=3)
    >>> X_new, y_new = sampler.fit_resample(X, y)
    >>> sampler.in_danger_indices  # two of its three neighbours are of the other class
    {1: array([5])}
    """

    def __init__(
        self,
        *,
        sampling_strategy: Any = "auto",
        random_state: Any = 0,
        k_neighbors: Any = 5,
        m_neighbors: Any = 10,
        kind: str = "borderline-1",
    ) -> None:
        super().__init__(
            sampling_strategy=sampling_strategy,
            random_state=random_state,
            k_neighbors=k_neighbors,
        )
        self.m_neighbors = m_neighbors
        self.kind = kind

    def _resample(
        self, X: Any, numbers: Array, classes: Array, chosen: dict[Any, Array]
    ) -> tuple[Any, Array]:
        if self.kind not in ("borderline-1", "borderline-2"):
            raise ValueError(
                f"kind is {self.kind!r}, and 'borderline-1' or 'borderline-2' is expected."
            )
        self.in_danger_indices: dict[Any, Array] = {}
        return super()._resample(X, numbers, classes, chosen)

    def _pairs(
        self, table: Table, numbers: Array, rows: Array, name: Any, size: int, rng: Any
    ) -> Pairs:
        everything = values(table, np.arange(table.n_rows))
        around = neighbours_of(self.m_neighbors, "m_neighbors", everything, None, rows)
        others = (numbers[around] != numbers[rows[0]]).sum(axis=1)
        danger = (2 * others >= around.shape[1]) & (others < around.shape[1])
        if not danger.any():
            warnings.warn(
                f"No row of class {name!r} is in danger: of no row's {around.shape[1]} neighbours "
                "half or more, and not all, are of other classes. No rows are added to it; take "
                "SMOTE, or another m_neighbors.",
                stacklevel=5,
            )
            return join([])
        own = rows[danger]
        self.in_danger_indices[name] = own
        if self.kind == "borderline-1":
            found = rows[
                neighbours_of(
                    self.k_neighbors, "k_neighbors", everything[rows], name, np.flatnonzero(danger)
                )
            ]
            return draw_pairs(own, found, size, rng)
        found = neighbours_of(self.k_neighbors, "k_neighbors", everything, None, own)
        pairs = draw_pairs(own, found, size, rng)
        foreign = numbers[pairs.other] != numbers[rows[0]]
        return pairs._replace(step=np.where(foreign, 0.5, 1.0) * pairs.step)
