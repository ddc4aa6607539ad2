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


def test_more_cells_than_memory_are_read_split_by_split(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = []
    monkeypatch.setattr(folds, "map_reduce", lambda *args: passes.append(1) or map_reduce(*args))
    splits = list(LeaveOneOut().split(np.zeros((N, 1))))
    for memory, expected in ((1 << 28, 1), (1000, 1 + 2 * N)):
        monkeypatch.setattr(folds, "MEMORY", memory)
        passes.clear()
        _, parts = fold_moments(table, splits)
        assert len(list(parts)) == N
        assert len(passes) == expected


def test_rows_of_one_side_everywhere_share_a_cell(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = []
    monkeypatch.setattr(
        folds,
        "map_reduce",
        lambda source, statistic: (
            cells.append(np.unique(source.group)) or map_reduce(source, statistic)
        ),
    )
    fold_moments(table, list(KFold(5).split(np.zeros((N, 1)))))
    assert [len(cell) for cell in cells] == [5]


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
