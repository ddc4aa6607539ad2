"""Every family under every link, against its textbook formulas and against derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import erfc

from linework.losses import (
    FAMILIES,
    LINKS,
    Binomial,
    Family,
    Gamma,
    Gaussian,
    GeneralizedLoss,
    InverseGaussian,
    Link,
    NegativeBinomial,
    Poisson,
    Power,
    Tweedie,
)

Array = np.ndarray
Plain = Callable[[Any], Any]

# Means as anyone would write them, which take complex numbers.
MEANS: dict[str, Plain] = {
    "identity": lambda eta: eta,
    "log": np.exp,
    "logit": lambda eta: 1.0 / (1.0 + np.exp(-eta)),
    "probit": lambda eta: 0.5 * erfc(-eta / np.sqrt(2.0)),
    "cloglog": lambda eta: 1.0 - np.exp(-np.exp(eta)),
    "loglog": lambda eta: np.exp(-np.exp(-eta)),
    "cauchit": lambda eta: 0.5 + np.arctan(eta) / np.pi,
    "inverse": lambda eta: 1.0 / eta,
    "inverse_square": lambda eta: eta**-0.5,
    "sqrt": lambda eta: eta**2,
    "power 3": lambda eta: eta ** (1.0 / 3.0),
    "power -0.5": lambda eta: eta**-2.0,
}
ALL_LINKS: dict[str, Link] = {**LINKS, "power 3": Power(3.0), "power -0.5": Power(-0.5)}
SIGMOIDS = ("logit", "probit", "cloglog", "loglog", "cauchit")


def half_deviance(p: float) -> Callable[[Any, Any], Any]:
    def loss(y: Any, mu: Any) -> Any:
        return -y * mu ** (1 - p) / (1 - p) + mu ** (2 - p) / (2 - p)

    return loss


# Each family with its loss up to what has no μ, its variance, and y's of its range.
FORMULAS: dict[str, tuple[Family, Plain, Callable[[Any, Any], Any], list[float]]] = {
    "gaussian": (Gaussian(), np.ones_like, lambda y, mu: (y - mu) ** 2 / 2, [-2.0, 0.0, 0.7, 5.0]),
    "binomial": (
        Binomial(),
        lambda mu: mu * (1 - mu),
        lambda y, mu: -y * np.log(mu) - (1 - y) * np.log(1 - mu),
        [0.0, 0.25, 0.8, 1.0],
    ),
    "poisson": (
        Poisson(),
        lambda mu: mu,
        lambda y, mu: mu - y * np.log(mu),
        [0.0, 0.5, 1.0, 12.0],
    ),
    "gamma": (Gamma(), lambda mu: mu**2, lambda y, mu: y / mu + np.log(mu), [0.01, 1.0, 12.0]),
    "inverse_gaussian": (
        InverseGaussian(),
        lambda mu: mu**3,
        lambda y, mu: y / (2 * mu**2) - 1 / mu,
        [0.01, 1.0, 12.0],
    ),
    "tweedie 1.5": (
        Tweedie(1.5),
        lambda mu: mu**1.5,
        half_deviance(1.5),
        [0.0, 0.01, 1.0, 12.0],
    ),
    "tweedie 2.7": (Tweedie(2.7), lambda mu: mu**2.7, half_deviance(2.7), [0.01, 1.0, 12.0]),
    "tweedie 1": (
        Tweedie(1.0),
        lambda mu: mu,
        lambda y, mu: mu - y * np.log(mu),
        [0.0, 0.5, 12.0],
    ),
    "negative_binomial 2": (
        NegativeBinomial(2.0),
        lambda mu: mu + mu**2 / 2.0,
        lambda y, mu: (y + 2.0) * np.log(mu + 2.0) - y * np.log(mu),
        [0.0, 0.5, 1.0, 12.0],
    ),
    "negative_binomial 0.3": (
        NegativeBinomial(0.3),
        lambda mu: mu + mu**2 / 0.3,
        lambda y, mu: (y + 0.3) * np.log(mu + 0.3) - y * np.log(mu),
        [0.0, 1.0, 12.0],
    ),
}
PAIRS = [
    (family, link)
    for family in FORMULAS
    for link in ALL_LINKS
    if link not in SIGMOIDS or family == "binomial"
]
every_pair = pytest.mark.parametrize(("family", "link"), PAIRS)
every_family = pytest.mark.parametrize("family", FORMULAS)
every_link = pytest.mark.parametrize("link", ALL_LINKS)

STEP = 1e-30
"""Of a complex step: so small that its square is nothing beside one."""


def predictors(link: str, probability: bool) -> Array:
    """Linear predictors all over the inside of the link's domain."""
    if link in SIGMOIDS:
        return np.array([-2.5, -0.8, 0.0, 0.4, 1.3])
    if not probability:
        return np.array([0.2, 0.9, 1.0, 2.5])
    return np.sort(ALL_LINKS[link].link(np.array([0.03, 0.3, 0.5, 0.9, 0.98])))


