"""What a family is: how y is spread about its mean μ."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar, Self

import numpy as np

from linework.data.blocks import Array
from linework.losses.links import Link


@dataclass(frozen=True)
class Family:
    """A distribution of positive mean: its variance φ·V(μ) and its loss, from ln μ.

    A family is the three short functions `log_variance`, `loss` and `saturated`, and the range of
    y. What a fit needs follows for any link; in logarithms nothing overflows before the result
    does. `loglik`, a fourth, serves AIC and nothing else. Its fields are its parameters; one that
    is None `GLM` estimates by `most_likely`, beginning at the field's default.

    Attributes
    ----------
    name : str
    default_link : str
    dispersed : bool
        Whether φ is estimated; it is 1 otherwise.
    lowest, lowest_included, highest
        The range of y.
    convex_links : frozenset of str
        Names of links under which the loss is known to be convex in η for every y: there a duality
        gap is told.

    Examples
    --------
    Counts of more variance than Poisson's, V(μ) = μ^1.2, of which no likelihood is known:

    >>> import numpy as np
    >>> from linework import GLM
    >>> from linework.losses import Family
    >>> class Crowded(Family):
    ...     name = "crowded"
    ...     lowest_included = True
    ...
    ...     def log_variance(self, log_mu):
    ...         return 1.2 * log_mu
    ...
    ...     def loss(self, y, log_mu):
    ...         return np.exp(0.8 * log_mu) / 0.8 + y * np.exp(-0.2 * log_mu) / 0.2
    ...
    ...     def saturated(self, y):
    ...         return y**0.8 / 0.16
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 6.0, 14.0]
    >>> GLM(Crowded()).fit(X, y).coef_.round(2)
    array([0.91])
    """

    name: ClassVar[str]
    default_link: ClassVar[str] = "log"
    dispersed: ClassVar[bool] = True
    lowest: ClassVar[float] = 0.0
    lowest_included: ClassVar[bool] = False
    highest: ClassVar[float] = np.inf
    convex_links: ClassVar[frozenset[str]] = frozenset()

    def log_variance(self, log_mu: Array) -> Array:
        """Return ln V(μ)."""
        raise NotImplementedError

    def loss(self, y: Array, log_mu: Array) -> Array:
        """Return half the deviance ½ d(y, μ), up to a number that μ has no part in."""
        raise NotImplementedError

    def saturated(self, y: Array) -> Array:
        """Return the loss at μ = y, the least there is; ½ d is the loss less this."""
        raise NotImplementedError

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        """Return each row's log likelihood, with variance φ V(μ) / weight; NaN if not known."""
        return np.full_like(mu, np.nan)

    def most_likely(self, y: Array, mu: Array, weight: Array) -> Self:
        """Return the family with the parameter that is None at its likeliest, for given means.

        Weights are numbers of rows.
        """
        raise NotImplementedError(
            f"The family {self.name!r} has no method most_likely(y, mu, weight), which estimates "
            f"{self.unknown}: give it one, or give {self.unknown} a number."
        )

    @property
    def unknown(self) -> str | None:
        """The name of the parameter that is None, if there is one."""
        return next((f.name for f in fields(self) if getattr(self, f.name) is None), None)

    def begun(self) -> Self:
        """Return the family with such a parameter at its default, where an estimation begins."""
        return replace(self, **{f.name: f.default for f in fields(self) if f.name == self.unknown})

    def known(self, name: str) -> float:
        """Return a parameter, or a sentence where it is None."""
        value = getattr(self, name)
        if value is None:
            kind = type(self).__name__
            raise ValueError(f"{name}=None is for GLM to estimate: give {kind} a number.")
        return float(value)

    def evaluate(self, y: Array, eta: Array, link: Link) -> tuple[Array, Array]:
        """Return the loss at μ(η) and its score −∂/∂η, (y − μ) μ'(η) / V(μ)."""
        log_mu = link.log_mean(eta)
        log_ratio = link.log_slope(eta) - self.log_variance(log_mu)
        score = times(y, np.exp(log_ratio)) - np.exp(log_mu + log_ratio)
        return self.loss(y, log_mu), score if link.increasing else -score

    def curvature(self, y: Array, eta: Array, link: Link) -> Array:
        """Return the expected second derivative μ'(η)² / V(μ)."""
        log_variance = self.log_variance(link.log_mean(eta))
        return np.asarray(np.exp(2.0 * link.log_slope(eta) - log_variance))

    def variance(self, mu: Array) -> Array:
        """Return V(μ)."""
        return np.asarray(np.exp(self.log_variance(np.log(mu))))

    def outside(self, y: Array) -> Array:
        """Return which y the family cannot give."""
        low = y < self.lowest if self.lowest_included else y <= self.lowest
        return np.asarray(low | (y > self.highest))

    @property
    def range(self) -> str:
        """The range of y in words."""
        if self.highest < np.inf:
            return f"from {self.lowest:g} to {self.highest:g}"
        return f"{self.lowest:g} or more" if self.lowest_included else f"above {self.lowest:g}"


def times(y: Array, factor: Array) -> Array:
    """Y · factor, where zero times infinity is zero: what no row says costs nothing."""
    return np.asarray(y * np.where(y == 0.0, 0.0, factor))
