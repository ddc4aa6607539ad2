from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from linework import LinearRegression
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import Moments, RFactor

Array = np.ndarray


# Log relative errors: a bit below what is reached, Filip's limit being that of its data.
FLOORS = {
    "Norris": 13.5,
    "Pontius": 13.0,
    "NoInt1": 14.0,
    "NoInt2": 14.5,
    "Filip": 7.3,
    "Longley": 14.0,
    "Wampler1": 14.5,
    "Wampler2": 13.0,
    "Wampler3": 14.5,
    "Wampler4": 14.5,
    "Wampler5": 14.5,
}


def centred(a: Array, fit_intercept: bool) -> Array:
    return a - a.mean(axis=0) if fit_intercept else a


def minimum_norm(X: Array, y: Array, fit_intercept: bool) -> Array:
    return np.linalg.pinv(centred(X, fit_intercept), rcond=1e-12) @ centred(y, fit_intercept)


class TestKnownSolutions:
    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("shape", [(3,), (3, 2)])
    def test_without_noise_the_truth_comes_back(
        self, rng: np.random.Generator, fit_intercept: bool, shape: tuple[int, ...]
    ) -> None:
        X, coef = rng.standard_normal((50, 3)), rng.standard_normal(shape)
        intercept = 2.5 if fit_intercept else 0.0
        model = LinearRegression(fit_intercept=fit_intercept).fit(X, X @ coef + intercept)
        np.testing.assert_allclose(model.coef_.T, coef, rtol=1e-13)
        np.testing.assert_allclose(model.intercept_, intercept, rtol=1e-13)

    def test_orthogonal_columns_are_projected_on_one_by_one(self, rng: np.random.Generator) -> None:
        X = scipy.linalg.hadamard(16)[:, 1:6].astype(float)
        y = rng.standard_normal(16)
        model = LinearRegression().fit(X, y)
        np.testing.assert_allclose(model.coef_, X.T @ y / 16, rtol=1e-13)
        np.testing.assert_allclose(model.intercept_, y.mean(), rtol=1e-13)
        assert model.condition_ == pytest.approx(1.0)

    def test_one_column_has_the_textbook_solution(self, rng: np.random.Generator) -> None:
        # w = Σ yᵢ(xᵢ − x̄) / (Σ xᵢ² − (Σ xᵢ)²/m),  b = (1/m) Σ (yᵢ − w xᵢ)
        x, y, m = rng.standard_normal(30), rng.standard_normal(30), 30
        w = (y * (x - x.mean())).sum() / ((x**2).sum() - x.sum() ** 2 / m)
        model = LinearRegression().fit(x[:, None], y)
        assert model.coef_[0] == pytest.approx(w, rel=1e-12)
        assert model.intercept_ == pytest.approx((y - w * x).sum() / m, rel=1e-12)

    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_residuals_are_orthogonal_to_the_columns(
        self, rng: np.random.Generator, fit_intercept: bool
    ) -> None:
        X, y = rng.standard_normal((80, 5)) + 3.0, rng.standard_normal(80)
        model = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
        residuals = y - model.predict(X)
        np.testing.assert_allclose(X.T @ residuals, 0.0, atol=1e-11)
        if fit_intercept:
            assert residuals.sum() == pytest.approx(0.0, abs=1e-12)

    def test_targets_are_fitted_as_if_alone(self, rng: np.random.Generator) -> None:
        X, Y = rng.standard_normal((40, 4)), rng.standard_normal((40, 3))
        model = LinearRegression().fit(X, Y)
        assert model.coef_.shape == (3, 4)
        assert model.predict(X).shape == (40, 3)
        for k in range(3):
            alone = LinearRegression().fit(X, Y[:, k])
            np.testing.assert_allclose(model.coef_[k], alone.coef_, rtol=1e-12)
            np.testing.assert_allclose(model.intercept_[k], alone.intercept_, rtol=1e-12)


