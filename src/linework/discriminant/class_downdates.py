"""Leave-one-out scores of Gaussian classes that have covariances of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array, Block
from linework.discriminant.densities import QuadraticScores, centred_product
from linework.discriminant.downdates import downdated_density, rank_limit
from linework.discriminant.leave_one_out import Removal, tiles
from linework.solvers.whitening import Whitening
from linework.stats import ClassMoments

TILE = 1 << 18
"""Numbers held at a time in matrices of one row each."""

CORNER = 1e300
"""Stands for infinity in a matrix that is factorised."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassAxes:
    """A basis B along which Σ_k = a S_k / f + t tr S_k / f · I + r I is diagonal for every f.

    Attributes
    ----------
    basis : array of shape (d, d)
        B.
    values : array of shape (d,)
        Of a S_k along it.
    ridge : array of shape (d,)
        Of r I along it.
    scale, spread : float
        a and t.
    trace : float
        tr S_k.
    log_det : float
        What ln |Σ_k| is larger by than ln |BᵀΣ_kB|.
    limit : float
        As by `rank_limit`.
    """

    basis: Array
    values: Array
    ridge: Array
    scale: float
    spread: float
    trace: float
    log_det: float
    limit: float

    @classmethod
    def of(
        cls,
        scatter: Array,
        divisor: float,
        covariance: Array,
        *,
        shrinkage: float,
        ridge: float,
        tol: float,
    ) -> ClassAxes:
        """Of Σ_k = (1 − r)((1 − s) S_k / f + s (tr S_k / d) / f · I) + r I, ``covariance``."""
        d, trace = len(scatter), float(scatter.trace())
        scale, spread = (1.0 - ridge) * (1.0 - shrinkage), (1.0 - ridge) * shrinkage / d
        whitening = Whitening.of(covariance, tol)
        limit = rank_limit(whitening, covariance, tol)
        if spread:  # what is added is no less than rounding errors of the eigenvalues
            values, basis = np.linalg.eigh(scatter)
            values = scale * np.maximum(values, 0.0)
            return cls(basis, values, np.full(d, ridge), scale, spread, trace, 0.0, limit)
        basis, values = whitening.basis, np.full(d, divisor)
        if ridge:
            basis, values = whitening.along(scale * scatter)
        rest = np.maximum(1.0 - values / divisor, 0.0)
        return cls(basis, values, rest, scale, spread, trace, whitening.log_det, limit)


@dataclass(frozen=True, slots=True, eq=False)
class OwnDowndates:
    """Classes of covariances Σ_k: leaving a row out moves that of its own class, by one rank.

    Attributes
    ----------
    count, weight : arrays of shape (K,)
    means : array of shape (K, d)
    priors : array of shape (K,) or None
    density : QuadraticScores
        Of equal priors.
    axes : sequence of K ClassAxes
    unbiased : bool
    """

    count: Array
    weight: Array
    means: Array
    priors: Array | None
    density: QuadraticScores
    axes: Sequence[ClassAxes]
    unbiased: bool

    def __call__(self, block: Block) -> tuple[Array, Array]:
        """As by `Update`."""
        removal = Removal.of(block, self.count, self.weight)
        scores = self.density(block.X) + removal.log_priors(self.priors)
        scores += np.log(len(self.weight))
        known = removal.known.copy()
        for k in np.unique(removal.own):
            mine = np.flatnonzero(removal.own == k)
            axes, stretch, grown = self.axes[k], removal.stretch[mine], removal.grown[mine]
            f = removal.rest[mine] - self.unbiased
            known[mine] &= f > 0.0
            f = np.where(f > 0.0, f, 1.0)
            U = centred_product(block.X[mine], self.means[k], axes.basis)
            D = np.broadcast_to(axes.values / f[:, None] + axes.ridge, U.shape)
            kept = 1.0
            if axes.spread:
                trace = axes.trace - grown * np.einsum("ij,ij->i", U, U)
                kept = trace / axes.trace
                D = D + (axes.spread * trace / f)[:, None]
            b = axes.scale * grown / f
            square, left = downdated_density(stretch[:, None] * U, U, D, b)
            known[mine] &= left * np.minimum(kept, 1.0) > axes.limit
            prior = removal.rest[mine] if self.priors is None else self.priors[k]
            with np.errstate(divide="ignore"):
                scores[mine, k] = np.log(prior) - 0.5 * (square + axes.log_det)
        return scores, known


