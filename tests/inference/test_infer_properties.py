"""What must hold of `infer`, whatever the data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import linework
from linework import LinearRegression, infer


def sample(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1.0, 10.0, 0.1][:d] + [5.0, 0.0, -1.0][:d]
    return X, X @ [1.0, -0.2, 3.0][:d] + rng.normal(size=n)


@pytest.fixture
def same(numbers):
    """``same(a, b)``: whether two results say the same."""

    def check(a, b, rtol=1e-10, atol=1e-13):
        for name, number in numbers(a).items():
            assert_allclose(number, numbers(b)[name], rtol, atol, err_msg=name)

    return check


def test_weight_is_repetition(same):
    X, y = sample()
    w = np.arange(60) % 4
    weighted = infer(LinearRegression().fit(X, y, w), X, y, sample_weight=w)
    X, y = np.repeat(X, w, axis=0), np.repeat(y, w)
    same(weighted, infer(LinearRegression().fit(X, y), X, y))
    assert weighted.n == w.sum()


@pytest.mark.parametrize("weights", ["frequency", "precision"])
def test_weight_zero_is_removal(same, weights):
    X, y = sample()
    w = np.arange(60) % 3 * 0.7
    X[w == 0.0], y[w == 0.0] = 1e6, -1e6
    options = {"weights": weights, "covariance": "HC3"}
    all_rows = infer(LinearRegression().fit(X, y, w), X, y, sample_weight=w, **options)
    X, y, w = X[w > 0.0], y[w > 0.0], w[w > 0.0]
    same(all_rows, infer(LinearRegression().fit(X, y, w), X, y, sample_weight=w, **options))


def test_scale_and_origin_of_columns_change_no_test():
    X, y = sample()
    plain = infer(LinearRegression().fit(X, y), X, y)
    scale, shift = np.array([1e6, 1e-6, 3.0]), np.array([1e9, 0.0, -1e3])
    Z = X * scale + shift
    moved = infer(LinearRegression().fit(Z, y), Z, y)
    for got, expected in (
        (moved.table.statistic, plain.table.statistic),
        (moved.table.vif, plain.table.vif),
        (moved.table.standardised, plain.table.standardised),
    ):
        assert_allclose(got[1:], expected[1:], 1e-8)
    assert_allclose(moved.f, plain.f, 1e-8)
    assert_allclose(moved.table.std_error[1:] * scale, plain.table.std_error[1:], 1e-8)


def test_residuals_of_precise_rows_count_more():
    X, y = sample()
    w = np.linspace(0.1, 3.0, 60)
    model = LinearRegression().fit(X, y, w)
    result = infer(model, X, y, sample_weight=w, weights="precision")
    weighted = np.sqrt(w) * (y - model.predict(X))
    assert_allclose(result.residual_quantiles, np.quantile(weighted, np.linspace(0, 1, 5)), 1e-11)


def test_standardised_coefficients():
    X, y = sample()
    Z, v = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    importance = infer(LinearRegression().fit(X, y), X, y).table.standardised
    assert np.isnan(importance[0])
    assert_allclose(importance[1:], LinearRegression().fit(Z, v).coef_, 1e-12)


@pytest.mark.parametrize("n", [60, 3000])
@pytest.mark.parametrize("covariance", ["classic", "HC3", "cluster"])
def test_every_kind_of_input(as_input, same, n, covariance):
    X, y = sample(n)
    options = {"covariance": covariance}
    if covariance == "cluster":
        options["groups"] = np.arange(n) % 7
    plain = infer(LinearRegression().fit(X, y), X, y, **options)
    Z = as_input(X)
    result = infer(LinearRegression().fit(Z, y), Z, y, **options)
    same(plain, result, 20 * as_input.rtol, 20 * as_input.rtol)
    assert_allclose(result.se_mean(Z), plain.se_mean(X), 20 * as_input.rtol)
    assert result.table.names == ("(Intercept)", "x0", "x1", "x2")


@pytest.mark.parametrize("covariance", ["classic", "HC0", "HC2", "cluster"])
def test_threads_change_no_bit(numbers, covariance):
    X, y = sample(200_000, 2)
    options = {"covariance": covariance}
    if covariance == "cluster":
        options["groups"] = np.arange(len(y)) % 501
    model = LinearRegression().fit(X, y)
    with linework.threads(1):
        one = infer(model, X, y, **options)
    with linework.threads(4):
        four = infer(model, X, y, **options)
    for name, number in numbers(one).items():
        assert_array_equal(number, numbers(four)[name], name)
    assert_array_equal(one.se_mean(X), four.se_mean(X))


def test_roads_agree(same):
    """Few rows take the triangular factor, many the moments; these rows are the same."""
    X, y = sample(1000)
    X, y = np.tile(X, (5, 1)), np.tile(y, 5)
    many = infer(LinearRegression().fit(X, y), X, y)
    few = infer(
        LinearRegression().fit(X[:1000], y[:1000], 5.0), X[:1000], y[:1000], sample_weight=5.0
    )
    same(many, few)


def test_model_from_statistics(same):
    X, y = sample(2000)
    model = LinearRegression().partial_fit(X[:900], y[:900]).partial_fit(X[900:], y[900:])
    same(infer(model, X, y), infer(LinearRegression().fit(X, y), X, y))


def test_model_after_rows_were_taken_out():
    """Taking rows out leaves six digits, and that is the least-squares fit to the rest."""
    X, y = sample(2000)
    X[:10] *= 1e3
    model = LinearRegression().partial_fit(X, y).forget(X[:10], y[:10])
    X, y = X[10:], y[10:]
    assert_allclose(
        infer(model, X, y).table.std_error,
        infer(LinearRegression().fit(X, y), X, y).table.std_error,
        1e-6,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_y_that_hardly_varies(dtype):
    X = sample()[0].astype(dtype)
    y = 1e3 + 1e-9 * np.sin(np.arange(60.0))
    result = infer(LinearRegression().fit(X, y), X, y)
    assert_allclose(result.table.estimate[0], 1e3, 1e-6)
    assert_allclose(result.table.estimate[1:], 0.0, atol=1e-3)


def test_later_fit_changes_no_result(case):
    c = case("ols")
    result = infer(c.model, c.X, c.y)
    before, text = result.predict(c.X, "confidence"), result.to_text()
    c.model.fit(np.ones((3, 1)), [1.0, 2.0, 3.0])
    assert_array_equal(result.predict(c.X, "confidence"), before)
    assert result.to_text() == text


# No degrees of freedom -----------------------------------------------------------------------


@pytest.mark.parametrize("covariance", ["classic", "HC3"])
def test_no_degrees_of_freedom(covariance):
    X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 4.0]], [1.0, 2.0, 4.0]
    result = infer(LinearRegression().fit(X, y), X, y, covariance=covariance)
    assert_allclose(result.table.estimate, [1.0, 0.5, 0.5])
    assert np.isnan(result.table.std_error).all()
    assert np.isnan(result.predict(X, "confidence")[:, 1:]).all()
    assert result.df_residual == 0
    assert "ALL 3 residuals are 0: no residual degrees of freedom!" in str(result)


def test_more_columns_than_rows():
    X, y = sample()
    X = np.column_stack([X, np.random.default_rng(1).normal(size=(60, 80))])
    result = infer(LinearRegression().fit(X, y), X, y)
    assert np.isnan(result.table.estimate).sum() == 81 - 57
    assert_allclose(result.predict(X), y, 1e-9)
    assert np.isnan(result.table.std_error).all()


def test_no_column_varies():
    X, y = np.ones((8, 1)), np.array([1.0, 2.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0])
    result = infer(LinearRegression().fit(X, y), X, y)
    assert_allclose(result.table.estimate, [4.5, np.nan])
    assert_allclose(result.table.std_error[0], y.std(ddof=1) / np.sqrt(8.0))
    assert result.r2 == 0.0
    assert "F-statistic" not in str(result)