class TestAgainstR:
    @staticmethod
    def check(model: Any, coef: dict[str, Any], rtol: float = 1e-11) -> None:
        intercept = coef.get("(Intercept)", 0.0)
        slopes = [value for name, value in coef.items() if name != "(Intercept)"]
        np.testing.assert_allclose(model.coef_, slopes, rtol=rtol)
        np.testing.assert_allclose(model.intercept_, intercept, rtol=rtol)

    @pytest.mark.parametrize(
        ("name", "target", "rtol"),
        [("ols", "mpg", 1e-11), ("collinear", "Employed", 1e-11), ("no_intercept", "mpg", 1e-11)],
    )
    def test_coefficients(self, r: Any, columns: Any, name: str, target: str, rtol: float) -> None:
        case = r[name]
        names = [k for k in case["coef"] if k != "(Intercept)"]
        model = LinearRegression(fit_intercept="(Intercept)" in case["coef"])
        self.check(model.fit(columns(case, names), case["data"][target]), case["coef"], rtol)
        assert model.rank_ + model.fit_intercept == case["rank"]

    @pytest.mark.parametrize("name", ["weighted", "weighted_with_zeros"])
    def test_weights(self, r: Any, columns: Any, name: str) -> None:
        case = r[name]
        X, y = columns(case, ["wt", "hp"]), case["data"]["mpg"]
        model = LinearRegression().fit(X, y, sample_weight=case["weights"])
        self.check(model, case["precision"]["coef"])

    def test_several_targets(self, r: Any, columns: Any) -> None:
        case = r["targets"]
        model = LinearRegression().fit(columns(case, ["wt", "hp"]), columns(case, ["mpg", "disp"]))
        for k, target in enumerate(["mpg", "disp"]):
            coef = list(case["by_target"][target]["coef"].values())
            np.testing.assert_allclose([model.intercept_[k], *model.coef_[k]], coef, rtol=1e-11)

    def test_aliased_columns_have_their_names(self, r: Any) -> None:
        pd = pytest.importorskip("pandas")
        case = r["rank_deficient"]
        names = [k for k in case["coef"] if k != "(Intercept)"]
        model = LinearRegression().fit(pd.DataFrame(case["data"])[names], case["data"]["mpg"])
        assert list(model.aliased_) == case["aliased"]
        assert model.rank_ + 1 == case["rank"]
        fitted = model.predict(pd.DataFrame(case["data"])[names])
        np.testing.assert_allclose(fitted, case["fitted"], rtol=1e-12)

    @pytest.mark.parametrize("name", ["no_intercept", "free_intercept"])
    def test_nonnegative(self, r: Any, columns: Any, name: str) -> None:
        case = r["nonnegative"]
        expected = case[name]
        names = list(expected["coef"])
        model = LinearRegression(positive=True, fit_intercept=name == "free_intercept")
        model.fit(columns(case, names), case["data"]["mpg"])
        np.testing.assert_allclose(
            model.coef_, list(expected["coef"].values()), rtol=1e-10, atol=1e-12
        )
        assert model.intercept_ == pytest.approx(expected.get("intercept", 0.0), rel=1e-10)
        assert [names[j] for j in np.flatnonzero(model.coef_ == 0.0)] == expected["active_at_zero"]


