"""Tests of linear hypotheses, and the result of a test."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linework.data.blocks import Array
from linework.inference.covariance import wald_f


class HypothesisTest(NamedTuple):
    """A test's statistic, its degrees of freedom and its p-value.

    With two degrees of freedom the statistic is F, with one it is χ². Wald and likelihood-ratio
    tests give F where the dispersion is estimated.
    """

    statistic: float
    df: tuple[float, ...]
    p: float


def wald_statistic(
    hypothesis: Any, value: Any, estimate: Array, covariance: Array
) -> tuple[float, int]:
    """F of linear hypotheses Hβ = c, and their number q, or a sentence on a wrong shape.

    F = (Hβ − c)ᵀ (H V Hᵀ)⁻¹ (Hβ − c) / q, NaN where H V Hᵀ is singular. Coefficients that are not
    defined are NaN in ``estimate`` (k,), and zero in H (q, k).
    """
    H = np.atleast_2d(np.asarray(hypothesis, np.float64))
    defined = ~np.isnan(estimate)
    if H.ndim != 2 or H.shape[1] != len(defined) or H[:, ~defined].any():
        raise ValueError(
            f"The hypothesis has shape {np.shape(hypothesis)}, and rows of {len(defined)} "
            "numbers are expected, one for each coefficient in the order of the table, with 0 "
            "for those that are not defined."
        )
    H, covariance = H[:, defined], covariance[np.ix_(defined, defined)]
    return wald_f(H @ estimate[defined] - value, H @ covariance @ H.T), len(H)
