"""What models of Gaussian classes with covariances of their own share: how rows are scored."""

from __future__ import annotations

import numpy as np

from linework.data.blocks import Array, Block
from linework.discriminant.base import ProbabilisticModel
from linework.discriminant.densities import QuadraticScores
from linework.discriminant.screen import Screen

SCREENED = 1 << 10
"""Rows from which a screen in single precision pays for what it prepares."""


class GaussianModel(ProbabilisticModel):
    """A model whose scores are a `QuadraticScores`."""

    _density: QuadraticScores

    def _scores(self, block: Block) -> Array:
        return self._density(block.X)

    def _best(self, block: Block) -> Array:
        if len(block) < SCREENED:
            return super()._best(block)
        with np.errstate(all="ignore"):  # what leaves float32 is not sure
            best, sure = Screen.of(self._density)(block.X)
        if not sure.all():
            best[~sure] = super()._best(block.take(~sure))
        return best
