from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from linework import ElasticNet, Lasso, LinearRegression, Ridge, enet_path, lasso_path

Array = np.ndarray
EXACT: dict[str, Any] = {"tol": 1e-13, "max_iter": 100_000}


def objective(model: Any, X: Array, y: Array, w: Array | None = None) -> float:
    """As the docstring of `ElasticNet` prints it."""
    w = np.ones(len(X)) if w is None else w
    rss = w @ (y - X @ model.coef_ - model.intercept_) ** 2 / w.sum()
    l1 = np.abs(model.coef_).sum() * model.l1_ratio
    l2 = np.square(model.coef_).sum() * (1.0 - model.l1_ratio)
    return float(0.5 * rss + model.alpha * (l1 + 0.5 * l2))


def kkt_violation(model: Any, X: Array, y: Array) -> float:
    """The largest distance of a subgradient from zero; 0 at the optimum."""
    slope = X.T @ (y - model.predict(X)) / len(X)
    slope -= model.alpha * (1.0 - model.l1_ratio) * model.coef_
    bound = model.alpha * model.l1_ratio
    at_zero = np.maximum((slope if model.positive else np.abs(slope)) - bound, 0.0)
    away = np.abs(slope - bound * np.sign(model.coef_))
    return float(np.where(model.coef_ == 0.0, at_zero, away).max())


def rows(seed: int, n: int = 50, d: int = 10) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 1.0
    return X, 3.0 * X[:, 0] - 2.0 * X[:, -1] + rng.standard_normal(n) + 5.0


