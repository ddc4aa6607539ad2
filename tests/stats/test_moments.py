"""Moments agree with rational arithmetic, merge at any cut, and come apart again or say why not."""

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
from linework.stats import Moments, centre

RNG = np.random.default_rng(20)
FORMS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "csr": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
}

seeds = st.integers(0, 2**32 - 1)


def moments(X: Any, y: Any = None, w: Any = None) -> Moments:
    return Moments.from_block(Block(X, y, None if w is None else np.asarray(w, float)))


def assert_same(a: Moments, b: Any, rtol: float = 1e-12) -> None:
    """Equal means, and scatters equal beside the two columns' variances."""
    assert a.weight == pytest.approx(b.weight, rel=1e-12)
    spread = np.sqrt(np.diag(b.scatter))
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-14, atol=1e-12 * spread.max(initial=0))
    assert (abs(a.scatter - b.scatter) <= rtol * np.outer(spread, spread)).all()


def sparse_rows(n: int, d: int, density: float, rng: np.random.Generator = RNG) -> np.ndarray:
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < density)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("origin", [0.0, 1.0, -30.0, 1e8, 1e12])
def test_block_is_exact_at_any_origin(
    form: Any, weighted: bool, origin: float, exact: Callable
) -> None:
    X = RNG.normal(size=(60, 2)) * [1.0, 3.0] + np.array([origin, 0.0])
    y = RNG.normal(size=(60, 2)) + np.array([2.0, origin])
    w = RNG.uniform(0.1, 3.0, 60) if weighted else None
    assert_same(moments(form(X), y, w), exact(np.hstack([X, y]), w), rtol=1e-11)


@pytest.mark.parametrize("density", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_block_is_exact(density: float, weighted: bool, exact: Callable) -> None:
    X = sparse_rows(80, 30, density)
    X[:, 3] = 1e8 + RNG.normal(size=80)  # a column without a zero
    X[:, 4] = 0.1
    y = RNG.normal(size=(80, 1))
    w = RNG.uniform(0.1, 3.0, 80) if weighted else None
    result = moments(sp.csr_array(X), y, w)
    assert_same(result, exact(np.hstack([X, y]), w), rtol=1e-11)
    assert result.scatter[4, 4] == 0.0


def test_sparse_rows_never_become_a_dense_table(monkeypatch: pytest.MonkeyPatch) -> None:
    X = sp.random_array((3000, 900), density=0.001, format="csr", rng=RNG)
    shapes = []

    def watch(self: Any, *args: Any, **kwargs: Any) -> np.ndarray:
        shapes.append(self.shape)
        return toarray(self, *args, **kwargs)

    toarray = sp.csr_array.toarray
    monkeypatch.setattr(sp.csr_array, "toarray", watch)
    moments(X, np.ones((3000, 1)))
    moments(X, None, np.ones(3000))
    assert shapes == []


def test_nearly_dense_sparse_rows_become_dense_a_tile_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(centre, "TILE", 1)
    X = sparse_rows(500, 10, 0.6)
    assert_same(moments(sp.csr_array(X)), moments(X))


def test_number_stored_in_two_parts_is_one_number() -> None:
    parts = sp.csr_array(([3.0, 4.0, 5.0], [0, 0, 0], [0, 2, 3, 3]), shape=(3, 40))
    assert_same(moments(parts), moments(parts.toarray()))
    assert parts.nnz == 3


@pytest.mark.parametrize("first", [1e12, -1e12])
def test_misleading_first_rows_cost_no_digits(first: float, exact: Callable) -> None:
    X = RNG.normal(size=(64, 1)) + 5.0
    X[::2] += first  # the rows that the shift is chosen from
    w = np.where(np.arange(64) % 2, 1.0, 1e-30)
    truth = exact(X, w)
    assert_same(moments(X, None, w), truth, rtol=1e-6)
    wide = sp.csr_array(np.hstack([X, np.zeros((64, 20))]))
    assert_same(moments(wide, None, w).columns(np.array([0])), truth, rtol=1e-6)


@pytest.mark.parametrize("value", [0.1, 1e8 + 0.1, -1e300, 1e-300, 0.0])
def test_constant_column_has_no_scatter_at_all(value: float) -> None:
    X = RNG.normal(size=(1000, 2))
    X[:, 1] = value
    w = RNG.uniform(0.1, 1.0, 1000)
    for form in FORMS.values():
        for weight in (None, w):
            total = moments(form(X[:300]), None, weight if weight is None else w[:300]) + moments(
                form(X[300:]), None, weight if weight is None else w[300:]
            )
            assert total.mean[1] == value
            np.testing.assert_array_equal(total.scatter[1], [0.0, 0.0])


@given(seeds, st.lists(st.integers(0, 200), max_size=6), st.sampled_from([0.0, 1e8]), st.booleans())
def test_any_cut_merges_to_the_whole(
    seed: int, cuts: list[int], origin: float, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3)) * [1, 10, 1e-3] + np.array([origin, 0, 1])
    y = rng.normal(size=(200, 1))
    w = rng.uniform(0, 2, 200) * (rng.random(200) < 0.9) if weighted else np.ones(200)
    edges = [0, *sorted(cuts), 200]
    parts = [moments(X[a:b], y[a:b], w[a:b]) for a, b in itertools.pairwise(edges)]
    whole = moments(X, y, w)
    merged = reduce(add, parts)
    assert merged.count == whole.count
    assert_same(merged, whole, rtol=1e-11 if origin == 0 else 1e-7)
    assert_same(reduce(lambda right, left: left + right, reversed(parts)), whole, rtol=1e-7)


