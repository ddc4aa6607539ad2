"""Leave-one-out scores by rank-one updates (Sherman and Morrison) of covariances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linework.data.blocks import Array, Block
from linework.discriminant.covariances import pooled, shrunk
from linework.discriminant.densities import centred_product
from linework.discriminant.leave_one_out import Removal
from linework.engine import blas_for
from linework.solvers.whitening import Whitening
from linework.stats import PooledMoments

EPS = float(np.finfo(np.float64).eps)


def rank_limit(whitening: Whitening, covariance: Array, tol: float) -> float:
    """The factor by which Σ may shrink in some direction and keep its rank by ``tol``.

    A downdate Σ' = Σ − b zzᵀ is ρ Σ or more for ρ = 1 − b zᵀΣ⁻¹z, and its correlations no less.
    """
    least = 1.0 / (covariance.diagonal() @ np.square(whitening.basis)).max(initial=1e-300)
    return float(max(tol * tol, EPS * len(covariance)) / least)


@dataclass(frozen=True, eq=False)
class Downdated:
    """Rows in coordinates in which Σ' f' = diag(D) − b uuᵀ, for each row its own Σ'.

    Attributes
    ----------
    P : array of shape (n, r)
        x − x̄.
    U : array of shape (n, r)
        u: x − m_g.
    R : array of shape (n, r)
        1 / D.
    divisor : array of shape (n,)
        f'.
    pull : array of shape (n,)
        b / (1 − b uᵀD⁻¹u), by which D⁻¹uuᵀD⁻¹ is added to D⁻¹.
    means : array of shape (K, r)
        m_k − x̄, of all rows.
    removal : Removal
    known : array of bool of shape (n,)
        Where 1 − b uᵀD⁻¹u is not so small that Σ' might lose a direction.
    """

    P: Array
    U: Array
    R: Array
    divisor: Array
    pull: Array
    means: Array
    removal: Removal
    known: Array

    @cached_property
    def UR(self) -> Array:
        """D⁻¹u."""
        product: Array = self.U * self.R
        return product

    def inner(self, A: Array, B: Array) -> Array:
        """aᵀΣ'⁻¹b for each row, of vectors (n, r) or (r,)."""
        plain = np.einsum("ij,ij->i", A * self.R, B)
        along = np.einsum("ij,ij->i", self.UR, A) * np.einsum("ij,ij->i", self.UR, B)
        result: Array = self.divisor * (plain + self.pull * along)
        return result

    def solve(self, A: Array) -> Array:
        """Σ'⁻¹a for each row, of vectors (n, r)."""
        along = self.pull * np.einsum("ij,ij->i", self.UR, A)
        result: Array = self.divisor[:, None] * (A * self.R + along[:, None] * self.UR)
        return result

    def squares(self) -> Array:
        """(x − m_k')ᵀΣ'⁻¹(x − m_k') for each row and class, shape (n, K)."""
        PR, M = self.P * self.R, self.means
        square: Array = np.einsum("ij,ij->i", PR, self.P)[:, None] - 2.0 * (PR @ M.T)
        square += self.R @ np.square(M).T
        along = np.einsum("ij,ij->i", self.UR, self.P)[:, None] - self.UR @ M.T
        np.square(along, out=along)
        along *= self.pull[:, None]
        square += along
        square *= self.divisor[:, None]
        own = self.removal.stretch**2 * self.inner(self.U, self.U)
        square[np.arange(len(own)), self.removal.own] = own
        return square


@dataclass(frozen=True, slots=True, eq=False)
class PooledDowndate:
    """Rows along axes of the scatter within classes, and what S_w − c zzᵀ is in them.

    With ``share`` = s, Σ' f' = (1 − s)(S_w − c zzᵀ) + s (tr S_w − c ‖z‖²) / d · I, which is
    diagonal along the eigenvectors of S_w, but for one rank. Without, S_w is whitened instead.

    Attributes
    ----------
    count, weight : arrays of shape (K,)
    centre : array of shape (d,)
        x̄.
    basis : array of shape (d, r)
    values : array of shape (r,)
        Of (1 − s) S_w along the basis.
    means : array of shape (K, r)
        m_k − x̄ along it.
    share, trace : float
        s, and s tr S_w / d.
    limit : float
        See `rank_limit`.
    unbiased : bool
    """

    count: Array
    weight: Array
    centre: Array
    basis: Array
    values: Array
    means: Array
    share: float
    trace: float
    limit: float
    unbiased: bool

    @classmethod
    def of(
        cls, stats: PooledMoments, share: float, tol: float, unbiased: bool
    ) -> PooledDowndate | None:
        """From statistics; None where Σ has no inverse and which one is taken would matter."""
        weight, total = stats.weight, float(stats.weight.sum())
        centre = weight @ stats.mean / total
        centred = stats.mean - centre
        covariance = shrunk(pooled(stats.scatter, weight, unbiased), share)
        whitening = Whitening.of(covariance, tol)
        if not (whitening.is_full or (not share and spans(whitening, covariance, centred))):
            return None
        divisor = total - unbiased * len(weight)
        basis, values, trace = whitening.basis, np.full(whitening.rank, divisor), 0.0
        if share:
            with blas_for(len(covariance)):
                found, basis = np.linalg.eigh(stats.scatter)
            values = (1.0 - share) * np.maximum(found, 0.0)
            trace = share * float(stats.scatter.trace()) / len(covariance)
        limit = rank_limit(whitening, covariance, tol)
        return cls(
            stats.count,
            weight,
            centre,
            basis,
            values,
            centred @ basis,
            share,
            trace,
            limit,
            unbiased,
        )

    def __call__(self, block: Block) -> Downdated:
        """The rows of a block, each with the Σ' of the others."""
        removal = Removal.of(block, self.count, self.weight)
        P = centred_product(block.X, self.centre, self.basis)
        U = P - self.means[removal.own]
        D, kept = self.values, 1.0
        if self.share:
            each = self.share / len(self.basis) * removal.grown
            trace = self.trace - each * np.einsum("ij,ij->i", U, U)
            D, kept = self.values + trace[:, None], trace / self.trace
        R = np.broadcast_to(1.0 / D, U.shape)
        b = (1.0 - self.share) * removal.grown
        left = 1.0 - b * np.einsum("ij,ij->i", U * R, U)
        divisor = removal.total - self.unbiased * removal.n_classes
        known = removal.known & (left * kept > self.limit) & (removal.total > removal.n_classes)
        pull = b / np.where(known, left, 1.0)
        return Downdated(P, U, R, divisor, pull, self.means, removal, known)