def grid(family: str, link: str) -> tuple[GeneralizedLoss, Array, Array]:
    """The loss, and y (n, 1) and η (n, 1) for each of its y at each linear predictor."""
    eta, y = np.meshgrid(predictors(link, family == "binomial"), FORMULAS[family][3])
    return (
        GeneralizedLoss(FORMULAS[family][0], ALL_LINKS[link]),
        y.reshape(-1, 1),
        eta.reshape(-1, 1),
    )


def step(link: str, eta: Array) -> Array:
    """A small step that stays in the domain."""
    return 1e-5 * (np.ones_like(eta) if link in SIGMOIDS else np.abs(eta))


def test_the_tables_hold_all_there_is() -> None:
    assert {type(family) for family, *_ in FORMULAS.values()} == set(FAMILIES.values())
    assert set(LINKS) < set(MEANS)
    assert set(MEANS) == set(ALL_LINKS)
    for name, family in FAMILIES.items():
        assert family().name == name
        assert family().default_link in LINKS


@every_link
class TestLinks:
    def test_mean_and_slope(self, link: str) -> None:
        it, eta = ALL_LINKS[link], predictors(link, True)
        mu = MEANS[link](eta + 1j * STEP)
        np.testing.assert_allclose(it.mean(eta), mu.real, rtol=1e-14)
        np.testing.assert_allclose(it.slope(eta), mu.imag / STEP, rtol=1e-13)
        np.testing.assert_allclose(it.link(it.mean(eta)), eta, rtol=1e-13, atol=1e-15)
        assert it.increasing == (it.slope(eta) > 0.0).all()

    def test_logarithms(self, link: str) -> None:
        it, eta = ALL_LINKS[link], predictors(link, True)
        mu = MEANS[link](eta)
        np.testing.assert_allclose(it.log_mean(eta), np.log(mu), rtol=1e-12)
        np.testing.assert_allclose(it.log_complement(eta), np.log(1.0 - mu), rtol=1e-12)
        np.testing.assert_allclose(np.exp(it.log_slope(eta)), np.abs(it.slope(eta)), rtol=1e-13)
        by_success, by_failure = np.exp(it.log_rates(eta))
        np.testing.assert_allclose(by_success, np.abs(it.slope(eta)) / mu, rtol=1e-12)
        np.testing.assert_allclose(by_failure, np.abs(it.slope(eta)) / (1.0 - mu), rtol=1e-12)


@pytest.mark.parametrize("link", [link for link in SIGMOIDS if link != "loglog"])
def test_sigmoids_keep_their_digits_in_the_tails(link: str) -> None:
    it = LINKS[link]
    tails = {  # ln μ far left, from the first terms of the series of each
        "logit": lambda eta: eta - np.exp(eta),
        "probit": lambda eta: (
            -(eta**2) / 2
            - np.log(-eta * np.sqrt(2 * np.pi))
            + np.log1p(-1 / eta**2 + 3 / eta**4 - 15 / eta**6)
        ),
        "cloglog": lambda eta: eta - np.exp(eta) / 2,
        "cauchit": lambda eta: np.log((-1 / eta + 1 / (3 * eta**3) - 1 / (5 * eta**5)) / np.pi),
    }
    eta = np.array([-1e4, -1e3, -50.0])
    np.testing.assert_allclose(it.log_mean(eta), tails[link](eta), rtol=1e-9)
    rate = np.exp(it.log_rates(eta)[0])
    wanted = {"logit": 1.0, "cloglog": 1.0, "probit": -eta * (1 + 1 / eta**2), "cauchit": -1 / eta}
    np.testing.assert_allclose(rate, wanted[link] * np.ones(3), rtol=1e-3)
    if link != "cloglog":  # the others are symmetric
        np.testing.assert_array_equal(it.log_complement(-eta), it.log_mean(eta))
        np.testing.assert_array_equal(it.log_rates(-eta)[1], it.log_rates(eta)[0])


