"""Maps from the score of a class to its log-odds, each fitted to rows of known class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit, logsumexp, softmax
from sklearn.isotonic import IsotonicRegression

from linework.data.blocks import Array
from linework.likelihood.glm import GLM

SHARPEST = 1e3
"""1 / T of rows that no temperature is low enough for."""

Map = Callable[[Array], Array]
"""From what a method goes by (n, m) to log-odds (n,), in which nothing underflows."""


def log_rest(log_posterior: Array, k: int) -> Array:
    """Ln (1 − p_k), from ln p (n, K): accurate where p_k is next to 1."""
    return np.asarray(logsumexp(np.delete(log_posterior, k, axis=1), axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class LogisticMap:
    """σ(aᵀz + b)."""

    coef: Array
    intercept: float

    def __call__(self, z: Array) -> Array:
        """The log-odds of each row."""
        return np.asarray(z @ self.coef + self.intercept)


def fit_sigmoid(z: Array, target: Array, weight: Array) -> LogisticMap:
    """σ(aᵀz + b) by maximum likelihood (Platt, 1999).

    His targets, (N⁺ + 1) / (N⁺ + 2) and 1 / (N⁻ + 2), keep separable rows finite.
    """
    return _logistic(z, target, weight, np.ones(z.shape[1], bool))


def fit_beta(z: Array, target: Array, weight: Array) -> LogisticMap:
    """σ(a ln p − b ln(1 − p) + c) with a, b ≥ 0 (Kull, Silva Filho and Flach, 2017).

    z is (ln p, −ln(1 − p)). A negative coefficient is set to zero, and the other fitted again.
    """
    used = np.ones(2, bool)
    while True:
        fitted = _logistic(z, target, weight, used)
        if (fitted.coef >= 0.0).all():
            return fitted
        used = used & (fitted.coef > 0.0)


def _logistic(z: Array, target: Array, weight: Array, used: Array) -> LogisticMap:
    counts = weight[target].sum(), weight[~target].sum()
    y = np.where(target, (counts[0] + 1.0) / (counts[0] + 2.0), 1.0 / (counts[1] + 2.0))
    coef = np.zeros(len(used))
    if not used.any():
        return LogisticMap(coef, float(logit(np.average(y, weights=weight))))
    model = GLM("binomial", tol=1e-12).fit(z[:, used], y, sample_weight=weight)
    coef[used] = model.coef_
    return LogisticMap(coef, float(model.intercept_))


@dataclass(frozen=True, slots=True, eq=False)
class IsotonicMap:
    """A map that does not fall; beyond the scores it was fitted to, it goes on level."""

    model: IsotonicRegression

    def __call__(self, z: Array) -> Array:
        """The log-odds of each row, which may be infinite."""
        return np.asarray(logit(self.model.predict(z[:, 0])))


def fit_isotonic(z: Array, target: Array, weight: Array) -> IsotonicMap:
    """The best map that does not fall, by scikit-learn's isotonic regression."""
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    return IsotonicMap(model.fit(z[:, 0], target.astype(np.float64), sample_weight=weight))


def fit_temperature(scores: Array, numbers: Array, weight: Array) -> float:
    """1 / T of the softmax of s_k / T, by maximum likelihood (Guo et al., 2017)."""
    own = scores[np.arange(len(scores)), numbers]

    def slope(sharpness: float) -> float:
        """The derivative of the log-likelihood, which falls."""
        expected = (softmax(sharpness * scores, axis=1) * scores).sum(axis=1)
        return float(weight @ (own - expected))

    if slope(SHARPEST) >= 0.0:
        return SHARPEST
    if slope(1.0 / SHARPEST) <= 0.0:
        return 1.0 / SHARPEST
    return float(brentq(slope, 1.0 / SHARPEST, SHARPEST, xtol=1e-14, rtol=1e-14))
