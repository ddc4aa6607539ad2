"""Coordinates in which a covariance is the identity, and the directions that tell classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.engine import blas_for


@dataclass(frozen=True, slots=True, eq=False)
class Whitening:
    """W with WᵀΣW = I, for a covariance matrix Σ of shape (d, d).

    Attributes
    ----------
    basis : array of shape (d, r)
        W, of the r directions in which the columns vary.
    log_det : float
        ln |Σ|, or of Σ on those directions.

    Notes
    -----
    With D = diag(Σ)^½ and the correlations D⁻¹ΣD⁻¹ = V diag(λ) Vᵀ, W = D⁻¹V diag(λ)^−½: the scale
    of a column changes neither rank nor digits. 9d³ operations.
    """

    basis: Array
    log_det: float

    @classmethod
    def of(cls, covariance: Array, tol: float) -> Whitening:
        """Keep the directions whose standard deviation, of correlations, is above ``tol``."""
        scale = np.sqrt(covariance.diagonal())
        scale = np.where(scale > 0.0, scale, 1.0)
        with blas_for(len(scale)):
            values, vectors = np.linalg.eigh(covariance / np.multiply.outer(scale, scale))
        keep = values > max(tol * tol, np.finfo(np.float64).eps * len(scale))
        values, vectors = values[keep][::-1], vectors[:, keep][:, ::-1]
        basis = np.ascontiguousarray(vectors / np.sqrt(values) / scale[:, None])
        return cls(basis, float(np.log(values).sum() + 2.0 * np.log(scale).sum()))

    def along(self, other: Array) -> tuple[Array, Array]:
        """WU (d, r) and δ (r,), descending, where Wᵀ Σ' W = U diag(δ) Uᵀ for another covariance.

        Σ and Σ' are both diagonal in these coordinates, and so is every mixture of them.
        """
        with blas_for(self.rank):
            values, vectors = np.linalg.eigh(self.basis.T @ other @ self.basis)
            return self.basis @ vectors[:, ::-1], np.maximum(values[::-1], 0.0)

    @property
    def rank(self) -> int:
        """r, the number of directions kept."""
        return int(self.basis.shape[1])

    @property
    def is_full(self) -> bool:
        """Whether Σ has an inverse."""
        return self.rank == len(self.basis)


def discriminant_directions(
    whitening: Whitening, means: Array, share: Array, tol: float
) -> tuple[Array, Array]:
    """Solve S_b w = λ Σ w for the between-class scatter S_b = Σ_k s_k (m_k − m)(m_k − m)ᵀ.

    Parameters
    ----------
    whitening : Whitening
        Of Σ.
    means : array of shape (K, d)
        m_k − m, where m = Σ_k s_k m_k / Σ_k s_k.
    share : array of shape (K,)
        s_k.
    tol : float
        Directions are kept whose √λ is above this share of the largest.

    Returns
    -------
    Directions (d, r), r < K, with WᵀΣW = I, each signed so that its largest entry in units of the
    columns' spread is positive, and λ (r,) in descending order.
    """
    with blas_for(min(means.shape)):
        _, s, Vt = np.linalg.svd(
            np.sqrt(share)[:, None] * means @ whitening.basis, full_matrices=False
        )
    s, Vt = s[: len(means) - 1], Vt[: len(means) - 1]
    keep = s > tol * s.max(initial=0.0)
    directions = whitening.basis @ Vt[keep].T
    spread = 1.0 / np.maximum(np.abs(whitening.basis).max(axis=1, initial=0.0), 1e-300)
    return signed(directions, spread), s[keep] ** 2


def signed(directions: Array, spread: Array) -> Array:
    """Directions (d, r), each with its largest entry · spread (d,) positive."""
    if not directions.size:
        return directions
    largest = np.abs(directions * spread[:, None]).argmax(axis=0)
    sign = np.sign(directions[largest, np.arange(directions.shape[1])])
    return directions * np.where(sign == 0.0, 1.0, sign)
