"""Newton's method for a smooth loss plus a 1-norm: few passes, each with an exact gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from linework.data.blocks import Array
from linework.engine import blas_for
from linework.solvers.cholesky import EPS, column_scale
from linework.solvers.convergence import Step
from linework.solvers.quadratic import Quadratic, solve_semidefinite

SUFFICIENT = 1e-4
"""Share of the decrease that the gradient promises which a step has to bring."""

NOISE = 1e-13
"""Relative rounding error of an objective: smaller differences say nothing."""

HALVINGS = 40

SWEEPS = 100
"""Of coordinate descent for a step. It begins the next where rounding errors or dependent columns
keep it from its tolerance."""

BLIND = 3
"""Halvings tried where the decrease that a step promises is below the objective's last digit. Where
the expected curvature falls short of the observed, a whole step only turns the gradient round."""

SKETCHES = 8
"""Estimates of the Hessian on the way to a minimum; after so many the Hessian itself is taken."""


class Objective(Protocol):
    """f(θ) + Σ_j l1_j |θ_j| with f smooth, θ of shape (p,)."""

    @property
    def l1(self) -> Array | None:
        """The factors l1 (p,), or None where there is no 1-norm."""
        ...

    @property
    def hessian_cost(self) -> float:
        """How many gradients a Hessian takes as long as."""
        ...

    def evaluate(self, theta: Array) -> tuple[float, Array]:
        """F(θ), +∞ outside its domain, and its gradient (p,): one pass over the rows."""
        ...

    def hessian(self, theta: Array) -> Array:
        """Second derivatives (p, p), or their expectation."""
        ...

    def settled(self, theta: Array) -> Array:
        """Where the 1-norm is least among the points that f cannot tell from θ."""
        ...

    def scaled(self, gradient: Array) -> float:
        """The size of a gradient in units in which neither the rows' number nor their scale is."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """An estimate of the Hessian that costs less than itself.

    Attributes
    ----------
    hessian : callable
        θ ↦ the estimate.
    cost : float
        How many gradients it takes as long as.
    rate : float
        The factor by which steps with it contract the gradient.
    """

    hessian: Callable[[Array], Array]
    cost: float
    rate: float

    def passes_left(self, size: float, tol: float) -> float:
        """Passes from a scaled gradient to another, with those for the estimate."""
        return self.cost + float(np.log(tol / size) / np.log(self.rate))


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Where the iterations ended.

    Attributes
    ----------
    theta : array of shape (p,)
    value : float
        The objective, with its 1-norm.
    model : Quadratic or None
        The last, with what the steps since then taught of it.
    trace : tuple of Step
        The objective and the scaled gradient at the start and after each iteration.
    passes : int
        Gradients, Hessians and products with Hessians, each a read of the rows.
    """

    theta: Array
    value: float
    model: Quadratic | None
    trace: tuple[Step, ...]
    passes: int

    @property
    def size(self) -> float:
        """The scaled gradient."""
        return self.trace[-1].gradient


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A point on the way: θ, the objective with its 1-norm, and the gradient without."""

    theta: Array
    total: float
    gradient: Array
    trace: tuple[Step, ...]

    @property
    def size(self) -> float:
        """The scaled gradient."""
        return self.trace[-1].gradient


def minimise(
    objective: Objective,
    theta: Array,
    tol: float,
    max_iter: int,
    hessian: Array | None = None,
    always: bool = False,
    at: tuple[float, Array] | None = None,
    sketch: Sketch | None = None,
) -> Minimum:
    """Minimise by steps −H⁻¹∇f, with as few Hessians as pay.

    1. Evaluate f and its gradient; stop where the scaled gradient is within ``tol``.
    2. Take a Hessian where there is none, or where the steps with the last contract so slowly that
       the passes to go cost more than another.
    3. Minimise the quadratic model, with the 1-norm by coordinate descent.
    4. Go as far along the step as the objective decreases enough.
    5. Teach H what the gradient's change says of it (the BFGS update), and go on with 1.

    ``hessian`` is one to begin with, for example of a sample of the rows. With ``always`` every
    step takes its own. ``at`` is the objective and gradient at ``theta``, if they are known. Where
    an estimate by ``sketch`` makes for fewer passes than a Hessian, it is taken instead.
    """
    H, passes = None if hessian is None else Quadratic(hessian), 1
    since, exact, sketches = 0, False, 0  # steps since the last Hessian, and what it is
    point = start(objective, theta, at)
    while point.size > tol and len(point.trace) <= max_iter:
        left = np.inf if H is None or always else passes_left(point.trace, since, tol)
        anew, estimated = objective.hessian_cost + 2.0, np.inf
        if sketch is not None and sketches < SKETCHES:
            estimated = sketch.passes_left(point.size, tol)
        if H is None or left >= min(anew, estimated):
            if sketch is None or anew <= estimated:
                H, exact = Quadratic(objective.hessian(point.theta)), True
            else:
                H, exact = Quadratic(sketch.hessian(point.theta)), False
                sketches += 1
            since, passes = 0, passes + 1
        step = _model_step(H, point.gradient, point.theta, objective.l1)
        if objective.l1 is not None:
            step = objective.settled(point.theta + step) - point.theta
        found, tried = line_search(objective, point, step)
        passes += tried
        if found is None:
            if since == 0 and exact:
                break  # not even a Hessian of its own finds a decrease: rounding errors are left
            H, sketch = None, None
            continue
        H.teach(found.theta - point.theta, found.gradient - point.gradient)
        point = found
        since += 1
    return Minimum(point.theta, point.total, H, point.trace, passes)


def start(objective: Objective, theta: Array, at: tuple[float, Array] | None = None) -> Point:
    """The point to begin at, or a sentence where the objective is infinite there.

    ``at`` is what `Objective.evaluate` gives there, if it is known.
    """
    value, gradient = objective.evaluate(theta) if at is None else at
    if not np.isfinite(value):
        raise ValueError(
            "The likelihood is zero where the fit begins: the linear predictor leaves the link's "
            "domain there. Fit an intercept, look at the offsets, or choose a link that takes any "
            "number, such as log."
        )
    total = value + _norm(objective.l1, theta)
    size = objective.scaled(steepest(objective.l1, theta, gradient))
    return Point(theta, total, gradient, (Step(total, size),))


def passes_left(trace: Sequence[Step], since: int, tol: float) -> float:
    """Passes to go with this Hessian, at the rate at which the last steps with it contracted."""
    size = trace[-1].gradient
    if since < 2:
        return 0.0 if since == 0 or size < trace[-2].gradient else np.inf
    span = min(since, 3)
    rate = (size / trace[-1 - span].gradient) ** (1.0 / span)
    return float(np.log(tol / size) / np.log(rate)) if rate < 1.0 else np.inf


def _norm(l1: Array | None, theta: Array) -> float:
    return 0.0 if l1 is None else float(l1 @ np.abs(theta))


def steepest(l1: Array | None, theta: Array, gradient: Array) -> Array:
    """The smallest subgradient: zero at the optimum."""
    if l1 is None:
        return gradient
    at_zero: Array = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    return np.where(theta == 0.0, at_zero, gradient + l1 * np.sign(theta))


def _model_step(H: Quadratic, gradient: Array, theta: Array, l1: Array | None) -> Array:
    """The minimum of gᵀs + ½ sᵀHs + Σ l1 |θ + s|, of minimum norm where H is singular."""
    if l1 is None or not l1.any():
        return -H.solve(gradient)
    return _penalised_step(H.matrix(), gradient, theta, l1)


def _penalised_step(H: Array, gradient: Array, theta: Array, l1: Array) -> Array:
    """By coordinate descent on the penalised coordinates; the others follow in closed form."""
    from linework.solvers.coordinate_kernels import solve

    free = l1 == 0.0
    held = ~free
    Q, g = H[np.ix_(held, held)], gradient[held]
    if free.any():  # s_free = −H_ff⁻¹ (g_f + H_fh s_h)
        inner = solve_semidefinite(H[np.ix_(free, free)], H[np.ix_(free, held)])
        Q = Q - H[np.ix_(held, free)] @ inner
        g = g - inner.T @ gradient[free]
    # In b = (θ + s)·l1 every factor of the 1-norm is one.
    unit = 1.0 / l1[held]
    Q = np.ascontiguousarray(Q * unit * unit[:, None])
    g = g * unit
    before = theta[held] / unit
    b, slope = before.copy(), -g
    cross = Q @ before - g
    # In the place of crossᵀQ⁻¹cross, which costs p³: where the duality gap closes, it has no part.
    bound = abs(float(before @ (cross - g))) + len(g) * float(
        g @ (g / column_scale(Q.diagonal()) ** 2)
    )
    # What the coordinates would gain, one at a time: the step is to be within a part of that.
    size = float((steepest(np.ones(len(b)), b, g) ** 2) @ (1.0 / column_scale(Q.diagonal()) ** 2))
    with blas_for(0):
        solve(Q, cross, bound, 1.0, 0.0, False, b, slope, 1e-8 * size, SWEEPS)
    step = np.empty_like(theta)
    step[held] = np.where(b == 0.0, -theta[held], (b - before) * unit)  # to zero, to the last bit
    if free.any():
        rest = gradient[free] + H[np.ix_(free, held)] @ step[held]
        step[free] = -solve_semidefinite(H[np.ix_(free, free)], rest)
    return step


def line_search(objective: Objective, point: Point, step: Array) -> tuple[Point | None, int]:
    """Halve the step until the objective decreases enough; None where it never does, and passes.

    Where the decrease is within rounding errors of the objective, the gradient's size decides.
    """
    l1, theta, total = objective.l1, point.theta, point.total
    promise = float(point.gradient @ step) + _norm(l1, theta + step) - _norm(l1, theta)
    noise = NOISE * abs(total)
    length = 1.0
    for passes in range(1, HALVINGS + 1):
        new = theta + length * step
        value, gradient = objective.evaluate(new)
        new_total = value + _norm(l1, new)
        if new_total <= total + SUFFICIENT * length * promise + noise:
            size = objective.scaled(steepest(l1, new, gradient))
            if new_total < total - noise or size < point.size:
                return Point(
                    new, new_total, gradient, (*point.trace, Step(new_total, size))
                ), passes
        if passes > BLIND and -length * promise < EPS * abs(total):
            break
        length /= 2.0
    return None, passes
