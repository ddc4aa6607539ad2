"""The effect of one column of a linear model, with its band and the rows' partial residuals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.evaluate.drawing import (
    COLORS,
    MAX_POINTS,
    column_names,
    column_number,
    new_axes,
    sample,
    values,
)
from linework.evaluate.line import LinearPredictor
from linework.inference.infer import infer
from linework.inference.tails import central_quantile
from linework.stats import ColumnMoments

GRID = 101


@dataclass(kw_only=True, eq=False, repr=False)
class EffectDisplay:
    """The linear predictor along one column, the others at their means, with a confidence band.

    Each row's partial residual is the line at its x with the row's residual put on it. They lie
    about the line if the column's effect is linear; a bend is a power or a spline that the model
    lacks. Of a likelihood model they are working residuals, on the scale of the link.

    Parameters
    ----------
    x, effect, lower, upper : array of shape (g,)
        The line and its band.
    rows_x, partial_residuals : array of shape (n,)
        Of the rows drawn.
    name : str
        Of the column.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
    band_ : FillBetweenPolyCollection
    points_ : PathCollection

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import EffectDisplay, LinearRegression
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = LinearRegression().fit(X, y)
    >>> display = EffectDisplay.from_estimator(model, X, y, "bmi")
    >>> bool(display.effect[-1] > display.effect[0])
    True
    """

    x: Array
    effect: Array
    lower: Array
    upper: Array
    rows_x: Array
    partial_residuals: Array
    name: str
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    line_: Any = field(init=False)
    band_: Any = field(init=False)
    points_: Any = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        column: Any,
        *,
        sample_weight: Any = None,
        offset: Any = None,
        level: float = 0.95,
        max_points: int = MAX_POINTS,
        random_state: Any = 0,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the effect of a column of a fitted model.

        Parameters
        ----------
        estimator : LinearRegression, LogLinearRegression, GLM or LogisticRegression
            Fitted to one target, without a penalty; of two classes.
        X, y
            The rows that it was fitted on.
        column : str or int
            Its name or its position.
        sample_weight, offset : array-like of shape (n,), optional
            Those it was fitted with. The line is that of an offset of zero.
        level : float, default=0.95
            Of the band, at each x by itself.
        max_points : int, default=2000
            Rows that are drawn of more.
        random_state : int or numpy Generator, default=0
            Which they are.
        ax : matplotlib Axes, default=None
            By default those of a new figure.
        **options
            Those of `infer`, such as ``covariance="HC3"``.

        Returns
        -------
        EffectDisplay
        """
        table = as_table(X, sample_weight=sample_weight, caller=cls.__name__)
        names = column_names(estimator, table)
        j = column_number(column, names)
        line = LinearPredictor.of(estimator, X, y, sample_weight, offset)
        result = infer(
            estimator,
            X,
            y,
            sample_weight=sample_weight,
            offset=offset,
            level=level,
            **options,
        )
        at = values(table.columns(np.array([j])))[line.rows, 0]
        means = map_reduce(table, ColumnMoments.from_block).mean[: table.n_columns]
        x = np.linspace(at.min(), at.max(), GRID)
        Z = np.tile(means, (GRID, 1))
        Z[:, j] = x
        if len(result.table.estimate) > table.n_columns:
            Z = np.column_stack([np.ones(GRID), Z])
        # What is not defined of aliased columns has no part in the line.
        effect = Z @ np.nan_to_num(result.table.estimate)
        spread = np.einsum("ij,ij->i", Z @ np.nan_to_num(result.covariance_matrix), Z)
        half = central_quantile(level, result.table.df) * np.sqrt(np.maximum(spread, 0.0))
        shown = sample(len(at), max_points, random_state)
        display = cls(
            x=x,
            effect=effect,
            lower=effect - half,
            upper=effect + half,
            rows_x=at[shown],
            partial_residuals=(np.interp(at, x, effect) + line.working)[shown],
            name=names[j],
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        self
        """
        self.ax_ = ax = new_axes(ax, type(self).__name__)
        self.figure_ = ax.figure
        self.points_ = ax.scatter(
            self.rows_x,
            self.partial_residuals,
            s=16,
            c="0.5",
            alpha=0.5,
            lw=0,
            label="partial residuals",
        )
        self.band_ = ax.fill_between(
            self.x,
            self.lower,
            self.upper,
            color=COLORS[0],
            alpha=0.3,
            lw=0,
            label="confidence band",
        )
        (self.line_,) = ax.plot(self.x, self.effect, c=COLORS[0], lw=2.0, label="effect")
        ax.set(xlabel=self.name, ylabel="linear predictor")
        ax.legend(frameon=False)
        return self
