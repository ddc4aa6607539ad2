"""Scores of every candidate in every fold, where the estimator serves them together."""

from __future__ import annotations

import copy
import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.metrics import accuracy_score, log_loss, r2_score
from sklearn.metrics._scorer import _BaseScorer, _MultimetricScorer, _PassthroughScorer
from sklearn.model_selection._validation import _score
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from linework.candidates import ByRows, Candidates, Fits, FoldFits, Part
from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.engine import map_each, map_reduce, map_rows
from linework.estimator import positions
from linework.folds import Split

HELD = 1 << 25
"""Responses held at a time; more candidates take another read of the rows."""

TILE = 1 << 17
"""Numbers of the rows that all candidates see while they are in a core's cache."""

RESPONSES = ("predict", "predict_proba", "predict_log_proba", "decision_function")


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is asked: the candidates of an estimator, scored in every split.

    Attributes
    ----------
    scorer : callable
        As `sklearn.metrics.check_scoring` gives it, for one or several metrics.
    fit_params, score_params : dict
        What is handed to ``fit`` and to the scorer, for all rows.
    parts : tuple of "test" and "train"
        What is scored.
    """

    estimator: Any
    candidates: Candidates
    X: Any
    y: Any
    splits: Sequence[Split]
    scorer: Any
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    parts: tuple[Part, ...] = ("test",)
    error_score: Any = np.nan


def require_served(estimator: Any, candidates: Candidates, fit_params: Mapping[str, Any]) -> None:
    """Raise `ByRows` where it can be told at once that candidates are not served together."""
    name = type(estimator).__name__
    if not hasattr(estimator, "_fit_folds"):
        raise ByRows(f"{name} is fitted to each fold's rows.")
    if strange := [k for k, v in fit_params.items() if v is not None and k != "sample_weight"]:
        raise ByRows(f"{name} is fitted with {', '.join(strange)}.")
    known = estimator.get_params(deep=False)
    if strange := [k for candidate in candidates for k in candidate if k not in known]:
        raise ByRows(f"{strange[0]!r} is no parameter of {name} itself.")


def serve(
    estimator: Any,
    candidates: Candidates,
    X: Any,
    y: Any,
    splits: Sequence[Split],
    fit_params: Mapping[str, Any],
) -> FoldFits:
    """The candidates fitted in every fold; raises `ByRows` where they are not served together."""
    require_served(estimator, candidates, fit_params)
    weight = fit_params.get("sample_weight")
    for train, test in splits:
        for rows in (train, test):
            if not (len(rows) if weight is None else np.asarray(weight)[rows].any()):
                raise ByRows("Some fold has no rows of positive weight.")
    try:
        served: FoldFits = clone(estimator)._fit_folds(candidates, X, y, weight, splits)
    except (ValueError, ArithmeticError) as error:
        raise ByRows(f"Not all candidates can be fitted: {error}") from error
    return served


def score_folds(task: Task) -> tuple[list[dict[str, Any]], FoldFits]:
    """Results as scikit-learn has them, by candidate and then by split, and the fits."""
    splits = [(positions(train), positions(test)) for train, test in task.splits]
    begun = time.perf_counter()
    served = serve(task.estimator, task.candidates, task.X, task.y, splits, task.fit_params)
    count = len(task.candidates)
    shared = (time.perf_counter() - begun) / (len(splits) * count)

    def run(item: tuple[Any, Split]) -> list[dict[str, Any]]:
        part, split = item
        start = time.perf_counter()
        try:
            fits = served.fit(part)
        except (ValueError, ArithmeticError) as error:
            raise ByRows(f"Not all candidates can be fitted: {error}") from error
        fit_time = shared + (time.perf_counter() - start) / count
        start = time.perf_counter()
        rows: dict[Part, Array] = dict(zip(("train", "test"), split, strict=True))
        scores = {which: _scores(task, served, fits, which, rows[which]) for which in task.parts}
        common = {
            "fit_time": fit_time,
            "score_time": (time.perf_counter() - start) / count,
            "n_test_samples": len(split[1]),
            "fit_error": None,
        }
        return [
            {f"{which}_scores": scores[which][m] for which in task.parts} | common
            for m in range(count)
        ]

    by_split = map_each(zip(served.parts, splits, strict=True), run)
    return [by_split[s][m] for m in range(count) for s in range(len(splits))], served


def _scores(task: Task, served: FoldFits, fits: Fits, which: Part, rows: Array) -> list[Any]:
    """The scores of every candidate on the rows of a part: a number, or a dict of them."""
    for way in (_from_statistics, _from_sums):
        if (known := way(task, served, fits, which, rows)) is not None:
            return known
    y = _safe_indexing(task.y, rows)
    params = _check_method_params(task.X, params=task.score_params, indices=rows)
    count = len(task.candidates)
    if not _asks_responses_only(task):
        X = _safe_indexing(task.X, rows)
        models = [fits.model(m) for m in range(count)]
        return [_score(m, X, y, task.scorer, params, task.error_score) for m in models]
    responses = Responses(fits, served.table.take(rows), count)
    return [
        _score(responses.stand_in(m), rows, y, task.scorer, params, task.error_score)
        for m in range(count)
    ]


def _metrics(scorer: Any) -> dict[str, Any]:
    """The scorers by name; one alone has an empty one."""
    return scorer._scorers if isinstance(scorer, _MultimetricScorer) else {"": scorer}


def _from_statistics(
    task: Task, served: FoldFits, fits: Fits, which: Part, rows: Array
) -> list[Any] | None:
    """The scores that need no rows, if all are such."""
    return _all_metrics(task, lambda metric: fits.scores(metric, which))


def _from_sums(
    task: Task, served: FoldFits, fits: Fits, which: Part, rows: Array
) -> list[Any] | None:
    """The scores that are means over rows, if all are such: from one read of them for each."""
    classes, group = getattr(fits.model(0), "classes_", None), served.table.group
    if classes is None or group is None or len(classes) <= group.max():
        return None
    every = np.unique(group[rows]).size == len(classes)
    read = _tiled(served.table.take(rows))

    def scores(metric: Callable[..., Any]) -> Array | None:
        if metric not in BY_ROW or not (every or metric is accuracy_score):
            return None  # scikit-learn has no log loss where a class is missing, and says so
        method, of_rows = BY_ROW[metric]
        size = max(1, HELD // (read.step * len(classes)))
        means = []
        for start in range(0, len(task.candidates), size):

            def total(block: Block, chosen: slice = slice(start, start + size)) -> Array:
                responses = fits.respond(block, method, chosen)
                weight = np.ones(len(block)) if block.weight is None else block.weight
                assert block.group is not None
                values = of_rows(responses, block.group, classes)
                return np.append(weight @ values, weight.sum())

            sums = map_reduce(read, total)
            means.append(sums[:-1] / sums[-1])
        return np.concatenate(means)

    return _all_metrics(task, scores)


def _hits(predicted: Array, group: Array, classes: Array) -> Array:
    return np.asarray(predicted == classes[group][:, None], np.float64)


def _log_losses(probability: Array, group: Array, classes: Array) -> Array:
    own = np.take_along_axis(probability, group[:, None, None], axis=2)[:, :, 0]
    eps = np.finfo(own.dtype).eps
    return np.asarray(-np.log(np.clip(own, eps, 1.0 - eps)), np.float64)


BY_ROW: dict[Callable[..., Any], tuple[str, Callable[[Array, Array, Array], Array]]] = {
    accuracy_score: ("predict", _hits),
    log_loss: ("predict_proba", _log_losses),
}
"""scikit-learn's metrics that are means over rows: what they ask, and a number (n, m) for each row
and candidate, clipped as scikit-learn clips."""


def _all_metrics(
    task: Task, scores: Callable[[Callable[..., Any]], Array | None]
) -> list[Any] | None:
    """The scores of every candidate, a number or a dict each, if all metrics are known."""
    if task.fit_params.get("sample_weight") is not task.score_params.get("sample_weight"):
        return None
    found: dict[str, list[float]] = {}
    for name, scorer in _metrics(task.scorer).items():
        metric, sign = _metric(scorer, task.estimator)
        values = None if metric is None else scores(metric)
        if values is None:
            return None
        found[name] = (sign * values).tolist()
    if "" in found:
        return found[""]
    return [dict(zip(found, each, strict=True)) for each in zip(*found.values(), strict=True)]


def _metric(scorer: Any, estimator: Any) -> tuple[Callable[..., Any] | None, int]:
    """The metric without options of its own, and whether larger is better."""
    if isinstance(scorer, _PassthroughScorer):
        own = getattr(type(estimator), "score", None)
        defaults = {RegressorMixin.score: r2_score, ClassifierMixin.score: accuracy_score}
        return defaults.get(own), 1
    metric, kwargs = getattr(scorer, "_score_func", None), getattr(scorer, "_kwargs", True)
    asked = BY_ROW[metric][0] if metric in BY_ROW else "predict"
    if kwargs or getattr(scorer, "_response_method", "") != asked:
        return None, 1
    return metric, scorer._sign


def _tiled(table: Table) -> Table:
    """The same rows in blocks that stay in a core's cache while all candidates see them."""
    step = max(1, min(table.step, TILE // table.n_columns))
    return dataclasses.replace(table, step=step)


def _asks_responses_only(task: Task) -> bool:
    """Whether the scorers ask a model for its responses to the rows and nothing else."""
    return all(
        isinstance(scorer, _BaseScorer) or _metric(scorer, task.estimator)[0] is not None
        for scorer in _metrics(task.scorer).values()
    )


class Responses:
    """What candidates say of rows, as many of them from one read of the rows as memory allows."""

    def __init__(self, fits: Fits, table: Table, count: int) -> None:
        self.table = _tiled(table)
        self.fits, self.count = fits, count
        self._held: dict[str, tuple[int, Array]] = {}

    def stand_in(self, number: int) -> Any:
        """The candidate's model, which knows its responses to these rows, and to no others."""
        model = copy.copy(self.fits.model(number))
        for method in RESPONSES:
            if hasattr(model, method):
                setattr(model, method, self._method(number, method))
        return model

    def _method(self, number: int, name: str) -> Callable[[Any], Array]:
        def respond(_: Any) -> Array:
            return self._of(number, name)

        respond.__name__ = name  # by which scorers tell what they were given
        return respond

    def _of(self, number: int, method: str) -> Array:
        """The responses of one candidate, in the shape its method gives them."""
        first, held = self._held.get(method, (0, np.empty((0, 0))))
        if not first <= number < first + held.shape[1]:
            per_row = 1 if method == "predict" else len(self.fits.model(number).classes_)
            stop = number + max(1, HELD // (self.table.n_rows * per_row))
            held = self._read(method, slice(number, min(stop, self.count)))
            first, _ = self._held[method] = number, held
        return np.asarray(held[:, number - first])

    def _read(self, method: str, chosen: slice) -> Array:
        return map_rows(self.table, lambda block: self.fits.respond(block, method, chosen))