@given(seeds)
def test_integer_weight_is_a_repeated_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=(30, 1))
    w = rng.integers(0, 4, 30)
    w[0] = 2
    for form in (np.asarray, sp.csr_array):
        weighted = moments(form(X), y, w)
        assert_same(weighted, moments(np.repeat(X, w, axis=0), np.repeat(y, w, axis=0)))
        assert weighted.count == np.count_nonzero(w)


@pytest.mark.parametrize("huge", [1e300, np.nan, -np.inf])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_row_of_weight_zero_is_no_row(huge: float, form: Any) -> None:
    X, y = RNG.normal(size=(20, 3)), RNG.normal(size=(20, 1))
    w = np.ones(20)
    expected = moments(X[5:], y[5:])
    X[:5], y[:5], w[:5] = huge, huge, 0
    result = moments(form(X), y, w)
    assert result.count == 15
    assert_same(result, expected)
    nothing = moments(form(X[:5]), y[:5], w[:5])
    assert nothing.count == 0
    assert_same(nothing + expected, expected)
    assert_same(expected + nothing, expected)


@given(seeds, st.integers(-120, 120), st.integers(-120, 120))
def test_scale_of_a_column_scales_its_moments(seed: int, a: int, b: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 2)) + np.array([3, 0])
    scale = np.array([2.0**a, 2.0**b])
    plain, scaled = moments(X), moments(X * scale)
    np.testing.assert_allclose(scaled.mean, plain.mean * scale, rtol=1e-12)
    np.testing.assert_allclose(scaled.scatter, plain.scatter * np.outer(scale, scale), rtol=1e-10)


@given(seeds, st.floats(1e-30, 1e30))
def test_scale_of_the_weights_scales_the_scatter(seed: int, c: float) -> None:
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(20, 2)), rng.uniform(0.5, 2, 20)
    plain, scaled = moments(X, None, w), moments(X, None, c * w)
    np.testing.assert_allclose(scaled.mean, plain.mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(scaled.scatter, c * plain.scatter, rtol=1e-11, atol=1e-14 * c)


@pytest.mark.parametrize("scale", [1e150, 1e140, 1e-140])
def test_far_scales_are_right(scale: float, exact: Callable) -> None:
    X = RNG.normal(size=(20, 2))
    assert_same(moments(X * scale), exact(X * scale))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_scales_out_of_range_get_a_sentence(form: Any) -> None:
    X = RNG.normal(size=(20, 2))
    for scale, sentence in ((1e160, "too large.*Divide"), (1e-150, "underflow.*Multiply")):
        with pytest.raises(ValueError, match=sentence):
            moments(form(X * [1, scale]))
        with pytest.raises(ValueError, match=sentence):
            moments(form(X), X[:, :1] * scale)
    with pytest.raises(ValueError, match=r"too large.*or the weights"):
        moments(form(X), None, np.full(20, 1e308))
    with pytest.raises(ValueError, match=r"little weight.*or the weights"):
        moments(form(X), None, np.full(20, 1e-310))


def test_parts_too_far_apart_or_too_close_get_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"too large"):
        moments(np.array([[1e200]])) + moments(np.array([[-1e200]]))
    with pytest.raises(ValueError, match=r"underflow"):
        moments(np.array([[1e-160]])) + moments(np.array([[2e-160]]))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_number_is_named_by_the_users_row(form: Any, bad: float) -> None:
    X = np.ones((6, 3))
    X[4, 2] = bad
    block = Block(form(X), weight=np.array([0, 1, 0, 1.0, 1, 1]), start=10)
    with pytest.raises(ValueError, match=r"Input X contains .* in column 2, row 14"):
        Moments.from_block(block)
    y = np.array([[1.0], [bad]])
    with pytest.raises(ValueError, match=r"Input y contains .* in row 1"):
        moments(form(np.ones((2, 1))), y)


