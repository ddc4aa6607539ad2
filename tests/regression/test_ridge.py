from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

from linework import LinearRegression, Ridge
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import RFactor

Array = np.ndarray


def augmented(X: Array, y: Array, alpha: float, fit_intercept: bool) -> tuple[Array, Array]:
    """Rows of which ‖y − Xw‖² is the ridge objective: √α I with a target of zero below."""
    if fit_intercept:
        X, y = X - X.mean(axis=0), y - y.mean(axis=0)
    d = X.shape[1]
    return np.vstack([X, np.sqrt(alpha) * np.eye(d)]), np.concatenate(
        [y, np.zeros((d, *y.shape[1:]))]
    )


@pytest.fixture(params=[(60, 5), (10, 25)], ids=["tall", "wide"])
def rows(request: pytest.FixtureRequest, rng: np.random.Generator) -> tuple[Array, Array]:
    n, d = request.param
    X = rng.standard_normal((n, d)) * np.geomspace(1.0, 100.0, d) + 5.0
    return X, rng.standard_normal((n, 2)) + 3.0


@pytest.mark.parametrize("part", ["whole", "fine"])
def test_path_against_r(r: Any, columns: Any, part: str) -> None:
    case = r["ridge"]
    path = case[part]
    scale = np.array(list(path["scales"].values()))
    X, y = columns(case, list(path["scales"])) / scale, np.array(case["data"]["Employed"])
    for penalty, (intercept, *coef) in zip(path["lambda"], path["coef"], strict=True):
        model = Ridge(penalty).fit(X, y)
        np.testing.assert_allclose(model.coef_ / scale, coef, rtol=1e-8)
        assert model.intercept_ == pytest.approx(intercept, rel=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-6, 0.1, 1.0, 1e4])
