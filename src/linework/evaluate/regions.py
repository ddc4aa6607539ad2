"""Where a classifier predicts which class, in a plane through its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.data.sources import as_table
from linework.evaluate.drawing import (
    MAX_POINTS,
    class_numbers,
    column_names,
    column_number,
    discriminant_labels,
    legend_beside,
    new_axes,
    rows_like,
    sample,
    style,
    values,
)
from linework.regression.linear import LinearRegression

GRID = 300
"""Points of the grid along each axis."""


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionRegionDisplay:
    """Which class a classifier predicts in a plane of two columns, or of two discriminants.

    scikit-learn's `DecisionBoundaryDisplay` shows classifiers of two columns; this shows those of
    any number, in a plane through their space. Make it with `from_estimator`.

    Parameters
    ----------
    xx0, xx1 : arrays of shape (g, g)
        The grid in the plane.
    response : array of int of shape (g, g)
        The place in ``classes`` of what is predicted there.
    points : array of shape (n, 2)
        Rows in the plane.
    numbers : array of shape (n,) or None
        The places of their classes, if known.
    classes : array of shape (K,)
    labels : pair of str
        Of the axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    surface_ : QuadMesh
    boundaries_ : list of QuadContourSet
        Around the region of each class but the last, where it has one.
    points_ : list of PathCollection
        One for each class with rows, or one for all where classes are not known.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from linework import DecisionRegionDisplay, QuadraticDiscriminantAnalysis
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> display = DecisionRegionDisplay.from_estimator(model, X, y, plane=("alcohol", "proline"))
    >>> display.ax_.get_ylabel()
    'proline'
    """

    xx0: Array
    xx1: Array
    response: Array
    points: Array
    numbers: Array | None
    classes: Array
    labels: list[str]
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    surface_: Any = field(init=False)
    boundaries_: list[Any] = field(init=False)
    points_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        plane: Any = (0, 1),
        held: Any = "median",
        max_points: int = MAX_POINTS,
        random_state: Any = 0,
        ax: Any = None,
    ) -> Self:
        """Draw the regions of a fitted classifier, and rows.

        Parameters
        ----------
        estimator : classifier
            Fitted, of numeric columns; any with `predict` and ``classes_``.
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,), optional
            Without it the rows are grey.
        plane : pair of columns, or a fitted discriminant model, default=(0, 1)
            Two columns by name or position, the others being held; or a fitted
            `LinearDiscriminantAnalysis` or `FisherDiscriminant` of these columns: then the axes
            are its first two discriminants, and a point (z_1, z_2) stands for the row that least
            squares of the columns on the two expects there.
        held : {"median", "mean"} or dict, default="median"
            Where the other columns are held: at the median or mean of the rows drawn, or at
            the values given by name or position, with the median for those not given.
        max_points : int, default=2000
            Of more rows so many are drawn, at random, and nothing else is read of the rest.
        random_state : int or Generator, default=0
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        DecisionRegionDisplay
        """
        if not (is_classifier(estimator)):
            raise TypeError(
                f"{type(estimator).__name__} is no classifier: give one that is fitted."
            )
        check_is_fitted(estimator)
        check_is_fitted(estimator)
        table = as_table(X, caller=cls.__name__)
        drawn = sample(table.n_rows, max_points, random_state)
        rows = values(table.take(drawn))
        numbers = None
        if y is not None:
            numbers = class_numbers(y, table.n_rows, estimator.classes_)[drawn]
        like = rows_like(X)
        if hasattr(plane, "transform"):
            points = np.asarray(plane.transform(like(rows)))[:, :2]
            if points.shape[1] < 2:
                raise ValueError(
                    f"{type(plane).__name__} has {points.shape[1]} discriminant, and a plane has "
                    "two: give two columns instead."
                )
            labels = discriminant_labels(plane, 2)
            expected = LinearRegression().fit(points, rows)
            xx0, xx1 = _grid(points)
            cells = expected.predict(np.column_stack([xx0.ravel(), xx1.ravel()]))
        else:
            names = column_names(estimator, table)
            pair = _two_columns(plane, names)
            labels, points = [names[j] for j in pair], rows[:, pair]
            xx0, xx1 = _grid(points)
            cells = np.tile(_held(held, rows, names), (xx0.size, 1))
            cells[:, pair] = np.column_stack([xx0.ravel(), xx1.ravel()])
        predicted = np.searchsorted(estimator.classes_, estimator.predict(like(cells)))
        display = cls(
            xx0=xx0,
            xx1=xx1,
            response=predicted.reshape(xx0.shape),
            points=points,
            numbers=numbers,
            classes=estimator.classes_,
            labels=labels,
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
        from matplotlib.colors import ListedColormap

        shown, codes = np.unique(self.response, return_inverse=True)
        self.surface_ = ax.pcolormesh(
            self.xx0,
            self.xx1,
            codes.reshape(self.response.shape),
            cmap=ListedColormap([style(k).color for k in shown]),
            vmin=-0.5,
            vmax=len(shown) - 0.5,
            alpha=0.25,
            shading="nearest",
            rasterized=True,
            linewidth=0,
        )
        self.boundaries_ = [
            ax.contour(self.xx0, self.xx1, self.response == k, [0.5], colors="0.25", linewidths=1.0)
            for k in shown[:-1]
        ]
        groups = [-1] if self.numbers is None else np.unique(self.numbers)
        self.points_ = []
        for k in groups:
            own = self.points if self.numbers is None else self.points[self.numbers == k]
            known = self.numbers is not None
            self.points_.append(
                ax.scatter(
                    *own.T,
                    s=18,
                    c=style(k).color if known else "0.3",
                    marker=style(k).marker if known else "o",
                    edgecolors="white",
                    linewidths=0.5,
                    label=str(self.classes[k]) if known else "rows",
                )
            )
        for k in np.setdiff1d(shown, groups):  # predicted, and not among the rows
            ax.plot([], [], "s", c=style(k).color, alpha=0.25, label=f"{self.classes[k]} (region)")
        ax.set(
            xlabel=self.labels[0],
            ylabel=self.labels[1],
            xlim=self.xx0[0, [0, -1]],
            ylim=self.xx1[[0, -1], 0],
        )
        legend_beside(ax)
        return self


def _grid(points: Array) -> tuple[Array, Array]:
    """A grid over the points, with a margin of a twentieth of their range."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = np.where(high > low, 0.05 * (high - low), 1.0)
    axes = np.linspace(low - margin, high + margin, GRID)
    xx0, xx1 = np.meshgrid(axes[:, 0], axes[:, 1])
    return xx0, xx1


def _two_columns(plane: Any, names: tuple[str, ...]) -> list[int]:
    if isinstance(plane, str) or not np.iterable(plane) or len(tuple(plane)) != 2:
        raise ValueError(
            f"plane is {plane!r}, and two columns are expected, such as (0, 1), or a fitted "
            "discriminant model."
        )
    pair = [column_number(column, names) for column in plane]
    if pair[0] == pair[1]:
        raise ValueError(f"plane names column {names[pair[0]]!r} twice: give two columns.")
    return pair


def _held(held: Any, rows: Array, names: tuple[str, ...]) -> Array:
    """A value for each column, shape (d,)."""
    if isinstance(held, str) and held in ("median", "mean"):
        return np.asarray(rows.mean(axis=0) if held == "mean" else np.median(rows, axis=0))
    if not isinstance(held, Mapping):
        raise ValueError(
            f"held is {held!r}; 'median', 'mean' and a dict of values by column are known."
        )
    fixed = np.median(rows, axis=0)
    for column, value in held.items():
        fixed[column_number(column, names)] = value
    return np.asarray(fixed)
