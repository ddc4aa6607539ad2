"""Families and links of one's own, through fits and inference."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linework import GLM, glm_path, infer, influence, marginal_effects, profile_confint, score_test
from linework.losses import Family, Link, Poisson

Array = np.ndarray


class Loglog(Link):
    """η = −ln(−ln μ), cloglog seen from the failures."""

    name = "loglog"

    def link(self, mu: Array) -> Array:
        return -np.log(-np.log(mu))

    def mean(self, eta: Array) -> Array:
        return np.exp(-np.exp(-eta))

    def slope(self, eta: Array) -> Array:
        return np.exp(-eta - np.exp(-eta))


class Counts(Family):
    """Poisson's, by the three functions alone."""

    name = "counts"
    dispersed = False
    lowest_included = True

    def log_variance(self, log_mu: Array) -> Array:
        return log_mu

    def loss(self, y: Array, log_mu: Array) -> Array:
        return np.exp(log_mu) - y * log_mu

    def saturated(self, y: Array) -> Array:
        return y - y * np.log(np.maximum(y, 1e-300))


class ReportedCounts(Counts):
    """With the fourth."""

    def loglik(self, y: Array, mu: Array, weight: Array, phi: float) -> Array:
        return Poisson().loglik(y, mu, weight, phi)


@pytest.fixture
def rows() -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((150, 3))
    eta = X @ [0.5, -0.3, 0.0] + 0.4
    return X, rng.random(150) < np.exp(-np.exp(-eta)), rng.poisson(np.exp(eta)), rng.random(150)


def test_a_link_is_three_functions(rows: tuple[Array, ...]) -> None:
    """1 − y under cloglog has the coefficients with the other sign, and all else the same."""
    X, y, _, _ = rows
    y = y.astype(float)
    own, ours = GLM("binomial", Loglog()).fit(X, y), GLM("binomial", "cloglog").fit(X, 1.0 - y)
    assert_allclose(own.coef_, -ours.coef_, atol=1e-8)
    assert_allclose(own.predict(X), 1.0 - ours.predict(X), atol=1e-8)
    assert own.deviance_ == pytest.approx(ours.deviance_, rel=1e-12)
    one, other = infer(own, X, y), infer(ours, X, 1.0 - y)
    assert_allclose(one.table.std_error, other.table.std_error, rtol=1e-6)
    assert one.aic == pytest.approx(other.aic, rel=1e-12)
    assert_allclose(
        profile_confint(own, X, y), -profile_confint(ours, X, 1.0 - y)[:, ::-1], atol=1e-6
    )
    assert_allclose(
        influence(own, X, y).cooks_distance, influence(ours, X, 1.0 - y).cooks_distance, rtol=1e-5
    )
    with pytest.raises(NotImplementedError, match="The link 'loglog' has no method curve"):
        marginal_effects(own, X, y)


@pytest.mark.parametrize("link", ["log", "sqrt"])
def test_a_family_is_three_functions(rows: tuple[Array, ...], link: str) -> None:
    X, _, y, offset = rows
    y = y.astype(float)
    own, ours = (GLM(family, link).fit(X, y, offset=offset) for family in (Counts(), "poisson"))
    assert_allclose(own.coef_, ours.coef_, atol=1e-9)
    assert own.deviance_ == pytest.approx(ours.deviance_, rel=1e-9)
    assert own.null_deviance_ == pytest.approx(ours.null_deviance_, rel=1e-9)
    for kind in ("deviance", "pearson", "response", "working"):
        left, right = (model.residuals(X, y, kind, offset=offset) for model in (own, ours))
        assert_allclose(left, right, atol=1e-6, err_msg=kind)
    one, other = (infer(model, X, y, offset=offset) for model in (own, ours))
    assert_allclose(one.table.p_value, other.table.p_value, rtol=1e-5)
    assert np.isnan(one.loglik)
    assert "AIC: NaN" in one.to_text()
    assert "counts family taken to be 1" in one.to_text()
    fourth = infer(GLM(ReportedCounts(), link).fit(X, y, offset=offset), X, y, offset=offset)
    assert fourth.aic == pytest.approx(other.aic, rel=1e-9)


def test_penalties_paths_and_tests_know_it_too(rows: tuple[Array, ...]) -> None:
    X, _, y, _ = rows
    y = y.astype(float)
    paths = [
        glm_path(X, y, family=family, link="log", alphas=5) for family in (Counts(), "poisson")
    ]
    for own, ours in zip(*paths, strict=True):
        assert_allclose(own, ours, atol=1e-8)
    models = [GLM(family, "log").fit(X[:, :2], y) for family in (Counts(), "poisson")]
    one, other = (score_test(model, X[:, :2], y, X[:, 2:]) for model in models)
    assert one.statistic == pytest.approx(other.statistic, rel=1e-8)
    fit = GLM(Counts(), "log", alpha=0.1, l1_ratio=1.0).fit(X, y)
    assert fit.convergence_.gap is None  # it does not say that it is convex