class TestMissingRank:
    @given(
        n=st.integers(2, 30),
        d=st.integers(1, 30),
        rank=st.integers(0, 30),
        fit_intercept=st.booleans(),
        seed=st.integers(0, 10_000),
    )
    def test_minimum_norm(self, n: int, d: int, rank: int, fit_intercept: bool, seed: int) -> None:
        rng = np.random.default_rng(seed)
        k = min(rank, n, d)
        X = rng.standard_normal((n, k)) @ rng.standard_normal((k, d)) + fit_intercept * 3.0
        y = rng.standard_normal(n)
        model = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
        expected = minimum_norm(X, y, fit_intercept)
        singular = np.linalg.svd(centred(X, fit_intercept), compute_uv=False)
        largest = singular.max(initial=0.0)
        positive = singular[singular > 1e-12 * largest] if largest > 1e-12 else singular[:0]
        assert model.rank_ == len(positive)
        if len(positive):
            # An error in y grows by the condition number at most.
            condition = positive[0] / positive[-1]
            size = np.abs(expected).max()
            np.testing.assert_allclose(model.coef_, expected, atol=1e-13 * condition**2 * size)

    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_more_columns_than_rows_interpolate(
        self, rng: np.random.Generator, fit_intercept: bool
    ) -> None:
        X, y = rng.standard_normal((20, 50)), rng.standard_normal(20)
        model = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
        np.testing.assert_allclose(model.predict(X), y, rtol=1e-11)
        np.testing.assert_allclose(model.coef_, minimum_norm(X, y, fit_intercept), rtol=1e-9)
        assert model.rank_ == 20 - fit_intercept
        assert len(model.aliased_) == 50 - model.rank_

    def test_minimum_norm_is_of_the_coefficients_and_not_of_scaled_ones(
        self, rng: np.random.Generator
    ) -> None:
        x = rng.standard_normal(40)
        X, y = np.column_stack([x, 3.0 * x]), 10.0 * x + 1.0
        # w₁ + 3 w₂ = 10 nearest to zero.
        np.testing.assert_allclose(LinearRegression().fit(X, y).coef_, [1.0, 3.0], rtol=1e-12)

    def test_moments_alone_find_the_rank_too(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
        X = np.column_stack([X, X @ [1.0, -1.0, 2.0]])
        model = LinearRegression().partial_fit(X, y)
        assert (model.rank_, model.aliased_, model.solver_) == (3, ("x3",), "spectral")
        np.testing.assert_allclose(model.coef_, minimum_norm(X, y, True), rtol=1e-9)


class TestCondition:
    @given(exponents=st.lists(st.integers(-8, 8), min_size=4, max_size=4))
    def test_units_of_the_columns_do_not_matter(self, exponents: list[int]) -> None:
        rng = np.random.default_rng(3)
        X, y = rng.standard_normal((60, 4)), rng.standard_normal(60)
        scale = 10.0 ** np.array(exponents)
        plain, scaled = LinearRegression().fit(X, y), LinearRegression().fit(X * scale, y)
        np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-12)
        assert scaled.condition_ == pytest.approx(plain.condition_, rel=1e-6)
        assert (scaled.rank_, scaled.solver_) == (4, plain.solver_)

    @pytest.mark.parametrize("distance", [1.0, 1e-2, 1e-4, 1e-6])
    def test_it_is_that_of_centred_columns_of_unit_length(
        self, rng: np.random.Generator, distance: float
    ) -> None:
        X = rng.standard_normal((100, 3))
        X[:, 2] = X[:, 1] + distance * X[:, 2]
        X = X * [1.0, 1e5, 1e-5] + 7.0
        unit = X - X.mean(axis=0)
        unit /= np.linalg.norm(unit, axis=0)
        model = LinearRegression().fit(X, X[:, 0])
        assert 0.1 < model.condition_ / np.linalg.cond(unit) < 10.0

    @pytest.mark.parametrize(
        ("distance", "solver"), [(1.0, "cholesky"), (1e-2, "cholesky"), (1e-5, "orthogonal")]
    )
    def test_it_chooses_the_rung(
        self, rng: np.random.Generator, distance: float, solver: str
    ) -> None:
        X = rng.standard_normal((3000, 2))
        X[:, 1] = X[:, 0] + distance * X[:, 1]
        coef = np.array([1.0, 2.0])
        model = LinearRegression().fit(X, X @ coef)
        assert model.solver_ == solver
        np.testing.assert_allclose(model.coef_, coef, rtol=1e-10)

    def test_few_rows_take_an_orthogonal_factor(self, rng: np.random.Generator) -> None:
        model = LinearRegression().fit(rng.standard_normal((5, 5)), rng.standard_normal(5))
        assert model.solver_ == "orthogonal"
        assert model.stats_ is None
        with pytest.raises(ValueError, match="without keeping moments"):
            model.partial_fit(np.ones((2, 5)), np.ones(2))

    def test_a_factor_serves_as_statistic(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
        model = LinearRegression().fit_stats(map_reduce(as_table(X, y), RFactor.from_block))
        assert model.solver_ == "orthogonal"
        np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-12)


class TestNonnegative:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("shape", [(40, 8), (8, 20)])
    def test_it_is_the_nonnegative_least_squares(
        self, seed: int, fit_intercept: bool, shape: tuple[int, int]
    ) -> None:
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal(shape) + 0.5, rng.standard_normal(shape[0])
        model = LinearRegression(positive=True, fit_intercept=fit_intercept).fit(X, y)
        expected, residual = nnls(centred(X, fit_intercept), centred(y, fit_intercept))
        assert model.solver_ == "active set"
        assert (model.coef_ >= 0.0).all()
        assert np.linalg.norm(y - model.predict(X)) == pytest.approx(residual, rel=1e-10, abs=1e-10)
        if shape[0] > shape[1]:
            np.testing.assert_allclose(model.coef_, expected, rtol=1e-9, atol=1e-12)

    def test_an_inactive_bound_changes_nothing(self, rng: np.random.Generator) -> None:
        X = rng.standard_normal((50, 3))
        y = X @ [1.0, 2.0, 3.0] + 0.1 * rng.standard_normal(50)
        free, held = LinearRegression().fit(X, y), LinearRegression(positive=True).fit(X, y)
        np.testing.assert_allclose(held.coef_, free.coef_, rtol=1e-11)


