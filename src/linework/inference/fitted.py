"""Likelihood models at their rows: of one linear predictor, or of several classes."""

from __future__ import annotations

from typing import Any, TypeAlias

from linework.inference.covariance import Weights
from linework.inference.likelihood_fit import LikelihoodFit
from linework.inference.multinomial_fit import MultinomialFit
from linework.likelihood.logistic import LogisticRegression

Fit: TypeAlias = LikelihoodFit | MultinomialFit


def fitted(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    offset: Any,
    weights: Weights,
    groups: Any = None,
    reference: Any = None,
) -> Fit:
    """From what the user gave, or a sentence where the model is not the fit to these rows."""
    check_reference(model, reference)
    if not is_multinomial(model):
        return LikelihoodFit.of(model, X, y, sample_weight, offset, weights, groups)
    if offset is not None:
        raise ValueError(
            "An offset is given, and LogisticRegression has none: leave it out. For two classes, "
            "GLM('binomial') takes one."
        )
    return MultinomialFit.of(model, X, y, sample_weight, weights, groups, reference)


def is_multinomial(model: Any) -> bool:
    """Whether a model is of three or more classes."""
    classes = getattr(model, "classes_", ())
    return isinstance(model, LogisticRegression) and len(classes) > 2


def check_reference(model: Any, reference: Any) -> None:
    """Raise a sentence where a reference is given for a model that has no use for it."""
    if reference is not None and not is_multinomial(model):
        raise ValueError(
            f"A reference, {reference!r}, is given, and it is for three classes and more: of two "
            "classes, coefficients are of the log odds of the second. Leave it out."
        )
