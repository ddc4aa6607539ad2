"""Inference of Firth's penalised likelihood against logistf, brglm2 and brute force."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq, minimize
from scipy.special import softmax

from linework import (
    GLM,
    LogisticRegression,
    infer,
    likelihood_ratio_test,
    profile_confint,
    score_test,
)

REFERENCE = Path(__file__).parents[1] / "reference"
LOGISTF = json.loads((REFERENCE / "firth.json").read_text())
LIKELIHOOD = json.loads((REFERENCE / "likelihood.json").read_text())
SEVERAL = json.loads((REFERENCE / "multinomial.json").read_text())
QUANTILE = 1.959963984540054**2


def firth(X, y, w=None, **options):
    return LogisticRegression(C=np.inf, separation="firth", tol=1e-7, **options).fit(X, y, w)


def sex2():
    r = LOGISTF["sex2"]
    data = pd.DataFrame(r["data"])
    X, y, w = data[r["columns"]], data["case"], data["count"]
    return r, X, y, w, firth(X, y, w)


def penalised(theta, Z, y, n_classes):
    """Ln L + ½ ln |I|, with I from its definition."""
    B = theta.reshape(n_classes - 1, -1)
    P = softmax(np.column_stack([np.zeros(len(Z)), Z @ B.T]), axis=1)
    information = 0.0
    for p, z in zip(P[:, 1:], Z, strict=True):
        information = information + np.kron(np.diag(p) - np.outer(p, p), np.outer(z, z))
    return np.log(P[np.arange(len(y)), y]).sum() + 0.5 * np.linalg.slogdet(information)[1]


def held(j, b, start, *rows):
    """The highest penalised likelihood with coefficient j at b."""

    def objective(phi):
        return -penalised(np.insert(phi, j, b), *rows)

    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 20_000}
    found = minimize(objective, np.delete(start, j), method="BFGS", options={"gtol": 1e-7})
    return -minimize(objective, found.x, method="Nelder-Mead", options=options).fun


# Against R -----------------------------------------------------------------------------------


def test_logistf():
    r, X, y, w, model = sex2()
    result = infer(model, X, y, sample_weight=w)
    assert_allclose(result.table.estimate, r["coef"], 2e-6)
    assert_allclose(result.table.std_error, r["se"], 2e-6)
    assert_allclose(result.penalised_loglik, r["penalised_loglik"], 1e-6)
    assert_allclose(profile_confint(model, X, y, sample_weight=w), r["confint"], 2e-6)
    ends = profile_confint(model, X, y, sample_weight=w, level=0.9)
    assert_allclose(ends, r["confint_90"], 2e-6)


def test_logistf_tests():
    r, X, y, w, model = sex2()
    for j, (chi2, p) in enumerate(zip(r["chi2"], r["p"], strict=True)):
        test = likelihood_ratio_test(model, X, y, j, sample_weight=w)
        assert_allclose(test.statistic, chi2, 1e-6)
        assert_allclose(test.p, p, 1e-6)
    test = likelihood_ratio_test(model, X, y, r["columns"], sample_weight=w)
    assert_allclose([test.statistic, test.p], [r["chi2_of_all"], r["p_of_all"]], 1e-6)
    assert test.df == (6,)


def test_logistf_of_a_separated_table():
    """A column that separates has a finite interval by the penalised likelihood."""
    r, data = LOGISTF["endometrial"], pd.DataFrame(LIKELIHOOD["tables"]["endometrial"])
    X, y = data[["NV", "PI", "EH"]], data["HG"]
    assert_allclose(profile_confint(firth(X, y), X, y), r["confint"], 1e-6)


@pytest.mark.parametrize("name", ["endometrial", "iris_separable", "birthwt"])
def test_brglm2(name):
    r = LIKELIHOOD["firth"][name]
    data = pd.DataFrame(LIKELIHOOD["tables"][r["table"]]).iloc[np.array(r["rows"]) - 1]
    X, y = data[r["columns"]], data[r["target"]] == r["positive"]
    result = infer(firth(X, y), X, y)
    assert_allclose(result.table.std_error, list(r["se"].values()), 1e-9)
    scale = result.table.std_error * result.table.std_error[:, None]
    assert_allclose(result.covariance_matrix / scale, np.array(r["vcov"]) / scale, atol=1e-9)
    assert_allclose(result.deviance, r["deviance"], 1e-10)
    assert_allclose(result.penalised_loglik, r["penalised_loglik"], 1e-10)
    assert f"Firth's penalised log likelihood: {r['penalised_loglik']:.5g}" in result.to_text()


def test_brmultinom():
    race, r = SEVERAL["race"], SEVERAL["firth"]
    data = pd.DataFrame(race["data"])
    X, y = data[race["columns"]], data["race"]
    result = infer(firth(X, y), X, y)
    assert_allclose(result.coef, r["coef"], 1e-8)
    assert_allclose(result.std_error, r["se"], 1e-8)
    assert_allclose(result.deviance, r["deviance"], 1e-9)


# Against brute force -------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_profile_ends_and_tests_by_another_optimiser(n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(25, 1))
    y = (X[:, 0] * np.arange(n_classes)[:, None] + rng.gumbel(size=(n_classes, 25))).argmax(axis=0)
    rows = np.column_stack([np.ones(25), X]), y, n_classes
    model = firth(X, y)
    result = infer(model, X, y)
    theta = result.table.estimate
    assert_allclose(result.penalised_loglik, penalised(theta, *rows), 1e-9)
    ends = profile_confint(model, X, y)
    for j, pair in enumerate(ends):
        rise = [2.0 * (result.penalised_loglik - held(j, b, theta, *rows)) for b in pair]
        assert_allclose(rise, QUANTILE, 1e-6)
    statistic = 2.0 * (result.penalised_loglik - held(1, 0.0, theta, *rows))
    name = "x0" if n_classes == 2 else "1:x0"
    assert_allclose(likelihood_ratio_test(model, X, y, name).statistic, statistic, 1e-6)


def test_one_proportion():
    """Of an intercept alone the penalised likelihood has half a success and half a failure more."""

    def loglik(eta):
        return -1.5 * np.logaddexp(0.0, -eta) - 11.5 * np.logaddexp(0.0, eta)

    middle = np.log(1.5 / 11.5)
    expected = [
        brentq(lambda eta: 2.0 * (loglik(middle) - loglik(eta)) - QUANTILE, middle, end)
        for end in (middle - 30.0, middle + 30.0)
    ]
    X, y, w = np.ones((2, 1)), np.array([0, 1]), np.array([11.0, 1.0])
    model = firth(X, y, w, fit_intercept=False)
    assert_allclose(model.coef_[0, 0], middle, 1e-9)
    assert_allclose(profile_confint(model, X, y, sample_weight=w)[0], expected, 1e-8)


# What holds whatever the data ----------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_units_of_columns_do_not_matter(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (0.5 * X[:, 0] * np.arange(n_classes)[:, None] + rng.gumbel(size=(n_classes, 60))).argmax(0)
    scale = np.array([1e3, 1e-3])
    model, scaled = firth(X, y), firth((X + 2.0) * scale, y)
    which = "x0" if n_classes == 2 else ["1:x0", "2:x0"]
    ends = profile_confint(model, X, y, which=which)
    assert_allclose(profile_confint(scaled, (X + 2.0) * scale, y, which=which) * 1e3, ends, 1e-6)
    tests = (
        likelihood_ratio_test(model, X, y, "x1"),
        likelihood_ratio_test(scaled, (X + 2.0) * scale, y, "x1"),
    )
    assert_allclose(tests[0].statistic, tests[1].statistic, 1e-6)


def test_likelihood_ratio_without_a_penalty_is_that_of_nested_fits(likelihood_case):
    for name in ("am", "insurance", "gamma"):
        c = likelihood_case(name)
        few = c.r["columns"][:1]
        smaller = c.of_columns(few)
        expected = infer(*c.rows, **c.options).compare(infer(*smaller.rows, **c.options))
        test = likelihood_ratio_test(*c.rows, c.r["columns"][1:], **c.options)
        assert_allclose(test.statistic, expected.statistic, 1e-7)
        assert test.df == expected.df
        assert_allclose(test.p, expected.p, 1e-6)


def test_likelihood_ratio_of_an_intercept():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)) + 3.0, rng.poisson(2.0, 80)
    model = GLM("poisson").fit(X, y)
    without = GLM("poisson", fit_intercept=False).fit(X, y)
    test = likelihood_ratio_test(model, X, y, "(Intercept)")
    assert_allclose(test.statistic, without.deviance_ - model.deviance_, 1e-6)


# What is refused -----------------------------------------------------------------------------


def test_refusals():
    _, X, y, w, model = sex2()
    result = infer(model, X, y, sample_weight=w)
    smaller = infer(firth(X[["age"]], y, w), X[["age"]], y, sample_weight=w)
    with pytest.raises(ValueError, match="take likelihood_ratio_test of the columns"):
        result.compare(smaller)
    with pytest.raises(ValueError, match="the score of a penalised likelihood has no test"):
        score_test(model, X, y, X[["age"]] ** 2, sample_weight=w)
    with pytest.raises(ValueError, match="is not the fit to these rows"):
        infer(model, X, 1 - y, sample_weight=w)
    with pytest.raises(ValueError, match="coefficients that are defined are expected"):
        likelihood_ratio_test(model, X, y, [], sample_weight=w)
    double = X.assign(twice=2 * X["age"]).drop(columns="dia")
    plain = LogisticRegression(C=np.inf).fit(double, y, w)
    with pytest.raises(ValueError, match="coefficients that are defined are expected"):
        likelihood_ratio_test(plain, double, y, "twice", sample_weight=w)
