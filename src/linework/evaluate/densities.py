"""Gaussian classes in one dimension, and where the prediction changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.data.sources import as_table
from linework.discriminant.base import ByClass
from linework.discriminant.covariances import pooled
from linework.discriminant.fisher import FisherDiscriminant
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.discriminant.quadratic import QuadraticDiscriminantAnalysis
from linework.discriminant.regularized import ClassCovariances, Mixed
from linework.evaluate.drawing import (
    BINS,
    class_numbers,
    column_names,
    legend_beside,
    new_axes,
    rows_like,
    style,
    values,
)
from linework.stats import ClassMoments

GRID = 1001
"""Points along the axis; a region narrower than two of them may be missed."""

HALVINGS = 60
"""Of the distance of two points: as many as a float64 has digits to tell them apart, and more."""

MODELS = (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    Mixed,
    FisherDiscriminant,
)


@dataclass(kw_only=True, eq=False, repr=False)
class ClassDensityDisplay:
    """Prior times density, π_k f_k(x), of Gaussian classes in one column, and the Bayes boundary.

    A row is of the class whose curve is highest. Behind each curve is the histogram of its class's
    rows, of the same area π_k: where they differ, the class is not Gaussian or the variances are
    not what the model assumes. Make it with `from_estimator`.

    Parameters
    ----------
    x : array of shape (g,)
        The axis.
    densities : array of shape (g, K)
        π_k f_k.
    boundaries : array of shape (b,)
        Where the prediction changes.
    values : array of shape (n,)
        The rows.
    numbers : array of shape (n,)
        The places of their classes.
    priors : array of shape (K,)
    classes : array of shape (K,)
    label : str
        Of the axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of Line2D
        The curve of each class.
    boundaries_ : list of Line2D
    histograms_ : list of BarContainer
        One for each class with rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import ClassDensityDisplay, QuadraticDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X = X[["petal length (cm)"]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> display = ClassDensityDisplay.from_estimator(model, X, y)
    >>> display.boundaries.round(2)
    array([2.25, 4.89])
    """

    x: Array
    densities: Array
    boundaries: Array
    values: Array
    numbers: Array
    priors: Array
    classes: Array
    label: str
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    lines_: list[Any] = field(init=False)
    boundaries_: list[Any] = field(init=False)
    histograms_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Draw the classes of a model that was fitted on one column.

        Parameters
        ----------
        estimator : LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, \
RegularizedDiscriminantAnalysis or its CV, or FisherDiscriminant
            Fitted on one column. Of Fisher's discriminant, the Gaussians for which its rule is
            best: of one variance and equal priors for the midpoint and the nearest mean, of its
            priors for ``threshold="prior"``, of two variances for ``"equal-density"``, which cuts
            once where such curves cross twice.
        X : array-like or data frame of shape (n, 1)
            For one dimension of many columns, fit and draw on ``transform(X)[:, :1]``.
        y : array-like of shape (n,)
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        ClassDensityDisplay
        """
        if not isinstance(estimator, MODELS):
            raise TypeError(
                f"{type(estimator).__name__} has no Gaussian classes: give a linear, quadratic or "
                "regularised discriminant analysis, or Fisher's. DecisionRegionDisplay shows any "
                "classifier."
            )
        check_is_fitted(estimator)
        table = as_table(X, caller=cls.__name__)
        for what, columns in (("model", estimator.n_features_in_), ("table", table.n_columns)):
            if columns != 1:
                raise ValueError(
                    f"The {what} has {columns} columns, and densities are drawn along one: fit and "
                    "draw on one column, or on the first discriminant, transform(X)[:, :1]."
                )
        numbers = class_numbers(y, table.n_rows, estimator.classes_)
        rows, means = values(table)[:, 0], estimator.means_[:, 0]
        variances, priors = _gaussians(estimator)
        spread = np.sqrt(variances)
        low = min(rows.min(), (means - 3.0 * spread).min())
        high = max(rows.max(), (means + 3.0 * spread).max())
        x = np.linspace(low, high, GRID)
        z = (x[:, None] - means) / spread
        like = rows_like(X)

        def predict(points: Array) -> Array:
            return np.asarray(estimator.predict(like(points[:, None])))

        display = cls(
            x=x,
            densities=priors * np.exp(-0.5 * z**2) / (np.sqrt(2.0 * np.pi) * spread),
            boundaries=_changes(predict, x),
            values=rows,
            numbers=numbers,
            priors=priors,
            classes=estimator.classes_,
            label=column_names(estimator, table)[0],
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
        self.histograms_, self.lines_ = [], []
        edges = np.histogram_bin_edges(self.values, BINS)
        for k, name in enumerate(self.classes):
            look, own = style(k), self.values[self.numbers == k]
            if own.size:
                share = np.full(own.size, self.priors[k] / (own.size * (edges[1] - edges[0])))
                bars = ax.hist(own, edges, weights=share, color=look.color, alpha=0.3)[-1]
                self.histograms_.append(bars)
            self.lines_ += ax.plot(
                self.x, self.densities[:, k], c=look.color, ls=look.line, lw=2.0, label=str(name)
            )
        self.boundaries_ = [
            ax.axvline(at, c="0.25", ls=":", lw=1.5, label=None if i else "boundary")
            for i, at in enumerate(self.boundaries)
        ]
        ax.set(xlabel=self.label, ylabel="prior × density", xlim=self.x[[0, -1]])
        legend_beside(ax)
        return self


def _gaussians(model: Any) -> tuple[Array, Array]:
    """Variances (K,) and priors (K,) of the Gaussian classes of a model of one column."""
    count = len(model.classes_)
    equal = np.full(count, 1.0 / count)
    match model:
        case LinearDiscriminantAnalysis():
            return np.full(count, _within(model.stats_, model.unbiased)), model.priors_
        case QuadraticDiscriminantAnalysis():
            return np.array([values[0] for values in model.scalings_]), model.priors_
        case Mixed():
            return np.array([covariance[0, 0] for covariance in model.covariance_]), model.priors_
    if count == 2 and isinstance(model.stats_, ClassMoments):  # equal-density
        parts = [model.stats_.groups[k] for k in range(count)]
        return np.array([part.scatter[0, 0] / part.weight for part in parts]), equal
    priors = model.priors_ if count == 2 and model.threshold == "prior" else equal
    return np.full(count, _within(model.stats_, unbiased=True)), priors


def _within(stats: ByClass, unbiased: bool) -> float:
    """Σ of one column."""
    if isinstance(stats, ClassMoments):
        return float(ClassCovariances.of(stats, unbiased).pooled[0, 0])
    return float(pooled(stats.scatter, stats.weight, unbiased)[0, 0])


def _changes(predict: Callable[[Array], Array], x: Array) -> Array:
    """Where the prediction changes along x, by bisection between neighbours that differ."""
    found = predict(x)
    at = np.flatnonzero(found[1:] != found[:-1])
    left, right, before = x[at], x[at + 1], found[at]
    if not at.size:
        return left
    for _ in range(HALVINGS):
        middle = 0.5 * (left + right)
        same = predict(middle) == before
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    return np.asarray(0.5 * (left + right))
