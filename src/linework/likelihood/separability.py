"""Whether a linear function tells classes apart: where it does, no likelihood has a maximum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from linework.classifier import Classifier
from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce, map_rows
from linework.progress import shown
from linework.stats import ColumnMoments

FIRST = 10
"""Rows for each parameter in the first linear programme; rows that its answer breaks join it."""

CERTAIN = 1e-9
"""A margin above this, in units of the columns' spread, is no rounding error."""


@dataclass(frozen=True, slots=True, eq=False)
class Separability:
    """How far the classes of some rows can be told apart by linear functions without error.

    Attributes
    ----------
    kind : {"complete", "quasi", "none"}
        ``"complete"``: every row lies strictly on its side. ``"quasi"``: none lies on the wrong
        side, and some strictly on theirs. ``"none"``: no function that is not zero does either.
    coef : array of shape (d,), or (K, d) for more classes
        w, a separating direction; zeros where there is none.
    intercept : float or array of shape (K,)
        b.
    margin : float
        The smallest distance of a row from the boundary, along w; zero unless complete.
    columns : tuple of str
        The columns of w: their coefficients have no finite maximum-likelihood estimate.
    classes : array of shape (K,)

    Examples
    --------
    >>> from linework import linear_separability
    >>> found = linear_separability([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> found.kind, found.columns, round(found.margin, 3)
    ('complete', ('x0',), 0.5)
    >>> linear_separability([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]).kind
    'none'
    """

    kind: str
    coef: Array
    intercept: Any
    margin: float
    columns: tuple[str, ...]
    classes: Array

    def __bool__(self) -> bool:
        return self.kind != "none"

    def score(self, X: Any, y: Any) -> Array:
        """The score y·g(x) of each row, y = ±1: positive on its side, zero on the boundary.

        For more classes, the least of g_y(x) − g_k(x) over the other classes k.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)

        Returns
        -------
        array of shape (n,)
        """
        g = np.asarray(X, np.float64) @ self.coef.T + self.intercept
        number = np.searchsorted(self.classes, y)
        if g.ndim == 1:
            return np.asarray(np.where(number == 1, g, -g))
        return _margins(g, number)


def linear_separability(X: Any, y: Any, sample_weight: Any = None) -> Separability:
    """Whether classes are linearly separable, by linear programmes that HiGHS solves.

    With s_i = ±1 for two classes: the largest t with s_i (wᵀx_i + b) ≥ t for all rows, |w_j| ≤ 1 in
    units of the columns' spread; where that is zero, the largest Σ s_i (wᵀx_i + b) with none
    negative (Konis, 2007). For K classes there is a function each, and g_y(x) ≥ g_k(x).

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,)
        Labels of two or more classes.
    sample_weight : array-like of shape (n,), optional
        Zero removes a row.

    Returns
    -------
    Separability

    Notes
    -----
    A programme of few rows' constraints that has no answer but zero answers for all. Otherwise the
    rows that its answer breaks join it, a pass over the rows each time. The sum is always that of
    all rows: those that alone lie off the boundary may be few.
    """
    reader = _Reader()
    table, classes = reader._read_labelled(X, y, sample_weight, reset=True)
    if len(classes) < 2:
        raise ValueError(
            f"The rows are of {len(classes)} class, and separability is about two or more: give "
            "rows of another."
        )
    return separability_of(table, classes, reader._column_names(range(table.n_columns)))


class _Reader(Classifier):
    """Reads rows and labels, and is never fitted."""


@shown("Separability")
def separability_of(
    table: Table, classes: Array, names: tuple[str, ...], fit_intercept: bool = True
) -> Separability:
    """As `linear_separability`, of a table whose groups are class numbers."""
    columns = map_reduce(table, ColumnMoments.from_block)
    d, k = table.n_columns, len(classes)
    mean = columns.mean[:d] * fit_intercept
    spread = np.sqrt(columns.squares[:d] / columns.weight + (columns.mean[:d] - mean) ** 2)
    spread[spread <= 8 * np.finfo(float).eps * np.abs(mean)] = np.inf  # it tells nothing
    find = partial(_separate, table, mean, spread, k, fit_intercept)
    theta, kind = find(strictly=True), "complete"
    if theta is None:
        theta, kind = find(strictly=False), "quasi"
    if theta is None:
        theta, kind = np.zeros((k if k > 2 else 1, d + 1)), "none"
    if k > 2:  # what is common to all classes tells none apart
        theta = theta - theta.mean(axis=0)
    coef = theta[:, :d] / spread
    intercept = theta[:, d] * fit_intercept - coef @ mean
    used = (np.abs(theta[:, :d]).max(axis=0) > 1e-7) & np.isfinite(spread)
    margin = 0.0
    if kind == "complete":
        margins = _of_rows(table, coef, intercept)
        lengths = np.linalg.norm(coef if k == 2 else coef[:, None] - coef, axis=-1)
        margin = float(margins[_present(table)].min() / lengths.max())
    flat = k == 2
    return Separability(
        kind,
        coef[0] if flat else coef,
        float(intercept[0]) if flat else intercept,
        margin,
        tuple(name for name, used_one in zip(names, used, strict=True) if used_one),
        classes,
    )


