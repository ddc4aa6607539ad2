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
        starts = range(0, max(T.shape[1], 1), STRIP)  # one, if empty: it says how many classes
        strips = [np.ascontiguousarray(T[:, a : a + STRIP, a:]) for a in starts]
        log_dets = np.array([each.log_det for each in whitenings])
        with np.errstate(divide="ignore"):  # a prior of zero: never this class
            constants = np.log(priors) - 0.5 * log_dets
        return cls(centre, strips, constants)

    def __call__(self, X: Matrix) -> Array:
        """The scores of rows (n, d), of shape (n, K)."""
        n, d = X.shape
        scores = np.empty((n, len(self.constants)))
        step = tile_rows(d)
        for start in range(0, n, step):
            Z = np.ones((min(step, n - start), d + 1))
            np.subtract(dense(X[start : start + step]), self.centre, out=Z[:, :d])
            scores[start : start + step] = squares(Z, self.strips).T
        scores *= -0.5
        scores += self.constants
        return scores


def squares(Z: Array, strips: Sequence[Array]) -> Array:
    """Σ_j (zᵀ t_kj)² for each class and row z of Z (n, d + 1), shape (K, n), in float64."""
    n, n_classes = len(Z), len(strips[0])
    total = np.zeros((n_classes, n))
    group = max(1, 2 * TILE // (n * STRIP))  # classes at a time, for the cache
    for k in range(0, n_classes, group):
        for strip in strips:
            part = strip[k : k + group]
            size, s, length = part.shape
            V = scratch((size * s, n), Z.dtype)
            np.matmul(part.reshape(-1, length), Z[:, -length:].T, out=V)
            V = V.reshape(size, s, n)
            total[k : k + group] += np.einsum("ksn,ksn->kn", V, V)
    return total


def dense(X: Matrix) -> Array:
    """The rows as an array."""
    return np.asarray(X.toarray() if sp.issparse(X) else X)


def centred_product(X: Matrix, centre: Array, basis: Array) -> Array:
    """(X − centre) @ basis; sparse rows stay sparse."""
    if sp.issparse(X):
        return np.asarray(X @ basis - centre @ basis)
    return np.asarray((X - centre) @ basis)
