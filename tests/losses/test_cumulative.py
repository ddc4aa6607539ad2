"""The loss of ordered classes: against its plain formula, at the ends, and far out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import erfc

from linework.losses import LINKS, Binomial, CumulativeLoss, GeneralizedLoss

Array = np.ndarray

# Distribution functions as anyone would write them, which take complex numbers.
PLAIN: dict[str, Callable[[Any], Any]] = {
    "logit": lambda eta: 1.0 / (1.0 + np.exp(-eta)),
    "probit": lambda eta: 0.5 * erfc(-eta / np.sqrt(2.0)),
    "cloglog": lambda eta: 1.0 - np.exp(-np.exp(eta)),
    "loglog": lambda eta: np.exp(-np.exp(-eta)),
    "cauchit": lambda eta: 0.5 + np.arctan(eta) / np.pi,
}
every_link = pytest.mark.parametrize("link", PLAIN)
number_of_classes = pytest.mark.parametrize("K", [2, 3, 5])


def rows(K: int, n: int = 40) -> tuple[Array, Array]:
    """Class numbers (n, 1) and increasing predictors (n, K − 1)."""
    rng = np.random.default_rng(K)
    eta = np.sort(rng.uniform(-2.5, 2.0, (n, K - 1)), axis=1) + 0.1 * np.arange(K - 1)
    return rng.integers(0, K, (n, 1)).astype(float), eta


def plain_value(link: str, y: Array, eta: Array) -> Array:
    below = np.column_stack([0.0 * eta[:, 0], PLAIN[link](eta), 1.0 + 0.0 * eta[:, 0]])
    each, g = np.arange(len(y)), y[:, 0].astype(int)
    return -np.log(below[each, g + 1] - below[each, g])


@every_link
@number_of_classes
class TestAgainstThePlainFormula:
    def test_value_and_score(self, link: str, K: int) -> None:
        y, eta = rows(K)
        value, score = CumulativeLoss(LINKS[link], K - 1).evaluate(y, eta)
        np.testing.assert_allclose(value, plain_value(link, y, eta), rtol=1e-12)
        for j, step in enumerate(1e-30j * np.eye(K - 1)):
            wanted = -plain_value(link, y, eta + step).imag / 1e-30
            np.testing.assert_allclose(score[:, j], wanted, rtol=1e-11, atol=1e-14)

    def test_second_derivatives(self, link: str, K: int) -> None:
        (y, eta), loss, h = rows(K), CumulativeLoss(LINKS[link], K - 1), 1e-5
        first, second = np.triu_indices(K - 1)
        upper = loss.curvature(y, eta)
        for j, unit in enumerate(np.eye(K - 1)):
            up, down = (loss.evaluate(y, eta + s * h * unit)[1] for s in (1, -1))
            column = loss.product(y, eta, np.tile(unit, (len(y), 1)))
            np.testing.assert_allclose(column, -(up - down) / (2 * h), rtol=1e-6, atol=1e-8)
            np.testing.assert_array_equal(column[:, : j + 1], upper[:, second == j])
            np.testing.assert_array_equal(column[:, j:], upper[:, first == j])

    def test_shares(self, link: str, K: int) -> None:
        (_, eta), loss = rows(K), CumulativeLoss(LINKS[link], K - 1)
        log_share = loss.log_shares(eta)
        np.testing.assert_allclose(np.exp(log_share).sum(axis=1), 1.0, rtol=1e-13)
        # The mean score over the classes is zero: the shares are those of the loss.
        mean = sum(
            np.exp(-value)[:, None] * score
            for value, score in (loss.evaluate(np.full((len(eta), 1), k), eta) for k in range(K))
        )
        np.testing.assert_allclose(mean, 0.0, atol=1e-14)


@every_link
def test_two_classes_are_the_binomial_loss_of_the_lower(link: str) -> None:
    eta = np.linspace(-4.0, 4.0, 21)[:, None]
    ordered, binomial = CumulativeLoss(LINKS[link], 1), GeneralizedLoss(Binomial(), LINKS[link])
    for g in (0.0, 1.0):
        y = np.full_like(eta, g)
        for a, b in zip(ordered.evaluate(y, eta), binomial.evaluate(1.0 - y, eta), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


@every_link
def test_rows_between_crossed_thresholds_are_outside_the_domain(link: str) -> None:
    eta = np.array([[0.3, 0.3], [1.0, -1.0], [1e4, 0.0]])
    value, _ = CumulativeLoss(LINKS[link], 2).evaluate(np.ones((3, 1)), eta)
    np.testing.assert_array_equal(value, np.inf)


def test_convex_for_all_links_but_cauchit() -> None:
    y, eta = rows(3, 400)
    for link in PLAIN:
        upper = CumulativeLoss(LINKS[link], 2).curvature(y, 3.0 * eta)
        least = np.linalg.eigvalsh(upper[:, [[0, 1], [1, 2]]])[:, 0]
        scale = np.abs(upper).max(axis=1)
        assert (least < -1e-3 * scale).any() == (link == "cauchit")
        assert (least > -1e-12 * scale).all() == (link != "cauchit")


@pytest.mark.parametrize("shift", [-1e4, -700.0, -40.0, 40.0, 700.0, 1e4])
def test_logit_keeps_its_digits_far_out(shift: float) -> None:
    """F(a) − F(b) = F(a) F(−b) (1 − exp(b − a)), without a difference."""
    loss, y = CumulativeLoss(LINKS["logit"], 2), np.array([[0.0], [1.0], [2.0]])
    low, high = shift - 0.5, shift + 0.5
    eta = np.tile([low, high], (3, 1))
    value, score = loss.evaluate(y, eta)
    mean, log_mean = LINKS["logit"].mean, LINKS["logit"].log_mean
    middle = -log_mean(high) - log_mean(-low) - np.log(-np.expm1(-1.0))
    np.testing.assert_allclose(value, [-log_mean(low), middle, -log_mean(-high)], rtol=1e-11)
    along = [mean(-low), mean(-high) - mean(low), -mean(high)]
    np.testing.assert_allclose(score.sum(axis=1), along, rtol=1e-11, atol=1e-16)
    assert np.isfinite(loss.curvature(y, eta)).all()
