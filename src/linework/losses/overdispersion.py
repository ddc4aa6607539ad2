"""The θ of negative binomial counts, by maximum likelihood."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma

from linework.data.blocks import Array

LOWEST, HIGHEST = 1e-8, 1e6
"""Between these θ is looked for; with the larger, counts cannot be told from Poisson's."""


def most_likely_theta(y: Array, mu: Array, weight: Array) -> float:
    """The root of Σ w [ψ(y + θ) − ψ(θ) + ln(θ / (θ + μ)) + (μ − y) / (θ + μ)], for given means.

    A sentence, where the likelihood still grows at the ends of the range.
    """

    def slope(log_theta: float) -> float:
        t = np.exp(log_theta)
        terms = digamma(y + t) - digamma(t) - np.log1p(mu / t) + (mu - y) / (t + mu)
        return float((weight @ terms) * t)  # by ln θ, which keeps it of one size

    ends = np.log(LOWEST), np.log(HIGHEST)
    if not slope(ends[0]) > 0.0 > slope(ends[1]):
        raise ValueError(
            "No θ of a negative binomial family is the most likely: the counts vary no more than "
            'Poisson\'s do, or they are nearly all zero. Use family="poisson", or give a theta.'
        )
    return float(np.exp(brentq(slope, *ends, xtol=1e-13)))
