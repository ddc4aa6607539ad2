"""`infer` and its kin for several classes: against R, against two classes, and properties."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import fractional_matrix_power
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from linework import (
    GLM,
    LogisticRegression,
    infer,
    influence,
    likelihood_ratio_test,
    marginal_effects,
    profile_confint,
    score_test,
    threads,
)
from linework.inference.multinomial import infer_multinomial
from linework.inference.multinomial_fit import MultinomialFit

R = json.loads((Path(__file__).parents[1] / "reference" / "multinomial.json").read_text())
KINDS = ["classic", "HC0", "HC1", "HC2", "HC3", "cluster"]
TIGHT = 1e-7


def race():
    """The data of R's fit, and a model of them."""
    r = R["race"]
    data = pd.DataFrame(r["data"])
    X, y = data[r["columns"]], data["race"]
    return r, X, y, LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y)


def sample(n=200, n_classes=4, d=2, seed=0):
    """Classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 3.0 + 5.0
    utility = 0.3 * X[:, :1] * np.arange(n_classes) + rng.gumbel(size=(n, n_classes)) * 1.5
    return X, utility.argmax(axis=1)


def grouped(y, kind):
    return {"covariance": kind, "groups": np.arange(len(y)) // 7 if kind == "cluster" else None}


def correlations(result, scale):
    return result.covariance_matrix / scale / scale[:, None]


# Against R -----------------------------------------------------------------------------------


def test_r_summary():
    r, X, y, model = race()
    result = infer(model, X, y)
    assert_allclose(result.coef, r["coef"], 1e-6)
    assert_allclose(result.std_error, r["se"], 1e-7)
    scale = np.sqrt(np.diag(r["vcov"]))
    assert_allclose(
        correlations(result, scale), np.array(r["vcov"]) / scale / scale[:, None], atol=1e-7
    )
    assert_allclose(result.confint(), r["confint"], 1e-5)
    assert list(result.table.names) == r["names"]
    for known in ("deviance", "null_deviance", "loglik", "aic", "bic"):
        assert_allclose(getattr(result, known), r[known], 1e-8, err_msg=known)


def test_r_text():
    """The same layout, and the digits that R's optimiser reaches."""
    r, X, y, model = race()
    number = re.compile(r"-?\d+\.\d+")
    for line, expected in zip(infer(model, X, y).to_text().splitlines(), r["text"], strict=True):
        assert number.sub("#", line) == number.sub("#", expected).rstrip()
        assert_allclose(
            [float(x) for x in number.findall(line)],
            [float(x) for x in number.findall(expected)],
            1e-6,
        )


def test_r_other_reference():
    r, X, y, model = race()
    result = infer(model, X, y, reference=3)
    assert_allclose(result.coef, r["third"]["coef"], 1e-6)
    assert_allclose(result.std_error, r["third"]["se"], 1e-7)
    assert result.classes.tolist() == [3, 1, 2]


def test_r_likelihood_ratio():
    r, X, y, model = race()
    few, expected = X[r["compare"]["columns"]], r["compare"]
    smaller = infer(LogisticRegression(C=np.inf, tol=TIGHT).fit(few, y), few, y)
    by_hand = infer(model, X, y).compare(smaller)
    held = likelihood_ratio_test(model, X, y, ["smoke", "ht"])
    for test in (by_hand, held):
        assert_allclose(test.statistic, expected["statistic"], 1e-9)
        assert_allclose(test.p, expected["p"], 1e-8)
        assert test.df == (expected["df"],)