def certain_of_a_row(table: Table, coef: Array, intercept: Array) -> bool:
    """Whether some row's odds are beyond e^12, as in every fit to separable classes.

    ``coef`` is (d, k), with k = 1 for two classes.
    """
    span = map_rows(table, lambda block: _span(np.asarray(block.X @ coef + intercept)))
    return bool((span > 12.0).any())


def _span(eta: Array) -> Array:
    return np.abs(eta[:, 0]) if eta.shape[1] == 1 else np.asarray(np.ptp(eta, axis=1))


def _separate(
    table: Table, mean: Array, spread: Array, k: int, fit_intercept: bool, *, strictly: bool
) -> Array | None:
    """Directions θ (1 or K, d + 1) on standardised columns, or None where there are none."""
    present = np.flatnonzero(_present(table))
    d = len(mean)
    size = min(len(present), FIRST * (d + 1) * max(1, k - 1))
    chosen = np.random.default_rng(0).choice(present, size, replace=False)
    direction = None if strictly else _mean_margin(table, mean, spread, k, fit_intercept)
    while True:
        part = table.take(np.sort(chosen)).held()
        X = part.rows(slice(0, part.n_rows))
        Z = np.ones((part.n_rows, d + 1))
        Z[:, :d] = ((X.toarray() if sp.issparse(X) else X) - mean) / spread
        Z[:, d] = float(fit_intercept)
        assert part.group is not None
        theta = _programme(_constraints(Z, part.group, k), direction)
        if theta is None:
            return None
        theta = theta.reshape(-1, d + 1)
        coef = theta[:, :d] / spread
        margins = _of_rows(table, coef, theta[:, d] * fit_intercept - coef @ mean)
        bound = CERTAIN if strictly else -CERTAIN
        broken = np.setdiff1d(present[margins[present] < bound], chosen)
        if not len(broken):
            return theta
        worst = broken[np.argsort(margins[broken])[: len(chosen)]]
        chosen = np.union1d(chosen, worst)


def _constraints(Z: Array, group: Array, k: int) -> Any:
    """A with Aθ ≥ 0 where all rows are on their side."""
    if k == 2:
        return Z * np.where(group == 1, 1.0, -1.0)[:, None]
    blocks = []
    for other in range(k):
        rows = np.flatnonzero(group != other)
        own = sp.csr_array(
            (np.ones(len(rows)), (np.arange(len(rows)), group[rows])), (len(rows), k)
        )
        own = own - sp.csr_array(
            (np.ones(len(rows)), (np.arange(len(rows)), np.full(len(rows), other))), (len(rows), k)
        )
        blocks.append(sp.hstack([sp.csr_array(own[:, [c]] * Z[rows]) for c in range(k)]))
    return sp.vstack(blocks).tocsr()


def _mean_margin(table: Table, mean: Array, spread: Array, k: int, fit_intercept: bool) -> Array:
    """The sum of all rows' constraints, divided by the rows' number: shape (p,)."""

    def sums(block: Block) -> Array:
        block = block.present()
        assert block.group is not None
        rows = np.arange(len(block))
        of_class = sp.csr_array((np.ones(len(rows)), (block.group, rows)), (k, len(rows)))
        X = of_class @ block.X
        return np.column_stack([X.toarray() if sp.issparse(X) else X, of_class.sum(axis=1)])

    S = map_reduce(table, sums)
    count = S[:, -1:].copy()
    S[:, :-1] = (S[:, :-1] - count * mean) / spread
    S[:, -1] *= fit_intercept
    total = S[1] - S[0] if k == 2 else (k * S - S.sum(axis=0)).ravel()
    return np.asarray(total / count.sum())


def _programme(A: Any, direction: Array | None) -> Array | None:
    """Θ with Aθ ≥ 0, |θ| ≤ 1, strictly so in every row, or far along a direction; else None."""
    m, p = A.shape
    if direction is None:  # the last variable is t
        minus_one = sp.csr_array(np.ones((m, 1)))
        constraints = sp.hstack([sp.csr_array(-A), minus_one]).tocsr()
        cost, bounds = np.append(np.zeros(p), -1.0), [(-1.0, 1.0)] * p + [(0.0, 1.0)]
    else:
        constraints, cost = sp.csr_array(-A), -direction
        bounds = [(-1.0, 1.0)] * p
    found = linprog(cost, A_ub=constraints, b_ub=np.zeros(m), bounds=bounds, method="highs")
    if found.x is None:
        raise RuntimeError(f"HiGHS did not solve a linear programme: {found.message}")
    return found.x[:p] if -found.fun > CERTAIN else None


def _of_rows(table: Table, coef: Array, intercept: Array) -> Array:
    """The margin of each row: s g(x), or the least g_y(x) − g_k(x)."""

    def margins(block: Block) -> Array:
        assert block.group is not None
        g = np.asarray(block.X @ coef.T + intercept)
        if g.shape[1] == 1:
            return np.where(block.group == 1, g[:, 0], -g[:, 0])
        return _margins(g, block.group)

    return map_rows(table, margins)


def _margins(g: Array, number: Array) -> Array:
    rows = np.arange(len(g))
    own = g[rows, number]
    rest = g.copy()
    rest[rows, number] = -np.inf
    return np.asarray(own - rest.max(axis=1))


def _present(table: Table) -> Array:
    return np.ones(table.n_rows, bool) if table.weight is None else table.weight > 0.0
