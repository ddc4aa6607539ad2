"""One eigendecomposition, every ridge penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.engine import blas_for

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """XᵀX = V diag(λ) Vᵀ with the targets seen along its directions, VᵀXᵀY.

    Attributes
    ----------
    values : array of shape (r,), descending
        λ, without the directions that carry nothing but rounding errors.
    vectors : array of shape (d, r)
        V.
    projected : array of shape (r, t)
        VᵀXᵀY.

    Notes
    -----
    A Gram matrix costs about 9d³, a factor of k rows about 6·k·d·min(k, d) + 20·min(k, d)³. After
    that a penalty costs d·r.
    """

    values: Array
    vectors: Array
    projected: Array

    @classmethod
    def from_gram(cls, gram: Array, cross: Array, noise: float = 0.0) -> Spectrum:
        """From XᵀX (d, d) and XᵀY (d, t); values below eps · d · λ_max are not told from zero.

        Neither are those within ``noise``.
        """
        with blas_for(len(gram)):
            values, vectors = np.linalg.eigh(gram)
            keep = values > max(EPS * len(values) * values[-1], noise)
            vectors = np.ascontiguousarray(vectors[:, keep][:, ::-1])
            return cls(values[keep][::-1], vectors, vectors.T @ cross)

    @classmethod
    def from_factor(cls, R_x: Array, R_y: Array, n_rows: int, noise: float = 0.0) -> Spectrum:
        """From factors of X (k, d) and Y (k, t) of n rows: twice the digits of a Gram matrix.

        Singular values within ``noise`` are not told from zero.
        """
        with blas_for(min(R_x.shape)):
            U, s, Vt = np.linalg.svd(R_x, full_matrices=False)
            keep = s > max(EPS * max(n_rows, R_x.shape[1]) * s.max(initial=0.0), noise)
            s = s[keep]
            return cls(s**2, Vt[keep].T, s[:, None] * (U[:, keep].T @ R_y))

    @property
    def rank(self) -> int:
        """r, the number of directions kept."""
        return len(self.values)

    @property
    def condition(self) -> float:
        """Ratio of the largest to the smallest singular value kept."""
        return float(np.sqrt(self.values[0] / self.values[-1])) if self.rank else 1.0

    def coef(self, alpha: Array) -> Array:
        """Minimise ‖Y − XB‖² + Σ_t α_t ‖b_t‖², shape (d, t), for α of shape (1,) or (t,).

        Of minimum norm where α = 0.
        """
        return self.vectors @ (self.projected / np.add.outer(self.values, alpha))

    def penalised_condition(self, alpha: float) -> float:
        """Condition number of the penalised problem, √((λ_max + α) / (λ_min + α))."""
        largest = self.values.max(initial=0.0)
        least = self.values.min(initial=largest) if self.rank == len(self.vectors) else 0.0
        return float(np.sqrt((largest + alpha) / max(least + alpha, EPS**2 * largest)))

    def explained(self, alphas: Array) -> Array:
        """‖Y‖² − ‖Y − XB(α)‖² for each α and target, shape (alphas, t)."""
        damped = np.add.outer(alphas, self.values)
        share = self.values / damped * (1.0 + alphas[:, None] / damped)
        return np.asarray(share @ (self.projected / np.sqrt(self.values)[:, None]) ** 2)

    def degrees_of_freedom(self, alpha: Array) -> Array:
        """Σ_j λ_j / (λ_j + α) for each α."""
        return np.asarray((self.values[:, None] / np.add.outer(self.values, alpha)).sum(axis=0))
