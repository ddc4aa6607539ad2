"""Moments by class: the same as those of each class's rows alone, however the rows come."""

import dataclasses
import itertools
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from linework.data.blocks import Block
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import ClassMoments, Moments, PooledMoments
from linework.stats.centre import is_sparse

RNG = np.random.default_rng(21)
seeds = st.integers(0, 2**32 - 1)


def pooled(X: Any, group: Any, w: Any = None) -> PooledMoments:
    weight = None if w is None else np.asarray(w, float)
    return PooledMoments.from_block(Block(X, weight=weight, group=np.asarray(group)))


def by_class(X: Any, group: Any, w: Any = None) -> ClassMoments:
    weight = None if w is None else np.asarray(w, float)
    return ClassMoments.from_block(Block(X, weight=weight, group=np.asarray(group)))


def assert_within(m: PooledMoments, scatter: np.ndarray, rtol: float) -> None:
    spread = np.sqrt(np.diag(scatter))
    assert (abs(m.scatter - scatter) <= rtol * np.outer(spread, spread)).all()


def assert_same(a: PooledMoments, b: PooledMoments, rtol: float = 1e-11) -> None:
    np.testing.assert_array_equal(a.labels, b.labels)
    np.testing.assert_array_equal(a.count, b.count)
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-12)
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-12, atol=1e-12)
    assert_within(a, b.scatter, rtol)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("density", [0.05, 1.0])
@pytest.mark.parametrize("n_classes", [1, 3, 40])
def test_pooled_is_exact_however_far_apart_the_classes(
    form: Any, weighted: bool, density: float, n_classes: int, exact: Callable
) -> None:
    n = 90
    group = RNG.permutation(np.arange(n) % n_classes) * 10 - 5
    X = RNG.normal(size=(n, 4)) * (RNG.random((n, 4)) < density)
    X[:, 1] += group * 1e7 + 1.0
    X[:, 2] = group / 7  # constant within each class
    w = RNG.uniform(0.1, 3.0, n) if weighted else None
    m = pooled(form(X), group, w)
    truth = [exact(X[group == k], None if w is None else w[group == k]) for k in m.labels]
    np.testing.assert_array_equal(m.labels, np.unique(group))
    np.testing.assert_array_equal(m.count, [np.sum(group == k) for k in m.labels])
    np.testing.assert_allclose(m.weight, [t.weight for t in truth], rtol=1e-13)
    np.testing.assert_allclose(m.mean, [t.mean for t in truth], rtol=1e-12, atol=1e-12)
    assert_within(m, sum(t.scatter for t in truth), 1e-10)
    np.testing.assert_array_equal(m.scatter[2], np.zeros(4))


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_rows_have_the_moments_of_the_same_dense_rows(weighted: bool) -> None:
    X = RNG.normal(size=(300, 60)) * (RNG.random((300, 60)) < 0.05)
    group = RNG.integers(0, 4, 300)
    X[group == 1, 7] = 1e6 + RNG.normal(size=np.sum(group == 1))  # without a zero in one class
    X[group == 2, 8] = 0.1
    w = RNG.uniform(0.1, 3.0, 300) if weighted else None
    sparse = sp.csr_array(X)
    assert is_sparse(sparse)
    m = pooled(sparse, group, w)
    assert_same(m, pooled(X, group, w))
    assert m.mean[2, 8] == 0.1


@pytest.mark.parametrize("n", [7, 11, 100])
def test_column_constant_within_a_class_has_no_scatter_at_all(n: int) -> None:
    group = np.arange(3 * n) % 3
    X = np.column_stack([RNG.normal(size=3 * n), 0.1 * (1 + group)])
    m = pooled(X, group) + pooled(X[:5], group[:5])
    np.testing.assert_array_equal(m.scatter[1], [0.0, 0.0])
    np.testing.assert_array_equal(m.mean[:, 1], X[:3, 1])


@pytest.mark.parametrize("first", [1e10, -1e10])
def test_misleading_first_rows_cost_no_digits(first: float, exact: Callable) -> None:
    X = RNG.normal(size=(200, 1))
    X[:64] += first  # the rows that the shifts are chosen from
    w = np.where(np.arange(200) < 64, 1e-28, 1.0)
    group = np.arange(200) % 2
    truth = sum(exact(X[group == k], w[group == k]).scatter for k in (0, 1))
    assert_within(pooled(X, group, w), truth, 1e-9)


@given(seeds, st.lists(st.integers(0, 120), max_size=5), st.booleans())
def test_any_cut_merges_to_the_whole(seed: int, cuts: list[int], weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    group = rng.integers(0, 5, 120)
    w = rng.uniform(0, 2, 120) * (rng.random(120) < 0.8) if weighted else np.ones(120)
    edges = [0, *sorted(cuts), 120]
    pairs = list(itertools.pairwise(edges))
    assert_same(
        reduce(add, (pooled(X[a:b], group[a:b], w[a:b]) for a, b in pairs)), pooled(X, group, w)
    )
    merged = reduce(add, (by_class(X[a:b], group[a:b], w[a:b]) for a, b in pairs))
    whole = by_class(X, group, w)
    assert set(merged.groups) == set(whole.groups)
    for k, moments in whole.groups.items():
        assert merged.groups[k].count == moments.count
        np.testing.assert_allclose(merged.groups[k].scatter, moments.scatter, atol=1e-11)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array])
