"""Standardised coefficients with their intervals: which columns matter, and how surely."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from linework.data.blocks import Array
from linework.evaluate.drawing import COLORS, new_axes
from linework.inference.generalized_result import GeneralizedInference
from linework.inference.result import Inference


@dataclass(kw_only=True, eq=False, repr=False)
class ImportanceDisplay:
    """Coefficients in units of standard deviations, the largest on top, with intervals.

    Of least squares β_j sd(x_j) / sd(y), of likelihood models β_j sd(x_j): by how much the linear
    predictor goes when the column goes by one of its standard deviations, the others held. The
    standard deviations are taken as known.

    Parameters
    ----------
    importance, lower, upper : array of shape (m,)
    names : tuple of str
        Of the columns.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : ErrorbarContainer

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import ImportanceDisplay, LinearRegression, infer
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> result = infer(LinearRegression().fit(X, y), X, y)
    >>> display = ImportanceDisplay.from_inference(result, max_columns=3)
    >>> display.names, display.importance.round(2)
    (('s1', 's5', 'bmi'), array([-0.49,  0.46,  0.32]))
    """

    importance: Array
    lower: Array
    upper: Array
    names: tuple[str, ...]
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    points_: Any = field(init=False)

    @classmethod
    def from_inference(
        cls,
        result: Inference | GeneralizedInference,
        *,
        max_columns: int = 20,
        level: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw what `infer` says.

        Parameters
        ----------
        result : Inference or GeneralizedInference
        max_columns : int, default=20
            The largest of more. Columns that are not defined are left out.
        level : float, optional
            Of the intervals; the one given to `infer`, if left out.
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        ImportanceDisplay
        """
        if max_columns < 1:
            raise ValueError(f"max_columns is {max_columns}, and at least 1 is drawn.")
        table, ends = result.table, result.confint(level)
        size = np.abs(table.standardised)
        known = np.flatnonzero(np.isfinite(size))  # not the intercept, nor aliased columns
        chosen = known[np.argsort(-size[known], kind="stable")][:max_columns]
        at, estimate = table.standardised[chosen], table.estimate[chosen]
        # The ends are in the same unit; a coefficient of exactly zero does not tell which.
        unit = np.divide(at, estimate, out=np.zeros_like(at), where=estimate != 0.0)
        half = 0.5 * (ends[chosen, 1] - ends[chosen, 0]) * unit
        names = tuple(table.names[k] for k in chosen)
        display = cls(importance=at, lower=at - half, upper=at + half, names=names)
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
        place = np.arange(len(self.names))
        self.points_ = ax.errorbar(
            self.importance,
            place,
            xerr=[self.importance - self.lower, self.upper - self.importance],
            fmt="o",
            c=COLORS[0],
            capsize=3.0,
        )
        ax.axvline(0.0, c="0.6", ls=":")
        ax.set(xlabel="standardised coefficient", yticks=place, yticklabels=self.names)
        ax.invert_yaxis()
        return self
