"""Densities of Poisson sums of gamma amounts, and the power of the largest likelihood."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import wright_bessel

from linework.losses import Tweedie
from linework.losses.compound import loglik, most_likely_power

Array = np.ndarray
R = json.loads((Path(__file__).parents[1] / "reference" / "tweedie.json").read_text())
Y = np.array([0.0, 1e-7, 0.05, 1.0, 8.0, 300.0])
MU = np.array([1.0, 0.3, 0.6, 1.5, 3.0, 90.0])
ALL_BUT_EQUAL = 2.0 + 1e-6 * np.arange(60)
POWERS = [1.02, 1.2, 1.5, 1.8, 1.98]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(50)


def draw(rng: np.random.Generator, mu: Array, power: float, phi: float) -> Array:
    """As many gamma amounts as a Poisson number says, summed."""
    number = rng.poisson(mu ** (2.0 - power) / (phi * (2.0 - power)))
    shape = number * (2.0 - power) / (power - 1.0)
    amount = rng.gamma(np.maximum(shape, 1e-9), phi * (power - 1.0) * mu ** (power - 1.0))
    return np.where(number > 0, amount, 0.0)


class TestDensity:
    def test_it_is_that_of_mgcv(self) -> None:
        grid = {name: np.array(column) for name, column in R["density"].items()}
        for power in np.unique(grid["power"]):
            at = grid["power"] == power
            value, _ = loglik(grid["y"][at], grid["mu"][at], power, grid["phi"][at])
            np.testing.assert_allclose(value, grid["log_density"][at], rtol=2e-12)

    def test_the_series_is_wright_s_function(self) -> None:
        y, mu, power, phi = Y[1:5], MU[1:5], 1.4, 0.9
        a = (2.0 - power) / (power - 1.0)
        z = (y / (power - 1.0)) ** a / (phi ** (1.0 + a) * (2.0 - power))
        exponent = y * mu ** (1.0 - power) / (1.0 - power) - mu ** (2.0 - power) / (2.0 - power)
        wanted = np.log(wright_bessel(a, 0.0, z) / y) + exponent / phi
        np.testing.assert_allclose(loglik(y, mu, power, phi)[0], wanted, rtol=1e-12)

    @pytest.mark.parametrize("power", [1.3, 1.6, 1.9])
    def test_probabilities_add_up_to_one(self, power: float) -> None:
        mu, phi = 1.7, 0.8

        def density(t: float) -> float:  # of y = t^10, which spreads out what is near zero
            value, _ = loglik(np.array([t**10]), np.array([mu]), power, phi)
            return float(np.exp(value[0]) * 10.0 * t**9)

        zero = np.exp(loglik(np.zeros(1), np.array([mu]), power, phi)[0][0])
        assert zero + quad(density, 0.0, 2.0, limit=200)[0] == pytest.approx(1.0, abs=1e-7)

    @pytest.mark.parametrize("phi", [0.02, 1.0, 30.0])
    @pytest.mark.parametrize("power", POWERS)
    def test_derivatives(self, power: float, phi: float) -> None:
        h = 1e-5
        _, slopes = loglik(Y, MU, power, phi)
        for column, (up, down) in enumerate(
            [
                (loglik(Y, MU, power + h, phi)[0], loglik(Y, MU, power - h, phi)[0]),
                (
                    loglik(Y, MU, power, phi * np.exp(h))[0],
                    loglik(Y, MU, power, phi / np.exp(h))[0],
                ),
            ]
        ):
            wanted = (up - down) / (2.0 * h)
            np.testing.assert_allclose(slopes[:, column], wanted, rtol=2e-5, atol=1e-5)

    @pytest.mark.parametrize("phi", [0.05, 1.0, 30.0])
    @pytest.mark.parametrize("power", POWERS)
    def test_no_term_that_counts_is_left_out(
        self, monkeypatch: pytest.MonkeyPatch, power: float, phi: float
    ) -> None:
        value, _ = loglik(Y, MU, power, phi)
        monkeypatch.setattr("linework.losses.compound.NEGLIGIBLE", 400.0)
        np.testing.assert_allclose(value, loglik(Y, MU, power, phi)[0], rtol=1e-13)

    def test_rows_in_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        value, slopes = loglik(Y, MU, 1.5, 0.5)
        monkeypatch.setattr("linework.losses.compound.CELLS", 100)
        for whole, parts in zip((value, slopes), loglik(Y, MU, 1.5, 0.5), strict=True):
            np.testing.assert_allclose(whole, parts, rtol=1e-13)

    def test_weight_divides_the_dispersion(self) -> None:
        value = Tweedie(1.5).loglik(Y, MU, np.full(6, 4.0), 2.0)
        np.testing.assert_allclose(value, loglik(Y, MU, 1.5, 0.5)[0], rtol=1e-14)


class TestPower:
    @pytest.mark.parametrize("power", [1.15, 1.5, 1.85])
    def test_no_other_has_a_larger_likelihood(self, rng: np.random.Generator, power: float) -> None:
        mu = np.exp(rng.standard_normal(600))
        y, w = draw(rng, mu, power, 0.7), rng.integers(1, 4, 600).astype(float)
        found = most_likely_power(y, mu, w)
        assert found == pytest.approx(power, abs=0.1)

        def profile(p: float) -> float:
            values = [w @ loglik(y, mu, p, phi)[0] for phi in np.geomspace(0.5, 1.0, 60)]
            return float(max(values))

        near = found + np.array([-0.1, -0.02, 0.0, 0.02, 0.1])
        values = [profile(p) for p in near[(near > 1.02) & (near < 1.98)]]
        best = values.index(max(values))
        assert near[(near > 1.02) & (near < 1.98)][best] == found

    def test_a_sample_of_the_rows_begins_and_all_decide(self, rng: np.random.Generator) -> None:
        mu = np.full(5_001, 2.0)
        y = draw(rng, mu, 1.6, 1.0)
        y[::2] = draw(rng, mu[::2], 1.2, 1.0)  # of which the sample is
        found = most_likely_power(y, mu, np.ones(5_001))
        order = rng.permutation(5_001)
        shuffled = most_likely_power(y[order], mu, np.ones(5_001))
        assert found == pytest.approx(shuffled, rel=1e-10)

    @pytest.mark.parametrize(
        "y",
        [
            np.zeros(60),
            np.full(60, 2.0),
            ALL_BUT_EQUAL,
            np.random.default_rng(0).gamma(2.0, size=60) + 1.0,
        ],
        ids=["zeros", "one number", "all but one number", "far from zero"],
    )
    def test_others_than_its_rows_are_refused(self, y: Array) -> None:
        with pytest.raises(ValueError, match=r"No power of a Tweedie family from 1\.01 to 1\.99"):
            most_likely_power(y, np.full(60, max(y.mean(), 0.1)), np.ones(60))
