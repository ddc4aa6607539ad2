"""`infer` for ordered classes: slopes and thresholds by the observed information, as R's polr."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array, Block
from linework.engine import map_rows
from linework.inference.generalized_result import GeneralizedInference
from linework.inference.likelihood_checks import SAME_FIT
from linework.inference.line import dense_tiles
from linework.inference.r_numbers import format_one
from linework.inference.table import CoefficientTable
from linework.inference.tails import central_quantile
from linework.likelihood.ordinal import OrdinalRegression
from linework.likelihood.parallel import ParallelProblem
from linework.regression.ladder import climb
from linework.solvers.cholesky import Factor, cholesky
from linework.solvers.least_squares import least_squares


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalInference(GeneralizedInference):
    r"""Standard errors, tests and intervals of a regression for ordered classes, as R's polr.

    In ``table`` and ``covariance_matrix`` stand the slopes and, after them, the thresholds, named
    by the classes on either side. Standard errors are by the observed information. ``exp`` gives
    odds ratios for the logit link: what a unit multiplies the odds of a higher class with. The null
    deviance is that of thresholds alone.

    See Also
    --------
    GeneralizedInference : The attributes and other methods.

    Examples
    --------
    >>> from linework import OrdinalRegression, infer
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> y = [1, 1, 2, 1, 2, 3, 2, 3]
    >>> result = infer(OrdinalRegression().fit(X, y), X, y)
    >>> result.table.names, result.table.std_error.round(2)
    (('x0', '1|2', '2|3'), array([0.63, 1.99, 3.47]))
    >>> result.exp()[0].round(2)  # the odds ratio for each unit of x, with its interval
    array([ 3.31,  0.97, 11.35])
    """

    loss: Any  # a CumulativeLoss
    _predictor: Any

    def predict(
        self,
        X: Any,
        interval: Literal["confidence"] | None = None,
        level: float | None = None,
        offset: Any = None,
    ) -> Array:
        """P(G ≤ k | x) for each class but the highest, with intervals if they are asked for.

        An interval is formed for ζ_k − wᵀx, and its ends are brought to the scale of probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        interval : {None, "confidence"}, default=None
        level : float, optional
            The one given to `infer`, if left out.
        offset : None
            There are none.

        Returns
        -------
        array of shape (n, K − 1), or (n, K − 1, 3) with intervals: value, lower and upper end
        """
        if interval not in (None, "confidence"):
            raise ValueError(f'interval is {interval!r}, and None or "confidence" is expected.')
        value, error = self._predictor(X, offset)
        half = 0.0 if interval is None else central_quantile(self._level(level), np.inf) * error
        ends = [self.loss.link.mean(eta) for eta in (value, value - half, value + half)]
        return ends[0] if interval is None else np.stack(ends, axis=-1)

    def _foot(self) -> list[str]:
        deviance, aic = (format_one(value, 7).strip() for value in (self.deviance, self.aic))
        return [f"Residual Deviance: {deviance}", f"AIC: {aic}"]


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdPredictor:
    """ζ_k − wᵀx of a fitted model, and the covariance of θ = (−w, ζ − wᵀx̄).

    Attributes
    ----------
    model : OrdinalRegression
    centre : array of shape (d,)
        x̄.
    covariance : array of shape (d + K − 1, d + K − 1)
    """

    model: OrdinalRegression
    centre: Array
    covariance: Array

    def __call__(self, X: Any, offset: Any) -> tuple[Array, Array]:
        """Values and standard errors of rows, each of shape (n, K − 1)."""
        if offset is not None:
            raise ValueError("An offset is given, and OrdinalRegression has none: leave it out.")
        model, d = self.model, len(self.centre)
        value = model.thresholds_ - model.linear_predictor(X)[:, None]
        of_slopes, of_both = np.split(self.covariance[:d], [d], axis=1)
        of_levels = self.covariance[d:, d:].diagonal()

        def variances(block: Block) -> Array:
            parts = []
            for _, rows in dense_tiles(block):
                Z = rows - self.centre
                by_slopes = np.einsum("ij,ij->i", Z @ of_slopes, Z)
                parts.append(by_slopes[:, None] + 2.0 * Z @ of_both + of_levels)
            return np.concatenate(parts)

        return value, np.sqrt(map_rows(model._read(X, reset=False), variances))


def infer_ordinal(
    model: OrdinalRegression,
    X: Any,
    y: Any,
    covariance: str,
    sample_weight: Any,
    weights: str,
    level: float,
) -> OrdinalInference:
    """What `infer` says of a regression for ordered classes."""
    check_is_fitted(model)
    if model.alpha:
        raise ValueError(
            f"The model has a penalty, alpha={model.alpha!r}, and standard errors do not hold for "
            "penalised coefficients: fit it with alpha=0 on the chosen columns."
        )
    if covariance != "classic" or weights != "frequency":
        raise ValueError(
            f"covariance is {covariance!r} and weights are {weights!r}, and for an "
            'OrdinalRegression "classic" and "frequency" are all there is: leave them out.'
        )
    table, classes = model._read_labelled(X, y, sample_weight, reset=False)
    solution, *_ = climb(table, partial(least_squares, fit_intercept=True))
    names = model._column_names(range(table.n_columns))
    if len(solution.aliased):
        which = ", ".join(repr(names[j]) for j in solution.aliased)
        raise ValueError(
            f"The other columns explain {which}, so that the slopes are not determined: fit and "
            "infer without."
        )
    problem = model._problem(table)
    value, factor = _at_the_fit(model, problem)
    estimate = np.concatenate([model.coef_, model.thresholds_]).astype(np.float64)
    n, deviance = problem.columns.weight, 2.0 * problem.columns.weight * value
    T = np.eye(len(estimate))  # from θ = (−w, ζ − wᵀx̄) to (w, ζ)
    T[: len(names)] *= -1.0
    T[len(names) :, : len(names)] = -problem.centre
    root = factor.whiten(T)
    matrix = root @ root.T
    spread = np.full(len(estimate), np.nan)
    spread[: len(names)] = np.sqrt(problem.squares)
    cuts = tuple(f"{low}|{high}" for low, high in pairwise(classes.tolist()))
    return OrdinalInference(
        table=CoefficientTable(
            names=names + cuts,
            estimate=estimate,
            std_error=np.sqrt(np.diag(matrix)),
            df=np.inf,
            level=level,
            vif=np.full(len(estimate), np.nan),
            standardised=estimate * spread,
        ),
        covariance_matrix=matrix,
        covariance=covariance,
        n_clusters=None,
        n=n,
        df_residual=n - len(estimate),
        df_null=n - len(cuts),
        deviance=deviance,
        null_deviance=model.null_deviance_,
        pearson=np.nan,
        dispersion=1.0,
        loglik=-0.5 * deviance,
        aic=deviance + 2.0 * len(estimate),
        bic=deviance + float(np.log(n)) * len(estimate),
        n_iter=model.n_iter_,
        loss=problem.loss,
        penalised_loglik=None,
        _predictor=ThresholdPredictor(copy.copy(model), problem.centre, factor.inverse()),
    )


def _at_the_fit(model: OrdinalRegression, problem: ParallelProblem) -> tuple[float, Factor]:
    """The mean loss and the information of θ, or a sentence where this is no fit to the rows."""
    slope = -np.tile(model.coef_[:, None], problem.loss.n_scores).astype(np.float64)
    theta = problem.parameters(slope, model.thresholds_)
    value, gradient = problem.evaluate(theta)
    weight, factor = problem.columns.weight, None
    if np.isfinite(value):
        factor = cholesky(problem.second_derivatives(theta) * weight)
    # The length of Newton's step, in standard errors, is the root of gᵀH⁻¹g.
    step = np.inf if factor is None else np.linalg.norm(factor.whiten(weight * gradient[None]))
    if factor is None or step > SAME_FIT * np.sqrt(len(theta)):
        raise ValueError(
            "The model is not the fit to these rows, or they do not determine it, as where the "
            "classes are separated: give the X, y and sample_weight that it was fitted with."
        )
    return value, factor
