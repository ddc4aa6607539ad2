"""Curves are prior times Gaussian density, and they cross where the prediction changes."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from linework import (
    ClassDensityDisplay,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)

show = ClassDensityDisplay.from_estimator

A, B = np.array([-1.0, 0.0, 1.0, 0.0]), np.array([-2.0, 0.0, 2.0])
"""Two samples about zero."""

MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="auto", unbiased=False),
    LinearDiscriminantAnalysis(priors=[0.2, 0.5, 0.3]),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(priors=[0.2, 0.5, 0.3], unbiased=False),
    RegularizedDiscriminantAnalysis(alpha=0.6),
    RegularizedDiscriminantAnalysisCV(alphas=[0.3, 0.8], gammas=[1.0]),
    FisherDiscriminant(),
    FisherDiscriminant(threshold="equal-density"),
]


@pytest.fixture(scope="module")
def petals(iris):
    return iris.X[["petal length (cm)"]], iris.y


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_boundaries_are_where_the_highest_curve_changes(petals, legend, model):
    X, y = petals
    display = show(model.fit(X, y), X, y)
    best = display.densities.argmax(axis=1)
    changes = np.flatnonzero(np.diff(best))
    step = display.x[1] - display.x[0]
    assert len(changes) == len(display.boundaries) == len(display.boundaries_) == 2
    assert_allclose(display.boundaries, display.x[changes] + step / 2, atol=step)
    assert legend(display.ax_) == ["setosa", "versicolor", "virginica", "boundary"]
    assert display.ax_.get_xlabel() == "petal length (cm)"
    assert display.ax_.get_ylabel() == "prior × density"


@pytest.mark.parametrize("threshold", ["midpoint", "prior", "equal-density"])
def test_fishers_threshold_is_where_its_gaussians_cross(petals, threshold):
    X, y = petals[0].iloc[50:130], petals[1][50:130]
    model = FisherDiscriminant(threshold=threshold).fit(X, y)
    display = show(model, X, y)
    [cut] = display.boundaries
    at = model.xbar_[0] + model.threshold_ / model.scalings_[0, 0]
    assert cut == pytest.approx(at, abs=1e-12)
    curves = np.array([np.interp(cut, display.x, f) for f in display.densities.T])
    assert curves[0] == pytest.approx(curves[1], rel=1e-3)


def test_posteriors_follow_from_the_curves(petals):
    X, y = petals
    for model in MODELS[:7]:
        display = show(model.fit(X, y), X, y)
        grid = pd.DataFrame(display.x[:, None], columns=X.columns)
        share = display.densities / display.densities.sum(axis=1, keepdims=True)
        assert_allclose(model.predict_proba(grid), share, atol=1e-9)


def two(a, b):
    return np.concatenate([a, b])[:, None], np.repeat(["a", "b"], [len(a), len(b)])


def test_equal_variances_and_priors_part_midway():
    X, y = two(A, A + 3.0)
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        assert_allclose(show(model.fit(X, y), X, y).boundaries, [1.5], atol=1e-12)


def test_priors_move_the_boundary_by_the_log_odds():
    X, y = two(A, A + 3.0)
    model = LinearDiscriminantAnalysis(priors=[0.9, 0.1]).fit(X, y)
    variance = 4.0 / 6.0
    expected = 1.5 + variance * np.log(9.0) / 3.0
    assert_allclose(show(model, X, y).boundaries, [expected], atol=1e-12)


def test_unequal_variances_part_twice():
    X, y = two(A, B * 3.0)  # the wide class is on both sides of the narrow one
    model = QuadraticDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    a, b = 2.0 / 3.0, 36.0
    edge = np.sqrt(np.log(b / a) / (1.0 / a - 1.0 / b))  # ln a + x²/a = ln b + x²/b
    display = show(model, X, y)
    assert_allclose(display.boundaries, [-edge, edge], atol=1e-12)
    assert display.lines_[0].get_ydata() == pytest.approx(0.5 * norm.pdf(display.x, 0.0, a**0.5))
    assert display.lines_[1].get_ydata() == pytest.approx(0.5 * norm.pdf(display.x, 0.0, 6.0))


def test_histogram_of_a_class_has_the_area_of_its_prior(petals):
    X, y = petals
    model = LinearDiscriminantAnalysis(priors=[0.2, 0.5, 0.3]).fit(X, y)
    display = show(model, X, y)
    areas = [sum(b.get_width() * b.get_height() for b in bars) for bars in display.histograms_]
    assert_allclose(areas, [0.2, 0.5, 0.3])
    assert len(show(model, X[50:], y[50:]).histograms_) == 2


def test_classes_that_do_not_part_have_no_boundary(legend):
    X, y = two(A, A)
    display = show(LinearDiscriminantAnalysis(priors=[0.7, 0.3]).fit(X, y), X, y)
    assert display.boundaries.size == 0
    assert legend(display.ax_) == ["a", "b"]


def test_bad_input_is_told(iris, petals):
    X, y = petals
    with pytest.raises(TypeError, match="GaussianNB has no Gaussian classes"):
        show(GaussianNB().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        show(LinearDiscriminantAnalysis(), X, y)
    wide = LinearDiscriminantAnalysis().fit(iris.X, y)
    with pytest.raises(ValueError, match="The model has 4 columns, and densities are drawn along"):
        show(wide, X, y)
    with pytest.raises(ValueError, match="The table has 4 columns, and densities are drawn along"):
        show(LinearDiscriminantAnalysis().fit(X, y), iris.X, y)
    with pytest.raises(ValueError, match="y holds the label 'rose'"):
        show(LinearDiscriminantAnalysis().fit(X, y), X, np.where(y == "setosa", "rose", y))
