"""Logistic regression against R, against the conditions of its optimum, and against formulas."""

from typing import Any

import numpy as np
import pytest
from r_likelihood import R, cases, column, columns_of, standardised
from scipy.special import log_softmax, softmax
from sklearn.datasets import load_digits, load_iris

from linework import GLM, LogisticRegression

Array = np.ndarray

TIGHT = 1e-9  # the gradient is then brought to 1e-13


def logistic_rows(rng: np.random.Generator, n: int, k: int, d: int = 5) -> tuple[Array, Array]:
    """Rows of unequal columns off the origin, and one of k classes that depends on some."""
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 2.0, d) + np.linspace(-1.0, 1.0, d)
    z = X @ np.linspace(1.0, 0.0, d) + rng.logistic(size=n)
    return X, np.digitize(z, np.quantile(z, np.arange(1, k) / k))


def by_newton(X: Array, y: Array, w: Array, l2: float) -> Array:
    """Intercept and slopes for 0 and 1, by Newton's method as a textbook has it."""
    Z, beta = np.column_stack([np.ones(len(X)), X]), np.zeros(X.shape[1] + 1)
    penalty = np.append(0.0, np.full(X.shape[1], l2))
    for _ in range(30):
        p = 1.0 / (1.0 + np.exp(-Z @ beta))
        H = (Z.T * (w * p * (1.0 - p))) @ Z + np.diag(penalty)
        beta -= np.linalg.solve(H, Z.T @ (w * (p - y)) + penalty * beta)
    return beta


def subgradient(model: LogisticRegression, X: Array, y: Array, s: Array) -> float:
    """The largest element of the subgradient nearest to zero, beside the sizes of its terms."""
    eta = X @ model.coef_.T + model.intercept_
    if len(model.classes_) == 2:
        residual = s[:, None] * (1.0 / (1.0 + np.exp(-eta)) - (y == model.classes_[1])[:, None])
    else:
        residual = s[:, None] * (softmax(eta, axis=1) - (y[:, None] == model.classes_))
    strength = 0.0 if np.isinf(model.C) else 1.0 / model.C
    l1, l2 = strength * model.l1_ratio, strength * (1.0 - model.l1_ratio)
    w = model.coef_.T
    g = X.T @ residual + l2 * w
    g = np.where(w == 0.0, np.maximum(np.abs(g) - l1, 0.0), g + l1 * np.sign(w))
    size = np.abs(X).T @ np.abs(residual) + l1
    b = np.abs(residual.sum(axis=0)) / np.abs(residual).sum(axis=0)
    return float(max((np.abs(g) / size).max(), b.max()))


