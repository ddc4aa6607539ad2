"""Generalized linear models against R, and against the conditions of their optimum."""

from typing import Any

import numpy as np
import pytest
from r_likelihood import R, cases, column, columns_of, standardised
from sklearn.exceptions import ConvergenceWarning

from linework import GLM
from linework.losses import FAMILIES, LINKS, Family, Gamma, NegativeBinomial, Power, Tweedie

Array = np.ndarray

OF_R: dict[str, Family] = {"tweedie": Tweedie(1.5), "negative_binomial": NegativeBinomial(2.0)}
TIGHT = 1e-9  # the gradient is then brought to 1e-13


def family_of(name: str) -> Family:
    return OF_R.get(name, FAMILIES[name]())


def fit_as_r(case: dict[str, Any], **parameters: Any) -> GLM:
    model = GLM(
        family_of(case["family"]), case["link"], fit_intercept=case["intercept"], **parameters
    )
    y = column(case, case["target"])
    return model.fit(columns_of(case), y, case.get("weights"), case.get("offset"))


def all_coefficients(model: GLM) -> Array:
    return np.append([model.intercept_] if model.fit_intercept else [], model.coef_)


every_case = pytest.mark.parametrize("case", cases("glm").values(), ids=cases("glm"))


class TestAgainstR:
    """Each family under each of its links, with weights, offsets, and without an intercept."""

    @every_case
    def test_coefficients_and_deviances(self, case: dict[str, Any]) -> None:
        model = fit_as_r(case, tol=TIGHT)
        wanted = list(case["coef"].values())
        np.testing.assert_allclose(all_coefficients(model), wanted, rtol=1e-9)
        assert model.deviance_ == pytest.approx(case["deviance"], rel=1e-11)
        if case["null_deviance"] is None:  # a mean of η = 0 that the family has not
            assert model.null_deviance_ == np.inf
        else:
            assert model.null_deviance_ == pytest.approx(case["null_deviance"], rel=1e-11)

    @every_case
    def test_the_default_tolerance_is_a_millionth_of_a_standard_error(
        self, case: dict[str, Any]
    ) -> None:
        model = fit_as_r(case)
        wanted, se = (np.array(list(case[name].values())) for name in ("coef", "se"))
        assert np.abs((all_coefficients(model) - wanted) / se).max() < 1e-6
        assert model.deviance_ == pytest.approx(case["deviance"], rel=1e-11)

    @pytest.mark.parametrize(
        "case", [pytest.param(c, id=k) for k, c in cases("glm").items() if k.endswith("plain")]
    )
    def test_residuals(self, case: dict[str, Any]) -> None:
        model, X, y = fit_as_r(case, tol=TIGHT), columns_of(case), column(case, case["target"])
        for kind, wanted in case["residuals_of_20"].items():
            np.testing.assert_allclose(
                model.residuals(X, y, kind)[:20], wanted, rtol=1e-8, atol=1e-8, err_msg=kind
            )

    @pytest.mark.parametrize(
        "case",
        [
            pytest.param(c, id=k)
            for k, c in cases("glm").items()
            if (k.endswith("plain") or not family_of(c["family"]).dispersed) and c["loglik"]
        ],
    )
    def test_log_likelihood(self, case: dict[str, Any]) -> None:
        # For φ R puts deviance / n.
        model, y = fit_as_r(case, tol=TIGHT), column(case, case["target"])
        weight = np.asarray(case.get("weights", np.ones(len(y))))
        mu = model.predict(columns_of(case), case.get("offset"))
        phi = case["deviance"] / len(y) if family_of(case["family"]).dispersed else 1.0
        loglik = family_of(case["family"]).loglik(y, mu, weight, phi).sum()
        assert loglik == pytest.approx(case["loglik"], rel=1e-10)

    @pytest.mark.parametrize("link", R["shares"])
    def test_shares_of_counted_trials(self, link: str) -> None:
        case = R["shares"][link]
        trials = column(case, "trials")
        model = GLM("binomial", link, tol=TIGHT)
        model.fit(columns_of(case), column(case, "cases") / trials, trials)
        np.testing.assert_allclose(all_coefficients(model), list(case["coef"].values()), rtol=1e-10)
        assert model.deviance_ == pytest.approx(case["deviance"], rel=1e-11)
        assert model.null_deviance_ == pytest.approx(case["null_deviance"], rel=1e-11)

    def test_exposure(self) -> None:
        case = R["exposure"]
        y, offset = column(case, "claims"), np.log(column(case, "holders"))
        model = GLM("poisson", tol=TIGHT).fit(columns_of(case), y, offset=offset)
        np.testing.assert_allclose(all_coefficients(model), list(case["coef"].values()), rtol=1e-10)
        assert model.deviance_ == pytest.approx(case["deviance"], rel=1e-11)
        assert model.null_deviance_ == pytest.approx(case["null_deviance"], rel=1e-11)

    def test_negative_binomial_at_the_theta_of_r(self) -> None:
        case = R["negative_binomial"]
        X, y = columns_of(case), column(case, "days")
        family = NegativeBinomial(case["theta"])
        model = GLM(family, tol=TIGHT).fit(X, y)
        np.testing.assert_allclose(all_coefficients(model), list(case["coef"].values()), rtol=1e-9)
        assert model.deviance_ == pytest.approx(case["deviance"], rel=1e-11)
        loglik = family.loglik(y, model.predict(X), np.ones(len(y)), 1.0).sum()
        assert loglik == pytest.approx(case["loglik"], rel=1e-11)

    @pytest.mark.parametrize(
        "name", [name for name, case in cases("penalties").items() if case["family"] == "poisson"]
    )
    def test_penalties_of_glmnet(self, name: str) -> None:
        case = R["penalties"][name]
        model = GLM("poisson", alpha=case["lambda"], l1_ratio=case["alpha"], tol=TIGHT)
        y = column(case, case["target"])
        model.fit(standardised(case), y, case.get("weights"), case.get("offset"))
        np.testing.assert_allclose(model.coef_, case["coef"], rtol=1e-10, atol=1e-12)
        assert model.intercept_ == pytest.approx(case["intercept"], rel=1e-10)