class TestDigits:
    def test_a_mean_of_1e8_costs_no_digits(self) -> None:
        x = np.tile([-1.0, 0.0, 1.0], 20)
        noise = np.tile([1.0, -2.0, 1.0], 20)  # orthogonal to x and to the constant
        model = LinearRegression().fit(1e8 + x[:, None], 1e8 + 3.0 * x + noise)
        assert model.coef_[0] == pytest.approx(3.0, rel=1e-14)
        assert model.intercept_ == pytest.approx(1e8 - 3e8, rel=1e-14)

    @pytest.mark.parametrize("origin", [0.0, 100.0])
    def test_float32_costs_no_more_than_its_rounding(
        self, rng: np.random.Generator, origin: float
    ) -> None:
        X = (rng.standard_normal((5000, 6)) + origin).astype(np.float32)
        y = X.astype(np.float64) @ np.arange(1.0, 7.0) + rng.standard_normal(5000)
        single, double = LinearRegression().fit(X, y), LinearRegression().fit(X.astype(float), y)
        assert single.coef_.dtype == np.float32
        np.testing.assert_allclose(single.coef_, double.coef_, rtol=2e-6)

    @pytest.mark.parametrize("name", FLOORS)
    def test_certified_digits(self, nist: Any, name: str) -> None:
        case = nist[name]
        X, y = np.array(case["X"]), np.array(case["y"])
        if (case["poly_degree"] or 1) > 1:
            X = X ** np.arange(1, case["poly_degree"] + 1)
        certified = np.array(case["certified"]["coef"])
        intercept = case["intercept"]

        def digits(coef: Any) -> float:
            error = np.abs(np.asarray(coef) - certified) / np.abs(certified)
            return float(-np.log10(np.maximum(error, 1e-15)).min())

        def of(model: Any) -> float:
            model.fit(X, y)
            return digits([*([model.intercept_] if intercept else []), *np.ravel(model.coef_)])

        design = np.column_stack([np.ones(len(X)), X]) if intercept else X
        scale = np.linalg.norm(design, axis=0)
        Q, R = np.linalg.qr(design / scale)
        peers = {
            "lstsq": digits(np.linalg.lstsq(design, y, rcond=None)[0]),
            "QR on scaled columns": digits(scipy.linalg.solve_triangular(R, Q.T @ y) / scale),
            "scikit-learn": of(sklearn.linear_model.LinearRegression(fit_intercept=intercept)),
        }
        found = of(LinearRegression(fit_intercept=intercept))
        assert found >= FLOORS[name]
        for peer, reached in peers.items():
            # The certified values have 15 digits, and the fifteenth is luck.
            assert found >= min(reached, 14.0), peer


@pytest.fixture(scope="module")
def table() -> tuple[Any, Array]:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((150, 4200)) * (rng.random((150, 4200)) < 0.02)
    return sp.csr_array(X), rng.standard_normal(150) + 4.0


class TestManySparseColumns:
    """More than 4,096 sparse columns: conjugate gradients."""

    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_minimum_norm(self, table: tuple[Any, Array], fit_intercept: bool) -> None:
        X, y = table
        model = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
        expected = minimum_norm(X.toarray(), y, fit_intercept)
        assert model.solver_ == "conjugate gradient"
        assert model.convergence_.converged
        assert model.rank_ is None
        np.testing.assert_allclose(model.coef_, expected, atol=1e-8 * np.abs(expected).max())
        np.testing.assert_allclose(model.predict(X), y, rtol=1e-8)

    def test_least_squares_of_more_rows(self, rng: np.random.Generator) -> None:
        # Each block of three columns is used by four rows of its own.
        X = sp.block_diag([rng.standard_normal((4, 3)) for _ in range(1400)], format="csr")
        coef = rng.standard_normal(4200)
        y = X @ coef + 0.1 * rng.standard_normal(5600)
        model = LinearRegression(fit_intercept=False).fit(X, y)
        expected = sp.linalg.lsqr(X, y, atol=1e-14, btol=1e-14, iter_lim=20_000)[0]
        np.testing.assert_allclose(model.coef_, expected, atol=1e-6 * np.abs(expected).max())

    def test_weights_and_targets(self, table: tuple[Any, Array]) -> None:
        X, y = table
        w = np.arange(150) % 3 + 0.0
        Y = np.column_stack([y, -2.0 * y + 1.0])
        model = LinearRegression().fit(X, Y, sample_weight=w)
        without = LinearRegression().fit(X[w > 0], Y[w > 0])
        np.testing.assert_allclose(model.predict(X[w > 0]), Y[w > 0], rtol=1e-7)
        np.testing.assert_allclose(model.coef_[1], -2.0 * model.coef_[0], atol=1e-8)
        assert without.coef_.shape == (2, 4200)


def test_moments_are_kept_and_exact(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    stats = LinearRegression().fit(X, y).stats_
    assert isinstance(stats, Moments)
    np.testing.assert_allclose(stats.mean, [*X.mean(axis=0), y.mean()], atol=1e-15)