class TestAgainstR:
    @pytest.mark.parametrize("name", ["plain", "weights", "none"])
    def test_glm(self, name: str) -> None:
        case = R["glm"][f"binomial_logit_{name}"]
        model = LogisticRegression(C=np.inf, fit_intercept=case["intercept"], tol=TIGHT)
        model.fit(columns_of(case), column(case, "case"), case.get("weights"))
        coef = np.append(model.intercept_ if case["intercept"] else [], model.coef_)
        np.testing.assert_allclose(coef, list(case["coef"].values()), rtol=1e-10)

    @pytest.mark.parametrize("name", ["endometrial", "iris_separable", "birthwt"])
    def test_firth(self, name: str) -> None:
        case = R["firth"][name]
        rows = np.array(case["rows"]) - 1
        X, y = columns_of(case)[rows], column(case, case["target"])[rows] == case["positive"]
        model = LogisticRegression(C=np.inf, separation="firth", tol=TIGHT).fit(X, y)
        coef = np.append(model.intercept_, model.coef_)
        np.testing.assert_allclose(coef, list(case["coef"].values()), rtol=1e-10)

    def test_firth_of_three_classes(self) -> None:
        """As far as brmultinom goes."""
        case = R["firth"]["iris_classes"]
        model = LogisticRegression(C=np.inf, separation="firth", tol=TIGHT)
        model.fit(columns_of(case), column(case, case["target"]))
        coef = np.column_stack([model.intercept_, model.coef_])
        np.testing.assert_allclose(coef[1:] - coef[0], case["coef"], rtol=1e-7)

    # Gradient descent cannot tell objectives apart that agree to rounding, and ends earlier.
    @pytest.mark.parametrize(
        ("solver", "tol", "errors"),
        [("newton", TIGHT, 1e-10), ("irls", TIGHT, 1e-10), ("gradient", 0.02, 1e-3)],
    )
    def test_the_algorithms_of_the_textbook(self, solver: str, tol: float, errors: float) -> None:
        """Within so many standard errors."""
        case = R["glm"]["binomial_logit_plain"]
        model = LogisticRegression(C=np.inf, solver=solver, tol=tol, max_iter=10_000)
        model.fit(columns_of(case), column(case, "case"))
        wanted, se = (np.array(list(case[name].values())) for name in ("coef", "se"))
        found = np.append(model.intercept_, model.coef_)
        assert np.abs((found - wanted) / se).max() < errors

    @pytest.mark.parametrize("name", cases("multinomial"))
    def test_multinom(self, name: str) -> None:
        case = R["multinomial"][name]
        w = column(case, case["weights"]) if "weights" in case else None
        X, y = columns_of(case), column(case, case["target"])
        model = LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y, w)
        coef = np.column_stack([model.intercept_, model.coef_])
        np.testing.assert_allclose(coef[1:] - coef[0], case["coef"], rtol=1e-9)
        own = model.predict_log_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        deviance = -2.0 * np.sum(own if w is None else w * own)
        assert deviance == pytest.approx(case["deviance"], rel=1e-12)

    @pytest.mark.parametrize(
        "name", [name for name, case in cases("penalties").items() if case["family"] != "poisson"]
    )
    def test_glmnet(self, name: str) -> None:
        case = R["penalties"][name]
        X, y, w = standardised(case), column(case, case["target"]), case.get("weights")
        total = len(y) if w is None else sum(w)
        model = LogisticRegression(
            C=1.0 / (case["lambda"] * total), l1_ratio=case["alpha"], tol=TIGHT
        )
        model.fit(X, y, w)
        coef, intercept = np.atleast_2d(case["coef"]), np.atleast_1d(case["intercept"])
        np.testing.assert_allclose(model.coef_, coef, rtol=1e-8, atol=1e-9)
        np.testing.assert_array_equal(model.coef_ == 0.0, coef == 0.0)
        shift = model.intercept_ - intercept
        np.testing.assert_allclose(shift, shift.mean() * (len(shift) > 1), atol=1e-9)