# Each with a plain mean, slope of the mean and variance, for checks that share no code.
PAIRS: dict[str, tuple[Any, Any, Any, Any, Any]] = {
    "poisson": ("poisson", None, np.exp, np.exp, lambda mu: mu),
    "poisson sqrt": ("poisson", "sqrt", np.square, lambda eta: 2 * eta, lambda mu: mu),
    "gamma log": ("gamma", "log", np.exp, np.exp, np.square),
    "gamma": ("gamma", None, lambda eta: 1 / eta, lambda eta: -1 / eta**2, np.square),
    "inverse gaussian log": ("inverse_gaussian", "log", np.exp, np.exp, lambda mu: mu**3),
    "tweedie": (Tweedie(1.5), None, np.exp, np.exp, lambda mu: mu**1.5),
    "negative binomial": (NegativeBinomial(2.0), None, np.exp, np.exp, lambda mu: mu + mu**2 / 2),
    "gaussian": ("gaussian", None, lambda eta: eta, np.ones_like, np.ones_like),
    "power": (Gamma(), Power(0.3), lambda eta: eta ** (1 / 0.3), None, np.square),
}
PAIRS["power"] = (*PAIRS["power"][:3], lambda eta: eta ** (1 / 0.3 - 1) / 0.3, np.square)


def problem(rng: np.random.Generator, name: str, n: int, d: int = 5) -> tuple[Array, Array]:
    """Rows of unequal columns off the origin, and positive targets that depend on some."""
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 2.0, d) + np.linspace(-1.0, 1.0, d)
    mu = np.exp(1.0 + 0.1 * X[:, 0] - 0.05 * X[:, 1])
    counts = "poisson" in name or "binomial" in name
    return X, rng.poisson(mu).astype(float) if counts else rng.gamma(5.0, mu / 5.0)


