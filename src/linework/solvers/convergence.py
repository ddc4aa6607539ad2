"""How an iterative fit ended."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True, slots=True)
class Step:
    """Where an iteration arrived: its objective and its scaled gradient."""

    objective: float
    gradient: float


@dataclass(frozen=True, slots=True)
class Convergence:
    """How an iterative fit ended: whether it converged is a property of the solution.

    Attributes
    ----------
    measure : str
        What is compared with ``tol``: ``"duality gap"`` or ``"gradient"``.
    value, tol : float
        Its value at the solution, and the bound that was asked for.
    n_iter : int
        Sweeps or passes.
    objective : float
        The objective at the solution, as the estimator's docstring prints it.
    trace : tuple of Step
        The start and each iteration, where a fit keeps them.
    passes : int or None
        Reads of the rows, where they are not the iterations.
    gap : float or None
        Of the objective to its minimum at most, by duality: for likelihoods that are convex in the
        linear predictor, under a penalty with a 1-norm.
    """

    measure: str
    value: float
    tol: float
    n_iter: int
    objective: float
    trace: tuple[Step, ...] = ()
    passes: int | None = None
    gap: float | None = None

    @property
    def converged(self) -> bool:
        """Whether the measure is within the tolerance."""
        return self.value <= self.tol

    def warn(self, caller: str, advice: str) -> None:
        """Warn with what to do, unless converged."""
        if not self.converged:
            warnings.warn(
                f"{caller} did not converge: after {self.n_iter} iterations the {self.measure} is "
                f"{self.value:.3g}, and {self.tol:.3g} was asked for. {advice}",
                ConvergenceWarning,
                stacklevel=3,
            )
