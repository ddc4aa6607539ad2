"""A likelihood at its maximum, and with some of its coefficients held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.likelihood.problem import Problem
from linework.solvers.quadratic import solve_semidefinite


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """φ ↦ f(origin + Aφ), f being the objective of a problem: an objective for `minimise`.

    Attributes
    ----------
    problem : Problem
        Without a 1-norm.
    origin : array of shape (p·k,)
    basis : array of shape (p·k, m)
        A.
    free : array of int of shape (m,)
        Positions in θ = origin + Aφ at which φ itself stands.
    l1 : None
    """

    problem: Problem
    origin: Array
    basis: Array
    free: Array
    l1: None = None

    @property
    def hessian_cost(self) -> float:
        """Gradients that a Hessian takes as long as."""
        return self.problem.hessian_cost

    def evaluate(self, phi: Array) -> tuple[float, Array]:
        """The objective and its gradient."""
        value, gradient = self.problem.evaluate(self.origin + self.basis @ phi)
        return value, gradient @ self.basis

    def hessian(self, phi: Array) -> Array:
        """Its second derivatives, expected where they depend on y."""
        H = self.problem.hessian(self.origin + self.basis @ phi)
        return np.asarray(self.basis.T @ H @ self.basis)

    def settled(self, phi: Array) -> Array:
        """Φ itself: there is no 1-norm."""
        return phi

    def scaled(self, gradient: Array) -> float:
        """As that of the problem: the spread is that of Σ a_j (x_j − x̄_j) for a column a of A."""
        scale = np.repeat(self.problem.scale, self.problem.loss.n_scores)[:, None]
        along = np.multiply(self.basis, scale, out=np.zeros_like(self.basis), where=self.basis != 0)
        slope = np.abs(gradient) / np.linalg.norm(along, axis=0)
        return float(slope.max(initial=0.0) / self.problem.unit)


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """Where the likelihood of a fit is highest.

    Attributes
    ----------
    problem : Problem
        In the columns that have coefficients of their own.
    theta : array of shape (p·k,)
    positions : array of int
        Of the coefficients in θ, which has b + x̄ᵀβ in the place of an intercept b.
    fixed : sequence of int
        Positions of what is zero in every fit: the coefficients of a class that others are
        compared with.
    """

    problem: Problem
    theta: Array
    positions: Array
    fixed: Sequence[int] = ()

    @property
    def loglik(self) -> float:
        """Ln L, with the penalty if there is one, of a family whose loss is −ln L."""
        return -self.problem.columns.weight * self.problem.evaluate(self.theta)[0]

    @property
    def decrement(self) -> float:
        """The length, in standard errors, of the Newton step from here: zero at the optimum."""
        weight = self.problem.columns.weight
        gradient = self.problem.evaluate(self.theta)[1]
        step = solve_semidefinite(self.problem.hessian(self.theta), gradient)
        return float(np.sqrt(max(weight * float(gradient @ step), 0.0)))

    def holding(self, held: Sequence[int], value: float = 0.0) -> Plane:
        """Some of the coefficients at a value; more than one only at zero."""
        k, slopes = self.problem.loss.n_scores, self.problem.table.n_columns
        still = self.positions[list(held)]
        free = np.setdiff1d(np.arange(len(self.theta)), np.append(still, self.fixed))
        basis = np.eye(len(self.theta))[:, free]
        for one in still[still >= slopes * k]:  # with b held, b + x̄ᵀβ follows β
            of_same = (free < slopes * k) & (free % k == one % k)
            basis[one, of_same] = self.problem.centre[free[of_same] // k]
        origin = np.zeros_like(self.theta)
        origin[still] = value
        return Plane(self.problem, origin, basis, free)


def of_columns(table: Table, columns: Array) -> Table:
    """The table of these columns for the many passes of fits, read into memory."""
    whole = len(columns) == table.n_columns
    return (table if whole else table.columns(columns)).held()