# Against two classes -------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weights", ["frequency", "precision"])
@pytest.mark.parametrize("kind", KINDS)
def test_of_two_classes_it_is_logistic_regression(kind, weights, fit_intercept):
    X, y = sample(n_classes=2)
    w = np.arange(len(y)) % 4 / 2.0
    options = grouped(y, kind) | {"sample_weight": w, "weights": weights}
    model = LogisticRegression(C=np.inf, tol=TIGHT, fit_intercept=fit_intercept).fit(X, y, w)
    expected = infer(model, X, y, **options)
    fit = MultinomialFit.of(model, X, y, w, weights, options["groups"])
    result = infer_multinomial(fit, kind, weights, 0.95)
    scale = expected.table.std_error
    assert_allclose(correlations(result, scale), correlations(expected, scale), atol=1e-7)
    assert_allclose(result.table.estimate, expected.table.estimate, 1e-8)
    for known in ("n", "df_residual", "df_null", "deviance", "null_deviance", "pearson", "bic"):
        assert_allclose(getattr(result, known), getattr(expected, known), 1e-8, err_msg=known)
    both = result.predict(X, "confidence")
    assert_allclose(both[:, 1], expected.predict(X, "confidence"), 1e-7)


# Against brute force -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3", "cluster"])
def test_sandwiches_by_their_formulas(kind):
    X, y = sample(60, 3)
    model = LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y)
    Z, P = np.column_stack([np.ones(60), X]), model.predict_proba(X)
    blocks = [np.kron(np.eye(2), z) for z in Z]
    curves = [np.diag(p[1:]) - np.outer(p[1:], p[1:]) for p in P]
    bread = np.linalg.inv(sum(b.T @ A @ b for b, A in zip(blocks, curves, strict=True)))
    power = {"HC2": -0.5, "HC3": -1.0}.get(kind, 0.0)
    scores = []
    for b, A, p, g in zip(blocks, curves, P, y, strict=True):
        rest = np.eye(2) - A @ b @ bread @ b.T
        r = (g == np.arange(3))[1:] - p[1:]
        scores.append(b.T @ np.real(fractional_matrix_power(rest, power)) @ r)
    options, factor = grouped(y, kind), 1.0
    if kind == "cluster":
        scores = pd.DataFrame(scores).groupby(options["groups"]).sum().to_numpy()
        G = len(scores)
        factor = G / (G - 1) * 59 / 54
    elif kind == "HC1":
        factor = 60 / 54
    S = np.array(scores)
    result = infer(model, X, y, **options)
    assert_allclose(result.covariance_matrix, factor * bread @ S.T @ S @ bread, 1e-7, 1e-10)


def test_profile_ends_by_another_optimiser():
    r, X, y, model = race()
    numbers, Z = y.to_numpy() - 1, np.column_stack([np.ones(len(y)), X])
    unit = np.abs(Z).mean(axis=0)

    def deviance_at(place, b):
        free = np.delete(np.arange(10), place)
        hit = numbers[:, None] == np.arange(3)

        def deviance(phi):
            B = np.empty(10)
            B[free], B[place] = phi / np.tile(unit, 2)[free], b
            eta = np.column_stack([np.zeros(len(Z)), Z @ B.reshape(2, 5).T])
            slope = (softmax(eta, axis=1) - hit)[:, 1:].T @ Z
            gradient = 2.0 * slope.ravel()[free] / np.tile(unit, 2)[free]
            return -2.0 * log_softmax(eta, axis=1)[hit].sum(), gradient

        start = np.ravel(r["coef"])[free] * np.tile(unit, 2)[free]
        return minimize(deviance, start, jac=True, options={"gtol": 1e-9, "maxiter": 5000}).fun

    which = ["2:(Intercept)", "3:smoke"]
    ends = profile_confint(model, X, y, which=which)
    for name, pair in zip(which, ends, strict=True):
        rise = [deviance_at(r["names"].index(name), b) - r["deviance"] for b in pair]
        assert_allclose(rise, 1.959963984540054**2, 1e-6)


