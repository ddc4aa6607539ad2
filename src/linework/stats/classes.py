"""Moments by class, fold or cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from linework.data.blocks import Array, Block
from linework.stats.centre import in_single
from linework.stats.checks import (
    reject_bad_merge,
    reject_bad_range,
    removal_rounding,
    require_digits,
    require_rows,
    require_same_columns,
    require_weight,
)
from linework.stats.moments import Moments
from linework.stats.within import by_class, within_products


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
        return cls({k: Moments.from_block(part) for k, part in grouped(block, block.group)})

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
        return ClassMoments({k: moments for k, moments in merged.items() if moments.count})

    def total(self, without: int | None = None) -> Moments:
        """Moments of all rows together, or of all but one group's (the training part of a fold)."""
        parts = [self.groups[k] for k in sorted(self.groups) if k != without]
        if not parts:
            besides = "" if without is None else f" besides group {without}"
            raise ValueError(f"There are no rows{besides}: give at least one of positive weight.")
        return reduce(add, parts)

    def pooled(self) -> PooledMoments:
        """The classes with one scatter for all."""
        labels = sorted(self.groups)
        parts = [self.groups[k] for k in labels]
        return PooledMoments(
            np.array(labels, np.intp),
            np.array([part.count for part in parts]),
            np.array([part.weight for part in parts]),
            np.array([part.mean for part in parts]),
            np.sum([part.scatter for part in parts], axis=0),
            np.sum([part.noise for part in parts], axis=0),
        )


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
    noise : array of shape (d,)
        As in `Moments`.

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
    noise: Array

    @classmethod
    def from_block(cls, block: Block) -> PooledMoments:
        """Pool the moments of the block's classes."""
        rows, labels, codes = _by_number(block, block.group)
        d = block.X.shape[1]
        if not len(labels):
            return cls._empty(d)
        with np.errstate(over="ignore", invalid="ignore"):
            weight, mean, scatter = within_products(rows, codes, len(labels))
        diagonal = scatter.diagonal()
        reject_bad_range(rows, diagonal, mean, codes)
        noise = np.finfo(np.float32).eps * diagonal if in_single(rows.X) else np.zeros(d)
        return cls(labels, np.bincount(codes), weight, mean, scatter, noise)

    @classmethod
    def _empty(cls, d: int) -> PooledMoments:
        none = np.zeros(0, np.intp)
        return cls(none, none, np.zeros(0), np.zeros((0, d)), np.zeros((d, d)), np.zeros(d))

    @property
    def n_targets(self) -> int:
        """0: y is what the classes are."""
        return 0

    def __add__(self, other: PooledMoments) -> PooledMoments:
        require_same_columns(self, other)
        labels = np.union1d(self.labels, other.labels)
        n_a, w_a, m_a = self._over(labels)
        n_b, w_b, m_b = other._over(labels)
        weight = w_a + w_b
        share = (w_b / weight)[:, None]
        delta = m_b - m_a
        delta[(n_a == 0) | (n_b == 0)] = 0.0
        mean = delta * share
        mean += np.where((n_a > 0)[:, None], m_a, m_b)
        with np.errstate(over="ignore", invalid="ignore"):
            apart = delta * np.sqrt(share * w_a[:, None])
            scatter = self.scatter + other.scatter + apart.T @ apart
        reject_bad_merge(scatter, delta, mean)
        noise = self.noise + other.noise
        return PooledMoments(labels, n_a + n_b, weight, mean, scatter, noise)

    def __sub__(self, other: PooledMoments) -> PooledMoments:
        """The moments without the rows of `other`, or a sentence as from `Moments.__sub__`."""
        require_same_columns(self, other)
        labels = np.union1d(self.labels, other.labels)
        n_a, w_a, m_a = self._over(labels)
        n_b, w_b, m_b = other._over(labels)
        require_rows(n_a, w_a, n_b, w_b)
        kept = n_a > n_b
        if not kept.any():
            return self._empty(len(self.scatter))
        weight = np.where(kept, w_a - w_b, 1.0)
        require_weight(weight[kept], w_a[kept])
        delta = np.where((kept & (n_b > 0))[:, None], m_a - m_b, 0.0)
        grown = np.where(kept, w_a * (w_b / weight), 0.0)[:, None]
        scatter = self.scatter - other.scatter - (delta * grown).T @ delta
        rounding = removal_rounding(int(n_a.sum()))
        shaken = rounding * (abs(m_a) + abs(m_b))
        noise = self.noise + other.noise + rounding * self.scatter.diagonal()
        noise += (grown * shaken * (2 * abs(delta) + shaken)).sum(axis=0)
        noise[self.scatter.diagonal() == 0] = 0.0  # a constant column is taken off exactly
        require_digits(noise, scatter.diagonal())
        mean = m_a + delta * (w_b / weight)[:, None]
        return PooledMoments(
            labels[kept], (n_a - n_b)[kept], weight[kept], mean[kept], scatter, noise
        )

    def _over(self, labels: Array) -> tuple[Array, Array, Array]:
        """Count, weight and mean for each of these labels, zero where there are no rows of it."""
        at = np.searchsorted(labels, self.labels)
        count = np.zeros(len(labels), np.intp)
        weight = np.zeros(len(labels))
        mean = np.zeros((len(labels), self.mean.shape[1]))
        count[at], weight[at], mean[at] = self.count, self.weight, self.mean
        return count, weight, mean


def grouped(block: Block, numbers: Array | None) -> Iterator[tuple[int, Block]]:
    """The rows of positive weight that share a number, for each of the numbers (rows,)."""
    rows, labels, codes = _by_number(block, numbers)
    if len(labels) == 1:
        yield int(labels[0]), rows
        return
    order = by_class(codes)
    parts = np.split(order, np.searchsorted(codes[order], np.arange(1, len(labels))))
    for k, part in zip(labels, parts, strict=False):  # no labels, one empty part
        yield int(k), rows.take(part)


def _by_number(block: Block, numbers: Array | None) -> tuple[Block, Array, Array]:
    """The rows of positive weight, their numbers (K,) and which of them each row has (n,)."""
    if numbers is None:
        raise ValueError("The rows carry no group numbers; give the source some by with_group().")
    if block.weight is not None and not block.weight.all():
        kept = np.flatnonzero(block.weight)
        block, numbers = block.take(kept), numbers[kept]
    if len(numbers) and numbers.min() >= 0 and numbers.max() < 8 * len(numbers):
        seen = np.bincount(numbers) > 0  # counting is several times faster than sorting
        return block, np.flatnonzero(seen), (np.cumsum(seen) - 1)[numbers]
    labels, codes = np.unique(numbers, return_inverse=True)
    return block, labels, codes
