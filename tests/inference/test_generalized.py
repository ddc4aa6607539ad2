"""`infer` for likelihood models against R, and what holds whatever the data."""

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linework import GLM, LinearRegression, LogisticRegression, Ridge, infer, threads
from linework.losses import NegativeBinomial

CASES = ["am", "wool", "insurance", "gamma", "inverse_gaussian", "shares", "precision"]
KINDS = ["HC0", "HC1", "HC2", "HC3", "cluster"]
GRID = json.loads((Path(__file__).parents[1] / "reference" / "likelihood.json").read_text())


def values(item):
    return np.array(list(item.values()) if isinstance(item, dict) else item, np.float64)


def assert_covariances(got, expected, rtol):
    """Elements agree beside the standard errors: some are zero in truth."""
    expected = np.array(expected)
    scale = np.sqrt(np.diag(expected))
    assert_allclose(got / scale / scale[:, None], expected / scale / scale[:, None], atol=rtol)


def sample(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 3.0, 0.1] + [0.0, 5.0, -2.0]
    eta = 0.5 + X @ [0.8, -0.2, 3.0] + 5.0
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(float), rng


# Against R -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_r_summary(likelihood_case, name):
    c = likelihood_case(name)
    result = infer(*c.rows, **c.options)
    table = result.table
    assert_allclose(table.estimate, values(c.r["coef"]), 1e-8)
    assert_allclose(table.std_error, values(c.r["se"]), 1e-8)
    assert_allclose(table.statistic, values(c.r["statistic"]), 1e-8)
    assert_allclose(table.p_value, values(c.r["p"]), 5e-7)
    assert_covariances(result.covariance_matrix, c.r["vcov"], 2e-8)
    for known in ("dispersion", "deviance", "null_deviance", "df_residual", "df_null"):
        assert_allclose(getattr(result, known), c.r[known], 1e-9, err_msg=known)
    if name == "precision":  # R's likelihood of a gamma takes weights for numbers of rows
        c.options["weights"] = "frequency"
        result = infer(*c.rows, **c.options)
        n = len(c.X)
        assert_allclose(result.bic - result.aic, 4 * (np.log(sum(c.r["weights"])) - 2), 1e-10)
        assert_allclose(c.r["bic"] - c.r["aic"], 4 * (np.log(n) - 2), 1e-10)
    else:
        assert_allclose(result.bic, c.r["bic"], 1e-12)
    assert_allclose(result.loglik, c.r["loglik"], 1e-12)
    assert_allclose(result.aic, c.r["aic"], 1e-12)


@pytest.mark.parametrize("name", CASES)
def test_r_text(likelihood_case, name):
    c = likelihood_case(name)
    family = c.r["family"]
    expected = [line.rstrip().replace(family, c.model._loss().family.name) for line in c.r["text"]]
    text = infer(*c.rows, **c.options).to_text().replace("inverse gaussian", "inverse_gaussian")
    if name == "precision":
        assert text.splitlines()[:-1] == expected[:-1]
    else:
        assert text.splitlines() == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_r_sandwiches(likelihood_case, name, kind):
    c = likelihood_case(name)
    groups = c.r["groups"] if kind == "cluster" else None
    result = infer(*c.rows, covariance=kind, groups=groups, **c.options)
    assert_covariances(result.covariance_matrix, c.r["sandwich"][kind], 1e-7)
    if kind == "cluster":
        assert result.n_clusters == len(set(groups))
        assert f"Standard errors: cluster, {len(set(groups))} clusters" in result.to_text()


@pytest.mark.parametrize("name", CASES)
def test_r_analysis_of_deviance(likelihood_case, name):
    c = likelihood_case(name)
    expected = c.r["compare"]
    few = [column for column in c.r["columns"] if column in np.atleast_1d(expected["columns"])]
    s = c.of_columns(few)
    test = infer(*c.rows, **c.options).compare(infer(*s.rows, **s.options))
    assert_allclose(test.statistic, expected["statistic"], 1e-9)
    assert_allclose(test.p, expected["p"], 1e-7)
    assert len(test.df) == (2 if c.model._loss().family.dispersed else 1)


def test_r_aliased_columns(likelihood_case):
    c = likelihood_case("aliased")
    result = infer(*c.rows)
    assert result.to_text().splitlines() == [line.rstrip() for line in c.r["text"]]
    assert_allclose(result.table.estimate, values(c.r["coef"]), 1e-8)
    alone = infer(*c.of_columns(["wt", "hp"]).rows)
    assert_allclose(result.covariance_matrix[:3, :3], alone.covariance_matrix, 1e-7)
    assert np.isnan(result.covariance_matrix[3]).all()
    assert_allclose(
        result.predict(c.X, "confidence"), alone.predict(c.X[["wt", "hp"]], "confidence")
    )
    with pytest.raises(ValueError, match="with 0 for those that are not defined"):
        result.wald([0, 0, 0, 1])


