"""Newton's method without a matrix: for too many parameters to hold their second derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from linework.data.blocks import Array
from linework.solvers.newton import Minimum, Objective, line_search, start

FORCING = 0.5
"""How small the linear system's residual must be, at most, beside the gradient."""

Linear = Callable[[Array], Array]


class WideObjective(Objective, Protocol):
    """An objective that knows products with its second derivatives."""

    def product(self, theta: Array) -> Linear:
        """S (p,) ↦ H(θ) s, each a pass over the rows."""
        ...

    def preconditioner(self, theta: Array) -> Linear:
        """R (p,) ↦ M⁻¹ r for a matrix M near H(θ)."""
        ...


def minimise_wide(objective: WideObjective, theta: Array, tol: float, max_iter: int) -> Minimum:
    """Minimise a smooth objective by steps that solve Hs = −∇f by conjugate gradients.

    The system is solved the better the smaller the gradient is: to min(½, √size), so that few
    passes are spent far from the optimum, and near it every step adds half as many digits again.
    """
    point = start(objective, theta)
    passes = 1
    while point.size > tol and len(point.trace) <= max_iter:
        forcing = min(FORCING, float(np.sqrt(point.size)))
        step, used = _solve(
            objective.product(point.theta),
            objective.preconditioner(point.theta),
            -point.gradient,
            max(forcing, 0.1 * tol / point.size),
        )
        found, tried = line_search(objective, point, step)
        passes += used + tried
        if found is None:
            break
        point = found
    return Minimum(point.theta, point.total, None, point.trace, passes)


def _solve(product: Linear, precondition: Linear, rhs: Array, tol: float) -> tuple[Array, int]:
    """S with ‖Hs − rhs‖ ≤ tol ‖rhs‖ in the norm of M⁻¹, and the number of products."""
    s = np.zeros_like(rhs)
    residual = rhs.copy()
    z = precondition(residual)
    direction, size = z, float(residual @ z)
    goal = size * tol**2
    for used in range(len(rhs)):
        if size <= goal:
            return s, used
        image = product(direction)
        curvature = float(direction @ image)
        if curvature <= 0.0:  # flat to rounding errors: what there is of a step will do
            return (s if used else z), used + 1
        length = size / curvature
        s = s + length * direction
        residual -= length * image
        z = precondition(residual)
        before, size = size, float(residual @ z)
        direction = z + (size / before) * direction
    return s, len(rhs)
