"""Learning curves, validation curves and coefficient paths show what the models find."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import model_selection
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge as Peer

from linework import (
    CoefficientPathDisplay,
    Lasso,
    LearningCurveDisplay,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    Ridge,
    ValidationCurveDisplay,
    logistic_path,
)

ALPHAS = np.logspace(-2, 0.5, 12)
path = CoefficientPathDisplay.from_estimator


@pytest.fixture(scope="module")
def table():
    return load_diabetes(return_X_y=True, as_frame=True)


def test_curves_are_those_of_scikit_learn(table):
    options = {"param_name": "alpha", "param_range": ALPHAS, "cv": 4, "scoring": "r2"}
    ours = ValidationCurveDisplay.from_estimator(Ridge(), *table, **options)
    theirs = model_selection.ValidationCurveDisplay.from_estimator(Peer(), *table, **options)
    options = {"train_sizes": [0.2, 1.0], "score_type": "test", "std_display_style": None}
    grown = LearningCurveDisplay.from_estimator(Ridge(), *table, **options)
    expected = model_selection.LearningCurveDisplay.from_estimator(Peer(), *table, **options)
    for a, b in ((ours, theirs), (grown, expected)):
        assert len(a.lines_) == len(b.lines_)
        for one, other in zip(a.lines_, b.lines_, strict=True):
            assert_allclose(one.get_xydata(), other.get_xydata(), rtol=1e-9)
        assert a.ax_.get_xlabel() == b.ax_.get_xlabel()
    assert ours.ax_.get_ylabel() == "r2"


def test_negated_scores_have_their_name(iris):
    options = {"scoring": "neg_log_loss", "shuffle": True, "random_state": 0}
    for negated, words in ((True, "log loss"), (False, "negative log loss")):
        display = LearningCurveDisplay.from_estimator(
            LinearDiscriminantAnalysis(), iris.X, iris.y, negate_score=negated, **options
        )
        assert display.ax_.get_ylabel() == words


def test_a_path_is_of_the_fits_at_each_value(table, legend):
    X, y = table
    display = path(Lasso(), X, y, values=ALPHAS[::-1], standardise=False, chosen=0.1)
    expected = [Lasso(alpha=alpha).fit(X, y).coef_ for alpha in ALPHAS]
    assert_array_equal(display.values, ALPHAS)
    assert_allclose(display.coefs, expected, atol=1e-4 * np.abs(expected).max())
    for line, coef in zip(display.lines_, display.coefs.T, strict=True):
        assert_array_equal(line.get_ydata(), coef)
    assert legend(display.ax_) == [*X.columns, "chosen: 0.1"]
    assert (display.ax_.get_xscale(), display.ax_.get_xlabel()) == ("log", "alpha")
    scaled = path(Lasso(), X, y, values=ALPHAS)
    assert_allclose(scaled.coefs, display.coefs * X.std(ddof=0).to_numpy(), rtol=1e-9)
    assert scaled.ax_.get_ylabel() == "coefficient × standard deviation"


def test_a_path_of_a_classifier_and_of_a_foreign_model(table, iris):
    X, y = iris.X.to_numpy()[50:], iris.y[50:]
    Cs = [0.01, 1.0, 100.0]
    display = path(LogisticRegression(), X, y, values=Cs, standardise=False)
    assert_allclose(display.coefs, logistic_path(X, y, Cs=Cs)[1][:, 0], rtol=1e-5)
    weight = np.arange(len(table[1])) % 3
    ours, theirs = (
        path(model, *table, values=ALPHAS, sample_weight=weight, param_name="alpha")
        for model in (Ridge(), Peer())
    )
    assert_allclose(ours.coefs, theirs.coefs, rtol=1e-9)


def test_what_cannot_be_drawn_is_said(table, iris):
    with pytest.raises(ValueError, match="LinearRegression has no penalty of its own"):
        path(LinearRegression(), *table, values=ALPHAS)
    with pytest.raises(ValueError, match="take one target, or two classes"):
        path(LogisticRegression(), iris.X, iris.y, values=ALPHAS)
