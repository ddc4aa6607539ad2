"""The score test against R and against its definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2

from linework import GLM, LogisticRegression, infer, score_test

CASES = ["am", "wool", "insurance", "gamma", "inverse_gaussian", "shares", "precision"]


@pytest.mark.parametrize("name", CASES)
def test_r(likelihood_case, name):
    """R prints the statistic before it is divided by the dispersion."""
    c = likelihood_case(name)
    smaller = np.atleast_1d(c.r["compare"]["columns"])
    few = [column for column in c.X if column in smaller]
    rest = [column for column in c.X if column not in smaller]
    s = c.of_columns(few)
    test = score_test(*s.rows, c.X[rest], **c.options)
    dispersion = infer(*s.rows, **s.options).dispersion
    assert_allclose(test.statistic * dispersion, c.r["compare"]["rao"], 1e-7)
    assert test.df == (len(rest),)
    assert_allclose(test.p, chi2.sf(test.statistic, len(rest)), 1e-10)


def sample(n=300):
    rng = np.random.default_rng(0)
    X, added = rng.normal(size=(n, 2)), rng.normal(size=(n, 3)) * [1.0, 1e4, 1e-4] + [0.0, 0.0, 7.0]
    y = rng.random(n) < 1.0 / (1.0 + np.exp(-X[:, 0] - 0.2 * added[:, 0]))
    return X, added, y.astype(float), rng


def test_definition():
    """Uᵀ I⁻¹ U with U = Σ (y − p) x and I = Σ p (1 − p) x xᵀ."""
    X, added, y, _ = sample()
    model = LogisticRegression(C=np.inf).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    Z = np.column_stack([np.ones(len(y)), X, added - added.mean(axis=0)])
    U, information = Z.T @ (y - p), (Z.T * (p * (1.0 - p))) @ Z
    expected = U @ np.linalg.solve(information, U)
    assert_allclose(score_test(model, X, y, added).statistic, expected, 1e-7)


def test_weight_is_repetition():
    X, added, y, rng = sample()
    w = rng.integers(0, 3, len(y))
    weighted = score_test(GLM("binomial").fit(X, y, w), X, y, added, sample_weight=w)
    Z, v, more = (np.repeat(a, w, axis=0) for a in (X, y, added))
    repeated = score_test(GLM("binomial").fit(Z, v), Z, v, more)
    assert_allclose(weighted.statistic, repeated.statistic, 1e-7)


def test_every_kind_of_rows(as_input):
    X, added, y, _ = sample(80)
    expected = score_test(GLM("binomial").fit(X, y), X, y, added[:, :1]).statistic
    data = as_input(X)
    model = GLM("binomial").fit(data, y)
    for more in (added[:, :1], as_input(added[:, :1])):
        test = score_test(model, data, y, more)
        assert_allclose(test.statistic, expected, 1e-3 if as_input.rtol > 1e-6 else 1e-7)


def test_columns_that_repeat_others_bring_no_freedom():
    X, added, y, _ = sample()
    model = GLM("binomial").fit(X, y)
    one = score_test(model, X, y, added[:, :1])
    both = score_test(model, X, y, np.column_stack([added[:, 0], X[:, 1] - 2.0 * added[:, 0]]))
    assert both.df == (1,)
    assert_allclose(both.statistic, one.statistic, 1e-8)
    with pytest.raises(ValueError, match="The columns of the model explain the added ones"):
        score_test(model, X, y, X @ [[1.0], [2.0]])


def test_needs_no_fit_with_the_columns():
    """Where a column separates the classes there is no such fit."""
    X, _, y, _ = sample()
    test = score_test(GLM("binomial").fit(X, y), X, y, y[:, None])
    assert test.p < 1e-30


def test_level_of_the_test():
    """Of 400 columns that have no part in y, one in twenty is found at 5 %."""
    X, _, y, rng = sample()
    model = GLM("binomial").fit(X, y)
    p = [score_test(model, X, y, rng.normal(size=(len(y), 1))).p for _ in range(400)]
    assert 8 <= sum(value < 0.05 for value in p) <= 34


def test_refusals():
    X, added, y, _ = sample()
    model = GLM("binomial").fit(X, y)
    with pytest.raises(ValueError, match="have 299 rows, and 300 are expected"):
        score_test(model, X, y, added[1:])
    added[4, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN in column 3, row 4"):
        score_test(model, X, y, added)
    with pytest.raises(TypeError, match="A fitted GLM or LogisticRegression is expected"):
        score_test(None, X, y, added)
