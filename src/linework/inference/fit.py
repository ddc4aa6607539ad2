"""One target's inference: residuals, then the covariance, then what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_rows
from linework.inference.coordinates import Coordinates
from linework.inference.covariance import (
    Covariance,
    LineScores,
    Weights,
    count_clusters,
    robust_meat,
    wald_f,
)
from linework.inference.line import Line, quartiles
from linework.inference.prediction import Predictor
from linework.inference.result import Inference
from linework.inference.table import CoefficientTable
from linework.regression.linear import LinearRegression
from linework.stats import Moments, RFactor

PERFECT = 1e-30
"""A residual variance that is, beside the squares of the fitted values, rounding error."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted model with the rows it was fitted on and their statistic.

    Attributes
    ----------
    model : LinearRegression
    table : Table
        The rows, with only the columns that have a slope of their own.
    stats : Moments or RFactor
        Of all columns.
    columns : array of int
        Positions of the table's columns among all.
    coordinates : Coordinates
    weights : {"frequency", "precision"}
    """

    model: LinearRegression
    table: Table
    stats: Moments | RFactor
    columns: Array
    coordinates: Coordinates
    weights: Weights

    @property
    def n(self) -> float:
        """Number of rows, as the weights count."""
        return self.stats.weight if self.weights == "frequency" else float(self.stats.count)

    def infer(
        self, target: int, coef: Array, intercept: float, covariance: Covariance, level: float
    ) -> Inference:
        """What the line of one target says, from its slopes (d,) and intercept."""
        line = self.line(target, coef)
        r, w = self.residuals(line)
        n, one, slopes = self.n, int(self.model.fit_intercept), len(coef)
        df = n - slopes - one
        freedom = np.float64(df if df > 0.0 else np.nan)
        effect = self.coordinates.of_coef(coef)
        with np.errstate(divide="ignore", invalid="ignore"):
            rss, explained = (w * r**2).sum(), effect @ effect
            variance = rss / freedom
            r2 = explained / (explained + rss) if slopes else 0.0
            f = explained / np.float64(slopes) / variance
            loglik = -0.5 * n * (np.log(2.0 * np.pi * rss / n) + 1.0)
        if self.weights == "precision":
            loglik += 0.5 * np.log(w).sum()
        meat = self._meat(line, covariance, float(variance))
        matrix = self.coordinates.spread(meat, self.columns, self.stats.n_features)
        if covariance != "classic":
            f = wald_f(effect, meat[one:, one:])
        parameters = slopes + one + 1
        return Inference(
            table=self._table(target, coef, intercept, matrix, df, level),
            covariance_matrix=matrix,
            covariance=covariance,
            n_clusters=count_clusters(self.table) if covariance == "cluster" else None,
            n=_whole(n),
            df_residual=_whole(df),
            rss=float(rss),
            sigma=float(np.sqrt(variance)),
            r2=float(r2),
            adj_r2=float(1.0 - (1.0 - r2) * ((n - one) / freedom)),
            f=float(f),
            f_df=(slopes, _whole(df)),
            loglik=float(loglik),
            aic=float(-2.0 * loglik + 2.0 * parameters),
            bic=float(-2.0 * loglik + np.log(n) * parameters),
            residual_quantiles=self._quartiles(r, w),
            _perfect=bool(variance < PERFECT * (line.y_mean**2 + explained / n)),
            _weighted=self.weights == "precision" and bool(np.ptp(w)),
            _predictor=Predictor(self.model, self.columns, line, self.coordinates, meat),
        )

    def line(self, target: int, coef: Array) -> Line:
        """The line of one target with slopes (d,)."""
        y_mean = float(self.stats.y_mean[target]) * self.model.fit_intercept
        return Line(coef, self.coordinates.x_mean, y_mean, target)

    def residuals(self, line: Line) -> tuple[Array, Array]:
        """Residual and weight of each row of positive weight."""
        r, w = map_rows(self.table, line.residuals), self.table.weight
        return (r, np.ones(len(r))) if w is None else (r[w > 0.0], w[w > 0.0])

    def _quartiles(self, r: Array, w: Array) -> Array:
        return quartiles(r, w) if self.weights == "frequency" else quartiles(np.sqrt(w) * r)

    def _meat(self, line: Line, covariance: Covariance, variance: float) -> Array:
        """M (k, k), so that the covariance of the estimates is T M Tᵀ."""
        k = len(line.coef) + self.coordinates.intercept
        if covariance == "classic" or np.isnan(variance):
            return variance * np.eye(k)
        scores = LineScores(line, self.weights)
        return robust_meat(self.table, self.coordinates, scores, covariance, self.n)

    def _table(
        self, target: int, coef: Array, intercept: float, covariance: Array, df: float, level: float
    ) -> CoefficientTable:
        one, d = int(self.coordinates.intercept), self.stats.n_features
        squares = _squares(self.stats)
        with np.errstate(divide="ignore", invalid="ignore"):
            importance = coef * np.sqrt(squares[self.columns]) / np.sqrt(squares[d + target])
        first = np.array([[intercept, np.nan, np.nan]])[:one]
        slopes = np.column_stack([coef, self.coordinates.inflation(), importance])
        numbers = np.full((d + one, 3), np.nan)
        numbers[self.coordinates.places(self.columns)] = np.vstack([first, slopes])
        return CoefficientTable(
            names=("(Intercept)",) * one + self.model._column_names(range(d)),
            estimate=numbers[:, 0],
            std_error=np.sqrt(np.diag(covariance)),
            df=float(df),
            level=level,
            vif=numbers[:, 1],
            standardised=numbers[:, 2],
        )


def _squares(stats: Moments | RFactor) -> Array:
    """Σ w (z − z̄)² of each column of [x, y]."""
    if isinstance(stats, RFactor):
        return np.asarray(np.square(stats.R).sum(axis=0))
    return stats.scatter.diagonal()


def _whole(number: float) -> float:
    """The number as an int where it is one."""
    return int(number) if float(number).is_integer() else number
