"""The masking picture: lines are the fitted values, and the masked class is the one not given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression as Peer

from linework import IndicatorClassifier, LinearDiscriminantAnalysis, MaskingDisplay

show = MaskingDisplay.from_estimator


@pytest.fixture(scope="module")
def row():
    """Three classes in a row, of equal size and spread."""
    rng = np.random.default_rng(0)
    centre = np.repeat([1000.0, 1004.0, 1008.0], 100)
    return centre[:, None] + rng.normal(size=(300, 1)) * 0.5, np.repeat(["a", "b", "c"], 100)


def test_middle_class_is_masked_by_lines_and_not_by_parabolas(row, legend):
    display = show(IndicatorClassifier(), *row)
    straight, curved = display.fits
    assert list(straight.masked) == ["b"]
    assert 1 not in straight.predicted
    assert straight.error == pytest.approx(1 / 3, abs=0.01)
    assert list(curved.masked) == []
    assert curved.error < 0.01
    titles = [ax.get_title() for ax in display.axes_]
    assert titles == [
        f"degree 1, error {straight.error:.2f}\nmasked: b",
        f"degree 2, error {curved.error:.2f}\nmasked: none",
    ]
    assert legend(display.axes_[-1]) == ["a", "b", "c"]
    assert display.axes_[0].get_ylabel() == "fitted value"
    assert [ax.get_xlabel() for ax in display.axes_] == ["x0", "x0"]
    assert display.axes_[0].get_ylim() == display.axes_[1].get_ylim()
    assert display.figure_ is display.axes_[0].figure


def test_lines_are_least_squares_on_the_indicators_and_sum_to_one(row):
    X, y = row
    display = show(IndicatorClassifier(), X, y, degrees=(1, 2, 3))
    Y = (y[:, None] == np.unique(y)).astype(float)
    for fit, lines in zip(display.fits, display.lines_, strict=True):
        powers = np.arange(1, fit.degree + 1)
        peer = Peer().fit((X - 1004.0) ** powers, Y)
        expected = peer.predict((display.x[:, None] - 1004.0) ** powers)
        assert_allclose(np.column_stack([line.get_ydata() for line in lines]), expected, atol=1e-9)
        assert_allclose(fit.values.sum(axis=1), 1.0)
        assert_array_equal(fit.predicted, fit.values.argmax(axis=1))
        assert_array_equal(lines[0].get_xdata(), display.x)


def test_first_discriminant_is_the_default_of_many_columns(iris):
    display = show(IndicatorClassifier(), iris.X, iris.y)
    z = LinearDiscriminantAnalysis().fit(iris.X, iris.y).transform(iris.X)[:, 0]
    assert_allclose(display.points, z)
    assert display.axes_[0].get_xlabel() == "discriminant 1 (99.1 %)"
    assert list(display.fits[0].masked) == ["versicolor"]
    named = show(IndicatorClassifier(), iris.X, iris.y, column="petal width (cm)")
    assert_allclose(named.points, iris.X["petal width (cm)"])
    assert named.axes_[0].get_xlabel() == "petal width (cm)"


def test_estimator_and_rows_stay_as_they_are(iris):
    model = IndicatorClassifier(alpha=3.0).fit(iris.X, iris.y)
    before = model.coef_.copy()
    display = show(model, iris.X, iris.y, degrees=[1])
    assert_array_equal(model.coef_, before)
    free = show(IndicatorClassifier(), iris.X, iris.y, degrees=[1])
    assert np.abs(display.fits[0].values - free.fits[0].values).max() > 1e-4


def test_band_at_the_foot_is_what_is_predicted(row):
    display = show(IndicatorClassifier(), *row, degrees=[2])
    [ax] = display.axes_
    spans = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches)
    changes = display.x[np.flatnonzero(np.diff(display.fits[0].predicted)) + 1]
    assert_allclose(np.ravel(spans), [display.x[0], *np.repeat(changes, 2), display.x[-1]])
    low = min(line.get_ydata().min() for line in display.lines_[0])
    ticks = max(each.get_segments()[0][1, 1] for each in ax.collections)
    bottom, top = ax.get_ylim()
    assert low > bottom + ticks * (top - bottom)  # no curve crosses the rows at the foot


def test_many_masked_classes_are_counted():
    y = np.repeat([f"a class of long name, number {k}" for k in range(6)], 20)
    X = np.repeat(np.arange(6.0), 20)[:, None] + np.tile(np.linspace(-0.3, 0.3, 20), 6)[:, None]
    display = show(IndicatorClassifier(), X, y, degrees=[1])
    assert display.axes_[0].get_title().endswith("masked: 4 of 6 classes")


def test_given_axes_and_sampled_rows(row):
    X, y = np.tile(row[0], (10, 1)), np.tile(row[1], 10)
    _, axes = plt.subplots(2, 1)
    display = show(IndicatorClassifier(), X, y, ax=axes)
    assert list(display.axes_) == list(axes)
    assert len(display.points) == 2000
    assert len(show(IndicatorClassifier(), X, y, max_points=30).points) == 30
    assert len(show(IndicatorClassifier(), X, y, degrees=[1], ax=axes[0]).axes_) == 1


def test_bad_input_is_told(iris):
    X, y = iris.X, iris.y
    with pytest.raises(TypeError, match="LinearDiscriminantAnalysis has no fitted values"):
        show(LinearDiscriminantAnalysis(), X, y)
    for degrees in ((), (0, 1), (1.5,)):
        with pytest.raises(ValueError, match=r"degrees are .*, and whole numbers from 1 on"):
            show(IndicatorClassifier(), X, y, degrees=degrees)
    with pytest.raises(ValueError, match="There is no column 'petal'"):
        show(IndicatorClassifier(), X, y, column="petal")
    with pytest.raises(ValueError, match="There are 1 axes and 2 degrees: give one for each"):
        show(IndicatorClassifier(), X, y, ax=plt.subplots()[1])
    with pytest.raises(ValueError, match="X has 150 rows and y has 149"):
        show(IndicatorClassifier(), X, y[1:])
    same = np.tile([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], (2, 1))
    with pytest.raises(ValueError, match="means of the classes are equal: there is no discrim"):
        show(IndicatorClassifier(), same, [0] * 3 + [1] * 3)
