"""Likelihood models in every fold, along paths of penalties that begin near those of all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from linework.candidates import Candidates, FoldFits, Models, alike
from linework.data.blocks import Array
from linework.data.sources import Table
from linework.folds import Split
from linework.likelihood.path import Fit, Penalties, follow_any, warn_unfinished
from linework.likelihood.problem import Problem

if TYPE_CHECKING:
    from linework.likelihood.base import LikelihoodModel

HELD = 1 << 31
"""Bytes of dense rows up to which those of a fold are copied once, and not at every read."""

Paths: TypeAlias = list[list[Fit]]
"""A fit for each penalty of each path."""


class PenaltyPath(NamedTuple):
    """Fits that differ in the strength of their penalty only.

    Attributes
    ----------
    problem : callable
        From rows to their problem without a penalty, and the model without slopes.
    penalties : callable
        From the weight of the rows to (l2, l1) beside the mean loss, in any order.
    reach : float
        The scaled gradient to go on to.
    max_iter : int
    """

    problem: Callable[[Table], tuple[Problem, Array]]
    penalties: Callable[[float], Penalties]
    reach: float
    max_iter: int


def follow_paths(paths: Sequence[PenaltyPath], table: Table, guide: Paths | None = None) -> Paths:
    """The fits of all paths to these rows, by way of those to nearly the same rows if given."""
    found = []
    for number, path in enumerate(paths):
        problem, null = path.problem(table)
        penalties = path.penalties(problem.columns.weight)
        near = guide[number] if guide else []
        found.append(follow_any(problem, penalties, null, path.reach, path.max_iter, near))
    return found


def part_of(table: Table, rows: Array) -> Table:
    """These rows, without those of weight zero, read once if that fits into memory."""
    part = table.take(np.sort(rows))
    if part.weight is not None:
        part = part.take(part.weight > 0.0)
    small = part.sparse or part.n_rows * part.n_columns * part.dtype.itemsize <= HELD
    return part.held() if small else part


def paths_by_fold(
    estimator: LikelihoodModel,
    candidates: Candidates,
    table: Table,
    splits: Sequence[Split],
    fit_all: Callable[[Any], Any],
) -> FoldFits:
    """Every candidate in every fold, of an estimator that has read the table."""
    read = {name: value for name, value in vars(estimator).items() if name.endswith("_")}

    def model_of(number: int, fit: Fit) -> Any:
        model = clone(estimator).set_params(**candidates[number])
        vars(model).update(read)
        model._place(fit, table.dtype)
        return model

    paths, order = [], []
    for model, positions, values in alike(estimator, candidates, estimator._path_parameter):
        vars(model).update(read)
        problem, penalties = model._path_problem, model._path_penalties(values)
        paths.append(PenaltyPath(problem, penalties, model._reach(table), model.max_iter))
        order += positions
    whole = follow_paths(paths, table)
    folds = []
    for train, _ in splits:
        found = follow_paths(paths, part_of(table, train), whole)
        fits = [fit for path in found for fit in path]
        folds.append([fits[j] for j in np.argsort(order)])
    sizes = np.array([[fit.found.size for fit in fold] for fold in folds])
    warn_unfinished(sizes, max(path.reach for path in paths))

    def fit(fold: list[Fit]) -> Models:
        return Models([model_of(number, each) for number, each in enumerate(fold)])

    def refit(number: int) -> Any:
        return fit_all(clone(estimator).set_params(**candidates[number]))

    return FoldFits("shared passes", table, folds, fit, refit)