def test_a_penalty_is_as_good_as_more_rows(
    rows: tuple[Array, Array], alpha: float, fit_intercept: bool
) -> None:
    X, Y = rows
    model = Ridge(alpha, fit_intercept=fit_intercept).fit(X, Y)
    expected = np.linalg.lstsq(*augmented(X, Y, alpha, fit_intercept), rcond=None)[0]
    np.testing.assert_allclose(model.coef_.T, expected, rtol=1e-8)
    mean = Y.mean(axis=0) - X.mean(axis=0) @ expected if fit_intercept else np.zeros(2)
    np.testing.assert_allclose(model.intercept_, mean, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_penalty_it_is_least_squares(
    rows: tuple[Array, Array], fit_intercept: bool
) -> None:
    ridge = Ridge(0.0, fit_intercept=fit_intercept).fit(*rows)
    plain = LinearRegression(fit_intercept=fit_intercept).fit(*rows)
    np.testing.assert_allclose(ridge.coef_, plain.coef_, rtol=1e-9)
    assert ridge.solver_ == plain.solver_


def test_a_large_penalty_leaves_the_mean(rows: tuple[Array, Array]) -> None:
    X, Y = rows
    np.testing.assert_allclose(Ridge(1e18).fit(X, Y).predict(X) - Y.mean(axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize("alphas", [[0.5, 50.0], [0.0, 3.0], [2.0, 2.0]])
def test_each_target_may_have_its_own_penalty(
    rows: tuple[Array, Array], alphas: list[float]
) -> None:
    X, Y = rows
    model = Ridge(alphas).fit(X, Y)
    for k, alpha in enumerate(alphas):
        alone = Ridge(alpha).fit(X, Y[:, k])
        np.testing.assert_allclose(model.coef_[k], alone.coef_, rtol=1e-8)
        np.testing.assert_allclose(model.intercept_[k], alone.intercept_, rtol=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_nonnegative(rows: tuple[Array, Array], alpha: float, fit_intercept: bool) -> None:
    X, Y = rows
    model = Ridge(alpha, positive=True, fit_intercept=fit_intercept).fit(X, Y)
    for k in range(2):
        expected, _ = nnls(*augmented(X, Y[:, k], alpha, fit_intercept))
        np.testing.assert_allclose(model.coef_[k], expected, rtol=1e-8, atol=1e-12)
    assert model.solver_ == "active set"


def test_a_penalty_is_not_divided_by_the_weights(rows: tuple[Array, Array]) -> None:
    X, Y = rows
    heavy = Ridge(30.0).fit(X, Y, sample_weight=np.full(len(X), 10.0))
    np.testing.assert_allclose(heavy.coef_, Ridge(3.0).fit(X, Y).coef_, rtol=1e-9)


class TestRungs:
    def test_the_penalised_problem_is_factorised(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((50, 3)), rng.standard_normal(50)
        model = Ridge().fit(np.column_stack([X, X]), y)
        assert (model.solver_, model.rank_) == ("cholesky", 6)
        centred = np.column_stack([X, X]) - np.tile(X.mean(axis=0), 2)
        unit = centred / np.sqrt(np.square(centred).sum(axis=0) + 1.0)
        exact = np.sqrt(np.linalg.cond(unit.T @ unit + np.diag(1.0 - np.square(unit).sum(axis=0))))
        assert 0.1 < model.condition_ / exact < 10.0

    def test_a_tiny_penalty_on_collinear_columns_takes_a_factor(
        self, rng: np.random.Generator
    ) -> None:
        x = rng.standard_normal((50, 1))
        X = np.hstack([x, x + 1e-6 * rng.standard_normal((50, 1))])
        y = X @ [1.0, 1.0]
        model = Ridge(1e-12).fit(X, y)
        assert model.solver_ == "orthogonal"
        np.testing.assert_allclose(
            model.coef_, np.linalg.lstsq(*augmented(X, y, 1e-12, True), rcond=None)[0], rtol=1e-6
        )
        assert Ridge(1e-12).partial_fit(X, y).solver_ == "spectral"

    def test_a_factor_serves_as_statistic(self, rows: tuple[Array, Array]) -> None:
        model = Ridge(2.0).fit_stats(map_reduce(as_table(*rows), RFactor.from_block))
        np.testing.assert_allclose(model.coef_, Ridge(2.0).fit(*rows).coef_, rtol=1e-8)

    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("alpha", [0.1, 10.0, [1.0, 5.0]])
    def test_many_sparse_columns_take_conjugate_gradients(
        self, rng: np.random.Generator, alpha: Any, fit_intercept: bool
    ) -> None:
        X = rng.standard_normal((100, 4200)) * (rng.random((100, 4200)) < 0.02) * 3.0
        Y = rng.standard_normal((100, 2)) + 1.0
        model = Ridge(alpha, fit_intercept=fit_intercept).fit(sp.csr_array(X), Y)
        assert model.solver_ == "conjugate gradient"
        assert model.convergence_.converged
        Z, R = (a - a.mean(axis=0) if fit_intercept else a for a in (X, Y))
        for k, penalty in enumerate(np.broadcast_to(alpha, 2)):
            # w = Xᵀ (XXᵀ + αI)⁻¹ y: a system of rows, not of columns.
            expected = Z.T @ np.linalg.solve(Z @ Z.T + penalty * np.eye(100), R[:, k])
            tolerance = 1e-5 * np.abs(expected).max()
            np.testing.assert_allclose(model.coef_[k], expected, atol=tolerance)
            intercept = (Y - X @ expected[:, None]).mean(axis=0)[k] if fit_intercept else 0.0
            assert model.intercept_[k] == pytest.approx(intercept, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("alpha", "words"),
    [
        (-1.0, "penalties are finite numbers, zero or more"),
        (np.nan, "penalties are finite numbers, zero or more"),
        (np.inf, "penalties are finite numbers, zero or more"),
        ([1.0, 2.0, 3.0], "Give one alpha, or one for each target"),
    ],
)
def test_impossible_penalties_are_told(rows: tuple[Array, Array], alpha: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Ridge(alpha).fit(*rows)
