"""The gradient of least squares in twofold precision, for refining a solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array, Block
from linework.stats import twofold
from linework.stats.twofold import Twofold

PIECE = 1 << 14
"""Numbers worked on at a time: twofold arithmetic makes a dozen temporaries of this size."""


@dataclass(frozen=True, slots=True, eq=False)
class TwofoldGradient:
    """Σ w_i z_i (y_i − Bᵀz_i)ᵀ with z = [x, 1]; `a + b` is the sum over both parts' rows.

    Attributes
    ----------
    sums : pair of arrays of shape (d + 1, t)
        High and low part, together right to about 30 digits of the largest term; the last row is
        the sum of the residuals.
    """

    sums: Twofold

    @classmethod
    def from_block(cls, block: Block, coef: Twofold) -> TwofoldGradient:
        """Sums over a dense block at coefficients (d + 1, t), the last row the intercept."""
        rows = block.present()
        d = rows.X.shape[1]
        total = cls((np.zeros_like(coef[0]), np.zeros_like(coef[0])))
        step = max(1, PIECE // (d + 1))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            Z = np.ones((len(rows.X[part]), d + 1))
            Z[:, :d] = rows.X[part]
            w = None if rows.weight is None else rows.weight[part, None]
            total += cls(_piece(Z, rows.targets[part], w, coef))
        return total

    def __add__(self, other: TwofoldGradient) -> TwofoldGradient:
        return TwofoldGradient(twofold.add(self.sums, other.sums))


def _piece(Z: Array, Y: Array, w: Array | None, coef: Twofold) -> Twofold:
    """The sums over rows Z (m, d + 1) with targets Y (m, t), target by target."""
    parts = twofold.split(Z)
    w_parts = None if w is None else twofold.split(w)
    columns = []
    for k in range(Y.shape[1]):
        fit = twofold.dot(Z, parts, (coef[0][:, k], coef[1][:, k]), axis=1)
        r = twofold.add((Y[:, k], np.zeros(len(Y))), (-fit[0], -fit[1]))
        if w is not None and w_parts is not None:
            r = twofold.dot(w, w_parts, (r[0][:, None], r[1][:, None]), axis=1)
        r = r[0][:, None], r[1][:, None]
        columns.append(twofold.dot(Z, parts, r, axis=0))
    high, low = zip(*columns, strict=True)
    return np.stack(high, axis=1), np.stack(low, axis=1)
