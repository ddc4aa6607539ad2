"""A fitted logistic regression of several classes with the rows it was fitted on."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce, map_rows
from linework.inference.checks import group_codes, positions_of
from linework.inference.class_coordinates import ClassCoordinates
from linework.inference.coordinates import Coordinates
from linework.inference.covariance import Weights
from linework.inference.likelihood_checks import (
    class_numbers,
    problem_of,
    reject_other_rows,
    reject_reweighted,
)
from linework.inference.line import dense_tiles
from linework.inference.optimum import Optimum, of_columns
from linework.inference.working import independent
from linework.likelihood.logistic import LogisticRegression, class_loss
from linework.likelihood.problem import Problem
from linework.likelihood.rows import chosen, present_rows
from linework.solvers.cholesky import cholesky


@dataclass(frozen=True, slots=True, eq=False)
class ClassWorking:
    """Log odds against a first class at their rows, with the information Σ w A ⊗ zzᵀ.

    Attributes
    ----------
    table : Table
        The columns that have slopes of their own, with targets [P, 1[y = k] − P].
    columns : array of int
        Their positions among all.
    coordinates : ClassCoordinates
    coef : array of shape (d, m)
    intercept : array of shape (m,)
    decrement : float
        Length of the Newton step in standard errors.
    """

    table: Table
    columns: Array
    coordinates: ClassCoordinates
    coef: Array
    intercept: Array
    decrement: float

    @classmethod
    def at(cls, table: Table, eta: Array, fit_intercept: bool) -> ClassWorking:
        """At linear predictors (n, K), of rows whose targets are the numbers of their classes."""
        assert table.y is not None
        P = softmax(eta, axis=1)
        odds = dataclasses.replace(table, y=eta[:, 1:] - eta[:, :1], group=None)
        stats, _, columns, coef, intercept = independent(odds, fit_intercept)
        design = Coordinates.of(stats, columns, fit_intercept)
        hit = table.y == np.arange(P.shape[1])
        table = dataclasses.replace(table.columns(columns), y=np.hstack([P, hit - P]))
        m, k = P.shape[1] - 1, design.size

        def sums(block: Block) -> Array:
            """The information (m, k, m, k) and the score (m, k), one after the other."""
            information, score = np.zeros((m, k, m, k)), np.zeros((m, k))
            for rows, X in dense_tiles(block):
                Q = design.rows(X)
                P, r = (part[:, 1:] for part in np.hsplit(rows.targets, 2))
                wQ = Q if rows.weight is None else Q * rows.weight[:, None]
                score += r.T @ wQ
                for a in range(m):
                    for b in range(a, m):
                        h = P[:, a] * (float(a == b) - P[:, b])
                        information[a, :, b] += (Q * h[:, None]).T @ wQ
            return np.concatenate([information.ravel(), score.ravel()])

        both = map_reduce(table, sums)
        information = both[: -m * k].reshape(m, k, m, k)
        for a, b in zip(*np.tril_indices(m, -1), strict=True):
            information[a, :, b] = information[b, :, a]
        factor = cholesky(information.reshape(m * k, m * k))
        if factor is None:
            raise ValueError(
                "The fit predicts rows without doubt, so that they do not say how sure it is: the "
                "classes are separated, and coefficients infinite. Use separation='firth'."
            )
        decrement = float(np.linalg.norm(factor.whiten(both[None, -m * k :])))
        coordinates = ClassCoordinates.of(design, factor)
        return cls(table, columns, coordinates, coef, intercept, decrement)


@dataclass(frozen=True, slots=True, eq=False)
class MultinomialFit:
    """A `LogisticRegression` of K classes without penalty at its rows.

    Attributes
    ----------
    model : LogisticRegression
    order : array of int of shape (K,)
        Numbers of the classes, that which the others are compared with first.
    table : Table
        The rows, with the positions of their classes in ``order`` as targets.
    eta : array of shape (n, K)
        Linear predictors in that order.
    work : ClassWorking
    w : array
        Weights of the rows of positive weight.
    loglik, null_loglik, pearson : float
        Σ w ln P of the rows' classes, at the fit and without slopes, and Σ w (1[y = k] − P)² / P.
    n, df : float
        Rows as the weights count, and n (K − 1) − k.
    kind : type
        Of the problem that the fit solves.
    dispersion, test_df : float
        1, and ∞: the dispersion is known.
    """

    model: LogisticRegression
    order: Array
    table: Table
    eta: Array
    work: ClassWorking
    w: Array
    loglik: float
    null_loglik: float
    pearson: float
    n: float
    df: float
    kind: type[Problem]
    dispersion: float = 1.0
    test_df: float = np.inf

    @classmethod
    def of(
        cls,
        model: LogisticRegression,
        X: Any,
        y: Any,
        sample_weight: Any,
        weights: Weights,
        groups: Any = None,
        reference: Any = None,
    ) -> MultinomialFit:
        """From what the user gave, or a sentence where the model is not the fit to these rows."""
        check_is_fitted(model)
        reject_reweighted(model)
        model = copy.copy(model)  # a later fit must not change what is said here
        order = _order(model.classes_, reference)
        number = np.argsort(order)[class_numbers(model.classes_, y)]
        table = model._read(X, number.astype(np.float64), sample_weight, reset=False)
        if groups is not None:
            table = table.with_group(group_codes(groups, table.n_rows))
        eta = map_rows(table, model._checked_scores).astype(np.float64)[:, order]
        work = ClassWorking.at(table, eta, model.fit_intercept)
        own, w = present_rows(table)
        log_p = log_softmax(eta[chosen(table)], axis=1)
        hit = own[:, None] == np.arange(len(order))
        totals = w @ hit
        share = (
            totals / totals.sum() if model.fit_intercept else np.full(len(totals), 1 / len(hit[0]))
        )
        n = float(w.sum()) if weights == "frequency" else float(len(w))
        fit = cls(
            model,
            order,
            table,
            eta,
            work,
            w,
            float(w @ log_p[hit]),
            float(totals @ np.log(share)),
            float(w @ (np.exp(-log_p[hit]) - 1.0)),
            n,
            n * (len(order) - 1) - work.coordinates.size,
            problem_of(model),
        )
        decrement = work.decrement if fit.kind is Problem else fit.optimum().decrement
        reject_other_rows(decrement, work.coordinates.size)
        return fit

    def at(self, table: Table) -> ClassWorking:
        """The same linear predictors beside other columns."""
        return ClassWorking.at(table, self.eta, self.model.fit_intercept)

    @property
    def terms(self) -> tuple[str, ...]:
        """Names of what each class has a coefficient of, the intercept first."""
        first = ("(Intercept)",) * int(self.model.fit_intercept)
        return first + self.model._column_names(range(self.table.n_columns))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all coefficients, by class."""
        classes = self.model.classes_[self.order[1:]]
        return tuple(f"{one}:{term}" for one in classes for term in self.terms)

    @property
    def places(self) -> Array:
        """Positions of the defined coefficients among all."""
        return self.work.coordinates.places(self.work.columns, self.table.n_columns)

    @property
    def estimate(self) -> Array:
        """The defined coefficients, by class."""
        first = self.work.intercept[None][: int(self.model.fit_intercept)]
        return np.vstack([first, self.work.coef]).T.ravel()

    def positions(self, which: Any) -> list[int]:
        """Positions of what is named: coefficients, or what every class has one of."""
        each, m = len(self.terms), len(self.order) - 1
        found: list[int] = []
        for one in [which] if isinstance(which, str) else which:
            if one in self.terms:
                found += range(self.terms.index(one), each * m, each)
            else:
                found += positions_of([one], self.names)
        return found

    def optimum(self) -> Optimum:
        """Where the likelihood is highest."""
        work, k = self.work, len(self.order)
        table = of_columns(self.table, work.columns)
        loss, null = class_loss(self.w @ (present_rows(table)[0][:, None] == np.arange(k)))
        problem = self.kind.of(table, loss, null, self.model.fit_intercept, 0.0, 0.0)
        problem = dataclasses.replace(problem, redundant=False)
        zero = np.zeros(len(work.columns))
        theta = problem.parameters(
            np.column_stack([zero, work.coef]), np.append(0.0, work.intercept)
        )
        place = np.roll(np.arange(len(theta)).reshape(-1, k), int(self.model.fit_intercept), axis=0)
        return Optimum(problem, theta, place[:, 1:].T.ravel(), place[:, 0].tolist())


def _order(classes: Array, reference: Any) -> Array:
    """Numbers of the classes, the reference first; the first class, if left out."""
    numbers = np.arange(len(classes))
    if reference is None:
        return numbers
    found = np.flatnonzero(classes == reference)
    if not len(found):
        raise ValueError(
            f"reference is {reference!r}, and one of the classes {classes.tolist()} is expected."
        )
    return np.append(found, np.delete(numbers, found))
