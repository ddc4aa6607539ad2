"""The families: each by its variance function V(μ) and its unit deviance d(y, μ)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import betaln, gammaln, xlog1py, xlogy

from linework.data.blocks import Array
from linework.losses import compound, overdispersion
from linework.losses.family import Family, times
from linework.losses.links import Link


class Gaussian(Family):
    """Normal errors: V(μ) = 1, d = (y − μ)²."""

    name = "gaussian"
    default_link = "identity"
    lowest = -np.inf
    convex_links = frozenset({"identity"})

    def evaluate(self, y: Array, eta: Array, link: Link) -> tuple[Array, Array]:
        r = y - link.mean(eta)
        return 0.5 * r**2, r * link.slope(eta)

    def curvature(self, y: Array, eta: Array, link: Link) -> Array:
        return link.slope(eta) ** 2

    def variance(self, mu: Array) -> Array:
        return np.ones_like(mu)

    def saturated(self, y: Array) -> Array:
        return np.zeros_like(y)

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        return np.asarray(-0.5 * (weight * (y - mu) ** 2 / phi + np.log(2 * np.pi * phi / weight)))


class Binomial(Family):
    """Shares of successes: V(μ) = μ (1 − μ), d = 2 [y ln(y/μ) + (1 − y) ln((1 − y)/(1 − μ))].

    y is 0 or 1, or the share of successes among as many trials as the row's weight says.
    """

    name = "binomial"
    default_link = "logit"
    dispersed = False
    lowest_included = True
    highest = 1.0
    convex_links = frozenset({"logit", "probit", "cloglog", "log", "identity"})

    def evaluate(self, y: Array, eta: Array, link: Link) -> tuple[Array, Array]:
        if link.name == "logit":  # one exponential serves both
            odds = np.exp(-np.abs(eta))
            fit = np.where(eta >= 0.0, 1.0, odds) / (1.0 + odds)
            return np.maximum(eta, 0.0) + np.log1p(odds) - y * eta, y - fit
        by_success, by_failure = link.log_rates(eta)
        score = times(y, np.exp(by_success)) - times(1.0 - y, np.exp(by_failure))
        value = -times(y, link.log_mean(eta)) - times(1.0 - y, link.log_complement(eta))
        inside = by_success + by_failure < np.inf  # 0 < μ < 1, which not every link heeds
        return np.where(inside, value, np.inf), score if link.increasing else -score

    def curvature(self, y: Array, eta: Array, link: Link) -> Array:
        if link.name == "logit":
            odds = np.exp(-np.abs(eta))
            return odds / (1.0 + odds) ** 2
        by_success, by_failure = link.log_rates(eta)
        return np.asarray(np.exp(by_success + by_failure))

    def variance(self, mu: Array) -> Array:
        return mu * (1.0 - mu)

    def saturated(self, y: Array) -> Array:
        return np.asarray(-xlogy(y, y) - xlog1py(1.0 - y, -y))

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        # ln of the number of ways, for weight trials of which weight · y succeed
        ways = -np.log1p(weight) - betaln(weight * y + 1.0, weight * (1.0 - y) + 1.0)
        return np.asarray(weight * (xlogy(y, mu) + xlog1py(1.0 - y, -mu)) + ways)


class PowerVariance(Family):
    """V(μ) = μ^p, p ≥ 1, for positive means.

    ½ d = y^(2−p) / ((1 − p)(2 − p)) − y μ^(1−p) / (1 − p) + μ^(2−p) / (2 − p), and its limits.
    """

    power: float | None

    def log_variance(self, log_mu: Array) -> Array:
        return self.known("power") * log_mu

    def loss(self, y: Array, log_mu: Array) -> Array:
        p = self.known("power")
        if p == 1.0:
            return np.exp(log_mu) - times(y, log_mu)
        if p == 2.0:
            return y * np.exp(-log_mu) + log_mu
        at_mu = np.exp((2.0 - p) * log_mu) / (2.0 - p)
        return at_mu + times(y, np.exp((1.0 - p) * log_mu)) / (p - 1.0)

    def saturated(self, y: Array) -> Array:
        p = self.known("power")
        if p == 1.0:
            return np.asarray(y - xlogy(y, y))
        if p == 2.0:
            return np.asarray(1.0 + np.log(y))
        return -(y ** (2.0 - p)) / ((1.0 - p) * (2.0 - p))


class Poisson(PowerVariance):
    """Counts: V(μ) = μ, d = 2 [y ln(y/μ) − (y − μ)]."""

    name = "poisson"
    dispersed = False
    lowest_included = True
    convex_links = frozenset({"log", "identity", "sqrt"})
    power = 1.0

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        return np.asarray(weight * (xlogy(y, mu) - mu - gammaln(y + 1.0)))


class Gamma(PowerVariance):
    """Positive amounts of constant relative spread: V(μ) = μ², d = 2 [(y − μ)/μ − ln(y/μ)]."""

    name = "gamma"
    default_link = "inverse"
    convex_links = frozenset({"log", "inverse"})
    power = 2.0

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        shape = weight / phi
        return np.asarray(
            shape * np.log(shape / mu) + (shape - 1.0) * np.log(y) - shape * y / mu - gammaln(shape)
        )


class InverseGaussian(PowerVariance):
    """Positive amounts with a long tail: V(μ) = μ³, d = (y − μ)² / (y μ²)."""

    name = "inverse_gaussian"
    default_link = "inverse_square"
    convex_links = frozenset({"inverse_square"})
    power = 3.0

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        squares = weight * (y - mu) ** 2 / (phi * y * mu**2)
        return np.asarray(-0.5 * (squares + np.log(2.0 * np.pi * phi * y**3 / weight)))


@dataclass(frozen=True)
class Tweedie(PowerVariance):
    """Power variance V(μ) = μ^p: between 1 and 2 sums of gamma numbers, which may be 0.

    Parameters
    ----------
    power : float or None, default=1.5
        p, 1 or more. With None, `GLM` estimates it, between 1 and 2.
    """

    power: float | None = 1.5
    name: ClassVar[str] = "tweedie"

    def __post_init__(self) -> None:
        if self.power is not None and not 1.0 <= self.power < np.inf:
            raise ValueError(
                f"The power of a Tweedie family is {self.power!r}, and a number from 1 on is "
                'expected; power 0 is family="gaussian".'
            )

    @property
    def lowest_included(self) -> bool:  # type: ignore[override]  # it depends on the power
        """Whether y may be zero."""
        return self.power is None or self.power < 2.0

    @property
    def convex_links(self) -> frozenset[str]:  # type: ignore[override]
        """The logarithm for powers up to 2."""
        return frozenset({"log"} if self.known("power") <= 2.0 else ())

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        """Return the log likelihood: a series for a power below 2, NaN for most above."""
        p = self.known("power")
        if 1.0 < p < 2.0:
            return compound.loglik(y, mu, p, phi / weight)[0]
        for known in (Poisson(), Gamma(), InverseGaussian()):
            if known.power == p:
                return known.loglik(y, mu, weight, phi)
        return super().loglik(y, mu, weight, phi)

    def most_likely(self, y: Array, mu: Array, weight: Array) -> Tweedie:
        """Return that of the likeliest power, and of the likeliest φ with it."""
        return Tweedie(compound.most_likely_power(y, mu, weight))


@dataclass(frozen=True)
class NegativeBinomial(Family):
    """Counts of more variance than Poisson's: V(μ) = μ + μ²/θ.

    Parameters
    ----------
    theta : float or None, default=1.0
        θ, above zero; the larger, the closer to Poisson. With None, `GLM` estimates it.
    """

    theta: float | None = 1.0
    name: ClassVar[str] = "negative_binomial"
    convex_links: ClassVar[frozenset[str]] = frozenset({"log"})
    dispersed: ClassVar[bool] = False
    lowest_included: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.theta is not None and not 0.0 < self.theta < np.inf:
            raise ValueError(
                f"theta of a negative binomial family is {self.theta!r}, and a finite number above "
                'zero is expected; its limit at infinity is family="poisson".'
            )

    def most_likely(self, y: Array, mu: Array, weight: Array) -> NegativeBinomial:
        """Return that of the likeliest θ."""
        return NegativeBinomial(overdispersion.most_likely_theta(y, mu, weight))

    def log_variance(self, log_mu: Array) -> Array:
        return np.asarray(np.logaddexp(log_mu, 2.0 * log_mu - np.log(self.known("theta"))))

    def loss(self, y: Array, log_mu: Array) -> Array:
        # (y + θ) ln(μ + θ) − y ln μ, without the cancellation
        theta = self.known("theta")
        t = np.log(theta)
        return times(y, np.logaddexp(0.0, t - log_mu)) + theta * np.logaddexp(log_mu, t)

    def saturated(self, y: Array) -> Array:
        with np.errstate(divide="ignore"):
            return self.loss(y, np.log(y))

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        t = self.known("theta")
        ways = gammaln(y + t) - gammaln(t) - gammaln(y + 1.0)
        return np.asarray(weight * (ways + t * np.log(t / (t + mu)) + xlogy(y, mu / (t + mu))))


FAMILIES: dict[str, type[Family]] = {
    family.name: family
    for family in (
        Gaussian,
        Binomial,
        Poisson,
        Gamma,
        InverseGaussian,
        Tweedie,
        NegativeBinomial,
    )
}
