"""The score test: whether further columns would help, without fitting them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import chdtrc

from linework.data.sources import as_table
from linework.inference.covariance import Weights
from linework.inference.fitted import fitted
from linework.inference.hypothesis import HypothesisTest
from linework.inference.likelihood_checks import problem_of
from linework.likelihood.problem import Problem


def score_test(
    model: Any,
    X: Any,
    y: Any,
    added: Any,
    *,
    sample_weight: Any = None,
    offset: Any = None,
    weights: Weights = "frequency",
) -> HypothesisTest:
    """Rao's score test that columns left out of a model have coefficients of zero.

    With U the gradient of the log likelihood over all columns, those of the model and the added
    ones, and I their expected information, both at the fit of the model::

        χ² = Uᵀ I⁻¹ U / φ

    on as many degrees of freedom as the added columns bring. It takes one pass over the rows, and
    no fit that might not exist: where an added column separates classes, a likelihood-ratio test
    needs an infinite coefficient, and this one needs none.

    Parameters
    ----------
    model : GLM or LogisticRegression
        Fitted without a penalty.
    X, y
        The rows that the model was fitted on.
    added : array-like, sparse matrix or data frame of shape (n, q)
        The columns in question.
    sample_weight, offset : array-like of shape (n,), optional
        Those the model was fitted with.
    weights : {"frequency", "precision"}, default="frequency"
        As in `infer`; of interest where φ is estimated.

    Returns
    -------
    HypothesisTest

    Notes
    -----
    R's ``anova(model, larger, test="Rao")`` gives the same where φ is known. Where it is estimated
    φ is that of the model given, and R takes that of the larger one.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import LogisticRegression, score_test
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.array([0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0])
    >>> model = LogisticRegression(C=np.inf).fit(X, y)
    >>> test = score_test(model, X, y, X**2)  # is the log odds curved?
    >>> round(test.statistic, 3), test.df, round(test.p, 3)
    (2.378, (1,), 0.123)
    """
    if problem_of(model) is not Problem:
        raise ValueError(
            "The model has separation='firth', and the score of a penalised likelihood has no "
            "test: fit it with the added columns, and take likelihood_ratio_test of these."
        )
    fit = fitted(model, X, y, sample_weight, offset, weights)
    work = fit.at(fit.table.beside(as_table(added, caller="score_test")))
    q = work.coordinates.size - fit.work.coordinates.size
    if q == 0:
        raise ValueError(
            "The columns of the model explain the added ones, which therefore bring nothing to "
            "test: give columns that are not combinations of those."
        )
    decrement = work.decrement**2 - fit.work.decrement**2
    statistic = max(decrement, 0.0) / np.float64(fit.dispersion)
    return HypothesisTest(float(statistic), (q,), float(chdtrc(q, statistic)))
