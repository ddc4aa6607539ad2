"""Rows along the first two discriminants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.evaluate.drawing import (
    BINS,
    MAX_POINTS,
    class_numbers,
    discriminant_labels,
    legend_beside,
    new_axes,
    sample,
    style,
)
from linework.stats import ClassMoments


@dataclass(kw_only=True, eq=False, repr=False)
class DiscriminantProjectionDisplay:
    """Rows along the first two discriminants, with the mean and an ellipse of each class.

    The ellipse of class k is where a Gaussian class of its mean m_k and covariance C_k has the
    share ``level`` of its mass::

        (z − m_k)ᵀ C_k⁻¹ (z − m_k) = −2 ln(1 − level)

    Along a single discriminant, as of two classes, there are histograms instead. Make it with
    `from_estimator`.

    Parameters
    ----------
    points : array of shape (n, r)
        The rows drawn, along r = 2 discriminants or one.
    numbers : array of shape (n,)
        The place of each row's class in ``classes``.
    classes : array of shape (K,)
        All classes of the model; those without rows are not drawn.
    means : dict of arrays of shape (r,)
        m_k by the place of the class.
    covariances : dict of arrays of shape (r, r)
        C_k; a class of one row has none.
    labels : list of r str
        Of the axes.
    level : float

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : list of PathCollection
        One for each class with rows; empty for one discriminant, as are the next two.
    means_ : list of Line2D
    ellipses_ : list of Ellipse
    histograms_ : list of BarContainer
        For one discriminant; ``means_`` are lines then.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import DiscriminantProjectionDisplay, LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> display = DiscriminantProjectionDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_xlabel()
    'discriminant 1 (99.1 %)'
    """

    points: Array
    numbers: Array
    classes: Array
    means: dict[int, Array]
    covariances: dict[int, Array]
    labels: list[str]
    level: float
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    points_: list[Any] = field(init=False)
    means_: list[Any] = field(init=False)
    ellipses_: list[Any] = field(init=False)
    histograms_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        covariance: str = "class",
        level: float = 0.95,
        max_points: int = MAX_POINTS,
        random_state: Any = 0,
        ax: Any = None,
    ) -> Self:
        """Draw rows along the discriminants of a fitted model.

        Parameters
        ----------
        estimator : LinearDiscriminantAnalysis, FisherDiscriminant or a pipeline that ends with one
            Fitted; scikit-learn's does as well.
        X : array-like, sparse matrix or data frame of shape (n, d)
            Training rows or others. Means and ellipses are those of these rows.
        y : array-like of shape (n,)
        covariance : {"class", "pooled"}, default="class"
            C_k: each class's own S_k / (N_k − 1), or S_w / (N − K), the same for all as LDA
            assumes. Where the two look alike, that assumption is a good one.
        level : float between 0 and 1, default=0.95
        max_points : int, default=2000
            Of more rows so many are drawn, at random; means and ellipses are of all.
        random_state : int or Generator, default=0
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        DiscriminantProjectionDisplay
        """
        check_is_fitted(estimator)
        if not (hasattr(estimator, "transform") and hasattr(estimator, "classes_")):
            raise TypeError(
                f"{type(estimator).__name__} has no discriminants to project on: give a fitted "
                "LinearDiscriminantAnalysis or FisherDiscriminant. DecisionRegionDisplay shows "
                "any classifier."
            )
        if covariance not in ("class", "pooled"):
            raise ValueError(f"covariance is {covariance!r}; 'class' and 'pooled' are known.")
        if not 0.0 < level < 1.0:
            raise ValueError(
                f"level is {level!r}, and a share of mass between 0 and 1 is expected."
            )
        Z = np.asarray(estimator.transform(X))[:, :2]
        if not Z.shape[1]:
            raise ValueError(
                "The model has no discriminant: the means of its classes are equal, and nothing "
                "can be projected."
            )
        numbers = class_numbers(y, len(Z), estimator.classes_)
        moments = map_reduce(as_table(Z).with_group(numbers), ClassMoments.from_block).groups
        own = {k: m.scatter / (m.weight - 1.0) for k, m in moments.items() if m.count > 1}
        if covariance == "pooled" and own:
            scatter = np.sum([m.scatter for m in moments.values()], axis=0)
            own = dict.fromkeys(moments, scatter / (len(Z) - len(moments)))
        drawn = sample(len(Z), max_points, random_state)
        display = cls(
            points=Z[drawn],
            numbers=numbers[drawn],
            classes=estimator.classes_,
            means={k: moments[k].mean for k in sorted(moments)},
            covariances=own,
            labels=discriminant_labels(estimator, Z.shape[1]),
            level=level,
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
        self.ax_ = new_axes(ax, type(self).__name__)
        self.figure_ = self.ax_.figure
        self.points_, self.means_, self.ellipses_, self.histograms_ = [], [], [], []
        self.ax_.set_xlabel(self.labels[0])
        if len(self.labels) == 1:
            self._plot_one()
        else:
            self._plot_two()
        legend_beside(self.ax_)
        return self

    def _plot_two(self) -> None:
        from matplotlib.patches import Ellipse

        radius = np.sqrt(-2.0 * np.log1p(-self.level))
        for k, mean in self.means.items():
            look, own = style(k), self.points[self.numbers == k]
            self.points_.append(
                self.ax_.scatter(
                    *own.T, s=18, c=look.color, marker=look.marker, alpha=0.7, linewidths=0,
                    label=str(self.classes[k]),
                )
            )  # fmt: skip
            if k in self.covariances:
                variances, axes = np.linalg.eigh(self.covariances[k])
                width, height = 2.0 * radius * np.sqrt(np.maximum(variances, 0.0))
                angle = np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))
                centre = float(mean[0]), float(mean[1])
                ellipse = Ellipse(
                    centre, width, height, angle=angle, fill=False, edgecolor=look.color, lw=1.5
                )
                self.ellipses_.append(self.ax_.add_patch(ellipse))
        for k, mean in self.means.items():  # above all points
            look = style(k)
            options = {"marker": look.marker, "ms": 10, "mec": "white", "mew": 1.5, "ls": ""}
            self.means_ += self.ax_.plot(*mean[:, None], c=look.color, zorder=4, **options)
        self._explain("o", "mean of a class")
        self.ax_.plot([], [], "-", c="0.4", label=f"{100 * self.level:g} % of its mass")
        self.ax_.set_ylabel(self.labels[1])
        # In units of the spread within classes, a distance is the same in every direction.
        self.ax_.set_aspect("equal", adjustable="datalim")
        self.ax_.autoscale_view()

    def _plot_one(self) -> None:
        edges = np.histogram_bin_edges(self.points[:, 0], BINS)
        for k, mean in self.means.items():
            look, own = style(k), self.points[self.numbers == k, 0]
            *_, bars = self.ax_.hist(
                own, edges, density=True, color=look.color, alpha=0.5, label=str(self.classes[k])
            )
            self.histograms_.append(bars)
            self.means_.append(self.ax_.axvline(mean[0], c=look.color, ls="--"))
        self.ax_.plot([], [], "--", c="0.4", label="mean of a class")
        self.ax_.set_ylabel("density in the class")

    def _explain(self, marker: str, label: str) -> None:
        self.ax_.plot([], [], marker, ms=10, mec="white", mew=1.5, c="0.4", label=label)
