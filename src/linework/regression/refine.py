"""Refinement of least-squares solutions with residuals in twofold precision."""

from __future__ import annotations

from functools import partial

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Source
from linework.engine import map_reduce
from linework.solvers.least_squares import Solution
from linework.stats import Moments, RFactor, TwofoldGradient, twofold

STEPS = 5
"""Passes at most; each gains as many digits as the condition number leaves, so two or three do."""

ENOUGH = 1e-6
"""A relative step after which the next would change no digit, when each gains six or more."""


def refine(
    source: Source, solution: Solution, stats: Moments | RFactor, fit_intercept: bool
) -> tuple[Array, Array]:
    """Coefficients (d, t) and intercept (t,), right to the last digits the data determine.

    Each step is a pass for the gradient Xᵀ(y − Xβ) and a solve by the factor at hand. Coefficients
    are carried as pairs (high, low), so that steps below their rounding still count.
    """
    assert solution.solve is not None
    x_mean = stats.x_mean if fit_intercept else np.zeros(stats.n_features)
    intercept = (stats.y_mean if fit_intercept else 0.0) - x_mean @ solution.coef
    start = np.vstack([solution.coef, intercept])
    coef = start, np.zeros_like(start)
    last = np.inf
    for _ in range(STEPS):
        g, low = map_reduce(source, partial(TwofoldGradient.from_block, coef=coef)).sums
        # Centring: Σ w (x − x̄) r = Σ w x r − x̄ Σ w r.
        slope = (g[:-1] - np.multiply.outer(x_mean, g[-1])) + low[:-1]
        step = solution.solve(slope)
        shift = g[-1] / stats.weight - x_mean @ step if fit_intercept else np.zeros(len(g[-1]))
        size = float((np.abs(step) / np.maximum(np.abs(coef[0][:-1]), 1e-300)).max(initial=0.0))
        if not size < last:
            break
        coef = twofold.add(coef, (np.vstack([step, shift]), np.zeros_like(start)))
        if size < ENOUGH:
            break
        last = 0.5 * size
    return coef[0][:-1], coef[0][-1]