def kkt(model: GLM, pair: Any, X: Array, y: Array, w: Array, offset: Array | float) -> float:
    """The subgradient nearest to zero, by formula, beside the sizes of its terms."""
    _, _, mean, slope, variance = pair
    eta = X @ model.coef_ + model.intercept_ + offset
    score = w * (y - mean(eta)) * slope(eta) / variance(mean(eta)) / w.sum()
    l1, l2 = model.alpha * model.l1_ratio, model.alpha * (1.0 - model.l1_ratio)
    g = -X.T @ score + l2 * model.coef_
    at_zero = np.maximum(np.abs(g) - l1, 0.0)
    g = np.where(model.coef_ == 0.0, at_zero, g + l1 * np.sign(model.coef_))
    size = np.abs(X).T @ np.abs(score) + l1
    return max(np.abs(g / size).max(), abs(score.sum()) / np.abs(score).sum())


class TestOptimum:
    @pytest.mark.parametrize("n", [200, 12_000])  # the larger begins with a sample of the rows
    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
    @pytest.mark.parametrize("alpha", [0.0, 0.02])
    @pytest.mark.parametrize("name", PAIRS)
    def test_the_subgradient_is_zero(
        self, rng: np.random.Generator, name: str, alpha: float, l1_ratio: float, n: int
    ) -> None:
        X, y = problem(rng, name, n)
        w, offset = rng.integers(0, 3, n).astype(float), 0.05 * rng.uniform(-1, 1, n)
        model = GLM(*PAIRS[name][:2], alpha=alpha, l1_ratio=l1_ratio)
        model.fit(X, y, w, offset)
        assert kkt(model, PAIRS[name], X, y, w, offset) < 1e-7
        model.set_params(tol=TIGHT).fit(X, y, w, offset)
        assert kkt(model, PAIRS[name], X, y, w, offset) < 1e-11

    def test_a_strong_1_norm_leaves_the_intercept_alone(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "poisson", 200)
        model = GLM("poisson", alpha=10.0, l1_ratio=1.0, tol=TIGHT).fit(X, y)
        np.testing.assert_array_equal(model.coef_, 0.0)
        assert model.intercept_ == pytest.approx(np.log(y.mean()), rel=1e-12)
        assert model.deviance_ == pytest.approx(model.null_deviance_, rel=1e-12)
        assert model.score(X, y) == pytest.approx(0.0, abs=1e-12)

    def test_the_reported_gradient_is_that_of_the_rows(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "poisson", 300)
        with pytest.warns(ConvergenceWarning, match="after 2 iterations the gradient is"):
            model = GLM("poisson", max_iter=2).fit(X, y)
        mu = model.predict(X)
        unit = np.sqrt(np.mean((y - y.mean()) ** 2))
        slopes = (X - X.mean(axis=0)).T @ (y - mu) / len(y) / X.std(axis=0)
        largest = max(np.abs(slopes).max(), abs((y - mu).mean())) / unit
        assert model.convergence_.value == pytest.approx(largest, rel=1e-9)
        assert not model.convergence_.converged
        assert model.n_iter_ == 2

    def test_the_objective_and_the_trace(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "poisson", 300)
        model = GLM("poisson", alpha=0.1, l1_ratio=0.3).fit(X, y)
        mu, w = model.predict(X), model.coef_
        value = np.mean(mu - y * np.log(mu)) + 0.03 * np.abs(w).sum() + 0.035 * w @ w
        assert model.convergence_.objective == pytest.approx(value, rel=1e-13)
        objectives = [step.objective for step in model.convergence_.trace]
        assert len(objectives) == model.n_iter_ + 1
        assert (np.diff(objectives) <= 1e-13 * abs(value)).all()


