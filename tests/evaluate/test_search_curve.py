"""The picture of a search: curves are its results, the dashed line is one standard error off."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import model_selection
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge as Peer

from linework import ElasticNet, GridSearchCV, LinearDiscriminantAnalysis, Ridge, SearchCurveDisplay

ALPHAS = np.logspace(-3, 1, 9)
show = SearchCurveDisplay.from_search


@pytest.fixture(scope="module")
def table():
    return load_diabetes(return_X_y=True)


def test_one_curve_with_the_best_and_the_chosen(table, legend):
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS[::-1]}, rule="one_se").fit(*table)
    display = show(search)
    [line], results = display.lines_, search.cv_results_
    assert_array_equal(line.get_xdata(), ALPHAS)
    assert_array_equal(line.get_ydata(), results["mean_test_score"][::-1])
    top = int(results["mean_test_score"].argmax())
    expected = results["mean_test_score"][top] - results["se_test_score"][top]
    assert display.threshold == pytest.approx(expected)
    assert_allclose(display.threshold_.get_ydata(), display.threshold)
    assert display.best == (ALPHAS[::-1][top], results["mean_test_score"][top])
    assert display.chosen[0] == search.best_params_["alpha"] > display.best[0]
    assert display.chosen[1] >= display.threshold
    ax = display.ax_
    assert (ax.get_xscale(), ax.get_xlabel(), ax.get_ylabel()) == ("log", "alpha", "score")
    assert legend(ax)[:2] == ["mean ± standard error", "best − standard error"]
    assert display.figure_ is ax.figure


def test_a_curve_for_each_setting_of_the_others(table, legend):
    grid = {"alpha": ALPHAS, "l1_ratio": [0.1, 0.9], "fit_intercept": [True]}
    search = GridSearchCV(ElasticNet(), grid, scoring="neg_mean_squared_error").fit(*table)
    display = show(search, param_name="alpha")
    assert [curve.label for curve in display.curves] == [
        "fit_intercept=True, l1_ratio=0.1",
        "fit_intercept=True, l1_ratio=0.9",
    ]
    assert display.ax_.get_ylabel() == "negative mean squared error"
    assert len(legend(display.ax_)) == 5
    assert show(search, param_name="l1_ratio").ax_.get_xscale() == "linear"
    with pytest.raises(ValueError, match="2 parameters of the search take several numbers"):
        show(search)
    with pytest.raises(ValueError, match="'gamma' is None for some candidate"):
        show(search, param_name="gamma")


def test_any_search_and_any_metric(table):
    metrics = ["r2", "neg_max_error"]
    search = model_selection.GridSearchCV(Peer(), {"alpha": ALPHAS}, scoring=metrics, refit="r2")
    search.fit(*table)
    assert show(search).score_name == "r2"
    display = show(search, metric="neg_max_error", score_name="worst")
    assert display.ax_.get_ylabel() == "worst"
    assert_array_equal(display.curves[0].mean, search.cv_results_["mean_test_neg_max_error"])
    with pytest.raises(ValueError, match="There is no metric 'mse'"):
        show(search, metric="mse")


def test_none_is_zero_and_axes_may_be_given(iris):
    grid = {"shrinkage": [None, 0.001, 0.1, 1.0]}
    search = GridSearchCV(LinearDiscriminantAnalysis(), grid).fit(iris.X, iris.y)
    _, ax = plt.subplots()
    display = show(search, ax=ax)
    assert display.ax_ is ax
    assert_array_equal(display.lines_[0].get_xdata(), [0.0, 0.001, 0.1, 1.0])
    assert ax.get_xscale() == "symlog"
