"""The factor's square is the scatter, with the digits that the scatter itself would lose."""

import itertools
from collections.abc import Callable
from fractions import Fraction
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
from linework.stats import Moments, RFactor

RNG = np.random.default_rng(22)


def factor(X: Any, y: Any = None, w: Any = None) -> RFactor:
    return RFactor.from_block(Block(X, y, None if w is None else np.asarray(w, float)))


def assert_square(f: RFactor, scatter: np.ndarray, rtol: float = 1e-12) -> None:
    spread = np.sqrt(np.diag(scatter))
    assert (abs(f.R.T @ f.R - scatter) <= rtol * np.outer(spread, spread)).all()


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array])
@pytest.mark.parametrize("n", [1, 3, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_square_is_the_scatter(form: Any, n: int, weighted: bool, exact: Callable) -> None:
    X = RNG.normal(size=(n, 3)) + np.array([0, 1e8, -4])
    y = RNG.normal(size=(n, 2)) + 100
    w = RNG.uniform(0.1, 3, n) if weighted else None
    f = factor(form(X), y, w)
    truth = exact(np.hstack([X, y]), w)
    assert (f.count, f.n_features, f.n_targets) == (n, 3, 2)
    assert f.weight == pytest.approx(truth.weight)
    np.testing.assert_allclose(np.concatenate([f.x_mean, f.y_mean]), truth.mean, rtol=1e-13)
    assert_square(f, truth.scatter, rtol=1e-10)
    assert len(f.R) <= 5


def test_small_singular_value_is_kept_where_the_scatter_would_lose_it() -> None:
    # The scatter of these columns, 2 of (1, 1; 1, 1) and 2e-20 of its other direction, is of rank
    # one in float64.
    X = np.array([[1.0, 1 + 1e-10], [-1.0, -1 + 1e-10], [1.0, 1 - 1e-10], [-1.0, -1 - 1e-10]])
    smallest = np.linalg.svd(factor(X).R, compute_uv=False)[-1]
    a, b = ([Fraction(v) for v in column] for column in X.T)
    aa, ab, bb = (
        sum(p * q for p, q in zip(u, v, strict=True)) for u, v in ((a, a), (a, b), (b, b))
    )
    truth = float((aa * bb - ab**2) / (aa + bb)) ** 0.5  # det / trace, all but exactly
    assert smallest == pytest.approx(truth, rel=1e-5)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 60), max_size=5))
def test_any_cut_merges_to_the_whole(seed: int, cuts: list[int]) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)) + np.array([0, 1e6, 1]), rng.normal(size=(60, 1))
    w = rng.uniform(0, 2, 60) * (rng.random(60) < 0.8)
    edges = [0, *sorted(cuts), 60]
    parts = (factor(X[a:b], y[a:b], w[a:b]) for a, b in itertools.pairwise(edges))
    merged, whole = reduce(add, parts), factor(X, y, w)
    assert merged.count == whole.count
    np.testing.assert_allclose(merged.mean, whole.mean, rtol=1e-12, atol=1e-12)
    assert_square(merged, whole.R.T @ whole.R, rtol=1e-9)
    assert merged.R.shape[0] <= max(4, 0)


def test_integer_weight_is_a_repeated_row_and_zero_no_row() -> None:
    X, w = RNG.normal(size=(30, 2)), RNG.integers(0, 4, 30)
    repeated = factor(np.repeat(X, w, axis=0))
    X[w == 0] = np.nan
    weighted = factor(X, None, w)
    assert_square(weighted, repeated.R.T @ repeated.R)
    assert weighted.count == np.count_nonzero(w)
    nothing = factor(X[w == 0], None, np.zeros(np.sum(w == 0)))
    assert nothing.count == 0
    assert nothing + weighted is weighted
    assert weighted + nothing is weighted


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e200, 1e-200])
def test_far_scales_are_right(scale: float) -> None:
    X = RNG.normal(size=(30, 2)) + np.array([1, 0])
    plain, scaled = factor(X), factor(X * scale)
    np.testing.assert_allclose(abs(scaled.R / scale), abs(plain.R), rtol=1e-10)


def test_constant_column_is_zero() -> None:
    X = RNG.normal(size=(50, 2))
    X[:, 1] = 0.1
    total = factor(X[:20]) + factor(X[20:])
    np.testing.assert_array_equal(total.R[:, 1], np.zeros(len(total.R)))


def test_every_kind_of_input_has_the_same_factor(as_input: Any) -> None:
    X = RNG.normal(size=(200, 3)) + np.array([0, 5, -1])
    X[RNG.random((200, 3)) < 0.3] = 0
    f = map_reduce(as_table(as_input(X)), RFactor.from_block)
    assert_square(f, Moments.from_block(Block(X)).scatter, rtol=as_input.rtol)


def test_sparse_rows_become_dense_only_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    X = sp.random_array((20_000, 40), density=0.01, format="csr", rng=RNG)
    largest = []

    def watch(self: Any, *args: Any, **kwargs: Any) -> np.ndarray:
        largest.append(self.shape[0])
        return toarray(self, *args, **kwargs)

    toarray = sp.csr_array.toarray
    expected = factor(X.toarray())
    monkeypatch.setattr(sp.csr_array, "toarray", watch)
    f = factor(X)
    assert f.count == 20_000
    assert max(largest) <= 4096
    assert_square(f, expected.R.T @ expected.R, rtol=1e-10)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n", [2, 30])
def test_split_gives_the_factor_about_the_means_or_about_zero(fit_intercept: bool, n: int) -> None:
    X, y = RNG.normal(size=(n, 3)) + 2, RNG.normal(size=(n, 1)) + 1
    A, B = factor(X, y).split(fit_intercept)
    Z = np.hstack([X, y])
    Z = Z - Z.mean(axis=0) if fit_intercept else Z
    np.testing.assert_allclose(A.T @ A, Z[:, :3].T @ Z[:, :3], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(A.T @ B, Z[:, :3].T @ Z[:, 3:], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_numbers_get_a_sentence(bad: float) -> None:
    X = np.ones((5, 2))
    X[3, 1] = bad
    for form in (np.asarray, sp.csr_array):
        with pytest.raises(ValueError, match=r"column 1, row 3"):
            factor(form(X), None, [0, 1, 1, 1, 1])
    with pytest.raises(ValueError, match=r"Input y contains .* row 3"):
        factor(np.ones((5, 1)), X[:, 1:])
    with pytest.raises(ValueError, match=r"too large.*Divide"):
        factor(np.array([[1.7e308], [-1.7e308], [1.0]]))
    with pytest.raises(ValueError, match=r"too large"):
        factor(np.array([[1.7e308]])) + factor(np.array([[-1.7e308]]))


def test_other_columns_do_not_go_together() -> None:
    with pytest.raises(ValueError, match=r"1 columns and 0 .* do not go together with .* 2"):
        factor(np.ones((2, 1))) + factor(np.ones((2, 2)))
