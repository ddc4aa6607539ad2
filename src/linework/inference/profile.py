"""The profile likelihood along one coefficient."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from linework.data.blocks import Array
from linework.inference.fitted import Fit
from linework.inference.optimum import Optimum
from linework.solvers.convergence import Convergence
from linework.solvers.newton import minimise

TRIES = 40
"""Steps to beyond an end, each twice the one before or half of it."""

FAR, FLAT = 4.0, 1e-2
"""Roots, in units of the one looked for: above, a fit is too far out to begin others with; below,
more than twice as far out as the standard error says, the likelihood has no end."""

EXACT = 1e-9
"""Standard errors to which an end is found."""

ACCURATE = 1e-6
"""Scaled gradient of a fit at an end, for a deviance of 1e-12 a row."""

BETTER = 1e-3
"""Deviance by which a fit at a fixed coefficient may fall below that of the model, as in R."""


class Fitted(NamedTuple):
    """A fit with one coefficient held: the root, the other coefficients, the scaled gradient."""

    root: float
    theta: Array
    size: float


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """±√((D(b) − D) / φ) along one coefficient, with the sign of b − estimate.

    Attributes
    ----------
    optimum : Optimum
    index : int
        Of the coefficient among those that are defined.
    unit : float
        2 W / φ, by which the mean loss is multiplied.
    tol : float
    max_iter : int
    estimate, std_error : float
    best : float
        The mean loss at the estimate.
    known : dict of float to Fitted
        The fits that have been made, by b.
    """

    optimum: Optimum
    index: int
    unit: float
    tol: float
    max_iter: int
    estimate: float
    std_error: float
    best: float
    known: dict[float, Fitted]

    @classmethod
    def of(cls, fit: Fit, optimum: Optimum, index: int) -> Profile:
        """Of one of the defined coefficients."""
        problem, estimate = optimum.problem, float(fit.estimate[index])
        std_error = float(np.linalg.norm(fit.work.coordinates.to_coef()[index]))
        start = optimum.theta[optimum.holding([index]).free]
        return cls(
            optimum,
            index,
            2.0 * problem.columns.weight / fit.dispersion,
            fit.model._reach(problem.table),
            fit.model.max_iter,
            estimate,
            std_error * float(np.sqrt(fit.dispersion)),
            problem.evaluate(optimum.theta)[0],
            {estimate: Fitted(0.0, start, 0.0)},
        )

    def at(self, b: float) -> float:
        """The root at b; infinite where the fits known lead out of the link's domain."""
        if b in self.known:
            return self.known[b].root
        plane, start = self.optimum.holding([self.index], b), self._start(b)
        with np.errstate(over="ignore", invalid="ignore"):  # far out, where separated classes are
            if not np.isfinite(plane.evaluate(start)[0]):
                return np.inf
            found = minimise(plane, start, self.tol, self.max_iter)
        rise = self.unit * (found.value - self.best)
        if rise < -BETTER:
            raise ValueError(
                f"A fit with the coefficient at {b:.6g} is better than the model, by a deviance of "
                f"{-rise:.3g}: the model is not at its optimum. Fit it again with a smaller tol."
            )
        root = float(np.copysign(np.sqrt(max(rise, 0.0)), b - self.estimate))
        self.known[b] = Fitted(root, found.theta, found.size)
        return root

    def end(self, z: float, side: int) -> float:
        """The b at which the root is side · z, with side −1 or 1.

        Infinite where the root stays below; where the link's domain ends before, that place.
        """
        inner, step = self.estimate, side * z * self.std_error
        for _ in range(TRIES):
            outer = inner + step
            root = abs(self.at(outer))
            if root > FAR * z:
                self.known.pop(outer, None)  # no good start for others
                step *= 0.5
            elif root >= z:
                return self._between(inner, outer, side * z)
            elif root < FLAT * z and abs(outer - self.estimate) > 2.0 * z * self.std_error:
                break
            else:
                inner, step = outer, 2.0 * step
        return inner if abs(step) < EXACT * self.std_error else side * np.inf

    def _between(self, inner: float, outer: float, z: float) -> float:
        xtol = EXACT * self.std_error
        b = float(brentq(lambda b: self.at(b) - z, inner, outer, xtol=xtol))
        size, enough = self.known[b].size, max(self.tol, ACCURATE)
        Convergence("gradient", size, enough, self.max_iter, np.nan).warn(
            "The fit at an interval's end", "Allow more iterations by the model's max_iter."
        )
        return b

    def _start(self, b: float) -> Array:
        """The other coefficients on the line through the two fits nearest to b."""
        fits = sorted(self.known)
        if len(fits) == 1:
            return self.known[fits[0]].theta
        upper = min(max(bisect(fits, b), 1), len(fits) - 1)
        b0, b1 = fits[upper - 1 : upper + 1]
        theta0, theta1 = self.known[b0].theta, self.known[b1].theta
        return np.asarray(theta0 + (b - b0) / (b1 - b0) * (theta1 - theta0))
