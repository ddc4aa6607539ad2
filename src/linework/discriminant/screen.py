"""The best of Gaussian classes in single precision, where that is sure to tell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array, Matrix
from linework.discriminant.densities import STRIP, QuadraticScores, dense, squares
from linework.stats.centre import tile_rows

UNIT = float(np.finfo(np.float32).eps) / 2.0
"""Largest relative error of a number rounded to float32."""


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """Scores from float32 products with a bound on their error: twice as fast as in float64.

    With ‖z‖ and the Frobenius norm ‖T_k‖ in units of the columns, d + 1 products and their sum lose
    at most e = (d + 4) u ‖z‖ ‖T_k‖ of ‖T_kᵀz‖ by rounding to u = 6e-8, and so a score loses at most
    ‖T_kᵀz‖ e + e²/2 + (s + 4) u ‖T_kᵀz‖²/2, for sums of s squares.

    Attributes
    ----------
    density : QuadraticScores
    scale : array of shape (d + 1,)
        One over the unit of each column of [x − centre, 1].
    strips : sequence of arrays of shape (K, s, d − a + 1), float32
        Those of the density in these units.
    norms : array of shape (K, 1)
        ‖T_k‖.
    """

    density: QuadraticScores
    scale: Array
    strips: Sequence[Array]
    norms: Array

    @classmethod
    def of(cls, density: QuadraticScores) -> Screen:
        """For the scores of a model."""
        weight = np.zeros(len(density.centre) + 1)
        for strip in density.strips:
            weight[-strip.shape[2] :] += np.square(strip).mean(axis=0).sum(axis=0)
        scale = np.sqrt(np.where(weight > 0.0, weight, 1.0))
        scaled = [strip / scale[-strip.shape[2] :] for strip in density.strips]
        norms = np.sqrt(sum(np.square(strip).sum(axis=(1, 2)) for strip in scaled))
        single = [strip.astype(np.float32) for strip in scaled]
        return cls(density, scale, single, np.reshape(norms, (-1, 1)))

    def __call__(self, X: Matrix) -> tuple[Array, Array]:
        """The number of the best class of each row (n,), and whether it is sure (n,)."""
        n, d = X.shape
        best, sure = np.zeros(n, np.intp), np.zeros(n, bool)
        step = tile_rows(d)
        for start in range(0, n, step):
            rows = slice(start, start + step)
            Z = np.empty((min(step, n - start), d + 1), np.float32)
            centred = dense(X[rows]) - self.density.centre
            np.multiply(centred, self.scale[:d], out=Z[:, :d], casting="same_kind")
            Z[:, d] = self.scale[d]
            best[rows], sure[rows] = self._best(Z)
            if np.count_nonzero(sure[rows]) < len(Z) // 2:  # not worth it for these classes
                break
        return best, sure

    def _best(self, Z: Array) -> tuple[Array, Array]:
        square = squares(Z, self.strips)
        length = np.sqrt(np.einsum("ij,ij->i", Z, Z, dtype=np.float64))
        e = (Z.shape[1] + 3) * UNIT * self.norms * length
        error = np.sqrt(square) * e + 0.5 * e**2 + 0.5 * (STRIP + 4) * UNIT * square
        scores = self.density.constants[:, None] - 0.5 * square
        number = scores.argmax(axis=0)
        at = number, np.arange(len(Z))
        possible = np.count_nonzero(scores + error >= scores[at] - error[at], axis=0)
        return number, possible == 1