class TestOptimum:
    @pytest.mark.parametrize("shape", [(50, 10), (20, 60)])
    @pytest.mark.parametrize("alpha", [1e-3, 0.1, 1.0])
    @pytest.mark.parametrize("l1_ratio", [0.1, 0.5, 1.0])
    @pytest.mark.parametrize("positive", [True, False])
    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_optimality_conditions_hold(
        self,
        shape: tuple[int, int],
        alpha: float,
        l1_ratio: float,
        positive: bool,
        fit_intercept: bool,
    ) -> None:
        X, y = rows(0, *shape)
        model = ElasticNet(
            alpha, l1_ratio=l1_ratio, positive=positive, fit_intercept=fit_intercept, **EXACT
        ).fit(X, y)
        assert kkt_violation(model, X, y) < 1e-6
        assert not (positive and (model.coef_ < 0.0).any())
        if fit_intercept:
            assert (y - model.predict(X)).mean() == pytest.approx(0.0, abs=1e-12)

    @given(
        seed=st.integers(0, 1000),
        log_alpha=st.floats(-4.0, 1.0),
        l1_ratio=st.floats(0.01, 1.0),
        log_tol=st.integers(-8, -1),
    )
    def test_the_gap_bounds_the_distance_to_the_optimum(
        self, seed: int, log_alpha: float, l1_ratio: float, log_tol: int
    ) -> None:
        X, y = rows(seed, 30, 8)
        alpha = 10.0**log_alpha
        model = ElasticNet(alpha, l1_ratio=l1_ratio, tol=10.0**log_tol).fit(X, y)
        tight = ElasticNet(alpha, l1_ratio=l1_ratio, **EXACT).fit(X, y)
        rounding = 1e-12 * y.var()
        assert objective(model, X, y) - objective(tight, X, y) <= model.dual_gap_ + rounding
        assert model.dual_gap_ <= 10.0**log_tol * y.var()
        assert model.convergence_.value == model.dual_gap_
        assert model.convergence_.objective == pytest.approx(objective(model, X, y), rel=1e-9)

    def test_orthogonal_columns_are_thresholded_softly(self) -> None:
        rng = np.random.default_rng(1)
        X = rng.standard_normal((30, 6))
        X = np.linalg.qr(X - X.mean(axis=0))[0] * np.sqrt(30.0)
        y = X @ [3.0, -2.0, 1.0, 0.2, -0.2, 0.0] + 1.0
        least_squares = X.T @ (y - y.mean()) / 30
        for alpha in (0.0, 0.1, 0.5, 2.5):
            for l1_ratio in (0.3, 1.0):
                l1, l2 = alpha * l1_ratio, alpha * (1.0 - l1_ratio)
                shrunk = np.sign(least_squares) * np.maximum(np.abs(least_squares) - l1, 0.0)
                model = ElasticNet(alpha, l1_ratio=l1_ratio, **EXACT).fit(X, y)
                np.testing.assert_allclose(model.coef_, shrunk / (1.0 + l2), atol=1e-12)

    @pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0])
    def test_without_1_norm_it_is_ridge(self, alpha: float) -> None:
        X, y = rows(2)
        model = ElasticNet(alpha, l1_ratio=0.0).fit(X, y)
        ridge = Ridge(alpha * len(X)).fit(X, y)
        np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-12)
        assert (model.solver_, model.rank_) == (ridge.solver_, 10)

    def test_nearly_no_1_norm_is_nearly_ridge(self) -> None:
        X, y = rows(2)
        model = ElasticNet(0.5, l1_ratio=1e-9, **EXACT).fit(X, y)
        np.testing.assert_allclose(model.coef_, Ridge(25.0).fit(X, y).coef_, rtol=1e-6)

    @pytest.mark.parametrize("positive", [True, False])
    def test_without_penalty_it_is_least_squares(self, positive: bool) -> None:
        X, y = rows(3)
        model = Lasso(0.0, positive=positive).fit(X, y)
        plain = LinearRegression(positive=positive).fit(X, y)
        np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-10)

    @pytest.mark.parametrize("rho", [0.5, 0.99, 0.999])
    def test_correlated_columns_converge(self, rho: float) -> None:
        rng = np.random.default_rng(4)
        X = np.sqrt(1.0 - rho) * rng.standard_normal((200, 40))
        X += np.sqrt(rho) * rng.standard_normal((200, 1))
        y = X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(200)
        model = Lasso(0.01 * np.sqrt(1.0 - rho), tol=1e-10).fit(X, y)
        assert model.convergence_.converged
        assert model.dual_gap_ <= 1e-10 * y.var()

    def test_targets_are_fitted_as_if_alone(self) -> None:
        X, y = rows(5)
        Y = np.column_stack([y, -y[::-1]])
        model = Lasso(0.1, **EXACT).fit(X, Y)
        for k in range(2):
            alone = Lasso(0.1, **EXACT).fit(X, Y[:, k])
            # One product gives all targets their sums, in another order than one target its own.
            np.testing.assert_allclose(model.coef_[k], alone.coef_, rtol=1e-12)
            assert model.n_iter_[k] == alone.n_iter_

    @pytest.mark.parametrize("scale", [1e-3, 50.0])
    def test_only_shares_of_weights_matter(self, scale: float) -> None:
        X, y = rows(6)
        w = np.arange(50) % 4 + 0.5
        one = ElasticNet(0.1, **EXACT).fit(X, y, sample_weight=w)
        other = ElasticNet(0.1, **EXACT).fit(X, y, sample_weight=scale * w)
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-6)
        assert one.convergence_.objective == pytest.approx(objective(one, X, y, w), rel=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        "lasso",
        "elastic_net_0.5",
        "elastic_net_0.1",
        "lasso_positive",
        "elastic_net_0.5_positive",
        "lasso_weighted",
        "elastic_net_0.5_weighted",
    ],
)
def test_path_against_glmnet(r: Any, columns: Any, name: str) -> None:
    case = r["elastic_net"]
    fit = case["fits"][name]
    X, y = columns(case, case["coef_names"]), np.array(case["data"]["mpg"])
    penalties = zip(fit["sklearn_alpha"], fit["sklearn_l1_ratio"], strict=True)
    for k, (alpha, l1_ratio) in enumerate(penalties):
        model = ElasticNet(alpha, l1_ratio=l1_ratio, positive=fit["positive"], **EXACT)
        model.fit(X, y, sample_weight=fit.get("weights"))
        np.testing.assert_allclose(model.coef_, fit["coef"][k], atol=5e-6)
        assert model.intercept_ == pytest.approx(fit["intercept"][k], abs=5e-5)
        np.testing.assert_array_equal(model.coef_ == 0.0, np.array(fit["coef"][k]) == 0.0)


