import numpy as np
import pytest

from linework.solvers.conjugate import conjugate_gradient

Array = np.ndarray


def positive_definite(seed: int, d: int, condition: float) -> Array:
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return Q * np.geomspace(1.0, condition, d) @ Q.T


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
@pytest.mark.parametrize("t", [1, 3])
def test_it_solves_to_the_tolerance(condition: float, t: int) -> None:
    H = positive_definite(0, 30, condition)
    rhs = np.random.default_rng(1).standard_normal((30, t))
    coef, residual, passes = conjugate_gradient(lambda P: H @ P, rhs, np.ones(30), 1e-12, 1000)
    np.testing.assert_allclose(H @ coef, rhs, atol=1e-10)
    assert residual <= 1e-12
    assert passes < 200


def test_few_distinct_eigenvalues_take_few_passes() -> None:
    H = np.diag(np.repeat([1.0, 50.0, 1000.0], 10))
    _, _, passes = conjugate_gradient(lambda P: H @ P, np.ones((30, 1)), np.ones(30), 1e-10, 100)
    assert passes == 3


def test_a_diagonal_is_solved_by_its_preconditioner() -> None:
    diagonal = np.geomspace(1e-8, 1e8, 20)
    rhs = np.ones((20, 1))
    coef, _, passes = conjugate_gradient(lambda P: diagonal[:, None] * P, rhs, diagonal, 1e-12, 100)
    np.testing.assert_allclose(coef[:, 0], 1.0 / diagonal, rtol=1e-12)
    assert passes == 1


def test_a_singular_system_has_the_solution_of_least_norm() -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((5, 12))
    rhs = X.T @ rng.standard_normal((5, 2))
    coef, residual, _ = conjugate_gradient(lambda P: X.T @ (X @ P), rhs, np.ones(12), 1e-12, 100)
    np.testing.assert_allclose(coef, np.linalg.pinv(X.T @ X) @ rhs, rtol=1e-9)
    assert residual <= 1e-12


def test_zero_needs_no_pass() -> None:
    coef, residual, passes = conjugate_gradient(
        lambda P: P, np.zeros((4, 2)), np.ones(4), 1e-10, 10
    )
    assert (residual, passes) == (0.0, 0)
    np.testing.assert_array_equal(coef, 0.0)


def test_it_stops_at_the_last_pass_and_says_so() -> None:
    H = positive_definite(3, 40, 1e6)
    _, residual, passes = conjugate_gradient(
        lambda P: H @ P, np.ones((40, 1)), np.ones(40), 1e-12, 3
    )
    assert passes == 3
    assert residual > 1e-12
