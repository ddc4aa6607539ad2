"""Scores ln π_k + ln f_k(x) of Gaussian classes, for the rows of a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Matrix
from linework.solvers.whitening import Whitening
from linework.stats.centre import tile_rows


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticScores:
    """ln π_k − ½ ln |Σ_k| − ½ (x − m_k)ᵀ Σ_k⁻¹ (x − m_k), for K classes.

    Attributes
    ----------
    centre : array of shape (d,)
        A point among the rows, taken off before anything is multiplied.
    bases : array of shape (K, d, r)
        W_k with W_k W_kᵀ = Σ_k⁻¹.
    offsets : array of shape (K, r)
        W_kᵀ(m_k − centre).
    constants : array of shape (K,)
        ln π_k − ½ ln |Σ_k|.

    Notes
    -----
    2·K·d² operations a row, by tiles that stay in the L2 cache from class to class.
    """

    centre: Array
    bases: Array
    offsets: Array
    constants: Array

    @classmethod
    def of(cls, means: Array, priors: Array, whitenings: Sequence[Whitening]) -> QuadraticScores:
        """From means (K, d), priors (K,) and the K whitenings of the covariances."""
        centre = priors @ means
        bases = np.array([each.basis for each in whitenings])
        log_dets = np.array([each.log_det for each in whitenings])
        with np.errstate(divide="ignore"):  # a prior of zero: never this class
            constants = np.log(priors) - 0.5 * log_dets
        offsets = np.einsum("kd,kdr->kr", means - centre, bases)
        return cls(centre, bases, offsets, constants)

    def __call__(self, X: Matrix) -> Array:
        """The scores of rows (n, d), of shape (n, K)."""
        n, d = X.shape
        scores = np.empty((n, len(self.bases)))
        step = tile_rows(d)
        for start in range(0, n, step):
            rows = X[start : start + step]
            Z = (rows.toarray() if sp.issparse(rows) else rows) - self.centre
            for k, basis in enumerate(self.bases):
                P = Z @ basis
                P -= self.offsets[k]
                scores[start : start + step, k] = np.einsum("ij,ij->i", P, P)
        scores *= -0.5
        scores += self.constants
        return scores


def centred_product(X: Matrix, centre: Array, basis: Array) -> Array:
    """(X − centre) @ basis; sparse rows stay sparse."""
    if sp.issparse(X):
        return np.asarray(X @ basis - centre @ basis)
    return np.asarray((X - centre) @ basis)
