"""What `infer` refuses, in sentences."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression as PeerLinearRegression

from linework import Lasso, LinearRegression, LogLinearRegression, Ridge, infer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Y = X @ [1.0, -0.2, 3.0] + RNG.normal(size=20)
MODEL = LinearRegression().fit(X, Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance": "HC4"}, "covariance is 'HC4', and one of classic, HC0, .* is expected"),
        ({"weights": "importance"}, "weights is 'importance', and one of frequency, precision"),
        ({"level": 95}, "level is 95, and a number between 0 and 1 is expected"),
        ({"covariance": "cluster"}, "needs to know the cluster of each row: give groups"),
        ({"groups": np.zeros(20)}, "covariance='classic' makes no use of them"),
        ({"covariance": "cluster", "groups": [1, 2]}, r"groups has shape \(2,\), and \(20,\)"),
        ({"covariance": "cluster", "groups": ["a"] * 20}, "There is 1 cluster"),
        ({"covariance": "cluster", "groups": [np.nan] * 20}, "no value in row 0"),
        ({"covariance": "cluster", "groups": ["a"] * 19 + [None]}, "no value in row 19"),
        ({"sample_weight": np.arange(20.0)}, "not the least-squares fit to these rows"),
    ],
)
def test_bad_request_is_a_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        infer(MODEL, X, Y, **options)


def test_groups_of_two_kinds():
    with pytest.raises(TypeError, match="groups holds values that cannot be sorted"):
        infer(MODEL, X, Y, covariance="cluster", groups=np.array(["a", 1] * 10, object))


@pytest.mark.parametrize("model", [Ridge(), Lasso(), PeerLinearRegression()])
def test_other_models(model):
    with pytest.raises(TypeError, match="do not hold for penalised coefficients"):
        infer(model.fit(X, Y), X, Y)


def test_other_rows():
    with pytest.raises(ValueError, match="not the least-squares fit to these rows"):
        infer(MODEL, X[:10], Y[:10])
    with pytest.raises(ValueError, match="not the least-squares fit to these rows"):
        infer(MODEL, X, Y + 0.1)
    with pytest.raises(ValueError, match=r"y has 2 target\(s\), and the model was fitted on 1"):
        infer(MODEL, X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="X has 2 features, but LinearRegression is expecting 3"):
        infer(MODEL, X[:, :2], Y)


def test_held_coefficients_and_missing_fit():
    with pytest.raises(ValueError, match="held at zero or above"):
        infer(LinearRegression(positive=True).fit(X, Y), X, Y)
    with pytest.raises(NotFittedError):
        infer(LinearRegression(), X, Y)
    with pytest.raises(ValueError, match="every y must be positive"):
        infer(LogLinearRegression().fit(X, np.exp(Y)), X, Y - Y.max())


@pytest.mark.parametrize("covariance", ["classic", "HC3"])
@pytest.mark.parametrize(("x", "y"), [(140, -140), (-70, 85), (80, -80)])
def test_standard_errors_out_of_range_are_told(x, y, covariance):
    rows = X * 10.0**x, Y * 10.0**y
    with pytest.raises(ValueError, match="standard errors leave float64"):
        infer(LinearRegression().fit(*rows), *rows, covariance=covariance)


@pytest.mark.parametrize("covariance", ["classic", "HC3"])
@pytest.mark.parametrize(("x", "y"), [(150, 0), (-140, 0), (0, -140), (150, 150), (-60, 80)])
def test_units_change_no_test(x, y, covariance):
    rows = X * 10.0**x, Y * 10.0**y
    table = infer(LinearRegression().fit(*rows), *rows, covariance=covariance).table
    expected = infer(MODEL, X, Y, covariance=covariance).table
    np.testing.assert_allclose(table.statistic, expected.statistic, rtol=1e-9)
    np.testing.assert_allclose(table.standardised, expected.standardised, rtol=1e-9)


def test_bad_prediction():
    result = infer(MODEL, X, Y)
    with pytest.raises(ValueError, match="interval is 'both'"):
        result.predict(X, "both")
    with pytest.raises(ValueError, match="level is 0, and a number between"):
        result.predict(X, "confidence", level=0)
    with pytest.raises(ValueError, match="X has 1 features"):
        result.predict(X[:, :1])
    with pytest.raises(ValueError, match="contains NaN in column 1, row 3"):
        result.predict(np.where(np.arange(60).reshape(20, 3) == 10, np.nan, X), "confidence")
