"""A likelihood model along a sequence of penalties: each fit begins where one near it ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.likelihood.problem import Problem
from linework.likelihood.solve import solve
from linework.solvers.newton import Minimum

HESSIANS = 1 << 28
"""Bytes of Hessians kept along a path; where they would be more, only the last is."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The minimum at one penalty.

    Attributes
    ----------
    coef : array of shape (d, k)
    intercept : array of shape (k,)
    l2 : float
    found : Minimum
    """

    coef: Array
    intercept: Array
    l2: float
    found: Minimum


def follow(
    problem: Problem,
    penalties: Sequence[tuple[float, float]],
    null: Array,
    tol: float,
    max_iter: int,
    guide: Sequence[Fit] = (),
) -> list[Fit]:
    """The minima at penalties (l2, l1) beside the mean loss, from strong to weak.

    A fit begins at the one before, with its Hessian. With a ``guide``, the path of nearly the same
    rows, it begins at the guide's fit, moved by what lay between the two at the penalty before. It
    does so only where an L2 penalty makes the minimum unique: where there are several, rows that
    are left out must not choose among them through the start.

    Parameters
    ----------
    null : array of shape (k,)
        The linear predictors of the model without slopes, where the path begins.
    """
    fits: list[Fit] = []
    for number, (l2, l1) in enumerate(penalties):
        now = problem.penalised(l2, l1)
        before = fits[-1] if fits else None
        guided = guide and l2 > 0.0
        near = guide[number] if guided else before
        if near is None:
            theta = now.parameters(np.zeros((len(problem.l2), len(null))), null)
            found = solve(now, theta, tol, max_iter)
        else:
            theta = now.parameters(near.coef, near.intercept)
            if guided and before is not None:
                theta += now.parameters(before.coef, before.intercept)
                theta -= now.parameters(guide[number - 1].coef, guide[number - 1].intercept)
            known = near if near.found.hessian is not None or before is None else before
            hessian = now.repenalised(known.found.hessian, known.l2)
            found = solve(now, theta, tol, max_iter, hessian, near=True)
        if before is not None and len(penalties) * found.hessian_bytes > HESSIANS:
            fits[-1] = dataclasses.replace(
                before, found=dataclasses.replace(before.found, hessian=None)
            )
        fits.append(Fit(*now.coefficients(found.theta), l2, found))
    return fits
