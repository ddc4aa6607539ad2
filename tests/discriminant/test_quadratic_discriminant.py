"""Quadratic discriminant analysis against its formulas, scikit-learn's, and naive Bayes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import multivariate_normal
from sklearn import discriminant_analysis as peer

from linework import QuadraticDiscriminantAnalysis

Array = np.ndarray
Rows = Callable[..., tuple[Array, Array]]


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize("params", [{}, {"shrinkage": 0.3}, {"reg_param": 0.2}])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_posteriors_are_those_of_gaussian_densities(
    unbiased: bool, params: Any, priors: Any, gaussian: Rows, rng: np.random.Generator
) -> None:
    X, y = gaussian()
    w = rng.integers(1, 4, len(y))
    model = QuadraticDiscriminantAnalysis(
        unbiased=unbiased, priors=priors, store_covariance=True, **params
    ).fit(X, y, sample_weight=w)
    share = np.bincount(y, w) / w.sum() if priors is None else np.array(priors)
    logs = np.empty((len(X), 3))
    for k in range(3):
        rows = X[y == k].repeat(w[y == k], axis=0)
        sigma = np.cov(rows.T, bias=not unbiased)
        s, r = params.get("shrinkage", 0.0), params.get("reg_param", 0.0)
        sigma = (1 - s) * sigma + s * np.trace(sigma) / 4 * np.eye(4)
        sigma = (1 - r) * sigma + r * np.eye(4)
        np.testing.assert_allclose(model.covariance_[k], sigma, rtol=1e-11)
        rotated = model.rotations_[k] * model.scalings_[k] @ model.rotations_[k].T
        np.testing.assert_allclose(rotated, sigma, rtol=1e-9, atol=1e-12)
        logs[:, k] = np.log(share[k]) + multivariate_normal(rows.mean(axis=0), sigma).logpdf(X)
    wanted = softmax(logs, axis=1)
    np.testing.assert_allclose(model.predict_proba(X), wanted, rtol=1e-8, atol=1e-250)
    # decision_function gives ln π_k f_k, but for a constant that is common to all rows.
    rest = model.decision_function(X) - logs
    np.testing.assert_allclose(rest, 2.0 * np.log(2.0 * np.pi), rtol=1e-8)


@pytest.mark.parametrize("params", [{}, {"shrinkage": 0.3}, {"shrinkage": "auto"}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_agrees_with_scikit_learn_by_maximum_likelihood(
    params: Any, n_classes: int, gaussian: Rows
) -> None:
    X, y = gaussian(n_classes)
    ours = QuadraticDiscriminantAnalysis(unbiased=False, **params).fit(X, y)
    theirs = peer.QuadraticDiscriminantAnalysis(solver="eigen", **params).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), 1e-8, 1e-250)
    scores = ours.decision_function(X)
    np.testing.assert_allclose(scores, theirs.decision_function(X), rtol=1e-8)
    for a, b in zip(ours.scalings_, theirs.scalings_, strict=True):
        np.testing.assert_allclose(np.sort(a), np.sort(b), rtol=1e-8)


def test_affine_maps_of_the_rows_change_nothing(gaussian: Rows, rng: np.random.Generator) -> None:
    X, y = gaussian()
    A, b = rng.standard_normal((4, 4)) + 2 * np.eye(4), 100.0 * rng.standard_normal(4)
    one, other = (QuadraticDiscriminantAnalysis().fit(Z, y) for Z in (X, X @ A + b))
    np.testing.assert_allclose(
        other.predict_log_proba(X @ A + b), one.predict_log_proba(X), rtol=1e-8, atol=1e-10
    )


def test_rows_come_by_tiles(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((40_000, 6)), np.arange(40_000) % 2
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    told = model.decision_function(X)
    np.testing.assert_allclose(told[::4001], model.decision_function(X[::4001]), rtol=1e-12)


class TestRefusals:
    def test_a_class_of_one_row(self, gaussian: Rows) -> None:
        X, y = gaussian()
        y[0] = 3
        with pytest.raises(ValueError, match="only 1 sample in class 3"):
            QuadraticDiscriminantAnalysis().fit(X, y)

    def test_a_class_without_rank_names_the_cure(self, gaussian: Rows) -> None:
        X, y = gaussian()
        X[y == 1, 0] = X[y == 1, 1]
        with pytest.raises(
            np.linalg.LinAlgError,
            match=r"class 1 is not full rank: its 30 rows vary in 3 of 4 .* raise shrinkage",
        ):
            QuadraticDiscriminantAnalysis().fit(X, y)
        for cure in ({"shrinkage": 0.1}, {"reg_param": 0.1}, {"shrinkage": "auto"}):
            model = QuadraticDiscriminantAnalysis(**cure).fit(X, y)
            assert np.isfinite(model.decision_function(X)).all()