class TestOptimum:
    @pytest.mark.parametrize("n", [200, 8_000])  # the larger begins with a sample of the rows
    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
    @pytest.mark.parametrize("C", [0.01, 1.0, np.inf])
    @pytest.mark.parametrize("k", [2, 4])
    def test_the_subgradient_is_zero(
        self, rng: np.random.Generator, k: int, C: float, l1_ratio: float, n: int
    ) -> None:
        X, y = logistic_rows(rng, n, k)
        w = rng.integers(0, 3, n).astype(float)
        model = LogisticRegression(C=C, l1_ratio=l1_ratio).fit(X, y, w)
        assert subgradient(model, X, y, w) < 1e-7
        model.set_params(tol=TIGHT).fit(X, y, w)
        assert subgradient(model, X, y, w) < 1e-11

    @pytest.mark.parametrize("n", [100, 20_000])
    @pytest.mark.parametrize("C", [0.01, np.inf])
    def test_newtons_method_of_a_textbook(self, rng: np.random.Generator, C: float, n: int) -> None:
        X, y = logistic_rows(rng, n, 2)
        w = rng.uniform(0.0, 2.0, n)
        model = LogisticRegression(C=C, tol=TIGHT).fit(X, y, w)
        wanted = by_newton(X, y, w, 1.0 / C)
        np.testing.assert_allclose(model.coef_[0], wanted[1:], rtol=1e-9)
        assert model.intercept_[0] == pytest.approx(wanted[0], rel=1e-9)

    def test_the_same_optimum_with_and_without_a_sample(self, rng: np.random.Generator) -> None:
        """Rows repeated until there are enough for a sample change nothing but the start."""
        X, y = logistic_rows(rng, 500, 3)
        many = np.tile(np.arange(500), 40)
        few = LogisticRegression(C=0.4, tol=TIGHT).fit(X, y)
        more = LogisticRegression(C=0.01, tol=TIGHT).fit(X[many], y[many])
        np.testing.assert_allclose(more.coef_, few.coef_, rtol=1e-9)
        np.testing.assert_allclose(more.intercept_, few.intercept_, rtol=1e-9)

    @pytest.mark.parametrize("positives", [0.5, 0.005])
    def test_rare_positives(self, rng: np.random.Generator, positives: float) -> None:
        X = rng.standard_normal((20_000, 4))
        y = (X[:, 0] + rng.logistic(size=20_000) > np.log(1.0 / positives - 1.0)).astype(int)
        model = LogisticRegression(tol=TIGHT).fit(X, y)
        wanted = by_newton(X, y, np.ones(20_000), 1.0)
        np.testing.assert_allclose(model.coef_[0], wanted[1:], rtol=1e-9)
        assert model.predict_proba(X)[:, 1].sum() == pytest.approx(y.sum(), rel=1e-9)

    def test_the_reported_gradient_and_objective_are_those_of_the_rows(
        self, rng: np.random.Generator
    ) -> None:
        X, y = logistic_rows(rng, 300, 2)
        model = LogisticRegression(C=0.5, l1_ratio=0.3, tol=0.1).fit(X, y)
        p, w = model.predict_proba(X)[:, 1], model.coef_[0]
        strength = 1.0 / (0.5 * 300)
        value = -np.mean(model.predict_log_proba(X)[np.arange(300), y])
        value += strength * (0.3 * np.abs(w).sum() + 0.35 * w @ w)
        assert model.convergence_.objective == pytest.approx(value, rel=1e-13)
        g = (X - X.mean(axis=0)).T @ (p - y) / 300 + 0.7 * strength * w
        g = np.where(
            w == 0, np.maximum(np.abs(g) - 0.3 * strength, 0), g + 0.3 * strength * np.sign(w)
        )
        unit = np.sqrt(np.mean((y - y.mean()) ** 2))
        largest = max(np.abs(g / X.std(axis=0)).max(), abs(np.mean(p - y))) / unit
        assert model.convergence_.value == pytest.approx(largest, rel=1e-6, abs=1e-15)
        trace = model.convergence_.trace
        assert len(trace) == model.n_iter_[0] + 1
        assert trace[-1].gradient == model.convergence_.value

    @pytest.mark.parametrize("k", [2, 3])
    def test_a_strong_1_norm_leaves_the_shares_alone(
        self, rng: np.random.Generator, k: int
    ) -> None:
        X, _ = logistic_rows(rng, 300, k)
        y = rng.permutation(np.repeat(np.arange(k), [200, *[100 // (k - 1)] * (k - 1)]))
        model = LogisticRegression(C=1e-4, l1_ratio=1.0, tol=TIGHT).fit(X, y)
        np.testing.assert_array_equal(model.coef_, 0.0)
        share = np.bincount(y) / 300
        np.testing.assert_allclose(model.predict_proba(X), np.tile(share, (300, 1)), rtol=1e-12)

    def test_the_first_column_to_enter_is_at_the_largest_correlation(
        self, rng: np.random.Generator
    ) -> None:
        X, y = logistic_rows(rng, 300, 2)
        correlation = np.abs(X.T @ (y - y.mean()))
        edge = 1.0 / correlation.max()
        below, above = (
            LogisticRegression(C=edge * s, l1_ratio=1.0, tol=TIGHT).fit(X, y)
            for s in (0.999, 1.001)
        )
        np.testing.assert_array_equal(below.coef_, 0.0)
        np.testing.assert_array_equal(np.flatnonzero(above.coef_[0]), [correlation.argmax()])


class TestEqualProblems:
    """Two ways to say the same give the same fit."""

    @pytest.mark.parametrize("n", [200, 8_000])
    @pytest.mark.parametrize("k", [2, 3])
    def test_the_scale_of_unpenalised_columns(
        self, rng: np.random.Generator, k: int, n: int
    ) -> None:
        X, y = logistic_rows(rng, n, k)
        scale = np.array([1e-4, 1e4, 1e-2, 1.0, 1e3])
        one, other = (LogisticRegression(C=np.inf, tol=TIGHT).fit(Z, y) for Z in (X, X * scale))
        np.testing.assert_allclose(
            other.predict_log_proba(X * scale), one.predict_log_proba(X), rtol=1e-9
        )
        np.testing.assert_array_equal(other.n_iter_, one.n_iter_)

    @pytest.mark.parametrize("k", [2, 3])
    def test_the_origin_of_penalised_columns(self, rng: np.random.Generator, k: int) -> None:
        X, y = logistic_rows(rng, 200, k)
        # a spread of 1 at 1e4 leaves twelve digits of the columns
        one, other = (LogisticRegression(tol=1e-7).fit(Z, y) for Z in (X, X + 1e4))
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-8)

    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
    def test_a_glm_of_the_binomial_family(self, rng: np.random.Generator, l1_ratio: float) -> None:
        X, y = logistic_rows(rng, 200, 2)
        w = rng.uniform(0.5, 2.0, 200)
        model = LogisticRegression(C=0.5, l1_ratio=l1_ratio, tol=TIGHT).fit(X, y, w)
        alpha = 1.0 / (0.5 * w.sum())
        glm = GLM("binomial", alpha=alpha, l1_ratio=l1_ratio, tol=TIGHT).fit(X, y.astype(float), w)
        np.testing.assert_allclose(model.coef_[0], glm.coef_, rtol=1e-11)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], glm.predict(X), rtol=1e-11)

    def test_names_of_two_classes_exchanged(self, rng: np.random.Generator) -> None:
        X, y = logistic_rows(rng, 200, 2)
        one, other = (LogisticRegression(l1_ratio=0.5).fit(X, z) for z in (y, 1 - y))
        np.testing.assert_allclose(other.coef_, -one.coef_, rtol=1e-9)
        np.testing.assert_allclose(other.intercept_, -one.intercept_, rtol=1e-9)

    def test_a_class_nobody_is_in_is_no_class(self, rng: np.random.Generator) -> None:
        X, y = logistic_rows(rng, 200, 3)
        w = (y != 1).astype(float)
        model = LogisticRegression().fit(X, y, w)
        np.testing.assert_array_equal(model.classes_, [0, 2])
        without = LogisticRegression().fit(X[y != 1], y[y != 1])
        np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-11)

    @pytest.mark.parametrize(("C", "l1_ratio"), [(0.1, 0.0), (np.inf, 0.0), (np.inf, 0.3)])
    def test_coefficients_of_the_classes_add_up_to_zero(
        self, rng: np.random.Generator, C: float, l1_ratio: float
    ) -> None:
        """What is common to all classes changes no probability, and so it is zero."""
        X, y = logistic_rows(rng, 300, 4)
        model = LogisticRegression(C=C, l1_ratio=l1_ratio).fit(X, y)
        np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-12)
        assert model.intercept_.sum() == pytest.approx(0.0, abs=1e-12)

    @pytest.mark.parametrize("k", [2, 3])
    def test_columns_that_say_nothing_change_nothing(
        self, rng: np.random.Generator, k: int
    ) -> None:
        X, y = logistic_rows(rng, 200, k)
        wide = np.column_stack([X, np.zeros(200), np.full(200, 3.0), X[:, 0], X[:, 1] - X[:, 2]])
        plain, more = (LogisticRegression(C=np.inf, tol=TIGHT).fit(Z, y) for Z in (X, wide))
        np.testing.assert_allclose(
            more.predict_log_proba(wide), plain.predict_log_proba(X), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(more.coef_[:, 5:7], 0.0, atol=1e-13)

    @pytest.mark.parametrize("k", [2, 3])
    def test_a_copied_column_shares_the_coefficient(self, rng: np.random.Generator, k: int) -> None:
        # w₁ + w₂ with ½(w₁² + w₂²) is one column of √2 its size
        X, y = logistic_rows(rng, 200, k)
        both = LogisticRegression(C=0.1, tol=TIGHT).fit(np.column_stack([X, X[:, 0]]), y)
        single = LogisticRegression(C=0.1, tol=TIGHT).fit(X * [np.sqrt(2.0), 1, 1, 1, 1], y)
        np.testing.assert_allclose(both.coef_[:, 0], both.coef_[:, 5], rtol=1e-10)
        np.testing.assert_allclose(both.coef_[:, 0], single.coef_[:, 0] / np.sqrt(2.0), rtol=1e-9)


class TestClassWeights:
    @pytest.mark.parametrize("k", [2, 3])
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize(
        "kind", ["dict", "balanced", "effective", ("effective", 0.9), ("effective", 0.0)]
    )
    def test_they_multiply_the_weights_of_rows(
        self, rng: np.random.Generator, kind: Any, weighted: bool, k: int
    ) -> None:
        X, y = logistic_rows(rng, 300, k)
        keep = (y == 0) | (rng.random(300) < 0.4)
        X, y = X[keep], y[keep]
        w = rng.uniform(0.5, 2.0, len(y)) if weighted else np.ones(len(y))
        counts = np.bincount(y, w)
        if kind == "dict":
            kind, factors = {0: 0.5, 1: 3.0}, np.array([0.5, 3.0, 1.0])[:k]
        elif kind == "balanced":
            factors = counts.sum() / (k * counts)
        else:
            beta = 0.999 if kind == "effective" else kind[1]
            factors = (1.0 - beta) / (1.0 - beta**counts)  # Cui et al., 2019, equation 2
            factors = factors * k / factors.sum()
        model = LogisticRegression(class_weight=kind, C=0.1, tol=TIGHT)
        model.fit(X, y, w if weighted else None)
        plain = LogisticRegression(C=0.1, tol=TIGHT).fit(X, y, w * factors[y])
        np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)
        np.testing.assert_allclose(model.intercept_, plain.intercept_, rtol=1e-9)
        assert subgradient(model, X, y, w * factors[y]) < 1e-11

    def test_balanced_classes_are_given_as_much(self, rng: np.random.Generator) -> None:
        X, y = logistic_rows(rng, 400, 2)
        keep = (y == 0) | (rng.random(400) < 0.2)
        X, y = X[keep], y[keep]
        model = LogisticRegression(class_weight="balanced", C=np.inf).fit(X, y)
        p = model.predict_proba(X)[:, 1]
        missed, alarms = (1.0 - p)[y == 1].mean(), p[y == 0].mean()
        assert missed == pytest.approx(alarms, rel=1e-7)

    def test_a_class_of_factor_zero_is_never_told(self, rng: np.random.Generator) -> None:
        X, y = logistic_rows(rng, 200, 3)
        model = LogisticRegression(class_weight={1: 0.0}).fit(X, y)
        assert 1 not in model.predict(X)
        # Two rows of coefficients, ±w / 2, cost half as much as the one of two classes.
        rest = LogisticRegression(C=2.0).fit(X[y != 1], y[y != 1])
        odds = np.diff(model.predict_log_proba(X)[:, [0, 2]])[:, 0]
        np.testing.assert_allclose(odds, rest.decision_function(X), rtol=1e-5, atol=1e-6)


