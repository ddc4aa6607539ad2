"""`glm_path`: the fits of `GLM`, one after another."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from r_likelihood import R, cases, column, standardised
from sklearn.exceptions import ConvergenceWarning

from linework import GLM, enet_path, glm_path, logistic_path
from linework.likelihood import solve as ways
from linework.losses import Tweedie

Array = np.ndarray


def data(n: int = 120) -> tuple[Array, Array, Array, Array]:
    """Rows, positive targets, weights and offsets."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 6)) * np.geomspace(0.2, 5.0, 6)
    offset = 0.2 * rng.standard_normal(n)
    mu = np.exp(0.5 + X @ [1.0, 0.0, 0.3, 0.0, -0.1, 0.0] + offset)
    return X, rng.gamma(3.0, mu / 3.0), rng.uniform(0.0, 2.0, n), offset


@pytest.mark.parametrize("family", ["gaussian", "poisson", "gamma", "tweedie", "negative_binomial"])
@pytest.mark.parametrize("l1_ratio", [0.4, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_fits_are_those_from_scratch(family: str, l1_ratio: float, fit_intercept: bool) -> None:
    X, y, w, offset = data()
    y = np.round(y) if family == "negative_binomial" else y
    params: dict[str, Any] = {
        "family": family,
        "link": "identity" if family == "gaussian" else "log",
        "l1_ratio": l1_ratio,
        "fit_intercept": fit_intercept,
        "tol": 1e-5,
    }
    alphas, coefs, intercepts = glm_path(
        X, y, alphas=12, eps=0.01, sample_weight=w, offset=offset, **params
    )
    assert_allclose(coefs[0], 0.0, atol=1e-10)  # and any weaker penalty leaves one
    assert (coefs[1] != 0.0).any()
    for alpha, coef, intercept in zip(alphas, coefs, intercepts, strict=True):
        model = GLM(alpha=alpha, **params).fit(X, y, w, offset)
        assert_allclose(coef, model.coef_, rtol=1e-6, atol=1e-7)
        assert_allclose(intercept, model.intercept_, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    "name", [name for name, case in cases("penalties").items() if case["family"] == "poisson"]
)
def test_a_point_of_the_path_is_glmnet_s(name: str) -> None:
    case = R["penalties"][name]
    around = case["lambda"] * np.array([4.0, 2.0, 1.0, 0.5])
    _, coefs, intercepts = glm_path(
        standardised(case),
        column(case, case["target"]),
        family="poisson",
        l1_ratio=case["alpha"],
        alphas=around,
        tol=1e-9,
        sample_weight=case.get("weights"),
        offset=case.get("offset"),
    )
    assert_allclose(coefs[2], case["coef"], rtol=1e-9, atol=1e-12)
    assert intercepts[2] == pytest.approx(case["intercept"], rel=1e-10)


def test_gaussian_and_binomial_are_the_other_paths() -> None:
    X, y, _, _ = data()
    alphas, coefs, _ = glm_path(X, y, alphas=8, tol=1e-8)
    squares = enet_path(X - X.mean(axis=0), y - y.mean(), l1_ratio=1.0, alphas=8, tol=1e-12)
    assert_allclose(alphas, squares[0], rtol=1e-10)
    assert_allclose(coefs, squares[1].T, rtol=1e-5, atol=1e-7)
    high = (y > np.median(y)).astype(float)
    alphas, coefs, _ = glm_path(X, high, family="binomial", alphas=8, eps=0.05, tol=1e-8)
    _, others, _ = logistic_path(X, high, Cs=1.0 / (alphas * len(y)), l1_ratio=1.0, tol=1e-8)
    assert_allclose(coefs, others[:, 0], rtol=1e-5, atol=1e-8)


def test_sparse_rows_and_working_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, w, offset = data()
    expected = glm_path(X, y, family="poisson", alphas=6, sample_weight=w, offset=offset)
    monkeypatch.setattr(ways, "WIDE", 3)
    monkeypatch.setattr(ways, "NEW_COLUMNS", 2)
    found = glm_path(sp.csr_array(X), y, family="poisson", alphas=6, sample_weight=w, offset=offset)
    for ours, wanted in zip(found, expected, strict=True):
        assert_allclose(ours, wanted, atol=1e-6)


def test_columns_that_say_nothing_have_no_path() -> None:
    alphas, coefs, intercepts = glm_path(np.ones((4, 2)), [1.0, 2.0, 3.0, 6.0], alphas=3)
    assert (alphas > 0.0).all()
    assert_allclose(coefs, 0.0)
    assert_allclose(intercepts, 3.0)


def test_unfinished_fits_are_told() -> None:
    X, y, _, _ = data()
    with pytest.warns(ConvergenceWarning, match=r"fits along the penalties .* weakest penalties"):
        glm_path(X, y, family="poisson", alphas=[0.1, 0.01], max_iter=1)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"alphas": []}, "alphas"),
        ({"alphas": [-1.0]}, r"alphas\[0\]"),
        ({"alphas": 0}, "alphas"),
        ({"l1_ratio": 0.0}, "With l1_ratio=0 no penalty leaves all coefficients at zero"),
        ({"l1_ratio": 2.0}, "l1_ratio"),
        ({"eps": 1.0}, "eps"),
        ({"max_iter": 0}, "max_iter"),
        ({"family": Tweedie(power=None)}, "power=None is for GLM to estimate: give Tweedie"),
        ({"family": "gama"}, "family is 'gama'"),
    ],
)
def test_wrong_requests_are_refused(params: dict[str, Any], words: str) -> None:
    X, y, _, _ = data()
    with pytest.raises(ValueError, match=words):
        glm_path(X, y, **params)