class TestEqualProblems:
    """Two ways to say the same give the same fit."""

    @pytest.mark.parametrize("name", ["poisson", "poisson sqrt", "gamma", "gamma log", "power"])
    def test_the_scale_of_unpenalised_columns(self, rng: np.random.Generator, name: str) -> None:
        X, y = problem(rng, name, 300)
        scale = np.array([1e-4, 1e4, 1e-2, 1.0, 1e3])
        one, other = (GLM(*PAIRS[name][:2], tol=TIGHT).fit(Z, y) for Z in (X, X * scale))
        np.testing.assert_allclose(other.predict(X * scale), one.predict(X), rtol=1e-10)
        np.testing.assert_allclose(other.coef_ * scale, one.coef_, rtol=1e-8)
        # the steps are the same, not only where they end
        assert other.n_iter_ == one.n_iter_

    def test_shares_are_rows_of_failures_and_successes(self, rng: np.random.Generator) -> None:
        X = rng.standard_normal((40, 3))
        trials = rng.integers(1, 9, 40)
        wins = rng.binomial(trials, 1.0 / (1.0 + np.exp(-X[:, 0])))
        shares = GLM("binomial", tol=TIGHT).fit(X, wins / trials, trials)
        rows = np.repeat(np.arange(40), trials)
        won = np.concatenate([np.arange(t) < w for t, w in zip(trials, wins, strict=True)])
        single = GLM("binomial", tol=TIGHT).fit(X[rows], won.astype(float))
        np.testing.assert_allclose(shares.coef_, single.coef_, rtol=1e-10)
        assert shares.intercept_ == pytest.approx(single.intercept_, rel=1e-10)
        # Their deviances have other saturated models, and differ by the same for every fit.
        assert single.null_deviance_ - shares.null_deviance_ == pytest.approx(
            single.deviance_ - shares.deviance_, rel=1e-10
        )

    def test_rates_by_exposure_are_counts_with_an_offset(self, rng: np.random.Generator) -> None:
        X, exposure = rng.standard_normal((200, 3)), rng.uniform(0.1, 5.0, 200)
        y = rng.poisson(exposure * np.exp(0.3 * X[:, 0])).astype(float)
        counts = GLM("poisson", tol=TIGHT).fit(X, y, offset=np.log(exposure))
        rates = GLM("poisson", tol=TIGHT).fit(X, y / exposure, exposure)
        np.testing.assert_allclose(counts.coef_, rates.coef_, rtol=1e-10)
        assert counts.intercept_ == pytest.approx(rates.intercept_, rel=1e-10)
        expected = counts.predict(X, offset=np.log(exposure))
        np.testing.assert_allclose(expected, exposure * rates.predict(X), rtol=1e-10)
        assert expected.sum() == pytest.approx(y.sum(), rel=1e-10)

    def test_an_offset_of_one_number_is_in_the_intercept(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "gamma", 100)
        plain = GLM("gamma", tol=TIGHT).fit(X, y)
        moved = GLM("gamma", tol=TIGHT).fit(X, y, offset=np.full(100, 0.7))
        np.testing.assert_allclose(moved.coef_, plain.coef_, rtol=1e-9)
        assert moved.intercept_ == pytest.approx(plain.intercept_ - 0.7, rel=1e-9)
        assert moved.null_deviance_ == pytest.approx(plain.null_deviance_, rel=1e-11)

    def test_a_column_of_known_slope_is_an_offset(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "poisson", 300)
        free = GLM("poisson", tol=TIGHT).fit(X, y)
        rest = GLM("poisson", tol=TIGHT).fit(X[:, 1:], y, offset=X[:, 0] * free.coef_[0])
        np.testing.assert_allclose(rest.coef_, free.coef_[1:], rtol=1e-9)
        assert rest.deviance_ == pytest.approx(free.deviance_, rel=1e-11)

    def test_weights_that_are_all_multiplied(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "gamma log", 100)
        w = rng.uniform(0.5, 2.0, 100)
        one, other = (
            GLM("gamma", "log", alpha=0.01, tol=TIGHT).fit(X, y, sample_weight=v)
            for v in (w, 1e6 * w)
        )
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-10)
        assert other.deviance_ == pytest.approx(1e6 * one.deviance_, rel=1e-10)

    def test_units_of_y_under_the_log_link(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "gamma log", 100)
        for family in ("gamma", "inverse_gaussian", "tweedie"):
            one, other = (GLM(family, "log", tol=TIGHT).fit(X, s * y) for s in (1.0, 1e6))
            np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-9)
            assert other.intercept_ - one.intercept_ == pytest.approx(np.log(1e6), rel=1e-10)

    @pytest.mark.parametrize("copies", [0.0, 3.0])
    def test_columns_that_say_nothing_change_nothing(
        self, rng: np.random.Generator, copies: float
    ) -> None:
        X, y = problem(rng, "poisson", 200)
        wide = np.column_stack([X, np.full(200, copies), X[:, 0], X[:, 1] - 2.0 * X[:, 2] + 5.0])
        for link in (None, "sqrt"):
            plain, more = (GLM("poisson", link, tol=TIGHT).fit(Z, y) for Z in (X, wide))
            np.testing.assert_allclose(more.predict(wide), plain.predict(X), rtol=1e-9)
            assert abs(more.coef_[5]) < 1e-13
            assert more.deviance_ == pytest.approx(plain.deviance_, rel=1e-11)


