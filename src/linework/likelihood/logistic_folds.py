"""Logistic regressions in every fold of a search, along paths that begin near those of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import clone

from linework.candidates import ByRows, Candidates, FoldFits, Models, alike
from linework.data.blocks import Array
from linework.data.sources import Table
from linework.folds import Split
from linework.likelihood.path import Fit, follow_Cs, warn_unfinished

if TYPE_CHECKING:
    from linework.likelihood.logistic import LogisticRegression

HELD = 1 << 31
"""Bytes of dense rows up to which those of a fold are copied once, and not at every read."""

Paths = list[list[Fit]]
"""A fit for each C of each path."""


class CPath(NamedTuple):
    """Fits that differ in C only."""

    model: LogisticRegression
    l1_ratio: float
    Cs: Array


def follow_paths(
    paths: Sequence[CPath], table: Table, classes: Array, guide: Paths | None = None
) -> Paths:
    """The fits of all paths to these rows, by way of those to nearly the same rows if given."""
    found = []
    for number, (model, l1_ratio, Cs) in enumerate(paths):
        problem, null = model._problem(table, classes)
        reach, near = model._reach(table), guide[number] if guide else []
        found.append(follow_Cs(problem, Cs, l1_ratio, null, reach, model.max_iter, near))
    return found


def part_of(table: Table, rows: Array) -> Table:
    """These rows, without those of weight zero, read once if that fits into memory."""
    part = table.take(np.sort(rows))
    if part.weight is not None:
        part = part.take(part.weight > 0.0)
    small = part.sparse or part.n_rows * part.n_columns * part.dtype.itemsize <= HELD
    return part.held() if small else part


def logistic_by_fold(
    estimator: LogisticRegression,
    candidates: Candidates,
    read: Any,
    splits: Sequence[Split],
) -> FoldFits:
    """Every candidate in every fold; ``read(model)`` gives the rows and the classes."""
    models = [clone(estimator).set_params(**candidate) for candidate in candidates]
    for model in models:
        model._check_penalty()
        if model.solver != "auto" or model.separation == "firth" or np.inf == model.C:
            raise ByRows(
                f"{model} is fitted by itself: paths are for finite C, solver='auto' and no Firth."
            )
    table, classes = read(estimator)
    _require_classes(table, len(classes), splits)
    groups = alike(estimator, candidates, "C")
    paths = [CPath(model, model.l1_ratio, np.array(Cs, float)) for model, _, Cs in groups]
    order = np.concatenate([positions for _, positions, _ in groups])

    def by_candidate(found: Paths) -> list[Fit]:
        flat = [fit for path in found for fit in path]
        return [flat[j] for j in np.argsort(order)]

    whole = follow_paths(paths, table, classes)
    folds = [
        by_candidate(follow_paths(paths, part_of(table, train), classes, whole))
        for train, _ in splits
    ]
    sizes = np.array([[fit.found.size for fit in fold] for fold in folds])
    warn_unfinished(sizes, max(path.model._reach(table) for path in paths))

    def fitted(model: LogisticRegression, fit: Fit) -> LogisticRegression:
        model = clone(model)
        model.classes_, model.n_features_in_ = classes, table.n_columns
        model.coef_, model.intercept_ = fit.line(table.dtype)
        return model

    def fit_part(fold: list[Fit]) -> Models:
        return Models([fitted(model, fit) for model, fit in zip(models, fold, strict=True)])

    def refit(number: int) -> LogisticRegression:
        model: LogisticRegression = clone(models[number])
        read(model)  # notes the columns' names
        model.classes_ = classes
        return model._set_fit(by_candidate(whole)[number], table)

    return FoldFits("shared passes", table, folds, fit_part, refit)


def _require_classes(table: Table, n_classes: int, splits: Sequence[Split]) -> None:
    assert table.group is not None
    for number, (train, _) in enumerate(splits):
        rows = train if table.weight is None else train[table.weight[train] > 0.0]
        if np.unique(table.group[rows]).size < n_classes:
            raise ByRows(f"The training part of split {number} has not all classes.")
