"""Covariance matrices of classes from their moments, as they are or shrunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_scalar

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.discriminant.base import Undetermined
from linework.engine import map_reduce
from linework.stats import ClassMoments
from linework.stats.centre import tile_rows


def pooled(scatter: Array, weight: Array, unbiased: bool) -> Array:
    """Σ = S_w / (N − K), or S_w / N, for the scatter within K classes of weights (K,)."""
    total, classes = float(weight.sum()), len(weight)
    if total <= classes:
        raise Undetermined(
            f"The number of samples must be more than the number of classes: there are {classes} "
            f"classes in rows of total weight {total:g}, so nothing is left to estimate a "
            "covariance from. Give more rows."
        )
    divided: Array = scatter / (total - classes if unbiased else total)
    return divided


def of_class(scatter: Array, weight: float, unbiased: bool) -> Array:
    """Σ_k = S_k / (N_k − 1), or S_k / N_k."""
    divided: Array = scatter / (weight - 1.0 if unbiased else weight)
    return divided


def shrunk(covariance: Array, share: float) -> Array:
    """(1 − s) Σ + s (tr Σ / d) I."""
    d = len(covariance)
    result: Array = (1.0 - share) * covariance
    result.flat[:: d + 1] += share * covariance.trace() / d
    return result


def check_share(value: Any, name: str) -> None:
    """Raise a sentence unless it is a number from 0 to 1."""
    check_scalar(value, name, Real, min_val=0.0, max_val=1.0)


def oas_share(covariance: Array, weight: float) -> float:
    """How much to shrink towards (tr Σ / d) I by the OAS formula (Chen et al., 2010, eq. 23)."""
    d = len(covariance)
    trace, square = covariance.trace() / d, float(np.square(covariance).mean())
    bound = (weight + 1.0) * (square - trace**2 / d)
    return 1.0 if bound == 0.0 else min(1.0, (square + trace**2) / bound)


def ledoit_wolf_share(covariance: Array, weight: float, fourth: float) -> float:
    """How much to shrink towards (tr Σ / d) I by Ledoit and Wolf (2004).

    With rows z about their mean, Σ = Σ w z zᵀ / N and Σ w ‖z‖⁴ = ``fourth``::

        δ² = ‖Σ − (tr Σ / d) I‖²,  β² = min(δ², (fourth / N − ‖Σ‖²) / N),  s = β² / δ²
    """
    d, square = len(covariance), float(np.square(covariance).sum())
    distance = square - covariance.trace() ** 2 / d
    error = min(distance, (fourth / weight - square) / weight)
    return 0.0 if error <= 0.0 else error / distance


@dataclass(frozen=True, slots=True, eq=False)
class FourthMoments:
    """Σ_{i in k} w_i ‖(x_i − m_k) / s_k‖⁴ for each class, shape (K,); `+` adds."""

    total: Array

    @classmethod
    def from_block(cls, block: Block, means: Array, scales: Array) -> FourthMoments:
        """Of a block whose groups are classes, for means and scales (K, d)."""
        rows = block.present()
        assert rows.group is not None
        total = np.zeros(len(means))
        step = tile_rows(rows.X.shape[1])
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            X, k = rows.X[part], rows.group[part]
            Z = (X.toarray() if sp.issparse(X) else X) - means[k]
            Z /= scales[k]
            squares = np.einsum("ij,ij->i", Z, Z) ** 2
            if rows.weight is not None:
                squares *= rows.weight[part]
            total += np.bincount(k, squares, len(means))
        return cls(total)

    def __add__(self, other: FourthMoments) -> FourthMoments:
        return FourthMoments(self.total + other.total)


def ledoit_wolf(table: Table, stats: ClassMoments) -> Sequence[Array]:
    """Each class's covariance, by N_k, shrunk after Ledoit and Wolf in units of the spread in it.

    One pass for the fourth moments.
    """
    parts = [stats.groups[k] for k in sorted(stats.groups)]
    covariances = [part.scatter / part.weight for part in parts]
    scales = np.sqrt([covariance.diagonal() for covariance in covariances])
    scales[scales == 0.0] = 1.0
    means = np.array([part.mean for part in parts])
    collect = partial(FourthMoments.from_block, means=means, scales=scales)
    result = []
    for part, covariance, scale, fourth in zip(
        parts, covariances, scales, map_reduce(table, collect).total, strict=True
    ):
        units = np.multiply.outer(scale, scale)
        share = ledoit_wolf_share(covariance / units, part.weight, float(fourth))
        result.append(shrunk(covariance / units, share) * units)
    return result