class TestSampledStart:
    """Where there are many rows a fit begins with some of them, and ends with all."""

    @pytest.mark.parametrize("rows", [40, 8_000])
    def test_rows_without_weight_are_not_drawn(self, rng: np.random.Generator, rows: int) -> None:
        X, y = problem(rng, "poisson", 20_000)
        w = np.zeros(20_000)
        w[-rows:] = 1.0
        few = GLM("poisson", tol=TIGHT).fit(X[w > 0], y[w > 0])
        model = GLM("poisson", tol=TIGHT).fit(X, y, w)
        np.testing.assert_allclose(model.coef_, few.coef_, rtol=1e-9)

    def test_a_row_that_alone_has_the_weight(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "poisson", 10_000)
        w = np.ones(10_000)
        w[7] = 1e7
        model = GLM("poisson").fit(X, y, w)
        assert kkt(model, PAIRS["poisson"], X, y, w, 0.0) < 1e-7

    def test_a_link_whose_domain_the_sample_does_not_know(self, rng: np.random.Generator) -> None:
        X = rng.standard_normal((20_000, 3))
        X[:6] = 1e3 * np.vstack([np.eye(3), -np.eye(3)])  # outside it for next to all slopes
        y = rng.poisson(3.0, 20_000).astype(float)
        model = GLM("poisson", "identity").fit(X, y)
        assert model.convergence_.converged
        assert (model.predict(X) > 0.0).all()
        score = (y - model.predict(X)) / model.predict(X)
        assert np.abs((X / X.std(axis=0)).T @ score / len(y)).max() < 1e-7


class TestWithoutIntercept:
    @pytest.mark.parametrize(
        ("family", "link"),
        [
            ("poisson", "identity"),
            ("poisson", "sqrt"),
            ("gamma", "inverse"),
            ("gamma", "identity"),
            ("inverse_gaussian", "inverse_square"),
            ("gaussian", "inverse"),
            ("negative_binomial", "identity"),
            ("binomial", "identity"),
            ("binomial", "log"),
        ],
    )
    def test_links_that_do_not_take_zero(
        self, rng: np.random.Generator, family: str, link: str
    ) -> None:
        """There a fit cannot begin at coefficients of zero."""
        X = rng.uniform(0.2, 1.0, (100, 2))
        share = np.clip(X @ [0.3, 0.4] * rng.uniform(0.8, 1.2, 100), 0.05, 0.95)
        if link == "log":
            X = -X
        model = GLM(family, link, fit_intercept=False, tol=TIGHT).fit(X, share)
        assert model.convergence_.converged
        assert model.n_iter_ > 0
        assert model.intercept_ == 0.0
        eta, it = X @ model.coef_, LINKS[link]
        variance = FAMILIES[family]().variance(it.mean(eta))
        score = (share - it.mean(eta)) * it.slope(eta) / variance
        assert np.abs(X.T @ score).max() < 1e-10 * np.abs(X.T * score).sum(axis=1).max()

    def test_null_deviance_is_that_of_no_coefficients(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "poisson", 50)
        model = GLM("poisson", fit_intercept=False).fit(X, y)
        ones = 2.0 * np.sum(np.where(y > 0, y * np.log(np.maximum(y, 1.0)), 0.0) - y + 1.0)
        assert model.null_deviance_ == pytest.approx(ones, rel=1e-12)


