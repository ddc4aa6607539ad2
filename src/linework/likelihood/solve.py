"""Which way to the minimum of a likelihood: by its size."""

from __future__ import annotations

import dataclasses

import numpy as np

from linework.data.blocks import Array
from linework.likelihood.problem import Problem
from linework.likelihood.wide import WideProblem
from linework.solvers.newton import Minimum, Sketch, minimise, start, steepest
from linework.solvers.newton_cg import minimise_wide

SAMPLE = 8.0
"""The sample that a fit begins with is of SAMPLE · √(rows · parameters / Hessian's cost) rows. More
contract the error faster, by about √(parameters / rows) in every step, and take longer: measured
from 10 to 500 columns, half and twice as many cost a pass more, or none."""

FEWEST = 10
"""Rows for each parameter that the sample has at least."""

NEW_COLUMNS = 256
"""Columns that may join a working set at first; later twice as many each time."""

WIDE = 1024
"""Parameters from which a matrix of their second derivatives costs more than products with it."""


def solve(
    problem: Problem,
    theta: Array,
    tol: float,
    max_iter: int,
    hessian: Array | None = None,
    near: bool = False,
    wide: type[WideProblem] = WideProblem,
) -> Minimum:
    """The minimum of a problem, from a start: by way of a sample of the rows, where there are many.

    The sample is solved until its gradient is within its own sampling noise. Its Hessian, an
    estimate of that of all rows to one part in √(rows / parameters), makes the steps. A start that
    is ``near`` goes without, and may bring a ``hessian`` from where it comes. ``wide`` is what a
    problem of too many parameters for a matrix becomes.
    """
    parameters = int(np.prod(problem.shape))
    if parameters > WIDE and problem.l1 is not None:
        return by_working_sets(problem, theta, tol, max_iter)
    if parameters > WIDE:
        fields = {f.name: getattr(problem, f.name) for f in dataclasses.fields(problem)}
        return minimise_wide(wide(**fields), theta, tol, max_iter)
    if near:
        return minimise(problem, theta, tol, max_iter, hessian)
    return _from_sample(problem, theta, tol, max_iter)


def _from_sample(problem: Problem, theta: Array, tol: float, max_iter: int) -> Minimum:
    parameters, present = int(np.prod(problem.shape)), problem.n_present
    best = SAMPLE * np.sqrt(present * parameters / problem.hessian_cost)
    n_rows = max(int(best), FEWEST * parameters, 2_000)
    if 3 * n_rows > present:
        return minimise(problem, theta, tol, max_iter)
    part = problem.sample(n_rows)
    begun = minimise(part, theta, max(0.1 / np.sqrt(n_rows), tol), max_iter)
    at = problem.evaluate(begun.theta)
    if not np.isfinite(at[0]):  # a row that is not in the sample is outside the link's domain
        return minimise(problem, theta, tol, max_iter)
    hessian = dataclasses.replace(part, l2=problem.l2).hessian(begun.theta)

    def estimate(theta: Array) -> Array:
        return problem.focused(theta, n_rows).hessian(theta)

    cost = 2.0 + problem.hessian_cost * n_rows / present
    sketch = Sketch(estimate, cost, float(np.sqrt(parameters / n_rows)))
    return minimise(problem, begun.theta, tol, max_iter, hessian, at=at, sketch=sketch)


def by_working_sets(problem: Problem, theta: Array, tol: float, max_iter: int) -> Minimum:
    """The minimum with a 1-norm that leaves few columns: solved on those, checked on all.

    A pass for the gradient of all columns finds those that break their optimality condition
    |∂f/∂β_j| ≤ l1; the worst of them join, and the problem is solved on the columns chosen so far.
    """
    d, l1 = problem.table.n_columns, problem.l1
    point = start(problem, theta)
    passes, room = 1, NEW_COLUMNS
    chosen = np.flatnonzero(theta.reshape(problem.shape)[:d].any(axis=1))
    while point.size > tol and len(point.trace) <= max_iter:
        broken = np.abs(steepest(l1, point.theta, point.gradient)).reshape(problem.shape)[:d]
        worst = broken.max(axis=1)
        worst[chosen] = 0.0
        added = np.argsort(worst)[::-1][:room]
        chosen = np.union1d(chosen, added[worst[added] > 0.0])
        part = np.append(chosen, np.arange(d, problem.shape[0]))
        theta = point.theta.reshape(problem.shape).copy()
        found = _from_sample(problem.among(chosen), theta[part].ravel(), 0.5 * tol, max_iter)
        theta[part] = found.theta.reshape(len(part), -1)
        before, point = point, start(problem, theta.ravel())
        point = dataclasses.replace(point, trace=(*before.trace, *point.trace))
        passes += found.passes + 1
        room *= 2
        if point.total >= before.total:
            break
    return Minimum(point.theta, point.total, None, point.trace, passes)
