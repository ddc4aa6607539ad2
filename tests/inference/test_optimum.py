"""A likelihood with some coefficients held: its gradient, and its units."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linework import LogisticRegression
from linework.inference.fitted import fitted


def optimum_of(X, y):
    model = LogisticRegression(C=np.inf).fit(X, y)
    return fitted(model, X, y, None, None, "frequency").optimum()


def sample(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) + 2.0
    utility = 0.4 * X[:, :1] * np.arange(n_classes) + rng.gumbel(size=(90, n_classes))
    return X, utility.argmax(axis=1)


@pytest.mark.parametrize("held", [[0], [2], [0, 1, 3]])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_gradient_is_that_of_the_plane(n_classes, held):
    optimum = optimum_of(*sample(n_classes))
    plane = optimum.holding(held)
    rng = np.random.default_rng(1)
    phi, step = rng.normal(size=(2, len(plane.free))) / 3.0
    ends = [plane.evaluate(phi + h * step)[0] for h in (1e-5, -1e-5)]
    assert_allclose((ends[0] - ends[1]) / 2e-5, plane.evaluate(phi)[1] @ step, 1e-6)
    slopes = [plane.evaluate(phi + h * step)[1] for h in (1e-5, -1e-5)]
    assert_allclose((slopes[0] - slopes[1]) / 2e-5, plane.hessian(phi) @ step, 1e-5, 1e-8)


@pytest.mark.parametrize("held", [[0], [1]])
def test_size_of_a_gradient_has_no_units(held):
    """Neither of the columns, nor of where they begin."""
    X, y = sample(2)
    scale = np.array([1e3, 1.0, 1e-3])
    sizes = []
    for unit in (np.ones(3), scale):
        optimum = optimum_of(X * unit, y)
        plane = optimum.holding(held)
        start = np.zeros(len(plane.free))
        sizes.append(plane.scaled(plane.evaluate(start)[1]))
    assert_allclose(sizes[0], sizes[1], 1e-9)
    assert 0.0 < sizes[0] <= 1.0


def test_decrement_is_the_distance_in_standard_errors():
    X, y = sample(2)
    optimum = optimum_of(X, y)
    assert optimum.decrement < 1e-6
    away = np.zeros(4)
    away[1] = 1e-3
    H = optimum.problem.hessian(optimum.theta) * len(y)
    moved = dataclasses.replace(optimum, theta=optimum.theta + away)
    assert_allclose(moved.decrement, np.sqrt(away @ H @ away), 1e-2)
