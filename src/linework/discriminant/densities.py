"""Scores ln π_k + ln f_k(x) of Gaussian classes, for the rows of a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Matrix
from linework.engine import blas_for
from linework.solvers.whitening import Whitening
from linework.stats.centre import TILE, scratch, tile_rows

STRIP = 24
"""Columns of a triangle that are multiplied together: fewer zeros, against wider products."""


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticScores:
    """ln π_k − ½ ln |Σ_k| − ½ (x − m_k)ᵀ Σ_k⁻¹ (x − m_k), for K classes.

    With Σ_k⁻¹ = T_k T_kᵀ and T_k lower triangular, Σ_j (z_jᵀ t_kj)² over the columns t_kj of T_k,
    whose first j − 1 entries are zero.

    Attributes
    ----------
    centre : array of shape (d,)
        A point among the rows, taken off before anything is multiplied.
    strips : sequence of arrays of shape (K, s, d − a + 1)
        Columns a … a + s − 1 of each T_k from row a on, each with −t_kjᵀ(m_k − centre) at its end.
    constants : array of shape (K,)
        ln π_k − ½ ln |Σ_k|.

    Notes
    -----
    About K·d² operations a row, by tiles that stay in the L2 cache.
    """

    centre: Array
    strips: Sequence[Array]
    constants: Array

    @classmethod
    def of(cls, means: Array, priors: Array, whitenings: Sequence[Whitening]) -> QuadraticScores:
        """From means (K, d), priors (K,) and the K whitenings of the covariances."""
        centre = priors @ means
        d = len(centre)
        T = np.zeros((len(means), min(d, max(each.rank for each in whitenings)), d + 1))
        for k, (mean, whitening) in enumerate(zip(means, whitenings, strict=True)):
            with blas_for(d):
                R = np.linalg.qr(whitening.basis.T, mode="r")
            T[k, : len(R), :d] = R
            T[k, : len(R), d] = R @ (centre - mean)
        starts = range(0, T.shape[1], STRIP)
        strips = [np.ascontiguousarray(T[:, a : a + STRIP, a:]) for a in starts]
        log_dets = np.array([each.log_det for each in whitenings])
        with np.errstate(divide="ignore"):  # a prior of zero: never this class
            constants = np.log(priors) - 0.5 * log_dets
        return cls(centre, strips, constants)

    def __call__(self, X: Matrix) -> Array:
        """The scores of rows (n, d), of shape (n, K)."""
        (n, d), n_classes = X.shape, len(self.constants)
        scores = np.empty((n, n_classes))
        step = tile_rows(d)
        group = max(1, 2 * TILE // (step * STRIP))  # classes at a time
        for start in range(0, n, step):
            rows = X[start : start + step]
            Z = np.ones((rows.shape[0], d + 1))
            np.subtract(rows.toarray() if sp.issparse(rows) else rows, self.centre, out=Z[:, :d])
            for k in range(0, n_classes, group):
                squares = sum(_squares(Z, strip[k : k + group]) for strip in self.strips)
                scores[start : start + step, k : k + group] = np.transpose(squares)
        scores *= -0.5
        scores += self.constants
        return scores


def _squares(Z: Array, strip: Array) -> Array:
    """Σ_j (zᵀ t_kj)² for each class and row, shape (K, n), of a strip's columns t_kj."""
    n_classes, s, length = strip.shape
    shape = n_classes * s, len(Z)
    V = np.matmul(
        strip.reshape(-1, length), Z[:, -length:].T, out=scratch(shape, np.float64)
    ).reshape(n_classes, s, -1)
    return np.asarray(np.einsum("ksn,ksn->kn", V, V))


def centred_product(X: Matrix, centre: Array, basis: Array) -> Array:
    """(X − centre) @ basis; sparse rows stay sparse."""
    if sp.issparse(X):
        return np.asarray(X @ basis - centre @ basis)
    return np.asarray((X - centre) @ basis)
