"""The loss of several classes, and the unit step."""

import numpy as np
import pytest
from scipy.special import logsumexp

from linework.losses import LINKS, Binomial, GeneralizedLoss, SoftmaxLoss, unit_step

Array = np.ndarray


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(50)


def square(triangle: Array, k: int) -> Array:
    """(n, k, k) of the upper triangles (n, k(k + 1)/2)."""
    full = np.zeros((len(triangle), k, k))
    first, second = np.triu_indices(k)
    full[:, first, second] = full[:, second, first] = triangle
    return full


@pytest.mark.parametrize("k", [2, 3, 5])
class TestSoftmax:
    def test_value_and_score(self, rng: np.random.Generator, k: int) -> None:
        eta, y = 3.0 * rng.standard_normal((40, k)), rng.integers(0, k, (40, 1)).astype(float)
        label = y[:, 0].astype(int)
        value, score = SoftmaxLoss(k).evaluate(y, eta)
        wanted = logsumexp(eta, axis=1) - eta[np.arange(40), label]
        np.testing.assert_allclose(value, wanted, rtol=1e-13, atol=1e-15)
        for j in range(k):
            step = 1j * 1e-30 * (np.arange(k) == j)
            shifted = np.log(np.exp(eta + step).sum(axis=1)) - (eta + step)[np.arange(40), label]
            np.testing.assert_allclose(score[:, j], -shifted.imag / 1e-30, rtol=1e-12, atol=1e-14)

    def test_curvature_by_finite_differences(self, rng: np.random.Generator, k: int) -> None:
        eta, y = 2.0 * rng.standard_normal((10, k)), rng.integers(0, k, (10, 1)).astype(float)
        loss, h = SoftmaxLoss(k), 1e-5
        curvature = square(loss.curvature(y, eta), k)
        for j in range(k):
            step = h * (np.arange(k) == j)
            up, down = loss.evaluate(y, eta + step)[1], loss.evaluate(y, eta - step)[1]
            np.testing.assert_allclose(curvature[:, j], -(up - down) / (2 * h), atol=1e-9)

    def test_a_constant_changes_nothing(self, rng: np.random.Generator, k: int) -> None:
        eta, y = rng.standard_normal((10, k)), rng.integers(0, k, (10, 1)).astype(float)
        loss = SoftmaxLoss(k)
        for a, b in zip(loss.evaluate(y, eta), loss.evaluate(y, eta + 7.0), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(loss.evaluate(y, eta)[1].sum(axis=1), 0.0, atol=1e-15)
        np.testing.assert_allclose(square(loss.curvature(y, eta), k).sum(axis=2), 0.0, atol=1e-15)

    def test_convex(self, rng: np.random.Generator, k: int) -> None:
        eta = rng.standard_normal((200, k)) * rng.choice([1.0, 30.0, 1e4], (200, 1))
        values = np.linalg.eigvalsh(square(SoftmaxLoss(k).curvature(eta[:, :1], eta), k))
        assert (values > -1e-15).all()

    @pytest.mark.parametrize("size", [800.0, 1e4])
    def test_far_out(self, k: int, size: float) -> None:
        eta = np.zeros((2, k))
        eta[:, 0] = size
        value, score = SoftmaxLoss(k).evaluate(np.array([[0.0], [1.0]]), eta)
        np.testing.assert_array_equal(value, [0.0, size])
        np.testing.assert_array_equal(score[0], np.zeros(k))
        np.testing.assert_array_equal(score[1], [-1.0, 1.0, *np.zeros(k - 2)])
        np.testing.assert_array_equal(SoftmaxLoss(k).curvature(eta[:, :1], eta), 0.0)


def test_two_classes_are_the_binomial_loss(rng: np.random.Generator) -> None:
    eta = np.append(10.0 * rng.standard_normal(50), [1e4, -1e4])
    y = rng.integers(0, 2, (52, 1)).astype(float)
    softmax, binomial = SoftmaxLoss(2), GeneralizedLoss(Binomial(), LINKS["logit"])
    both = np.column_stack([-eta / 2, eta / 2])
    value, score = binomial.evaluate(y, eta[:, None])
    np.testing.assert_allclose(softmax.evaluate(y, both)[0], value, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(softmax.evaluate(y, both)[1][:, 1:], score, rtol=1e-9, atol=1e-15)
    curvature = binomial.curvature(y, eta[:, None])
    np.testing.assert_allclose(
        softmax.curvature(y, both), curvature * [1.0, -1.0, 1.0], rtol=1e-9, atol=1e-15
    )


def test_the_unit_step_is_what_the_logistic_function_tends_to() -> None:
    z = np.array([-np.inf, -2.0, -1e-300, -0.0, 0.0, 1e-300, 3.0, np.inf])
    np.testing.assert_array_equal(unit_step(z), [0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0])
    near = np.array([-2.0, -0.01, 0.0, 0.01, 3.0])
    np.testing.assert_array_equal(unit_step(near), LINKS["logit"].mean(1e5 * near).round(12))