class TestAnswers:
    @pytest.mark.parametrize("k", [2, 4])
    def test_scores_odds_and_probabilities(self, rng: np.random.Generator, k: int) -> None:
        X, y = logistic_rows(rng, 200, k)
        model = LogisticRegression().fit(X, np.array(list("dacb"))[y])
        scores = X @ model.coef_.T + model.intercept_
        if k == 2:
            np.testing.assert_allclose(model.decision_function(X), scores[:, 0], rtol=1e-12)
            odds = np.diff(model.predict_log_proba(X))[:, 0]
            np.testing.assert_allclose(odds, scores[:, 0], rtol=1e-9, atol=1e-12)
            scores = np.column_stack([np.zeros(200), scores])
        else:
            np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-12)
        log_p = log_softmax(scores, axis=1)
        np.testing.assert_allclose(model.predict_log_proba(X), log_p, rtol=1e-10, atol=1e-15)
        np.testing.assert_allclose(model.predict_proba(X), np.exp(log_p), rtol=1e-12)
        np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])

    @pytest.mark.parametrize("k", [2, 3])
    def test_probabilities_far_from_the_boundary(self, rng: np.random.Generator, k: int) -> None:
        X, y = logistic_rows(rng, 200, k)
        model = LogisticRegression().fit(X, y)
        far = model.predict_log_proba(1e5 * X)
        assert np.isfinite(far).all()
        assert far.min() < -1e4
        np.testing.assert_allclose(model.predict_proba(1e5 * X).sum(axis=1), 1.0, rtol=1e-12)

    @pytest.mark.parametrize("k", [2, 3])
    def test_the_model_is_right_on_average(self, rng: np.random.Generator, k: int) -> None:
        """Without a penalty the expected totals of every column are those of each class."""
        X, y = logistic_rows(rng, 300, k)
        model = LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y)
        p = model.predict_proba(X)
        for j in range(k):
            np.testing.assert_allclose(X.T @ p[:, j], X[y == j].sum(axis=0), rtol=1e-9, atol=1e-9)
            assert p[:, j].sum() == pytest.approx((y == j).sum(), rel=1e-10)


