"""Newton's method with estimates of the Hessian: they save Hessians, and never the optimum."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from linework.solvers.newton import Sketch, minimise


@dataclass
class LogCosh:
    """Σ_j a_j ln cosh(θ_j − c_j): far from the minimum its curvature says nothing of it."""

    a: np.ndarray
    c: np.ndarray
    hessian_cost: float = 20.0
    l1: None = None
    hessians: list[int] = field(default_factory=list)

    def evaluate(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        z = theta - self.c
        return float(self.a @ np.logaddexp(z, -z)), self.a * np.tanh(z)

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        return np.diag(self.a / np.cosh(theta - self.c) ** 2)

    def hessian(self, theta: np.ndarray) -> np.ndarray:
        self.hessians.append(1)
        return self.curvature(theta)

    def settled(self, theta: np.ndarray) -> np.ndarray:
        return theta

    def scaled(self, gradient: np.ndarray) -> float:
        return float(np.abs(gradient).max())


@pytest.fixture
def objective() -> LogCosh:
    rng = np.random.default_rng(5)
    return LogCosh(np.logspace(-1, 1, 30), 1.5 * rng.random(30))


def test_estimates_take_the_place_of_hessians(objective: LogCosh) -> None:
    noise = 1.0 + 0.05 * np.random.default_rng(6).standard_normal(30)
    taken = []

    def estimate(theta: np.ndarray) -> np.ndarray:
        taken.append(1)
        return objective.curvature(theta) * noise

    found = minimise(objective, np.zeros(30), 1e-10, 100, sketch=Sketch(estimate, 2.0, 0.1))
    assert taken
    assert not objective.hessians
    np.testing.assert_allclose(found.theta, objective.c, atol=1e-8)


@pytest.mark.parametrize(
    "wrong", [np.zeros((30, 30)), np.diag(np.eye(30)[0]), np.eye(30), 1e-8 * np.eye(30)]
)
def test_bad_estimates_give_way_to_hessians(objective: LogCosh, wrong: np.ndarray) -> None:
    found = minimise(
        objective, np.zeros(30), 1e-10, 200, sketch=Sketch(lambda theta: wrong, 2.0, 0.1)
    )
    assert found.size <= 1e-10
    np.testing.assert_allclose(found.theta, objective.c, atol=1e-8)


def test_a_bad_hessian_to_begin_with_is_replaced(objective: LogCosh) -> None:
    found = minimise(objective, np.zeros(30), 1e-10, 200, hessian=np.zeros((30, 30)))
    assert found.size <= 1e-10
