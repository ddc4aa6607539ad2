"""Operating points of decisions on the ROC curve, and the lines of equal cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from linework.data.blocks import Array
from linework.evaluate.confusion import ConfusionMatrix
from linework.evaluate.drawing import legend_beside, new_axes, style
from linework.evaluate.ranking import RankedScores


@dataclass(kw_only=True, eq=False, repr=False)
class OperatingPointDisplay:
    """What decisions trade: P_FA and P_D of each on the ROC curve of the score.

    A dashed line joins points of equal expected cost, π⁻ cost⁻ P_FA + π⁺ cost⁺ (1 − P_D); lines
    further up and to the left cost less, and this one is the last that touches the curve. Where it
    does is the point of least cost.

    Parameters
    ----------
    fpr, tpr : array
        The curve.
    points : dict of pairs
        P_FA and P_D by name.
    slope : float
        Of the line of equal cost, π⁻ cost⁻ / (π⁺ cost⁺).

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
        The curve.
    iso_cost_ : AxLine
    points_ : list of Line2D

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from linework import DecisionClassifier, DecisionRule, OperatingPointDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, y = X[:, :2], 1 - y
    >>> rules = {"plain": DecisionRule(), "misses cost 5": DecisionRule(costs=[1, 5])}
    >>> models = {name: DecisionClassifier(rule=rule).fit(X, y) for name, rule in rules.items()}
    >>> display = OperatingPointDisplay.from_estimators(models, X, y, costs=[1, 5])
    >>> round(display.slope, 3)
    0.337
    """

    fpr: Array
    tpr: Array
    points: Mapping[str, tuple[float, float]]
    slope: float
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    line_: Any = field(init=False)
    iso_cost_: Any = field(init=False)
    points_: list[Any] = field(init=False)

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        costs: Any = (1.0, 1.0),
        priors: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw the decisions of fitted classifiers on the curve of the first one's score.

        Parameters
        ----------
        estimators : dict
            By name: classifiers of two classes, of which the second is the positive one, such as
            `DecisionClassifier` with several rules.
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        costs : pair of float, default=(1, 1)
            What a false alarm costs and what a miss costs, cost⁻ and cost⁺.
        priors : pair of float, optional
            π⁻ and π⁺; by default the shares in y.
        sample_weight : array-like of shape (n,), optional
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        OperatingPointDisplay
        """
        if not estimators:
            raise ValueError("estimators is empty: give at least one fitted classifier.")
        first = next(iter(estimators.values()))
        if len(first.classes_) != 2:
            raise ValueError(
                f"The classifier has {len(first.classes_)} classes, and a ROC curve is of two: "
                "take one class against the rest."
            )
        positive = first.classes_[1]
        if hasattr(first, "predict_proba"):
            score = first.predict_proba(X)[:, 1]
        else:
            score = first.decision_function(X)
        ranked = RankedScores.from_predictions(
            y, score, sample_weight=sample_weight, pos_label=positive
        )
        fpr, tpr, _ = ranked.roc_curve()
        points = {}
        for name, model in estimators.items():
            matrix = ConfusionMatrix.from_estimator(model, X, y, sample_weight=sample_weight)
            rates = (matrix.measure(m, label=positive) for m in ("false_alarm", "detection"))
            points[name] = tuple(rates)
        shares = (ranked.negative.sum(), ranked.positive.sum()) if priors is None else priors
        against, missed = (float(p) * float(c) for p, c in zip(shares, costs, strict=True))
        if not (against > 0.0 and missed > 0.0):
            raise ValueError(
                f"costs is {costs!r} and priors is {priors!r}, and pairs of positive numbers are "
                "expected, of the negative and of the positive class."
            )
        display = cls(fpr=fpr, tpr=tpr, points=points, slope=against / missed)
        return display.plot(ax=ax)

    @property
    def least_cost(self) -> tuple[float, float]:
        """P_FA and P_D of the curve's point of least cost."""
        best = int(np.argmax(self.tpr - self.slope * self.fpr))
        return float(self.fpr[best]), float(self.tpr[best])

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
        (self.line_,) = ax.plot(self.fpr, self.tpr, c="0.4", label="ROC curve")
        self.iso_cost_ = ax.axline(
            self.least_cost, slope=self.slope, c="0.4", ls="--", lw=1.0, label="equal cost"
        )
        self.points_ = []
        for number, (name, (x, y)) in enumerate(self.points.items()):
            look = style(number)
            self.points_ += ax.plot(
                x, y, look.marker, c=look.color, ms=8.0, mec="white", label=name, zorder=3
            )
        ax.set(
            xlabel="P_FA, false alarms",
            ylabel="P_D, detections",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        legend_beside(ax)
        return self