def test_aliased_column_in_the_middle():
    X, y, _ = sample()
    both = np.column_stack([X[:, 0], 3.0 * X[:, 0] - 1.0, X[:, 1:]])
    for covariance in ("classic", "HC3"):
        result = infer(GLM("binomial").fit(both, y), both, y, covariance=covariance)
        alone = infer(GLM("binomial").fit(X, y), X, y, covariance=covariance)
        kept = [0, 1, 3, 4]
        assert_covariances(
            result.covariance_matrix[np.ix_(kept, kept)], alone.covariance_matrix, 1e-7
        )
        assert np.isnan(result.covariance_matrix[2]).all()
        for column in ("estimate", "std_error", "vif", "standardised"):
            got, expected = (getattr(r.table, column) for r in (result, alone))
            assert_allclose(got[kept], expected, 1e-7)
            assert np.isnan(got[2])


@pytest.mark.parametrize("name", GRID["glm"])
def test_r_families_and_links(name):
    r = GRID["glm"][name]
    data = pd.DataFrame(GRID["tables"][r["table"]])
    X, y, w, offset = data[r["columns"]], data[r["target"]], r.get("weights"), r.get("offset")
    theta = r["family"] == "negative_binomial"
    family = NegativeBinomial(2.0) if theta else r["family"]
    model = GLM(family, r["link"], fit_intercept=r["intercept"]).fit(X, y, w, offset)
    result = infer(model, X, y, sample_weight=w, offset=offset, weights="precision")
    # R estimates the dispersion of this negative binomial too.
    se = values(r["se"]) / np.sqrt(r["dispersion"] if theta else 1.0)
    assert_allclose(result.table.std_error, se, 1e-6)
    assert_allclose((result.table.estimate - values(r["coef"])) / se, 0.0, atol=2e-6)
    assert_allclose(result.deviance, r["deviance"], 1e-9)
    assert result.df_residual == r["df_residual"]
    if not theta:
        assert_allclose(result.dispersion, r["dispersion"], 1e-6)


# Against known results -----------------------------------------------------------------------


def test_gaussian_is_least_squares(case):
    c = case("ols")
    for covariance in ("classic", "HC1", "HC3"):
        likelihood = infer(GLM().fit(c.X, c.y), c.X, c.y, covariance=covariance)
        squares = infer(c.model, c.X, c.y, covariance=covariance)
        assert_covariances(likelihood.covariance_matrix, squares.covariance_matrix, 1e-7)
        assert_allclose(likelihood.table.p_value, squares.table.p_value, 1e-6)
        assert_allclose(likelihood.table.vif, squares.table.vif, 1e-10)
    for known in ("loglik", "aic", "bic", "n", "df_residual"):
        assert_allclose(getattr(likelihood, known), getattr(squares, known), 1e-12)


def test_logistic_regression_is_the_binomial_family():
    X, y, _ = sample()
    labels = np.where(y > 0.0, "yes", "no")
    logistic = infer(LogisticRegression(C=np.inf).fit(X, labels), X, labels)
    binomial = infer(GLM("binomial").fit(X, y), X, y)
    assert logistic.to_text() == binomial.to_text()
    assert_allclose(logistic.null_deviance, binomial.null_deviance, 1e-12)


def test_odds_ratio_of_a_table():
    """For one dummy the odds ratio is ad / bc, and its standard error √(1/a + 1/b + 1/c + 1/d)."""
    counts = np.array([[20.0, 30.0], [45.0, 15.0]])  # rows x, columns y
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
    model = LogisticRegression(C=np.inf).fit(X, y, counts.ravel())
    result = infer(model, X, y, sample_weight=counts.ravel())
    ratio, error = 20 * 15 / (30 * 45), np.sqrt((1.0 / counts).sum())
    expected = ratio * np.exp(np.array([0.0, -1.0, 1.0]) * 1.959963984540054 * error)
    assert_allclose(result.exp()[1], expected, 1e-7)
    assert_allclose(result.n, 110.0)


@pytest.mark.parametrize("kind", ["classic", *KINDS])
def test_weight_is_repetition(kind):
    X, y, rng = sample(120)
    w = rng.integers(0, 4, len(y))
    groups = np.arange(len(y)) // 10
    many = {"covariance": kind, "groups": np.repeat(groups, w) if kind == "cluster" else None}
    few = {"covariance": kind, "groups": groups if kind == "cluster" else None}
    Z, v = np.repeat(X, w, axis=0), np.repeat(y, w)
    weighted = infer(GLM("binomial").fit(X, y, w), X, y, sample_weight=w, **few)
    repeated = infer(GLM("binomial").fit(Z, v), Z, v, **many)
    assert_covariances(weighted.covariance_matrix, repeated.covariance_matrix, 1e-7)
    for known in ("n", "loglik", "aic", "bic", "deviance", "null_deviance", "pearson"):
        assert_allclose(getattr(weighted, known), getattr(repeated, known), 1e-7, err_msg=known)


