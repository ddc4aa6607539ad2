"""Coefficients, and the parameter that a family leaves to be estimated, in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_rows
from linework.likelihood.rows import chosen, present_rows
from linework.losses import GeneralizedLoss

TURNS = 100

SETTLED = 1e-9
"""Relative change of the parameter at which it stays."""

Coefficients = tuple[Array, Array]


def in_turns(
    table: Table,
    loss: GeneralizedLoss,
    unknown: str,
    fit: Callable[[GeneralizedLoss, Coefficients], Coefficients],
    at: Coefficients,
) -> tuple[GeneralizedLoss, Coefficients]:
    """The loss with the likeliest value of its family's ``unknown``, and the coefficients with it.

    Parameter and coefficients are orthogonal in the information, so that a few turns do.

    Parameters
    ----------
    loss : GeneralizedLoss
        With a value to begin at.
    fit : callable
        A loss, and B (d, 1) and b (1,) to begin with ↦ the coefficients of its fit.
    at : pair of arrays
        Those of the first loss.
    """
    y, weight = present_rows(table)
    value = getattr(loss.family, unknown)
    for _ in range(TURNS):
        mu = loss.link.mean(_predictors(table, *at))
        before, loss = value, replace(loss, family=loss.family.most_likely(y, mu, weight))
        value = getattr(loss.family, unknown)
        if abs(value - before) <= SETTLED * abs(value):
            return loss, at
        at = fit(loss, at)
    raise ValueError(
        f"{unknown} of the {loss.family.name} family did not settle: it is {value:g} after {TURNS} "
        f"turns. Give a {unknown}."
    )


def _predictors(table: Table, coef: Array, intercept: Array) -> Array:
    """The linear predictors of the rows of positive weight, for coefficients (d, 1) and (1,)."""
    eta = map_rows(table, lambda block: np.asarray(block.X @ coef + intercept)[:, 0])
    eta = eta if table.offset is None else eta + table.offset[:, 0]
    return eta[chosen(table)]
