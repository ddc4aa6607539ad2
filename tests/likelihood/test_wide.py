"""Many parameters: products with second derivatives, and working sets."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from linework import GLM, LogisticRegression
from linework.likelihood import solve as ways


def text(n: int = 400, d: int = 3000, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.02, rng=rng, format="csr")
    w = np.where(rng.random(d) < 0.05, 4.0 * rng.standard_normal(d), 0.0)
    return X, (X @ w + 0.3 * rng.logistic(size=n) > 0).astype(int)


def gradient(model: LogisticRegression, X: sp.csr_array, y: np.ndarray) -> np.ndarray:
    """Of C Σ ℓ by the slopes, (K or 1, d)."""
    P = model.predict_proba(X)
    target = np.eye(P.shape[1])[y] if P.shape[1] > 2 else y[:, None]
    P = P if P.shape[1] > 2 else P[:, 1:]
    return model.C * (P - target).T @ X


@pytest.mark.parametrize("classes", [2, 3])
def test_products_reach_the_optimum(classes: int) -> None:
    X, y = text(d=2500)
    y = y if classes == 2 else y + (np.arange(len(y)) % 2) * y
    model = LogisticRegression(C=5.0).fit(X, y)
    assert model.convergence_.converged
    assert np.abs(gradient(model, X, y) + model.coef_).max() < 1e-4
    assert_allclose(model.coef_.sum(axis=0) if classes > 2 else 0.0, 0.0, atol=1e-6)


def test_working_sets_reach_the_optimum() -> None:
    X, y = text()
    model = LogisticRegression(C=10.0, l1_ratio=1.0).fit(X, y)
    slope = gradient(model, X, y)[0]
    kept = model.coef_[0] != 0.0
    assert 0 < kept.sum() < 300
    assert_allclose(slope[kept], -np.sign(model.coef_[0, kept]), atol=1e-4)
    assert np.abs(slope[~kept]).max() < 1.0 + 1e-4


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_either_way_is_the_matrix_way(monkeypatch: pytest.MonkeyPatch, l1_ratio: float) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 40))
    y = rng.poisson(np.exp(0.3 * X[:, 0] - 0.2 * X[:, 1]))
    expected = GLM("poisson", alpha=0.02, l1_ratio=l1_ratio).fit(X, y)
    monkeypatch.setattr(ways, "WIDE", 10)
    monkeypatch.setattr(ways, "NEW_COLUMNS", 3)
    model = GLM("poisson", alpha=0.02, l1_ratio=l1_ratio).fit(X, y, offset=np.zeros(300))
    assert_allclose(model.coef_, expected.coef_, atol=1e-7)
    assert model.intercept_ == pytest.approx(expected.intercept_, abs=1e-7)


def test_an_offset_is_no_part_of_a_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    X, offset = rng.standard_normal((200, 15)), rng.uniform(0.0, 3.0, 200)
    y = rng.poisson(np.exp(0.3 * X[:, 0] + offset))
    expected = GLM("poisson", alpha=0.01).fit(X, y, offset=offset)
    monkeypatch.setattr(ways, "WIDE", 10)
    model = GLM("poisson", alpha=0.01).fit(X, y, offset=offset)
    assert_allclose(model.coef_, expected.coef_, atol=1e-7)
