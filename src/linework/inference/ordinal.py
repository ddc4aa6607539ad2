"""`infer` for ordered classes: slopes and thresholds by the observed information, as R's polr."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import chdtrc
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.inference.hypothesis import HypothesisTest, wald_statistic
from linework.inference.likelihood_fit import SAME_FIT
from linework.inference.printed import Printed
from linework.inference.r_numbers import format_one
from linework.inference.summary import count
from linework.inference.table import CoefficientTable
from linework.likelihood.ordinal import OrdinalRegression
from linework.likelihood.parallel import ParallelProblem
from linework.regression.ladder import climb
from linework.solvers.cholesky import cholesky
from linework.solvers.least_squares import least_squares


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalInference(Printed):
    r"""Standard errors, tests and intervals of a regression for ordered classes.

    Made by `infer`. It holds a few numbers for each coefficient, and no rows.

    Attributes
    ----------
    table : CoefficientTable
        Estimate, standard error, z, p-value and interval of the slopes and, after them, of the
        thresholds, whose names are those of the classes on either side; and w_j · sd(x_j).
    covariance_matrix : array of shape (k, k)
        Of the estimates, in the order of the table: the inverse of the observed information.
    n, df_residual : float
        Rows as the weights count, and n − k.
    deviance, null_deviance : float
        −2 times the log likelihood, and that of thresholds alone.
    loglik, aic, bic : float
    n_iter : int
    link : str
    n_thresholds : int

    Examples
    --------
    >>> from linework import OrdinalRegression, infer
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> y = [1, 1, 2, 1, 2, 3, 2, 3]
    >>> result = infer(OrdinalRegression().fit(X, y), X, y)
    >>> result.table.names, result.table.std_error.round(2)
    (('x0', '1|2', '2|3'), array([0.58, 1.72, 2.86]))
    >>> result.exp().round(2)  # the odds ratio for each unit of x, with its interval
    array([[3.1 , 1.  , 9.63]])
    """

    table: CoefficientTable
    covariance_matrix: Array
    n: float
    df_residual: float
    deviance: float
    null_deviance: float
    loglik: float
    aic: float
    bic: float
    n_iter: int
    link: str
    n_thresholds: int

    def exp(self, level: float | None = None) -> Array:
        """The exponentials of the slopes and their intervals, shape (d, 3).

        For the logit link, ratios of the odds of a higher class.

        Parameters
        ----------
        level : float, optional
            The one given to `infer`, if left out.
        """
        both = np.column_stack([self.table.estimate, self.confint(level)])
        return np.asarray(np.exp(both[: len(both) - self.n_thresholds]))

    def wald(self, hypothesis: Any, value: Any = 0.0) -> HypothesisTest:
        """Test of linear hypotheses Hβ = c.

        Parameters
        ----------
        hypothesis : array-like of shape (q, k) or (k,)
            H, a row for each hypothesis, on slopes and thresholds in the order of the table.
        value : array-like of shape (q,) or float, default=0.0
            c.

        Returns
        -------
        HypothesisTest, with NaN where the covariance of Hβ is singular
        """
        f, q = wald_statistic(hypothesis, value, self.table.estimate, self.covariance_matrix)
        return HypothesisTest(q * f, (q,), float(chdtrc(q, q * f)))

    def compare(self, smaller: OrdinalInference) -> HypothesisTest:
        """Analysis of deviance: the likelihood-ratio test against a model nested in this one.

        Parameters
        ----------
        smaller : OrdinalInference
            Of the same rows, with some of these columns.

        Returns
        -------
        HypothesisTest
        """
        q = smaller.df_residual - self.df_residual
        own, other = ((it.link, it.n, it.null_deviance) for it in (self, smaller))
        if own != other or not q > 0.0:
            raise ValueError(
                "The models are not nested: the other is to be of the same rows, classes and link, "
                f"with fewer columns. It has {count(smaller.n)} rows and "
                f"{count(smaller.df_residual)} residual degrees of freedom, this one "
                f"{count(self.n)} and {count(self.df_residual)}."
            )
        statistic = max(smaller.deviance - self.deviance, 0.0)
        return HypothesisTest(statistic, (q,), float(chdtrc(q, statistic)))

    def _foot(self) -> list[str]:
        df = count(self.df_residual)
        return [
            f"Thresholds of {self.n_thresholds + 1} classes, link {self.link}",
            f"Residual deviance: {format_one(self.deviance, 7).strip()}  on {df}  degrees of "
            f"freedom, without slopes {format_one(self.null_deviance, 7).strip()}",
            f"AIC: {format_one(self.aic, 7).strip()}",
        ]


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
    value, matrix = _at_the_fit(model, problem)
    estimate = np.concatenate([model.coef_, model.thresholds_]).astype(np.float64)
    n, deviance = problem.columns.weight, 2.0 * problem.columns.weight * value
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
        n=n,
        df_residual=n - len(estimate),
        deviance=deviance,
        null_deviance=model.null_deviance_,
        loglik=-0.5 * deviance,
        aic=deviance + 2.0 * len(estimate),
        bic=deviance + float(np.log(n)) * len(estimate),
        n_iter=model.n_iter_,
        link=model.link,
        n_thresholds=len(cuts),
    )


def _at_the_fit(model: OrdinalRegression, problem: ParallelProblem) -> tuple[float, Array]:
    """The mean loss and the covariance (k, k), or a sentence where this is no fit to the rows."""
    d, k = problem.table.n_columns, problem.loss.n_scores
    slope = -np.tile(model.coef_[:, None], k).astype(np.float64)
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
    # From θ = (−w, ζ − wᵀx̄) to (w, ζ).
    T = np.eye(d + k)
    T[:d] *= -1.0
    T[d:, :d] = -problem.centre
    root = factor.whiten(T)
    return value, root @ root.T
