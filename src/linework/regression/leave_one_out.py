"""Every row predicted without itself, for every ridge penalty, in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array, Block
from linework.solvers.spectral import EPS, Spectrum
from linework.stats import Moments, RFactor


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
        spectrum, stats = self.spectrum, self.stats
        Z = np.asarray(block.X @ spectrum.vectors)
        Y = block.targets
        if self.fit_intercept:
            Z = Z - stats.x_mean @ spectrum.vectors
            Y = Y - stats.y_mean
        damped = np.add.outer(spectrum.values, self.alphas)
        coef = spectrum.projected[:, None, :] / damped[:, :, None]
        fitted = np.tensordot(Z, coef, axes=1)
        leverage = Z**2 @ (1.0 / damped)
        if self.fit_intercept:
            leverage += 1.0 / stats.weight
        if block.weight is not None:
            leverage *= block.weight[:, None]
        rest = (1.0 - leverage)[:, :, None]
        known = rest > 4.0 * EPS
        return np.where(known, (Y[:, None, :] - fitted) / np.where(known, rest, 1.0), np.inf)

    def squared(self, block: Block) -> Array:
        """Σ w_i e_i² over the block, shape (alphas, t)."""
        block = block.present()
        squares = self.errors(block) ** 2
        weight = np.ones(len(squares)) if block.weight is None else block.weight
        return np.asarray(np.tensordot(weight, squares, axes=1))