class TestOffsets:
    @pytest.mark.parametrize(
        ("family", "link"),
        [
            ("gamma", "inverse"),
            ("poisson", "identity"),
            ("binomial", "log"),
            ("gaussian", "inverse"),
        ],
    )
    def test_an_intercept_that_brings_all_rows_inside(
        self, rng: np.random.Generator, family: str, link: str
    ) -> None:
        """About their mean the offsets would take some rows out of the link's domain."""
        X, y = rng.standard_normal((100, 2)), rng.uniform(0.1, 0.9, 100)
        offset = 10.0 * np.sort(rng.uniform(-1.0, 1.0, 100))
        model = GLM(family, link).fit(X, y, offset=offset)
        assert model.convergence_.converged
        assert model.deviance_ <= model.null_deviance_ < np.inf

    def test_they_are_part_of_what_is_predicted(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "poisson", 100)
        offset = rng.uniform(-1.0, 1.0, 100)
        model = GLM("poisson").fit(X, y, offset=offset)
        eta = X @ model.coef_ + model.intercept_
        np.testing.assert_allclose(model.linear_predictor(X), eta, rtol=1e-12)
        np.testing.assert_allclose(model.linear_predictor(X, offset), eta + offset, rtol=1e-12)
        np.testing.assert_allclose(model.predict(X, offset), np.exp(eta + offset), rtol=1e-12)


class TestDeviance:
    def test_of_the_null_model_at_any_mean(self) -> None:
        y = np.array([0.0, 2.0, 1.0, 1.0])  # of mean one, the top of another family's range
        model = GLM("poisson").fit(np.arange(4.0)[:, None], y)
        assert model.null_deviance_ == pytest.approx(4.0 * np.log(2.0), rel=1e-12)

    @pytest.mark.parametrize(("family", "value"), [("poisson", 0.0), ("binomial", 1.0)])
    def test_where_every_y_is_the_bound_of_its_range(
        self, rng: np.random.Generator, family: str, value: float
    ) -> None:
        X, y = rng.standard_normal((30, 2)), np.full(30, value)
        model = GLM(family).fit(X, y)
        assert model.null_deviance_ == 0.0
        assert 0.0 <= model.deviance_ < 1e-6
        np.testing.assert_allclose(model.predict(X), value, atol=1e-8)

    def test_score_is_the_share_explained(self, rng: np.random.Generator) -> None:
        X, y = problem(rng, "poisson", 100)
        w, offset = rng.uniform(0.5, 2.0, 100), 0.1 * rng.standard_normal(100)
        model = GLM("poisson").fit(X, y, w, offset)
        wanted = 1.0 - model.deviance_ / model.null_deviance_
        assert model.score(X, y, w, offset) == pytest.approx(wanted, rel=1e-9)
        bare = GLM("poisson", fit_intercept=False).fit(X, y)
        null = GLM("poisson").fit(X, y).null_deviance_
        assert bare.score(X, y) == pytest.approx(1.0 - bare.deviance_ / null, rel=1e-9)

    def test_residuals_add_up(self, rng: np.random.Generator) -> None:
        for name in ("poisson", "gamma", "tweedie", "negative binomial", "gaussian"):
            X, y = problem(rng, name, 60)
            model = GLM(*PAIRS[name][:2]).fit(X, y)
            residuals = model.residuals(X, y, "deviance")
            assert residuals @ residuals == pytest.approx(model.deviance_, rel=1e-9)


