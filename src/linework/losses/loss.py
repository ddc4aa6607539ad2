"""Losses of rows at their linear predictors: value, score and curvature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from linework.data.blocks import Array
from linework.losses.families import Binomial, Gamma, Gaussian, Poisson
from linework.losses.family import Family
from linework.losses.links import Identity, Link, Log, Logit
from linework.stats.gradient import Fused

FUSED: dict[tuple[type[Family], type[Link]], Fused] = {
    (Gaussian, Identity): Fused.GAUSSIAN_IDENTITY,
    (Binomial, Logit): Fused.BINOMIAL_LOGIT,
    (Poisson, Log): Fused.POISSON_LOG,
    (Gamma, Log): Fused.GAMMA_LOG,
}


class Loss(Protocol):
    """What a fit asks of a loss ℓ(y, η), for k linear predictors a row.

    ``y`` is of shape (n, t) and ``eta`` of shape (n, k). A value outside the loss's domain is +∞.
    """

    @property
    def n_scores(self) -> int:
        """k, the number of linear predictors of a row."""
        ...

    @property
    def fused(self) -> Fused | None:
        """Its name where `Gradient` has a compiled loop for it."""
        ...

    @property
    def convex(self) -> bool:
        """Whether ℓ is known to be convex in η for every y."""
        ...

    def evaluate(self, y: Array, eta: Array) -> tuple[Array, Array]:
        """The values ℓ (n,) and the scores −∂ℓ/∂η (n, k)."""
        ...

    def least(self, y: Array) -> Array:
        """The least values that ℓ can have for y (n,)."""
        ...

    def curvature(self, y: Array, eta: Array) -> Array:
        """The expected second derivatives (n, k(k + 1)/2), the upper triangle row by row."""
        ...

    def product(self, y: Array, eta: Array, direction: Array) -> Array:
        """The expected second derivatives times directions (n, k): shape (n, k)."""
        ...


@dataclass(frozen=True)
class GeneralizedLoss:
    """A family under a link: ½ d(y, g⁻¹(η)), up to a number that η has no part in."""

    family: Family
    link: Link

    @property
    def n_scores(self) -> int:
        """1."""
        return 1

    @property
    def fused(self) -> Fused | None:
        """Its name where `Gradient` has a compiled loop for it."""
        return FUSED.get((type(self.family), type(self.link)))

    @property
    def convex(self) -> bool:
        """Whether the family says so of the link."""
        return self.link.name in self.family.convex_links

    def least(self, y: Array) -> Array:
        """Those at μ = y (n,)."""
        return self.family.saturated(y)[:, 0]

    def evaluate(self, y: Array, eta: Array) -> tuple[Array, Array]:
        """The values (n,) and the scores (n, 1)."""
        with np.errstate(all="ignore"):  # an infinite loss is a valid one: the fit turns back
            value, score = self.family.evaluate(y, eta, self.link)
        return np.where(np.isnan(value) | np.isnan(score), np.inf, value)[:, 0], score

    def curvature(self, y: Array, eta: Array) -> Array:
        """The expected second derivatives (n, 1)."""
        with np.errstate(all="ignore"):
            return self.family.curvature(y, eta, self.link)

    def product(self, y: Array, eta: Array, direction: Array) -> Array:
        """The expected second derivatives times directions (n, 1)."""
        return self.curvature(y, eta) * direction


@dataclass(frozen=True)
class SoftmaxLoss:
    """−ln P(G = y | x) for K classes, P(G = k | x) = exp η_k / Σ_l exp η_l.

    ``y`` (n, 1) holds class numbers 0 … K − 1.
    """

    n_scores: int
    fused: ClassVar[Fused] = Fused.SOFTMAX
    convex: ClassVar[bool] = True

    def least(self, y: Array) -> Array:
        """Zero, for a label that is certain."""
        return np.zeros(len(y))

    def evaluate(self, y: Array, eta: Array) -> tuple[Array, Array]:
        """The values (n,) and the scores 1[y = k] − P(G = k | x), shape (n, K)."""
        rows, label = np.arange(len(y)), y[:, 0].astype(np.intp)
        highest = eta.max(axis=1, keepdims=True)
        scores = eta - highest
        own = scores[rows, label]
        np.exp(scores, out=scores)
        total = scores.sum(axis=1, keepdims=True)
        scores /= -total
        scores[rows, label] += 1.0
        return np.log(total[:, 0]) - own, scores

    def curvature(self, y: Array, eta: Array) -> Array:
        """P_k (1[k = l] − P_l) for k ≤ l, shape (n, K(K + 1)/2)."""
        p = _shares(eta)
        first, second = np.triu_indices(self.n_scores)
        products = -p[:, first] * p[:, second]
        products[:, first == second] += p
        return np.asarray(products)

    def product(self, y: Array, eta: Array, direction: Array) -> Array:
        """P_k (v_k − Σ_l P_l v_l), shape (n, K)."""
        p = _shares(eta)
        mean = np.einsum("ij,ij->i", p, direction)
        p *= direction - mean[:, None]
        return p


def _shares(eta: Array) -> Array:
    """Exp η_k / Σ_l exp η_l."""
    p = np.exp(eta - eta.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return np.asarray(p)


def unit_step(z: Array) -> Array:
    """0 below zero, ½ at zero and 1 above it: what the logistic function stands in for."""
    return np.heaviside(z, 0.5)
