"""`infer`: how sure a fitted model can be of its coefficients."""

from __future__ import annotations

import copy
from typing import Any

from sklearn.pipeline import Pipeline

from linework.inference.checks import check_request
from linework.inference.covariance import Covariance, Weights
from linework.inference.fitted import check_reference, fitted
from linework.inference.generalized import infer_likelihood
from linework.inference.linear import infer_least_squares
from linework.inference.multinomial import infer_multinomial
from linework.inference.multinomial_fit import MultinomialFit
from linework.inference.ordinal import infer_ordinal
from linework.likelihood.glm import GLM
from linework.likelihood.logistic import LogisticRegression
from linework.likelihood.ordinal import OrdinalRegression
from linework.regression.linear import LinearRegression


def infer(
    model: LinearRegression | GLM | LogisticRegression | OrdinalRegression | Pipeline,
    X: Any,
    y: Any,
    *,
    covariance: Covariance = "classic",
    groups: Any = None,
    sample_weight: Any = None,
    offset: Any = None,
    weights: Weights = "frequency",
    level: float = 0.95,
    reference: Any = None,
) -> Any:
    """Standard errors, tests and intervals of a fitted model: what R's ``summary()`` tells.

    Two passes over the rows, and one more for a robust covariance; no row is kept.

    Parameters
    ----------
    model : LinearRegression, LogLinearRegression, GLM, LogisticRegression or OrdinalRegression
        Or a pipeline that ends with one; fitted, without a penalty (``C=np.inf``) and without
        ``positive=True``. For `LogLinearRegression` everything is about ln y. Of a pipeline, ``X``
        is what that was fitted on, and the coefficients have the names that the steps before the
        model give, such as those of a `Design`; ``predict`` of the result takes rows as the model
        sees them, ``pipeline[:-1].transform(rows)``.
    X : array-like, sparse matrix or data frame of shape (n, d)
        The rows that the model was fitted on.
    y : array-like of shape (n,) or (n, t)
    covariance : {"classic", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="classic"
        ``"classic"`` is σ²(XᵀX)⁻¹, for errors of one variance; of a likelihood model, φ times the
        inverse of the expected information. The others are sandwiches
        (XᵀX)⁻¹ M (XᵀX)⁻¹. With residuals r, leverages h and k coefficients, M = Σ r² x xᵀ for
        ``"HC0"``; times n / (n − k) for ``"HC1"``; with r² / (1 − h) for ``"HC2"`` and
        r² / (1 − h)² for ``"HC3"``, the careful choice for few rows. ``"cluster"`` lets errors
        depend on one another within each of G groups: M = Σ_g s_g s_gᵀ with s_g = Σ_{i in g} r x,
        times G / (G − 1) · (n − 1) / (n − k).
    groups : array-like of shape (n,), optional
        The cluster of each row, numbers or texts; for ``"cluster"`` only.
    sample_weight : array-like of shape (n,), optional
        The weights that the model was fitted with. Zero removes a row.
    offset : array-like of shape (n,), optional
        That of a `GLM`.
    weights : {"frequency", "precision"}, default="frequency"
        What the weights mean. ``"frequency"``: a row of weight 2 is two rows, and n = Σ w.
        ``"precision"``: a row of weight 2 has half the error variance, and n counts the rows, as in
        R's ``lm(weights=)``; for shares of successes, weights are numbers of trials.
    level : float, default=0.95
        Of the confidence intervals.
    reference : optional
        Of three and more classes, the label of that which the others are compared with; the first,
        if left out, as in R's ``multinom()``.

    Returns
    -------
    Inference, or a tuple of one for each target where y is of shape (n, t) with t > 1;
    GeneralizedInference for a `GLM` or `LogisticRegression`, and its kinds MultinomialInference for
    three and more classes and OrdinalInference for an `OrdinalRegression`

    Notes
    -----
    A likelihood model at its fit is weighted least squares, with weights w μ'(η)² / V(μ) and
    targets (y − μ) / μ'(η): what is said below holds for those, with z tests where the dispersion
    is known, and scores (y − μ) μ'(η) / V(μ) in the place of residuals. Of several classes a row
    has the score (1[y = k] − P_k) x for each log odds, and a matrix for its leverage, H; ``"HC2"``
    and ``"HC3"`` multiply 1[y = k] − P_k by (I − H)^(−½) and (I − H)⁻¹.

    With k coefficients, σ² = RSS / (n − k), and tests are t tests on n − k degrees of freedom for
    every covariance. The F statistic is a Wald test of all slopes by the covariance chosen, R's own
    for ``"classic"``. A column that the columns before it explain has NaN in its row, and the
    others are as if it were left out. Without degrees of freedom standard errors are NaN.

    Examples
    --------
    >>> from linework import LinearRegression, infer
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> y = [1.1, 2.9, 5.2, 6.8, 9.1, 11.2, 12.8, 15.1]
    >>> model = LinearRegression().fit(X, y)
    >>> infer(model, X, y).confint().round(3)
    array([[0.749, 1.318],
           [1.93 , 2.066]])
    >>> infer(model, X, y, covariance="HC3").confint().round(3)
    array([[0.768, 1.298],
           [1.929, 2.067]])
    """
    check_request(covariance, groups, weights, level)
    if isinstance(model, Pipeline):
        model, X = _last_step(model, X)
    check_reference(model, reference)
    if isinstance(model, GLM | LogisticRegression):
        fit = fitted(model, X, y, sample_weight, offset, weights, groups, reference)
        if isinstance(fit, MultinomialFit):
            return infer_multinomial(fit, covariance, weights, level)
        return infer_likelihood(fit, covariance, weights, level)
    if offset is not None:
        raise ValueError(
            f"An offset is given, and {type(model).__name__} has none: take it off y, or fit a GLM."
        )
    if isinstance(model, OrdinalRegression):
        return infer_ordinal(model, X, y, covariance, sample_weight, weights, level)
    return infer_least_squares(model, X, y, covariance, groups, sample_weight, weights, level)


def _last_step(pipeline: Pipeline, X: Any) -> tuple[Any, Any]:
    """The model of a pipeline, which knows its columns' names, and the rows as it sees them."""
    model = copy.copy(pipeline[-1])
    if len(pipeline) > 1:
        X = pipeline[:-1].transform(X)
        model._names_from_pipeline = pipeline[:-1].get_feature_names_out()
    return model, X
