"""Points lie where the confusion matrix says, and the line of equal cost touches the curve."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Perceptron

from linework import (
    ConfusionMatrix,
    DecisionClassifier,
    DecisionRule,
    LinearDiscriminantAnalysis,
    OperatingPointDisplay,
)

show = OperatingPointDisplay.from_estimators


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [300, 100])
    return rng.standard_normal((400, 1)) + 1.5 * y[:, None], np.array(["well", "ill"])[1 - y]


def test_points_curve_and_legend(problem, legend):
    X, y = problem  # "well" is the second class, and the positive one
    rules = {"plain": DecisionRule(), "costly": DecisionRule(costs=[5, 1])}
    models = {name: DecisionClassifier(rule=rule).fit(X, y) for name, rule in rules.items()}
    display = show(models, X, y, costs=[5, 1])
    for name, model in models.items():
        matrix = ConfusionMatrix.from_estimator(model, X, y)
        x, d = display.points[name]
        assert (x, d) == (
            matrix.measure("false_alarm", label="well"),
            matrix.measure("detection", label="well"),
        )
        assert np.interp(x, display.fpr, display.tpr) >= d - 1e-12
    assert legend(display.ax_) == ["ROC curve", "equal cost", "plain", "costly"]
    assert display.ax_.get_xlabel() == "P_FA, false alarms"
    assert [line.get_marker() for line in display.points_] == ["o", "s"]


def test_no_point_of_the_curve_costs_less(problem):
    X, y = problem
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = show({"LDA": model}, X, y, costs=[2.0, 3.0], priors=[0.9, 0.1])
    assert display.slope == pytest.approx(0.9 * 2.0 / (0.1 * 3.0))

    def cost(x, d):
        return 0.9 * 2.0 * x + 0.1 * 3.0 * (1.0 - d)

    assert cost(*display.least_cost) == pytest.approx(cost(display.fpr, display.tpr).min())
    assert display.iso_cost_.get_slope() == display.slope
    assert_allclose(display.iso_cost_.get_xy1(), display.least_cost)


def test_bad_input_is_told(problem, iris):
    X, y = problem
    model = Perceptron().fit(X, y)  # scores without posteriors will do
    assert show({"scores": model}, X, y).slope > 0.0
    with pytest.raises(ValueError, match="estimators is empty"):
        show({}, X, y)
    with pytest.raises(ValueError, match="pairs of positive numbers"):
        show({"a": model}, X, y, costs=[0.0, 1.0])
    with pytest.raises(ValueError, match="has 3 classes"):
        show({"a": LinearDiscriminantAnalysis().fit(iris.X, iris.y)}, iris.X, iris.y)