class TestConvergence:
    def test_too_few_sweeps_are_told(self) -> None:
        X, y = rows(7, 40, 60)
        with pytest.warns(ConvergenceWarning, match="after 1 iterations .* Raise max_iter"):
            model = Lasso(1e-3, max_iter=1).fit(X, y)
        ended = model.convergence_
        assert not ended.converged
        assert (ended.measure, ended.n_iter, model.n_iter_) == ("duality gap", 1, 1)
        assert ended.value == model.dual_gap_ > ended.tol == pytest.approx(1e-4 * y.var())

    @pytest.mark.parametrize("exponent", [-8, 8])
    def test_units_do_not_matter_to_it(self, exponent: int) -> None:
        X, y = rows(8)
        plain = Lasso(0.1).fit(X, y)
        scaled = Lasso(0.1 * 10.0**exponent).fit(X, y * 10.0**exponent)
        assert scaled.n_iter_ == plain.n_iter_
        np.testing.assert_allclose(scaled.coef_, plain.coef_ * 10.0**exponent, rtol=1e-9)

    @pytest.mark.parametrize(
        ("params", "words"),
        [
            ({"alpha": -1.0}, "penalties are finite numbers, zero or more"),
            ({"alpha": np.nan}, "penalties are finite numbers, zero or more"),
            ({"l1_ratio": 1.5}, "from 0 .ridge. to 1 .lasso."),
            ({"l1_ratio": -0.1}, "from 0 .ridge. to 1 .lasso."),
            ({"alpha": "small"}, "penalties are finite numbers, zero or more"),
            ({"alpha": [0.1, 0.2]}, "one number is expected"),
            ({"tol": -1e-4}, "tol is -0.0001; it is a finite number, zero or more"),
            ({"tol": np.nan}, "tol is nan"),
            ({"max_iter": 0}, "max_iter is 0; it is a number of sweeps, at least 1"),
            ({"max_iter": 10.5}, "max_iter is 10.5"),
        ],
    )
    def test_impossible_settings_are_told(self, params: dict[str, Any], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            ElasticNet(**params).fit(*rows(0))


class TestPaths:
    @pytest.mark.parametrize("l1_ratio", [0.3, 1.0])
    @pytest.mark.parametrize("positive", [True, False])
    def test_it_starts_where_the_first_coefficient_enters(
        self, l1_ratio: float, positive: bool
    ) -> None:
        X, y = rows(9)
        X, y = X - X.mean(axis=0), y - y.mean()
        alphas, coefs, gaps = enet_path(X, y, l1_ratio=l1_ratio, positive=positive, alphas=20)
        assert alphas[-1] == pytest.approx(1e-3 * alphas[0])
        np.testing.assert_array_equal(coefs[:, 0], 0.0)
        just_below = enet_path(
            X, y, l1_ratio=l1_ratio, positive=positive, alphas=[0.999 * alphas[0]], tol=1e-10
        )
        assert np.count_nonzero(just_below[1]) == 1
        assert (gaps <= 1e-4 * np.mean(y**2)).all()

    def test_every_point_is_a_fit(self) -> None:
        X, y = rows(10)
        alphas, coefs, gaps = lasso_path(X, y, alphas=[0.1, 1.0, 0.01], tol=1e-12)
        np.testing.assert_array_equal(alphas, [1.0, 0.1, 0.01])
        for k, alpha in enumerate(alphas):
            model = Lasso(alpha, fit_intercept=False, **EXACT).fit(X, y)
            np.testing.assert_allclose(coefs[:, k], model.coef_, atol=1e-6)
            assert gaps[k] <= 1e-12 * np.mean(y**2)

    def test_shapes_are_those_of_scikit_learn(self) -> None:
        X, y = rows(11)
        Y = np.column_stack([y, y**2])
        ours = enet_path(X, Y, alphas=7, return_n_iter=True)
        theirs = sklearn.linear_model.enet_path(X, y, alphas=7, return_n_iter=True)
        assert ours[1].shape == (2, *theirs[1].shape)
        assert ours[2].shape == (2, 7)
        assert len(ours[3]) == len(theirs[3])

    def test_the_grid_is_that_of_scikit_learn(self) -> None:
        X, y = rows(12)
        ours = enet_path(X, y, l1_ratio=0.4, eps=0.01, alphas=9)[0]
        theirs = sklearn.linear_model.enet_path(X, y, l1_ratio=0.4, eps=0.01, alphas=9)[0]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)

    def test_points_that_end_too_early_are_told(self) -> None:
        with pytest.warns(ConvergenceWarning, match="of the 50 fits along the penalties"):
            enet_path(*rows(0), alphas=50, max_iter=1, tol=1e-9)

    def test_ridge_has_no_largest_penalty(self) -> None:
        with pytest.raises(ValueError, match="give the alphas themselves"):
            enet_path(*rows(0), l1_ratio=0.0)


