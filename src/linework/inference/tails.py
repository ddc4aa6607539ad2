"""Tail probabilities and quantiles of the t, normal and F distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import fdtrc, ndtr, ndtri, stdtr, stdtrit

from linework.data.blocks import Array


def two_sided(statistic: Any, df: float) -> Array:
    """P(|T| ≥ |t|) with ``df`` degrees of freedom; of the normal distribution where df = ∞."""
    below = -np.abs(statistic)
    return np.asarray(2.0 * (ndtr(below) if np.isinf(df) else stdtr(df, below)))


def central_quantile(level: float, df: float) -> float:
    """The number q with P(|T| ≤ q) = level; NaN without degrees of freedom."""
    if not df > 0.0:
        return np.nan
    tail = 0.5 * (1.0 - level)
    return float(-ndtri(tail) if np.isinf(df) else -stdtrit(df, tail))


def f_tail(f: float, df: tuple[float, float]) -> float:
    """P(F ≥ f) with (df1, df2) degrees of freedom."""
    return float(fdtrc(*df, f))


def check_level(level: float) -> None:
    """Raise a sentence where the level of an interval is no probability."""
    if not 0.0 < level < 1.0:
        raise ValueError(
            f"level is {level!r}, and a number between 0 and 1 is expected: 0.95 gives intervals "
            "that hold the true value 95 times in 100."
        )
