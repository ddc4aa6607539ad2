"""Scores ranked once: ROC, DET and precision–recall curves, and the area, from one statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.stats import norm
from sklearn.metrics import DetCurveDisplay, PrecisionRecallDisplay, RocCurveDisplay
from sklearn.utils.validation import column_or_1d

from linework.data.blocks import Array
from linework.data.numbers import as_numbers
from linework.data.sources import check_weight, reject_other_length
from linework.engine import map_each
from linework.evaluate.drawing import new_axes
from linework.evaluate.measures import check_confidence


@dataclass(frozen=True, slots=True, eq=False)
class RankedScores:
    """The weight of positive and of negative rows at each distinct score.

    `a + b` is that of both parts. It holds no more numbers than there are distinct scores, or, of
    scores that were rounded to a grid, than the grid has points; curves and area follow from it
    without another sort. Curves are scikit-learn's, to the type and the order of what is returned.

    Parameters
    ----------
    scores : array of shape (m,)
        In ascending order.
    positive, negative : array of shape (m,)

    Examples
    --------
    >>> from linework import RankedScores
    >>> first = RankedScores.from_predictions([0, 1], [0.1, 0.35])
    >>> ranked = first + RankedScores.from_predictions([0, 1], [0.4, 0.8])
    >>> fpr, tpr, thresholds = ranked.roc_curve()
    >>> fpr, tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> ranked.auc
    0.75
    """

    scores: Array
    positive: Array
    negative: Array

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        grid: Any = None,
    ) -> Self:
        """From the class and the score of each row.

        Parameters
        ----------
        y_true : array-like of shape (n,)
        y_score : array-like of shape (n,)
            Higher for rows that look positive: posteriors, log-odds, any score.
        sample_weight : array-like of shape (n,), optional
        pos_label : optional
            The positive class; without it, labels are 0 and 1, −1 and 1, or truth values.
        grid : array-like of shape (g,), optional
            Ascending numbers to which scores are rounded down, to −∞ below the first: for streams
            without end, in memory that does not grow. Every point of a curve is one of the exact
            curve; those between are lost, and `auc_bounds` says what that costs.

        Returns
        -------
        RankedScores
        """
        score = as_numbers(y_score, "y_score")
        if score.ndim != 1:
            raise ValueError(
                f"y_score has shape {score.shape}, and (n,) is expected: one number for each row. "
                "Of more than two classes, take class_rankings."
            )
        if not len(score):
            raise ValueError("There are no rows: give at least one.")
        positive = is_positive(y_true, pos_label)
        reject_other_length(len(positive), len(score))
        if not np.isfinite(score).all():
            row = int(np.flatnonzero(~np.isfinite(score))[0])
            raise ValueError(f"y_score holds {score[row]} in row {row}, and finite scores rank.")
        weight = check_weight(sample_weight, len(score))
        if weight is not None:
            score, positive, weight = (a[weight > 0.0] for a in (score, positive, weight))
        if grid is not None:
            steps = np.append(-np.inf, as_numbers(grid, "grid"))
            if (np.diff(steps) <= 0.0).any():
                raise ValueError("grid does not ascend: give each number once, smallest first.")
            number = np.searchsorted(steps, score, side="right") - 1
            at = [
                np.bincount(number[rows], None if weight is None else weight[rows], len(steps))
                for rows in (positive, ~positive)
            ]
            kept = at[0] + at[1] > 0.0
            return cls(steps[kept], *(np.asarray(side[kept], np.float64) for side in at))

        def run(rows: Array) -> tuple[Array, Array | None]:
            if weight is None:
                return np.sort(score[rows]), None
            order = np.argsort(score[rows])
            return score[rows][order], weight[rows][order]

        # Each class is sorted by itself: sorting numbers is many times faster than finding their
        # order, and two sorted runs are merged in linear time.
        (up, u), (down, v) = map_each((positive, ~positive), run)
        order, scores, starts = _ties(np.concatenate([up, down]))
        if u is None or v is None:
            above = np.add.reduceat((order < len(up)).astype(np.float64), starts)
            return cls(scores, above, np.diff(starts, append=len(order)) - above)
        sides = np.concatenate([u, np.zeros(len(v))]), np.concatenate([np.zeros(len(u)), v])
        return cls(scores, *(np.add.reduceat(side[order], starts) for side in sides))

    def __add__(self, other: RankedScores) -> RankedScores:
        order, scores, starts = _ties(np.concatenate([self.scores, other.scores]))
        pairs = (self.positive, other.positive), (self.negative, other.negative)
        sums = (np.add.reduceat(np.concatenate(pair)[order], starts) for pair in pairs)
        return RankedScores(scores, *sums)

    def _cumulated(self) -> tuple[Array, Array, Array]:
        """False and true positives at each threshold, both from the highest score on."""
        fps, tps = (side[::-1].cumsum() for side in (self.negative, self.positive))
        for what, count in (("positive", tps), ("negative", fps)):
            if not count[-1] > 0.0:
                raise ValueError(
                    f"There are no {what} rows, and a curve is over both classes: give rows of "
                    "both, or name the positive class by pos_label."
                )
        return fps, tps, self.scores[::-1]

    def roc_curve(self, *, drop_intermediate: bool = True) -> tuple[Array, Array, Array]:
        """P_FA and P_D at each threshold, as `sklearn.metrics.roc_curve` gives them.

        Parameters
        ----------
        drop_intermediate : bool, default=True
            Leave points out where the curve runs straight on.

        Returns
        -------
        fpr, tpr, thresholds : arrays
        """
        fps, tps, thresholds = self._cumulated()
        if drop_intermediate and len(fps) > 2:
            kept = np.full(len(fps), True)
            n, p = self.negative[::-1], self.positive[::-1]  # the steps of the curve
            kept[1:-1] = (n[2:] != n[1:-1]) | (p[2:] != p[1:-1])
            fps, tps, thresholds = fps[kept], tps[kept], thresholds[kept]
        fpr, tpr = (np.append(0.0, side) / side[-1] for side in (fps, tps))
        return fpr, tpr, np.append(np.inf, thresholds)

    def det_curve(self) -> tuple[Array, Array, Array]:
        """P_FA and P_M at each threshold, as `sklearn.metrics.det_curve` gives them.

        Returns
        -------
        fpr, fnr, thresholds : arrays
        """
        fps, tps, thresholds = self._cumulated()
        # From the last threshold without false alarms, which may be ∞, to the first without misses.
        free = int(np.searchsorted(fps, 0.0, side="right"))
        part = slice(max(free - 1, 0), int(np.searchsorted(tps, tps[-1])) + 1)
        fpr, fnr = fps[part][::-1] / fps[-1], (tps[-1] - tps[part][::-1]) / tps[-1]
        if free:
            return fpr, fnr, thresholds[part][::-1]
        return np.append(fpr, 0.0), np.append(fnr, 1.0), np.append(thresholds[part][::-1], np.inf)

    def precision_recall_curve(self) -> tuple[Array, Array, Array]:
        """Both at each threshold, as `sklearn.metrics.precision_recall_curve` gives them.

        Returns
        -------
        precision, recall, thresholds : arrays
        """
        fps, tps, thresholds = self._cumulated()
        precision, recall = (tps / (tps + fps))[::-1], (tps / tps[-1])[::-1]
        return np.append(precision, 1.0), np.append(recall, 0.0), thresholds[::-1]

    @property
    def average_precision(self) -> float:
        """Σ (R_i − R_{i−1}) P_i over the thresholds."""
        fps, tps, _ = self._cumulated()
        return float(self.positive[::-1] @ (tps / (tps + fps)) / tps[-1])

    @property
    def auc(self) -> float:
        """The area under the ROC curve: how often a positive row scores above a negative one.

        Equal scores count half.
        """
        fps, tps, _ = self._cumulated()
        above = tps - 0.5 * self.positive[::-1]
        return float(self.negative[::-1] @ above / (tps[-1] * fps[-1]))

    @property
    def auc_bounds(self) -> tuple[float, float]:
        """The area if all ties were broken the wrong way, and if the right way.

        Of scores rounded to a grid, the exact area is between them.
        """
        area, tied = self.auc, 0.5 * self.negative @ self.positive
        half = float(tied / (self.negative.sum() * self.positive.sum()))
        return area - half, area + half

    def placements(self) -> tuple[Array, Array]:
        """At each score, the share of negatives below it and of positives above it, ties half.

        Returns
        -------
        below, above : arrays of shape (m,)
            The area is the mean of the first over positive rows, of the second over negative ones.
        """
        fps, tps, _ = self._cumulated()
        below = 1.0 - (fps[::-1] - 0.5 * self.negative) / fps[-1]
        return below, (tps[::-1] - 0.5 * self.positive) / tps[-1]

    def auc_interval(self, confidence: float = 0.95) -> Array:
        """DeLong's confidence interval of the area (1988), within 0 and 1.

        Parameters
        ----------
        confidence : float, default=0.95
            Weights are numbers of rows.

        Returns
        -------
        array of shape (2,)
        """
        check_confidence(confidence)
        variance = 0.0
        for rows, placement in zip((self.positive, self.negative), self.placements(), strict=True):
            count = rows.sum()
            if count <= 1.0:
                raise ValueError("A class has one row, and the area's variance needs two of each.")
            area = rows @ placement / count
            placement -= area
            variance += rows @ np.square(placement, out=placement) / (count * (count - 1.0))
        half = norm.isf(0.5 * (1.0 - confidence)) * np.sqrt(variance)
        return np.asarray(np.clip([area - half, area + half], 0.0, 1.0))

    def plot(self, kind: str = "roc", *, name: str | None = None, ax: Any = None) -> Any:
        """Draw a curve, with scikit-learn's display.

        Parameters
        ----------
        kind : {"roc", "det", "precision_recall"}, default="roc"
            DET has axes of normal deviates, on which Gaussian scores make a straight line.
        name : str, optional
            For the legend.
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        RocCurveDisplay, DetCurveDisplay or PrecisionRecallDisplay
        """
        ax = new_axes(ax, type(self).__name__)
        if kind == "roc":
            fpr, tpr, _ = self.roc_curve()
            roc = RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=self.auc, name=name)
            return roc.plot(ax=ax, plot_chance_level=True)
        if kind == "det":
            fpr, fnr, _ = self.det_curve()
            return DetCurveDisplay(fpr=fpr, fnr=fnr, estimator_name=name).plot(ax=ax)
        if kind == "precision_recall":
            precision, recall, _ = self.precision_recall_curve()
            display = PrecisionRecallDisplay(
                precision=precision,
                recall=recall,
                average_precision=self.average_precision,
                name=name,
                prevalence_pos_label=precision[0],
            )
            return display.plot(ax=ax, plot_chance_level=True)
        raise ValueError(f"kind is {kind!r}, and 'roc', 'det' or 'precision_recall' is expected.")


def is_positive(y_true: Any, pos_label: Any) -> Array:
    """A mask of the rows of the positive class."""
    y = column_or_1d(y_true)
    if pos_label is not None:
        return np.asarray(y == pos_label)
    if y.dtype == bool:
        return np.asarray(y)
    if y.dtype.kind in "iuf":
        positive = y == 1
        if (positive | (y == 0)).all() or (positive | (y == -1)).all():
            return np.asarray(positive)
    raise ValueError(
        "Which class is the positive one is clear of labels 0 and 1, −1 and 1, and truth values, "
        "and y_true holds others: name it by pos_label."
    )


def _ties(scores: Array) -> tuple[Array, Array, Array]:
    """Of two ascending runs: their common order, the distinct scores, and where each begins."""
    order = np.argsort(scores, kind="stable")  # a merge sort, linear for two runs
    scores = scores[order]
    starts = np.flatnonzero(np.append(True, scores[1:] != scores[:-1]))
    return order, scores[starts], starts
