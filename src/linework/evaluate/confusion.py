"""The confusion matrix, a statistic that merges, with all that is read off it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.utils.validation import column_or_1d

from linework.data.blocks import Array
from linework.data.sources import check_weight, reject_other_length
from linework.evaluate.drawing import new_axes
from linework.evaluate.measures import (
    AVERAGES,
    PROPORTIONS,
    SCORES,
    Outcomes,
    averaged,
    check_confidence,
    quotient,
    rate,
    wilson,
)
from linework.inference.formats import Grid

AXES = {"true": 1, "pred": 0, "all": (0, 1), None: None}


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionMatrix:
    r"""How often a row of each class was said to be of each class.

    `a + b` is the matrix of both parts. Where they have other labels, it has those of either.

    Parameters
    ----------
    counts : array of shape (K, K)
        C[i, j], the weight of the rows of class i that were said to be of class j.
    labels : array of shape (K,)

    Examples
    --------
    >>> from linework import ConfusionMatrix
    >>> matrix = ConfusionMatrix([[38, 3], [9, 25]], ["well", "ill"])
    >>> print(matrix)
    true \ predicted well ill
    well               38   3
    ill                 9  25
    >>> matrix.normalised("true").round(2)
    array([[0.93, 0.07],
           [0.26, 0.74]])
    >>> round(matrix.measure("detection", label="ill"), 2)
    0.74
    >>> matrix.interval("detection", label="ill").round(2)
    array([0.57, 0.85])
    """

    counts: Array
    labels: Array

    def __post_init__(self) -> None:
        counts, labels = np.asarray(self.counts, np.float64), np.asarray(self.labels)
        if counts.shape != (len(labels), len(labels)):
            raise ValueError(
                f"counts has shape {counts.shape}, and {(len(labels), len(labels))} is expected: a "
                "row and a column for each label."
            )
        if not (np.isfinite(counts).all() and (counts >= 0.0).all()):
            raise ValueError("counts holds numbers below zero or not finite: give counts of rows.")
        if len(np.unique(labels)) < len(labels):
            raise ValueError(f"The labels {labels.tolist()} hold one twice: name each class once.")
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "labels", labels)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None
    ) -> Self:
        """From the true and the predicted class of each row.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        labels : array-like of shape (K,), optional
            All classes in their order, of which some may have no rows; by default those there are.

        Returns
        -------
        ConfusionMatrix
        """
        true, said = column_or_1d(y_true), column_or_1d(y_pred)
        reject_other_length(len(said), len(true))
        weight = check_weight(sample_weight, len(true))
        if weight is not None:
            true, said, weight = true[weight > 0.0], said[weight > 0.0], weight[weight > 0.0]
        if not len(true):
            raise ValueError("There are no rows: give at least one.")
        if (true.dtype.kind in "US") != (said.dtype.kind in "US"):
            raise TypeError(
                "The true and the predicted labels are of kinds that have no common order, words "
                "and numbers: make them all words, or all numbers."
            )
        found = np.union1d(true, said)
        names = found if labels is None else np.asarray(labels)
        if strange := [label for label in found.tolist() if label not in names.tolist()]:
            raise ValueError(
                f"The rows hold the label {strange[0]!r}, and labels is {names.tolist()}: name all "
                "classes, or leave labels out."
            )
        place = np.argsort(names)
        row, column = (place[np.searchsorted(names, of, sorter=place)] for of in (true, said))
        counts = np.bincount(row * len(names) + column, weight, len(names) ** 2)
        return cls(counts.reshape(len(names), -1), names)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """From the predictions of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        ConfusionMatrix
        """
        return cls.from_predictions(y, estimator.predict(X), sample_weight=sample_weight)

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if np.array_equal(self.labels, other.labels):
            return ConfusionMatrix(self.counts + other.counts, self.labels)
        labels = np.union1d(self.labels, other.labels)
        counts = np.zeros((len(labels), len(labels)))
        for part in (self, other):
            at = np.searchsorted(labels, part.labels)
            counts[np.ix_(at, at)] += part.counts
        return ConfusionMatrix(counts, labels)

    @property
    def outcomes(self) -> Outcomes:
        """TP, FP, FN and TN of each class against the rest, in the order of the labels."""
        return Outcomes.of(self.counts)

    def normalised(self, by: str | None = None) -> Array:
        """Shares instead of counts; NaN for a class without rows.

        Parameters
        ----------
        by : {"true", "pred", "all"}, optional
            Of the true class, whose rows add up to 1, of the predicted one, or of all rows.

        Returns
        -------
        array of shape (K, K)
        """
        if by not in AXES:
            raise ValueError(f"by is {by!r}, and 'true', 'pred', 'all' or None is expected.")
        if by is None:
            return self.counts
        return quotient(self.counts, self.counts.sum(axis=AXES[by], keepdims=True))

    def measure(self, name: str, *, label: Any = None, average: str | None = None) -> Any:
        """A rate of each class, of one class or over the classes, or a score of the whole.

        Parameters
        ----------
        name : str
            A rate: ``"detection"`` P_D = TP / (TP + FN), also called ``"recall"``, ``"miss"``
            P_M = FN / (TP + FN), ``"false_alarm"`` P_FA = FP / (FP + TN), ``"specificity"``
            TN / (FP + TN), ``"precision"`` TP / (TP + FP), or F_β, ``"f1"``, ``"f2"``,
            ``"f0.5"``. A score of the whole: ``"accuracy"``, ``"balanced_accuracy"``, ``"mcc"``.
        label : optional
            The class to take for the positive one.
        average : {"macro", "weighted", "micro"}, optional
            The mean over classes, that weighted by their rows, or the rate of the summed counts.

        Returns
        -------
        float, or array of shape (K,) of a rate without a label or an average
            NaN where nothing is to be divided by; averages leave such classes out.
        """
        values = self._measure(self.counts, name, label, average)
        return float(values) if values.ndim == 0 else values

    def _measure(self, counts: Array, name: str, label: Any, average: str | None) -> Array:
        share = rate(name)
        if label is not None and average is not None:
            raise ValueError("label and average exclude each other: give one of them.")
        if share is None:
            if label is not None or average is not None:
                raise ValueError(f"{name} is of all classes together: leave label and average out.")
            return SCORES[name](counts)
        if average is not None:
            return averaged(share, counts, average)
        values = quotient(*share(Outcomes.of(counts)))
        return values if label is None else values[..., self._place(label)]

    def _place(self, label: Any) -> int:
        names: list[Any] = self.labels.tolist()
        if label not in names:
            raise ValueError(f"There is no label {label!r}: it is one of {names}.")
        return names.index(label)

    def interval(
        self,
        name: str,
        *,
        label: Any = None,
        average: str | None = None,
        confidence: float = 0.95,
        method: str = "wilson",
        n_resamples: int = 2000,
        random_state: Any = None,
    ) -> Array:
        """A confidence interval of a measure; weights are numbers of rows.

        Parameters
        ----------
        name, label, average
            As in `measure`.
        confidence : float, default=0.95
        method : {"wilson", "bootstrap"}, default="wilson"
            Wilson's is for a proportion of rows that are independent: a rate of a class that is
            not an F, or the accuracy. The bootstrap is for all measures: percentiles over as many
            rows drawn with replacement, that is, over multinomial matrices.
        n_resamples : int, default=2000
        random_state : int or numpy Generator, optional
            Of the bootstrap.

        Returns
        -------
        array of shape (2,), or (K, 2) of a rate without a label or an average
        """
        check_confidence(confidence)
        if method == "bootstrap":
            rng = np.random.default_rng(random_state)
            total = self.counts.sum()
            drawn = rng.multinomial(round(total), self.counts.ravel() / total, n_resamples)
            values = self._measure(
                drawn.reshape(-1, *self.counts.shape).astype(float), name, label, average
            )
            tails = [0.5 * (1.0 - confidence), 0.5 * (1.0 + confidence)]
            return np.moveaxis(np.nanquantile(values, tails, axis=0), 0, -1)
        if method != "wilson":
            raise ValueError(f"method is {method!r}, and 'wilson' or 'bootstrap' is expected.")
        if average is not None or name not in {*PROPORTIONS, "accuracy"}:
            rate(name)
            what = name if average is None else f"A {average} average"
            raise ValueError(
                f"{what} is no proportion of independent rows, and Wilson's interval is for those: "
                "take method='bootstrap'."
            )
        if name == "accuracy":
            return wilson(np.trace(self.counts), self.counts.sum(), confidence)
        bounds = wilson(*PROPORTIONS[name](self.outcomes), confidence)
        return bounds if label is None else bounds[self._place(label)]

    def __str__(self) -> str:
        return "\n".join(self._grid(self.counts).text())

    def _grid(self, values: Array) -> Grid:
        names = [str(label) for label in self.labels]
        rows = [[n, *(f"{v:.10g}" for v in row)] for n, row in zip(names, values, strict=True)]
        return Grid(["true \\ predicted", *names], rows)

    def _repr_html_(self) -> str:
        return self._grid(self.counts).html()

    def to_frame(self, by: str | None = None) -> Any:
        """The matrix as a pandas data frame, with its axes named; ``by`` as in `normalised`."""
        import pandas as pd

        return pd.DataFrame(
            self.normalised(by),
            index=pd.Index(self.labels, name="true"),
            columns=pd.Index(self.labels, name="predicted"),
        )

    def summary(self) -> Any:
        """Counts and rates of each class and their averages, as a pandas data frame."""
        import pandas as pd

        names = ["precision", "detection", "miss", "false_alarm", "f1"]
        table = pd.DataFrame(
            {
                **dict(zip(("TP", "FP", "FN", "TN"), self.outcomes, strict=True)),
                **{name: self.measure(name) for name in names},
            },
            index=pd.Index(self.labels, name="class"),
        )
        means = {how: {n: self.measure(n, average=how) for n in names} for how in AVERAGES}
        return pd.concat([table, pd.DataFrame(means).T])

    def plot(self, by: str | None = None, *, ax: Any = None) -> ConfusionMatrixDisplay:
        """Draw, with scikit-learn's display.

        Parameters
        ----------
        by : {"true", "pred", "all"}, optional
            As in `normalised`.
        ax : matplotlib Axes, default=None
            By default those of a new figure.

        Returns
        -------
        ConfusionMatrixDisplay
        """
        display = ConfusionMatrixDisplay(self.normalised(by), display_labels=self.labels)
        return display.plot(
            ax=new_axes(ax, type(self).__name__),
            cmap="Blues",
            values_format=".10g" if by is None else ".2f",
        )