@dataclass(frozen=True, slots=True, eq=False)
class MixedDowndates:
    """Classes of covariances α Σ_k + (1 − α) Σ, with Σ and Σ_k diagonal together along a basis.

    Attributes
    ----------
    count, weight : arrays of shape (K,)
    means : array of shape (K, d)
    priors : array of shape (K,) or None
    bases : sequence of K arrays of shape (d, d)
        B with BᵀΣB = I.
    values : sequence of K arrays of shape (d,)
        Of Σ_k along it.
    alphas : array of shape (K,)
        α; 0 for a class of one row.
    limit : float
        As by `rank_limit`, of Σ.
    unbiased : bool
    """

    count: Array
    weight: Array
    means: Array
    priors: Array | None
    bases: Sequence[Array]
    values: Sequence[Array]
    alphas: Array
    limit: float
    unbiased: bool

    def __call__(self, block: Block) -> tuple[Array, Array]:
        """As by `Update`."""
        removal = Removal.of(block, self.count, self.weight)
        scores = removal.log_priors(self.priors)
        n_classes, total = len(self.weight), float(self.weight.sum())
        before = total - self.unbiased * n_classes
        after = removal.total - self.unbiased * removal.n_classes
        known = removal.known & (removal.total > removal.n_classes)
        after = np.where(known, after, 1.0)
        for k in range(n_classes):
            U = centred_product(block.X, self.means[0], self.bases[k])
            along = (self.means - self.means[0]) @ self.bases[k]
            P = U - along[k]
            U -= along[removal.own]
            if k == 0:
                left = 1.0 - removal.grown / before * np.einsum("ij,ij->i", U, U)
                known &= left > self.limit
            mine = removal.own == k
            P[mine] = removal.stretch[mine, None] * U[mine]
            alpha, own = _own_share(removal, k, self.alphas[k], self.weight[k], self.unbiased)
            common = (1.0 - alpha) / after
            D = np.multiply.outer(alpha * own.factor, self.values[k])
            D += (common * before)[:, None]
            square, left = downdated_density(P, U, D, removal.grown * (common + alpha * own.pull))
            known &= left * D.min(axis=1) > 1e-10 * D.max(axis=1)
            scores[:, k] -= 0.5 * square
        return scores, known


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """What Σ_k becomes: ``factor`` Σ_k − ``pull`` c zzᵀ, for each row (n,)."""

    factor: Array
    pull: Array