def test_intervals_of_probabilities_by_differences():
    """The delta method for the log odds of a class against all others."""
    X, y = sample(150, 3)
    result = infer(LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y), X, y, reference=1)
    row, theta = np.append(1.0, X[0]), result.table.estimate

    def log_odds(theta):
        p = softmax(np.insert(theta.reshape(2, 3) @ row, 1, 0.0))
        return np.log(p / (1.0 - p))

    steps = 1e-5 * np.eye(6)
    J = np.array([(log_odds(theta + h) - log_odds(theta - h)) / 2e-5 for h in steps]).T
    half = 1.959963984540054 * np.sqrt(np.diag(J @ result.covariance_matrix @ J.T))
    middle = log_odds(theta)
    expected = 1.0 / (1.0 + np.exp(-np.column_stack([middle, middle - half, middle + half])))
    assert_allclose(result.predict(X[:1], "confidence")[0], expected, 1e-6)
    assert_allclose(result.predict(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["classic", "HC3", "cluster"])
def test_marginal_effects_by_differences(kind, fit_intercept):
    """The mean change of every probability as a function of the coefficients."""
    X, y = sample(200, 3)
    X = np.column_stack([X, np.arange(200) % 3 == 0])
    w = np.arange(200) % 4
    options = grouped(y, kind) | {"sample_weight": w}
    model = LogisticRegression(C=np.inf, tol=TIGHT, fit_intercept=fit_intercept).fit(X, y, w)
    table = marginal_effects(model, X, y, dummies=["x2"], **options)
    result = infer(model, X, y, **options)

    def chances(theta, Z):
        Z = np.column_stack([np.ones(200), Z]) if fit_intercept else Z
        return softmax(np.column_stack([np.zeros(200), Z @ theta.reshape(2, -1).T]), axis=1)

    def effects(theta):
        parts = []
        for j, width in ((0, 1e-4), (1, 1e-4), (2, 0.5)):
            up, down = X.copy(), X.copy()
            up[:, j] += width
            down[:, j] -= width
            if j == 2:
                up[:, j], down[:, j] = 1.0, 0.0
            change = chances(theta, up) - chances(theta, down)
            parts.append(np.average(change, axis=0, weights=w) / (2.0 * width))
        return np.array(parts).T.ravel()

    theta = result.table.estimate
    assert_allclose(table.estimate, effects(theta), 1e-6, 1e-9)
    steps = 1e-3 * np.diag(result.table.std_error)
    J = np.array([(effects(theta + h) - effects(theta - h)) / (2.0 * h.max()) for h in steps]).T
    errors = np.sqrt(np.diag(J @ result.covariance_matrix @ J.T))
    assert_allclose(table.std_error, errors, 1e-4)
    assert table.names[:4] == ("0:x0", "0:x1", "0:x2", "1:x0")
    assert_allclose(table.estimate.reshape(3, 3).sum(axis=0), 0.0, atol=1e-12)


# What holds whatever the data ----------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_references_agree(kind):
    """Log odds against another class are differences, and so are tests of columns the same."""
    X, y = sample()
    model = LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y)
    first, third = (infer(model, X, y, reference=k, **grouped(y, kind)) for k in (None, 2))
    L = np.kron([[0, -1, 0], [1, -1, 0], [0, -1, 1]], np.eye(3))
    assert_allclose(L @ first.table.estimate, third.table.estimate, 1e-7, 1e-9)
    scale = third.table.std_error
    moved = L @ first.covariance_matrix @ L.T / scale / scale[:, None]
    assert_allclose(moved, correlations(third, scale), atol=1e-7)
    assert_allclose(first.wald_columns(0).statistic, third.wald_columns(0).statistic, 1e-7)
    assert first.wald_columns(["x0", "x1"]).df == (6,)


@pytest.mark.parametrize("kind", KINDS)
def test_weight_is_repetition(kind):
    X, y = sample(120)
    w = np.arange(120) % 4
    few = grouped(y, kind)
    many = dict(few)
    if kind == "cluster":
        many["groups"] = np.repeat(few["groups"], w)
    Z, v = np.repeat(X, w, axis=0), np.repeat(y, w)
    weighted = infer(
        LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y, w), X, y, sample_weight=w, **few
    )
    repeated = infer(LogisticRegression(C=np.inf, tol=TIGHT).fit(Z, v), Z, v, **many)
    assert_allclose(weighted.table.std_error, repeated.table.std_error, 1e-7)
    for known in ("n", "loglik", "aic", "bic", "deviance", "null_deviance", "pearson"):
        assert_allclose(getattr(weighted, known), getattr(repeated, known), 1e-8, err_msg=known)


