"""Leverage, standardised residuals and Cook's distance against R and by leaving rows out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linework import (
    GLM,
    LinearRegression,
    LogisticRegression,
    LogLinearRegression,
    Ridge,
    infer,
    influence,
    threads,
)

NAMES = ("leverage", "standardised", "cooks_distance")
CASES = ["am", "wool", "insurance", "gamma", "inverse_gaussian", "shares", "precision"]


@pytest.mark.parametrize("name", CASES)
def test_r_likelihood_models(likelihood_case, name):
    c = likelihood_case(name)
    rows = influence(*c.rows, **c.options)
    for what in NAMES:
        expected = np.array(c.r["influence"][what])
        assert_allclose(getattr(rows, what), expected, 1e-6, atol=1e-9, err_msg=what)


@pytest.mark.parametrize("name", ["ols", "collinear"])
def test_r_least_squares(case, name):
    c = case(name)
    rows = influence(c.model, c.X, c.y)
    assert_allclose(rows.leverage, c.r["hat"], 1e-10)
    assert_allclose(rows.cooks_distance, c.r["cooks_distance"], 1e-8)


def test_r_weights(reference, case):
    w = np.array(reference["weighted_with_zeros"]["weights"], float)
    c = case("weighted_with_zeros", w)
    rows = influence(c.model, c.X, c.y, sample_weight=w, weights="precision")
    kept = w > 0.0
    assert_allclose(rows.leverage[kept], c.r["precision"]["hat"], 1e-10)
    for what in NAMES:
        assert_array_equal(getattr(rows, what)[~kept], 0.0)


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal([0.0, 30.0, -2.0], size=(n, 3))
    return X, X @ [1.0, -0.5, 0.2] + rng.normal(size=n), rng


def test_cooks_distance_is_that_of_leaving_the_row_out():
    """Σ (ŷ − ŷ without the row)² / (k σ²)."""
    X, y, _ = sample()
    model = LinearRegression().fit(X, y)
    rows, sigma = influence(model, X, y), infer(model, X, y).sigma
    for i in range(0, 60, 7):
        rest = np.arange(60) != i
        without = LinearRegression().fit(X[rest], y[rest])
        moved = np.square(model.predict(X) - without.predict(X)).sum()
        assert_allclose(rows.cooks_distance[i], moved / (4 * sigma**2), 1e-9)


def test_gaussian_is_least_squares():
    X, y, rng = sample()
    w = rng.integers(0, 3, len(y)).astype(float)
    for weights in ("frequency", "precision"):
        options = {"sample_weight": w, "weights": weights}
        squares = influence(LinearRegression().fit(X, y, w), X, y, **options)
        likelihood = influence(GLM().fit(X, y, w), X, y, **options)
        for what in NAMES:
            assert_allclose(getattr(likelihood, what), getattr(squares, what), 1e-6, atol=1e-9)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_weight_is_repetition(family):
    X, y, rng = sample()
    y = y if family == "gaussian" else (y > np.median(y)).astype(float)
    kind = LinearRegression if family == "gaussian" else lambda: LogisticRegression(C=np.inf)
    w = rng.integers(0, 4, len(y))
    Z, v = np.repeat(X, w, axis=0), np.repeat(y, w)
    weighted = influence(kind().fit(X, y, w), X, y, sample_weight=w)
    repeated = influence(kind().fit(Z, v), Z, v)
    for what in NAMES:
        expected = getattr(repeated, what)
        assert_allclose(np.repeat(getattr(weighted, what), w), expected, 1e-6, atol=1e-9)


def test_leverages_add_up_to_the_number_of_coefficients():
    X, y, rng = sample()
    assert_allclose(influence(LinearRegression().fit(X, y), X, y).leverage.sum(), 4.0)
    w = rng.random(len(y)) + 0.5
    both = np.column_stack([X, X[:, 0] - X[:, 1]])  # no further coefficient
    model = GLM("gamma", "log").fit(both, np.exp(y / 20), w)
    rows = influence(model, both, np.exp(y / 20), sample_weight=w, weights="precision")
    assert_allclose(rows.leverage.sum(), 4.0)


def test_log_linear_regression_is_about_ln_y():
    X, y, _ = sample()
    logs = influence(LinearRegression().fit(X, y), X, y)
    rows = influence(LogLinearRegression().fit(X, np.exp(y)), X, np.exp(y))
    for what in NAMES:
        assert_allclose(getattr(rows, what), getattr(logs, what), 1e-9, atol=1e-12)


def test_leverage_one():
    X, y, _ = sample()
    X[:, 2] = 0.0
    X[17, 2] = 1.0
    for model in (LinearRegression(), GLM("gamma", "log")):
        target = y if isinstance(model, LinearRegression) else np.exp(y / 20)
        rows = influence(model.fit(X, target), X, target)
        assert_allclose(rows.leverage[17], 1.0, 1e-10)
        assert np.isnan(rows.standardised[17])
        assert np.isnan(rows.cooks_distance[17])
        assert np.isfinite(np.delete(rows.cooks_distance, 17)).all()


def test_every_kind_of_rows(as_input):
    X, y, _ = sample()
    data = as_input(X)
    for model in (LinearRegression(), GLM("gamma", "log")):
        target = y if isinstance(model, LinearRegression) else np.exp(y / 20)
        rows = influence(model.fit(data, target), data, target)
        expected = influence(model.fit(X, target), X, target)
        for what in NAMES:
            rtol = 1e-3 if as_input.rtol > 1e-6 else 1e-6
            assert_allclose(getattr(rows, what), getattr(expected, what), rtol, atol=0.1 * rtol)


def test_threads():
    X, y, _ = sample(30_000)
    model = LinearRegression().fit(X, y)
    with threads(1):
        one = influence(model, X, y)
    with threads(2):
        two = influence(model, X, y)
    assert_array_equal(one.cooks_distance, two.cooks_distance)


def test_refusals():
    X, y, _ = sample()
    model = LinearRegression().fit(X, y)
    Y = np.column_stack([y, y])
    both = LinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match="The model has 2 targets, and influence takes one"):
        influence(both, X, Y)
    with pytest.raises(ValueError, match="An offset is given, and LinearRegression has none"):
        influence(model, X, y, offset=y)
    with pytest.raises(TypeError, match="a Ridge is given"):
        influence(Ridge().fit(X, y), X, y)
    with pytest.raises(ValueError, match="is not the least-squares fit to these rows"):
        influence(model, X, -y)
