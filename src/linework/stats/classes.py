"""Moments by class, fold or cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from linework.data.blocks import Array, Block
from linework.stats.moments import Moments


@dataclass(frozen=True, slots=True, eq=False)
class ClassMoments:
    """One `Moments` per group number (a class, or a fold); `a + b` merges group by group.

    Attributes
    ----------
    groups : dict from int to Moments

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.stats import ClassMoments
    >>> block = Block(np.array([[1.0], [3.0], [10.0]]), group=np.array([0, 0, 1]))
    >>> {k: float(m.mean[0]) for k, m in ClassMoments.from_block(block).groups.items()}
    {0: 2.0, 1: 10.0}
    """

    groups: Mapping[int, Moments]

    @classmethod
    def from_block(cls, block: Block) -> ClassMoments:
        """Moments of the rows of each group in the block."""
        return cls({k: Moments.from_block(rows) for k, rows in _by_group(block)})

    def __add__(self, other: ClassMoments) -> ClassMoments:
        merged = dict(self.groups)
        for k, moments in other.groups.items():
            merged[k] = merged[k] + moments if k in merged else moments
        return ClassMoments(merged)

    def __sub__(self, other: ClassMoments) -> ClassMoments:
        missing = sorted(set(other.groups) - set(self.groups))
        if missing:
            raise ValueError(f"Cannot take out rows of group {missing[0]}: none were put in.")
        merged = dict(self.groups)
        for k, moments in other.groups.items():
            merged[k] = merged[k] - moments
        return ClassMoments(merged)

    def total(self, without: int | None = None) -> Moments:
        """Moments of all rows together, or of all but one group's (the training part of a fold)."""
        return reduce(add, (self.groups[k] for k in sorted(self.groups) if k != without))


@dataclass(frozen=True, slots=True, eq=False)
class PooledMoments:
    """Count, weight and mean per class, and one scatter within classes; `a + b` merges both.

    S_w = Σ_k Σ_{i in k} w_i (x_i − m_k)(x_i − m_k)ᵀ of shape (d, d): enough for linear
    discriminants of any number of classes, in K·d + d² numbers.

    Attributes
    ----------
    labels : array of int of shape (K,), ascending
        Group numbers seen.
    count, weight : arrays of shape (K,)
    mean : array of shape (K, d)
    scatter : array of shape (d, d)

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.blocks import Block
    >>> from linework.stats import PooledMoments
    >>> block = Block(np.array([[1.0], [3.0], [10.0]]), group=np.array([0, 0, 1]))
    >>> PooledMoments.from_block(block).scatter
    array([[2.]])
    """

    labels: Array
    count: Array
    weight: Array
    mean: Array
    scatter: Array

    @classmethod
    def from_block(cls, block: Block) -> PooledMoments:
        """Pool the moments of the block's classes."""
        parts = [(k, m) for k, m in ClassMoments.from_block(block).groups.items() if m.count]
        d = block.X.shape[1]
        return cls(
            np.array([k for k, _ in parts], np.intp),
            np.array([m.count for _, m in parts], np.intp),
            np.array([m.weight for _, m in parts], np.float64),
            np.array([m.x_mean for _, m in parts], np.float64).reshape(-1, d),
            sum((m.scatter[:d, :d] for _, m in parts), np.zeros((d, d))),
        )

    def __add__(self, other: PooledMoments) -> PooledMoments:
        return self._merge(other, +1)

    def __sub__(self, other: PooledMoments) -> PooledMoments:
        """Take rows out; each class must keep rows enough (see `Moments.__sub__` for the bound)."""
        result = self._merge(other, -1)
        if (result.count < 0).any() or (result.weight < 0).any():
            raise ValueError("Cannot take out more rows of a class than were put in.")
        if np.any(np.diag(result.scatter) < 1e-9 * np.diag(self.scatter)):
            raise ArithmeticError(
                "Taking out these rows would leave too few correct digits in the scatter within "
                "classes. Fit again on the remaining rows."
            )
        return result

    def _merge(self, other: PooledMoments, sign: int) -> PooledMoments:
        labels = np.union1d(self.labels, other.labels)
        d = self.mean.shape[1]
        count = np.zeros(len(labels), np.intp)
        weight = np.zeros(len(labels))
        mean = np.zeros((len(labels), d))
        mine, theirs = np.searchsorted(labels, self.labels), np.searchsorted(labels, other.labels)
        count[mine] = self.count
        weight[mine] = self.weight
        mean[mine] = self.mean
        w_a = weight[theirs]
        w = w_a + sign * other.weight
        count[theirs] += sign * other.count
        weight[theirs] = np.where(count[theirs] == 0, 0.0, w)
        safe = np.where(weight[theirs] > 0, w, 1.0)
        delta = other.mean - mean[theirs]
        mean[theirs] += delta * (sign * other.weight / safe)[:, None]
        between = (delta * (w_a * other.weight / safe)[:, None]).T @ delta
        kept = count != 0
        return PooledMoments(
            labels[kept],
            count[kept],
            weight[kept],
            mean[kept],
            self.scatter + sign * (other.scatter + between),
        )


def _by_group(block: Block) -> list[tuple[int, Block]]:
    """The block's rows by group number, each group's in their order; one group is a view."""
    if block.group is None:
        raise ValueError("The rows carry no group numbers; give the source some by with_group().")
    labels, inverse = np.unique(block.group, return_inverse=True)
    if len(labels) == 1:
        return [(int(labels[0]), block)]
    order = np.argsort(inverse, kind="stable")
    cuts = np.searchsorted(inverse[order], np.arange(1, len(labels)))
    return [(int(k), block.take(rows)) for k, rows in zip(labels, np.split(order, cuts), strict=True)]
