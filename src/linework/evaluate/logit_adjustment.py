"""Decisions for long tails: scores less τ ln of their class's prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linework.data.blocks import Array
from linework.evaluate.rules import LeastCost, cost_matrix
from linework.priors import trained_priors


@dataclass(frozen=True, slots=True, eq=False)
class LogitAdjustment:
    """The class of highest ln P(k | x) − τ ln π_k, π the shares of the classes in the rows fitted.

    With τ = 1 every class counts the same, however few its rows, as the balanced error does: it is
    ``DecisionRule(priors="equal")``. With τ between 0 and 1 rare classes gain less (Menon et al.,
    2021). Posteriors are then those under priors in proportion to π^(1 − τ).

    A linear model that is trained on adjusted scores, Σ −ln softmax(g(x) + τ ln π)_k, has the same
    slopes: the adjustment goes into intercepts, which no penalty holds. So it costs no other fit.

    Parameters
    ----------
    tau : float, default=1.0
        τ, zero or more.
    training_priors : array-like of shape (K,), optional
        π, where the posteriors are for others than the shares in y.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import LogitAdjustment
    >>> y = np.repeat([0, 1, 2], [90, 9, 1])
    >>> posterior = np.array([[0.8, 0.15, 0.05], [0.95, 0.04, 0.01]])
    >>> for tau in (0.0, 0.5, 1.0):
    ...     decide = LogitAdjustment(tau).learn(None, y, np.ones(100), np.arange(3))
    ...     print(decide(posterior))
    [0 0]
    [0 0]
    [2 0]
    """

    tau: float = 1.0
    training_priors: Any = None

    cv: ClassVar[Any] = None
    calibrated: ClassVar[bool] = True

    def learn(
        self, scores: Array | None, numbers: Array, weight: Array, classes: Array
    ) -> LeastCost:
        """The decision, for the shares of the classes in these rows.

        Parameters
        ----------
        scores : None
            Not needed.
        numbers : array of int of shape (n,)
            Each row's class.
        weight : array of shape (n,)
        classes : array of shape (K,)

        Returns
        -------
        LeastCost
        """
        K = len(classes)
        if not 0.0 <= self.tau < np.inf:
            raise ValueError(
                f"tau is {self.tau!r}, and a finite number, zero or more, is expected."
            )
        priors = trained_priors(self.training_priors, numbers, weight, K)
        log_shift = -self.tau * np.log(priors)
        return LeastCost(np.exp(log_shift - log_shift.max()), cost_matrix(None, K), None)
