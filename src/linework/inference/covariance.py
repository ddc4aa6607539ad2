"""What robust covariances add up over the rows: squared or clustered scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.inference.coordinates import Coordinates
from linework.inference.line import Line, dense_tiles
from linework.solvers.cholesky import column_scale

Covariance = Literal["classic", "HC0", "HC1", "HC2", "HC3", "cluster"]
Weights = Literal["frequency", "precision"]

DISCOUNT = {"HC0": 0, "HC1": 0, "HC2": 1, "HC3": 2}
"""Power of 1 − h by which a squared residual is divided."""

FULL_LEVERAGE = 1e-10
"""A row whose 1 − h is below this is fitted whatever its y: its residual is rounding error."""


@dataclass(frozen=True, slots=True, eq=False)
class Meat:
    """M = Σ ω r² q qᵀ in the design's `Coordinates`; `a + b` is the sum over both parts' rows.

    ω is w for rows that count w times, w² for rows of precision w, divided by (1 − h) for HC2 and
    (1 − h)² for HC3, with h the leverage of one row: qᵀq or, of precision w, w qᵀq.

    Attributes
    ----------
    matrix : array of shape (k, k)
    """

    matrix: Array

    @classmethod
    def from_block(
        cls, block: Block, coordinates: Coordinates, line: Line, kind: str, weights: Weights
    ) -> Meat:
        """Sum over the block: 2k² operations a row."""
        total = None
        for rows, X in dense_tiles(block):
            Q = coordinates.rows(X)
            w = np.ones(len(Q)) if rows.weight is None else rows.weight
            precise = weights == "precision"
            rest = 1.0 - np.square(Q).sum(axis=1) * (w if precise else 1.0)
            if DISCOUNT[kind]:
                _reject_full_leverage(rows, rest, kind)
            scale = np.sqrt((w**2 if precise else w) / rest ** DISCOUNT[kind])
            S = Q * (scale * line.residuals(rows))[:, None]
            part = cls(S.T @ S)
            total = part if total is None else total + part
        k = len(line.coef) + coordinates.intercept
        return cls(np.zeros((k, k))) if total is None else total

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
    """s_g = Σ_{i in g} w r q of each cluster g; `a + b` adds up those of the same cluster.

    Attributes
    ----------
    groups : array of int of shape (G,), ascending
        The clusters that have been seen.
    sums : array of shape (G, k)
    """

    groups: Array
    sums: Array

    @classmethod
    def from_block(cls, block: Block, coordinates: Coordinates, line: Line) -> ClusterScores:
        """Sums over the block: k² operations a row."""
        k = len(line.coef) + coordinates.intercept
        parts = [cls(np.empty(0, np.intp), np.empty((0, k)))]
        for rows, X in dense_tiles(block):
            assert rows.group is not None
            score = line.residuals(rows) * (1.0 if rows.weight is None else rows.weight)
            parts.append(cls(rows.group, coordinates.rows(X) * score[:, None]))
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
    coordinates: Coordinates,
    line: Line,
    covariance: str,
    weights: Weights,
    n: float,
) -> Array:
    """M (k, k) of a robust covariance, by one pass over the rows.

    HC1 multiplies HC0 by n / (n − k), and clusters by (n − 1) / (n − k) · G / (G − 1).
    """
    k = len(line.coef) + coordinates.intercept
    if covariance == "cluster":
        scores = map_reduce(
            table, partial(ClusterScores.from_block, coordinates=coordinates, line=line)
        )
        return scores.meat() * ((n - 1.0) / (n - k))
    meat = map_reduce(
        table,
        partial(
            Meat.from_block, coordinates=coordinates, line=line, kind=covariance, weights=weights
        ),
    ).matrix
    return meat * (n / (n - k)) if covariance == "HC1" else meat


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
