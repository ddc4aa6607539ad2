"""Settings of the least-squares models, or sentences on what is wrong with them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from linework.data.blocks import Array
from linework.solvers.coordinate import Penalty


def check_alphas(alpha: Any, n_targets: int) -> Array:
    """Penalties of `Ridge` as an array of shape (1,) or (t,)."""
    alphas = np.atleast_1d(_finite(alpha, "alpha"))
    if alphas.shape not in {(1,), (n_targets,)}:
        raise ValueError(
            f"Number of targets and number of penalties do not correspond: {alphas.size} != "
            f"{n_targets}. Give one alpha, or one for each target."
        )
    return alphas


def _finite(alpha: Any, name: str) -> Array:
    values = np.asarray(alpha, dtype=object)
    if not all(isinstance(v, Real) and 0.0 <= float(v) < np.inf for v in values.ravel()):
        raise ValueError(f"{name} is {alpha!r}; penalties are finite numbers, zero or more.")
    return values.astype(np.float64)


def check_grid(alphas: Any, **bounds: Any) -> Array:
    """Penalties to choose from, as an array of shape (a,)."""
    values = np.ravel(np.asarray(alphas, dtype=object))
    if not len(values):
        raise ValueError(f"alphas is {alphas!r}: give at least one penalty.")
    for i, alpha in enumerate(values):
        check_scalar(alpha, f"alphas[{i}]", Real, min_val=0.0, **bounds)
    return np.ravel(_finite(alphas, "alphas"))


def check_penalty(
    alpha: Any, l1_ratio: float, positive: bool, tol: float, max_iter: int
) -> Penalty:
    """The penalty of a lasso or an elastic net, for one α or no α yet (an empty list)."""
    values = np.atleast_1d(_finite(alpha, "alpha"))
    if len(values) > 1:
        raise ValueError(f"alpha is {alpha!r}, and one number is expected: fit a model for each.")
    if not (isinstance(l1_ratio, Real) and 0.0 <= l1_ratio <= 1.0):
        raise ValueError(f"l1_ratio is {l1_ratio!r}; it is a share, from 0 (ridge) to 1 (lasso).")
    if not (isinstance(tol, Real) and 0.0 <= tol < np.inf):
        raise ValueError(f"tol is {tol!r}; it is a finite number, zero or more.")
    if not (isinstance(max_iter, Integral) and max_iter >= 1):
        raise ValueError(f"max_iter is {max_iter!r}; it is a number of sweeps, at least 1.")
    return Penalty(values, float(l1_ratio), positive, float(tol), int(max_iter))


def tighter(tol: float) -> float:
    """What an estimator solves to, so as to be within ``tol`` with room to spare.

    Neighbours on a path are often within the default tolerance of each other; cross-validation
    would not tell them apart.
    """
    return min(tol, max(1e-4 * tol, 1e-12))
