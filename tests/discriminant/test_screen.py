"""Prediction by a screen in single precision gives the classes that double precision gives."""

import numpy as np
import pytest

from linework import QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis
from linework.discriminant.gaussian import SCREENED
from linework.discriminant.screen import Screen

Array = np.ndarray
N = 4 * SCREENED


def near_classes(apart: float, d: int = 6) -> tuple[Array, Array]:
    """Three classes of much the same means and covariances, far from zero."""
    rng = np.random.default_rng(20)
    y = rng.integers(0, 3, N)
    X = rng.standard_normal((N, d)) @ rng.standard_normal((d, d))
    # The same rows in each class, but for a step: the classes differ by no more than that.
    half = X[: N // 3]
    X, y = np.concatenate([half, half, half]), np.repeat(np.arange(3), len(half))
    X += apart * y[:, None] * rng.standard_normal(d)
    return (X + 1e3) * np.logspace(-4, 4, d), y


@pytest.mark.parametrize("apart", [1.0, 1e-3, 1e-5, 1e-7, 0.0])
def test_classes_are_those_of_double_precision(apart: float) -> None:
    X, y = near_classes(apart)
    for model in (QuadraticDiscriminantAnalysis(), RegularizedDiscriminantAnalysis(0.5, 0.5)):
        model.fit(X, y)
        expected = model.predict_log_proba(X).argmax(axis=1)
        np.testing.assert_array_equal(model.predict(X), expected)


def test_only_rows_near_a_boundary_are_unsure() -> None:
    X, y = near_classes(0.01)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    _, sure = Screen.of(model._density)(X)
    assert 0.9 < sure.mean() < 1.0
    scores = np.sort(model.predict_log_proba(X), axis=1)
    margin = scores[:, -1] - scores[:, -2]
    assert margin[~sure].max() < 1e-2


def test_classes_that_are_the_same_are_never_sure() -> None:
    X, y = near_classes(0.0)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    _, sure = Screen.of(model._density)(X)
    assert not sure.any()
    np.testing.assert_array_equal(model.predict(X), model.classes_[0])


def test_numbers_beyond_single_precision() -> None:
    X, y = near_classes(1.0)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    far = X.copy()
    far[::2] *= 1e60
    expected = model.predict_log_proba(far).argmax(axis=1)
    np.testing.assert_array_equal(model.predict(far), expected)


def test_a_missing_number_is_named() -> None:
    X, y = near_classes(1.0)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    X[N // 2, 3] = np.nan
    with pytest.raises(ValueError, match=rf"NaN in column 3, row {N // 2},"):
        model.predict(X)
