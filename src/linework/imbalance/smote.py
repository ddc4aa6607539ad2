"""New rows on the lines between rows of a small class and their neighbours."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from linework.data.blocks import Array, Matrix
from linework.data.sources import Table, as_table
from linework.imbalance.kinds import reject_nonfinite, rows_between, with_rows
from linework.imbalance.neighbours import nearest
from linework.imbalance.sampler import Sampler


class Pairs(NamedTuple):
    """What new rows are made of: x_base + step (x_other − x_base), rows of the table by number."""

    base: Array
    other: Array
    step: Array


class SMOTE(Sampler):
    """New rows of small classes, on the lines between their rows and their nearest neighbours.

    A new row is x + u (z − x), x a random row of the class, z a random one of its k nearest
    neighbours in the class, and u uniform between 0 and 1 (Chawla et al., 2002).

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        Which classes, and to what size: ``"auto"`` and ``"not majority"`` are all but the largest;
        ``"minority"``, ``"not minority"`` and ``"all"`` as they say. A number, of two classes, is
        the rows of the smaller for each of the larger afterwards. A dict gives rows afterwards by
        class, and a callable gives such a dict for y.
    random_state : int, RandomState or None, default=0
    k_neighbors : int or neighbours estimator, default=5
        k, or an unfitted estimator with ``kneighbors``, such as scikit-learn's NearestNeighbors
        with a metric of its own, which counts a row as its own first neighbour.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows that are added, by class.

    Notes
    -----
    A class needs more than k rows, and one with fewer is refused. Neighbours are exact, found by
    blocks of distances: for q rows of a class 2 q² d operations, in memory that does not grow with
    q². Columns should be on scales that can be compared. Columns keep their types, so in whole
    numbers the result is rounded; for categories take `SMOTENC`. With one seed, two classes and
    distances without ties, the rows are those of imbalanced-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import SMOTE
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0]])
    >>> X_new, y_new = SMOTE(k_neighbors=1).fit_resample(X, np.array([0, 0, 0, 0, 1, 1]))
    >>> y_new
    array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> ((X_new[6:] > 10.0) & (X_new[6:] < 11.0)).all()
    np.True_
    """

    def __init__(
        self, *, sampling_strategy: Any = "auto", random_state: Any = 0, k_neighbors: Any = 5
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.k_neighbors = k_neighbors

    def _resample(
        self, X: Any, numbers: Array, classes: Array, chosen: dict[Any, Array]
    ) -> tuple[Any, Array]:
        table = as_table(X, caller=type(self).__name__)
        reject_nonfinite(table)
        rng = check_random_state(self.random_state)
        pairs = join(
            self._pairs(table, numbers, rows, name, self.sampling_strategy_[name], rng)
            for name, rows in chosen.items()
            if self.sampling_strategy_[name]
        )
        index = np.concatenate([np.arange(len(numbers)), pairs.base])
        if isinstance(X, np.ndarray) and X.dtype == table.dtype:
            whole = np.empty((len(index), X.shape[1]), X.dtype)
            whole[: len(X)] = X
            rows_between(table, *pairs, out=whole[len(X) :])
            return whole, index
        return with_rows(X, rows_between(table, *pairs)), index

    def _pairs(
        self, table: Table, numbers: Array, rows: Array, name: Any, size: int, rng: Any
    ) -> Pairs:
        """``size`` new rows of a class, from its rows."""
        found = neighbours_of(self.k_neighbors, "k_neighbors", values(table, rows), name)
        return draw_pairs(rows, rows[found], size, rng)


def draw_pairs(rows: Array, neighbours: Array, size: int, rng: Any) -> Pairs:
    """Random rows (q,), each with a random one of its neighbours (q, k), and a random step."""
    drawn = rng.randint(0, neighbours.size, size)
    step = rng.uniform(size=size)
    return Pairs(rows[drawn // neighbours.shape[1]], neighbours.ravel()[drawn], step)


def join(parts: Any) -> Pairs:
    """All pairs, one part after another."""
    none = Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    return Pairs(*map(np.concatenate, zip(none, *parts, strict=True)))


def values(table: Table, rows: Array) -> Matrix:
    """These rows as an array or CSR matrix of floating-point numbers."""
    X = table.rows(rows)
    return X if X.dtype == table.dtype else X.astype(table.dtype)


def neighbours_of(
    k: Any, parameter: str, points: Matrix, name: Any, queries: Array | None = None, **codes: Any
) -> Array:
    """The neighbours (q, k) of points among points, by a number or by an estimator.

    ``name`` is the class whose points they are, for messages; None is all classes.
    """
    n = points.shape[0]
    if isinstance(k, int | np.integer) and not isinstance(k, bool) and k >= 1:
        if n <= k:
            whose = "The table" if name is None else f"Class {name!r}"
            raise ValueError(
                f"{whose} has {n} rows, and {parameter}={k} needs at least {k + 1}, a row and its "
                f"neighbours: take {f'{parameter}={n - 1}' if n > 1 else 'RandomOverSampler'}, or "
                "leave the class out of sampling_strategy."
            )
        return nearest(points, int(k), queries, **codes)
    if not hasattr(k, "kneighbors"):
        raise ValueError(
            f"{parameter} is {k!r}, and a number of neighbours, 1 or more, or an estimator with "
            "kneighbors is expected."
        )
    asked = points if queries is None else points[queries]
    return np.asarray(clone(k).fit(points).kneighbors(asked, return_distance=False))[:, 1:]
