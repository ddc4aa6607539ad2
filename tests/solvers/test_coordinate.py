"""The kernels against brute force: every pattern of signs of a small problem."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linework.solvers.coordinate import Path, Penalty, gram_path, working_set_path

Array = np.ndarray


def objective(beta: Array, X: Array, y: Array, l1: float, l2: float) -> float:
    r = y - X @ beta
    return float(0.5 * r @ r + l1 * np.abs(beta).sum() + 0.5 * l2 * beta @ beta)


def brute_force(X: Array, y: Array, l1: float, l2: float, positive: bool) -> float:
    """The least objective: that of the best stationary point with any pattern of signs."""
    d = X.shape[1]
    best = 0.5 * y @ y
    for signs in product([0, 1] if positive else [-1, 0, 1], repeat=d):
        s = np.array(signs, float)
        S = np.flatnonzero(s)
        if not len(S):
            continue
        A = X[:, S].T @ X[:, S] + l2 * np.eye(len(S))
        b = np.linalg.lstsq(A, X[:, S].T @ y - l1 * s[S], rcond=None)[0]
        if (b * s[S] > 0.0).all():
            beta = np.zeros(d)
            beta[S] = b
            best = min(best, objective(beta, X, y, l1, l2))
    return float(best)


def solve(X: Array, y: Array, penalty: Penalty, by: str) -> Path:
    """The path by either road; the weight is 1."""
    gram, cross, yy = X.T @ X, X.T @ y, float(y @ y)
    if by == "gram":
        return gram_path(gram, cross, yy, 1.0, penalty)
    return working_set_path(
        lambda beta: cross - gram @ beta,
        lambda index: np.ascontiguousarray(gram[np.ix_(index, index)]),
        cross,
        yy,
        1.0,
        penalty,
    )


roads = pytest.mark.parametrize("by", ["gram", "working set"])


@roads
@given(
    n=st.integers(2, 12),
    d=st.integers(1, 5),
    share=st.floats(0.001, 1.2),
    l1_ratio=st.floats(0.05, 1.0),
    positive=st.booleans(),
    twice=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_no_pattern_of_signs_is_better(
    by: str, n: int, d: int, share: float, l1_ratio: float, positive: bool, twice: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.standard_normal(n)
    if twice:
        X[:, -1] = X[:, 0]
    alpha = share * np.abs(X.T @ y).max()
    penalty = Penalty(np.array([alpha]), l1_ratio, positive, 1e-10, 100_000)
    path = solve(X, y, penalty, by)
    l1, l2 = float(penalty.l1[0]), float(penalty.l2[0])
    found, best = objective(path.coefs[0], X, y, l1, l2), brute_force(X, y, l1, l2, positive)
    assert found - best <= 1e-9 * (y @ y)
    # The gap is a bound, and it is kept.
    assert found - best <= path.gaps[0] + 1e-12 * (y @ y)
    assert path.gaps[0] <= 1e-10 * (y @ y)
    assert not (positive and (path.coefs < 0.0).any())


@roads
def test_a_path_gives_what_each_penalty_alone_gives(by: str) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((40, 20)), rng.standard_normal(40)
    alphas = np.abs(X.T @ y).max() * np.array([1.0, 0.5, 0.1, 0.01])
    path = solve(X, y, Penalty(alphas, 0.8, tol=1e-12, max_iter=100_000), by)
    for k, alpha in enumerate(alphas):
        alone = solve(X, y, Penalty(np.array([alpha]), 0.8, tol=1e-12, max_iter=100_000), by)
        np.testing.assert_allclose(path.coefs[k], alone.coefs[0], atol=1e-6)


@roads
def test_units_of_the_columns_do_not_matter_to_the_kernel(by: str) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((30, 6)), rng.standard_normal(30)
    for scale in (1e-100, 1e100):
        plain = solve(X, y, Penalty(np.array([2.0]), 1.0), by)
        scaled = solve(X * scale, y, Penalty(np.array([2.0 * scale]), 1.0), by)
        np.testing.assert_allclose(scaled.coefs * scale, plain.coefs, rtol=1e-9)
        np.testing.assert_array_equal(scaled.n_iter, plain.n_iter)


@roads
def test_columns_of_zeros_stay_out(by: str) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, 5)), rng.standard_normal(30)
    X[:, 2] = 0.0
    path = solve(X, y, Penalty(np.array([0.5]), 0.7, tol=1e-10), by)
    assert path.coefs[0, 2] == 0.0
    assert np.count_nonzero(path.coefs[0]) > 0


@roads
def test_the_last_sweep_is_the_last(by: str) -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((30, 10)) + 3.0 * rng.standard_normal((30, 1))
    y = rng.standard_normal(30)
    path = solve(X, y, Penalty(np.array([1e-3]), 1.0, tol=1e-10, max_iter=3), by)
    assert path.n_iter[0] == 3
    assert path.gaps[0] > 1e-10 * (y @ y)


def test_more_columns_enter_than_a_working_set_takes_at_once() -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((400, 600))
    y = X @ rng.standard_normal(600)
    penalty = Penalty(np.array([0.01 * np.abs(X.T @ y).max()]), 1.0, tol=1e-8, max_iter=100_000)
    one, other = (solve(X, y, penalty, by) for by in ("gram", "working set"))
    assert np.count_nonzero(other.coefs) > 200
    l1 = float(penalty.l1[0])
    assert objective(other.coefs[0], X, y, l1, 0.0) == pytest.approx(
        objective(one.coefs[0], X, y, l1, 0.0), rel=1e-7
    )
