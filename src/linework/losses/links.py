"""Links: how the mean μ of y follows from the linear predictor η."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import erfcx, expit, log_ndtr, logit, ndtr, ndtri

from linework.data.blocks import Array


@dataclass(frozen=True)
class Link:
    """η = g(μ), its inverse and the slope of that: a link is these three short functions.

    The logarithms follow from them. A link overrides those that would lose digits where μ comes
    close to the ends of its range. Outside the link's domain a mean is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.losses import LINKS
    >>> link = LINKS["probit"]
    >>> link.mean(link.link(np.array([0.1, 0.9])))
    array([0.1, 0.9])
    >>> link.log_mean(np.array([-1e4])).round(1)  # where the mean itself is zero in float64
    array([-50000010.1])
    """

    name: ClassVar[str]

    @property
    def increasing(self) -> bool:
        """Whether μ grows with η."""
        return True

    def link(self, mu: Array) -> Array:
        """Return η = g(μ)."""
        raise NotImplementedError

    def mean(self, eta: Array) -> Array:
        """Return μ = g⁻¹(η)."""
        raise NotImplementedError

    def slope(self, eta: Array) -> Array:
        """Return dμ/dη."""
        raise NotImplementedError

    def curve(self, eta: Array) -> Array:
        """Return d²μ/dη², which standard errors of marginal effects ask for, and nothing else."""
        raise NotImplementedError(
            f"The link {self.name!r} has no method curve(eta), the derivative of slope(eta): give "
            "it one."
        )

    def log_mean(self, eta: Array) -> Array:
        """Return ln μ."""
        return np.asarray(np.log(self.mean(eta)))

    def log_complement(self, eta: Array) -> Array:
        """Return ln(1 − μ), for a mean that is a probability."""
        return np.asarray(np.log1p(-self.mean(eta)))

    def log_slope(self, eta: Array) -> Array:
        """Return ln |dμ/dη|."""
        return np.asarray(np.log(np.abs(self.slope(eta))))

    def log_rates(self, eta: Array) -> tuple[Array, Array]:
        """Return ln |d ln μ/dη| and ln |d ln(1 − μ)/dη|, for a mean that is a probability."""
        slope = self.log_slope(eta)
        return slope - self.log_mean(eta), slope - self.log_complement(eta)


class Identity(Link):
    """η = μ."""

    name = "identity"

    def link(self, mu: Array) -> Array:
        return mu

    def mean(self, eta: Array) -> Array:
        return eta

    def slope(self, eta: Array) -> Array:
        return np.ones_like(eta)

    def curve(self, eta: Array) -> Array:
        return np.zeros_like(eta)


class Log(Link):
    """η = ln μ."""

    name = "log"

    def link(self, mu: Array) -> Array:
        return np.asarray(np.log(mu))

    def mean(self, eta: Array) -> Array:
        return np.asarray(np.exp(eta))

    def slope(self, eta: Array) -> Array:
        return np.asarray(np.exp(eta))

    def curve(self, eta: Array) -> Array:
        return np.asarray(np.exp(eta))

    def log_mean(self, eta: Array) -> Array:
        return eta

    def log_complement(self, eta: Array) -> Array:
        return np.asarray(np.log(-np.expm1(eta)))

    def log_slope(self, eta: Array) -> Array:
        return eta


class Logit(Link):
    """η = ln(μ / (1 − μ)), the log odds."""

    name = "logit"

    def link(self, mu: Array) -> Array:
        return np.asarray(logit(mu))

    def mean(self, eta: Array) -> Array:
        return np.asarray(expit(eta))

    def slope(self, eta: Array) -> Array:
        return np.asarray(expit(eta) * expit(-eta))

    def curve(self, eta: Array) -> Array:
        return np.asarray(-np.tanh(0.5 * eta) * self.slope(eta))

    def log_mean(self, eta: Array) -> Array:
        return np.asarray(np.minimum(eta, 0.0) - np.log1p(np.exp(-np.abs(eta))))

    def log_complement(self, eta: Array) -> Array:
        return self.log_mean(-eta)

    def log_slope(self, eta: Array) -> Array:
        return self.log_mean(eta) + self.log_mean(-eta)

    def log_rates(self, eta: Array) -> tuple[Array, Array]:
        return self.log_mean(-eta), self.log_mean(eta)


class Probit(Link):
    """η = Φ⁻¹(μ), Φ the normal distribution function."""

    name = "probit"

    def link(self, mu: Array) -> Array:
        return np.asarray(ndtri(mu))

    def mean(self, eta: Array) -> Array:
        return np.asarray(ndtr(eta))

    def slope(self, eta: Array) -> Array:
        return np.asarray(np.exp(self.log_slope(eta)))

    def curve(self, eta: Array) -> Array:
        return np.asarray(-eta * self.slope(eta))

    def log_mean(self, eta: Array) -> Array:
        return np.asarray(log_ndtr(eta))

    def log_complement(self, eta: Array) -> Array:
        return np.asarray(log_ndtr(-eta))

    def log_slope(self, eta: Array) -> Array:
        return np.asarray(-0.5 * eta**2 - 0.5 * np.log(2.0 * np.pi))

    def log_rates(self, eta: Array) -> tuple[Array, Array]:
        # φ / Φ is that of Mills, of which erfcx knows all digits in either tail
        def rate(z: Array) -> Array:
            return np.asarray(0.5 * np.log(2.0 / np.pi) - np.log(erfcx(-z / np.sqrt(2.0))))

        return rate(eta), rate(-eta)


class Cloglog(Link):
    """η = ln(−ln(1 − μ)), the complementary log-log link."""

    name = "cloglog"

    def link(self, mu: Array) -> Array:
        return np.asarray(np.log(-np.log1p(-mu)))

    def mean(self, eta: Array) -> Array:
        return np.asarray(-np.expm1(-np.exp(eta)))

    def slope(self, eta: Array) -> Array:
        return np.asarray(np.exp(self.log_slope(eta)))

    def curve(self, eta: Array) -> Array:
        return np.asarray(np.exp(self.log_slope(eta)) - np.exp(eta + self.log_slope(eta)))

    def log_mean(self, eta: Array) -> Array:
        hazard = np.exp(eta)
        # ln(1 − e^−h) = ln h − h / 2 + O(h²), and h may underflow where its logarithm does not.
        tiny = hazard < 1e-9
        return np.where(tiny, eta, np.log(-np.expm1(-np.where(tiny, 1.0, hazard))))

    def log_complement(self, eta: Array) -> Array:
        return np.asarray(-np.exp(eta))

    def log_slope(self, eta: Array) -> Array:
        return np.asarray(eta - np.exp(eta))

    def log_rates(self, eta: Array) -> tuple[Array, Array]:
        # d ln μ/dη = h / (e^h − 1) = h e^−h / μ, with h = exp η
        return self.log_slope(eta) - self.log_mean(eta), eta


class Loglog(Link):
    """η = −ln(−ln μ), the log-log link: cloglog seen from the other side, 1 − μ at −η."""

    name = "loglog"
    _mirrored: ClassVar[Link] = Cloglog()

    def link(self, mu: Array) -> Array:
        return np.asarray(-np.log(-np.log(mu)))

    def mean(self, eta: Array) -> Array:
        return np.asarray(np.exp(-np.exp(-eta)))

    def slope(self, eta: Array) -> Array:
        return self._mirrored.slope(-eta)

    def curve(self, eta: Array) -> Array:
        return -self._mirrored.curve(-eta)

    def log_mean(self, eta: Array) -> Array:
        return self._mirrored.log_complement(-eta)

    def log_complement(self, eta: Array) -> Array:
        return self._mirrored.log_mean(-eta)

    def log_slope(self, eta: Array) -> Array:
        return self._mirrored.log_slope(-eta)

    def log_rates(self, eta: Array) -> tuple[Array, Array]:
        by_success, by_failure = self._mirrored.log_rates(-eta)
        return by_failure, by_success


class Cauchit(Link):
    """η = tan(π (μ − ½)), the quantile of the Cauchy distribution."""

    name = "cauchit"

    def link(self, mu: Array) -> Array:
        return np.asarray(np.tan(np.pi * (mu - 0.5)))

    def mean(self, eta: Array) -> Array:
        return np.asarray(np.arctan2(1.0, -eta) / np.pi)

    def slope(self, eta: Array) -> Array:
        return np.asarray(1.0 / (np.pi * (1.0 + eta**2)))

    def curve(self, eta: Array) -> Array:
        return np.asarray(-2.0 * eta / (1.0 + eta**2) * self.slope(eta))

    def log_complement(self, eta: Array) -> Array:
        return np.asarray(np.log(np.arctan2(1.0, eta) / np.pi))


@dataclass(frozen=True)
class Power(Link):
    """η = μ^p for positive means, p ≠ 0."""

    exponent: float
    name: ClassVar[str] = "power"

    def __post_init__(self) -> None:
        if self.exponent == 0.0 or not np.isfinite(self.exponent):
            raise ValueError(
                f"The exponent of a power link is {self.exponent!r}, and a finite number other "
                'than 0 is expected; the limit at 0 is link="log".'
            )

    @property
    def increasing(self) -> bool:
        """Whether μ grows with η."""
        return self.exponent > 0.0

    def link(self, mu: Array) -> Array:
        return np.asarray(mu**self.exponent)

    def mean(self, eta: Array) -> Array:
        return np.where(eta > 0.0, eta, np.nan) ** (1.0 / self.exponent)

    def slope(self, eta: Array) -> Array:
        return self.mean(eta) / eta / self.exponent

    def curve(self, eta: Array) -> Array:
        return (1.0 / self.exponent - 1.0) / eta * self.slope(eta)

    def log_mean(self, eta: Array) -> Array:
        return np.asarray(np.log(eta) / self.exponent)

    def log_slope(self, eta: Array) -> Array:
        log_eta = np.log(eta)
        return np.asarray((1.0 / self.exponent - 1.0) * log_eta - np.log(abs(self.exponent)))


LINKS: dict[str, Link] = {
    "identity": Identity(),
    "log": Log(),
    "logit": Logit(),
    "probit": Probit(),
    "cloglog": Cloglog(),
    "loglog": Loglog(),
    "cauchit": Cauchit(),
    "inverse": Power(-1.0),
    "inverse_square": Power(-2.0),
    "sqrt": Power(0.5),
}
