"""Which candidate wins: the best, or the simplest that is hardly worse."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from linework.data.blocks import Array

SE = "se_test_{}"
"""Key of the standard errors in results."""


def standard_errors(scores: Array) -> Array:
    """Standard errors s / √k of the mean scores of candidates over k splits, from (m, k) to (m,).

    They take the splits for independent, which folds are not quite: see `compare_scores`.
    """
    k = scores.shape[1]
    if k < 2:
        return np.full(len(scores), np.nan)
    return np.asarray(scores.std(axis=1, ddof=1) / np.sqrt(k))


def check_rule(rule: Any) -> None:
    """Raise a sentence unless it is a rule."""
    if rule in ("best", "one_se") or (isinstance(rule, Real) and 0.0 <= float(rule) < 100.0):
        return
    raise ValueError(
        f'rule is {rule!r}; it is "best", "one_se", or a number of per cent of the best score, '
        "from 0 to below 100."
    )


def winner(rule: Any, mean: Array, error: Array, keys: list[tuple[float, ...]] | None) -> int:
    """The number of the winner, of mean scores (m,) with standard errors (m,).

    Parameters
    ----------
    rule : "best", "one_se" or float
        The simplest of the candidates whose mean is within one standard error of the best mean, or
        within so many per cent of its absolute value.
    keys : list of tuples, or None
        How simple each candidate is: the largest is the simplest, and of equals the better one.
    """
    best = int(np.nan_to_num(mean, nan=-np.inf).argmax())
    if rule == "best" or not np.isfinite(mean[best]):
        return best
    margin = error[best] if rule == "one_se" else float(rule) / 100.0 * abs(mean[best])
    if keys is None:
        raise ValueError(
            f"rule is {rule!r}, and which candidate is simpler is not known for this estimator's "
            'parameters: give simpler={"name": "larger" or "smaller"}, or rule="best".'
        )
    if np.isnan(margin):
        raise ValueError(
            'rule="one_se" takes a standard error of the mean score: give two splits or more.'
        )
    near = np.flatnonzero(mean >= mean[best] - margin)
    return int(max(near, key=lambda m: (*keys[m], mean[m], -m)))


def simplicity(
    estimator: Any, candidates: list[Mapping[str, Any]], simpler: Mapping[str, str] | None
) -> list[tuple[float, ...]] | None:
    """For each candidate a key, larger for simpler ones; None where nothing orders them.

    An estimator says in ``_simpler`` which of its parameters make it simpler, and in which
    direction; the first weighs most. Parameters of the steps of a pipeline are found by name.
    """
    names = {name for candidate in candidates for name in candidate}
    if simpler is None:
        signs = {}
        for name in names:
            owner, _, own = name.rpartition("__")
            part = estimator.get_params()[owner] if owner else estimator
            order = list(getattr(part, "_simpler", {}))
            if own in order:
                signs[name] = (order.index(own), part._simpler[own])
        order = sorted(signs, key=lambda name: signs[name][0])
        directions = {name: signs[name][1] for name in order}
    else:
        for name, word in simpler.items():
            if name not in names or word not in ("larger", "smaller"):
                raise ValueError(
                    f'simpler is {simpler!r}, and {{"name": "larger"}} or "smaller" is expected '
                    f"for some of the parameters {sorted(names)}."
                )
        directions = {name: 1 if word == "larger" else -1 for name, word in simpler.items()}
    if not directions:
        return None
    return [
        tuple(sign * _number(candidate.get(name)) for name, sign in directions.items())
        for candidate in candidates
    ]


def _number(value: Any) -> float:
    """None is zero: no penalty, no shrinkage. What is no number, such as "auto", is neither."""
    return float(value) if isinstance(value, Real) else 0.0
