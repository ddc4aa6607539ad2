"""The result of a test."""

from __future__ import annotations

from typing import NamedTuple


class HypothesisTest(NamedTuple):
    """A test's statistic, its degrees of freedom and its p-value.

    With two degrees of freedom the statistic is F, with one it is χ². Wald and likelihood-ratio
    tests give F where the dispersion is estimated.
    """

    statistic: float
    df: tuple[float, ...]
    p: float