class TestWarmStart:
    @pytest.mark.parametrize("k", [2, 3])
    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
    def test_it_ends_where_a_cold_start_does(
        self, rng: np.random.Generator, k: int, l1_ratio: float
    ) -> None:
        X, y = logistic_rows(rng, 300, k)
        warm = LogisticRegression(l1_ratio=l1_ratio, warm_start=True, tol=TIGHT)
        for C in (0.01, 0.1, 1.0):
            warm.set_params(C=C).fit(X, y)
            cold = LogisticRegression(C=C, l1_ratio=l1_ratio, tol=TIGHT).fit(X, y)
            np.testing.assert_allclose(warm.coef_, cold.coef_, rtol=1e-8, atol=1e-11)
            np.testing.assert_allclose(warm.predict_proba(X), cold.predict_proba(X), rtol=1e-9)

    @pytest.mark.parametrize("k", [2, 3])
    def test_at_the_optimum_nothing_is_left_to_do(self, rng: np.random.Generator, k: int) -> None:
        X, y = logistic_rows(rng, 300, k)
        model = LogisticRegression(warm_start=True).fit(X, y)
        before = model.coef_
        assert model.n_iter_[0] > 1
        model.fit(X, y)
        assert model.n_iter_[0] == 0
        np.testing.assert_allclose(model.coef_, before, rtol=1e-12)

    def test_other_classes_begin_anew(self, rng: np.random.Generator) -> None:
        X, y = logistic_rows(rng, 300, 3)
        model = LogisticRegression(warm_start=True).fit(X, y == 0).fit(X, y)
        np.testing.assert_allclose(model.coef_, LogisticRegression().fit(X, y).coef_, rtol=1e-12)


