"""Rows scored by the model without them: what a removal leaves, and refits from statistics."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.stats import ClassMoments, PooledMoments

if TYPE_CHECKING:
    from linework.discriminant.base import ClassModel


class Update(Protocol):
    """Scores (n, K) of rows, each without itself, and for which of them (n,) they are known."""

    def __call__(self, block: Block) -> tuple[Array, Array]:
        """Of a block whose groups are classes; the rows that are not known take a refit."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """What is left of the classes when each of n rows is left out in turn, with all its weight.

    Row x of weight w, of class g with mean m_g and weight N_g, is z = x − m_g off it. Without it::

        m_g' = m_g − (w / (N_g − w)) z,   x − m_g' = (N_g / (N_g − w)) z
        S_g' = S_g − c zzᵀ,               c = w N_g / (N_g − w)

    Attributes
    ----------
    own : array of int of shape (n,)
        g.
    alone : array of bool of shape (n,)
        Whether it is the only row of its class: the class is gone.
    known : array of bool of shape (n,)
        Whether the row can have been among those of the statistics.
    rest : array of shape (n,)
        N_g − w.
    stretch : array of shape (n,)
        N_g / (N_g − w); 1 where it is alone.
    grown : array of shape (n,)
        c; 0 where it is alone.
    weight : array of shape (K,)
        N_k.
    total : array of shape (n,)
        N − w.
    """

    own: Array
    alone: Array
    known: Array
    rest: Array
    stretch: Array
    grown: Array
    weight: Array
    total: Array

    @classmethod
    def of(cls, block: Block, count: Array, weight: Array) -> Removal:
        """Of the rows of a block, for the count and weight (K,) of all rows by class."""
        assert block.group is not None
        own = block.group
        w = np.ones(len(own)) if block.weight is None else block.weight
        rest = weight[own] - w
        alone = (count[own] == 1) & (w > 0.0)
        some = rest > 1e-9 * weight[own]
        stretch = np.where(some & ~alone, weight[own] / np.where(some, rest, 1.0), 1.0)
        grown = np.where(alone, 0.0, w * stretch)
        known = (some != alone) & (len(weight) - alone > 1)
        return cls(own, alone, known, rest, stretch, grown, weight, weight.sum() - w)

    @property
    def n_classes(self) -> Array:
        """How many classes are left, shape (n,)."""
        return np.asarray(len(self.weight) - self.alone)

    def log_priors(self, priors: Array | None) -> Array:
        """Ln π_k up to a number common to all classes, of those given or of the shares; (n, K)."""
        rows = np.arange(len(self.own))
        with np.errstate(divide="ignore"):  # a prior of zero: never this class
            logs = np.tile(np.log(self.weight if priors is None else priors), (len(rows), 1))
            if priors is None:
                logs[rows, self.own] = np.log(np.maximum(self.rest, 0.0))
        logs[self.alone, self.own[self.alone]] = -np.inf
        return logs


class Refits:
    """The model solved once more for each row, from the statistics less those of the row.

    Exact for any model that statistics determine, at the cost of its solver for each row. Where too
    few digits would be left, the statistics are collected from the other rows of the table, if
    those are all.
    """

    def __init__(self, model: ClassModel, table: Table) -> None:
        self.model = model
        self.table = table

    def __call__(self, block: Block) -> Array:
        """Scores of the rows, shape (n, K); −∞ for a class that is gone without the row."""
        scores = np.full((len(block), len(self.model.classes_)), -np.inf)
        for i in range(len(block)):
            row = block.take(np.array([i]))
            number = block.start + i if block.numbers is None else int(block.numbers[i])
            try:
                model, kept = self._without(row, number)
            except (np.linalg.LinAlgError, ArithmeticError) as error:
                raise type(error)(f"Row {number} cannot be left out. {error}") from None
            scores[i, kept] = model._scores(row)[0]
        return scores

    def _without(self, row: Block, number: int) -> tuple[ClassModel, Array]:
        model: Any = copy.copy(self.model)
        collect = model._statistic().from_block
        try:
            stats = self.model.stats_ - collect(row)
        except ArithmeticError:
            if not np.isclose(weight_of(self.table), weight_of(self.model.stats_), rtol=1e-9):
                raise
            stats = map_reduce(self.table.take(np.arange(self.table.n_rows) != number), collect)
        kept = numbers(stats)
        if len(kept) < len(self.model.classes_) and getattr(model, "priors", None) is not None:
            model.priors = self.model.priors_[kept] / self.model.priors_[kept].sum()
        model._fit(stats, self.model.classes_, None, np.float64)
        return model, kept


def numbers(stats: PooledMoments | ClassMoments) -> Array:
    """The group numbers that have rows, in order."""
    if isinstance(stats, PooledMoments):
        return stats.labels
    return np.array(sorted(k for k, m in stats.groups.items() if m.count), np.intp)


def weight_of(rows: Table | PooledMoments | ClassMoments) -> float:
    """The weight of all rows."""
    if isinstance(rows, PooledMoments):
        return float(rows.weight.sum())
    if isinstance(rows, ClassMoments):
        return sum(m.weight for m in rows.groups.values())
    return float(rows.n_rows if rows.weight is None else rows.weight.sum())


def tiles(block: Block, step: int) -> Iterator[Block]:
    """The block in views of at most so many rows."""

    def part(a: Any, rows: slice) -> Any:
        return None if a is None else a[rows]

    for start in range(0, len(block), step):
        rows = slice(start, start + step)
        yield Block(
            block.X[rows],
            None,
            part(block.weight, rows),
            part(block.group, rows),
            block.start + start,
            block.names,
            part(block.numbers, rows),
        )
