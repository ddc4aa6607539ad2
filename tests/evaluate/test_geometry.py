"""Boundaries are where scores are equal, and distances are those of Euclid."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from linework import (
    LinearDiscriminantAnalysis,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    boundary,
    distance_to_boundary,
    nearest_boundary_point,
)

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "model", [LogisticRegression(), LinearDiscriminantAnalysis(), peer.LogisticRegression()]
)
def test_two_classes(model) -> None:
    model.fit(X[50:], Y[50:])
    w, b = boundary(model)
    distance = distance_to_boundary(model, X)
    assert_allclose(distance * np.linalg.norm(w), model.decision_function(X), rtol=1e-9)
    points = nearest_boundary_point(model, X)
    assert_allclose(points @ w + b, 0.0, atol=1e-9)
    assert_allclose(np.linalg.norm(points - X, axis=1), np.abs(distance), rtol=1e-9)
    assert_allclose(model.predict_proba(points)[:, 0], 0.5, atol=1e-9)


def test_more_classes() -> None:
    model = LogisticRegression().fit(X, Y)
    points = nearest_boundary_point(model, X, classes=(0, 2))
    P = model.predict_proba(points)
    assert_allclose(P[:, 0], P[:, 2], rtol=1e-8)
    there, back = (distance_to_boundary(model, X, pair) for pair in ((0, 2), (2, 0)))
    assert_allclose(there, -back)
    nearest, own = distance_to_boundary(model, X), model.predict(X)
    for row in (0, 60, 140):
        others = [k for k in range(3) if k != own[row]]
        each = [distance_to_boundary(model, X[[row]], (k, own[row]))[0] for k in others]
        assert nearest[row] == pytest.approx(min(each))
    assert (nearest >= 0.0).all()


def test_what_is_refused() -> None:
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match="say between which two"):
        boundary(model)
    with pytest.raises(ValueError, match=r"two of \[0, 1, 2\] are expected"):
        boundary(model, (0, 7))
    with pytest.raises(TypeError, match="boundaries are not hyperplanes"):
        boundary(QuadraticDiscriminantAnalysis().fit(X, Y))