def test_predictions_follow_the_linear_predictor():
    X, y, _ = sample()
    result = infer(GLM("binomial").fit(X, y), X, y, level=0.9)
    Z = np.column_stack([np.ones(5), X[:5]])
    eta, V = Z @ result.table.estimate, result.covariance_matrix
    half = 1.6448536269514722 * np.sqrt(np.einsum("ij,jk,ik->i", Z, V, Z))
    ends = 1.0 / (1.0 + np.exp(-np.column_stack([eta, eta - half, eta + half])))
    assert_allclose(result.predict(X[:5], "confidence"), ends, 1e-9)
    assert_allclose(result.predict(X[:5]), ends[:, 0], 1e-9)
    with pytest.raises(ValueError, match="interval is 'prediction', and None or \"confidence\""):
        result.predict(X[:5], "prediction")


def test_ends_of_intervals_are_in_order_where_the_mean_falls(likelihood_case):
    c = likelihood_case("gamma")
    model = GLM("gamma", "inverse").fit(c.X, c.y)
    value, lower, upper = infer(model, c.X, c.y).predict(c.X, "confidence").T
    assert (lower < value).all()
    assert (value < upper).all()


def test_wald_test_of_one_coefficient_is_its_z_squared(likelihood_case):
    c = likelihood_case("am")
    result = infer(*c.rows)
    test = result.wald([0, 1, 0])
    assert_allclose(test.statistic, result.table.statistic[1] ** 2, 1e-10)
    assert_allclose(test.p, result.table.p_value[1], 1e-8)
    assert test.df == (1,)
    c = likelihood_case("gamma")
    result = infer(*c.rows)
    test = result.wald([0, 1, 0])
    assert_allclose(test.p, result.table.p_value[1], 1e-8)
    assert test.df == (1, 29)


def test_sizes_and_threads():
    X, y, _ = sample(20_000)
    model = LogisticRegression(C=np.inf).fit(X, y)
    results = []
    for n in (1, 2):
        with threads(n):
            results.append(infer(model, X, y, covariance="HC3"))
    assert_array_equal(results[0].covariance_matrix, results[1].covariance_matrix)
    assert len(pickle.dumps(results[0])) < 10_000  # no rows
    assert_array_equal(pickle.loads(pickle.dumps(results[0])).predict(X), results[0].predict(X))


@pytest.mark.parametrize("kind", ["classic", "HC3"])
def test_every_kind_of_rows(as_input, kind):
    X, y, _ = sample(60)
    data = as_input(X)
    result = infer(GLM("binomial").fit(data, y), data, y, covariance=kind)
    expected = infer(GLM("binomial").fit(X, y), X, y, covariance=kind)
    rtol = 1e-3 if as_input.rtol > 1e-6 else 1e-7
    assert_covariances(result.covariance_matrix, expected.covariance_matrix, rtol)


def test_a_later_fit_changes_nothing():
    X, y, _ = sample()
    model = GLM("binomial").fit(X, y)
    result = infer(model, X, y)
    before = result.predict(X)
    model.fit(-X, y)
    assert_array_equal(result.predict(X), before)


def test_reports(likelihood_case):
    c = likelihood_case("am")
    result = infer(*c.rows, covariance="HC1")
    for text in (result.to_markdown(), result.to_html(), result.to_latex()):
        assert "Standard errors: HC1" in text
        assert "Residual deviance: 10.059" in text
    assert list(result.to_frame().index) == ["(Intercept)", "wt", "hp"]
    assert result._repr_html_() == result.to_html()


# What is refused -----------------------------------------------------------------------------


def test_refusals():
    X, y, _ = sample()
    model = LogisticRegression(C=np.inf).fit(X, y)
    for fitted, message in (
        (LogisticRegression().fit(X, y), "C=1.0 and class_weight=None, and standard errors do not"),
        (LogisticRegression(C=np.inf, class_weight="balanced").fit(X, y), "reweighted fits"),
        (GLM("binomial", alpha=0.1).fit(X, y), "has a penalty, alpha=0.1"),
        (LogisticRegression(C=np.inf).fit(-X, y), "is not the fit to these rows"),
        (GLM("binomial").fit(X, y, np.arange(400)), "is not the fit to these rows"),
    ):
        with pytest.raises(ValueError, match=message):
            infer(fitted, X, y)
    with pytest.raises(ValueError, match=r"labels other than \[0.0, 1.0\]"):
        infer(model, X, y + 1.0)
    with pytest.raises(ValueError, match="An offset is given, and LinearRegression has none"):
        infer(LinearRegression().fit(X, y), X, y, offset=y)
    with pytest.raises(TypeError, match="a Ridge is given"):
        infer(Ridge().fit(X, y), X, y)
    with pytest.raises(ValueError, match="groups are given"):
        infer(model, X, y, groups=y)


def test_only_nested_models_compare():
    X, y, _ = sample()
    whole = infer(GLM("binomial").fit(X, y), X, y)
    few = infer(GLM("binomial").fit(X[:, :2], y), X[:, :2], y)
    other = infer(GLM("binomial", "probit").fit(X[:, :2], y), X[:, :2], y)
    rows = infer(GLM("binomial").fit(X[:300, :2], y[:300]), X[:300, :2], y[:300])
    assert whole.compare(few).df == (1,)
    for smaller in (whole, other, rows):
        with pytest.raises(ValueError, match="The models are not nested"):
            whole.compare(smaller)
    with pytest.raises(ValueError, match="The models are not nested"):
        few.compare(whole)
