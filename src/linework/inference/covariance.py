"""What robust covariances add up over the rows: squared or clustered scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.inference.line import Line, dense_tiles
from linework.solvers.cholesky import column_scale

Covariance = Literal["classic", "HC0", "HC1", "HC2", "HC3", "cluster"]
Weights = Literal["frequency", "precision"]

DISCOUNT = {"HC0": 0, "HC1": 0, "HC2": 1, "HC3": 2}
"""Power of 1 − h by which a squared residual is divided."""

FULL_LEVERAGE = 1e-10
"""A row whose 1 − h is below this is fitted whatever its y: its residual is rounding error."""


class Scores(Protocol):
    """What a row says of the coefficients at the fit: its score is u·x, with x its columns."""

    def __call__(self, rows: Block) -> tuple[Array, Array, Array]:
        """U of one such row, how many of them there are, and c, so that its leverage is c·qᵀq.

        Of several linear predictors u is of shape (n, m), and c what their leverage is made of.
        """
        ...


class Space(Protocol):
    """Coordinates in which the information is I: `Coordinates`, `ClassCoordinates`."""

    @property
    def size(self) -> int:
        """K, the number of coefficients."""
        ...

    def scores(self, X: Array, u: Array, c: Array, power: int) -> tuple[Array, Array]:
        """Scores (m, k) of rows X by what `Scores` says, over (1 − h)^½power, and 1 − h (m,)."""
        ...


@dataclass(frozen=True, slots=True)
class LineScores:
    """Least squares: u = r, w times, c = 1; of precision w, u = w r, once, c = w."""

    line: Line
    weights: Weights

    def __call__(self, rows: Block) -> tuple[Array, Array, Array]:
        """U, number and leverage's factor of each row."""
        r = self.line.residuals(rows)
        one = np.ones(len(r))
        w = one if rows.weight is None else rows.weight
        return (w * r, one, w) if self.weights == "precision" else (r, w, one)


@dataclass(frozen=True, slots=True, eq=False)
class Meat:
    """M = Σ m u² q qᵀ in the design's `Coordinates`; `a + b` is the sum over both parts' rows.

    With u and m of `Scores`, divided by (1 − h) for HC2 and (1 − h)² for HC3, with the leverage
    h = c qᵀq of one row.

    Attributes
    ----------
    matrix : array of shape (k, k)
    """

    matrix: Array

    @classmethod
    def from_block(cls, block: Block, coordinates: Space, scores: Scores, kind: str) -> Meat:
        """Sum over the block: 2k² operations a row."""
        k = coordinates.size
        total = cls(np.zeros((k, k)))
        for rows, X in dense_tiles(block):
            u, number, c = scores(rows)
            S, rest = coordinates.scores(X, u, c, DISCOUNT[kind])
            if DISCOUNT[kind]:
                _reject_full_leverage(rows, rest, kind)
            S *= np.sqrt(number)[:, None]
            total += cls(S.T @ S)
        return total

    def __add__(self, other: Meat) -> Meat:
        return Meat(self.matrix + other.matrix)


def _reject_full_leverage(rows: Block, rest: Array, kind: str) -> None:
    full = np.flatnonzero(rest < FULL_LEVERAGE)
    if full.size:
        assert rows.numbers is not None
        raise ValueError(
            f"{kind} is not defined: row {rows.numbers[full[0]]} has leverage 1, so that it is "
            "fitted exactly whatever its y. Use HC0 or HC1, or leave the row out."
        )


@dataclass(frozen=True, slots=True, eq=False)
class ClusterScores:
    """s_g = Σ_{i in g} m u q of each cluster g; `a + b` adds up those of the same cluster.

    Attributes
    ----------
    groups : array of int of shape (G,), ascending
        The clusters that have been seen.
    sums : array of shape (G, k)
    """

    groups: Array
    sums: Array

    @classmethod
    def from_block(cls, block: Block, coordinates: Space, scores: Scores) -> ClusterScores:
        """Sums over the block: k² operations a row."""
        k = coordinates.size
        parts = [cls(np.empty(0, np.intp), np.empty((0, k)))]
        for rows, X in dense_tiles(block):
            assert rows.group is not None
            u, number, c = scores(rows)
            parts.append(cls(rows.group, coordinates.scores(X, u, c, 0)[0] * number[:, None]))
        return cls._joined(parts)

    def __add__(self, other: ClusterScores) -> ClusterScores:
        return self._joined([self, other])

    @classmethod
    def _joined(cls, parts: list[ClusterScores]) -> ClusterScores:
        groups = np.concatenate([part.groups for part in parts])
        order = np.argsort(groups, kind="stable")
        groups = groups[order]
        first = np.flatnonzero(np.diff(groups, prepend=-1))
        sums = np.concatenate([part.sums for part in parts])[order]
        return cls(groups[first], np.add.reduceat(sums, first) if len(first) else sums)

    def meat(self) -> Array:
        """Σ_g s_g s_gᵀ · G / (G − 1)."""
        n_groups = len(self.groups)
        if n_groups < 2:
            raise ValueError(
                f"There is {n_groups} cluster, and clustered standard errors compare clusters: "
                "give groups with at least two different values, or choose another covariance."
            )
        product: Array = self.sums.T @ self.sums
        return product * (n_groups / (n_groups - 1.0))


def robust_meat(
    table: Table,
    coordinates: Space,
    scores: Scores,
    covariance: str,
    n: float,
) -> Array:
    """M (k, k) of a robust covariance, by one pass over the rows.

    HC1 multiplies HC0 by n / (n − k), and clusters by (n − 1) / (n − k) · G / (G − 1).
    """
    k = coordinates.size
    if covariance == "cluster":
        clusters = partial(ClusterScores.from_block, coordinates=coordinates, scores=scores)
        return map_reduce(table, clusters).meat() * ((n - 1.0) / (n - k))
    squares = partial(Meat.from_block, coordinates=coordinates, scores=scores, kind=covariance)
    meat = map_reduce(table, squares).matrix
    return meat * (n / (n - k)) if covariance == "HC1" else meat


def count_clusters(table: Table) -> int:
    """The number of clusters that have rows of positive weight."""
    assert table.group is not None
    present = table.group if table.weight is None else table.group[table.weight > 0.0]
    return len(np.unique(present))


def wald_f(effect: Array, covariance: Array) -> float:
    """F = eᵀ V⁻¹ e / q for q effects with covariance V; NaN where V is singular."""
    scale = column_scale(np.diag(covariance).copy())
    correlation = covariance / scale / scale[:, None]
    if not np.isfinite(correlation).all():
        return np.nan
    if np.linalg.matrix_rank(correlation, hermitian=True) < len(effect):
        return np.nan
    z = effect / scale
    return float(z @ np.linalg.solve(correlation, z)) / len(effect)
