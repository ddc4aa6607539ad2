"""Decisions of least expected cost: posteriors, the priors they are for, and what errors cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from linework.data.blocks import Array
from linework.priors import check_priors, shifted, trained_priors


class Decision(Protocol):
    """What a rule has learnt."""

    def __call__(self, scores: Array, costs: Any = None) -> Array:
        """From scores (n, K) to numbers of classes (n,), K for a rejection."""
        ...


class Rule(Protocol):
    """How to decide; ``cv`` says which rows it learns from, ``calibrated`` whether of posteriors.

    ``cv`` is None where it needs only the labels, a number of folds whose posteriors are by models
    fitted without them, or the share of rows that are held out of the fit.
    """

    cv: ClassVar[Any]
    calibrated: ClassVar[bool]

    def learn(
        self, scores: Array | None, numbers: Array, weight: Array, classes: Array
    ) -> Decision:
        """From scores (n, K) of rows, the numbers (n,) of their classes, and weights (n,)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class DecisionRule:
    """The Bayes decision: the class of least expected cost, under the priors where it is made.

    A row has the cost Σ_k P'(k | x) C[k, j] if it is said to be of class j, with

        P'(k | x) ∝ P(k | x) π'_k / π_k,

    π the shares of the classes among the rows fitted, and π' their priors where decisions are made.
    Of two classes and equal π' this is rescaling, y'/(1 − y') = y/(1 − y) · m⁻/m⁺.

    Parameters
    ----------
    priors : "equal" or array-like of shape (K,), optional
        π'; by default those of the posteriors.
    costs : array-like of shape (K,) or (K, K), optional
        What it costs to miss a row of each class, in the order of the classes; of two classes cost⁻
        and cost⁺. Or C, of row k what it costs to say j of a row of class k. By default every
        error costs 1.
    reject : float, optional
        What it costs not to decide: rows whose expected cost is above it are rejected (Chow, 1970).
    training_priors : array-like of shape (K,), optional
        π, where the posteriors are for others than the shares in y, as those of a model that was
        given priors.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import DecisionRule
    >>> posterior = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]])
    >>> y = np.array([0, 0, 0, 1])
    >>> decide = DecisionRule(costs=[1, 4]).learn(None, y, np.ones(4), np.array([0, 1]))
    >>> decide(posterior)  # from a posterior of 1/5 on
    array([0, 1, 1])
    >>> decide = DecisionRule(priors="equal").learn(None, y, np.ones(4), np.array([0, 1]))
    >>> decide(posterior)  # from the share of the class on, 1/4
    array([0, 1, 1])
    """

    priors: Any = None
    costs: Any = None
    reject: float | None = None
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
        shift = np.ones(K)
        if self.priors is not None:
            equal = isinstance(self.priors, str) and self.priors == "equal"
            here = np.full(K, 1.0 / K) if equal else self.priors
            shift = check_priors(here, K, "priors")
            shift = shift / trained_priors(self.training_priors, numbers, weight, K)
        if self.reject is not None and not self.reject >= 0.0:
            raise ValueError(f"reject is {self.reject!r}, and a cost of zero or more is expected.")
        return LeastCost(shift, cost_matrix(self.costs, K), self.reject)


@dataclass(frozen=True, slots=True, eq=False)
class LeastCost:
    """The class of least expected cost.

    Attributes
    ----------
    shift : array of shape (K,)
        π'_k / π_k.
    costs : array of shape (K, K)
    reject : float or None
    """

    shift: Array
    costs: Array
    reject: float | None

    def posterior(self, scores: Array) -> Array:
        """Posteriors (n, K) under the priors where decisions are made."""
        return shifted(scores, self.shift)

    def risk(self, scores: Array, costs: Any = None) -> Array:
        """The expected cost (n, K) of each class, or (n, K + 1) where rows may be rejected.

        Parameters
        ----------
        scores : array of shape (n, K)
            Posteriors.
        costs : array-like of shape (n, K) or (n, K, K), optional
            Of each row by itself, in place of the rule's.
        """
        p = self.posterior(scores)
        if costs is None:
            risk = p @ self.costs
        else:
            each = np.asarray(costs, np.float64)
            if each.shape not in (p.shape, (*p.shape, p.shape[1])):
                raise ValueError(
                    f"costs has shape {each.shape}, and {p.shape} or {(*p.shape, p.shape[1])} is "
                    "expected: for each row what cost_matrix takes for all."
                )
            _check_costs(each)
            if each.ndim == 2:  # Σ_k p_k c_k less what is right
                risk = (p * each).sum(axis=1, keepdims=True) - p * each
            else:
                risk = np.einsum("nk,nkj->nj", p, each)
        if self.reject is None:
            return np.asarray(risk)
        return np.column_stack([risk, np.full(len(risk), self.reject)])

    def __call__(self, scores: Array, costs: Any = None) -> Array:
        """The number of each row's class."""
        return np.asarray(self.risk(scores, costs).argmin(axis=1))


def cost_matrix(costs: Any, K: int) -> Array:
    """C of shape (K, K), from itself, from the cost (K,) of missing each class, or from None."""
    if costs is None:
        costs = np.ones(K)
    C = np.asarray(costs, np.float64)
    if C.shape not in ((K,), (K, K)):
        raise ValueError(
            f"costs has shape {C.shape}, and {(K,)} or {(K, K)} is expected for {K} classes: what "
            "it costs to miss each, or in row k and column j to say j of a row of class k."
        )
    _check_costs(C)
    return C[:, None] * (1.0 - np.eye(K)) if C.ndim == 1 else C


def _check_costs(costs: Array) -> None:
    if not np.isfinite(costs).all():
        raise ValueError("costs holds NaN or infinity: give a finite cost of every error.")