def test_clusters_of_one_row_are_hc1():
    X, y = sample()
    model = LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y)
    n, k = len(y), 9
    one = infer(model, X, y, covariance="cluster", groups=np.arange(n))
    hc1 = infer(model, X, y, covariance="HC1")
    assert_allclose(one.covariance_matrix, hc1.covariance_matrix, 1e-10)
    hc0 = infer(model, X, y, covariance="HC0")
    assert_allclose(hc1.covariance_matrix, hc0.covariance_matrix * n / (n - k), 1e-10)


@pytest.mark.parametrize("kind", ["classic", "HC3"])
def test_aliased_columns(kind):
    X, y = sample()
    both = np.column_stack([X[:, 0], 3.0 * X[:, 0] - 1.0, X[:, 1]])
    result = infer(LogisticRegression(C=np.inf, tol=TIGHT).fit(both, y), both, y, covariance=kind)
    alone = infer(LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y), X, y, covariance=kind)
    kept = np.flatnonzero(~np.isnan(result.table.estimate))
    assert kept.tolist() == [0, 1, 3, 4, 5, 7, 8, 9, 11]
    assert_allclose(result.table.estimate[kept], alone.table.estimate, 1e-7)
    assert_allclose(result.table.std_error[kept], alone.table.std_error, 1e-7)
    assert_allclose(result.predict(both, "confidence"), alone.predict(X, "confidence"), 1e-7)
    assert "(3 not defined because of singularities)" in result.to_text()
    assert result.to_text().count(" NA") == 9


def test_collinear_columns_keep_their_digits():
    X, y = sample(seed=3)
    close = np.column_stack([X[:, 0], X[:, 0] + 1e-6 * X[:, 1]])
    turned = infer(LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y), X, y)
    result = infer(LogisticRegression(C=np.inf, tol=1e-5).fit(close, y), close, y)
    # b0 x0 + b1 x1 is the same function: β of the close columns are [b0 − 1e6 b1, 1e6 b1].
    assert_allclose(result.std_error[:, 2], 1e6 * turned.std_error[:, 2], 1e-5)
    assert_allclose(result.deviance, turned.deviance, 1e-9)


def test_score_test_is_near_the_likelihood_ratio():
    X, y = sample(5000, 3)
    added = np.random.default_rng(1).normal(size=(5000, 2))
    model = LogisticRegression(C=np.inf, tol=TIGHT).fit(X, y)
    both = np.column_stack([X, added, X[:, 0] - X[:, 1]])  # the last brings nothing
    test = score_test(model, X, y, both[:, 2:])
    wide = LogisticRegression(C=np.inf, tol=TIGHT).fit(both[:, :4], y)
    ratio = likelihood_ratio_test(wide, both[:, :4], y, ["x2", "x3"])
    assert test.df == ratio.df == (4,)
    assert_allclose(test.statistic, ratio.statistic, 0.02)


def test_score_test_of_two_groups_is_pearsons():
    """Of an intercept alone against a dummy, Rao's statistic is Pearson's of the table."""
    counts = np.array([[20.0, 30.0, 10.0], [45.0, 15.0, 12.0]])
    x, y = (part.ravel() for part in np.indices(counts.shape))
    ones = np.ones((6, 1))
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=TIGHT)
    model.fit(ones, y, counts.ravel())
    test = score_test(model, ones, y, x[:, None], sample_weight=counts.ravel())
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    assert_allclose(test.statistic, ((counts - expected) ** 2 / expected).sum(), 1e-8)
    assert test.df == (2,)


