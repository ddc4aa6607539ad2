"""Moments of the columns and the indicator matrix, from those by class."""

from __future__ import annotations

import numpy as np

from linework.stats.classes import PooledMoments
from linework.stats.moments import Moments


def indicator_moments(stats: PooledMoments) -> Moments:
    """Moments of [X, Y], Y (n, K) being the indicator matrix.

    About the means m and π = (W_k / W): XᵀX = S_w + S_b, XᵀY has columns W_k (m_k − m), and
    YᵀY = diag(W_k) − W π πᵀ.
    """
    weight, total = stats.weight, float(stats.weight.sum())
    share = weight / total
    mean = share @ stats.mean
    cross = (stats.mean - mean).T * weight
    between = cross @ (stats.mean - mean)
    squares = np.diag(weight) - np.multiply.outer(weight, share)
    scatter = np.block([[stats.scatter + between, cross], [cross.T, squares]])
    noise = np.concatenate([stats.noise, np.zeros(len(weight))])
    n_rows = int(stats.count.sum())
    return Moments(n_rows, total, np.concatenate([mean, share]), scatter, len(weight), noise)