@pytest.mark.parametrize("origin", [0.0, 1.0, 3000.0])
def test_single_precision_rows_are_summed_in_double(origin: float) -> None:
    X = (RNG.normal(size=(100_000, 3)) + origin).astype(np.float32)
    y = RNG.normal(size=(100_000, 1)) + origin
    for form in (np.asarray, np.asfortranarray, sp.csr_array):
        single = map_reduce(as_table(form(X), y), Moments.from_block)
        assert single.scatter.dtype == single.mean.dtype == np.float64
        assert_same(
            dataclasses.replace(single, mean=single.mean.round(5)),
            dataclasses.replace(moments(X.astype(np.float64), y), mean=single.mean.round(5)),
            rtol=2e-6,
        )


@pytest.mark.parametrize("scale", [1e-42, 1e-30, 1e-20, 1e20, 1e30])
@pytest.mark.parametrize("n", [500, 100_000])
def test_single_precision_rows_of_far_scale_are_right(scale: float, n: int) -> None:
    X = (RNG.normal(size=(n, 2)) * np.array([1, scale])).astype(np.float32)
    y = RNG.normal(size=(n, 1)) * scale
    for rows in (X, X + np.float32(3)):
        expected = moments(rows.astype(np.float64), y)
        result = moments(rows, y)
        np.testing.assert_allclose(result.mean, expected.mean, rtol=1e-4, atol=1e-6 * scale)
        assert_same(dataclasses.replace(result, mean=expected.mean), expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 1), (3, 50), (5, 0)])
def test_shapes_at_the_edge(shape: tuple[int, int], exact: Callable) -> None:
    X = RNG.normal(size=shape)
    y = RNG.normal(size=(shape[0], 1))
    assert_same(moments(X, y), exact(np.hstack([X, y])))


def test_every_kind_of_input_has_the_same_moments(as_input: Any) -> None:
    X = RNG.normal(size=(300, 4)) * [1, 2, 3, 4] + np.array([0, 5, 0, -1])
    X[RNG.random((300, 4)) < 0.3] = 0
    y, w = RNG.normal(size=(300, 1)), RNG.integers(0, 3, 300)
    result = map_reduce(as_table(as_input(X), y, w), Moments.from_block)
    expected = moments(X, y, w)
    tight = dataclasses.replace(result, mean=expected.mean)
    np.testing.assert_allclose(result.mean, expected.mean, rtol=as_input.rtol, atol=as_input.rtol)
    assert_same(tight, expected, rtol=as_input.rtol)


# Taking rows out


@given(seeds, st.integers(20, 150), st.integers(1, 150), st.sampled_from([0.0, 1e4]), st.booleans())
def test_rows_put_in_can_be_taken_out(
    seed: int, n: int, m: int, origin: float, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + m, 2)) + np.array([origin, 0])
    w = rng.integers(1, 4, n + m) if weighted else None
    a = moments(X[:n], None, w if w is None else w[:n])
    b = moments(X[n:], None, w if w is None else w[n:])
    rest = a + b - b
    assert rest.count == a.count
    assert_same(dataclasses.replace(rest, mean=a.mean), a, rtol=1e-6)
    np.testing.assert_allclose(rest.mean, a.mean, rtol=1e-10, atol=1e-10)


@given(seeds, st.floats(-3, 10), st.floats(0, 12), st.integers(1, 300))
def test_six_digits_remain_or_none(seed: int, spread: float, origin: float, size: int) -> None:
    """Whatever is taken out, from whatever origin: the rest is right, or it is refused."""
    rng = np.random.default_rng(seed)
    kept = rng.normal(size=(30, 1)) + 10.0**origin
    taken = rng.normal(size=(10 * size, 1)) * 10.0**spread + 10.0**origin
    b = moments(taken)
    try:
        rest = moments(kept) + b - b
    except ArithmeticError:
        return
    assert_same(dataclasses.replace(rest, mean=moments(kept).mean), moments(kept), rtol=1e-6)


def test_digits_are_counted_over_many_removals() -> None:
    """Each removal looks harmless beside what it is taken from; all of them together are not."""
    parts = [moments(RNG.normal(size=(20, 1)) * 100.0**k) for k in range(8)]
    total = reduce(add, parts)
    with pytest.raises(ArithmeticError, match=r"fewer than six correct digits.*Fit again"):  # noqa: PT012
        for part in reversed(parts[1:]):
            total = total - part


