"""The generalized linear model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted, column_or_1d

from linework.candidates import ByRows
from linework.data.blocks import Array, Block
from linework.data.numbers import as_numbers
from linework.data.sources import Table, check_weight
from linework.engine import map_reduce, map_rows
from linework.folds import Split
from linework.likelihood.base import LikelihoodModel
from linework.likelihood.beginnings import first_slopes, mean_loss, null_model
from linework.likelihood.overdispersion import most_likely_theta
from linework.likelihood.path import Fit, Penalties
from linework.likelihood.problem import Problem
from linework.likelihood.rows import check_offset, chosen, present_rows, reject_outside
from linework.losses import (
    FAMILIES,
    LINKS,
    Family,
    GeneralizedLoss,
    Link,
    NegativeBinomial,
)

TURNS = 100

RESIDUALS = ("response", "pearson", "deviance", "working")


class GLM(RegressorMixin, LikelihoodModel):
    """Generalized linear model: E[y] = μ = g⁻¹(wᵀx + b + offset), Var[y] = φ V(μ) / weight.

    Minimises, with d the unit deviance of the family and W the sum of the weights::

        1 / (2 W) Σ_i w_i d(y_i, μ_i) + alpha · l1_ratio · ‖w‖₁ + ½ · alpha · (1 − l1_ratio) · ‖w‖²

    which without a penalty maximises the likelihood.

    Parameters
    ----------
    family : str or Family, default="gaussian"
        ``"gaussian"``, ``"binomial"``, ``"poisson"``, ``"gamma"``, ``"inverse_gaussian"``,
        ``"tweedie"`` (V = μ^1.5), ``"negative_binomial"`` (θ = 1), or an object of
        `linework.losses`, such as ``Tweedie(power=1.3)`` or ``NegativeBinomial(theta=2.0)``; with
        ``theta=None`` it is estimated by maximum likelihood.
    link : str or Link, default=None
        g: ``"identity"``, ``"log"``, ``"logit"``, ``"probit"``, ``"cloglog"``, ``"cauchit"``,
        ``"inverse"``, ``"inverse_square"``, ``"sqrt"``, or ``Power(p)`` of `linework.losses`. By
        default R's for the family: in the order above identity, logit, log, inverse,
        inverse_square, log, log.
    alpha : float, default=0.0
        Strength of the penalty; the intercept has none.
    l1_ratio : float from 0 to 1, default=0.0
        Share of the 1-norm in it.
    fit_intercept : bool, default=True
    tol : float, default=1e-4
        As in scikit-learn, where a fit may stop; fits here go on to a gradient of ten thousandth.
    max_iter : int, default=100

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    deviance_, null_deviance_ : float
        Σ w d(y, μ) at the fit, and without slopes: of an intercept, if there is one.
    theta_ : float
        The estimate, for ``NegativeBinomial(theta=None)`` only.
    n_iter_ : int
    convergence_ : Convergence

    Notes
    -----
    Weights are numbers of rows or, what gives the same coefficients, inverse variances. For the
    binomial family y may be the share of successes, and the weight the number of trials. Fits take
    steps by the expected curvature, as iteratively reweighted least squares does, along exact
    gradients: see `LogisticRegression`.

    Examples
    --------
    >>> from linework import GLM
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 6.0, 14.0]
    >>> model = GLM("poisson").fit(X, y)
    >>> model.coef_.round(3), round(model.deviance_, 3)
    (array([0.911]), 0.063)
    >>> model.predict([[4.0]]).round(1)
    array([35.1])
    """

    _path_parameter = "alpha"
    _simpler: ClassVar = {"alpha": 1, "l1_ratio": 1}

    coef_: Array
    intercept_: float
    deviance_: float
    null_deviance_: float
    theta_: float
    n_iter_: int

    def __init__(
        self,
        family: Any = "gaussian",
        link: Any = None,
        *,
        alpha: float = 0.0,
        l1_ratio: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 100,
    ) -> None:
        self.family = family
        self.link = link
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Self:
        """Fit from rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
            Within the family's range.
        sample_weight : array-like of shape (n,), optional
            Zero removes a row, two counts it twice.
        offset : array-like of shape (n,), optional
            A known part of the linear predictor: with the log link, ln exposure.

        Returns
        -------
        self
        """
        self._check_penalty()
        if hasattr(self, "theta_"):
            del self.theta_
        loss = self._loss()
        table = self._read_training(X, y, sample_weight, offset, reset=True)
        y, weight = present_rows(table)
        null, null_value = null_model(table, loss)
        if not self.fit_intercept:
            null_value = mean_loss(table, loss, np.zeros(1))
        l1, l2 = self.alpha * self.l1_ratio, self.alpha * (1.0 - self.l1_ratio)
        start = None if self.fit_intercept else first_slopes(table, loss)
        coef, intercept, _ = self._minimise(table, loss, null, l2, l1, start)
        if isinstance(self.family, NegativeBinomial) and self.family.theta is None:
            coef, intercept = self._estimate_theta(table, null, l2, l1, (coef, intercept))
            loss = self._loss()
            _, null_value = null_model(table, loss)
            if not self.fit_intercept:
                null_value = mean_loss(table, loss, np.zeros(1))
        penalty = 0.5 * l2 * float((coef**2).sum()) + l1 * float(np.abs(coef).sum())
        value = self.convergence_.objective - penalty
        saturated = float(weight @ loss.family.saturated(y))
        self.deviance_, self.null_deviance_ = (
            max(2.0 * (float(weight.sum()) * v - saturated), 0.0) for v in (value, null_value)
        )
        self.coef_, self.intercept_ = coef[:, 0].astype(table.dtype), float(intercept[0])
        self.n_iter_ = self.convergence_.n_iter
        return self

    def _estimate_theta(
        self, table: Table, null: Array, l2: float, l1: float, at: tuple[Array, Array]
    ) -> tuple[Array, Array]:
        """Set θ to its most likely value; coefficients and θ in turn, until θ stays.

        The two are orthogonal in the information, so that a few turns do.
        """
        y, weight = present_rows(table)
        mean, before = self._loss().link.mean, np.inf
        for _ in range(TURNS):
            self.theta_ = most_likely_theta(y, mean(_predictors(table, *at)), weight)
            if abs(self.theta_ - before) <= 1e-9 * self.theta_:
                return at
            before = self.theta_
            at = self._minimise(table, self._loss(), null, l2, l1, at)[:2]
        raise ValueError(
            f"θ of the negative binomial family did not settle: it is {self.theta_:g} after "
            f"{TURNS} turns. Give a theta."
        )

    def predict(self, X: Any, offset: Any = None) -> Array:
        """The mean μ for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        offset : array-like of shape (n,), optional
            As in `fit`.

        Returns
        -------
        array of shape (n,)
        """
        return self._loss().link.mean(self.linear_predictor(X, offset))

    def linear_predictor(self, X: Any, offset: Any = None) -> Array:
        """Return η = wᵀx + b + offset for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        offset : array-like of shape (n,), optional

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        table = self._read(X, reset=False)
        table = dataclasses.replace(table, offset=check_offset(offset, table.n_rows))
        return map_rows(table, self._predictor)

    def residuals(
        self,
        X: Any,
        y: Any,
        kind: str = "deviance",
        sample_weight: Any = None,
        offset: Any = None,
    ) -> Array:
        """Residuals of rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        kind : {"deviance", "response", "pearson", "working"}, default="deviance"
            ±√(w d) with the sign of y − μ; y − μ; (y − μ) √(w / V(μ)); or (y − μ) / (dμ/dη).
        sample_weight : array-like of shape (n,), optional
            w, with which the squares of the first and the third sum to the deviance and to
            Pearson's statistic.
        offset : array-like of shape (n,), optional

        Returns
        -------
        array of shape (n,)
        """
        if kind not in RESIDUALS:
            raise ValueError(f"kind is {kind!r}; {', '.join(RESIDUALS)} are known.")
        loss, y = self._loss(), as_numbers(column_or_1d(y), "y")
        eta = self.linear_predictor(X, offset)
        mu = loss.link.mean(eta)
        weight = check_weight(sample_weight, len(y))
        weight = np.ones(len(y)) if weight is None else weight
        if kind == "response":
            return np.asarray(y - mu)
        if kind == "working":
            return np.asarray((y - mu) / loss.link.slope(eta))
        if kind == "pearson":
            return np.asarray((y - mu) * np.sqrt(weight / loss.family.variance(mu)))
        value = loss.evaluate(y[:, None], eta[:, None])[0] - loss.family.saturated(y)
        return np.asarray(np.sign(y - mu) * np.sqrt(2.0 * weight * np.maximum(value, 0.0)))

    def score(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> float:
        """D² = 1 − deviance / deviance of an intercept alone, as scikit-learn's models have it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        offset : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        check_is_fitted(self)
        loss = self._loss()
        table = self._read_training(X, y, sample_weight, offset, reset=False)
        y, weight = present_rows(table)
        _, null_value = null_model(table, loss)

        def total(block: Block) -> Array:
            block = block.present()
            value = loss.evaluate(block.targets, self._predictor(block)[:, None])[0]
            return np.array(value.sum() if block.weight is None else block.weight @ value)

        saturated = float(weight @ loss.family.saturated(y))
        null = null_value * weight.sum() - saturated
        return float(1.0 - (map_reduce(table, total) - saturated) / (null if null > 0.0 else 1.0))

    def _read_for_folds(
        self, models: Sequence[Self], X: Any, y: Any, sample_weight: Any, splits: Sequence[Split]
    ) -> Table:
        for model in models:
            model._check_penalty()
            estimated = getattr(model.family, "theta", 1.0) is None
            if not model.fit_intercept or estimated or model.family != self.family:
                raise ByRows(f"{model} has no path: that takes an intercept and a given family.")
        return self._read_training(X, y, sample_weight, None, reset=True)

    def _path_problem(self, table: Table) -> tuple[Problem, Array]:
        loss = self._loss()
        null, _ = null_model(table, loss)
        return Problem.of(table, loss, null, self.fit_intercept, 0.0, 0.0), null

    def _path_penalties(self, values: Sequence[Any]) -> Callable[[float], Penalties]:
        penalties = [(alpha * (1.0 - self.l1_ratio), alpha * self.l1_ratio) for alpha in values]
        return lambda weight: penalties

    def _place(self, fit: Fit, dtype: Any) -> None:
        self.coef_, self.intercept_ = fit.coef[:, 0].astype(dtype), float(fit.intercept[0])

    def _respond(self, block: Block, method: str) -> Array:
        return self._loss().link.mean(self._predictor(block))

    def _check_penalty(self) -> None:
        check_scalar(self.alpha, "alpha", Real, min_val=0.0)
        check_scalar(self.l1_ratio, "l1_ratio", Real, min_val=0.0, max_val=1.0)
        self._check_iterations()

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, offset: Any, *, reset: bool
    ) -> Table:
        """The rows with targets that the family can give, and their offsets."""
        if y is None:
            raise ValueError("GLM requires y to be passed, but the target y is None.")
        table = self._read(X, y, sample_weight, reset=reset)
        column_or_1d(y, warn=True)
        table = dataclasses.replace(table, offset=check_offset(offset, table.n_rows))
        reject_outside(self._loss().family, table)
        return table

    def _predictor(self, block: Block) -> Array:
        with np.errstate(invalid="ignore"):  # infinity times zero is told below, in words
            eta = np.asarray(block.X @ self.coef_ + self.intercept_, np.float64)
        if not np.isfinite(eta).all():
            block.reject_nonfinite()
        return eta if block.offset is None else eta + block.offset[:, 0]

    def _loss(self) -> GeneralizedLoss:
        family, link = self.family, self.link
        if isinstance(family, str):
            if family not in FAMILIES:
                raise ValueError(f"family is {family!r}; {', '.join(FAMILIES)} are known.")
            family = FAMILIES[family]()
        _require(family, Family)
        if isinstance(family, NegativeBinomial) and family.theta is None:
            family = NegativeBinomial(getattr(self, "theta_", 1.0))
        link = family.default_link if link is None else link
        if isinstance(link, str):
            if link not in LINKS:
                raise ValueError(f"link is {link!r}; {', '.join(LINKS)} are known, and Power(p).")
            link = LINKS[link]
        _require(link, Link)
        return GeneralizedLoss(family, link)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        with suppress(TypeError, ValueError):  # told in words when it is fitted
            tags.target_tags.positive_only = self._loss().family.lowest >= 0.0
        return tags


def _require(value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(
            f"{value!r} is given as a {kind.__name__.lower()}, and a name or a {kind.__name__} of "
            "linework.losses is expected."
        )


def _predictors(table: Table, coef: Array, intercept: Array) -> Array:
    """The linear predictors of the rows of positive weight, for coefficients (d, 1) and (1,)."""
    eta = map_rows(table, lambda block: np.asarray(block.X @ coef + intercept)[:, 0])
    eta = eta if table.offset is None else eta + table.offset[:, 0]
    return eta[chosen(table)]
