"""The generalized linear model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted, column_or_1d

from linework.candidates import ByRows
from linework.data.blocks import Array, Block
from linework.data.numbers import as_numbers, dtype_of
from linework.data.sources import Table, check_weight
from linework.engine import map_reduce, map_rows
from linework.folds import Split
from linework.likelihood.base import LikelihoodModel
from linework.likelihood.beginnings import first_slopes, mean_loss, null_model
from linework.likelihood.path import Fit, Penalties
from linework.likelihood.problem import Problem
from linework.likelihood.rows import check_offset, present_rows, reject_outside
from linework.likelihood.turns import in_turns
from linework.losses import Family, GeneralizedLoss, loss_of

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
        ``power=None`` and ``theta=None`` these are estimated by maximum likelihood.
    link : str or Link, default=None
        g: ``"identity"``, ``"log"``, ``"logit"``, ``"probit"``, ``"cloglog"``, ``"loglog"``,
        ``"cauchit"``, ``"inverse"``, ``"inverse_square"``, ``"sqrt"``, or ``Power(p)`` of
        `linework.losses`. By default R's for the family: in the order above identity, logit, log,
        inverse, inverse_square, log, log.
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
    family_ : Family
        That of the fit, with what was estimated of it: ``family_.theta``, ``family_.power``.
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
    family_: Family
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
        self.__dict__.pop("family_", None)  # what an earlier fit estimated
        loss = self._loss()
        table = self._read_training(X, y, sample_weight, offset, reset=True)
        y, weight = present_rows(table)
        null, null_value = self._null(table, loss)
        l1, l2 = self.alpha * self.l1_ratio, self.alpha * (1.0 - self.l1_ratio)

        def minimum(
            loss: GeneralizedLoss, start: tuple[Array, Array] | None
        ) -> tuple[Array, Array]:
            return self._minimise(table, loss, null, l2, l1, start)[:2]

        coef, intercept = minimum(loss, None if self.fit_intercept else first_slopes(table, loss))
        unknown = getattr(self.family, "unknown", None)
        if unknown is not None:
            loss, (coef, intercept) = in_turns(table, loss, unknown, minimum, (coef, intercept))
            _, null_value = self._null(table, loss)
        self.family_ = loss.family
        penalty = 0.5 * float(np.square(np.sqrt(l2) * coef).sum()) + l1 * float(np.abs(coef).sum())
        value = self.convergence_.objective - penalty
        saturated = float(weight @ loss.family.saturated(y))
        self.deviance_, self.null_deviance_ = (
            max(2.0 * (float(weight.sum()) * v - saturated), 0.0) for v in (value, null_value)
        )
        self.coef_ = coef[:, 0].astype(dtype_of(table.dtype, coef))
        self.intercept_ = float(intercept[0])
        self.n_iter_ = self.convergence_.n_iter
        return self

    def _null(self, table: Table, loss: GeneralizedLoss) -> tuple[Array, float]:
        """The linear predictor (1,) of an intercept alone, and the mean loss without slopes."""
        null, value = null_model(table, loss)
        return null, value if self.fit_intercept else mean_loss(table, loss, np.zeros(1))

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
        table = replace(table, offset=check_offset(offset, table.n_rows))
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
            estimated = loss_of(model.family, model.link).family.unknown is not None
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
        (self.coef_,), (self.intercept_,) = fit.line(dtype)

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
        table = replace(table, offset=check_offset(offset, table.n_rows))
        reject_outside(self._loss().family, table)
        return table

    def _predictor(self, block: Block) -> Array:
        with np.errstate(invalid="ignore"):  # infinity times zero is told below, in words
            eta = np.asarray(block.X @ self.coef_ + self.intercept_, np.float64)
        if not np.isfinite(eta).all():
            block.reject_nonfinite()
        return eta if block.offset is None else eta + block.offset[:, 0]

    def _loss(self) -> GeneralizedLoss:
        loss = loss_of(self.family, self.link)
        if loss.family.unknown is None:
            return loss
        return replace(loss, family=getattr(self, "family_", loss.family.begun()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        with suppress(TypeError, ValueError):  # told in words when it is fitted
            tags.target_tags.positive_only = self._loss().family.lowest >= 0.0
        return tags
