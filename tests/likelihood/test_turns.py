"""Parameters of families that a fit estimates."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from linework import GLM, infer
from linework.losses import Family, NegativeBinomial, PowerVariance, Tweedie
from linework.losses.compound import loglik

Array = np.ndarray
R = json.loads((Path(__file__).parents[1] / "reference" / "tweedie.json").read_text())["fit"]
X = np.column_stack([R["x1"], R["x2"]])
Y = np.array(R["y"])


def test_the_power_is_r_s() -> None:
    model = GLM(Tweedie(power=None), tol=1e-9).fit(X, Y)
    assert model.family_.power == pytest.approx(R["power"], rel=1e-7)
    coef = np.append(model.intercept_, model.coef_)
    np.testing.assert_allclose(coef, list(R["coef"].values()), rtol=1e-7)
    assert model.deviance_ == pytest.approx(R["deviance"], rel=1e-7)
    assert loglik(Y, model.predict(X), R["power"], R["phi"])[0].sum() == pytest.approx(R["loglik"])


def test_coefficients_power_and_dispersion_maximise_the_likelihood_together() -> None:
    def value(theta: Array) -> float:
        mu = np.exp(theta[0] + X @ theta[1:3])
        return -float(loglik(Y, mu, theta[3], np.exp(theta[4]))[0].sum())

    model = GLM(Tweedie(power=None)).fit(X, Y)
    start = [model.intercept_, *model.coef_, model.family_.power, np.log(R["phi"])]
    found = minimize(value, start, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9})
    # The coefficients of GLM maximise it at every dispersion, whatever that is.
    np.testing.assert_allclose(found.x, start, atol=1e-4)


@pytest.mark.parametrize("weights", [1, 2])
def test_weight_two_is_the_row_twice(weights: int) -> None:
    w = np.arange(len(Y)) % (weights + 1)
    model = GLM(Tweedie(power=None)).fit(X, Y, sample_weight=w)
    twice = GLM(Tweedie(power=None)).fit(np.repeat(X, w, axis=0), np.repeat(Y, w))
    assert model.family_.power == pytest.approx(twice.family_.power, rel=1e-7)
    np.testing.assert_allclose(model.coef_, twice.coef_, rtol=1e-7)


def test_units_of_y_are_in_the_intercept() -> None:
    model, other = (GLM(Tweedie(power=None)).fit(X, s * Y) for s in (1.0, 1e3))
    assert other.family_.power == pytest.approx(model.family_.power, rel=1e-7)
    np.testing.assert_allclose(other.coef_, model.coef_, rtol=1e-6)


def test_offsets_and_penalties_go_along() -> None:
    offset = 0.4 * X[:, 0]
    model = GLM(Tweedie(power=None), alpha=0.1, l1_ratio=0.5).fit(X, Y, offset=offset)
    fixed = GLM(model.family_, alpha=0.1, l1_ratio=0.5).fit(X, Y, offset=offset)
    np.testing.assert_allclose(model.coef_, fixed.coef_, rtol=1e-7)
    np.testing.assert_allclose(model.predict(X, offset), fixed.predict(X, offset), rtol=1e-7)
    assert model.null_deviance_ == pytest.approx(fixed.null_deviance_, rel=1e-12)


def test_inference_counts_the_estimate_as_a_parameter() -> None:
    model = GLM(Tweedie(power=None)).fit(X, Y)
    given, estimated = (infer(m, X, Y) for m in (GLM(model.family_).fit(X, Y), model))
    assert estimated.loglik == pytest.approx(given.loglik, rel=1e-9)
    assert estimated.aic == pytest.approx(given.aic + 2.0, rel=1e-9)
    phi = model.deviance_ / len(Y)
    wanted = loglik(Y, model.predict(X), model.family_.power, phi)[0].sum()
    assert estimated.loglik == pytest.approx(wanted, rel=1e-9)
    np.testing.assert_allclose(estimated.table.std_error, given.table.std_error, rtol=1e-7)


def test_a_later_fit_estimates_anew() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(rng.gamma(2.0, 2.0 * np.exp(0.4 * X[:, 0])))
    model = GLM(Tweedie(power=None)).fit(X, Y)
    model.set_params(family=NegativeBinomial(theta=None)).fit(X, counts)
    fresh = GLM(NegativeBinomial(theta=None)).fit(X, counts)
    assert model.family_ == fresh.family_
    model.set_params(family="poisson").fit(X, counts)
    assert model.family_.name == "poisson"


@dataclass(frozen=True)
class Powered(PowerVariance):
    """A family of one's own, which knows how to estimate its power."""

    power: float | None = 1.4
    name = "powered"
    lowest_included = True

    def most_likely(self, y: Array, mu: Array, weight: Array) -> "Powered":
        return Powered(Tweedie(None).most_likely(y, mu, weight).power)


def test_a_family_of_ones_own_estimates_its_parameter() -> None:
    model = GLM(Powered(None), "log").fit(X, Y)
    wanted = GLM(Tweedie(None)).fit(X, Y)
    assert model.family_.power == pytest.approx(wanted.family_.power, rel=1e-8)
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-8)


@dataclass(frozen=True)
class Silent(PowerVariance):
    """One that does not."""

    power: float | None = 1.4
    name = "silent"
    lowest_included = True


@dataclass(frozen=True)
class Restless(Silent):
    """One whose estimate is another every time."""

    def most_likely(self, y: Array, mu: Array, weight: Array) -> Any:
        return Restless(1.2 if self.known("power") > 1.5 else 1.8)


@pytest.mark.parametrize(
    ("family", "error", "words"),
    [
        (Silent(None), NotImplementedError, "'silent' has no method most_likely"),
        (Restless(None), ValueError, r"power of the silent family did not settle: it is 1\.[28]"),
    ],
)
def test_families_that_do_not_come_to_an_end(
    family: Family, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        GLM(family).fit(X, Y)
