"""Rows along the discriminants: what is drawn where, for how many rows, and in which words."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linework import (
    DiscriminantProjectionDisplay,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

show = DiscriminantProjectionDisplay.from_estimator


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), FisherDiscriminant(), Peer()])
def test_points_means_and_ellipses_of_each_class(iris, legend, model):
    display = show(model.fit(iris.X, iris.y), iris.X, iris.y)
    Z = model.transform(iris.X)
    assert len(display.points_) == len(display.means_) == len(display.ellipses_) == 3
    for k, name in enumerate(model.classes_):
        own = Z[iris.y == name]
        assert_allclose(display.points_[k].get_offsets(), own)
        assert_allclose(np.ravel(display.means_[k].get_data()), own.mean(axis=0), atol=1e-12)
        assert_allclose(display.ellipses_[k].center, own.mean(axis=0), atol=1e-12)
    words = ["setosa", "versicolor", "virginica", "mean of a class", "95 % of its mass"]
    assert legend(display.ax_) == words
    assert display.ax_.get_xlabel() == "discriminant 1 (99.1 %)"
    assert display.ax_.get_ylabel() == "discriminant 2 (0.9 %)"
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_aspect() == 1.0


@pytest.mark.parametrize("level", [0.5, 0.99])
def test_ellipse_is_where_the_distance_to_the_mean_is_that_of_the_level(iris, level):
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    display = show(model, iris.X, iris.y, level=level)
    Z = model.transform(iris.X)
    for k, name in enumerate(model.classes_):
        own = Z[iris.y == name]
        ellipse = display.ellipses_[k]
        edge = ellipse.get_patch_transform().transform(ellipse.get_path().vertices[::3])
        edge = edge - own.mean(axis=0)
        squares = np.einsum("ij,ij->i", edge @ np.linalg.inv(np.cov(own.T)), edge)
        assert_allclose(squares, -2.0 * np.log(1.0 - level), rtol=1e-9)


def test_markers_in_the_legend_are_larger_than_those_of_rows(iris):
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    display = show(model, iris.X, iris.y)
    shown = display.ax_.get_legend().legend_handles[:3]
    for handle, points in zip(shown, display.points_, strict=True):
        assert handle.get_sizes()[0] > 2 * points.get_sizes()[0]
        assert_allclose(handle.get_facecolor()[0, :3], points.get_facecolor()[0, :3])
        assert handle.get_facecolor()[0, 3] == 1.0


def test_pooled_ellipses_of_lda_are_circles_of_one_size(iris):
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    display = show(model, iris.X, iris.y, covariance="pooled")
    sizes = [(each.width, each.height) for each in display.ellipses_]
    assert_allclose(sizes, 2.0 * np.sqrt(-2.0 * np.log(0.05)))


def test_two_classes_have_histograms(iris, legend):
    two = iris.y != "setosa"
    model = FisherDiscriminant().fit(iris.X[two], iris.y[two])
    display = show(model, iris.X[two], iris.y[two])
    z = model.transform(iris.X[two])[:, 0]
    assert len(display.histograms_) == 2
    assert display.points_ == display.ellipses_ == []
    assert legend(display.ax_) == ["versicolor", "virginica", "mean of a class"]
    for line, bars, name in zip(display.means_, display.histograms_, model.classes_, strict=True):
        assert line.get_xdata()[0] == pytest.approx(z[iris.y[two] == name].mean())
        assert sum(bar.get_width() * bar.get_height() for bar in bars) == pytest.approx(1.0)


def test_large_table_is_sampled_for_points_alone(iris):
    X, y = np.tile(iris.X.to_numpy(), (40, 1)), np.tile(iris.y, 40)
    model = LinearDiscriminantAnalysis().fit(X, y)
    sampled = show(model, X, y, max_points=100)
    full = show(model, X, y, max_points=len(X))
    again = show(model, X, y, max_points=100)
    assert len(sampled.points) == sum(len(each.get_offsets()) for each in sampled.points_) == 100
    assert len(full.points) == 6000
    assert_allclose(sampled.points, again.points)
    for a, b in zip(sampled.ellipses_, full.ellipses_, strict=True):
        assert (a.center, a.width, a.height) == (b.center, b.width, b.height)
    assert len(show(model, X, y).points) == 2000


def test_pipeline_and_given_axes_and_sparse_rows(iris):
    _, (left, right) = plt.subplots(1, 2)
    model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()).fit(iris.X, iris.y)
    display = show(model, iris.X, iris.y, ax=left)
    assert display.ax_ is left
    assert left.get_xlabel() == "discriminant 1 (99.1 %)"
    X = sp.csr_array(iris.X.to_numpy())
    sparse = show(LinearDiscriminantAnalysis().fit(X, iris.y), X, iris.y, ax=right)
    assert_allclose(sparse.points, display.points, atol=1e-8)
    assert display.plot() is display
    assert display.ax_ not in (left, right)


def test_classes_without_rows_and_of_one_row(iris, legend):
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    some = np.r_[50:100, 149]
    display = show(model, iris.X.iloc[some], iris.y[some])
    assert legend(display.ax_)[:2] == ["versicolor", "virginica"]
    assert len(display.means_) == 2
    assert len(display.ellipses_) == 1
    whole = show(model, iris.X, iris.y)
    assert np.array_equal(display.points_[0].get_facecolor(), whole.points_[1].get_facecolor())
    assert len(show(model, iris.X.iloc[some], iris.y[some], covariance="pooled").ellipses_) == 2


def test_bad_input_is_told(iris):
    X, y = iris.X, iris.y
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(TypeError, match="QuadraticDiscriminantAnalysis has no discriminants"):
        show(QuadraticDiscriminantAnalysis().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        show(LinearDiscriminantAnalysis(), X, y)
    with pytest.raises(ValueError, match="covariance is 'own'; 'class' and 'pooled' are known"):
        show(model, X, y, covariance="own")
    for level in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match=f"level is {level}, and a share of mass"):
            show(model, X, y, level=level)
    with pytest.raises(ValueError, match=r"y holds the label 'rose', and the model's classes are"):
        show(model, X, np.where(y == "setosa", "rose", y))
    with pytest.raises(ValueError, match="max_points is 0, and at least 1 row is drawn"):
        show(model, X, y, max_points=0)
    with pytest.raises(ValueError, match="X has 150 rows and y has 149"):
        show(model, X, y[1:])
    same = np.tile([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], (2, 1))
    with pytest.raises(ValueError, match="The model has no discriminant: the means of its classes"):
        show(LinearDiscriminantAnalysis().fit(same, [0] * 3 + [1] * 3), same, [0] * 3 + [1] * 3)


def test_more_classes_than_styles_are_refused():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(80), 3)
    X = rng.normal(size=(240, 3)) + y[:, None] * [[1.0, -2.0, 0.5]]
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(ValueError, match="y holds 80 classes, and a picture shows at most 70"):
        show(model, X, y)
    some = y < 30
    display = show(model, X[some], y[some])
    looks = {
        (tuple(each.get_facecolor()[0]), each.get_paths()[0].vertices.tobytes())
        for each in display.points_
    }
    assert len(looks) == 30
