"""Do probabilities mean what they say: the reliability curve and what a score is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.special import xlogy
from sklearn.isotonic import isotonic_regression
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.evaluate.drawing import COLORS, new_axes
from linework.evaluate.measures import wilson
from linework.evaluate.ranking import RankedScores


@dataclass(frozen=True, slots=True)
class ScoreDecomposition:
    """A mean score as miscalibration − discrimination + uncertainty.

    Attributes
    ----------
    score : float
    miscalibration : float
        By how much the best map of the posteriors that does not fall would lower it: zero of
        posteriors that mean what they say.
    discrimination : float
        By how much these beat the share of the positive class, said of every row.
    uncertainty : float
        The score of that share.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def decompose_score(ranked: RankedScores, score: str = "brier") -> ScoreDecomposition:
    """What the Brier score or the log loss of posteriors is made of.

    Parameters
    ----------
    ranked : RankedScores
        Of posteriors of the positive class.
    score : {"brier", "log"}, default="brier"
        The mean of (y − p)², or of −ln p of the class that is true.

    Returns
    -------
    ScoreDecomposition

    Notes
    -----
    The parts are differences of three scores: of the posteriors, of their isotonic regression, and
    of a constant. They need no bins, and none is below zero (Dimitriadis, Gneiting and Jordan,
    2021). A posterior of zero for what is true makes the log loss infinite.

    Examples
    --------
    >>> from linework import RankedScores, decompose_score
    >>> y, p = [0, 0, 1, 0, 1, 1], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> parts = decompose_score(RankedScores.from_predictions(y, p))
    >>> round(parts.score, 3), round(parts.miscalibration, 3)
    (0.133, 0.05)
    >>> round(parts.discrimination, 3), parts.uncertainty
    (0.167, 0.25)
    """
    _check_posteriors(ranked)
    positive, negative = ranked.positive, ranked.negative
    total = positive + negative

    def mean(p: Array) -> float:
        if score == "brier":
            return float((positive @ (1.0 - p) ** 2 + negative @ p**2) / total.sum())
        loss = -(xlogy(positive, p) + xlogy(negative, 1.0 - p))
        return float(loss.sum() / total.sum())

    if score not in ("brier", "log"):
        raise ValueError(f"score is {score!r}, and 'brier' or 'log' is expected.")
    share = np.full(len(total), positive.sum() / total.sum())
    best = isotonic_regression(positive / total, sample_weight=total, y_min=0.0, y_max=1.0)
    found, recalibrated, constant = mean(ranked.scores), mean(best), mean(share)
    return ScoreDecomposition(found, found - recalibrated, constant - recalibrated, constant)


def _check_posteriors(ranked: RankedScores) -> None:
    low, high = ranked.scores[0], ranked.scores[-1]
    if not 0.0 <= low <= high <= 1.0:
        raise ValueError(
            f"The scores are from {low:.4g} to {high:.4g}, and posteriors, from 0 to 1, are "
            "expected: take predict_proba of the positive class."
        )


@dataclass(kw_only=True, eq=False, repr=False)
class ReliabilityDisplay:
    """How often rows of a posterior are positive, with confidence intervals.

    Posteriors that mean what they say follow the diagonal. Bars below show how many rows there are.

    Parameters
    ----------
    predicted : array of shape (b,)
        Mean posterior of each bin.
    observed : array of shape (b,)
        Its share of positive rows.
    interval : array of shape (b, 2)
        Wilson's, of that share.
    weight : array of shape (b,)
        Its rows.
    name : str or None

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : ErrorbarContainer
    bars_ : BarContainer
        Shares of the rows, on an axis of their own.
    diagonal_ : Line2D

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from linework import LinearDiscriminantAnalysis, ReliabilityDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X[:, :2], y)
    >>> display = ReliabilityDisplay.from_estimator(model, X[:, :2], y, n_bins=5)
    >>> display.observed.round(2)
    array([0.  , 0.39, 0.82, 0.93, 1.  ])
    """

    predicted: Array
    observed: Array
    interval: Array
    weight: Array
    name: str | None = None
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    points_: Any = field(init=False)
    bars_: Any = field(init=False)
    diagonal_: Any = field(init=False)

    @classmethod
    def from_ranked(
        cls,
        ranked: RankedScores,
        *,
        n_bins: int = 10,
        strategy: str = "quantile",
        confidence: float = 0.95,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the posteriors of a merged statistic.

        Parameters
        ----------
        ranked : RankedScores
            Of posteriors of the positive class.
        n_bins : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            Bins of about as many rows, or of the same width. Rows of one posterior share a bin.
        confidence : float, default=0.95
        name : str, optional
            For the legend.
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        ReliabilityDisplay
        """
        _check_posteriors(ranked)
        if n_bins < 1:
            raise ValueError(f"n_bins is {n_bins}, and at least 1 is needed.")
        total = ranked.positive + ranked.negative
        if strategy == "quantile":
            place = (total.cumsum() - 0.5 * total) / total.sum()
        elif strategy == "uniform":
            place = ranked.scores
        else:
            raise ValueError(f"strategy is {strategy!r}, and 'quantile' or 'uniform' is expected.")
        number = np.minimum((place * n_bins).astype(int), n_bins - 1)
        sums = (total, total * ranked.scores, ranked.positive)
        weight, predicted, positive = (np.bincount(number, side, n_bins) for side in sums)
        full = weight > 0.0
        weight, predicted, positive = weight[full], predicted[full], positive[full]
        display = cls(
            predicted=predicted / weight,
            observed=positive / weight,
            interval=wilson(positive, weight, confidence),
            weight=weight,
            name=name,
        )
        return display.plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, **options: Any
    ) -> Self:
        """Draw the posteriors of a classifier of two classes, for the second.

        Parameters
        ----------
        estimator : classifier
            Fitted to other rows.
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        **options
            Those of `from_ranked`.

        Returns
        -------
        ReliabilityDisplay
        """
        check_is_fitted(estimator)
        if len(estimator.classes_) != 2:
            raise ValueError(
                f"The classifier has {len(estimator.classes_)} classes: draw one against the rest, "
                "from_ranked(class_rankings(y, posteriors)[label])."
            )
        ranked = RankedScores.from_predictions(
            y,
            estimator.predict_proba(X)[:, 1],
            sample_weight=sample_weight,
            pos_label=estimator.classes_[1],
        )
        return cls.from_ranked(ranked, **options)

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
        low, high = self.interval.T
        beside = ax.twinx()
        self.bars_ = beside.bar(self.predicted, self.weight / self.weight.sum(), 0.02, color="0.85")
        beside.set(ylim=(0.0, 4.0), yticks=[])
        ax.set_zorder(beside.get_zorder() + 1)
        ax.patch.set_visible(False)
        (self.diagonal_,) = ax.plot([0, 1], [0, 1], c="0.4", ls="--", lw=1.0, label="calibrated")
        self.points_ = ax.errorbar(
            self.predicted,
            self.observed,
            [np.maximum(self.observed - low, 0.0), np.maximum(high - self.observed, 0.0)],
            fmt="o-",
            c=COLORS[0],
            capsize=3.0,
            label=self.name or "share of positive rows",
        )
        ax.set(
            xlabel="mean posterior",
            ylabel="share of positive rows",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        ax.legend(loc="upper left", frameon=False)
        return self
