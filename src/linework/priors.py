"""Posteriors under other priors than those of the rows that were fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from linework.data.blocks import Array


def check_priors(values: Any, K: int, name: str) -> Array:
    """The priors (K,), or a sentence on what is wrong with them."""
    p = np.empty(0) if isinstance(values, str) else np.asarray(values, np.float64)
    if p.shape != (K,) or not (p > 0.0).all() or not np.isclose(p.sum(), 1.0):
        raise ValueError(
            f"{name} is {values!r}, and {K} positive numbers that add up to 1 are expected, one "
            "for each class in their order."
        )
    return p


def trained_priors(given: Any, numbers: Array, weight: Array, K: int) -> Array:
    """The priors (K,) a model was fitted under: those given, or the classes' shares of the rows."""
    shares = np.bincount(numbers, weight, K) / weight.sum()
    return check_priors(shares if given is None else given, K, "training_priors")


def shifted(posterior: Array, shift: Array) -> Array:
    """Posteriors (n, K) under priors π' of posteriors under π: P'(k | x) ∝ P(k | x) π'_k / π_k.

    Parameters
    ----------
    posterior : array of shape (n, K)
    shift : array of shape (K,)
        π'_k / π_k, up to a factor that is common to all.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.priors import shifted
    >>> shifted(np.array([[0.5, 0.5]]), np.array([0.9, 0.1]) / 0.5)
    array([[0.9, 0.1]])
    """
    product = posterior * shift
    return np.asarray(product / product.sum(axis=1, keepdims=True))