def test_class_moments_are_the_moments_of_the_classes_rows(form: Any) -> None:
    X, y = RNG.normal(size=(50, 3)), RNG.normal(size=(50, 2))
    group, w = RNG.integers(-1, 3, 50), RNG.integers(0, 3, 50).astype(float)
    groups = ClassMoments.from_block(Block(form(X), y, w, group)).groups
    assert list(groups) == [-1, 0, 1, 2]
    for k, m in groups.items():
        rows = group == k
        alone = Moments.from_block(Block(X[rows], y[rows], w[rows]))
        assert (m.count, m.n_targets) == (alone.count, 2)
        np.testing.assert_allclose(m.scatter, alone.scatter, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_integer_weight_is_a_repeated_row(form: Any) -> None:
    X, group, w = RNG.normal(size=(60, 3)), RNG.integers(0, 3, 60), RNG.integers(1, 4, 60)
    repeated = pooled(np.repeat(X, w, axis=0), np.repeat(group, w))
    weighted = pooled(form(X), group, w)
    np.testing.assert_allclose(weighted.weight, repeated.weight)
    np.testing.assert_allclose(weighted.mean, repeated.mean, atol=1e-13)
    assert_within(weighted, repeated.scatter, 1e-12)


@pytest.mark.parametrize("huge", [1e300, np.nan])
def test_row_of_weight_zero_is_no_row_and_a_class_of_them_no_class(huge: float) -> None:
    X, group, w = RNG.normal(size=(30, 2)), np.arange(30) % 3, np.ones(30)
    w[group == 2] = w[0] = 0
    X[w == 0] = huge
    m = pooled(X, group, w)
    np.testing.assert_array_equal(m.labels, [0, 1])
    np.testing.assert_array_equal(m.count, [9, 10])
    assert_same(m, pooled(X[w > 0], group[w > 0]))
    assert list(by_class(X, group, w).groups) == [0, 1]
    nothing = pooled(X, group, np.zeros(30))
    assert_same(nothing + m, m)
    assert_same(m + nothing, m)
    assert by_class(X, group, np.zeros(30)).groups == {}


def test_every_kind_of_input_has_the_same_moments(as_input: Any) -> None:
    X = RNG.normal(size=(200, 3)) + np.array([0, 5, -1])
    X[RNG.random((200, 3)) < 0.3] = 0
    group = RNG.integers(0, 4, 200)
    m = map_reduce(as_table(as_input(X)).with_group(group), PooledMoments.from_block)
    expected = pooled(X, group)
    np.testing.assert_allclose(m.mean, expected.mean, rtol=as_input.rtol, atol=as_input.rtol)
    assert_within(m, expected.scatter, as_input.rtol)


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1.0, 1e20])
@pytest.mark.parametrize("n", [300, 100_000])
def test_single_precision_rows_of_any_scale_are_right(scale: float, n: int) -> None:
    group = np.arange(n) % 3
    X = (RNG.normal(size=(n, 2)) * np.array([1, scale]) + group[:, None] * scale).astype(np.float32)
    m = pooled(X, group)
    assert m.scatter.dtype == m.mean.dtype == np.float64
    assert_within(m, pooled(X.astype(np.float64), group).scatter, 1e-5)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_numbers_out_of_range_get_a_sentence(form: Any) -> None:
    X, group = RNG.normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match=r"too large"):
        pooled(form(X * 1e160), group)
    with pytest.raises(ValueError, match=r"underflow"):
        pooled(form(X * 1e-150), group)
    with pytest.raises(ValueError, match=r"too large"):
        pooled(X[:1] * 1e200, [0]) + pooled(X[1:2] * 1e200, [0])
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match=r"column 1, row 7"):
        pooled(form(X), group, (np.arange(20) != 3).astype(float))
    with pytest.raises(ValueError, match=r"column 1, row 7"):
        by_class(form(X), group)


@pytest.mark.parametrize("numbers", [[3, 4, 70], [-5, 0, 2], [0, 7, 10**12]])
def test_group_numbers_may_be_any(numbers: list[int]) -> None:
    rng = np.random.default_rng(12)
    X, code = rng.standard_normal((40, 3)), rng.integers(0, 3, 40)
    plain, told = pooled(X, code), pooled(X, np.array(numbers)[code])
    assert told.labels.tolist() == numbers
    np.testing.assert_array_equal(told.mean, plain.mean)
    np.testing.assert_array_equal(told.scatter, plain.scatter)
    assert sorted(by_class(X, np.array(numbers)[code]).groups) == numbers


def test_one_scatter_for_all_is_that_of_the_classes() -> None:
    rng = np.random.default_rng(13)
    X, group = rng.standard_normal((40, 3)) + 1e3, rng.integers(2, 5, 40)
    assert_same(by_class(X, group).pooled(), pooled(X, group))


