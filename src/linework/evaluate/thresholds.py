"""A threshold for each class, tuned to a measure of the confusion matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linework.data.blocks import Array
from linework.evaluate.confusion import ConfusionMatrix
from linework.evaluate.measures import rate

CANDIDATES = 256
"""Thresholds tried of a class at a time."""

SWEEPS = 20
"""Rounds over the classes at the most; few problems take more than four."""


@dataclass(frozen=True, slots=True)
class TunedThresholds:
    """The class of the largest P(k | x) / t_k, with the thresholds t that are best for a measure.

    Thresholds add up to 1, so that of two classes the second is said from a posterior of t_2 on.
    They are tuned in turns, each to the best of its values for those of the others; of two classes
    that is the best there is, up to the number of values tried.

    Parameters
    ----------
    metric : str or callable, default="balanced_accuracy"
        The name of a measure of `ConfusionMatrix`, rates as macro averages; or a function of a
        `ConfusionMatrix`, the higher the better.
    positive : optional
        The class whose rate it is, in place of the average.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import TunedThresholds
    >>> p = np.array([0.01, 0.02, 0.03, 0.04, 0.2, 0.3])
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> rule = TunedThresholds("f1", positive=1)
    >>> rule.learn(np.c_[1.0 - p, p], y, np.ones(6), np.array([0, 1])).thresholds.round(2)
    array([0.91, 0.09])
    """

    metric: str | Callable[[ConfusionMatrix], float] = "balanced_accuracy"
    positive: Any = None

    cv: ClassVar[Any] = 5
    calibrated: ClassVar[bool] = True

    def learn(
        self, scores: Array | None, numbers: Array, weight: Array, classes: Array
    ) -> ClassThresholds:
        """The thresholds, from posteriors of rows that the model was not fitted to.

        Parameters
        ----------
        scores : array of shape (n, K)
        numbers : array of int of shape (n,)
            Each row's class.
        weight : array of shape (n,)
        classes : array of shape (K,)

        Returns
        -------
        ClassThresholds
        """
        assert scores is not None
        K = len(classes)
        factor = np.ones(K)
        said = scores.argmax(axis=1)
        counts = np.bincount(numbers * K + said, weight, K * K).reshape(K, K)
        best = self._value(counts, classes)
        for _ in range(SWEEPS):
            before = best
            # Of two classes only the ratio counts, and one turn settles it.
            for k in range(K if K > 2 else 1):
                values, tried = _one_class(scores, numbers, weight, factor, k)
                found = [self._value(counts, classes) for counts in tried]
                i = int(np.argmax(found))
                if found[i] > best + 1e-12:
                    best, factor[k] = found[i], values[i]
            if best == before or K == 2:
                break
        return ClassThresholds(1.0 / factor / (1.0 / factor).sum())

    def _value(self, counts: Array, classes: Array) -> float:
        matrix = ConfusionMatrix(counts, classes)
        if not isinstance(self.metric, str):
            value = self.metric(matrix)
        elif rate(self.metric) is None:
            value = matrix.measure(self.metric)
        elif self.positive is None:
            value = matrix.measure(self.metric, average="macro")
        else:
            value = matrix.measure(self.metric, label=self.positive)
        return -np.inf if np.isnan(value) else float(value)


def _one_class(
    p: Array, numbers: Array, weight: Array, factor: Array, k: int
) -> tuple[Array, Array]:
    """Factors (c,) to try of class k, and the counts (c, K, K) that they give."""
    n, K = p.shape
    others = p * factor
    others[:, k] = -np.inf
    rival = others.argmax(axis=1)
    # A row is said to be of class k from this factor on.
    with np.errstate(divide="ignore"):
        needed = others[np.arange(n), rival] / p[:, k]
    steps = np.unique(needed[np.isfinite(needed) & (needed > 0.0)])
    if not len(steps):
        return factor[k : k + 1], np.zeros((1, K, K))
    if len(steps) > CANDIDATES:
        steps = np.quantile(steps, np.linspace(0.0, 1.0, CANDIDATES), method="nearest")
        steps = np.unique(steps)
    between = np.sqrt(steps[1:] * steps[:-1])
    values = np.concatenate([[0.5 * steps[0]], between, [2.0 * steps[-1]]])
    cell = np.searchsorted(values, needed)  # the first factor that is enough
    shape = len(values) + 1, K, K
    own, other = (
        np.bincount((cell * K + numbers) * K + to, weight, np.prod(shape)).reshape(shape)
        for to in (np.full(n, k), rival)
    )
    gained = own.cumsum(axis=0)
    lost = other.sum(axis=0) - other.cumsum(axis=0)
    return values, (gained + lost)[:-1]


@dataclass(frozen=True, slots=True, eq=False)
class ClassThresholds:
    """The class of the largest posterior by its threshold.

    Attributes
    ----------
    thresholds : array of shape (K,)
        Positive, of sum 1.
    """

    thresholds: Array

    def __call__(self, scores: Array, costs: Any = None) -> Array:
        """The number of each row's class."""
        if costs is not None:
            raise ValueError("A rule of tuned thresholds has no costs: leave them out.")
        return np.asarray((scores / self.thresholds).argmax(axis=1))
