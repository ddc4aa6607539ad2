"""DeLong's test of the areas under the ROC curves of two scores of the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from linework.data.blocks import Array
from linework.data.numbers import as_numbers
from linework.data.sources import check_weight
from linework.evaluate.measures import check_confidence
from linework.evaluate.ranking import RankedScores, is_positive


@dataclass(frozen=True, slots=True)
class AucComparison:
    """Two areas under the ROC curves of the same rows.

    Attributes
    ----------
    auc : pair of float
    std_error : float
        Of the difference, first less second.
    statistic : float
        The difference in standard errors, z.
    p_value : float
        Two-sided, of equal areas.
    """

    auc: tuple[float, float]
    std_error: float
    statistic: float
    p_value: float

    @property
    def difference(self) -> float:
        """The first area less the second."""
        return self.auc[0] - self.auc[1]

    def interval(self, confidence: float = 0.95) -> Array:
        """A confidence interval of the difference.

        Parameters
        ----------
        confidence : float, default=0.95

        Returns
        -------
        array of shape (2,)
        """
        check_confidence(confidence)
        half = norm.isf(0.5 * (1.0 - confidence)) * self.std_error
        return np.array([self.difference - half, self.difference + half])


def compare_auc(
    y_true: Any,
    first: Any,
    second: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> AucComparison:
    """DeLong's paired test of two areas (DeLong, DeLong and Clarke-Pearson, 1988).

    Parameters
    ----------
    y_true : array-like of shape (n,)
    first, second : array-like of shape (n,)
        The scores of two models for the same rows, to which neither was fitted.
    sample_weight : array-like of shape (n,), optional
        Numbers of rows.
    pos_label : optional
        As in `RankedScores.from_predictions`.

    Returns
    -------
    AucComparison

    Notes
    -----
    With V the placement of a row among those of the other class, the covariance of the areas is
    that of V over positive rows by their number, and of V over negative rows by theirs.

    Examples
    --------
    >>> from linework import compare_auc
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> test = compare_auc(y, [1, 2, 3, 5, 4, 6, 7, 8], [1, 2, 6, 5, 4, 3, 7, 8])
    >>> test.auc
    (0.9375, 0.75)
    >>> round(test.p_value, 3)
    0.268
    """
    positive = is_positive(y_true, pos_label)
    weight = check_weight(sample_weight, len(positive))
    w = np.ones(len(positive)) if weight is None else weight
    positive_rows, placed = positive[w > 0.0], []
    for what, values in (("first", first), ("second", second)):
        score = as_numbers(values, what)
        ranked = RankedScores.from_predictions(positive, score, sample_weight=weight)
        at = np.searchsorted(ranked.scores, score[w > 0.0])
        below, above = ranked.placements()
        placed.append(np.where(positive_rows, below[at], above[at]))
    w, V = w[w > 0.0], np.array(placed)
    covariance = np.zeros((2, 2))
    for rows in (~positive_rows, positive_rows):
        count = w[rows].sum()
        if count <= 1.0:
            raise ValueError("A class has one row, and the areas' variance needs two of each.")
        auc = V[:, rows] @ w[rows] / count
        centred = V[:, rows] - auc[:, None]
        covariance += (centred * w[rows]) @ centred.T / (count * (count - 1.0))
    contrast = np.array([1.0, -1.0])
    error, difference = np.sqrt(max(contrast @ covariance @ contrast, 0.0)), contrast @ auc
    with np.errstate(divide="ignore"):  # a difference without any variance is certain
        z = np.divide(difference, error) if difference else 0.0
    return AucComparison(
        (float(auc[0]), float(auc[1])), float(error), float(z), float(2.0 * norm.sf(abs(z)))
    )