class TestHardColumns:
    @pytest.mark.parametrize("family", ["poisson", "gamma", "binomial", "gaussian"])
    @pytest.mark.parametrize("heavy", ["t", "cauchy"])
    def test_heavy_tails(self, rng: np.random.Generator, family: str, heavy: str) -> None:
        X = rng.standard_t(2.5, (400, 4)) if heavy == "t" else rng.standard_cauchy((400, 4))
        y = rng.integers(0, 2, 400) + (0.5 if family == "gamma" else 0.0)
        model = GLM(family, "log" if family == "gamma" else None).fit(X, y)
        assert model.convergence_.converged

    def test_rare_levels(self, rng: np.random.Generator) -> None:
        X = (rng.random((10_000, 30)) < 0.001).astype(float)
        y = rng.poisson(2.0, 10_000).astype(float)
        model = GLM("poisson").fit(X, y)
        assert model.convergence_.converged
        residual = y - model.predict(X)  # canonical: each level's sum is met
        np.testing.assert_allclose(X.T @ residual, 0.0, atol=1e-5)

    def test_correlation(self, rng: np.random.Generator) -> None:
        common = rng.standard_normal((500, 1))
        X = common + 0.01 * rng.standard_normal((500, 5)) + 100.0
        y = rng.poisson(np.exp(0.2 * common[:, 0])).astype(float)
        model = GLM("poisson", tol=TIGHT).fit(X, y)
        centred = GLM("poisson", tol=TIGHT).fit(X - 100.0, y)
        np.testing.assert_allclose(model.coef_, centred.coef_, rtol=1e-8)

    def test_a_perfect_fit(self, rng: np.random.Generator) -> None:
        X = rng.standard_normal((50, 3))
        model = GLM("poisson", tol=TIGHT).fit(X, np.exp(X @ [1.0, -2.0, 0.5] + 1.0))
        np.testing.assert_allclose(model.coef_, [1.0, -2.0, 0.5], rtol=1e-10)
        assert model.deviance_ == pytest.approx(0.0, abs=1e-10)


