"""The textbook's ways to the maximum of a likelihood, to be watched by their traces."""

from __future__ import annotations

import dataclasses

import numpy as np

from linework.data.blocks import Array, Block
from linework.engine import map_reduce
from linework.likelihood.problem import Problem
from linework.solvers.newton import Minimum, line_search, minimise, start
from linework.solvers.ridge import ridge
from linework.stats import Moments


def by_newton(problem: Problem, theta: Array, tol: float, max_iter: int) -> Minimum:
    """Newton's method: θ ← θ − (∇²f)⁻¹∇f, with the second derivatives of all rows in every step."""
    return minimise(problem, theta, tol, max_iter, always=True)


def by_reweighting(problem: Problem, theta: Array, tol: float, max_iter: int) -> Minimum:
    """Iteratively reweighted least squares: θ ← argmin Σ w h (z − η)², z = η + (y − μ)μ'/(V h).

    A least-squares fit of the working response z, from the rows' moments, with the weights h that
    its errors have at the present θ. For the canonical link it is Newton's step.
    """
    point, passes = start(problem, theta), 1
    weight = problem.columns.weight
    while point.size > tol and len(point.trace) <= max_iter:
        coef, intercept = problem.coefficients(point.theta)

        def working(block: Block, coef: Array = coef, intercept: Array = intercept) -> Moments:
            block = block.present()
            eta = np.asarray(block.X @ coef + intercept, np.float64)
            known = np.zeros_like(eta) if block.offset is None else block.offset
            score = problem.loss.evaluate(block.targets, eta + known)[1]
            h = problem.loss.curvature(block.targets, eta + known)
            z = eta + np.divide(score, h, out=np.zeros_like(h), where=h > 0.0)
            w = h[:, 0] if block.weight is None else h[:, 0] * block.weight
            return Moments.from_block(dataclasses.replace(block, y=z, weight=w, offset=None))

        moments = map_reduce(problem.table, working)
        solution = ridge(moments, weight * problem.l2[:1], problem.fit_intercept)
        level = moments.y_mean - moments.x_mean @ solution.coef
        step = problem.parameters(solution.coef, level) - point.theta
        found, tried = line_search(problem, point, step)
        passes += tried + 1
        if found is None:
            break
        point = found
    return Minimum(point.theta, point.total, None, point.trace, passes)


def by_descent(problem: Problem, theta: Array, tol: float, max_iter: int) -> Minimum:
    """Gradient descent: θ ← θ − t∇f, with t twice that of the step before, or as often halved."""
    point, passes = start(problem, theta), 1
    length = 1.0
    while point.size > tol and len(point.trace) <= max_iter:
        found, tried = line_search(problem, point, -length * point.gradient)
        passes += tried
        if found is None:
            break
        length *= 2.0 ** (2 - tried)
        point = found
    return Minimum(point.theta, point.total, None, point.trace, passes)
