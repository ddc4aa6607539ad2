"""Moments of the training and test part of every split, from one pass over the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.stats import ClassMoments, Moments

Split = tuple[Array, Array]
"""Positions of the training rows and of the test rows."""

MEMORY = 1 << 28
"""Bytes of moments held at a time; splits that need more are read one by one."""


TRAIN, TEST = 1, 2

Parts = Iterator[tuple[Moments, Moments]]
"""Moments of the training and of the test rows, split by split."""


def fold_moments(table: Table, splits: Sequence[Split]) -> tuple[Moments, Parts]:
    """Moments of all rows, and those of the training and test rows of each split.

    Rows that are on the same side of every split form a cell; one pass collects the moments of all
    cells, and a split's parts are sums of them. Nothing is subtracted. K folds make K cells; where
    splits cut so finely that the cells outgrow `MEMORY`, or have a row more than once, each split
    takes passes of its own.
    """
    cells = _cells(table.n_rows, splits)
    size = 8 * (table.n_columns + table.n_targets) ** 2
    if cells is None or cells[1].shape[1] * size > MEMORY:
        return map_reduce(table, Moments.from_block), _read_each(table, splits)
    cell, sides = cells
    moments = map_reduce(table.with_group(cell), ClassMoments.from_block)
    return moments.total(), _sum_cells(moments.groups, sides)


def group_moments(stats: ClassMoments) -> tuple[Moments, Parts]:
    """The same where each group is a fold, held out in turn."""
    folds = sorted(stats.groups)
    return stats.total(), ((stats.total(without=k), stats.groups[k]) for k in folds)


def class_fold_moments(
    table: Table, n_classes: int, splits: Sequence[Split]
) -> tuple[ClassMoments, Iterator[ClassMoments]]:
    """Moments by class of all rows, and of the training rows of each split.

    As `fold_moments`, with a cell for each class: one pass where the cells fit into `MEMORY`.
    """
    assert table.group is not None
    cells = _cells(table.n_rows, splits)
    size = 8 * n_classes * table.n_columns**2
    if cells is None or cells[1].shape[1] * size > MEMORY:
        return map_reduce(table, ClassMoments.from_block), _read_classes(table, splits)
    cell, sides = cells
    parts = map_reduce(table.with_group(cell * n_classes + table.group), ClassMoments.from_block)

    def of(chosen: Array) -> ClassMoments:
        mine = {k: m for k, m in parts.groups.items() if chosen[k // n_classes]}
        by_class = (ClassMoments({k % n_classes: mine[k]}) for k in sorted(mine))
        return reduce(add, by_class)

    return of(np.full(sides.shape[1], True)), (of(side == TRAIN) for side in sides)


def _read_classes(table: Table, splits: Sequence[Split]) -> Iterator[ClassMoments]:
    for train, _ in splits:
        yield map_reduce(table.take(np.sort(train)), ClassMoments.from_block)


def _sum_cells(moments: Mapping[int, Moments], sides: Array) -> Parts:
    for side in sides:
        train, test = (
            reduce(add, (moments[k] for k in np.flatnonzero(side == part).tolist() if k in moments))
            for part in (TRAIN, TEST)
        )
        yield train, test


def _read_each(table: Table, splits: Sequence[Split]) -> Parts:
    for split in splits:
        train, test = (map_reduce(table.take(np.sort(rows)), Moments.from_block) for rows in split)
        yield train, test


def _cells(n_rows: int, splits: Sequence[Split]) -> tuple[Array, Array] | None:
    """The cell of each row (n,), and the side of each cell in each split (splits, cells).

    None where a split has a row in both parts, or twice in one.
    """
    cell = np.zeros(n_rows, np.int32)
    sides = np.zeros((0, 1), np.int8)
    side = np.empty(n_rows, np.int8)
    for train, test in splits:
        side[:] = 0
        side[train] = TRAIN
        side[test] = TEST
        if np.count_nonzero(side) < len(train) + len(test):
            return None
        cell = cell * 3 + side
        found = np.flatnonzero(np.bincount(cell))
        sides = np.vstack([sides[:, found // 3], (found % 3).astype(np.int8)])
        number = np.zeros(int(found[-1]) + 1, np.int32)
        number[found] = np.arange(len(found))
        cell = number[cell]
    return cell, sides
