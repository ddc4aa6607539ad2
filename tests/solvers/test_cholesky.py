import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linework.solvers.cholesky import Factor, cholesky

Array = np.ndarray


def correlated(seed: int, d: int, distance: float, exponents: Array | None = None) -> Array:
    """Columns (4d, d), the last within a relative ``distance`` of the first, in any units."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4 * d, d))
    if d > 1:
        X[:, -1] = X[:, 0] + distance * X[:, -1]
    return X if exponents is None else X * 10.0**exponents


def factor_of(X: Array) -> Factor:
    factor = cholesky(X.T @ X)
    assert factor is not None
    return factor


@given(
    seed=st.integers(0, 1000),
    d=st.integers(1, 12),
    log_distance=st.floats(-5.0, 0.0),
    data=st.data(),
)
def test_condition_is_that_of_columns_of_unit_length(
    seed: int, d: int, log_distance: float, data: st.DataObject
) -> None:
    exponents = np.array(data.draw(st.lists(st.integers(-20, 20), min_size=d, max_size=d)))
    X = correlated(seed, d, 10.0**log_distance, exponents)
    unit = X / np.linalg.norm(X, axis=0)
    assert 0.1 <= factor_of(X).condition / np.linalg.cond(unit) <= 10.0


@given(seed=st.integers(0, 1000), d=st.integers(1, 12), log_distance=st.floats(-3.0, 0.0))
def test_solve_inverse_and_whiten_are_of_one_matrix(seed: int, d: int, log_distance: float) -> None:
    X = correlated(seed, d, 10.0**log_distance)
    gram, factor = X.T @ X, factor_of(X)
    rhs = np.random.default_rng(seed).standard_normal((d, 3))
    tolerance = 1e-13 * factor.condition**2
    size = np.abs(np.linalg.inv(gram)).max()
    np.testing.assert_allclose(factor.solve(gram @ rhs), rhs, atol=10.0 * d * tolerance)
    inverse = factor.inverse()
    np.testing.assert_array_equal(inverse, inverse.T)
    np.testing.assert_allclose(inverse, np.linalg.inv(gram), atol=tolerance * size)
    Z = factor.whiten(rhs.T)
    np.testing.assert_allclose(Z @ Z.T, rhs.T @ inverse @ rhs, atol=10.0 * d * tolerance * size)


@pytest.mark.parametrize("scale", [1e-140, 1e-8, 1e8, 1e140])
def test_units_take_no_digits(scale: float) -> None:
    X = correlated(0, 4, 1.0)
    units = np.array([scale, 1.0, 1.0 / scale, 1.0])
    plain, scaled = factor_of(X), factor_of(X * units)
    rhs = np.ones((4, 1))
    np.testing.assert_allclose(
        scaled.solve(units[:, None] * rhs) * units[:, None], plain.solve(rhs), rtol=1e-12
    )
    assert scaled.condition == pytest.approx(plain.condition, rel=1e-9)


@pytest.mark.parametrize(
    "gram",
    [
        np.array([[1.0, 1.0], [1.0, 1.0]]),
        np.array([[1.0, 0.0], [0.0, 0.0]]),
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        np.zeros((3, 3)),
    ],
    ids=["dependent", "a column of zeros", "indefinite", "zero"],
)
def test_a_singular_matrix_has_no_factor(gram: Array) -> None:
    assert cholesky(gram) is None


def test_the_gram_matrix_is_left_as_it_is() -> None:
    gram = np.array([[4.0, 1.0], [1.0, 9.0]])
    gram.flags.writeable = False
    factor = cholesky(gram)
    assert factor is not None
    np.testing.assert_allclose(factor.R.T @ factor.R * np.outer(factor.scale, factor.scale), gram)
