"""Newton's method for many problems of the same rows: each has its own steps, all share passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from linework.data.blocks import Array
from linework.solvers.convergence import Step
from linework.solvers.newton import (
    HALVINGS,
    NOISE,
    SUFFICIENT,
    passes_left,
)
from linework.solvers.quadratic import solve_semidefinite, taught


class Objectives(Protocol):
    """Smooth f_1 … f_k, each of its own θ_m (p,)."""

    def part(self, index: Array) -> Self:
        """The problems of these numbers."""
        ...

    @property
    def hessian_cost(self) -> float:
        """How many gradients of one problem its Hessian takes as long as."""
        ...

    def evaluate(self, theta: Array) -> tuple[Array, Array]:
        """Values (k,) and gradients (k, p) at θ (k, p): one pass over the rows."""
        ...

    def hessians(self, theta: Array, exact: bool = False) -> Array:
        """Second derivatives (k, p, p), or good estimates unless they have to be exact."""
        ...

    def sizes(self, gradient: Array) -> Array:
        """The sizes (k,) of gradients, in units in which neither the rows' number nor scale is."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Minima:
    """Where the iterations ended.

    Attributes
    ----------
    theta : array of shape (k, p)
    hessians : array of shape (k, p, p)
        The last ones, with what the steps since then taught of them.
    traces : list of k lists of Step
        The objective and the scaled gradient at the start and after each iteration.
    passes : int
        Reads of all rows, whatever the number of problems in them.
    """

    theta: Array
    hessians: Array
    traces: list[list[Step]]
    passes: int

    @property
    def sizes(self) -> Array:
        """The scaled gradients, shape (k,)."""
        return np.array([trace[-1].gradient for trace in self.traces])


def minimise_each(
    problems: Objectives, theta: Array, hessians: Array, tol: float, max_iter: int
) -> Minima:
    """Minimise each by steps −H⁻¹∇f, with as few Hessians as do.

    1. Evaluate those whose scaled gradient is not within ``tol`` yet.
    2. Take another Hessian where the last steps contract so slowly that the passes to go cost more.
    3. Go along each step as far as its objective decreases enough.
    4. Teach each H what its gradient's change says (the BFGS update), and go on with 1.

    A problem that even its exact Hessian brings no further is at its rounding errors.
    """
    theta, H = theta.copy(), hessians.copy()
    value, gradient = problems.evaluate(theta)
    size, passes = problems.sizes(gradient), 1
    traces = [[Step(float(v), float(s))] for v, s in zip(value, size, strict=True)]
    since, lost = np.zeros(len(theta), np.intp), np.zeros(len(theta), bool)
    exact, stuck = lost.copy(), lost.copy()
    for _ in range(max_iter):
        active = np.flatnonzero((size > tol) & ~stuck)
        if not active.size:
            break
        left = np.array([passes_left(traces[m], since[m], tol) if since[m] else 0 for m in active])
        anew = active[lost[active] | (left >= problems.hessian_cost + 2.0)]
        if anew.size:
            H[anew] = problems.part(anew).hessians(theta[anew], bool(lost[anew].any()))
            since[anew], passes = 0, passes + 1
        exact, lost = lost, np.zeros(len(theta), bool)
        step = np.array([-solve_semidefinite(H[m], gradient[m]) for m in active])
        length, left = np.ones(len(active)), np.arange(len(active))
        for _ in range(HALVINGS):
            m = active[left]
            move = length[left, None] * step[left]
            new_value, new_gradient = problems.part(m).evaluate(theta[m] + move)
            passes += 1
            new_size = problems.part(m).sizes(new_gradient)
            noise = NOISE * np.abs(value[m])
            promise = np.einsum("mp,mp->m", gradient[m], move)
            enough = new_value <= value[m] + SUFFICIENT * promise + noise
            good = enough & ((new_value < value[m] - noise) | (new_size < size[m]))
            for i in np.flatnonzero(good):
                k = m[i]
                H[k] = taught(H[k], move[i], new_gradient[i] - gradient[k])
                theta[k] += move[i]
                value[k], gradient[k], size[k] = new_value[i], new_gradient[i], new_size[i]
                traces[k].append(Step(float(value[k]), float(size[k])))
                since[k] += 1
            tiny = -promise < np.finfo(np.float64).eps * np.abs(value[m])
            length[left] /= 2.0
            nowhere = active[left[~good & tiny]]
            lost[nowhere], stuck[nowhere] = True, exact[nowhere]
            left = left[~good & ~tiny]
            if not left.size:
                break
        else:
            lost[active[left]], stuck[active[left]] = True, exact[active[left]]
    return Minima(theta, H, traces, passes)
