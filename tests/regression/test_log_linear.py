from typing import Any

import numpy as np
import pytest

from linework import LinearRegression, LogLinearRegression

Array = np.ndarray


class TestAgainstR:
    @pytest.fixture
    def data(self, r: Any, columns: Any) -> tuple[Any, Array, Array]:
        case = r["log_linear"]
        return case, columns(case, ["wt", "hp"]), np.array(case["data"]["mpg"])

    def test_coefficients(self, data: tuple[Any, Array, Array]) -> None:
        case, X, y = data
        model = LogLinearRegression().fit(X, y)
        found = [model.intercept_, *model.coef_]
        np.testing.assert_allclose(found, list(case["coef"].values()), rtol=1e-11)
        assert model.sigma_ == pytest.approx(case["sigma"], rel=1e-11)
        assert model.rank_ + 1 == case["rank"]

    @pytest.mark.parametrize(
        ("mean", "name"),
        [("median", "median"), ("normal", "mean_normal"), ("smearing", "mean_smearing")],
    )
    def test_predictions(
        self, data: tuple[Any, Array, Array], columns: Any, mean: str, name: str
    ) -> None:
        case, X, y = data
        predict = case["predict"]
        model = LogLinearRegression(mean=mean).fit(X, y)
        new = columns(predict, ["wt", "hp"])
        np.testing.assert_allclose(model.predict(new), predict[name], rtol=1e-11)
        if mean == "smearing":
            assert model.factor_ == pytest.approx(predict["smearing_factor"], rel=1e-11)


@pytest.fixture
def rows(rng: np.random.Generator) -> tuple[Array, Array]:
    X = rng.standard_normal((50, 3))
    return X, np.exp(X @ [0.5, -0.2, 0.1] + 1.0 + 0.3 * rng.standard_normal(50))


def test_it_is_least_squares_of_the_logarithm(rows: tuple[Array, Array]) -> None:
    X, y = rows
    model, plain = LogLinearRegression().fit(X, y), LinearRegression().fit(X, np.log(y))
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert model.intercept_ == plain.intercept_


@pytest.mark.parametrize("exponent", [-100, 100])
def test_units_of_y_move_the_intercept_only(rows: tuple[Array, Array], exponent: int) -> None:
    X, y = rows
    model, plain = (LogLinearRegression().fit(X, f * y) for f in (10.0**exponent, 1.0))
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-11)
    np.testing.assert_allclose(model.predict(X), plain.predict(X) * 10.0**exponent, rtol=1e-11)


@pytest.mark.parametrize("mean", ["normal", "smearing", "median"])
def test_targets_are_fitted_as_if_alone(rows: tuple[Array, Array], mean: str) -> None:
    X, y = rows
    Y = np.column_stack([y, y**2 + 1.0])
    model = LogLinearRegression(mean=mean).fit(X, Y)
    for k in range(2):
        alone = LogLinearRegression(mean=mean).fit(X, Y[:, k])
        assert model.sigma_[k] == pytest.approx(alone.sigma_, rel=1e-12)
        np.testing.assert_allclose(model.predict(X)[:, k], alone.predict(X), rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, -1.5])
def test_y_must_be_positive(rows: tuple[Array, Array], value: float) -> None:
    X, y = rows
    y[7] = value
    with pytest.raises(ValueError, match=f"y is {value:g} in row 7.* must be positive"):
        LogLinearRegression().fit(X, y)


@pytest.mark.parametrize("mean", ["normal", "smearing"])
def test_removed_rows_may_hold_anything(rows: tuple[Array, Array], mean: str) -> None:
    X, y = rows
    w = np.ones(50)
    w[:3] = 0.0
    expected = LogLinearRegression(mean=mean).fit(X[3:], y[3:])
    X[:3], y[:3] = 1e200, [0.0, -1.0, 1e300]
    model = LogLinearRegression(mean=mean).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12)
    assert model.factor_ == pytest.approx(expected.factor_, rel=1e-12)


def test_statistics_have_no_residuals_to_smear(rows: tuple[Array, Array]) -> None:
    with pytest.raises(ValueError, match="statistics have no rows"):
        LogLinearRegression(mean="smearing").partial_fit(*rows)


def test_unknown_mean_is_told(rows: tuple[Array, Array]) -> None:
    with pytest.raises(ValueError, match='it is "normal", "smearing" or "median"'):
        LogLinearRegression(mean="mode").fit(*rows)


@pytest.mark.parametrize("mean", ["normal", "smearing"])
def test_a_mean_beyond_all_numbers_is_told(rows: tuple[Array, Array], mean: str) -> None:
    X, y = rows
    y[::2] *= 1e250
    y[1::2] *= 1e-250
    with pytest.raises(ValueError, match='set mean="median"'):
        LogLinearRegression(mean=mean, fit_intercept=False).fit(X, y)
    assert np.isfinite(LogLinearRegression(mean="median").fit(X, y).coef_).all()


def test_float32_columns_predict_beyond_the_range_of_float32(rows: tuple[Array, Array]) -> None:
    X, y = rows
    single = LogLinearRegression().fit(X.astype(np.float32), y * 1e100)
    np.testing.assert_allclose(
        single.predict(X.astype(np.float32)),
        LogLinearRegression().fit(X, y * 1e100).predict(X),
        rtol=1e-3,
    )