class TestHardRows:
    @pytest.mark.parametrize("heavy", ["t", "cauchy"])
    @pytest.mark.parametrize("k", [2, 3])
    @pytest.mark.parametrize("n", [400, 10_000])
    def test_heavy_tails(self, rng: np.random.Generator, n: int, k: int, heavy: str) -> None:
        X = rng.standard_t(2.5, (n, 4)) if heavy == "t" else rng.standard_cauchy((n, 4))
        y = np.digitize(np.tanh(X[:, 0]) + rng.logistic(size=n), [0.0, 1.0][: k - 1])
        for C in (1.0, np.inf):
            model = LogisticRegression(C=C, tol=1e-5).fit(X, y)
            assert model.convergence_.converged
            assert subgradient(model, X, y, np.ones(n)) < 1e-7

    @pytest.mark.parametrize("k", [2, 3])
    @pytest.mark.parametrize("C", [1.0, 1e6])
    def test_separable_classes(self, C: float, k: int) -> None:
        X, y = load_iris(return_X_y=True)
        X, y = X[y < k], y[y < k]
        model = LogisticRegression(C=C, tol=TIGHT).fit(X, y)
        assert model.convergence_.converged
        assert model.score(X, y) > 0.97
        assert subgradient(model, X, y, np.ones(len(y))) < 1e-5

    def test_correlated_columns(self, rng: np.random.Generator) -> None:
        X = rng.standard_normal((500, 1)) + 0.1 * rng.standard_normal((500, 20))
        y = (X[:, 0] + rng.logistic(size=500) > 0).astype(int)
        model = LogisticRegression(C=1e3, tol=TIGHT).fit(X, y)
        np.testing.assert_allclose(
            model.coef_[0], by_newton(X, y, np.ones(500), 1e-3)[1:], rtol=1e-7
        )

    def test_rare_levels(self, rng: np.random.Generator) -> None:
        X = (rng.random((10_000, 30)) < 0.001).astype(float)
        y = (rng.random(10_000) < 0.3).astype(int)
        model = LogisticRegression().fit(X, y)
        assert model.convergence_.converged
        assert subgradient(model, X, y, np.ones(10_000)) < 1e-7

    @pytest.mark.slow
    def test_digits(self) -> None:
        """Ten classes, columns of zeros, and more than 600 coefficients."""
        X, y = load_digits(return_X_y=True)
        model = LogisticRegression(C=0.01).fit(X, y)
        assert model.convergence_.converged
        np.testing.assert_array_equal(model.coef_[:, ~X.any(axis=0)], 0.0)
        P = model.predict_proba(X) - (y[:, None] == model.classes_)
        np.testing.assert_allclose(X.T @ P, -100.0 * model.coef_.T, atol=1e-4)


class TestSentences:
    @pytest.mark.parametrize(
        ("parameters", "words"),
        [
            ({"C": 0.0}, "C"),
            ({"C": -1.0}, "C"),
            ({"l1_ratio": -0.1}, "l1_ratio"),
            ({"tol": 0.0}, "tol"),
            ({"max_iter": 0}, "max_iter"),
            ({"class_weight": "balance"}, r'None, a dict, "balanced", "effective" or'),
            ({"class_weight": ("effective", 1.0)}, "with β from 0 to below 1"),
            ({"class_weight": {5: 1.0}}, r"class_weight names the classes \[5\]"),
            ({"class_weight": {0: -1.0}}, "finite numbers, zero or more"),
        ],
    )
    def test_parameters(self, parameters: dict[str, Any], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            LogisticRegression(**parameters).fit([[0.0], [1.0], [2.0]], [0, 1, 1])

    def test_one_class(self) -> None:
        with pytest.raises(ValueError, match="The rows are of 1 class"):
            LogisticRegression().fit([[0.0], [1.0]], [1, 1])
