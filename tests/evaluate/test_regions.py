"""Decision regions: the grid is the classifier's own prediction, in columns or discriminants."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linework import (
    DecisionRegionDisplay,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
)

show = DecisionRegionDisplay.from_estimator


def cells(display):
    return np.column_stack([display.xx0.ravel(), display.xx1.ravel()])


@pytest.mark.parametrize("held", ["median", "mean"])
def test_other_columns_are_held(wine, held):
    X = wine.X.to_numpy()
    model = QuadraticDiscriminantAnalysis().fit(X, wine.y)
    display = show(model, X, wine.y, plane=(0, 12), held=held)
    rows = np.tile(getattr(np, held)(X, axis=0), (display.xx0.size, 1))
    rows[:, [0, 12]] = cells(display)
    assert_array_equal(display.response.ravel(), model.predict(rows))
    assert_allclose(display.points, X[:, [0, 12]])


def test_given_values_hold_and_the_rest_is_at_the_median(wine):
    model = LinearDiscriminantAnalysis().fit(wine.X, wine.y)
    plane = ("alcohol", "proline")
    display = show(model, wine.X, wine.y, plane=plane, held={"flavanoids": 0.5, 4: 160.0})
    rows = wine.X.median().to_frame().T.loc[np.zeros(display.xx0.size)]
    rows["flavanoids"], rows[wine.X.columns[4]] = 0.5, 160.0
    rows[list(plane)] = cells(display)
    assert_array_equal(display.response.ravel(), model.predict(rows))


@pytest.mark.parametrize("projection", [LinearDiscriminantAnalysis(), FisherDiscriminant()])
def test_plane_of_discriminants(wine, projection):
    X, y = wine.X, wine.y
    projection.fit(X, y)
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = show(model, X, y, plane=projection)
    Z = projection.transform(X)
    assert_allclose(display.points, Z)
    # A grid point stands for a row with these discriminants, and LDA looks at nothing else.
    means = projection.transform(X.groupby(y).mean())
    scores = cells(display) @ means.T - 0.5 * np.square(means).sum(axis=1)
    if isinstance(projection, LinearDiscriminantAnalysis):
        scores += np.log(model.priors_)
        assert_array_equal(display.response.ravel(), scores.argmax(axis=1))
    expected = LinearRegression().fit(Z, X.to_numpy()).predict(cells(display))
    assert_allclose(
        projection.transform(pd.DataFrame(expected, columns=X.columns)), cells(display), atol=1e-8
    )
    assert display.ax_.get_xlabel() == "discriminant 1 (68.7 %)"


def test_colours_of_regions_are_those_of_points(iris, legend):
    model = KNeighborsClassifier().fit(iris.X, iris.y)
    display = show(model, iris.X, iris.y, plane=("petal length (cm)", "petal width (cm)"))
    assert legend(display.ax_) == ["setosa", "versicolor", "virginica"]
    assert display.ax_.get_xlabel() == "petal length (cm)"
    assert display.ax_.get_ylabel() == "petal width (cm)"
    shown = np.unique(display.response)
    assert len(display.boundaries_) == len(shown) - 1
    colours = display.surface_.cmap(display.surface_.norm(np.arange(len(shown))))
    for k, colour in zip(shown, colours, strict=True):
        assert_allclose(colour[:3], display.points_[k].get_facecolor()[0, :3])


def test_boundary_of_two_classes_is_where_it_is_by_the_formula():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)) + np.repeat([[0.0, 0.0], [4.0, 0.0]], 200, axis=0)
    y = np.repeat(["a", "b"], 200)
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    display = show(model, X, y)
    [boundary] = display.boundaries_
    points = np.concatenate(boundary.get_paths()[0].to_polygons(closed_only=False))
    cell = max(np.diff(display.xx0[0])[0], np.diff(display.xx1[:, 0])[0])
    distance = (points @ model.coef_[0] + model.intercept_[0]) / np.linalg.norm(model.coef_)
    assert np.abs(distance).max() < cell
    assert display.ax_.get_xlabel() == "x0"


def test_rows_without_classes_and_regions_without_rows(iris, legend):
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    plane = model
    bare = show(model, iris.X, plane=plane)
    assert bare.numbers is None
    assert legend(bare.ax_)[0] == "rows"
    assert len(bare.points_) == 1
    some = iris.y != "setosa"
    display = show(model, iris.X, plane=plane)
    display.points, display.numbers = display.points[some], np.repeat([1, 2], 50)
    assert "setosa (region)" in legend(display.plot().ax_)


def test_large_table_is_sampled(iris):
    X, y = np.tile(iris.X.to_numpy(), (30, 1)), np.tile(iris.y, 30)
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert len(show(model, X, y, max_points=50).points) == 50
    assert len(show(model, X, y).points) == 2000


def test_every_kind_of_table(iris, as_input):
    array = iris.X.to_numpy()
    X = as_input(array)
    display = show(LinearDiscriminantAnalysis().fit(X, iris.y), X, iris.y, plane=(2, 3))
    same = show(LinearDiscriminantAnalysis().fit(array, iris.y), array, iris.y, plane=(2, 3))
    assert np.mean(display.response == same.response) > 0.999  # in float32, edges may move
    assert_allclose(display.points, same.points, rtol=1e-6)
    assert display.ax_.get_xlabel() == "x2"


def test_pipeline_of_columns_by_name(iris):
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), KNeighborsClassifier())
    display = show(model.fit(iris.X, iris.y), iris.X, iris.y)
    assert display.ax_.get_ylabel() == "sepal width (cm)"


def test_bad_input_is_told(iris):
    X, y = iris.X, iris.y
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(TypeError, match="LinearRegression is no classifier"):
        show(LinearRegression().fit(X, y == "setosa"), X, y)
    for plane in ("petal", (0,), (0, 1, 2), 3, None):
        with pytest.raises(ValueError, match=r"plane is .*, and two columns are expected"):
            show(model, X, y, plane=plane)
    with pytest.raises(
        ValueError, match=r"There is no column 'petal': give the position .* 0 to 3"
    ):
        show(model, X, y, plane=("petal", 1))
    with pytest.raises(ValueError, match="There is no column 4: give the position"):
        show(model, X, y, plane=(1, 4))
    with pytest.raises(ValueError, match=r"plane names column 'sepal width \(cm\)' twice"):
        show(model, X, y, plane=("sepal width (cm)", 1))
    with pytest.raises(ValueError, match="held is 'max'; 'median', 'mean' and a dict"):
        show(model, X, y, held="max")
    with pytest.raises(ValueError, match="There is no column 'petal'"):
        show(model, X, y, held={"petal": 1.0})
    two = y != "setosa"
    one = FisherDiscriminant().fit(X[two], y[two])
    with pytest.raises(ValueError, match="FisherDiscriminant has 1 discriminant, and a plane has"):
        show(one, X[two], y[two], plane=one)
    with pytest.raises(ValueError, match=r"Input X contains NaN in column 'sepal width \(cm\)'"):
        show(model, X.where(X > 4.5), y)


def test_missing_matplotlib_is_told(iris, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    with pytest.raises(ImportError, match=r"DecisionRegionDisplay draws with matplotlib, .*plot"):
        show(model, iris.X, iris.y)


def test_colours_differ():
    from linework.evaluate.drawing import COLORS, LINES, MARKERS, STYLES, style

    assert len({to_rgb(color) for color in COLORS}) == len(COLORS)
    assert len(set(MARKERS)) == len(MARKERS)
    assert len({style(k)[:2] for k in range(STYLES)}) == STYLES
    assert len({style(k).line for k in range(len(LINES))}) == len(LINES)
