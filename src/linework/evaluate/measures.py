"""What a confusion matrix says: rates by class, their averages, and scores of the whole.

Functions take counts of shape (..., K, K), true class by predicted class, so that resampled
matrices are measured all at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from linework.data.blocks import Array

AVERAGES = ("macro", "weighted", "micro")


class Outcomes(NamedTuple):
    """TP, FP, FN and TN of each class against the rest, arrays of shape (..., K)."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @classmethod
    def of(cls, counts: Array) -> Outcomes:
        """From counts (..., K, K)."""
        tp = np.diagonal(counts, axis1=-2, axis2=-1)
        fn, fp = counts.sum(axis=-1) - tp, counts.sum(axis=-2) - tp
        return cls(tp, fp, fn, counts.sum(axis=(-2, -1))[..., None] - tp - fp - fn)


Share = Callable[[Outcomes], tuple[Array, Array]]
"""Numerator and denominator of a rate."""

PROPORTIONS: dict[str, Share] = {
    "precision": lambda o: (o.tp, o.tp + o.fp),
    "recall": lambda o: (o.tp, o.tp + o.fn),
    "detection": lambda o: (o.tp, o.tp + o.fn),
    "miss": lambda o: (o.fn, o.tp + o.fn),
    "false_alarm": lambda o: (o.fp, o.fp + o.tn),
    "specificity": lambda o: (o.tn, o.fp + o.tn),
}
"""P_D is called detection, P_M miss and P_FA false_alarm."""


def f_beta(beta: float) -> Share:
    """F_β = (1 + β²) TP / ((1 + β²) TP + β² FN + FP)."""
    own = 1.0 + beta**2
    return lambda o: (own * o.tp, own * o.tp + beta**2 * o.fn + o.fp)


def quotient(numerator: Array, denominator: Array) -> Array:
    """The quotient, and NaN where both are zero."""
    out = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    return np.asarray(np.divide(numerator, denominator, out=out, where=denominator > 0.0))


def accuracy(counts: Array) -> Array:
    """The share of rows on the diagonal."""
    return quotient(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def balanced_accuracy(counts: Array) -> Array:
    """The mean of the classes' recalls, of those that have rows."""
    return averaged(PROPORTIONS["recall"], counts, "macro")


def mcc(counts: Array) -> Array:
    """Matthews' correlation coefficient, of more classes Gorodkin's R_K (2004)."""
    true, said = counts.sum(axis=-1), counts.sum(axis=-2)
    total = counts.sum(axis=(-2, -1))
    agreed = np.trace(counts, axis1=-2, axis2=-1) * total - (true * said).sum(axis=-1)
    spread = [total**2 - (side**2).sum(axis=-1) for side in (true, said)]
    return quotient(agreed, np.sqrt(spread[0] * spread[1]))


SCORES: dict[str, Callable[[Array], Array]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "mcc": mcc,
}


def rate(name: str) -> Share | None:
    """The rate by its name, None where it is a score; a sentence where there is none."""
    if found := re.fullmatch(r"f(\d+(?:\.\d+)?)", name):
        return f_beta(float(found[1]))
    if name not in PROPORTIONS and name not in SCORES:
        raise ValueError(
            f"There is no measure {name!r}: take one of {', '.join(PROPORTIONS)}, f1 or another "
            f"F, such as f2 or f0.5, or of the whole {', '.join(SCORES)}."
        )
    return PROPORTIONS.get(name)


def averaged(share: Share, counts: Array, average: str) -> Array:
    """A rate over the classes: their mean, the mean weighted by rows, or that of their sums."""
    if average not in AVERAGES:
        raise ValueError(f"average is {average!r}, and one of {AVERAGES} or None is expected.")
    above, below = share(Outcomes.of(counts))
    if average == "micro":
        return quotient(above.sum(axis=-1), below.sum(axis=-1))
    values = quotient(above, below)
    weight = counts.sum(axis=-1) if average == "weighted" else np.ones_like(values)
    weight = np.where(np.isnan(values), 0.0, weight)
    return quotient((np.nan_to_num(values) * weight).sum(axis=-1), weight.sum(axis=-1))


def wilson(successes: Array, trials: Array, confidence: float) -> Array:
    """Wilson's score interval of a proportion (1927), shape (..., 2); NaN of no trials."""
    check_confidence(confidence)
    z2 = norm.isf(0.5 * (1.0 - confidence)) ** 2
    p = quotient(successes, trials)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (p + 0.5 * z2 / trials) / (1.0 + z2 / trials)
        half = np.sqrt(z2 * (p * (1.0 - p) / trials + 0.25 * z2 / np.square(trials)))
        half /= 1.0 + z2 / trials
    return np.stack([np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)], axis=-1)


def check_confidence(confidence: float) -> None:
    """Raise a sentence where it is no probability between 0 and 1."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(
            f"confidence is {confidence!r}, and a probability between 0 and 1 is expected, such "
            "as 0.95."
        )
