from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.solvers.least_squares import least_squares, nonnegative
from linework.solvers.ridge import ridge
from linework.stats import Moments, RFactor

Array = np.ndarray


@pytest.fixture
def rows() -> tuple[Array, Array]:
    rng = np.random.default_rng(8)
    X = rng.standard_normal((40, 4)) + np.array([0.0, 10.0, 0.0, -3.0])
    return X, rng.standard_normal((40, 2)) + 1.0


@pytest.fixture(params=[Moments, RFactor], ids=["moments", "factor"])
def statistic(request: pytest.FixtureRequest) -> Any:
    return request.param


def stats_of(statistic: Any, X: Array, Y: Array) -> Any:
    return map_reduce(as_table(X, Y), statistic.from_block)


def centred(a: Array, fit_intercept: bool) -> Array:
    return a - a.mean(axis=0) if fit_intercept else a


@pytest.mark.parametrize("fit_intercept", [True, False])
class TestOneAnswerFromEitherStatistic:
    def test_least_squares(
        self, rows: tuple[Array, Array], statistic: Any, fit_intercept: bool
    ) -> None:
        X, Y = rows
        solution = least_squares(stats_of(statistic, X, Y), fit_intercept)
        Z, R = centred(X, fit_intercept), centred(Y, fit_intercept)
        np.testing.assert_allclose(solution.coef, np.linalg.lstsq(Z, R, rcond=None)[0], rtol=1e-11)
        assert (solution.rank, solution.aliased) == (4, ())
        assert solution.solve is not None
        np.testing.assert_allclose(solution.solve(Z.T @ R), solution.coef, rtol=1e-11)

    def test_ridge(self, rows: tuple[Array, Array], statistic: Any, fit_intercept: bool) -> None:
        X, Y = rows
        alpha = np.array([0.5, 20.0])
        solution = ridge(stats_of(statistic, X, Y), alpha, fit_intercept)
        Z, R = centred(X, fit_intercept), centred(Y, fit_intercept)
        for k in range(2):
            expected = np.linalg.solve(Z.T @ Z + alpha[k] * np.eye(4), Z.T @ R[:, k])
            np.testing.assert_allclose(solution.coef[:, k], expected, rtol=1e-10)

    def test_nonnegative(
        self, rows: tuple[Array, Array], statistic: Any, fit_intercept: bool
    ) -> None:
        X, Y = rows
        solution = nonnegative(stats_of(statistic, X, Y), fit_intercept)
        Z, R = centred(X, fit_intercept), centred(Y, fit_intercept)
        expected = np.column_stack([nnls(Z, r)[0] for r in R.T])
        np.testing.assert_allclose(solution.coef, expected, rtol=1e-10, atol=1e-12)


def test_constant_columns_count_as_no_columns(rows: tuple[Array, Array], statistic: Any) -> None:
    X, Y = rows
    for constant in (0.1, 1e8 + 0.1, 0.0):
        solution = least_squares(stats_of(statistic, np.insert(X, 1, constant, axis=1), Y))
        expected = least_squares(stats_of(statistic, X, Y))
        assert (solution.rank, solution.aliased) == (4, (1,))
        np.testing.assert_allclose(np.delete(solution.coef, 1, 0), expected.coef, rtol=1e-9)
        np.testing.assert_allclose(solution.coef[1], 0.0, atol=1e-12)


def test_a_factor_resolves_what_moments_cannot(rows: tuple[Array, Array]) -> None:
    X, _ = rows
    X[:, 3] = X[:, 0] + 1e-9 * X[:, 3]
    Y = X.sum(axis=1, keepdims=True)
    factor = least_squares(stats_of(RFactor, X, Y))
    moments = least_squares(stats_of(Moments, X, Y))
    assert (factor.rank, moments.rank) == (4, 3)
    np.testing.assert_allclose(factor.coef, 1.0, atol=1e-5)
    assert moments.solve is None
