"""The objective that Newton's method is given: its gradient and Hessian, in every setting."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from linework.data.sources import as_table
from linework.likelihood.problem import Problem
from linework.losses import LINKS, Binomial, GeneralizedLoss, Loss, Poisson, SoftmaxLoss

Array = np.ndarray

LOSSES: dict[str, tuple[Loss, int]] = {  # whose curvature does not depend on y
    "binomial": (GeneralizedLoss(Binomial(), LINKS["logit"]), 2),
    "poisson": (GeneralizedLoss(Poisson(), LINKS["log"]), 5),
    "softmax": (SoftmaxLoss(3), 3),
}


def problem(rng: np.random.Generator, loss: str, fit_intercept: bool, kind: Any) -> Problem:
    X = rng.standard_normal((60, 3)) + np.array([5.0, 0.0, -1.0])
    X = kind(np.column_stack([X, np.full(60, 3.0)]))  # the last column does not vary
    y = rng.integers(0, LOSSES[loss][1], 60).astype(float)
    table = as_table(X, y, rng.integers(0, 3, 60).astype(float))
    null = np.zeros(LOSSES[loss][0].n_scores)
    return Problem.of(table, LOSSES[loss][0], null, fit_intercept, l2=0.3, l1=0.0)


def anywhere(rng: np.random.Generator, it: Problem) -> Array:
    k = it.loss.n_scores
    coef = 0.1 * rng.standard_normal((4, k))
    if it.fit_intercept:
        coef[3] = 0.0  # where it stays
    return it.parameters(coef, 0.1 * rng.standard_normal(k))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
class TestDerivatives:
    def test_value(
        self, rng: np.random.Generator, loss: str, fit_intercept: bool, kind: Any
    ) -> None:
        it = problem(rng, loss, fit_intercept, kind)
        theta = anywhere(rng, it)
        if loss == "softmax":  # what all classes have in common costs, and is zero at the minimum
            theta = (theta.reshape(-1, 3) - theta.reshape(-1, 3).mean(axis=1)[:, None]).ravel()
        coef, intercept = it.coefficients(theta)
        assert intercept.any() == fit_intercept
        eta = it.table.rows(slice(0, 60)) @ coef + intercept
        assert it.table.y is not None
        assert it.table.weight is not None
        values = it.loss.evaluate(it.table.y, eta)[0]
        wanted = np.average(values, weights=it.table.weight) + 0.15 * np.square(coef).sum()
        assert it.evaluate(theta)[0] == pytest.approx(wanted, rel=1e-12)
        np.testing.assert_allclose(it.parameters(coef, intercept), theta, rtol=1e-12)

    def test_gradient(
        self, rng: np.random.Generator, loss: str, fit_intercept: bool, kind: Any
    ) -> None:
        it = problem(rng, loss, fit_intercept, kind)
        theta, h = anywhere(rng, it), 1e-6
        gradient = it.evaluate(theta)[1]
        k = it.loss.n_scores
        for j, step in enumerate(h * np.eye(len(theta))):
            if fit_intercept and j // k == 3:  # a column without variance is left where it is
                assert gradient[j] == 0.0
                continue
            slope = (it.evaluate(theta + step)[0] - it.evaluate(theta - step)[0]) / (2 * h)
            assert gradient[j] == pytest.approx(slope, rel=1e-6, abs=1e-8)

    def test_hessian(
        self, rng: np.random.Generator, loss: str, fit_intercept: bool, kind: Any
    ) -> None:
        it = problem(rng, loss, fit_intercept, kind)
        theta, h, k = anywhere(rng, it), 1e-5, it.loss.n_scores
        steps = h * np.eye(len(theta))
        wanted = np.array(
            [(it.evaluate(theta + s)[1] - it.evaluate(theta - s)[1]) / (2 * h) for s in steps]
        )
        H = it.hessian(theta)
        np.testing.assert_allclose(H, H.T, rtol=1e-12, atol=1e-15)
        varying = np.arange(len(theta)) // k != (3 if fit_intercept else -1)
        each = np.ix_(varying, varying)
        np.testing.assert_allclose(H[each], wanted[each], rtol=1e-7, atol=1e-8)
        np.testing.assert_array_equal(H[np.ix_(~varying, varying)], 0.0)


def test_scaled_gradient_of_intercepts_alone_is_at_most_one(rng: np.random.Generator) -> None:
    for scale in (1e-4, 1.0, 1e6):
        X, y = scale * rng.standard_normal((200, 3)), rng.poisson(3.0, 200).astype(float)
        X[:, 0] = scale * y  # as much as a column can
        loss, null = LOSSES["poisson"][0], np.log([y.mean()])
        it = Problem.of(as_table(X, y), loss, null, True, 0.0, 0.0)
        gradient = it.evaluate(it.parameters(np.zeros((3, 1)), null))[1]
        assert it.scaled(gradient) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_rows_drawn_by_curvature_estimate_the_hessian(
    rng: np.random.Generator, loss: str, kind: Any
) -> None:
    """A tenth of the rows give each entry to within a few of its standard errors."""
    it = LOSSES[loss][0]
    X = rng.standard_normal((4_000, 3))
    y = rng.integers(0, LOSSES[loss][1], 4_000).astype(float)
    table = as_table(kind(X), y, rng.integers(0, 3, 4_000).astype(float))
    whole = Problem.of(table, it, np.zeros(it.n_scores), True, l2=0.3, l1=0.0)
    theta = rng.standard_normal(4 * it.n_scores)
    part = whole.focused(theta, 400)
    assert part.table.n_rows <= 400
    exact, estimate = whole.hessian(theta), part.hessian(theta)
    root = np.sqrt(exact.diagonal())
    assert np.abs((estimate - exact) / np.outer(root, root)).max() < 0.3
    # The mean of many estimates has no bias: drawn of the rows in other orders.
    orders = [rng.permutation(4_000) for _ in range(40)]
    many = [
        dataclasses.replace(whole, table=table.take(order)).focused(theta, 400).hessian(theta)
        for order in orders
    ]
    assert np.abs((np.mean(many, axis=0) - exact) / np.outer(root, root)).max() < 0.05


def test_rows_without_curvature_are_not_drawn(rng: np.random.Generator) -> None:
    """All of the curvature is in one row of a thousand, and each of these is drawn."""
    X = np.where(np.arange(20_000) % 1_000, 40.0, 0.1)[:, None] + 0.01 * rng.random((20_000, 1))
    table = as_table(X, rng.integers(0, 2, 20_000).astype(float))
    whole = Problem.of(table, LOSSES["binomial"][0], np.zeros(1), True, 0.0, 0.0)
    theta = whole.parameters(np.ones((1, 1)), np.zeros(1))
    part = whole.focused(theta, 100)
    assert part.table.n_rows == 20
    np.testing.assert_allclose(part.hessian(theta), whole.hessian(theta), rtol=1e-7)
