"""Tables for choosing among models: off the origin, on unequal scales, of several classes."""

import numpy as np
import pytest

Array = np.ndarray


@pytest.fixture
def numbers() -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((240, 6)) * np.linspace(0.5, 2.0, 6) + 3.0
    return X, X @ np.array([2.0, -1.0, 0.0, 0.5, 0.0, 1.0]) + 2.0 * rng.standard_normal(240)


@pytest.fixture
def labels() -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 240)
    X = rng.standard_normal((240, 5)) * np.linspace(0.5, 2.0, 5)
    return X + 0.7 * y[:, None] * np.array([1.0, 0.0, -1.0, 0.5, 0.0]), y
