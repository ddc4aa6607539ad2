"""Why regression on the indicator matrix may never predict a class."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from linework.data.blocks import Array
from linework.data.sources import Table, as_table
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.evaluate.drawing import (
    MAX_POINTS,
    class_numbers,
    column_names,
    column_number,
    discriminant_labels,
    legend_beside,
    require_matplotlib,
    sample,
    style,
    values,
)

GRID = 1001
"""Points along the axis."""

TITLE = 40
"""Letters of the names of masked classes that fit above the axes; of more, the number is told."""


class Fit(NamedTuple):
    """Indicator regression on x, x², … up to a degree.

    Attributes
    ----------
    degree : int
    values : array of shape (g, K)
        f_k along the axis.
    predicted : array of int of shape (g,)
        The place of the class predicted there.
    error : float
        Share of the rows that are given another class than theirs.
    masked : array
        Classes that no row is given.
    """

    degree: int
    values: Array
    predicted: Array
    error: float
    masked: Array


@dataclass(kw_only=True, eq=False, repr=False)
class MaskingDisplay:
    """Fitted values f_k(x) of indicator regression along one dimension, for several degrees.

    A class is masked where its f_k is nowhere the largest. With three classes in a row this
    happens to the one in the middle: its indicator is 0, then 1, then 0, the straight line that
    fits this best is flat, and one of the others is always above it. A parabola is not flat.
    (After figure 4.3 of Hastie, Tibshirani and Friedman, The Elements of Statistical Learning.)

    The band at the foot is the class predicted, the ticks above it are rows. Make it with
    `from_estimator`.

    Parameters
    ----------
    x : array of shape (g,)
        The axis.
    fits : list of Fit
        One for each degree.
    points : array of shape (n,)
        Rows along the axis.
    numbers : array of shape (n,)
        The places of their classes.
    classes : array of shape (K,)
    label : str
        Of the axis.

    Attributes
    ----------
    axes_ : array of matplotlib Axes
        One for each degree.
    figure_ : matplotlib Figure
    lines_ : list of lists of Line2D
        For each degree, one for each class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import IndicatorClassifier, MaskingDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = MaskingDisplay.from_estimator(
    ...     IndicatorClassifier(), X, y, column="petal length (cm)"
    ... )
    >>> for fit in display.fits:
    ...     print(fit.degree, round(fit.error, 2), fit.masked)
    1 0.33 [1]
    2 0.07 []
    """

    x: Array
    fits: list[Fit]
    points: Array
    numbers: Array
    classes: Array
    label: str
    axes_: Any = field(init=False)
    figure_: Any = field(init=False)
    lines_: list[list[Any]] = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        column: Any = None,
        degrees: Sequence[int] = (1, 2),
        max_points: int = MAX_POINTS,
        random_state: Any = 0,
        ax: Any = None,
    ) -> Self:
        """Fit on one dimension with each degree, and draw.

        Parameters
        ----------
        estimator : IndicatorClassifier
            Copies of it are fitted; it may be fitted or not, and stays as it is.
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        column : str or int, default=None
            The dimension, by name or position; by default the first discriminant of
            `LinearDiscriminantAnalysis`, or the only column.
        degrees : sequence of int, default=(1, 2)
        max_points : int, default=2000
            Of more rows so many are drawn, at random; the fits are of all.
        random_state : int or Generator, default=0
        ax : sequence of matplotlib Axes, default=None
            One for each degree; by default those of a new figure, side by side.

        Returns
        -------
        MaskingDisplay
        """
        if not hasattr(estimator, "fitted_values"):
            raise TypeError(
                f"{type(estimator).__name__} has no fitted values of indicators: give an "
                "IndicatorClassifier."
            )
        if not len(degrees) or any(int(p) != p or p < 1 for p in degrees):
            raise ValueError(
                f"degrees are {degrees!r}, and whole numbers from 1 on are expected: at least one."
            )
        table = as_table(X, caller=cls.__name__)
        classes = np.unique(y)
        numbers = class_numbers(y, table.n_rows, classes)
        along, label = _dimension(estimator, X, y, table, column)
        low, high = along.min(), along.max()
        margin = 0.05 * (high - low) or 1.0
        x = np.linspace(low - margin, high + margin, GRID)
        drawn = sample(table.n_rows, max_points, random_state)
        display = cls(
            x=x,
            fits=[_fit(estimator, along, classes[numbers], x, int(p)) for p in degrees],
            points=along[drawn],
            numbers=numbers[drawn],
            classes=classes,
            label=label,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : sequence of matplotlib Axes, default=None
            One for each degree; by default those of a new figure, side by side.

        Returns
        -------
        self
        """
        count = len(self.fits)
        if ax is None:
            require_matplotlib(type(self).__name__)
            import matplotlib.pyplot as plt

            size = (1.6 + 4.2 * count, 3.8)
            _, ax = plt.subplots(1, count, sharex=True, sharey=True, figsize=size, squeeze=False,
                                 layout="constrained")  # fmt: skip
        self.axes_ = np.ravel(ax)
        if len(self.axes_) != count:
            raise ValueError(
                f"There are {len(self.axes_)} axes and {count} degrees: give one for each."
            )
        self.figure_ = self.axes_[0].figure
        self.lines_ = [self._plot_fit(*each) for each in zip(self.axes_, self.fits, strict=True)]
        self.axes_[0].set_ylabel("fitted value")
        legend_beside(self.axes_[-1])
        return self

    def _plot_fit(self, ax: Any, fit: Fit) -> list[Any]:
        low = min(each.values.min() for each in self.fits)
        high = max(each.values.max() for each in self.fits)
        step = min(0.035, 0.25 / len(self.classes))
        foot = 0.07 + step * len(self.classes)  # shares of the axes' height
        ax.set_ylim(low - (high - low) * foot / (1.0 - foot), high + 0.05 * (high - low))
        ax.set_xlim(self.x[[0, -1]])
        for value in (0.0, 1.0):
            ax.axhline(value, c="0.85", lw=0.8, zorder=0)
        lines = []
        for k, name in enumerate(self.classes):
            look, own = style(k), self.points[self.numbers == k]
            lines += ax.plot(
                self.x, fit.values[:, k], c=look.color, ls=look.line, lw=2.0, label=str(name)
            )
            ax.vlines(
                own, 0.06 + step * k, 0.06 + step * (k + 0.8), colors=look.color, lw=0.8, alpha=0.7,
                transform=ax.get_xaxis_transform(),
            )  # fmt: skip
        starts = np.flatnonzero(np.diff(fit.predicted, prepend=-1))
        for start, stop in zip(starts, [*starts[1:], len(self.x) - 1], strict=True):
            color = style(int(fit.predicted[start])).color
            ax.axvspan(self.x[start], self.x[stop], ymax=0.045, color=color, lw=0)
            if start:
                ax.axvline(self.x[start], c="0.6", lw=0.8, zorder=0)
        masked = ", ".join(str(name) for name in fit.masked) or "none"
        if len(masked) > TITLE:
            masked = f"{len(fit.masked)} of {len(self.classes)} classes"
        ax.set_title(f"degree {fit.degree}, error {fit.error:.2f}\nmasked: {masked}", fontsize=10)
        ax.set_xlabel(self.label)
        return lines


def _dimension(estimator: Any, X: Any, y: Any, table: Table, column: Any) -> tuple[Array, str]:
    """The rows along the axis, shape (n,), and its label."""
    if column is None and table.n_columns > 1:
        model = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
        along = np.asarray(model.transform(X))
        if not along.shape[1]:
            raise ValueError("The means of the classes are equal: there is no discriminant.")
        return along[:, 0], discriminant_labels(model, 1)[0]
    names = column_names(estimator, table)
    j = column_number(0 if column is None else column, names)
    return values(table.columns(np.array([j])))[:, 0], names[j]


def _fit(estimator: Any, along: Array, y: Array, x: Array, degree: int) -> Fit:
    centre, scale = along.mean(), along.std() or 1.0  # powers of numbers near one

    def columns(values: Array) -> Array:
        powers: Array = np.power.outer((values - centre) / scale, np.arange(1, degree + 1))
        return powers

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No training row is assigned", UserWarning)  # it is shown
        model = clone(estimator).fit(columns(along), y)
    fitted = model.fitted_values(columns(x))
    predicted = np.searchsorted(model.classes_, model.predict(columns(x)))
    error = float(np.mean(model.predict(columns(along)) != y))
    return Fit(degree, fitted, predicted, error, model.masked_classes_)