def test_harmless_removal_is_not_refused() -> None:
    X = RNG.normal(size=(100_000, 2)) + np.array([0, 100])
    rest = moments(X) - moments(X[100:])
    assert_same(rest, moments(X[:100]), rtol=1e-6)


def test_cancellation_is_refused() -> None:
    X = np.concatenate([RNG.normal(size=(50, 1)), 1e8 * RNG.normal(size=(50, 1))])
    with pytest.raises(ArithmeticError, match=r"1 column\(s\) \(the first is number 0\)"):
        moments(X) - moments(X[50:])


def test_single_precision_remembers_that_it_has_fewer_digits() -> None:
    X = RNG.normal(size=(300_000, 1)) * np.where(np.arange(300_000) < 100_000, 1.0, 1e3)[:, None]
    moments(X) - moments(X[100_000:])
    X = X.astype(np.float32)
    a, b = moments(X[:200_000]), moments(X[200_000:])
    np.testing.assert_array_equal((a + b).noise, a.noise + b.noise)
    assert a.noise > 0
    with pytest.raises(ArithmeticError, match=r"Fit again"):
        moments(X) - moments(X[100_000:])


def test_weight_that_would_be_rounding_is_refused() -> None:
    X, w = RNG.normal(size=(10, 1)), np.array([1e20] * 5 + [1.0] * 5)
    with pytest.raises(ArithmeticError, match=r"digits in the weight"):
        moments(X, None, w) - moments(X[:5], None, w[:5])


def test_constant_column_stays_constant() -> None:
    X = RNG.normal(size=(40, 2))
    X[:, 1] = 0.1
    rest = moments(X) - moments(X[30:])
    np.testing.assert_array_equal(rest.scatter[1], [0.0, 0.0])
    assert rest.mean[1] == 0.1


def test_all_rows_can_be_taken_out_and_none() -> None:
    a = moments(RNG.normal(size=(10, 2)))
    nothing = a - a
    assert (nothing.count, nothing.weight) == (0, 0.0)
    np.testing.assert_array_equal(nothing.scatter, np.zeros((2, 2)))
    assert a - nothing is a


@pytest.mark.parametrize("w", [[1.0] * 4, [0.1] * 4, [2.0, 2.0, 2.0], [0.5, 0.5, 0.5], [5.0]])
def test_rows_that_were_not_put_in_cannot_be_taken_out(w: list[float]) -> None:
    X = RNG.normal(size=(4, 1))
    with pytest.raises(
        ValueError, match=r"Cannot take out .* 3 rows of total weight 3 were put in"
    ):
        moments(X[:3]) - moments(X[: len(w)], None, w)


def test_other_columns_do_not_go_together() -> None:
    X, y = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 1))
    a = moments(X[:, :1], y)
    with pytest.raises(ValueError, match=r"1 columns and 1 target\(s\) do not .* 3 columns and 1"):
        a + moments(X, y)
    with pytest.raises(ValueError, match=r"1 columns and 1 target\(s\) do not .* 2 columns and 0"):
        a - moments(X[:, :2])


def test_merging_changes_neither_part() -> None:
    a, b = moments(RNG.normal(size=(5, 2))), moments(RNG.normal(size=(5, 2)))
    before = [x.copy() for x in (a.mean, a.scatter, a.noise, b.mean, b.scatter, b.noise)]
    _ = a + b, a + b - b
    after = [a.mean, a.scatter, a.noise, b.mean, b.scatter, b.noise]
    for x, y in zip(before, after, strict=True):
        np.testing.assert_array_equal(x, y)
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.count = 3


def test_views_of_the_moments() -> None:
    X, y = RNG.normal(size=(30, 3)), RNG.normal(size=(30, 2))
    m = moments(X, y)
    assert (m.n_features, m.n_targets) == (3, 2)
    np.testing.assert_allclose(m.x_mean, X.mean(axis=0))
    np.testing.assert_allclose(m.y_mean, y.mean(axis=0))
    for fit_intercept in (True, False):
        A, B = (X - X.mean(axis=0), y - y.mean(axis=0)) if fit_intercept else (X, y)
        for part, truth in zip(m.centred(fit_intercept), (A.T @ A, A.T @ B, B.T @ B), strict=True):
            np.testing.assert_allclose(part, truth, rtol=1e-11, atol=1e-12)
    for index in ([2, 0], [False, True, True], [-1]):
        assert_same(m.columns(np.array(index)), moments(X[:, index], y))
