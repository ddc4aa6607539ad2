"""Four pictures of residuals, after R's plot.lm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.stats import norm

from linework.data.blocks import Array
from linework.evaluate.drawing import COLORS, MAX_POINTS, require_matplotlib, sample
from linework.evaluate.line import LinearPredictor
from linework.inference.influence import influence

COOK = (0.5, 1.0)
"""Cook's distances whose lines are drawn, as in R."""

TRENDS = 12
"""Groups of neighbours whose means make a trend."""

NAMED = 3
"""Rows that are named in each picture."""


@dataclass(kw_only=True, eq=False, repr=False)
class ResidualPanelDisplay:
    """Do the residuals look like those of the model: four pictures, as R's ``plot`` of a fit.

    1. Residuals against the linear predictor: a trend is a term that the model lacks.
    2. Standardised residuals against normal quantiles: on the line if errors are normal; of counts
       and classes only the far ends mean something.
    3. Their square roots against the linear predictor: a trend is a variance that is not constant.
    4. Standardised residuals against leverage: rows beyond Cook's lines decide on the fit.

    The three rows that stand out most are named, and the red lines are means of neighbours.

    Parameters
    ----------
    rows : array of shape (n,)
        Positions of the rows.
    fitted, residual, standardised, leverage, pearson, cooks_distance : array of shape (n,)
        ``pearson`` are the standardised residuals of the fourth picture; of least squares the same.
    n_coefficients : float
    names : array of shape (n,)
        Of the rows.
    shown : array
        Which are drawn.

    Attributes
    ----------
    axes_ : array of Axes of shape (2, 2)
    figure_ : matplotlib Figure
    points_ : list of PathCollection
    cook_ : list of Line2D

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import LinearRegression, ResidualPanelDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> display = ResidualPanelDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    >>> [ax.get_title() for ax in display.axes_.flat]
    ['Residuals', 'Normal Q-Q', 'Scale-location', 'Leverage']
    """

    rows: Array
    fitted: Array
    residual: Array
    standardised: Array
    leverage: Array
    pearson: Array
    cooks_distance: Array
    n_coefficients: float
    names: Array
    shown: Array
    axes_: Any = field(init=False)
    figure_: Any = field(init=False)
    points_: list[Any] = field(init=False)
    cook_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        offset: Any = None,
        max_points: int = MAX_POINTS,
        random_state: Any = 0,
        axes: Any = None,
    ) -> Self:
        """Draw the residuals of a fitted model.

        Parameters
        ----------
        estimator : LinearRegression, LogLinearRegression, GLM or LogisticRegression
            Fitted to one target, without a penalty; of two classes.
        X, y
            The rows that it was fitted on.
        sample_weight, offset : array-like of shape (n,), optional
            Those it was fitted with.
        max_points : int, default=2000
            Rows that are drawn of more; those that stand out always are.
        random_state : int or numpy Generator, default=0
            Which they are.
        axes : array of 4 matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        ResidualPanelDisplay
        """
        line = LinearPredictor.of(estimator, X, y, sample_weight, offset)
        says = influence(estimator, X, y, sample_weight=sample_weight, offset=offset)
        h, cook = says.leverage[line.rows], says.cooks_distance[line.rows]
        weight = 1.0 if sample_weight is None else np.asarray(sample_weight)[line.rows]
        count = float(np.sum(h * weight))  # leverages add up to the number of coefficients
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.sqrt(cook * count * (1.0 - h) / h)
        names = np.asarray(X.index) if hasattr(X, "index") else np.arange(len(says.leverage))
        display = cls(
            rows=line.rows,
            fitted=line.eta,
            residual=line.residual,
            standardised=says.standardised[line.rows],
            leverage=h,
            pearson=np.sign(line.residual) * size,
            cooks_distance=cook,
            n_coefficients=count,
            names=names[line.rows],
            shown=sample(len(h), max_points, random_state),
        )
        return display.plot(axes=axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        axes : array of 4 matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        self
        """
        require_matplotlib(type(self).__name__)
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(2, 2, figsize=(9.0, 7.5), layout="constrained")
        self.axes_ = np.asarray(axes).reshape(2, 2)
        self.figure_ = self.axes_[0, 0].figure
        self.points_, self.cook_ = [], []
        first, second, third, fourth = self.axes_.flat
        extreme = np.abs(np.nan_to_num(self.standardised))
        self._scatter(first, self.fitted, self.residual, extreme, trend=True)
        first.axhline(0.0, c="0.6", ls=":")
        first.set(title="Residuals", xlabel="linear predictor", ylabel="residual")

        quantile = self._quantiles()
        self._scatter(second, quantile, self.standardised, extreme)
        quartiles = norm.ppf([0.25, 0.75]), np.nanquantile(self.standardised, [0.25, 0.75])
        slope = float(np.diff(quartiles[1])[0] / np.diff(quartiles[0])[0])
        second.axline((quartiles[0][0], quartiles[1][0]), slope=slope, c="0.6", ls=":")
        second.set(title="Normal Q-Q", xlabel="normal quantile", ylabel="standardised residual")

        self._scatter(third, self.fitted, np.sqrt(np.abs(self.standardised)), extreme, trend=True)
        third.set(
            title="Scale-location", xlabel="linear predictor", ylabel="√|standardised residual|"
        )

        cook = np.nan_to_num(self.cooks_distance)
        self._scatter(fourth, self.leverage, self.pearson, cook, trend=True)
        self._cook_lines(fourth)
        fourth.axhline(0.0, c="0.6", ls=":")
        fourth.set(title="Leverage", xlabel="leverage", ylabel="standardised Pearson residual")
        return self

    def _scatter(
        self, ax: Any, x: Array, y: Array, standing_out: Array, trend: bool = False
    ) -> None:
        named = np.argsort(-standing_out, kind="stable")[:NAMED]
        drawn = np.union1d(self.shown, named)
        self.points_.append(ax.scatter(x[drawn], y[drawn], s=16, c=COLORS[0], alpha=0.6, lw=0))
        if trend:
            ax.plot(*_trend(x, y), c=COLORS[2], lw=1.5)
        for row in named:
            if np.isfinite(x[row]) and np.isfinite(y[row]):
                ax.annotate(
                    str(self.names[row]),
                    (x[row], y[row]),
                    (4, 2),
                    textcoords="offset points",
                    fontsize=8,
                )

    def _quantiles(self) -> Array:
        """Normal quantiles of the ranks, as R's qqnorm."""
        n = len(self.standardised)
        shift = 0.375 if n <= 10 else 0.5
        rank = np.empty(n)
        rank[np.argsort(self.standardised, kind="stable")] = np.arange(1, n + 1)
        return np.asarray(norm.ppf((rank - shift) / (n + 1.0 - 2.0 * shift)))

    def _cook_lines(self, ax: Any) -> None:
        """Where D = r² h / (k (1 − h)) is constant, within the picture as the points make it."""
        limits = ax.get_xlim(), ax.get_ylim()
        h = np.linspace(1e-4, min(limits[0][1], 1.0 - 1e-4), 400)
        for level in COOK:
            r = np.sqrt(level * self.n_coefficients * (1.0 - h) / h)
            style = "--" if level == COOK[0] else "-."
            for sign in (1.0, -1.0):
                self.cook_ += ax.plot(h, sign * r, c="0.5", ls=style, lw=1.0)
            if r.min() < np.abs(limits[1]).max():
                self.cook_[-1].set_label(f"Cook's distance {level:g}")
        ax.set(xlim=limits[0], ylim=limits[1])
        if ax.get_legend_handles_labels()[1]:
            ax.legend(frameon=False, fontsize=8)


def _trend(x: Array, y: Array) -> tuple[Array, Array]:
    """Means of groups of neighbours, of 5 rows or more."""
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    groups = np.array_split(np.argsort(x, kind="stable"), max(min(TRENDS, len(x) // 5), 1))
    return np.array([x[g].mean() for g in groups]), np.array([y[g].mean() for g in groups])