def spans(whitening: Whitening, covariance: Array, points: Array) -> bool:
    """Whether points (K, d) are combinations of the columns of Σ: all its inverses agree there."""
    inside = points @ whitening.basis @ (whitening.basis.T @ covariance)
    off = np.abs(inside - points).max(axis=0)
    return bool((off <= 1e-9 * np.sqrt(covariance.diagonal())).all())


@dataclass(frozen=True, slots=True, eq=False)
class PooledScores:
    """Leave-one-out scores of Gaussian classes of one covariance."""

    downdate: PooledDowndate
    priors: Array | None

    def __call__(self, block: Block) -> tuple[Array, Array]:
        """As by `Update`."""
        rows = self.downdate(block)
        scores = rows.removal.log_priors(self.priors)
        scores -= 0.5 * rows.squares()
        return scores, rows.known


@dataclass(frozen=True, slots=True, eq=False)
class FisherScores:
    """Leave-one-out scores of Fisher's discriminant along all of its directions.

    Attributes
    ----------
    downdate : PooledDowndate
    threshold : str
        As in `FisherDiscriminant`.
    scatters : sequence of arrays of shape (r, r)
        Of each of two classes, S_k along the basis; for "equal-density" only.
    """

    downdate: PooledDowndate
    threshold: str
    scatters: Sequence[Array] = ()

    def __call__(self, block: Block) -> tuple[Array, Array]:
        """As by `Update`."""
        rows = self.downdate(block)
        removal, n_classes = rows.removal, len(rows.means)
        off = rows.P * (removal.weight.sum() / removal.total)[:, None]  # x − m'
        known = rows.known & ~removal.alone  # with a class less there is a direction less
        if n_classes > 2:
            return 0.5 * (rows.inner(off, off)[:, None] - rows.squares()), known
        sign = np.where(removal.own == 1, -1.0, 1.0)
        apart = rows.means[1] - rows.means[0] + (sign * (removal.stretch - 1.0))[:, None] * rows.U
        distance = np.sqrt(rows.inner(apart, apart))
        share = np.tile(removal.weight, (len(sign), 1))
        share[np.arange(len(sign)), removal.own] = removal.rest
        share /= removal.total[:, None]
        cut = distance * (0.5 - share[:, 1])
        if self.threshold == "prior":
            cut += np.log(share[:, 0] / share[:, 1]) / distance
        elif self.scatters:
            first, second = self._variances(rows, rows.solve(apart) / distance[:, None])
            known &= (first > 0.0) & (second > 0.0)
            cut += equal_density(distance, first, second) - 0.5 * distance
        along = rows.inner(apart, off) / distance
        return np.column_stack([np.zeros(len(along)), along - cut]), known

    def _variances(self, rows: Downdated, W: Array) -> list[Array]:
        """Of both classes along directions (n, r), by weight, without the row."""
        removal, found = rows.removal, []
        lost = removal.grown * np.einsum("ij,ij->i", W, rows.U) ** 2
        for k, scatter in enumerate(self.scatters):
            mine = removal.own == k
            left = np.einsum("ij,ij->i", W @ scatter, W) - np.where(mine, lost, 0.0)
            found.append(left / np.where(mine, removal.rest, removal.weight[k]))
        return found


def equal_density(distance: Any, first: Any, second: Any) -> Any:
    """Where Gaussian densities of variances a and b cross, from the mean of the first.

    The root of t²/a + ln a = (t − Δ)²/b + ln b, for means that are Δ apart, nearer to Δ / 2::

        t = √a (Δ² + b ln(b/a)) / (√a Δ + √b √(Δ² + (b − a) ln(b/a)))
    """
    a, b = np.sqrt(first), np.sqrt(second)
    logs = np.log(second) - np.log(first)
    root = np.sqrt(distance**2 + (second - first) * logs)
    return a * (distance**2 + second * logs) / (a * distance + b * root)


def downdated_density(P: Array, U: Array, D: Array, b: Array) -> tuple[Array, Array]:
    """Ln |A| + pᵀA⁻¹p for A = diag(D) − b uuᵀ, row by row, and 1 − b uᵀD⁻¹u.

    P, U and D are of shape (n, r), b of (n,).
    """
    UR = U / D
    left = 1.0 - b * np.einsum("ij,ij->i", UR, U)
    some = np.where(left > 0.0, left, 1.0)
    square = np.einsum("ij,ij->i", P / D, P)
    square += b / some * np.einsum("ij,ij->i", UR, P) ** 2
    return square + np.log(D).sum(axis=1) + np.log(some), left
