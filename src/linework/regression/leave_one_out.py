"""Every row predicted without itself, for every ridge penalty, in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block, Matrix
from linework.solvers.spectral import EPS, Spectrum
from linework.stats import Moments, RFactor
from linework.stats.centre import tile_rows


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """Leave-one-out errors e_i = r_i / (1 − h_i) of ridge regression.

    With Z = (X − x̄)V the rows along the eigenvectors of the Gram matrix, for each α::

        r_i = y_i − ȳ − z_iᵀ(Λ + αI)⁻¹VᵀXᵀy,    h_i = w_i (1/W + Σ_j z_ij² / (λ_j + α))

    A row of weight w is left out as a whole. Where 1 − h_i is nothing but rounding error, the row
    alone determines some coefficient, and its error counts as infinite. 2d²
    operations a row, and d·t more for each α.
    """

    spectrum: Spectrum
    stats: Moments | RFactor
    alphas: Array
    fit_intercept: bool

    def errors(self, block: Block) -> Array:
        """Errors of the block's rows, shape (rows, alphas, t)."""
        return self._errors(block.X, block.targets, block.weight)

    def squared(self, block: Block) -> Array:
        """Σ w_i e_i² over the block, shape (alphas, t)."""
        block = block.present()
        X, Y, w = block.X, block.targets, block.weight
        total = np.zeros((len(self.alphas), Y.shape[1]))
        step = len(block) if sp.issparse(X) else tile_rows(X.shape[1])
        for start in range(0, len(block), step):
            rows = slice(start, start + step)
            weight = np.ones(len(Y[rows])) if w is None else w[rows]
            squares = self._errors(X[rows], Y[rows], weight) ** 2
            total += np.tensordot(weight, squares, axes=1)
        return total

    def _errors(self, X: Matrix, Y: Array, weight: Array | None) -> Array:
        spectrum, stats = self.spectrum, self.stats
        Z = np.asarray(X @ spectrum.vectors)
        if self.fit_intercept:
            Z -= stats.x_mean @ spectrum.vectors
            Y = Y - stats.y_mean
        damped = np.add.outer(spectrum.values, self.alphas)
        through_all = spectrum.rank + self.fit_intercept == stats.count
        if through_all and (weight is None or weight.all()):
            errors: Array = self._of_interpolation(Z, damped)
            return errors if weight is None else errors / weight[:, None, None]
        coef = spectrum.projected[:, None, :] / damped[:, :, None]
        errors = Y[:, None, :] - np.tensordot(Z, coef, axes=1)
        leverage = np.square(Z, out=Z) @ (1.0 / damped)
        if self.fit_intercept:
            leverage += 1.0 / stats.weight
        if weight is not None:
            leverage *= weight[:, None]
        rest = 1.0 - leverage
        known = rest > 4.0 * EPS
        if known.all():
            errors /= rest[:, :, None]
            return errors
        return np.where(known[:, :, None], errors / np.where(known, rest, 1.0)[:, :, None], np.inf)

    def _of_interpolation(self, Z: Array, damped: Array) -> Array:
        """Errors where the fit without a penalty goes through every row.

        There r_i and 1 − h_i are both what α adds, Σ_j z_ij p_j α / (λ_j (λ_j + α)) with p = VᵀXᵀy,
        and w_i Σ_j z_ij² α / (λ_j (λ_j + α)): small differences of numbers near one, otherwise.
        """
        share = self.alphas / damped / self.spectrum.values[:, None]
        r = np.tensordot(Z, share[:, :, None] * self.spectrum.projected[:, None, :], axes=1)
        rest = np.square(Z, out=Z) @ share
        return np.asarray(r / rest[:, :, None])
