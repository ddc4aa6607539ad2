"""The loss of ordered classes: each row between two thresholds of a distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.losses.links import Link
from linework.stats.gradient import Fused

LOG_CONCAVE = {"logit", "probit", "cloglog", "loglog"}
"""Links whose densities f have concave logarithms."""


@dataclass(frozen=True)
class CumulativeLoss:
    """−ln P(G = g | x) for K ordered classes, P(G ≤ k | x) = F(η_k) with k = 0 … K − 2.

    F is the link's mean. A row of class g lies between two of its K − 1 linear predictors,
    P(G = g | x) = F(a) − F(b) with a = η_g and b = η_{g−1}, where F(η_{K−1}) = 1 and F(η_{−1}) = 0.
    Where a ≤ b, the loss is infinite. ``y`` (n, 1) holds class numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.losses import LINKS, CumulativeLoss
    >>> loss = CumulativeLoss(LINKS["logit"], 2)
    >>> eta = np.tile([-1.0, 1.0], (3, 1))
    >>> np.exp(-loss.evaluate(np.array([[0.0], [1.0], [2.0]]), eta)[0]).round(3)
    array([0.269, 0.462, 0.269])
    """

    link: Link
    n_scores: int

    @property
    def fused(self) -> Fused | None:
        """None: there is no compiled loop."""
        return None

    @property
    def convex(self) -> bool:
        """Where ln f is known to be concave."""
        return self.link.name in LOG_CONCAVE

    def least(self, y: Array) -> Array:
        """Zeros, of probabilities of 1."""
        return np.zeros(len(y))

    def evaluate(self, y: Array, eta: Array) -> tuple[Array, Array]:
        """The values (n,) and the scores (n, K − 1): f(a)/P for η_g and −f(b)/P for η_{g−1}."""
        with np.errstate(all="ignore"):  # an infinite loss is a valid one: the fit turns back
            a, b = self._ends(y, eta)
            log_share = self.log_share(a, b)
            scores = self._placed(y, self._rate(a, log_share), -self._rate(b, log_share))
        return np.where(log_share > -np.inf, -log_share, np.inf), scores

    def curvature(self, y: Array, eta: Array) -> Array:
        """The second derivatives (n, (K − 1)K/2), the upper triangle row by row.

        They are those of the row itself, not expected ones: where ln f is concave, as for all links
        but cauchit, so is ln P, and Newton's method can do with them.
        """
        by_a, by_b, by_both = self._seconds(y, eta)
        first, second = np.triu_indices(self.n_scores)
        upper = np.zeros((len(y), len(first)))
        upper[:, first == second] = self._placed(y, by_a, by_b)
        inner = self._placed(y, by_both, 0.0 * by_both)  # of the pair η_{g−1}, η_g, in the place g
        upper[:, first + 1 == second] = inner[:, 1:]
        return upper

    def product(self, y: Array, eta: Array, direction: Array) -> Array:
        """The second derivatives times directions (n, K − 1)."""
        by_a, by_b, by_both = self._seconds(y, eta)
        u, v = _between(y, direction, 0.0, 0.0)
        return self._placed(y, by_a * u + by_both * v, by_both * u + by_b * v)

    def log_share(self, a: Array, b: Array) -> Array:
        """Ln (F(a) − F(b)), from whichever tail of F is the nearer; −∞ or NaN where a ≤ b."""
        below, above = self.link.log_mean(a), self.link.log_complement(b)
        from_left = below <= above
        larger = np.where(from_left, below, above)
        smaller = np.where(from_left, self.link.log_mean(b), self.link.log_complement(a))
        return np.asarray(larger + np.log(-np.expm1(smaller - larger)))

    def log_shares(self, eta: Array) -> Array:
        """Ln P(G = k | x) of every class, shape (n, K)."""
        with np.errstate(all="ignore"):
            edge = np.full((len(eta), 1), np.inf)
            return self.log_share(np.hstack([eta, edge]), np.hstack([-edge, eta]))

    def _ends(self, y: Array, eta: Array) -> tuple[Array, Array]:
        """The a (n,) and b (n,) of each row."""
        return _between(y, eta, -np.inf, np.inf)

    def _rate(self, z: Array, log_share: Array) -> Array:
        """f(z)/P; zero at the infinite ends."""
        return np.where(np.isfinite(z), np.exp(self.link.log_slope(z) - log_share), 0.0)

    def _seconds(self, y: Array, eta: Array) -> tuple[Array, Array, Array]:
        """The second derivatives by a, by b, and by both, each (n,)."""
        with np.errstate(all="ignore"):
            a, b = self._ends(y, eta)
            log_share = self.log_share(a, b)
            at_a, at_b = self._rate(a, log_share), self._rate(b, log_share)
            bent_a, bent_b = self._bend(a, log_share), self._bend(b, log_share)
        return at_a**2 - bent_a, at_b**2 + bent_b, -at_a * at_b

    def _bend(self, z: Array, log_share: Array) -> Array:
        """f'(z)/P; zero at the infinite ends."""
        bend = self.link.curve(z)
        size = np.exp(np.log(np.abs(bend)) - log_share)
        return np.where(np.isfinite(z), np.copysign(size, bend), 0.0)

    def _placed(self, y: Array, at_g: Array, before_g: Array) -> Array:
        """Numbers of η_g and η_{g−1} (n,) in their places among all, shape (n, K − 1)."""
        rows, g = np.arange(len(y)), y[:, 0].astype(np.intp)
        padded = np.zeros((len(y), self.n_scores + 2))
        padded[rows, g + 1], padded[rows, g] = at_g, before_g
        return padded[:, 1:-1]


def _between(y: Array, values: Array, low: float, high: float) -> tuple[Array, Array]:
    """The values (n, K − 1) at g and at g − 1 of each row; beyond the ends high and low."""
    rows, g = np.arange(len(y)), y[:, 0].astype(np.intp)
    edge = np.ones((len(values), 1))
    padded = np.hstack([low * edge, values, high * edge])
    return padded[rows, g + 1], padded[rows, g]
