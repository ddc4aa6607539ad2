"""Fisher's discriminant where the classes have no spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linework import FisherDiscriminant

SCALES = {"one unit": np.ones(30), "many units": np.geomspace(1e-3, 1e4, 30)}


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_directions_lie_where_the_classes_have_no_spread(scale):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 5)
    X = (rng.normal(size=(15, 30)) + 0.3 * y[:, None]) * scale
    model = FisherDiscriminant(singular="null-space").fit(X, y)
    Z = model.transform(X)
    within = Z - np.array([Z[y == k].mean(axis=0) for k in range(3)])[y]
    assert np.abs(within).max() < 1e-9 * np.ptp(Z, axis=0).min()
    assert_array_equal(model.criterion_, [np.inf, np.inf])
    assert model.score(X, y) == 1.0


def test_the_unit_of_a_column_changes_nothing():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 4)
    X = rng.normal(size=(12, 20)) + 0.3 * y[:, None]
    plain = FisherDiscriminant(singular="null-space").fit(X, y)
    scale = SCALES["many units"][:20]
    scaled = FisherDiscriminant(singular="null-space").fit(X * scale, y)
    new = rng.normal(size=(50, 20))
    assert_allclose(scaled.transform(new * scale), plain.transform(new), rtol=1e-6, atol=1e-9)
