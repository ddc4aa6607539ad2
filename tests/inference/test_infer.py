"""`infer` against R's numbers and NIST's certified ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linework import LinearRegression, infer

EXACT = {"coef": 1e-12, "vcov": 1e-12}
"""Closer than the rest, which the reference knows to 2e-11."""


def values(item):
    """Numbers of the reference, which names some of them; null is NaN."""
    return np.array(list(item.values()) if isinstance(item, dict) else item, np.float64)


@pytest.fixture
def agree(numbers):
    """``agree(result, expected)``: whether the result says what the reference does."""

    def check(result, expected):
        got = numbers(result)
        common = [name for name in got if name in expected]
        assert len(common) >= 5
        for name in common:
            rtol = EXACT.get(name, 2e-11)
            assert_allclose(got[name], values(expected[name]), rtol, err_msg=name)

    return check


# Against R -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ols", "collinear", "no_intercept", "log_linear"])
def test_r_summary(case, agree, name):
    c = case(name)
    agree(infer(c.model, c.X, c.y), c.r)


@pytest.mark.parametrize("weights", ["frequency", "precision"])
@pytest.mark.parametrize("name", ["weighted", "weighted_with_zeros"])
def test_r_weights(reference, case, agree, name, weights):
    w = reference[name]["weights"]
    c = case(name, w)
    agree(infer(c.model, c.X, c.y, sample_weight=w, weights=weights), c.r[weights])


def test_r_aliased_columns(case, agree):
    c = case("rank_deficient")
    result = infer(c.model, c.X, c.y)
    agree(
        result,
        {name: c.r[name] for name in ("coef", "rank", "df_residual", "sigma", "r2")}
        | {"se": result.table.std_error},
    )
    missing = [
        name
        for name, b in zip(result.table.names, result.table.estimate, strict=True)
        if np.isnan(b)
    ]
    assert missing == c.r["aliased"]
    assert_allclose(result.predict(c.X), c.r["fitted"], 1e-12)
    # The coefficients that are left are those of a fit without the aliased columns.
    rest = c.X.drop(columns=c.r["aliased"])
    alone = infer(LinearRegression().fit(rest, c.y), rest, c.y)
    defined = ~np.isnan(result.table.estimate)
    assert_allclose(result.covariance_matrix[np.ix_(defined, defined)], alone.covariance_matrix)
    assert_allclose(result.table.vif[defined], alone.table.vif)
    assert np.isnan(result.covariance_matrix[~defined]).all()


def test_r_several_targets(case, agree):
    c = case("targets")
    results = infer(c.model, c.X, c.y)
    for result, expected in zip(results, c.r["by_target"].values(), strict=True):
        agree(result, expected)
    both = infer(c.model, c.X, c.y, covariance="HC2")
    alone = infer(LinearRegression().fit(c.X, c.y["disp"]), c.X, c.y["disp"], covariance="HC2")
    assert_allclose(both[1].covariance_matrix, alone.covariance_matrix, 1e-12)
    assert_allclose(both[1].table.standardised, alone.table.standardised, 1e-12)


def test_r_predictions(case):
    c = case("ols")
    result, expected = infer(c.model, c.X, c.y), c.r["predict"]
    new = type(c.X)(expected["data"])
    assert_allclose(result.se_mean(new), expected["se_mean"], 1e-12)
    for interval in ("confidence", "prediction"):
        assert_allclose(result.predict(new, interval), expected[f"{interval}_95"], 1e-12)
    assert_allclose(result.predict(new), c.model.predict(new), 1e-13)
    narrow = infer(c.model, c.X, c.y, level=0.5).predict(new, "confidence")
    assert_array_equal(result.predict(new, "confidence", level=0.5), narrow)


def test_predictions_of_log_linear_model_are_medians(case):
    c = case("log_linear")
    new = type(c.X)(c.r["predict"]["data"])
    result = infer(c.model, c.X, c.y)
    assert_allclose(result.predict(new), c.r["predict"]["median"], 1e-12)
    logs = LinearRegression().fit(c.X, np.log(c.y))
    on_log = infer(logs, c.X, np.log(c.y)).predict(new, "prediction")
    assert_allclose(result.predict(new, "prediction"), np.exp(on_log), 1e-12)


def test_wald(case):
    c = case("ols")
    result = infer(c.model, c.X, c.y)
    all_slopes = result.wald(np.eye(4)[1:])
    assert_allclose(all_slopes.f, c.r["f"], 1e-11)
    assert_allclose(all_slopes.p, c.r["f_p"], 1e-10)
    assert all_slopes.df == (3, 28)
    one = result.wald([0.0, 1.0, 0.0, 0.0], value=-4.0)
    assert_allclose(one.f, ((c.r["coef"]["wt"] + 4.0) / c.r["se"]["wt"]) ** 2, 1e-11)
    assert np.isnan(result.wald([[0, 1, 0, 0], [0, 2, 0, 0]]).f)
    with pytest.raises(ValueError, match="rows of 4 numbers are expected"):
        result.wald([1.0, 0.0])


def test_wald_of_aliased_columns(case):
    c = case("rank_deficient")
    result = infer(c.model, c.X, c.y)
    test = result.wald([0, 1, 0, 0, 0, 0])
    assert_allclose(test.f, result.table.statistic[1] ** 2, 1e-12)
    with pytest.raises(ValueError, match="with 0 for those that are not defined"):
        result.wald([0, 1, -1, 0, 0, 0])


# Against certified numbers -------------------------------------------------------------------

NIST_DIGITS = {"Filip": 5e-8, "Wampler3": 1e-12, "Wampler4": 1e-12, "Wampler5": 1e-12}
"""Relative errors allowed; powers of x up to the tenth are rounded themselves."""


@pytest.mark.parametrize(
    "name",
    [
        "Norris",
        "Pontius",
        "NoInt1",
        "NoInt2",
        "Filip",
        "Longley",
        "Wampler3",
        "Wampler4",
        "Wampler5",
    ],
)
def test_nist(nist, name):
    data = nist[name]
    X, certified = np.array(data["X"]), data["certified"]
    if data["poly_degree"]:
        X = X ** np.arange(1, data["poly_degree"] + 1)
    model = LinearRegression(fit_intercept=data["intercept"]).fit(X, data["y"])
    result = infer(model, X, data["y"])
    rtol = NIST_DIGITS.get(name, 2e-13)
    assert_allclose(result.table.std_error, certified["se"], rtol)
    assert_allclose(result.sigma, certified["residual_sd"], rtol)
    assert_allclose(result.r2, certified["r2"], rtol)
    assert_allclose(result.f, float(certified["F"]), rtol)
    assert result.f_df == (certified["df_reg"], certified["df_res"])


@pytest.mark.parametrize("name", ["Wampler1", "Wampler2"])
def test_nist_without_noise(nist, name):
    data = nist[name]
    X = np.array(data["X"]) ** np.arange(1, 6)
    result = infer(LinearRegression().fit(X, data["y"]), X, data["y"])
    assert result.rss < 1e-25 * np.square(data["y"]).sum()
    assert result.r2 == 1.0
    assert "Essentially perfect fit" in result.to_text()
