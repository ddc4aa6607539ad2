"""A likelihood model along a sequence of penalties: each fit begins where one near it ended."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar

from linework.data.blocks import Array
from linework.data.numbers import dtype_of
from linework.likelihood.problem import Problem
from linework.likelihood.solve import solve
from linework.progress import shown
from linework.solvers.newton import Minimum

Penalties: TypeAlias = Sequence[tuple[float, float]]
"""Factors (l2, l1) beside the mean loss."""

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

    def line(self, dtype: Any) -> tuple[Array, Array]:
        """The coefficients (k, d) and intercepts (k,) as attributes of an estimator."""
        dtype = dtype_of(dtype, self.coef, self.intercept)
        return self.coef.T.astype(dtype), self.intercept.astype(dtype)


@shown("Path of penalties")
def follow(
    problem: Problem,
    penalties: Penalties,
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
            known = near if near.found.model is not None or before is None else before
            hessian = now.repenalised(known.found.model, known.l2)
            found = solve(now, theta, tol, max_iter, hessian, near=True)
        if before is not None and found.model and len(penalties) * found.model.nbytes > HESSIANS:
            fits[-1] = dataclasses.replace(
                before, found=dataclasses.replace(before.found, model=None)
            )
        fits.append(Fit(*now.coefficients(found.theta), l2, found))
    return fits


def follow_any(
    problem: Problem,
    penalties: Penalties,
    null: Array,
    tol: float,
    max_iter: int,
    guide: Sequence[Fit] = (),
) -> list[Fit]:
    """The minima at penalties in any order; as `follow`, with ``guide`` in that order."""
    order = np.argsort([-sum(penalty) for penalty in penalties], kind="stable")
    near = [guide[j] for j in order] if guide else []
    fits = follow(problem, [penalties[j] for j in order], null, tol, max_iter, near)
    return [fits[j] for j in np.argsort(order)]


def C_penalties(Cs: Any, l1_ratio: float, weight: float) -> Penalties:
    """The penalties beside the mean loss that are these C beside the sum over rows of a weight."""
    strengths = 1.0 / (np.asarray(Cs, np.float64) * weight)
    return [(strength * (1.0 - l1_ratio), strength * l1_ratio) for strength in strengths]


def as_Cs(Cs: Any) -> Array:
    """Inverse strengths of penalties, given or counted, as an array."""
    if isinstance(Cs, Integral):
        return np.logspace(-4.0, 4.0, check_scalar(Cs, "Cs", Integral, min_val=1))
    check_list(Cs, "Cs", include_boundaries="neither")
    return np.asarray(Cs, np.float64)


def check_list(values: Any, name: str, **bounds: Any) -> None:
    """Raise a sentence unless these are numbers within bounds from zero on."""
    if np.ndim(values) != 1 or not len(values):
        raise ValueError(f"{name} is {values!r}, and a list of numbers is expected.")
    for i, value in enumerate(values):
        check_scalar(value, f"{name}[{i}]", Real, min_val=0.0, **bounds)


def warn_unfinished(sizes: Array, tol: float) -> None:
    """Warn of the fits whose gradients, of these sizes, are above ``tol``."""
    if (sizes > tol).any():
        warnings.warn(
            f"{np.count_nonzero(sizes > tol)} of the {sizes.size} fits along the penalties did not "
            f"converge: their largest gradient is {sizes.max():.3g}, and {tol:.3g} was asked for. "
            "Allow more iterations by max_iter, or leave out the weakest penalties.",
            ConvergenceWarning,
            stacklevel=4,
        )
