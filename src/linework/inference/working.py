"""A likelihood at its fit as weighted least squares: the step of iteratively reweighted ones."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.inference.coordinates import Coordinates
from linework.inference.covariance import Weights
from linework.losses import GeneralizedLoss
from linework.regression.ladder import climb
from linework.regression.linear import SMALL
from linework.solvers.least_squares import Solution, least_squares
from linework.stats import Moments, RFactor


@dataclass(frozen=True, slots=True, eq=False)
class Working:
    """Rows with weights w h(η) and targets [−ℓ'(η) / h(η), η − offset].

    Least squares for the first target is the step that iteratively reweighted least squares would
    take from η, which is none at the fit; XᵀX is the expected information. The second target gives
    the coefficients of the fit in whatever columns are independent.

    Attributes
    ----------
    table : Table
        With only the columns that have a slope of their own.
    stats : Moments or RFactor
        Of all columns.
    solution : Solution
        Of all columns.
    columns : array of int
        Positions of the table's columns among all.
    coordinates : Coordinates
    coef : array of shape (d,)
    intercept : float
    """

    table: Table
    stats: Moments | RFactor
    solution: Solution
    columns: Array
    coordinates: Coordinates
    coef: Array
    intercept: float

    @classmethod
    def at(cls, table: Table, eta: Array, loss: GeneralizedLoss, fit_intercept: bool) -> Working:
        """At linear predictors η (n,), offsets included."""
        assert table.y is not None
        score = loss.evaluate(table.y, eta[:, None])[1][:, 0]
        h = loss.curvature(table.y, eta[:, None])[:, 0]
        weight = h if table.weight is None else h * table.weight
        weight = np.where(np.isfinite(weight) & np.isfinite(score), weight, 0.0)
        if not (weight > 0.0).any():
            raise ValueError(
                "The fit predicts every row without doubt, so that none says how sure it is: the "
                "classes are separated, and the coefficients infinite. Use a penalty."
            )
        step = np.divide(score, h, out=np.zeros_like(h), where=weight > 0.0)
        offset = 0.0 if table.offset is None else table.offset[:, 0]
        targets = np.column_stack([step, eta - offset])
        rows = dataclasses.replace(table, y=targets, weight=weight, offset=None)
        stats, solution, columns, few, intercepts = independent(rows, fit_intercept)
        coordinates = Coordinates.of(stats, columns, fit_intercept)
        if len(columns) < table.n_columns:
            rows = rows.columns(columns)
        coef, intercept = few[:, 1], float(intercepts[1])
        return cls(rows, stats, solution, columns, coordinates, coef, intercept)

    @property
    def decrement(self) -> float:
        """Root of δᵀIδ of the step δ: its length in standard errors."""
        explained = _explained(self.stats, self.coordinates.intercept)
        return float(np.sqrt(max(explained, 0.0)))


@dataclass(frozen=True, slots=True)
class WorkingScores:
    """Scores of the rows of a `Working` table: `covariance.Scores`.

    With a row's working weight w h and target −ℓ'/h, u = −ℓ' and c = h, w times; for weights that
    are precisions or numbers of trials, u = −w ℓ' and c = w h, once.

    Attributes
    ----------
    weight : array of shape (n,) or None
        w of all rows.
    weights : {"frequency", "precision"}
    """

    weight: Array | None
    weights: Weights

    def __call__(self, rows: Block) -> tuple[Array, Array, Array]:
        """U, number and leverage's factor of each row."""
        assert rows.weight is not None
        assert rows.numbers is not None
        u = rows.weight * rows.targets[:, 0]
        one = np.ones(len(u))
        if self.weight is None or self.weights == "precision":
            return u, one, rows.weight
        w = self.weight[rows.numbers]
        return u / w, w, rows.weight / w


def independent(
    rows: Table, fit_intercept: bool
) -> tuple[Moments | RFactor, Solution, Array, Array, Array]:
    """Of the least squares of rows: the statistic, its solution, and that in independent columns.

    The last three are those columns, slopes of shape (d, t) and intercepts of shape (t,).
    """
    stats, solution = _collect(rows, fit_intercept)
    columns = np.setdiff1d(np.arange(rows.n_columns), solution.aliased)
    coef = least_squares(_of_columns(stats, columns), fit_intercept).coef
    intercept = (stats.y_mean - stats.x_mean[columns] @ coef) * fit_intercept
    return stats, solution, columns, coef, intercept


def _collect(rows: Table, fit_intercept: bool) -> tuple[Moments | RFactor, Solution]:
    solve: Any = partial(least_squares, fit_intercept=fit_intercept)
    if rows.n_rows * rows.n_columns <= SMALL or rows.n_rows <= rows.n_columns:
        stats: Moments | RFactor = map_reduce(rows, RFactor.from_block)
        return stats, solve(stats)
    solution, stats, _ = climb(rows, solve)
    return stats, solution


def _of_columns(stats: Moments | RFactor, columns: Array) -> Moments | RFactor:
    """The statistic of these columns and the targets."""
    if isinstance(stats, Moments):
        return stats.columns(columns)
    kept = np.append(columns, np.arange(stats.n_features, len(stats.mean)))
    return dataclasses.replace(stats, mean=stats.mean[kept], R=np.linalg.qr(stats.R[:, kept])[1])


def _explained(stats: Moments | RFactor, fit_intercept: bool) -> float:
    """What the columns explain of the first target's squares about zero."""
    _, cross, _ = stats.centred(fit_intercept)
    solution = least_squares(stats, fit_intercept).coef[:, 0]
    level = stats.weight * float(stats.y_mean[0]) ** 2 * fit_intercept
    return float(cross[:, 0] @ solution) + level
