"""Scores of Gaussian classes for many shares of their own covariances at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.discriminant.regularized import RANK, ClassCovariances, is_singular, mix
from linework.discriminant.screen import UNIT
from linework.solvers.whitening import Whitening
from linework.stats.centre import scratch


@dataclass(frozen=True, slots=True, eq=False)
class AlphaScores:
    """Scores of K classes for every α at once, at one γ.

    With Σ(γ)⁻¹ = WWᵀ and WᵀΣ_kW = U diag(δ) Uᵀ, for v = UᵀWᵀ(x − m_k)::

        (x − m_k)ᵀ Σ_k(α, γ)⁻¹ (x − m_k) = Σ_j v_j² / (α δ_j + 1 − α)
        ln |Σ_k(α, γ)| = ln |Σ(γ)| + Σ_j ln(α δ_j + 1 − α)

    Attributes
    ----------
    bases : array of shape (K·r, d + 1)
        (WU)ᵀ of each class, with −(WU)ᵀ(m_k − c) as last column, for a point c among the rows.
    weights : array of shape (K, A, r)
        −½ / (α δ_j + 1 − α).
    constants : array of shape (K, A, 1)
        ln π_k − ½ ln |Σ_k(α, γ)|.
    known : array of bool of shape (A,)
        Whether every Σ_k(α, γ) has an inverse.
    """

    bases: Array
    weights: Array
    constants: Array
    known: Array

    @classmethod
    def of(
        cls, parts: ClassCovariances, common: Array, alphas: Array, priors: Array, centre: Array
    ) -> AlphaScores:
        """From the parts of the covariances, Σ(γ), and c."""
        whitening = Whitening.of(common, RANK)
        unit = whitening.basis, np.ones(whitening.rank)
        along = [unit if own is None else whitening.along(own) for own in parts.own]
        mixed = np.array([mix(values, alphas).T for _, values in along])
        known: Array = ~np.any([is_singular(each.T) for each in mixed], axis=0)
        mixed[:, ~known] = 1.0
        with np.errstate(divide="ignore"):  # a prior of zero: never this class
            constants = np.log(priors)[:, None] - 0.5 * np.log(mixed).sum(axis=2)
        constants -= 0.5 * whitening.log_det
        bases = [
            np.column_stack([basis.T, (centre - mean) @ basis])
            for mean, (basis, _) in zip(parts.means, along, strict=True)
        ]
        return cls(np.concatenate(bases), -0.5 / mixed, constants[:, :, None], known)

    def __call__(self, Z: Array) -> Array:
        """The scores of rows [x − c, 1] (n, d + 1), of shape (K, A, n)."""
        n_classes, _, rank = self.weights.shape
        V = np.matmul(self.bases, Z.T, out=scratch((len(self.bases), len(Z)), Z.dtype))
        np.square(V, out=V)
        scores: Array = np.matmul(self.weights, V.reshape(n_classes, rank, len(Z)))
        scores += self.constants
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Which rows are told right, for every α, from float32 products where those are sure to tell.

    In units of the columns' spread, let ‖T‖² be the largest Σ_j ‖b_j‖² / (α δ_j + 1 − α) over the
    rows b_j of a class's basis. As for `Screen`, a score ln π − ½ ln |Σ| − ½ q loses at most
    √q e + e²/2 + (r + 7) u q / 2 + 2u |ln π − ½ ln |Σ|| by rounding to u = 6e-8, where
    e = (d + 4) u ‖z‖ ‖T‖. For q ≥ 4e² that grows more slowly than q / 2, so what is true of the
    best two classes is true of those that score less.

    Attributes
    ----------
    exact, single : AlphaScores
        In float64, and in float32 and these units.
    norm : float
        ‖T‖.
    constant : float
        The largest 2 |ln π − ½ ln |Σ||.
    """

    exact: AlphaScores
    single: AlphaScores
    norm: float
    constant: float

    @classmethod
    def of(cls, scores: AlphaScores, spread: Array) -> Hits:
        """For units (d + 1,) of the columns of [x − c, 1]."""
        bases = scores.bases * spread
        lengths = np.square(bases).sum(axis=1).reshape(len(scores.weights), 1, -1)
        norm = float(np.sqrt((-2.0 * scores.weights * lengths).sum(axis=2).max(initial=0.0)))
        single = AlphaScores(
            bases.astype(np.float32),
            scores.weights.astype(np.float32),
            scores.constants.astype(np.float32),
            scores.known,
        )
        finite = scores.constants[np.isfinite(scores.constants)]
        return cls(scores, single, norm, 2.0 * float(np.abs(finite).max()))

    def __call__(self, Z: Array, units: Array, length: Array, true: Array) -> Array:
        """Shape (A, n); a class of number −1 is none of those with scores, and is never told.

        Parameters
        ----------
        Z : array of shape (n, d + 1)
            Rows [x − c, 1].
        units : array of shape (n, d + 1), float32
            The rows in units of the columns' spread.
        length : array of shape (n,)
            ‖z‖ in these units.
        true : array of int of shape (n,)
            The numbers of their classes.
        """
        with np.errstate(all="ignore"):  # what leaves float32 is not sure
            scores = self.single(units)
            at = true, slice(None), np.arange(len(Z))
            own = scores[at].T
            scores[at] = -np.inf
            other = scores.max(axis=0)
            margin = own - other
            far = 2.0 * (self.exact.constants.max() - np.minimum(own, other).min(axis=0))
            e = (Z.shape[1] + 3) * UNIT * self.norm * length
            q = np.maximum(far, 4.0 * e**2)
            error = np.sqrt(q) * e + 0.5 * e**2
            error += UNIT * (0.5 * (self.exact.weights.shape[2] + 7) * q + self.constant)
            unsure = np.flatnonzero(~(np.abs(margin).min(axis=0) > 2.0 * error))
        hits: Array = (margin > 0.0) & (true >= 0)
        if unsure.size:
            best = self.exact(Z[unsure]).argmax(axis=0)
            hits[:, unsure] = best == true[unsure]
        return hits
