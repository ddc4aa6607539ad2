"""Logistic regression for two and more classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_scalar

from linework.candidates import ByRows
from linework.classifier import Probabilistic
from linework.data.blocks import Array, Block
from linework.data.numbers import dtype_of
from linework.data.sources import Table
from linework.dichotomies import Learners
from linework.folds import Split
from linework.labels import class_weights
from linework.likelihood.base import MORE_ITERATIONS, LikelihoodModel, Solver
from linework.likelihood.dichotomies import fit_together
from linework.likelihood.firth import FirthProblem
from linework.likelihood.path import C_penalties, Fit, Penalties
from linework.likelihood.problem import Problem
from linework.likelihood.separability import certain_of_a_row, separability_of
from linework.likelihood.solve import WIDE, solve
from linework.likelihood.textbook import by_descent, by_newton, by_reweighting
from linework.losses import LINKS, Binomial, GeneralizedLoss, Loss, SoftmaxLoss
from linework.solvers.convergence import Convergence
from linework.solvers.newton import minimise

SOLVERS: dict[str, Solver] = {
    "auto": solve,
    "newton": by_newton,
    "irls": by_reweighting,
    "gradient": by_descent,
}
NEAR = 1e-6
"""Scaled gradient up to which a separable fit has no curvature left along what separates."""

SEPARATION = ("warn", "raise", "firth")


class SeparationWarning(UserWarning):
    """The classes are linearly separable, and the likelihood has no maximum."""


class LogisticRegression(Probabilistic, LikelihoodModel):
    """Logistic regression: ln odds as a linear function, P(G = k | x) ∝ exp(b_k + w_kᵀx).

    Minimises, with s_i the weight of row i times that of its class::

        C Σ_i s_i ℓ(g_i, b + Wx_i) + l1_ratio · ‖W‖₁ + ½ (1 − l1_ratio) ‖W‖²

    with ℓ = −ln P(G = g | x). Two classes have one row of coefficients, for the log odds of the
    second: ℓ = ln(1 + exp η) − y η for y = 1[g is the second]. Intercepts are not penalised.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the strength of the penalty; ``np.inf`` is none.
    l1_ratio : float from 0 to 1, default=0.0
        Share of the 1-norm in the penalty.
    tol : float, default=1e-4
        As in scikit-learn, where a fit may stop. Fits here go on to a gradient of ten thousandth of
        it, in units of the columns' spread and of the scores': see ``convergence_``.
    fit_intercept : bool, default=True
    class_weight : None, dict, "balanced", "effective" or ("effective", β), default=None
        Factors of the weights by class: given; N / (K N_k); or, for long tails, by the effective
        number of rows (1 − β^N_k) / (1 − β), with β = 0.999 unless given.
    max_iter : int, default=100
    warm_start : bool, default=False
        Whether a fit begins at the coefficients of the one before.
    solver : {"auto", "newton", "irls", "gradient"}, default="auto"
        The way to the optimum, which is the same. The last three are the textbook's, to be watched
        in ``convergence_.trace``: Newton's method with all second derivatives in every step;
        iteratively reweighted least squares, for two classes; and gradient descent. They take no
        1-norm.
    separation : {"warn", "raise", "firth"}, default="warn"
        What to do without a penalty where a linear function tells the classes apart, so that the
        likelihood grows without end along some columns: name them in a warning, or in an error. Or
        maximise, whatever the data, Firth's penalised likelihood ln L + ½ ln |I|, whose estimates
        are finite and of less bias.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (K, d), or (1, d) for two classes
    intercept_ : array of shape (K,), or (1,)
    n_iter_ : array of shape (1,)
        Iterations over all rows.
    convergence_ : Convergence
        The gradient reached, and ``trace``, ``passes`` and the objective per unit of weight.

    Notes
    -----
    Newton's method on a sample of the rows, then gradients of all rows with the sample's Hessian,
    which learns from each and is replaced where that pays (see `linework.solvers.newton`): about
    ten reads of the rows, whatever the columns' scales and correlations. The optimum is exact.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict_proba(X[:1]).round(4)
    array([[0.9816, 0.0184, 0.    ]])
    >>> model.convergence_.converged
    True
    """

    _path_parameter = "C"
    _simpler: ClassVar = {"C": -1, "l1_ratio": 1}

    coef_: Array
    intercept_: Array
    n_iter_: Array

    def __init__(
        self,
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        max_iter: int = 100,
        warm_start: bool = False,
        solver: str = "auto",
        separation: str = "warn",
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.solver = solver
        self.separation = separation

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
            Labels of any kind that can be ordered.
        sample_weight : array-like of shape (n,), optional
            Zero removes a row, two counts it twice.

        Returns
        -------
        self
        """
        self._check_penalty()
        before = getattr(self, "classes_", None)
        table, classes = self._read_labelled(X, y, sample_weight, reset=True)
        table, totals = self._weighted(table, classes)
        loss, null = class_loss(totals)
        start = None
        if self.warm_start and before is not None and np.array_equal(before, classes):
            start = self.coef_.T.astype(np.float64), self.intercept_.astype(np.float64)
        strength = 1.0 / (self.C * totals.sum())
        l1, l2 = strength * self.l1_ratio, strength * (1.0 - self.l1_ratio)
        solver, kind = self._way(len(classes), strength)
        coef, intercept, problem = self._minimise(table, loss, null, l2, l1, start, solver, kind)
        if not strength and kind is Problem and certain_of_a_row(table, coef, intercept):
            theta = problem.parameters(coef, intercept)
            near = self.convergence_.value <= NEAR and len(theta) <= WIDE
            if not near or problem.is_flat(theta):
                self._tell_of_separation(table, classes)
        self.classes_ = classes
        dtype = dtype_of(table.dtype, coef, intercept)
        self.coef_, self.intercept_ = coef.T.astype(dtype), intercept.astype(dtype)
        self.n_iter_ = np.array([self.convergence_.n_iter], np.int32)
        return self

    def _read_for_folds(
        self, models: Sequence[Self], X: Any, y: Any, sample_weight: Any, splits: Sequence[Split]
    ) -> Table:
        for model in models:
            model._check_penalty()
            if model.solver != "auto" or model.separation == "firth" or np.inf == model.C:
                raise ByRows(f"{model} has no path: that takes a finite C and solver='auto'.")
        table, self.classes_ = self._read_labelled(X, y, sample_weight, reset=True)
        assert table.group is not None
        for number, (train, _) in enumerate(splits):
            rows = train if table.weight is None else train[table.weight[train] > 0.0]
            if np.unique(table.group[rows]).size < len(self.classes_):
                raise ByRows(f"The training part of split {number} has not all classes.")
        return table

    def _path_problem(self, table: Table) -> tuple[Problem, Array]:
        return self._problem(table, self.classes_)

    def _path_penalties(self, values: Sequence[Any]) -> Callable[[float], Penalties]:
        return partial(C_penalties, values, self.l1_ratio)

    def _place(self, fit: Fit, dtype: Any) -> None:
        self.coef_, self.intercept_ = fit.line(dtype)

    def fit_dichotomies(self, table: Table, code: Array) -> Learners | None:
        """Fit the problems of a coding matrix by passes that all of them share.

        Parameters
        ----------
        table : Table
            Its groups are the rows of ``code``.
        code : array of shape (K, M)

        Returns
        -------
        Learners, or None for a code with zeros, whose problems have few rows each, and for settings
        other than a squared penalty
        """
        self._check_penalty()
        self._way(2, 1.0 / self.C)
        plain = self.l1_ratio == 0.0 and np.inf > self.C and self.class_weight is None
        alike = (code != 0).all() and code.shape[1] > 1 and table.n_columns < WIDE
        if not (plain and alike and self.solver == "auto" and self.separation != "firth"):
            return None
        tol = self._reach(table)
        coef, intercept, found = fit_together(
            table, code, self.fit_intercept, self.C, tol, self.max_iter
        )
        reports = [
            Convergence("gradient", t[-1].gradient, tol, len(t) - 1, t[-1].objective, tuple(t),
                        found.passes)
            for t in found.traces
        ]  # fmt: skip
        max(reports, key=lambda report: report.value).warn(type(self).__name__, MORE_ITERATIONS)
        dtype = dtype_of(table.dtype, coef, intercept)
        coef, intercept = coef.astype(dtype), intercept.astype(dtype)
        make = OfDichotomies(clone(self), coef, intercept, reports, table.names)
        return Learners(make, len(coef), coef, intercept)

    def _way(self, n_classes: int, strength: float) -> tuple[Solver, type[Problem]]:
        """How to minimise what, or a sentence on what does not go together."""
        for name, known in (("solver", SOLVERS), ("separation", SEPARATION)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}; {', '.join(known)} are known."
                )
        solver = SOLVERS[self.solver]
        if solver is not solve and strength and self.l1_ratio:
            raise ValueError(
                f"solver={self.solver!r} needs a smooth penalty, and l1_ratio is "
                f"{self.l1_ratio!r}: set l1_ratio=0, or leave solver='auto'."
            )
        if solver is by_reweighting and n_classes > 2:
            raise ValueError(
                f"solver='irls' is for two classes, and there are {n_classes}: take 'newton'."
            )
        if self.separation != "firth":
            return solver, Problem
        if strength:
            raise ValueError(
                f"separation='firth' is a penalty of its own, and C is {self.C!r}: set C=np.inf."
            )
        return minimise, FirthProblem

    def _tell_of_separation(self, table: Table, classes: Array) -> None:
        names = self._column_names(range(table.n_columns))
        found = separability_of(table, classes, names, self.fit_intercept)
        if not found:
            return
        shown = ", ".join(map(repr, found.columns[:10])) + ", …" * (len(found.columns) > 10)
        which = "all rows" if found.kind == "complete" else "some rows, and errs in none"
        sentence = (
            f"A linear function of {shown} tells the classes apart for {which}: the likelihood "
            "has no maximum, and these coefficients are infinite but for where the "
            "fit stopped. Use separation='firth', a penalty (a finite C), or leave columns out."
        )
        if self.separation == "raise":
            raise ValueError(sentence)
        warnings.warn(sentence, SeparationWarning, stacklevel=3)

    def _read_labelled(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Table, Array]:
        table, classes = super()._read_labelled(X, y, sample_weight, reset=reset)
        if len(classes) < 2:
            raise ValueError(
                f"The rows are of {len(classes)} class, and {type(self).__name__} tells two or "
                "more classes apart (n_samples of each must be at least 1): give rows of another."
            )
        return table, classes

    def _weighted(self, table: Table, classes: Array) -> tuple[Table, Array]:
        """The rows with class numbers as y and the factors of their classes, and class weights."""
        assert table.group is not None
        totals = np.bincount(table.group, table.weight, len(classes))
        factors = class_weights(self.class_weight, classes, totals)
        weight = table.weight
        if self.class_weight is not None:
            weight = factors[table.group] * (1.0 if weight is None else weight)
        y = table.group[:, None].astype(np.float64)
        return replace(table, y=y, weight=weight), totals * factors

    def _check_penalty(self) -> None:
        check_scalar(self.C, "C", Real, min_val=0.0, include_boundaries="neither")
        check_scalar(self.l1_ratio, "l1_ratio", Real, min_val=0.0, max_val=1.0)
        self._check_iterations()

    def _problem(self, table: Table, classes: Array) -> tuple[Problem, Array]:
        """The problem of these rows, without a penalty, and the model without slopes."""
        table, totals = self._weighted(table, classes)
        loss, null = class_loss(totals)
        return Problem.of(table, loss, null, self.fit_intercept, 0.0, 0.0), null

    def _scores(self, block: Block) -> Array:
        scores = np.asarray(block.X @ self.coef_.T + self.intercept_)
        return np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores


