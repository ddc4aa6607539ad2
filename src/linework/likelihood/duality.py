"""The duality gap of a penalised likelihood: how far its objective is from the minimum, at most."""

from __future__ import annotations

import numpy as np

from linework.data.blocks import Array
from linework.engine import map_reduce
from linework.likelihood.problem import Problem
from linework.stats import Gradient


def duality_gap(problem: Problem, theta: Array) -> float | None:
    """A bound on f(θ) − min f, by one pass over the rows; None where the loss is not convex.

    By Fenchel's duality every u with Σ w u = 0, or any where there is no intercept, gives a bound
    from below. Here u_i = α_i ∇ℓ_i(η_i) with 0 ≤ α ≤ 1, which lies in the domain of the conjugate
    ℓ* with 0 and ∇ℓ; between them ℓ*(α ∇ℓ) ≤ α ℓ*(∇ℓ) + (1 − α) ℓ*(0) leaves no conjugate to be
    known. With V = 1/W Σ w x uᵀ, the penalty Ω and its conjugate Ω*, f less the bound is::

        1/W Σ w (1 − α) (ℓ − min ℓ) + Ω(B) + ⟨B, V⟩ + Ω*(V)

    α is the same for rows of one class, or of one sign of ∇ℓ: so few numbers can make Σ w u zero,
    and V small enough for Ω* to be finite. At the optimum all are one, and the gap is zero.
    """
    loss, l1, l2 = problem.loss, problem.l1_factor, problem.l2[:, None]
    if not loss.convex:
        return None
    coef, intercept = problem.coefficients(theta)

    def by_group(y: Array, eta: Array) -> tuple[Array, Array]:
        value, score = loss.evaluate(y, eta)
        groups = np.hstack([score >= 0.0, score < 0.0]) if score.shape[1] == 1 else _labels(y, eta)
        scores = -score[:, :, None] * groups[:, None, :]
        return (value - loss.least(y))[:, None] * groups, scores.reshape(len(y), -1)

    sums = map_reduce(
        problem.table, lambda block: Gradient.from_block(block, coef, intercept, by_group)
    )
    weight, k = problem.columns.weight, loss.n_scores
    level = sums.intercept.reshape(k, -1)
    slope = sums.centred(problem.centre).reshape(len(coef), k, -1) / weight
    share = np.ones(level.shape[1])
    if problem.fit_intercept:  # the shares next to one for which Σ w u is zero
        share -= np.linalg.lstsq(level, level.sum(axis=1), rcond=1e-10)[0]
        share /= share.max()
    if not (share >= 0.0).all():
        return np.inf
    still = np.isinf(problem.scale[: len(coef)])
    slope[still] = 0.0
    largest = float(np.abs(slope @ share).max(initial=0.0))
    gaps = []
    for shrunk in {1.0, min(1.0, l1 / largest) if largest else 1.0}:
        V = slope @ (shrunk * share)
        over = np.maximum(np.abs(V) - l1 * (1.0 + 1e-15), 0.0)
        with np.errstate(divide="ignore"):
            conjugate = np.divide(over**2, 2.0 * l2, out=np.zeros_like(over), where=over > 0.0)
        lost = float((1.0 - shrunk * share) @ sums.value) / weight
        penalty = l1 * np.abs(coef) + 0.5 * np.square(np.sqrt(l2) * coef)
        gaps.append(lost + float((penalty + coef * V + conjugate).sum()))
    return max(min(gaps), 0.0)


def _labels(y: Array, eta: Array) -> Array:
    """Which row is of which class, (n, K)."""
    return np.asarray(y == np.arange(eta.shape[1]))