def _own_share(
    removal: Removal, k: int, alpha: float, weight: float, unbiased: bool
) -> tuple[Array, Own]:
    """α for class k, 0 where a row is left of it, and what Σ_k becomes without each row."""
    mine = removal.own == k
    f = np.where(mine, removal.rest, weight) - unbiased
    alphas = np.where(mine & (removal.rest <= 1.0), 0.0, alpha)
    f = np.where(alphas > 0.0, f, 1.0)
    factor = np.where(mine & (alphas > 0.0), (weight - unbiased) / f, 1.0)
    return alphas, Own(factor, np.where(mine & (alphas > 0.0), 1.0 / f, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class FactorisedMixtures:
    """Classes of covariances α Σ_k + (1 − α)(γ Σ + (1 − γ) T) for any γ, a matrix for each row.

    Without a row, T moves by more than one rank. So the matrices of each row are formed and
    factorised: K·d³ / 3 operations a row, or d³ / 3 for α = 0.

    Attributes
    ----------
    stats : ClassMoments
    priors : array of shape (K,) or None
    alpha, gamma : float
    target : str
    unbiased : bool
    """

    stats: ClassMoments
    priors: Array | None
    alpha: float
    gamma: float
    target: str
    unbiased: bool

    def __call__(self, block: Block) -> tuple[Array, Array]:
        """As by `Update`."""
        parts = [self.stats.groups[k] for k in sorted(self.stats.groups)]
        pooled = np.sum([part.scatter for part in parts], axis=0)
        keep = pooled.diagonal() > 0.0
        if self.target == "identity":
            keep[:] = True
        scale = np.sqrt(pooled.diagonal()[keep])
        if self.target == "identity":
            scale = np.full(len(scale), max(np.sqrt(pooled.trace() / len(scale)), 1e-300))
        units = np.multiply.outer(scale, scale)
        scatters = [part.scatter[np.ix_(keep, keep)] / units for part in parts]
        means = np.array([part.mean[keep] for part in parts]) / scale
        count = np.array([part.count for part in parts])
        weight = np.array([part.weight for part in parts])
        found = []
        for rows in tiles(block, max(1, TILE // (len(scale) + 1) ** 2)):
            removal = Removal.of(rows, count, weight)
            X = rows.X.toarray() if hasattr(rows.X, "toarray") else rows.X
            found.append(self._score(X[:, keep] / scale, removal, scatters, means))
        scores, known = zip(*found, strict=True)
        return np.concatenate(scores), np.concatenate(known)

    def _score(
        self, X: Array, removal: Removal, scatters: Sequence[Array], means: Array
    ) -> tuple[Array, Array]:
        scores = removal.log_priors(self.priors)
        n, d = X.shape
        Z = X - means[removal.own]
        lost = removal.grown[:, None, None] * Z[:, :, None] * Z[:, None, :]
        after = removal.total - self.unbiased * removal.n_classes
        known = removal.known & (removal.total > removal.n_classes)
        after = np.where(known, after, 1.0)
        within = np.sum(scatters, axis=0) - lost
        within /= after[:, None, None]
        spread = np.einsum("ijj->ij", within).copy()
        if self.target == "identity":
            spread[:] = spread.mean(axis=1, keepdims=True)
        # In units of the columns' scatter: without the row, some is left.
        known &= (spread * after[:, None] > 1e-9).all(axis=1)
        common = self.gamma * within
        np.einsum("ijj->ij", common)[:] += (1.0 - self.gamma) * spread  # a view
        bordered = np.empty((n, d + 1, d + 1))
        bordered[:, d, d] = CORNER
        for k, (scatter, mean, weight) in enumerate(
            zip(scatters, means, removal.weight, strict=True)
        ):
            mine = removal.own == k
            P = X - mean
            P[mine] = removal.stretch[mine, None] * Z[mine]
            base = self.alpha if weight > 1.0 else 0.0
            alpha, own = _own_share(removal, k, base, weight, self.unbiased)
            M = bordered[:, :d, :d]
            np.multiply(common, (1.0 - alpha)[:, None, None], out=M)
            if base:
                M += (alpha * own.factor)[:, None, None] * (scatter / (weight - self.unbiased))
                M -= (alpha * own.pull)[:, None, None] * lost
            bordered[:, d, :d] = P
            widths = np.einsum("ijj->ij", M).copy()
            try:
                L = np.linalg.cholesky(bordered)
            except np.linalg.LinAlgError:
                return scores, np.zeros(n, bool)
            # The last row of the factor of [[M, p], [pᵀ, ∞]] = LLᵀ is M^(−½) p.
            pivots = np.square(np.einsum("ijj->ij", L)[:, :d])
            known &= (pivots > 1e-8 * widths).all(axis=1)
            square = np.square(L[:, d, :d]).sum(axis=1)
            scores[:, k] -= 0.5 * (square + np.log(pivots).sum(axis=1))
        return scores, known
