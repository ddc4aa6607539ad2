from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from linework import folds
from linework.data.sources import Table, as_table
from linework.engine import map_reduce
from linework.folds import fold_moments, group_moments
from linework.stats import ClassMoments, Moments

N = 37

SPLITTERS: dict[str, Any] = {
    "consecutive": KFold(5),
    "shuffled": KFold(4, shuffle=True, random_state=0),
    "overlapping": ShuffleSplit(6, test_size=0.3, random_state=0),
    "rows in neither part": ShuffleSplit(3, test_size=0.2, train_size=0.3, random_state=1),
    "repeated": RepeatedKFold(n_splits=3, n_repeats=4, random_state=0),
    "growing": TimeSeriesSplit(4),
    "groups": GroupKFold(3),
    "one by one": LeaveOneOut(),
}


@pytest.fixture(params=SPLITTERS)
def splits(request: pytest.FixtureRequest) -> list[Any]:
    groups = np.arange(N) % 7 if request.param == "groups" else None
    return list(SPLITTERS[request.param].split(np.zeros((N, 1)), groups=groups))


@pytest.fixture(params=["unweighted", "weighted"])
def table(request: pytest.FixtureRequest) -> Table:
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((N, 3)) + 1e4, rng.standard_normal(N)
    return as_table(X, y, np.arange(N) % 4 + 0.25 if request.param == "weighted" else None)


def moments_of(table: Table, rows: Any) -> Moments:
    return map_reduce(table.take(np.asarray(rows)), Moments.from_block)


def assert_same(a: Moments, b: Moments) -> None:
    assert a.count == b.count
    assert a.weight == pytest.approx(b.weight, rel=1e-13)
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(a.scatter, b.scatter, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("memory", [1 << 28, 0], ids=["in one pass", "split by split"])
def test_parts_are_those_of_their_rows(
    table: Table, splits: list[Any], memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folds, "MEMORY", memory)
    total, parts = fold_moments(table, splits)
    assert_same(total, map_reduce(table, Moments.from_block))
    for (train, test), rows in zip(parts, splits, strict=True):
        assert_same(train, moments_of(table, rows[0]))
        assert_same(test, moments_of(table, rows[1]))


def test_splits_share_as_many_passes_as_their_cells_take(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = []
    monkeypatch.setattr(folds, "map_reduce", lambda *args: passes.append(1) or map_reduce(*args))
    splits = list(LeaveOneOut().split(np.zeros((N, 1))))
    for memory, expected in ((1 << 28, 1), (8 * 16 * 7, 7), (0, N)):  # a cell holds 16 numbers
        monkeypatch.setattr(folds, "MEMORY", memory)
        passes.clear()
        _, parts = fold_moments(table, splits)
        assert len(list(parts)) == N
        assert len(passes) == expected


def test_repeated_folds_do_not_multiply_their_cells() -> None:
    table = as_table(np.arange(600.0)[:, None])
    splits = list(RepeatedKFold(n_splits=5, n_repeats=8, random_state=0).split(np.zeros((600, 1))))
    sides = [batch[1].shape for batch in folds._batches(600, splits, folds.CELLS)]
    assert sum(splits for splits, _ in sides) == 40
    assert max(cells for _, cells in sides) <= folds.CELLS
    total, parts = fold_moments(table, splits)
    assert total.count == 600
    assert [(train.count, test.count) for train, test in parts] == [(480, 120)] * 40


def test_rows_of_one_side_everywhere_share_a_cell() -> None:
    splits = list(KFold(5).split(np.zeros((N, 1))))
    [(cell, sides)] = folds._batches(N, splits, folds.CELLS)
    assert sides.shape == (5, 5)
    assert [np.unique(cell[test]).size for _, test in splits] == [1] * 5


@pytest.mark.parametrize(
    "split",
    [
        (np.arange(N), np.arange(N)),
        (np.arange(30), np.arange(20, N)),
        (np.array([0, 0, 1, 2, 2, 2]), np.arange(5, 9)),
    ],
    ids=["test rows in training", "some rows in both", "rows drawn twice"],
)
def test_any_positions_a_user_gives(table: Table, split: Any) -> None:
    [(train, test)] = fold_moments(table, [split])[1]
    assert_same(train, moments_of(table, split[0]))
    assert_same(test, moments_of(table, split[1]))


def test_a_group_is_held_out_in_turn(table: Table) -> None:
    group = np.arange(N) % 3
    stats = map_reduce(table.with_group(group), ClassMoments.from_block)
    total, parts = group_moments(stats)
    assert_same(total, map_reduce(table, Moments.from_block))
    for k, (train, test) in enumerate(parts):
        assert_same(train, moments_of(table, group != k))
        assert_same(test, moments_of(table, group == k))
