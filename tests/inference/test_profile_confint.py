"""Profile-likelihood intervals against R, against brute force, and where they have no end."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq, minimize
from scipy.special import xlogy

from linework import GLM, LogisticRegression, SeparationWarning, infer, profile_confint
from linework.inference.tails import central_quantile

Z = 1.959963984540054


@pytest.mark.parametrize(
    ("name", "rtol"), [("am", 1e-5), ("wool", 1e-7), ("inverse_gaussian", 1e-6)]
)
def test_r(likelihood_case, name, rtol):
    """R interpolates between fits a fiftieth of its usual distance apart."""
    c = likelihood_case(name)
    assert_allclose(profile_confint(*c.rows, **c.options), c.r["profile"], rtol)


def deviance_at(c, j, b):
    """The least deviance with coefficient j held at b, by an optimiser of another kind."""
    loss, y = c.model._loss(), c.y.to_numpy()
    w, offset = (c.options[k] for k in ("sample_weight", "offset"))
    w = np.ones(len(y)) if w is None else np.asarray(w)
    Z = np.column_stack([np.ones(len(y)), c.X])
    known = b * Z[:, j] + (0.0 if offset is None else offset.to_numpy())
    start = np.delete([c.model.intercept_, *c.model.coef_], j)
    rest = np.delete(Z, j, axis=1)
    unit = np.abs(rest).mean(axis=0)

    def deviance(theta):
        value, score = loss.evaluate(y[:, None], (known + rest @ (theta / unit))[:, None])
        gradient = -2.0 * rest.T @ (w * score[:, 0]) / unit
        return 2.0 * (w @ (value - loss.family.saturated(y))), gradient

    return minimize(deviance, start * unit, jac=True, options={"gtol": 1e-8}).fun


@pytest.mark.parametrize("name", ["am", "insurance", "gamma", "shares", "precision"])
def test_ends_are_where_the_deviance_has_risen_by_the_quantile(likelihood_case, name):
    c = likelihood_case(name)
    result = infer(*c.rows, **c.options)
    ends = profile_confint(*c.rows, level=0.9, **c.options)
    for j, pair in enumerate(ends):
        rise = [(deviance_at(c, j, b) - result.deviance) / result.dispersion for b in pair]
        assert_allclose(rise, central_quantile(0.9, np.inf) ** 2, 1e-7)
        assert pair[0] < result.table.estimate[j] < pair[1]


def test_one_proportion():
    """For an intercept alone the deviance is a function of one number, which has its own root."""
    successes, n = 3.0, 20.0
    y = np.array([1.0, 0.0])
    w = np.array([successes, n - successes])

    def rise(eta):
        p, share = 1.0 / (1.0 + np.exp(-eta)), successes / n
        best = xlogy(w, [share, 1.0 - share]).sum()
        return 2.0 * (best - xlogy(w, [p, 1.0 - p]).sum()) - Z**2

    X = np.ones((2, 1))
    model = GLM("binomial", fit_intercept=False).fit(X, y, w)
    middle = float(model.coef_[0])
    expected = [brentq(rise, middle - 9.0, middle), brentq(rise, middle, middle + 9.0)]
    assert_allclose(profile_confint(model, X, y, sample_weight=w)[0], expected, 1e-8)


def test_chosen_coefficients(likelihood_case):
    c = likelihood_case("am")
    everything = profile_confint(*c.rows)
    assert_allclose(profile_confint(*c.rows, which=["hp", 0]), everything[[2, 0]], 1e-12)
    assert_allclose(profile_confint(*c.rows, which="wt"), everything[[1]], 1e-12)
    assert profile_confint(*c.rows, which=[]).shape == (0, 2)
    for one in ("speed", 3, -1):
        with pytest.raises(ValueError, match=r"is none of \(Intercept\), wt, hp"):
            profile_confint(*c.rows, which=[one])


def test_units_of_columns_do_not_matter(likelihood_case):
    c = likelihood_case("am")
    X = c.X * [1e6, 1e-6] + [5e6, 0.0]
    scaled = profile_confint(GLM("binomial").fit(X, c.y), X, c.y)[1:]
    assert_allclose(scaled, profile_confint(*c.rows)[1:] / [[1e6], [1e-6]], 1e-6)


def test_aliased_columns(likelihood_case):
    c = likelihood_case("aliased")
    ends = profile_confint(*c.rows)
    assert_allclose(ends[:3], profile_confint(*c.of_columns(["wt", "hp"]).rows), 1e-6)
    assert np.isnan(ends[3]).all()


def test_every_kind_of_rows(as_input):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), (rng.random(60) < 0.4).astype(float)
    w = np.arange(60) % 3
    data = as_input(X)
    ends = profile_confint(GLM("binomial").fit(data, y, w), data, y, sample_weight=w)
    Z, v = np.repeat(X, w, axis=0), np.repeat(y, w)
    expected = profile_confint(GLM("binomial").fit(Z, v), Z, v)
    assert_allclose(ends, expected, 1e-3 if as_input.rtol > 1e-6 else 1e-6)


def test_many_rows_agree_with_wald():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250_000, 9))
    y = rng.random(250_000) < 1.0 / (1.0 + np.exp(-X[:, 0]))
    model = LogisticRegression(C=np.inf).fit(X, y)
    result = infer(model, X, y)
    ends = profile_confint(model, X, y, which=[0, 1])
    errors = result.table.std_error[:2, None]
    assert_allclose((ends - result.confint()[:2]) / errors, 0.0, atol=1e-2)


def test_no_end_where_a_column_separates():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[:, 2] = rng.random(60) < 0.2
    y = np.where(X[:, 2] > 0.0, 1, rng.random(60) < 0.5)
    with pytest.warns(SeparationWarning):
        model = LogisticRegression(C=np.inf).fit(X, y)
    with pytest.warns(UserWarning, match="The interval of x2 has no upper end"):
        ends = profile_confint(model, X, y)
    assert ends[3, 1] == np.inf
    assert np.isfinite(np.delete(ends.ravel(), 7)).all()
    # The finite end is where a fit with the coefficient held has the deviance that it should.
    held = GLM("binomial").fit(X[:, :2], y, offset=ends[3, 0] * X[:, 2])
    assert_allclose(held.deviance_ - infer(model, X, y).deviance, Z**2, 1e-6)


def test_links_of_half_a_line():
    """Fits on the way leave the domain of the identity link for counts, and are stepped back."""
    rng = np.random.default_rng(1)
    X = rng.random((40, 2))
    y = rng.poisson(1 + 3 * X[:, 0])
    model = GLM("poisson", "identity").fit(X, y)
    result = infer(model, X, y)
    ends = profile_confint(model, X, y)
    for j, pair in enumerate(ends[1:]):
        for b in pair:
            rest = X[:, [1 - j]]
            held = GLM("poisson", "identity").fit(rest, y, offset=b * X[:, j])
            assert_allclose(held.deviance_ - result.deviance, Z**2, 1e-6)


def test_refusals():
    X = np.arange(4.0)[:, None]
    exact = GLM("gamma", "log").fit(X[:2], [1.0, 2.0])
    with pytest.raises(ValueError, match="with 0 residual degrees of freedom"):
        profile_confint(exact, X[:2], [1.0, 2.0])
    model = GLM("poisson").fit(X, [1, 2, 6, 14])
    with pytest.raises(ValueError, match=r"level is 95"):
        profile_confint(model, X, [1, 2, 6, 14], level=95)
    with pytest.raises(ValueError, match="is not the fit to these rows"):
        profile_confint(model, X, [14, 6, 2, 1])
    with pytest.raises(TypeError, match="A fitted GLM or LogisticRegression is expected"):
        profile_confint(None, X, [1, 2, 6, 14])


def test_deterministic(likelihood_case):
    c = likelihood_case("am")
    assert_array_equal(profile_confint(*c.rows), profile_confint(*c.rows))
