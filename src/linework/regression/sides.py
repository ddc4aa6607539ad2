"""Regressions as learners of two classes: on targets 0 and 1."""

from __future__ import annotations

from typing import Self

import numpy as np

from linework.data.blocks import Array
from linework.dichotomies import FromMoments, TwoSides, regression_planes, unknown
from linework.regression.base import ClosedForm
from linework.stats import Moments, PooledMoments
from linework.stats.indicator import indicator_moments


class SidesRegression(FromMoments, ClosedForm):
    """A regression that is solved from moments, fitted to two groups of classes."""

    positive: bool

    def fit_sides(self, stats: PooledMoments) -> Self:
        """Fit to targets 0 and 1 for two groups of classes, as of a column of a coding matrix.

        Parameters
        ----------
        stats : PooledMoments
            Of groups 0 and 1.

        Returns
        -------
        self
        """
        moments = indicator_moments(stats)
        kept = np.delete(np.arange(len(moments.mean)), moments.n_features)
        return self.fit_stats(
            Moments(
                moments.count,
                moments.weight,
                moments.mean[kept],
                moments.scatter[np.ix_(kept, kept)],
                1,
                moments.noise[kept],
            )
        )

    def hyperplanes(self, sides: TwoSides) -> tuple[Array, Array, Array]:
        """2 f(x) − 1 = wᵀx + b for the regressions f of many problems of two groups of classes.

        Parameters
        ----------
        sides : TwoSides

        Returns
        -------
        w (M, d), b (M,), and which are known (M,)
        """
        alpha = self._squares_penalty()
        if alpha is None or self.positive or not self.fit_intercept:
            return unknown(sides)
        return regression_planes(sides, alpha)

    def _squares_penalty(self) -> float | None:
        """The α of the model if it is min ‖y − Xβ‖² + α‖β‖²."""
        return None