@pytest.mark.parametrize("kind", ["classic", "HC3"])
def test_every_kind_of_rows(as_input, kind):
    X, y = sample(60, 3)
    data = as_input(X)
    result = infer(LogisticRegression(C=np.inf).fit(data, y), data, y, covariance=kind)
    expected = infer(LogisticRegression(C=np.inf).fit(X, y), X, y, covariance=kind)
    rtol = 1e-3 if as_input.rtol > 1e-6 else 1e-6
    assert_allclose(result.table.std_error, expected.table.std_error, rtol)


def test_threads_and_pickling():
    X, y = sample(20_000)
    model = LogisticRegression(C=np.inf).fit(X, y)
    results = []
    for n in (1, 2):
        with threads(n):
            results.append(infer(model, X, y, covariance="HC3"))
    assert_array_equal(results[0].covariance_matrix, results[1].covariance_matrix)
    again = pickle.loads(pickle.dumps(results[0]))
    assert len(pickle.dumps(results[0])) < 10_000  # no rows
    assert_array_equal(again.predict(X[:9]), results[0].predict(X[:9]))
    before = results[0].predict(X[:9])
    model.fit(-X, y)  # a later fit changes nothing
    assert_array_equal(results[0].predict(X[:9]), before)


def test_reports_and_odds_ratios():
    r, X, y, model = race()
    result = infer(model, X, y, covariance="HC1")
    for text in (result.to_markdown(), result.to_html(), result.to_latex()):
        assert "Standard errors: HC1" in text
        assert "Residual Deviance: 319.1615" in text
        assert "2:smoke" in text
    assert list(result.to_frame().index) == r["names"]
    assert_allclose(result.exp()[:, 0], np.exp(np.ravel(r["coef"])), 1e-6)


# What is refused -----------------------------------------------------------------------------


def test_refusals():
    X, y = sample()
    model = LogisticRegression(C=np.inf).fit(X, y)
    for fitted, message in (
        (LogisticRegression().fit(X, y), "C=1.0 and class_weight=None, and standard errors do not"),
        (LogisticRegression(C=np.inf, class_weight="balanced").fit(X, y), "reweighted fits"),
        (LogisticRegression(C=np.inf).fit(-X, y), "is not the fit to these rows"),
    ):
        with pytest.raises(ValueError, match=message):
            infer(fitted, X, y)
    with pytest.raises(ValueError, match=r"labels other than \[0, 1, 2, 3\]"):
        infer(model, X, y + 1)
    with pytest.raises(ValueError, match="199"):
        infer(model, X, y[:199])
    with pytest.raises(ValueError, match="reference is 'a', and one of the classes"):
        infer(model, X, y, reference="a")
    with pytest.raises(ValueError, match="An offset is given, and LogisticRegression has none"):
        infer(model, X, y, offset=X[:, 0])
    with pytest.raises(ValueError, match="An offset is given, and LogisticRegression has none"):
        infer(model, X, y).predict(X, offset=X[:, 0])
    with pytest.raises(ValueError, match="A reference, 1, is given"):
        infer(GLM("binomial").fit(X, y > 1), X, y > 1, reference=1)
    with pytest.raises(ValueError, match="is none of 1:"):
        profile_confint(model, X, y, which=["x9"])
    with pytest.raises(ValueError, match=r"is none of \(Intercept\), x0, x1"):
        infer(model, X, y).wald_columns("x9")
    with pytest.raises(ValueError, match="tells 4 classes apart, and this is for two"):
        influence(model, X, y)
    with pytest.raises(ValueError, match=r"Column 'x1' holds .*, and a dummy holds zeros and ones"):
        marginal_effects(model, X, y, dummies=["x1"])


def test_only_nested_models_compare():
    X, y = sample()
    whole = infer(LogisticRegression(C=np.inf).fit(X, y), X, y)
    two = infer(LogisticRegression(C=np.inf).fit(X[:, :1], y > 1), X[:, :1], y > 1)
    for smaller in (whole, two):
        with pytest.raises(ValueError, match="The models are not nested"):
            whole.compare(smaller)
