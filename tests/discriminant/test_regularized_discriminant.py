"""Regularised discriminant analysis: its corners, its formula, and what it does with few rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf_shrinkage, oas
from sklearn.naive_bayes import GaussianNB

from linework import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import ClassMoments, Moments

Array = np.ndarray
Rows = Callable[..., tuple[Array, Array]]


def posterior_of(X: Array, y: Array, covariances: list[Array]) -> Array:
    """Ln P(G = k | x) of Gaussian classes of these covariances."""
    logs = [
        np.log(np.mean(y == k)) + multivariate_normal(X[y == k].mean(axis=0), sigma).logpdf(X)
        for k, sigma in enumerate(covariances)
    ]
    return log_softmax(np.transpose(logs), axis=1)


def parts(X: Array, y: Array, unbiased: bool) -> tuple[Array, Array]:
    """Σ_k and Σ."""
    own = np.array([np.cov(X[y == k].T, bias=not unbiased) for k in np.unique(y)])
    n = np.bincount(y)
    pooled = np.tensordot(n - unbiased, own, axes=1) / (len(y) - unbiased * len(n))
    return own, pooled


class TestCorners:
    @pytest.mark.parametrize("unbiased", [True, False])
    @pytest.mark.parametrize("target", ["diagonal", "identity"])
    def test_are_lda_and_qda(self, unbiased: bool, target: str, gaussian: Rows) -> None:
        X, y = gaussian()
        shared = {"target": target, "unbiased": unbiased}
        lda = LinearDiscriminantAnalysis(unbiased=unbiased).fit(X, y)
        corner = RegularizedDiscriminantAnalysis(0.0, 1.0, **shared).fit(X, y)
        np.testing.assert_allclose(
            corner.predict_log_proba(X), lda.predict_log_proba(X), rtol=1e-10, atol=1e-10
        )
        qda = QuadraticDiscriminantAnalysis(unbiased=unbiased).fit(X, y)
        for gamma in (0.0, 0.5, 1.0):
            corner = RegularizedDiscriminantAnalysis(1.0, gamma, **shared).fit(X, y)
            np.testing.assert_allclose(
                corner.predict_log_proba(X), qda.predict_log_proba(X), rtol=1e-10, atol=1e-10
            )

    def test_is_diagonal_lda(self, gaussian: Rows) -> None:
        X, y = gaussian()
        model = RegularizedDiscriminantAnalysis(0.0, 0.0).fit(X, y)
        diagonal = np.diag(np.diag(parts(X, y, True)[1]))
        wanted = posterior_of(X, y, [diagonal] * 3)
        np.testing.assert_allclose(model.predict_log_proba(X), wanted, rtol=1e-10, atol=1e-10)

    def test_is_shrunk_lda(self, gaussian: Rows) -> None:
        X, y = gaussian()
        model = RegularizedDiscriminantAnalysis(0.0, 0.7, target="identity").fit(X, y)
        lda = LinearDiscriminantAnalysis(shrinkage=0.3).fit(X, y)
        np.testing.assert_allclose(
            model.predict_log_proba(X), lda.predict_log_proba(X), rtol=1e-10, atol=1e-10
        )

    def test_diagonal_moments_are_naive_bayes(self, gaussian: Rows) -> None:
        X, y = gaussian()
        stats = map_reduce(as_table(X).with_group(y), ClassMoments.from_block)
        diagonal = ClassMoments(
            {
                k: Moments(m.count, m.weight, m.mean, np.diag(np.diag(m.scatter)), 0, m.noise)
                for k, m in stats.groups.items()
            }
        )
        model = QuadraticDiscriminantAnalysis(unbiased=False).fit_stats(diagonal)
        bayes = GaussianNB(var_smoothing=0.0).fit(X, y)
        np.testing.assert_allclose(
            model.predict_log_proba(X), bayes.predict_log_proba(X), rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("gamma", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("target", ["diagonal", "identity"])
@pytest.mark.parametrize("unbiased", [True, False])
def test_posteriors_are_those_of_the_formula(
    alpha: float, gamma: float, target: str, unbiased: bool, gaussian: Rows
) -> None:
    X, y = gaussian()
    own, pooled = parts(X, y, unbiased)
    T = np.diag(np.diag(pooled)) if target == "diagonal" else np.eye(4) * np.trace(pooled) / 4
    common = gamma * pooled + (1 - gamma) * T
    wanted = posterior_of(X, y, [alpha * each + (1 - alpha) * common for each in own])
    model = RegularizedDiscriminantAnalysis(alpha, gamma, target=target, unbiased=unbiased)
    told = model.fit(X + 1000.0, y).predict_log_proba(X + 1000.0)
    np.testing.assert_allclose(told, wanted, rtol=1e-8, atol=1e-8)
    assert model.gamma_ == gamma


class TestGammaByFormula:
    @pytest.mark.parametrize("unit", [1.0, 1e-100, 1e100])
    def test_is_scikit_learns_of_rows_about_their_class(self, unit: float, gaussian: Rows) -> None:
        X, y = gaussian()
        rest = X - np.array([X[y == k].mean(axis=0) for k in range(3)])[y]
        for gamma, share in (
            ("auto", ledoit_wolf_shrinkage(rest, assume_centered=True)),
            ("oas", oas(rest, assume_centered=True)[1]),
        ):
            model = RegularizedDiscriminantAnalysis(0.3, gamma, target="identity")
            assert model.fit(X * unit, y).gamma_ == pytest.approx(1.0 - share, rel=1e-9)

    def test_weights_are_repetitions(self, gaussian: Rows, rng: np.random.Generator) -> None:
        X, y = gaussian()
        w = rng.integers(0, 4, len(y))
        for gamma in ("auto", "oas"):
            model = RegularizedDiscriminantAnalysis(0.3, gamma, target="identity")
            weighted = model.fit(X, y, sample_weight=w).gamma_
            assert weighted == pytest.approx(model.fit(X.repeat(w, 0), y.repeat(w)).gamma_)

    def test_is_for_the_identity(self, gaussian: Rows) -> None:
        with pytest.raises(ValueError, match="gamma='auto' is a formula for target='identity'"):
            RegularizedDiscriminantAnalysis(gamma="auto").fit(*gaussian())

    def test_oas_needs_statistics_alone(self, gaussian: Rows) -> None:
        X, y = gaussian()
        model = RegularizedDiscriminantAnalysis(0.3, "oas", target="identity")
        stats = map_reduce(as_table(X).with_group(y), ClassMoments.from_block)
        assert model.fit_stats(stats).gamma_ == pytest.approx(model.fit(X, y).gamma_)
        assert not hasattr(model.set_params(gamma="auto"), "fit_stats")


class TestFewRows:
    def test_a_class_of_one_row_takes_the_common_covariance(self, gaussian: Rows) -> None:
        X, y = gaussian()
        y[0] = 3
        with pytest.warns(UserWarning, match="Class 3 has a single row"):
            model = RegularizedDiscriminantAnalysis(0.6, 0.5).fit(X, y)
        stats = map_reduce(as_table(X).with_group(y), ClassMoments.from_block)
        own = [m.scatter / max(m.weight - 1, 1) for m in stats.groups.values()]
        pooled = np.sum([m.scatter for m in stats.groups.values()], axis=0) / (len(y) - 4)
        common = 0.5 * pooled + 0.5 * np.diag(np.diag(pooled))
        wanted = posterior_of(X, y, [*(0.6 * each + 0.4 * common for each in own[:3]), common])
        np.testing.assert_allclose(model.predict_log_proba(X), wanted, rtol=1e-9, atol=1e-9)

    def test_without_own_covariances_there_is_nothing_to_warn_of(self, gaussian: Rows) -> None:
        X, y = gaussian()
        y[0] = 3
        RegularizedDiscriminantAnalysis(0.0, 0.5).fit(X, y)

    def test_a_class_of_fewer_rows_than_columns(self, gaussian: Rows) -> None:
        X, y = gaussian(d=6)
        y[:3] = 3
        model = RegularizedDiscriminantAnalysis(0.9, 0.5).fit(X, y)
        assert np.isfinite(model.predict_log_proba(X)).all()
        with pytest.raises(ValueError, match=r"class 3 is not full rank, and alpha=1 .* lower"):
            model.set_params(alpha=1.0).fit(X, y)

    def test_more_columns_than_rows(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((20, 50)), np.arange(20) % 3
        model = RegularizedDiscriminantAnalysis(0.3, 0.5).fit(X, y)
        assert model.rank_ == 50
        assert np.isfinite(model.predict_log_proba(X)).all()
        assert model.set_params(gamma=1.0).fit(X, y).rank_ == 17


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"alpha": 1.2}, "alpha == 1.2, must be <= 1"),
        ({"gamma": -0.2}, "gamma == -0.2, must be >= 0"),
        ({"target": "circle"}, "target is 'circle'; 'diagonal' and 'identity' are known"),
        ({"priors": [0.5, 0.5]}, "priors is .* and 3 numbers are expected"),
    ],
)
def test_impossible_settings_are_told(params: Any, words: str, gaussian: Rows) -> None:
    with pytest.raises(ValueError, match=words):
        RegularizedDiscriminantAnalysis(**params).fit(*gaussian())