class TestSentences:
    def test_no_start_in_the_domain(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((50, 2)), rng.poisson(2.0, 50).astype(float)
        with pytest.raises(ValueError, match=r"leaves the link's domain .* Fit an intercept"):
            GLM("poisson", "identity", fit_intercept=False).fit(X, y)

    def test_a_mean_the_link_has_not(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((50, 2)), rng.standard_normal(50) - 5.0
        with pytest.raises(ValueError, match=r"The mean of y is -.* with the log link: choose"):
            GLM("gaussian", "log").fit(X, y)

    def test_an_optimum_at_the_edge_of_the_domain_is_told(self) -> None:
        X = np.array([[0.0], [1.0], [2.0], [3.0]])
        with pytest.warns(ConvergenceWarning, match="GLM did not converge"):
            model = GLM("poisson", "identity").fit(X, [0.0, 0.0, 5.0, 30.0])
        assert (model.predict(X) > 0.0).all()

    @pytest.mark.parametrize(
        ("parameters", "words"),
        [
            ({"family": "poison"}, r"family is 'poison'; gaussian, binomial, .* are known"),
            ({"link": "logg"}, r"link is 'logg'; identity, log, .* are known, and Power\(p\)"),
            ({"alpha": -1.0}, "alpha"),
            ({"l1_ratio": 1.5}, "l1_ratio"),
            ({"tol": 0.0}, "tol"),
            ({"max_iter": 0}, "max_iter"),
        ],
    )
    def test_parameters(self, parameters: dict[str, Any], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            GLM(**parameters).fit([[0.0], [1.0]], [1.0, 2.0])

    @pytest.mark.parametrize("wrong", [3, Gamma])
    @pytest.mark.parametrize("parameter", ["family", "link"])
    def test_kinds_of_parameters(self, parameter: str, wrong: Any) -> None:
        with pytest.raises(TypeError, match=f"is given as a {parameter}, and a name or a"):
            GLM(**{parameter: wrong}).fit([[0.0], [1.0]], [1.0, 2.0])

    @pytest.mark.parametrize(
        ("family", "y", "words"),
        [
            ("poisson", -1.0, "y is -1 in row 1, and a poisson family takes y 0 or more"),
            ("gamma", 0.0, "y is 0 in row 1, and a gamma family takes y above 0"),
            ("binomial", 1.5, "y is 1.5 in row 1, and a binomial family takes y from 0 to 1"),
            ("poisson", np.nan, "Input y contains NaN in row 1"),
        ],
    )
    def test_targets(self, family: str, y: float, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            GLM(family).fit([[0.0], [1.0], [2.0]], [1.0, y, 0.5])

    @pytest.mark.parametrize("offset", [[0.0, 1.0], [0.0, 1.0, -np.inf], [[0.0]] * 3])
    def test_offsets(self, offset: Any) -> None:
        with pytest.raises(ValueError, match=r"offset has shape .* 3 finite numbers are expected"):
            GLM("poisson").fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0], offset=offset)

    def test_residuals(self) -> None:
        model = GLM("poisson").fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match=r"kind is 'raw'; response, .* are known"):
            model.residuals([[0.0]], [1.0], "raw")


@pytest.mark.parametrize("family", ["poisson", "binomial", "gamma"])
def test_squares_of_weighted_residuals_sum_to_the_deviance(family: str) -> None:
    rng = np.random.default_rng(3)
    X, w = rng.standard_normal((80, 2)), rng.integers(1, 5, 80)
    y = {"poisson": rng.poisson(3.0, 80), "gamma": rng.gamma(2.0, size=80) + 0.1}.get(
        family, rng.binomial(w, 0.4) / w
    )
    model = GLM(family, "log" if family == "gamma" else None).fit(X, y, sample_weight=w)
    deviance, pearson = (model.residuals(X, y, kind, w) for kind in ("deviance", "pearson"))
    assert (deviance**2).sum() == pytest.approx(model.deviance_, rel=1e-9)
    mu = model.predict(X)
    variance = {"poisson": mu, "gamma": mu**2}.get(family, mu * (1.0 - mu))
    assert (pearson**2).sum() == pytest.approx((w * (y - mu) ** 2 / variance).sum(), rel=1e-12)


class TestTheta:
    """θ of negative binomial counts, estimated with the coefficients."""

    def test_it_is_r_s_of_glm_nb(self) -> None:
        case = R["negative_binomial"]
        names = [name for name in case["columns"] if name != "(Intercept)"]
        X = np.column_stack([column(case, name) for name in names])
        model = GLM(NegativeBinomial(theta=None), tol=TIGHT).fit(X, column(case, case["target"]))
        assert model.family_.theta == pytest.approx(case["theta"], rel=1e-7)
        np.testing.assert_allclose(all_coefficients(model), list(case["coef"].values()), rtol=1e-6)
        assert model.deviance_ == pytest.approx(case["deviance"], rel=1e-7)

    def test_weight_two_is_the_row_twice(self) -> None:
        rng = np.random.default_rng(0)
        X, w = rng.standard_normal((150, 2)), rng.integers(0, 3, 150)
        y = rng.poisson(rng.gamma(2.0, 2.0 * np.exp(0.4 * X[:, 0])))
        model = GLM(NegativeBinomial(theta=None)).fit(X, y, sample_weight=w)
        twice = GLM(NegativeBinomial(theta=None)).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        assert model.family_.theta == pytest.approx(twice.family_.theta, rel=1e-6)
        np.testing.assert_allclose(model.coef_, twice.coef_, rtol=1e-6)
        assert 1.0 < model.family_.theta < 4.0

    def test_counts_of_poisson_s_variance_are_refused(self) -> None:
        X = np.arange(40.0)[:, None] % 7
        with pytest.raises(ValueError, match="vary no more than Poisson's do"):
            GLM(NegativeBinomial(theta=None)).fit(X, np.tile([2.0, 3.0], 20))

    def test_a_family_without_theta_has_no_variance(self) -> None:
        with pytest.raises(ValueError, match="theta=None is for GLM to estimate"):
            NegativeBinomial(theta=None).log_variance(np.zeros(1))
