from collections.abc import Callable

import numpy as np
import pytest

Array = np.ndarray


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(40)


@pytest.fixture
def gaussian(rng: np.random.Generator) -> Callable[..., tuple[Array, Array]]:
    """``gaussian(n_classes, n, d)``: rows of Gaussian classes, each of a mean and covariance."""

    def rows(n_classes: int = 3, n: int = 90, d: int = 4) -> tuple[Array, Array]:
        y = rng.permutation(np.arange(n) % n_classes)
        roots = rng.standard_normal((n_classes, d, d)) + np.eye(d)
        means = 1.5 * rng.standard_normal((n_classes, d)) + 3.0
        return means[y] + np.einsum("ij,ijk->ik", rng.standard_normal((n, d)), roots[y]), y

    return rows
