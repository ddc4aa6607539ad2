"""Basis functions are those of their formulas, and of scikit-learn where it has them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

from linework import (
    Design,
    Fourier,
    Gaussian,
    IndicatorClassifier,
    LinearRegression,
    Polynomial,
    Sigmoid,
    Spline,
)


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).uniform(-3.0, 5.0, (80, 2)), columns=["x", "z"])


@pytest.mark.parametrize("interaction_only", [False, True])
def test_polynomials_of_a_group(rows: pd.DataFrame, interaction_only: bool) -> None:
    design = Design({("x", "z"): Polynomial(3, interaction_only)})
    peer = PolynomialFeatures(3, interaction_only=interaction_only, include_bias=False)
    np.testing.assert_array_equal(design.fit_transform(rows), peer.fit_transform(rows))
    names = [name.replace(" ", ":") for name in peer.get_feature_names_out()]
    assert list(design.get_feature_names_out()) == names


@pytest.mark.parametrize("settings", [{}, {"degree": 1}, {"extrapolation": "linear"}])
def test_splines_of_equal_distances(rows: pd.DataFrame, settings: Any) -> None:
    design = Design({("x", "z"): Spline(6, **settings)}).fit(rows)
    peer = SplineTransformer(6, include_bias=False, **settings).fit(rows)
    for X in (rows, rows + 2.0):
        np.testing.assert_array_equal(design.transform(X), peer.transform(X))


def test_splines_of_given_knots(rows: pd.DataFrame) -> None:
    knots = [-3.0, 0.0, 1.0, 5.0]
    Z = Design({"x": Spline(knots)}).fit_transform(rows[["x"]])
    peer = SplineTransformer(knots=np.reshape(knots, (-1, 1)), include_bias=False)
    np.testing.assert_array_equal(Z, peer.fit_transform(rows[["x"]]))


def test_gaussians(rows: pd.DataFrame) -> None:
    low, high = rows["x"].min(), rows["x"].max()
    centres, width = np.linspace(low, high, 4), (high - low) / 3
    expected = np.exp(-((rows[["x"]].to_numpy() - centres) ** 2) / (2.0 * width**2))
    np.testing.assert_allclose(
        Design({"x": Gaussian(4)}).fit_transform(rows[["x"]]), expected, rtol=1e-12
    )
    points = np.array([[0.0, 0.0], [1.0, 2.0], [4.0, -1.0]])
    squares = ((rows.to_numpy()[:, None] - points) ** 2).sum(axis=2)
    Z = Design({("x", "z"): Gaussian(points, width=2.0)}).fit_transform(rows)
    np.testing.assert_allclose(Z, np.exp(-squares / 8.0), rtol=1e-12)


def test_sigmoids_are_steps(rows: pd.DataFrame) -> None:
    Z = Design({"x": Sigmoid([0.0, 2.0], width=0.5)}).fit_transform(rows[["x"]])
    expected = 1.0 / (1.0 + np.exp(-(rows[["x"]].to_numpy() - [0.0, 2.0]) / 0.5))
    np.testing.assert_allclose(Z, expected, rtol=1e-12)


def test_waves_have_the_period(rows: pd.DataFrame) -> None:
    design = Design({"x": Fourier(2, period=1.5)}).fit(rows[["x"]])
    assert list(design.get_feature_names_out()) == [
        *("sin(x, 1)", "cos(x, 1)", "sin(x, 2)", "cos(x, 2)")
    ]
    Z = design.transform(rows[["x"]])
    np.testing.assert_allclose(Z, design.transform(rows[["x"]] + 3.0), atol=1e-12)
    np.testing.assert_allclose(Z[:, 3], np.cos(2 * np.pi * 2 * rows["x"] / 1.5), atol=1e-12)


def test_dates_count_in_days_from_the_first() -> None:
    days = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=28)})
    design = Design({"t": Fourier(period=7.0)}).fit(days)
    np.testing.assert_allclose(design.transform(days)[:7], design.transform(days)[21:], atol=1e-12)
    powers = Design({"t": "polynomial"}).fit_transform(days)
    np.testing.assert_array_equal(powers, np.arange(28.0)[:, None] ** [1, 2])


def test_a_basis_makes_a_line_a_curve(rows: pd.DataFrame) -> None:
    y = np.sin(rows["x"])
    for basis in (Polynomial(7), Spline(8), Gaussian(8), Sigmoid(8), Fourier(4, period=12.0)):
        model = make_pipeline(Design({"x": basis, "z": "drop"}), LinearRegression()).fit(rows, y)
        assert model.score(rows, y) > 0.999


def test_a_higher_degree_cures_masking() -> None:
    x = np.linspace(-1.0, 1.0, 90)
    y = np.repeat([0, 1, 2], 30)
    scores = [
        make_pipeline(Design({"x": Polynomial(degree)}), IndicatorClassifier())
        .fit(pd.DataFrame({"x": x}), y)
        .score(pd.DataFrame({"x": x}), y)
        for degree in (2, 3)
    ]
    assert min(scores) > 0.9


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ({"c": "spline"}, "'c' has a single value, and Spline"),
        ({"c": "sigmoid"}, "'c' has a single value, and Sigmoid"),
        ({"c": "fourier"}, "'c' has a single value, and Fourier"),
        ({("x", "z"): "gaussian"}, "Gaussian is of one column, and 'x', 'z' are a group"),
        ({("x", "z"): "fourier"}, "Fourier is of one column"),
        ({"x": Gaussian([0.0])}, "centres for 'x' and no width"),
        ({"x": Gaussian(3, width=-1.0)}, "width of Gaussian is -1.0"),
        ({"x": Sigmoid(0)}, "centres of Sigmoid is 0"),
        ({"x": Fourier(0)}, "order of Fourier is 0"),
    ],
)
def test_what_a_basis_cannot_be_is_told(rows: pd.DataFrame, terms: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Design(terms).fit(rows.assign(c=1.0))
