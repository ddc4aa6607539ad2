"""The Neyman–Pearson rule: as many detections as possible at a bounded rate of false alarms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.stats import binom

from linework.data.blocks import Array
from linework.evaluate.measures import check_confidence


@dataclass(frozen=True, slots=True)
class NeymanPearsonRule:
    """The largest P_D with P_FA ≤ α, on rows to come, with a stated confidence.

    A row is positive if its score is above the k-th lowest of n scores of negative rows that the
    model was not fitted to. P_FA is then above α with a probability of at most
    P(Bin(n, 1 − α) ≥ k), whatever the scores' distribution; k is the lowest at which this is no
    more than 1 − confidence (Tong, Feng and Li, 2018). It takes ln(1 − confidence) / ln(1 − α)
    such rows: 59 for α = 0.05, 299 for α = 0.01, and 0.95.

    Parameters
    ----------
    max_false_alarm : float, default=0.05
        α.
    confidence : float or None, default=0.95
        None: P_FA ≤ α on the rows given, which a half of all models break on rows to come.
    positive : optional
        The class to detect; by default the second of two. Rows that are not said to be of it get
        the class of highest score among the others.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import NeymanPearsonRule
    >>> score = np.linspace(0.0, 1.0, 100)
    >>> rule = NeymanPearsonRule(max_false_alarm=0.05)
    >>> decide = rule.learn(np.c_[1.0 - score, score], np.zeros(100, int), np.ones(100), [0, 1])
    >>> round(decide.threshold, 3)  # one alarm in a hundred, to be sure of five at most
    0.99
    """

    max_false_alarm: float = 0.05
    confidence: float | None = 0.95
    positive: Any = None

    cv: ClassVar[Any] = 0.3
    calibrated: ClassVar[bool] = False

    def learn(
        self, scores: Array | None, numbers: Array, weight: Array, classes: Array
    ) -> ScoreThreshold:
        """The threshold, from scores of rows that the model was not fitted to.

        Parameters
        ----------
        scores : array of shape (n, K)
        numbers : array of int of shape (n,)
            Each row's class.
        weight : array of shape (n,)
            Numbers of rows.
        classes : array of shape (K,)

        Returns
        -------
        ScoreThreshold
        """
        assert scores is not None
        names = np.asarray(classes).tolist()
        positive = names[-1] if self.positive is None else self.positive
        if positive not in names or (self.positive is None and len(names) != 2):
            raise ValueError(
                f"positive is {self.positive!r}, and the classes are {names}: name the one to "
                "detect."
            )
        k = names.index(positive)
        rows = numbers != k
        order = np.argsort(scores[rows, k])
        negative, count = scores[rows, k][order], weight[rows][order].cumsum()
        rank = self._rank(count[-1] if len(count) else 0.0)
        at = int(np.searchsorted(count, rank * (1.0 - 1e-12)))  # the sum of weights is rounded
        return ScoreThreshold(k, float(negative[at]) if rank > 0.0 else -np.inf)

    def _rank(self, n: float) -> float:
        """Which of n scores of negatives, counted from the lowest, is the threshold."""
        alpha = self.max_false_alarm
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"max_false_alarm is {alpha!r}, and a rate between 0 and 1 is meant.")
        if not n:
            raise ValueError("There are no rows of other classes than the positive one.")
        if self.confidence is None:
            return n * (1.0 - alpha)
        check_confidence(self.confidence)
        n = int(n)
        rank = int(binom.ppf(self.confidence, n, 1.0 - alpha)) + 1
        if rank > n:
            needed = int(np.ceil(np.log1p(-self.confidence) / np.log1p(-alpha)))
            raise ValueError(
                f"To be sure at {self.confidence:.0%} of a false alarm rate of at most {alpha}, "
                f"{needed} negative rows must be held out, and there are {n}: hold out more by cv, "
                "or ask for less."
            )
        return rank


@dataclass(frozen=True, slots=True)
class ScoreThreshold:
    """One class above a score, below it the best of the others.

    Attributes
    ----------
    positive : int
        Its number.
    threshold : float
    """

    positive: int
    threshold: float

    def __call__(self, scores: Array, costs: Any = None) -> Array:
        """The number of each row's class."""
        if costs is not None:
            raise ValueError("A Neyman–Pearson rule has no costs: leave them out.")
        others = scores.copy()
        others[:, self.positive] = -np.inf
        above = scores[:, self.positive] > self.threshold
        return np.where(above, self.positive, others.argmax(axis=1))