def test_rows_without_groups_get_a_sentence() -> None:
    for statistic in (ClassMoments, PooledMoments):
        with pytest.raises(
            ValueError, match=r"no group numbers; give the source some by with_group"
        ):
            statistic.from_block(Block(np.ones((2, 1))))


def test_total_is_the_moments_of_all_rows_or_of_all_but_a_fold() -> None:
    X, fold = RNG.normal(size=(60, 2)), np.arange(60) % 3
    stats = by_class(X, fold)
    for without, rows in ((None, fold >= 0), (1, fold != 1)):
        whole = Moments.from_block(Block(X[rows]))
        total = stats.total(without)
        assert total.count == whole.count
        np.testing.assert_allclose(total.mean, whole.mean, atol=1e-14)
        np.testing.assert_allclose(total.scatter, whole.scatter, atol=1e-11)


def test_total_of_nothing_gets_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"There are no rows besides group 4"):
        by_class(np.ones((2, 1)), [4, 4]).total(without=4)
    with pytest.raises(ValueError, match=r"There are no rows: give at least one"):
        ClassMoments({}).total()


# Taking rows out


@given(seeds, st.integers(10, 100), st.integers(1, 60), st.booleans())
def test_rows_put_in_can_be_taken_out(seed: int, n: int, m: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + m, 2)) + np.array([5, 0])
    group = np.concatenate([np.arange(n) % 3, rng.integers(0, 5, m)])  # some classes go entirely
    w = rng.integers(1, 4, n + m) if weighted else np.ones(n + m)
    for statistic in (pooled, by_class):
        a = statistic(X[:n], group[:n], w[:n])
        b = statistic(X[n:], group[n:], w[n:])
        rest = a + b - b
        if isinstance(rest, PooledMoments):
            assert_same(rest, a, rtol=1e-6)
        else:
            assert set(rest.groups) == set(a.groups)
            for k, moments in a.groups.items():
                np.testing.assert_allclose(rest.groups[k].scatter, moments.scatter, rtol=1e-6)


@given(seeds, st.floats(-3, 10), st.floats(0, 12))
def test_six_digits_remain_or_none(seed: int, spread: float, origin: float) -> None:
    rng = np.random.default_rng(seed)
    kept = rng.normal(size=(30, 1)) + 10.0**origin
    taken = rng.normal(size=(50, 1)) * 10.0**spread + 10.0**origin
    a, b = pooled(kept, np.arange(30) % 2), pooled(taken, np.arange(50) % 2)
    try:
        rest = a + b - b
    except ArithmeticError:
        return
    assert_within(rest, a.scatter, 1e-6)


def test_digits_are_counted_over_many_removals() -> None:
    parts = [pooled(RNG.normal(size=(20, 1)) * 100.0**k, np.arange(20) % 2) for k in range(8)]
    total = reduce(add, parts)
    with pytest.raises(ArithmeticError, match=r"fewer than six correct digits.*Fit again"):  # noqa: PT012
        for part in reversed(parts[1:]):
            total = total - part


def test_all_rows_can_be_taken_out() -> None:
    X, group = RNG.normal(size=(20, 2)), np.arange(20) % 2
    nothing = pooled(X, group) - pooled(X, group)
    assert len(nothing.labels) == 0
    np.testing.assert_array_equal(nothing.scatter, np.zeros((2, 2)))
    assert (by_class(X, group) - by_class(X, group)).groups == {}
    assert_same(nothing + pooled(X, group), pooled(X, group))


def test_column_constant_within_classes_stays_so() -> None:
    group = np.arange(40) % 2
    X = np.column_stack([RNG.normal(size=40), 0.1 + group])
    rest = pooled(X, group) - pooled(X[20:], group[20:])
    np.testing.assert_array_equal(rest.scatter[1], [0.0, 0.0])


@pytest.mark.parametrize(
    ("rows", "group", "w"),
    [(3, [0, 0, 0], None), (1, [7], None), (2, [0, 0], [1, 2]), (1, [0], [5])],
)
def test_rows_that_were_not_put_in_cannot_be_taken_out(rows: int, group: list, w: Any) -> None:
    X = RNG.normal(size=(5, 1))
    for statistic in (pooled, by_class):
        with pytest.raises(ValueError, match=r"Cannot take out"):
            statistic(X, [0, 0, 1, 1, 1]) - statistic(X[:rows], group, w)


def test_other_columns_do_not_go_together() -> None:
    X = RNG.normal(size=(4, 3))
    a = pooled(X[:, :1], [0, 0, 1, 1])
    for merge in (a.__add__, a.__sub__):
        with pytest.raises(ValueError, match=r"1 columns and 0 .* do not go together with .* 3"):
            merge(pooled(X, [0, 0, 1, 1]))


def test_pooled_holds_no_scatter_per_class() -> None:
    n, d = 2000, 30
    m = pooled(RNG.normal(size=(n, d)), np.arange(n))  # as many classes as rows
    assert sum(np.asarray(v).size for v in dataclasses.astuple(m)) < 2 * n * d
    np.testing.assert_array_equal(m.scatter, np.zeros((d, d)))
