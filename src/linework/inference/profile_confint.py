"""Profile-likelihood intervals."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.inference.checks import check_request
from linework.inference.covariance import Weights
from linework.inference.fitted import fitted
from linework.inference.profile import Profile
from linework.inference.tails import central_quantile
from linework.progress import progress


def profile_confint(
    model: Any,
    X: Any,
    y: Any,
    *,
    which: Iterable[str | int] | None = None,
    sample_weight: Any = None,
    offset: Any = None,
    weights: Weights = "frequency",
    level: float = 0.95,
    reference: Any = None,
) -> Array:
    """Profile-likelihood intervals of coefficients: R's ``confint(glm())``.

    The interval of β_j holds every b for which the likelihood-ratio test does not reject β_j = b::

        (D(b) − D) / φ ≤ z²

    with D(b) the least deviance of a fit whose coefficient is held at b, D that of the model, and z
    the normal quantile. Where the likelihood is lopsided, as with few rows or rare events, this is
    truer than estimate ± z · standard error, and it does not depend on how β_j is written.

    Parameters
    ----------
    model : GLM or LogisticRegression
        Fitted without a penalty. With ``separation="firth"`` D is −2 times the penalised log
        likelihood, ln L + ½ ln |I|, of which a coefficient that is held leaves I as it is (Heinze
        and Schemper, 2002).
    X, y
        The rows that the model was fitted on.
    which : sequence of str or int, optional
        Names of coefficients, or positions in the order of infer's table, the intercept first;
        all, if left out. Of three and more classes the name of a column stands for its coefficient
        in each.
    sample_weight, offset : array-like of shape (n,), optional
        Those the model was fitted with.
    weights : {"frequency", "precision"}, default="frequency"
        As in `infer`; of interest where φ is estimated.
    level : float, default=0.95
    reference : optional
        As in `infer`, for three and more classes.

    Returns
    -------
    array of shape (k, 2)
        Lower and upper ends. An end that the rows do not bound is infinite, which a warning says; a
        coefficient that is not defined has NaN.

    Notes
    -----
    An end is the root of a function whose every value takes a fit of the other coefficients. Each
    of these starts from those already made, and some eight find an end to 1e-9 standard errors; R
    interpolates between fits a fifth of the way apart, and keeps about four digits. As in R, z is
    normal also where φ is estimated, which is Pearson's statistic / (n − k).

    Examples
    --------
    >>> from linework import GLM, infer, profile_confint
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 6.0, 14.0]
    >>> model = GLM("poisson").fit(X, y)
    >>> profile_confint(model, X, y).round(3)
    array([[-1.555,  1.025],
           [ 0.456,  1.459]])
    >>> infer(model, X, y).confint().round(3)
    array([[-1.356,  1.186],
           [ 0.417,  1.405]])
    """
    check_request("classic", None, weights, level)
    fit = fitted(model, X, y, sample_weight, offset, weights, reference=reference)
    if not fit.dispersion > 0.0:
        raise ValueError(
            f"The dispersion is {fit.dispersion:g}, with {fit.df:g} residual degrees of freedom: "
            "intervals need rows that the model does not fit exactly."
        )
    places = list(range(len(fit.names))) if which is None else fit.positions(which)
    optimum = fit.optimum()
    z = central_quantile(level, np.inf)
    ends = np.full((len(places), 2), np.nan)
    with progress("Profiles", len(places)) as advance:
        for row, place in enumerate(places):
            if place in fit.places:
                profile = Profile.of(fit, optimum, int(np.flatnonzero(fit.places == place)[0]))
                ends[row] = [profile.end(z, side) for side in (-1, 1)]
            advance(1)
    for row, column in np.argwhere(np.isinf(ends)):
        warnings.warn(
            f"The interval of {fit.names[places[row]]} has no {('lower', 'upper')[column]} end: "
            "the likelihood stays high however far the coefficient is moved, as it does where a "
            "column separates classes.",
            stacklevel=2,
        )
    return ends
