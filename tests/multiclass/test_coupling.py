"""Probabilities of classes from those of dichotomies."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from linework.multiclass import codes
from linework.multiclass.coupling import COUPLINGS, bradley_terry, least_squares

CODES = {
    "one-vs-one": codes.one_vs_one(5),
    "one-vs-rest": codes.one_vs_rest(5),
    "exhaustive": codes.exhaustive(5),
    "sparse": codes.sparse_random(5, 12, np.random.default_rng(0)),
}


def shares(p: Any, code: Any) -> Any:
    plus, minus = p @ (code > 0), p @ (code < 0)
    return plus / (plus + minus)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(2)


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("name", CODES)
def test_probabilities_that_fit_are_found(name: str, coupling: str, rng: Any) -> None:
    p = rng.dirichlet(np.full(5, 2.0), size=20)
    found = COUPLINGS[coupling](shares(p, CODES[name]), CODES[name])
    np.testing.assert_allclose(found, p, atol=1e-7)


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("name", CODES)
def test_any_answers_give_probabilities(name: str, coupling: str, rng: Any) -> None:
    r = rng.choice([0.0, 0.2, 0.5, 1.0], (200, CODES[name].shape[1]))
    p = COUPLINGS[coupling](r, CODES[name])
    assert (p >= 0.0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


def test_pairs_by_least_squares_are_those_of_wu_lin_and_weng(rng: Any) -> None:
    """Their equation (21): Q_ii = Σ_{j≠i} r_ji², Q_ij = −r_ji r_ij, Qp + b e = 0."""
    K, code = 4, codes.one_vs_one(4)
    share = rng.random(6)
    r = np.zeros((K, K))
    for m, (a, b) in enumerate(zip(*np.triu_indices(K, 1), strict=True)):
        r[b, a], r[a, b] = share[m], 1.0 - share[m]
    Q = np.array(
        [
            [sum(r[j, i] ** 2 for j in range(K) if j != i) if i == j else -r[j, i] * r[i, j]
             for j in range(K)]
            for i in range(K)
        ]
    )  # fmt: skip
    system = np.block([[Q, np.ones((K, 1))], [np.ones((1, K)), np.zeros((1, 1))]])
    expected = np.linalg.solve(system, np.append(np.zeros(K), 1.0))[:K]
    np.testing.assert_allclose(least_squares(share[None], code)[0], expected, rtol=1e-8)


@pytest.mark.parametrize("name", CODES)
def test_bradley_terry_is_the_most_likely(name: str, rng: Any) -> None:
    code = CODES[name]
    r = rng.uniform(0.1, 0.9, code.shape[1])

    def loss(z: Any) -> float:
        p = np.exp(z - z.max())
        s = shares(p / p.sum(), code)
        return -float(r @ np.log(s) + (1.0 - r) @ np.log1p(-s))

    best = minimize(loss, np.zeros(5), tol=1e-12)
    p = bradley_terry(r[None], code)[0]
    assert loss(np.log(p)) <= best.fun + 1e-9