class TestManyColumns:
    """More than 4,096 columns: a working set, and no matrix of all columns by all columns."""

    @pytest.fixture(params=["sparse", "dense"])
    def wide(self, request: pytest.FixtureRequest, rng: np.random.Generator) -> tuple[Any, Array]:
        X = rng.standard_normal((60, 4200)) * (rng.random((60, 4200)) < 0.1)
        y = 2.0 * X[:, :8].sum(axis=1) + 0.1 * rng.standard_normal(60) + 3.0
        return (sp.csr_array(X) if request.param == "sparse" else X), y

    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("positive", [True, False])
    def test_it_agrees_with_scikit_learn(
        self, wide: tuple[Any, Array], fit_intercept: bool, positive: bool
    ) -> None:
        X, y = wide
        params = {"alpha": 0.02, "fit_intercept": fit_intercept, "positive": positive}
        model = Lasso(**params, tol=1e-12, max_iter=100_000).fit(X, y)
        peer = sklearn.linear_model.Lasso(**params, tol=1e-10, max_iter=100_000).fit(X, y)
        assert model.solver_ == "working set"
        np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-6)
        assert model.intercept_ == pytest.approx(peer.intercept_, abs=1e-6)

    def test_weight_is_repetition(self, wide: tuple[Any, Array]) -> None:
        X, y = wide
        w = np.arange(60) % 3 + 0.0
        model = ElasticNet(0.05, l1_ratio=0.7, **EXACT).fit(X, y, sample_weight=w)
        repeated = np.arange(60).repeat(w.astype(int))
        other = ElasticNet(0.05, l1_ratio=0.7, **EXACT).fit(X[repeated], y[repeated])
        np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-6)

    def test_a_path_goes_on_from_the_working_set(self, wide: tuple[Any, Array]) -> None:
        X, y = wide
        alphas, coefs, _ = lasso_path(X, y, alphas=[1.0, 0.3, 0.1, 0.05], tol=1e-12)
        for alpha, beta in zip(alphas, coefs.T, strict=True):
            slope = X.T @ (y - X @ beta) / 60
            active = beta != 0.0
            assert np.abs(slope).max() <= alpha * (1.0 + 1e-5)
            np.testing.assert_allclose(slope[active], alpha * np.sign(beta[active]), atol=1e-5)
