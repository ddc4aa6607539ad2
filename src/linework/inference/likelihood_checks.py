"""What inference asks of a likelihood model before it says anything."""

from __future__ import annotations

from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.likelihood.firth import FirthProblem
from linework.likelihood.logistic import LogisticRegression
from linework.likelihood.problem import Problem

SAME_FIT = 1e-2
"""Standard errors by which a model may differ from the fit to the rows."""


def problem_of(model: Any) -> type[Problem]:
    """The kind of problem that a fitted model solves."""
    return FirthProblem if getattr(model, "separation", "") == "firth" else Problem


def reject_other_rows(decrement: float, variance: float) -> None:
    """Raise a sentence where a Newton step would go far, beside the root of k φ."""
    if decrement > SAME_FIT * np.sqrt(variance):
        raise ValueError(
            "The model is not the fit to these rows: give the X, y, sample_weight and offset "
            "that the model was fitted with, or fit it again on these."
        )


def reject_reweighted(model: LogisticRegression) -> None:
    """Raise a sentence where a model of classes has another penalty than Firth's, or weights."""
    if np.isfinite(model.C) or model.class_weight is not None:
        raise ValueError(
            f"The model has C={model.C!r} and class_weight={model.class_weight!r}, and standard "
            "errors do not hold for penalised or reweighted fits: fit "
            "LogisticRegression(C=np.inf), without class_weight, on the chosen columns."
        )


def class_numbers(classes: Array, y: Any) -> Array:
    """The number of each row's class, or a sentence where it is none of these."""
    numbers = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    if not np.array_equal(classes[numbers], np.asarray(y)):
        raise ValueError(
            f"y holds labels other than {classes.tolist()}: give infer the y that the model was "
            "fitted with."
        )
    return np.asarray(numbers)
