"""Statistics of the training and test part of every split, from one pass over the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Generic, TypeVar

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.stats import ClassMoments, Moments
from linework.stats.classes import grouped

Split = tuple[Array, Array]
"""Positions of the training rows and of the test rows."""

MEMORY = 1 << 28
"""Bytes of statistics held at a time; splits that need more take several passes."""

CELLS = 64
"""Cells of one pass at most: finer ones leave too few rows of a block in each."""

TRAIN, TEST = 1, 2

S = TypeVar("S", Moments, ClassMoments, Any)

Parts = Iterator[tuple[Moments, Moments]]
"""Moments of the training and of the test rows, split by split."""


@dataclass(frozen=True, slots=True, eq=False)
class ByCell(Generic[S]):
    """A statistic for each cell of rows; `a + b` merges cell by cell."""

    cells: Mapping[int, S]

    def __add__(self, other: ByCell[S]) -> ByCell[S]:
        merged = dict(self.cells)
        for k, value in other.cells.items():
            merged[k] = merged[k] + value if k in merged else value
        return ByCell(merged)

    def total(self, chosen: Array) -> S:
        """The statistic of the chosen cells (c,) together, in the order of their numbers."""
        return reduce(add, (self.cells[k] for k in sorted(self.cells) if chosen[k]))


def fold_statistics(
    table: Table, splits: Sequence[Split], collect: Callable[[Block], S], size: int
) -> tuple[S, Iterator[tuple[S, S]]]:
    """A statistic of all rows, and those of the training and test rows of each split.

    Rows that are on the same side of every split form a cell; one pass collects the statistics of
    all cells, and a split's parts are sums of them. Nothing is subtracted. K folds make K cells,
    and repeated ones as many more as they cut: where cells are more than `CELLS`, or outgrow
    `MEMORY`, further splits take another pass. A split with a row more than once takes its own two.

    Parameters
    ----------
    collect : callable
        The statistic's ``from_block``.
    size : int
        Numbers in it.
    """

    def read(cell: Array) -> ByCell[S]:
        def by_cell(block: Block) -> ByCell[S]:
            numbers = cell[block.start : block.start + len(block)]
            return ByCell({k: collect(part) for k, part in grouped(block, numbers)})

        return map_reduce(table, by_cell)

    limit = min(CELLS, MEMORY // (8 * size))
    batches = list(_batches(table.n_rows, splits, limit))

    def parts(first: ByCell[S] | None) -> Iterator[tuple[S, S]]:
        for number, batch in enumerate(batches):
            if isinstance(batch, Twofold):
                train, test = (table.take(np.sort(rows)) for rows in batch.split)
                yield map_reduce(train, collect), map_reduce(test, collect)
                continue
            cell, sides = batch
            cells = read(cell) if number or first is None else first
            for side in sides:
                yield cells.total(side == TRAIN), cells.total(side == TEST)

    if not batches or isinstance(batches[0], Twofold):
        return map_reduce(table, collect), parts(None)
    cell, sides = batches[0]
    first = read(cell)
    return first.total(np.full(sides.shape[1], True)), parts(first)


def fold_moments(table: Table, splits: Sequence[Split]) -> tuple[Moments, Parts]:
    """`fold_statistics`, the statistic being moments."""
    size = (table.n_columns + table.n_targets) ** 2
    return fold_statistics(table, splits, Moments.from_block, size)


def group_moments(stats: ClassMoments) -> tuple[Moments, Parts]:
    """The same where each group is a fold, held out in turn."""
    folds = sorted(stats.groups)
    return stats.total(), ((stats.total(without=k), stats.groups[k]) for k in folds)


@dataclass(frozen=True, slots=True, eq=False)
class Twofold:
    """A split that has a row in both parts, or twice in one."""

    split: Split


def _batches(
    n_rows: int, splits: Sequence[Split], limit: int
) -> Iterator[tuple[Array, Array] | Twofold]:
    """Splits that share a pass: the cell of each row (n,), cells' sides (splits, cells)."""
    cell, sides = np.zeros(n_rows, np.int32), np.zeros((0, 1), np.int8)
    none = cell, sides
    for split in splits:
        side = _sides(n_rows, split)
        if side is None:
            if len(sides):
                yield cell, sides
            yield Twofold(split)
            cell, sides = none
            continue
        finer = _refined(cell, sides, side)
        if len(sides) and finer[1].shape[1] > limit:
            yield cell, sides
            finer = _refined(*none, side)
        cell, sides = finer
    if len(sides):
        yield cell, sides


def _sides(n_rows: int, split: Split) -> Array | None:
    """The side of each row (n,); None where the split has one in both parts, or twice in one."""
    train, test = split
    side = np.zeros(n_rows, np.int8)
    side[train] = TRAIN
    side[test] = TEST
    return None if np.count_nonzero(side) < len(train) + len(test) else side


def _refined(cell: Array, sides: Array, side: Array) -> tuple[Array, Array]:
    """The cells cut by one more split."""
    cell = cell * 3 + side
    found = np.flatnonzero(np.bincount(cell))
    number = np.zeros(int(found[-1]) + 1, np.int32)
    number[found] = np.arange(len(found))
    return np.take(number, cell), np.vstack([sides[:, found // 3], (found % 3).astype(np.int8)])
