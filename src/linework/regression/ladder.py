"""From rows to a least-squares solution: moments where they are exact enough, else a factor."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linework.candidates import ByRows
from linework.data.blocks import Array
from linework.data.sources import Table
from linework.engine import map_reduce
from linework.solvers.least_squares import CHOLESKY_LIMIT, Solution
from linework.stats import Moments, RFactor

SINGLE_LIMIT = 1e2
"""As `CHOLESKY_LIMIT`, for products that are computed in float32."""

Solve = Callable[[Moments | RFactor], Solution]


def climb(
    table: Table, solve: Solve, stats: Moments | RFactor | None = None
) -> tuple[Solution, Moments | RFactor, Moments | None]:
    """The solution, the statistic it is from, and the moments where they were collected.

    One pass for moments, which hold d² numbers. Where their condition leaves too few digits, or
    where there are no more rows than columns, a pass for a triangular factor. ``stats`` is the
    first of them, where it is at hand.
    """
    if stats is None:
        stats = collect(table)
    solution = solve(stats)
    moments = stats if isinstance(stats, Moments) else None
    if moments is not None and not is_exact(solution, table):
        stats = map_reduce(table, RFactor.from_block)
        solution = solve(stats)
    return solution, stats, moments


def collect(table: Table) -> Moments | RFactor:
    """Moments, or a factor where it is smaller: with no more rows than columns."""
    if table.n_rows > table.n_columns:
        return map_reduce(table, Moments.from_block)
    return map_reduce(table, RFactor.from_block)


def is_exact(solution: Solution, table: Table) -> bool:
    """Whether a solution from moments has ten correct digits, or as many as float32 data have."""
    if solution.rank != table.n_columns or solution.condition is None:
        return False
    return solution.condition <= condition_limit(table)


def exact(solution: Solution, limit: float) -> Array:
    """The coefficients from moments of a fold, if they are exact enough: see `is_exact`.

    Under a ``limit`` of infinity any are.
    """
    condition = np.inf if solution.condition is None else solution.condition
    if limit < np.inf and (solution.rank != len(solution.coef) or not condition <= limit):
        raise ByRows(
            "The columns are so nearly dependent in some fold that its moments leave too few "
            "digits."
        )
    return solution.coef


def condition_limit(table: Table) -> float:
    """The condition number up to which moments of these rows are exact enough."""
    return CHOLESKY_LIMIT if table.dtype == np.float64 else SINGLE_LIMIT