def class_loss(totals: Array) -> tuple[Loss, Array]:
    """The loss for K classes of these weights, and the linear predictors without slopes.

    The best for a class without rows would be −∞; it is given half a row.
    """
    log_share = np.log(np.where(totals > 0.0, totals, 0.5) / totals.sum())
    if len(totals) == 2:
        return GeneralizedLoss(Binomial(), LINKS["logit"]), np.diff(log_share)
    return SoftmaxLoss(len(totals)), log_share - log_share.mean()


@dataclass(frozen=True, slots=True, eq=False)
class OfDichotomies:
    """The fitted models of M dichotomies, from their coefficients (M, d)."""

    model: LogisticRegression
    coef: Array
    intercept: Array
    reports: list[Convergence]
    names: tuple[str, ...] | None

    def __call__(self, m: int) -> LogisticRegression:
        """The model of column m."""
        fitted: LogisticRegression = clone(self.model)
        fitted.classes_, fitted.n_features_in_ = np.arange(2), self.coef.shape[1]
        fitted.coef_, fitted.intercept_ = self.coef[[m]], self.intercept[[m]]
        fitted.convergence_ = self.reports[m]
        fitted.n_iter_ = np.array([self.reports[m].n_iter], np.int32)
        if self.names is not None:
            fitted.feature_names_in_ = np.array(self.names, object)
        return fitted
