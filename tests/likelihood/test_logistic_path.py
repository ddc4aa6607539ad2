"""`logistic_path`: the fits of `LogisticRegression`, one after another."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from linework import LogisticRegression, logistic_path

Array = np.ndarray


def data(classes: int) -> tuple[Array, Array, Array]:
    """Rows, classes that overlap, and weights."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 6)) * np.geomspace(0.2, 5.0, 6)
    z = X @ (1.0 / np.geomspace(0.2, 5.0, 6)) + 2.0 * rng.standard_normal(120)
    return X, np.digitize(z, [-0.5, 1.5][: classes - 1]), rng.uniform(0.0, 2.0, 120)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_fits_are_those_from_scratch(classes: int, l1_ratio: float, fit_intercept: bool) -> None:
    X, y, w = data(classes)
    params: dict[str, Any] = {
        "l1_ratio": l1_ratio,
        "fit_intercept": fit_intercept,
        "class_weight": "balanced",
        "tol": 1e-7,
    }
    Cs, coefs, intercepts = logistic_path(X, y, Cs=[1.0, 0.01, 0.1], sample_weight=w, **params)
    assert_allclose(Cs, [1.0, 0.01, 0.1])
    for C, coef, intercept in zip(Cs, coefs, intercepts, strict=True):
        model = LogisticRegression(C=C, **params).fit(X, y, w)
        assert_allclose(coef, model.coef_, rtol=1e-6, atol=1e-8)
        assert_allclose(intercept, model.intercept_, rtol=1e-6, atol=1e-8)


def test_zeros_of_a_sparse_path_are_exact() -> None:
    X, y, _ = data(3)
    _, coefs, _ = logistic_path(X, y, Cs=20, l1_ratio=1.0)
    assert (coefs[0] == 0.0).all()
    assert (coefs[-1] != 0.0).sum() > (coefs[8] != 0.0).sum() > 0
    assert (np.abs(coefs[coefs != 0.0]) > 1e-9).all()


def test_unfinished_fits_are_told() -> None:
    X, y, _ = data(2)
    with pytest.warns(ConvergenceWarning, match="2 of the 2 fits along the penalties"):
        logistic_path(X, y, Cs=[1.0, 100.0], max_iter=1)


@pytest.mark.parametrize(
    "params", [{"Cs": []}, {"Cs": [0.0]}, {"Cs": 0}, {"l1_ratio": 2.0}, {"max_iter": 0}]
)
def test_wrong_requests_are_refused(params: dict[str, Any]) -> None:
    X, y, _ = data(2)
    with pytest.raises(ValueError, match=next(iter(params))):
        logistic_path(X, y, **params)
