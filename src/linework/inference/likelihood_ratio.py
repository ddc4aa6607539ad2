"""The likelihood-ratio test of coefficients, by fits in which they are zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.special import chdtrc

from linework.inference.checks import check_request
from linework.inference.covariance import Weights
from linework.inference.fitted import fitted
from linework.inference.hypothesis import HypothesisTest
from linework.inference.profile import ACCURATE
from linework.inference.tails import f_tail
from linework.solvers.convergence import Convergence
from linework.solvers.newton import minimise


def likelihood_ratio_test(
    model: Any,
    X: Any,
    y: Any,
    which: str | int | Iterable[str | int],
    *,
    sample_weight: Any = None,
    offset: Any = None,
    weights: Weights = "frequency",
) -> HypothesisTest:
    """Test that coefficients of a model are zero: it is fitted again without them.

    χ² = 2 (ln L − ln L₀), with L₀ the highest likelihood where they are zero; where the dispersion
    is estimated F, which is that over their number and φ. With ``separation="firth"`` L is the
    penalised likelihood, L |I|^½, in which I stays that of all columns: the penalised
    likelihood-ratio test of Heinze and Schemper (2002).

    Parameters
    ----------
    model : GLM or LogisticRegression
        Fitted without a penalty, or with Firth's.
    X, y
        The rows that the model was fitted on.
    which : str, int or sequence of these
        Names of coefficients, or positions in the order of infer's table, the intercept first. Of
        three and more classes the name of a column stands for its coefficient in each.
    sample_weight, offset : array-like of shape (n,), optional
        Those the model was fitted with.
    weights : {"frequency", "precision"}, default="frequency"
        As in `infer`; of interest where φ is estimated.

    Returns
    -------
    HypothesisTest

    Notes
    -----
    Of two fits at hand, ``infer(larger, …).compare(infer(smaller, …))`` says the same; not so of
    Firth's, since |I| depends on which columns there are, and on their units.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import LogisticRegression, likelihood_ratio_test
    >>> X = np.arange(8.0)[:, None]
    >>> y = np.array([0, 0, 0, 0, 1, 1, 1, 1])  # separable
    >>> model = LogisticRegression(C=np.inf, separation="firth").fit(X, y)
    >>> test = likelihood_ratio_test(model, X, y, "x0")
    >>> round(test.statistic, 3), test.df, round(test.p, 4)
    (5.736, (1,), 0.0166)
    """
    check_request("classic", None, weights, 0.5)
    fit = fitted(model, X, y, sample_weight, offset, weights)
    places = np.unique(fit.positions([which] if isinstance(which, str | int) else which))
    held = np.flatnonzero(np.isin(fit.places, places))
    if len(held) < max(len(places), 1):
        raise ValueError(
            f"which is {which!r}, and coefficients that are defined are expected, one or more: "
            "the columns before it explain one that is not."
        )
    optimum = fit.optimum()
    problem, plane = optimum.problem, optimum.holding(held.tolist())
    tol, max_iter = fit.model._reach(problem.table), fit.model.max_iter
    found = minimise(plane, optimum.theta[plane.free], tol, max_iter)
    Convergence("gradient", found.size, max(tol, ACCURATE), max_iter, found.value).warn(
        "The fit without these coefficients", "Allow more iterations by the model's max_iter."
    )
    rise = found.value - problem.evaluate(optimum.theta)[0]
    statistic = max(2.0 * problem.columns.weight * rise, 0.0) / np.float64(fit.dispersion)
    q = len(held)
    if np.isinf(fit.test_df):
        return HypothesisTest(float(statistic), (q,), float(chdtrc(q, statistic)))
    f, df = float(statistic) / q, (q, fit.test_df)
    return HypothesisTest(f, df, f_tail(f, df))
