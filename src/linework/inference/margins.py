"""Average marginal effects: what a column does to the mean of y."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.inference.checks import check_request, positions_of
from linework.inference.class_margins import class_effects
from linework.inference.covariance import Covariance, Weights
from linework.inference.fitted import fitted
from linework.inference.generalized import meat_of
from linework.inference.likelihood_fit import LikelihoodFit
from linework.inference.line import dense_tiles
from linework.inference.multinomial import class_meat
from linework.inference.multinomial_fit import MultinomialFit
from linework.inference.table import CoefficientTable


def marginal_effects(
    model: Any,
    X: Any,
    y: Any,
    *,
    dummies: Iterable[str | int] = (),
    covariance: Covariance = "classic",
    groups: Any = None,
    sample_weight: Any = None,
    offset: Any = None,
    weights: Weights = "frequency",
    level: float = 0.95,
) -> CoefficientTable:
    """Average marginal effects: by how much the mean of y changes with each column.

    A coefficient is about the linear predictor; this is about y itself, averaged over the rows::

        AME_j = Σ w μ'(η) β_j / Σ w

    and, for a column of zeros and ones that is named a dummy, the mean of the difference that its
    step from 0 to 1 makes, all else being as it is::

        AME_j = Σ w [μ(η | x_j = 1) − μ(η | x_j = 0)] / Σ w

    Standard errors are √(gᵀVg), with g the derivatives of AME_j by the coefficients and V their
    covariance: the delta method. It takes one pass over the rows more than `infer`.

    Parameters
    ----------
    model : GLM or LogisticRegression
        Fitted without a penalty. Of two classes the second counts as y = 1; of more, effects are
        those on the probability of each.
    X, y
        The rows that the model was fitted on.
    dummies : sequence of str or int, default=()
        Names or positions of columns that hold zeros and ones.
    covariance, groups, sample_weight, offset, weights, level
        As in `infer`.

    Returns
    -------
    CoefficientTable
        A row for each column, of three and more classes for each class and column; NaN where its
        coefficient is not defined.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import LogisticRegression, marginal_effects
    >>> x = np.arange(12.0)
    >>> y = np.array([0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1])
    >>> X = np.column_stack([x, np.arange(12) % 2])
    >>> model = LogisticRegression(C=np.inf).fit(X, y)
    >>> marginal_effects(model, X, y, dummies=[1])
       Estimate Std. Error z value Pr(>|z|)
    x0  0.07708    0.01077   7.159 8.14e-13 ***
    x1  0.08897    0.21014   0.423    0.672
    ---
    Signif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1
    """
    check_request(covariance, groups, weights, level)
    fit = fitted(model, X, y, sample_weight, offset, weights, groups)
    columns, work = fit.model._column_names(range(fit.table.n_columns)), fit.work
    chosen = np.intersect1d(positions_of(dummies, columns), work.columns)
    steps = work.columns.searchsorted(chosen)
    if len(steps):
        _reject_others(fit.table.columns(chosen), [columns[j] for j in chosen])
    if isinstance(fit, MultinomialFit):
        names = tuple(f"{one}:{name}" for one in fit.model.classes_ for name in columns)
        effect, variance = class_effects(fit, steps, class_meat(fit, covariance, weights))
    else:
        names = columns
        effect, variance = _effects(fit, steps, meat_of(fit, covariance, weights))
    numbers = np.full((2, len(names) // len(columns), len(columns)), np.nan)
    numbers[..., work.columns] = effect, np.sqrt(variance)
    estimate, error = numbers.reshape(2, -1)
    unknown = np.full(len(names), np.nan)
    return CoefficientTable(names, estimate, error, fit.test_df, level, unknown, unknown)


def _effects(fit: LikelihoodFit, steps: Array, meat: Array) -> tuple[Array, Array]:
    """The effects of the columns of a fit on the mean, and their variances, (1, d) each."""
    table = fit.table.columns(fit.work.columns)
    table = dataclasses.replace(table, y=fit.eta[:, None], offset=None)
    mean = map_reduce(table, partial(_sums, fit=fit, steps=steps)) / fit.w.sum()
    one, coef = int(fit.model.fit_intercept), fit.work.coef
    effect = coef * mean[0, 0]
    gradient = coef[:, None] * mean[0, 1:] + mean[0, 0] * fit.work.coordinates.to_coef()[one:]
    effect[steps], gradient[steps] = mean[1:, 0], mean[1:, 1:]
    variance = np.einsum("ij,ij->i", gradient @ meat, gradient)
    return effect[None], variance[None]


def _sums(block: Block, fit: LikelihoodFit, steps: Array) -> Array:
    """[Σ w μ', Σ w μ'' q] and, for each dummy, [Σ w Δμ, Σ w Δ(μ' q)]: its step's differences."""
    link, coordinates, coef = fit.loss.link, fit.work.coordinates, fit.work.coef
    total = np.zeros((1 + len(steps), 1 + fit.k))
    for rows, X in dense_tiles(block):
        eta = rows.targets[:, 0]
        w = np.ones(len(eta)) if rows.weight is None else rows.weight
        with np.errstate(over="ignore"):
            total[0, 0] += w @ link.slope(eta)
            total[0, 1:] += (w * link.curve(eta)) @ coordinates.rows(X)
        for number, j in enumerate(steps, 1):
            for sign, value in ((1.0, 1.0), (-1.0, 0.0)):
                Z = X.copy()
                Z[:, j] = value
                moved = eta + coef[j] * (value - X[:, j])
                total[number, 0] += sign * (w @ link.mean(moved))
                total[number, 1:] += sign * ((w * link.slope(moved)) @ coordinates.rows(Z))
    return total


def _reject_others(dummies: Table, names: list[str]) -> None:
    """Raise a sentence where a dummy holds something else than zeros and ones."""

    def check(block: Block) -> Array:
        for _, X in dense_tiles(block):
            for row, j in np.argwhere((X != 0.0) & (X != 1.0)):
                raise ValueError(
                    f"Column {names[j]!r} holds {X[row, j]:g}, and a dummy holds zeros and ones: "
                    "leave it out of dummies, or make it one."
                )
        return np.zeros(())

    map_reduce(dummies, check)