def test_loglog_is_cloglog_from_the_other_side() -> None:
    eta, loglog, cloglog = np.array([-6.0, -0.3, 40.0, 700.0]), LINKS["loglog"], LINKS["cloglog"]
    np.testing.assert_array_equal(loglog.log_mean(eta), cloglog.log_complement(-eta))
    np.testing.assert_array_equal(loglog.log_complement(eta), cloglog.log_mean(-eta))
    np.testing.assert_array_equal(loglog.log_rates(eta), cloglog.log_rates(-eta)[::-1])


def test_a_certain_failure_under_cloglog_costs_its_hazard() -> None:
    # −ln(1 − μ) = exp η is the loss and its own derivative, also where μ rounds to one
    eta = np.array([[-1e4], [-30.0], [0.0], [40.0], [300.0]])
    value, score = GeneralizedLoss(Binomial(), LINKS["cloglog"]).evaluate(0.0 * eta, eta)
    np.testing.assert_allclose(value, np.exp(eta[:, 0]), rtol=1e-14)
    np.testing.assert_allclose(score, -np.exp(eta), rtol=1e-13)


@every_pair
class TestDerivatives:
    def test_value_is_the_formula_up_to_a_constant(self, family: str, link: str) -> None:
        loss, y, eta = grid(family, link)
        plain = FORMULAS[family][2](y, MEANS[link](eta))
        excess = loss.evaluate(y, eta)[0] - plain[:, 0]
        for value in np.unique(y):  # a constant for each y
            these = excess[y[:, 0] == value]
            np.testing.assert_allclose(these, these[0], rtol=1e-10, atol=1e-12)

    def test_score_by_a_complex_step(self, family: str, link: str) -> None:
        loss, y, eta = grid(family, link)
        plain = FORMULAS[family][2](y, MEANS[link](eta + 1j * STEP)).imag / STEP
        score = loss.evaluate(y, eta)[1]
        np.testing.assert_allclose(score, -plain, rtol=1e-10, atol=1e-12)

    def test_score_by_finite_differences(self, family: str, link: str) -> None:
        loss, y, eta = grid(family, link)
        h = step(link, eta)
        slope = (loss.evaluate(y, eta + h)[0] - loss.evaluate(y, eta - h)[0]) / (2 * h[:, 0])
        score = loss.evaluate(y, eta)[1][:, 0]
        np.testing.assert_allclose(-slope, score, rtol=1e-6, atol=1e-6 * np.abs(score).max())

    def test_curvature_is_squared_slope_by_variance(self, family: str, link: str) -> None:
        loss, y, eta = grid(family, link)
        mu = MEANS[link](eta + 1j * STEP)
        wanted = (mu.imag / STEP) ** 2 / FORMULAS[family][1](mu.real)
        np.testing.assert_allclose(loss.curvature(y, eta), wanted, rtol=1e-11)

    def test_curvature_is_the_slope_of_the_score_where_y_is_expected(
        self, family: str, link: str
    ) -> None:
        loss, _, eta = grid(family, link)
        mu, h = MEANS[link](eta), step(link, eta)
        slope = (loss.evaluate(mu, eta + h)[1] - loss.evaluate(mu, eta - h)[1]) / (2 * h)
        np.testing.assert_allclose(-slope, loss.curvature(mu, eta), rtol=1e-5)

    def test_saturated_is_the_least_loss(self, family: str, link: str) -> None:
        loss, y, eta = grid(family, link)
        least = loss.family.saturated(y[:, 0])
        value = loss.evaluate(y, eta)[0]
        assert (value >= least - 1e-12).all()
        at_mean = GeneralizedLoss(loss.family, loss.link).evaluate(MEANS[link](eta), eta)
        np.testing.assert_allclose(
            at_mean[0], loss.family.saturated(MEANS[link](eta))[:, 0], rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(at_mean[1], 0.0, atol=1e-9)


CANONICAL = {
    "gaussian": "identity",
    "binomial": "logit",
    "poisson": "log",
    "gamma": "inverse",
    "inverse_gaussian": "inverse_square",
}


@pytest.mark.parametrize(("family", "link"), CANONICAL.items())
def test_canonical_links_have_the_same_curvature_for_every_y(family: str, link: str) -> None:
    loss, y, eta = grid(family, link)
    h = 1e-5
    slope = (loss.evaluate(y, eta + h)[1] - loss.evaluate(y, eta - h)[1]) / (2 * h)
    np.testing.assert_allclose(-slope, loss.curvature(y, eta), rtol=1e-6, atol=1e-9)


# Losses that are said to be convex in η for every y of the family.
CONVEX = [
    (family, link) for family in FORMULAS for link in sorted(FORMULAS[family][0].convex_links)
]


@pytest.mark.parametrize(("family", "link"), CONVEX)
@given(data=st.data())
def test_convex(family: str, link: str, data: st.DataObject) -> None:
    loss, ys = GeneralizedLoss(FORMULAS[family][0], ALL_LINKS[link]), FORMULAS[family][3]
    if family == "binomial" and link == "identity":
        inside = st.floats(1e-3, 1.0 - 1e-3)
    elif family == "binomial" and link == "log":
        inside = st.floats(-50.0, -1e-3)
    elif link in ("identity", "sqrt", "inverse", "inverse_square") and family != "gaussian":
        inside = st.floats(1e-3, 50.0)
    else:
        inside = st.floats(-50.0, 50.0)
    y, a, b = (data.draw(s) for s in (st.sampled_from(ys), inside, inside))
    share = data.draw(st.floats(0.0, 1.0))
    eta = np.array([a, b, share * a + (1.0 - share) * b])[:, None]
    value, score = loss.evaluate(np.full((3, 1), y), eta)
    chord = share * value[0] + (1.0 - share) * value[1]
    assert value[2] <= chord + 1e-10 * (1.0 + np.abs(value).max())
    # and the tangent at the third lies below
    for end in range(2):
        tangent = value[2] - score[2, 0] * (eta[end, 0] - eta[2, 0])
        assert tangent <= value[end] + 1e-10 * (1.0 + abs(tangent) + np.abs(value).max())


def test_the_usual_pairs_are_said_to_be_convex() -> None:
    assert {(family, FORMULAS[family][0].default_link) for family in FORMULAS} - set(CONVEX) == {
        ("tweedie 2.7", "log")
    }


def test_a_pair_that_is_not_convex_is_found_out() -> None:
    loss = GeneralizedLoss(Binomial(), LINKS["cauchit"])
    value = loss.evaluate(np.ones((3, 1)), np.array([[-20.0], [-10.0], [0.0]]))[0]
    assert value[1] > (value[0] + value[2]) / 2


@every_pair
@pytest.mark.parametrize("eta", [-1e4, -800.0, -40.0, 0.0, 40.0, 800.0, 1e4])
def test_far_out_is_a_number_or_infinitely_bad(family: str, link: str, eta: float) -> None:
    loss = GeneralizedLoss(FORMULAS[family][0], ALL_LINKS[link])
    y = np.array(FORMULAS[family][3])[:, None]
    at = np.full_like(y, eta)
    value, score = loss.evaluate(y, at)
    curvature = loss.curvature(y, at)
    assert not np.isnan(value).any()
    assert (value >= loss.family.saturated(y[:, 0]) - 1e-9).all()
    inside = value < np.inf
    assert np.isfinite(score[inside]).all()
    assert np.isfinite(curvature[inside]).all()
    assert (curvature[inside] >= 0.0).all()


@pytest.mark.parametrize("link", SIGMOIDS)
@pytest.mark.parametrize("eta", [-1e4, 1e4])
def test_a_sigmoid_takes_any_number(link: str, eta: float) -> None:
    loss = GeneralizedLoss(Binomial(), LINKS[link])
    y = np.array([[float(eta > 0.0)]])
    value, score = loss.evaluate(y, np.array([[eta]]))
    assert 0.0 <= value[0] < 1e-4
    assert abs(score[0, 0]) < 1e-4
    assert 0.0 <= loss.curvature(y, np.array([[eta]]))[0, 0] < 1e-4


class TestDomain:
    """Where the mean leaves the range of the family the loss is infinite, and not just smaller."""

    @pytest.mark.parametrize(
        ("family", "link", "eta"),
        [
            ("binomial", "log", 0.5),  # μ = 1.6 would have likelihood 1.6 where y = 1
            ("binomial", "log", 0.0),
            ("binomial", "identity", 1.5),
            ("binomial", "identity", -0.5),
            ("binomial", "identity", 0.0),
            ("binomial", "sqrt", 1.2),
            ("binomial", "inverse", 0.5),
            ("poisson", "identity", -1.0),
            ("poisson", "identity", 0.0),
            ("poisson", "sqrt", -1.0),
            ("poisson", "sqrt", 0.0),
            ("gamma", "inverse", -1.0),
            ("gamma", "inverse", 0.0),
            ("gamma", "identity", 0.0),
            ("inverse_gaussian", "inverse_square", 0.0),
            ("tweedie 1.5", "identity", 0.0),
            ("negative_binomial 2", "identity", 0.0),
            ("gaussian", "inverse", -1.0),
        ],
    )
    def test_outside(self, family: str, link: str, eta: float) -> None:
        loss, ys = GeneralizedLoss(FORMULAS[family][0], LINKS[link]), FORMULAS[family][3]
        y = np.array(ys)[:, None]
        assert (loss.evaluate(y, np.full_like(y, eta))[0] == np.inf).all()

    @every_family
    def test_y(self, family: str) -> None:
        it, _, _, ys = FORMULAS[family]
        assert not it.outside(np.array(ys)).any()
        if family != "gaussian":
            assert it.outside(np.array([-0.1])).all()
        assert it.outside(np.array([0.0])).all() == (0.0 not in ys)
        assert it.outside(np.array([1.1])).all() == (family == "binomial")

    @pytest.mark.parametrize(
        ("family", "words"),
        [
            (Binomial(), "from 0 to 1"),
            (Poisson(), "0 or more"),
            (Gamma(), "above 0"),
            (Tweedie(1.5), "0 or more"),
            (Tweedie(2.0), "above 0"),
        ],
    )
    def test_its_words(self, family: Family, words: str) -> None:
        assert family.range == words


@every_family
def test_variance(family: str) -> None:
    it, variance, *_ = FORMULAS[family]
    mu = np.array([0.01, 0.3, 0.9])
    np.testing.assert_allclose(it.variance(mu), variance(mu), rtol=1e-13)


@pytest.mark.parametrize(
    ("family", "density"),
    [
        (Gaussian(), lambda y, mu, w, phi: stats.norm.logpdf(y, mu, np.sqrt(phi / w))),
        (Poisson(), lambda y, mu, w, phi: w * stats.poisson.logpmf(y, mu)),
        (Gamma(), lambda y, mu, w, phi: stats.gamma.logpdf(y, w / phi, scale=mu * phi / w)),
        (
            InverseGaussian(),
            lambda y, mu, w, phi: stats.invgauss.logpdf(y, mu * phi / w, scale=w / phi),
        ),
        (
            NegativeBinomial(2.5),
            lambda y, mu, w, phi: w * stats.nbinom.logpmf(y, 2.5, 2.5 / (2.5 + mu)),
        ),
        (Tweedie(2.0), lambda y, mu, w, phi: stats.gamma.logpdf(y, w / phi, scale=mu * phi / w)),
        (Tweedie(1.0), lambda y, mu, w, phi: w * stats.poisson.logpmf(y, mu)),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_loglik_is_the_logarithm_of_the_density(family: Family, density: Any) -> None:
    y, mu = np.array([1.0, 2.0, 5.0]), np.array([0.5, 2.0, 7.0])
    weight, phi = np.array([1.0, 2.0, 3.0]), 0.7
    np.testing.assert_allclose(
        family.loglik(y, mu, weight, phi), density(y, mu, weight, phi), rtol=1e-12
    )


def test_loglik_of_shares_counts_the_ways() -> None:
    share, trials, mu = np.array([0.0, 0.25, 1.0]), np.array([1.0, 4.0, 3.0]), np.full(3, 0.3)
    wanted = stats.binom.logpmf(share * trials, trials, mu)
    np.testing.assert_allclose(Binomial().loglik(share, mu, trials, 1.0), wanted, rtol=1e-12)


@every_family
def test_losses_and_likelihoods_differ_as_much(family: str) -> None:
    """The difference of two log likelihoods is that of the losses, times weight / φ."""
    it, _, _, ys = FORMULAS[family]
    phi = 0.7 if it.dispersed and family != "tweedie 1" else 1.0
    y, near, far = (np.array(a)[:, None] for a in (ys, [0.2] * len(ys), [0.9] * len(ys)))
    weight, loss = np.full_like(y, 2.0), GeneralizedLoss(it, LINKS["identity"])
    likelihoods = it.loglik(y, far, weight, phi) - it.loglik(y, near, weight, phi)
    if family == "tweedie 2.7":
        assert np.isnan(likelihoods).all()  # its series would cancel
        return
    losses = loss.evaluate(y, near)[0] - loss.evaluate(y, far)[0]
    np.testing.assert_allclose(2.0 * losses / phi, likelihoods[:, 0], rtol=1e-11)


class TestLimits:
    """Families that meet: Tweedie at whole powers, the negative binomial at infinite θ."""

    @pytest.mark.parametrize(
        ("power", "limit"), [(1.0, Poisson()), (2.0, Gamma()), (3.0, InverseGaussian())]
    )
    def test_tweedie(self, power: float, limit: Family) -> None:
        y, eta = np.array([[0.5], [2.0]]), np.array([[0.3], [-0.4]])
        for link in (LINKS["log"], LINKS["sqrt"]):
            one, other = (GeneralizedLoss(f, link) for f in (Tweedie(power), limit))
            for a, b in zip(one.evaluate(y, eta), other.evaluate(y, eta), strict=True):
                np.testing.assert_array_equal(a, b)
        near = GeneralizedLoss(Tweedie(power + 1e-7), LINKS["log"])
        at = GeneralizedLoss(limit, LINKS["log"])
        np.testing.assert_allclose(near.evaluate(y, eta)[1], at.evaluate(y, eta)[1], rtol=1e-5)
        deviances = [f.evaluate(y, eta)[0] - f.family.saturated(y[:, 0]) for f in (near, at)]
        np.testing.assert_allclose(*deviances, rtol=1e-5)

    def test_negative_binomial(self) -> None:
        y, eta = np.array([[0.0], [3.0]]), np.array([[0.3], [-0.4]])
        near = GeneralizedLoss(NegativeBinomial(1e10), LINKS["log"])
        at = GeneralizedLoss(Poisson(), LINKS["log"])
        np.testing.assert_allclose(near.evaluate(y, eta)[1], at.evaluate(y, eta)[1], rtol=1e-8)


class TestSentences:
    @pytest.mark.parametrize("power", [0.5, 0.0, -1.0, np.inf, np.nan])
    def test_tweedie(self, power: float) -> None:
        with pytest.raises(ValueError, match=r"power of a Tweedie family is .* from 1 on"):
            Tweedie(power)

    @pytest.mark.parametrize("theta", [0.0, -1.0, np.inf, np.nan])
    def test_negative_binomial(self, theta: float) -> None:
        with pytest.raises(ValueError, match=r"theta of a negative binomial family is .* above"):
            NegativeBinomial(theta)

    @pytest.mark.parametrize("exponent", [0.0, np.inf, np.nan])
    def test_power(self, exponent: float) -> None:
        with pytest.raises(ValueError, match=r"exponent of a power link is .* finite number"):
            Power(exponent)
