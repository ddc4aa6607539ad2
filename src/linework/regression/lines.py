"""Several linear models of one training part, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from linework.candidates import Candidates, FoldFits, Part, alike
from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.regression.scoring import METRICS, MomentErrors
from linework.stats import Moments

if TYPE_CHECKING:
    from linework.regression.base import ClosedForm

DIGITS = 1e-6
"""Share of y's squares below which residual squares from moments have lost too many digits."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The candidates of one split, f(x) = wᵀx + b each.

    Attributes
    ----------
    coef : array of shape (m, d, t)
    intercept : array of shape (m, t)
    parts : dict
        Moments of the training and of the test rows.
    make : callable
        From a number, coefficients (d, t) and intercepts (t,) to an estimator.
    """

    coef: Array
    intercept: Array
    parts: dict[Part, Moments]
    make: Callable[[int, Array, Array], Any]

    def respond(self, block: Block, method: str, chosen: slice) -> Array:
        """Predictions of shape (rows, m), or (rows, m, t)."""
        values = predict_each(block, self.coef[chosen], self.intercept[chosen])
        return values[:, :, 0] if values.shape[2] == 1 else values

    def model(self, number: int) -> Any:
        """One of them, as an estimator."""
        return self.make(number, self.coef[number], self.intercept[number])

    def scores(self, metric: Callable[..., Any], part: Part) -> Array | None:
        """R², mean squared errors and their like from the part's moments, shape (m,)."""
        formula = METRICS.get(metric)
        if formula is None:
            return None
        errors = MomentErrors.of(self.coef, self.intercept, self.parts[part])
        if (errors.squares < DIGITS * errors.total).any():
            return None
        return np.asarray(formula(errors).mean(axis=1))


def predict_each(block: Block, coef: Array, intercept: Array) -> Array:
    """Predictions (rows, m, t) for coefficients (m, d, t) and intercepts (m, t)."""
    m, d, t = coef.shape
    values = np.asarray(block.X @ np.moveaxis(coef, 1, 0).reshape(d, m * t))
    return values.reshape(-1, m, t) + intercept


def lines_by_fold(
    estimator: ClosedForm,
    candidates: Candidates,
    table: Table,
    moments: tuple[Moments, Iterator[tuple[Moments, Moments]]],
    fit_all: Callable[[Any, Moments], Any],
    flat: bool,
    limit: float,
) -> FoldFits:
    """Every candidate in every fold, from moments."""
    total, parts = moments
    groups = alike(estimator, candidates, estimator._path_parameter)

    def make(number: int, coef: Array, intercept: Array) -> Any:
        model = clone(estimator).set_params(**candidates[number])
        model.n_features_in_ = len(coef)
        model._set_line(coef, intercept, flat, table.dtype)
        return model

    def fit(part: tuple[Moments, Moments]) -> Lines:
        train, test = part
        m, t = len(candidates), train.n_targets
        coef, intercept = np.empty((m, train.n_features, t)), np.zeros((m, t))
        for model, positions, values in groups:
            coef[positions] = model._along(train, values, limit)
            if model.fit_intercept:
                intercept[positions] = train.y_mean - train.x_mean @ coef[positions]
        return Lines(coef, intercept, {"train": train, "test": test}, make)

    def refit(number: int) -> Any:
        return fit_all(clone(estimator).set_params(**candidates[number]), total)

    return FoldFits("statistics", table, parts, fit, refit)
