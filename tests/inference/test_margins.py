"""Average marginal effects against their definition and other programs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linework import GLM, LogisticRegression, infer, marginal_effects, threads
from linework.inference.tails import central_quantile


def sample(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n) + 3.0, rng.integers(0, 2, n), rng.normal(size=n) / 50])
    eta = 0.5 * X[:, 0] - 0.7 * X[:, 1] + 10 * X[:, 2] - 1.0
    return X, eta, rng


def target(family, eta, rng):
    match family:
        case "binomial":
            return (rng.random(len(eta)) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
        case "poisson":
            return rng.poisson(np.exp(eta)).astype(float)
        case _:
            return rng.gamma(3.0, np.exp(eta) / 3.0) + 0.05


@pytest.mark.parametrize("covariance", ["classic", "HC3", "cluster"])
@pytest.mark.parametrize(
    ("family", "link"),
    [
        *(("binomial", link) for link in ("logit", "probit", "cloglog", "cauchit")),
        ("poisson", "log"),
        ("poisson", "sqrt"),
        ("gamma", "log"),
        ("gamma", "inverse"),
    ],
)
def test_definition(family, link, covariance):
    """The mean change of μ as a function of the coefficients, and its numerical derivatives."""
    X, eta, rng = sample()
    y, w = target(family, eta, rng), rng.integers(0, 4, len(eta))
    options = {"sample_weight": w, "covariance": covariance}
    if covariance == "cluster":
        options["groups"] = np.arange(len(y)) // 10
    model = GLM(family, link).fit(X, y, w)
    table = marginal_effects(model, X, y, dummies=[1], **options)
    result = infer(model, X, y, **options)
    mean, slope = model._loss().link.mean, model._loss().link.slope

    def effects(b):
        Z, on, off = (np.column_stack([np.ones(len(X)), X]) for _ in range(3))
        on[:, 2], off[:, 2] = 1.0, 0.0
        change = np.average(mean(on @ b) - mean(off @ b), weights=w)
        rate = np.average(slope(Z @ b), weights=w)
        return np.array([b[1] * rate, change, b[3] * rate])

    b = result.table.estimate
    assert_allclose(table.estimate, effects(b), 1e-9)
    steps = 1e-4 * np.diag(np.maximum(result.table.std_error, 1e-3))
    near, far = (np.array([effects(b + m * h) - effects(b - m * h) for h in steps]) for m in (1, 2))
    G = ((8.0 * near - far) / (12.0 * np.diag(steps)[:, None])).T
    expected = np.sqrt(np.diag(G @ result.covariance_matrix @ G.T))
    assert_allclose(table.std_error, expected, 1e-6)
    half = central_quantile(0.95, result.table.df) * table.std_error
    assert_allclose(table.interval(0.95)[:, 1], table.estimate + half, 1e-12)
    assert table.letter == ("t" if family == "gamma" else "z")


@pytest.mark.parametrize(
    ("name", "link", "effects", "errors"),
    [
        (
            "am",
            "logit",
            [-0.3595962030601489, 0.001612842793055334],
            [0.05714646534051427, 0.0005723144207071992],
        ),
        (
            "wool",
            "log",
            [-5.7777777777777715, -8.651399491094152, -13.373621713316378],
            [1.4439695325642912, 1.5606803961611475, 1.5324081503603844],
        ),
    ],
)
def test_statsmodels(likelihood_case, name, link, effects, errors):
    """What get_margeff of statsmodels 0.15.0 gives, the columns of wool being dummies."""
    c = likelihood_case(name)
    model = GLM(c.model.family, link).fit(c.X, c.y)
    table = marginal_effects(model, c.X, c.y, dummies=c.X if name == "wool" else ())
    assert_allclose(table.estimate, effects, 1e-7)
    assert_allclose(table.std_error, errors, 1e-7)


def test_names_and_tables(likelihood_case):
    c = likelihood_case("wool")
    named = marginal_effects(*c.rows, dummies=["wool_b", "tension_m", "tension_h"])
    numbered = marginal_effects(*c.rows, dummies=range(3), level=0.9)
    assert named.names == ("wool_b", "tension_m", "tension_h")
    assert_array_equal(named.estimate, numbered.estimate)
    assert repr(named) == repr(numbered)
    assert list(named.to_frame().columns) == ["estimate", "std_error", "z", "p", "lower", "upper"]
    assert "5 %" in named._repr_html_() or "2.5 %" in named._repr_html_()


def test_step_of_the_only_dummy_of_a_table():
    """For one dummy the effect is a difference of two shares, with their binomial variances."""
    X, y = np.repeat([[0.0], [1.0]], [50, 60], axis=0), np.zeros(110, int)
    y[:30], y[50:65] = 1, 1
    model = LogisticRegression(C=np.inf).fit(X, y)
    table = marginal_effects(model, X, y, dummies=[0])
    first, second = 30 / 50, 15 / 60
    error = np.sqrt(first * (1 - first) / 50 + second * (1 - second) / 60)
    assert_allclose(table.estimate, second - first, 1e-7)
    assert_allclose(table.std_error, error, 1e-7)


def test_offsets_and_identity_link():
    X, eta, rng = sample()
    y = target("gamma", eta, rng)
    model = GLM().fit(X, y, offset=eta)
    table = marginal_effects(model, X, y, offset=eta, dummies=[1])
    result = infer(model, X, y, offset=eta).table
    assert_allclose(table.estimate, result.estimate[1:], 1e-12)
    assert_allclose(table.std_error, result.std_error[1:], 1e-10)
    y = target("poisson", eta, rng)
    model = GLM("poisson").fit(X, y, offset=0.3 * eta)
    table = marginal_effects(model, X, y, offset=0.3 * eta)
    mean = model.predict(X, offset=0.3 * eta).mean()
    assert_allclose(table.estimate, model.coef_ * mean, 1e-10)


def test_aliased_columns():
    X, eta, rng = sample()
    y = target("binomial", eta, rng)
    both = np.column_stack([X[:, 0], 2.0 * X[:, 0] + 1.0, X[:, 1:]])
    model = GLM("binomial").fit(both, y)
    table = marginal_effects(model, both, y, dummies=[2])
    assert np.isnan(table.estimate[1])
    assert np.isnan(table.std_error[1])
    alone = marginal_effects(GLM("binomial").fit(X, y), X, y, dummies=[1])
    assert_allclose(np.delete(table.estimate, 1), alone.estimate, 1e-7)
    assert_allclose(np.delete(table.std_error, 1), alone.std_error, 1e-7)


def test_every_kind_of_rows(as_input):
    X, eta, rng = sample(80)
    y = target("binomial", eta, rng)
    data = as_input(X)
    table = marginal_effects(GLM("binomial").fit(data, y), data, y, dummies=[1])
    expected = marginal_effects(GLM("binomial").fit(X, y), X, y, dummies=[1])
    rtol = 1e-3 if as_input.rtol > 1e-6 else 1e-7
    assert_allclose(table.estimate, expected.estimate, rtol)
    assert_allclose(table.std_error, expected.std_error, rtol)


def test_threads():
    X, eta, rng = sample(30_000)
    y = target("binomial", eta, rng)
    model = GLM("binomial").fit(X, y)
    with threads(1):
        one = marginal_effects(model, X, y, dummies=[1])
    with threads(2):
        two = marginal_effects(model, X, y, dummies=[1])
    assert_array_equal(one.std_error, two.std_error)


def test_refusals():
    X, eta, rng = sample()
    y = target("binomial", eta, rng)
    model = GLM("binomial").fit(X, y)
    with pytest.raises(ValueError, match=r"Column 'x0' holds .*, and a dummy holds zeros and ones"):
        marginal_effects(model, X, y, dummies=[0])
    with pytest.raises(ValueError, match="'x9' is none of x0, x1, x2"):
        marginal_effects(model, X, y, dummies=["x9"])
    with pytest.raises(ValueError, match="is not the fit to these rows"):
        marginal_effects(model, -X, y)
    with pytest.raises(TypeError, match="A fitted GLM or LogisticRegression is expected"):
        marginal_effects(None, X, y)
