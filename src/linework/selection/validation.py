"""Cross-validation of one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn import model_selection
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils._metadata_requests import _routing_enabled
from sklearn.utils.validation import _num_samples

from linework.candidates import ByRows, Candidates, Part
from linework.data.blocks import Array
from linework.engine import map_each, map_rows
from linework.estimator import positions
from linework.folds import Split
from linework.selection.served import Task, score_folds, serve


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Any = None,
    pre_dispatch: Any = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: Any = np.nan,
) -> dict[str, Any]:
    """Scores of a model in every fold: scikit-learn's `cross_validate`, from fold statistics.

    Which estimators are served so, and what becomes of the others, is said at `GridSearchCV`.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,) or (n, t), default=None
    groups, scoring, cv, n_jobs, verbose, params, pre_dispatch, return_train_score
    return_estimator, return_indices, error_score
        As in scikit-learn.

    Returns
    -------
    dict
        As in scikit-learn, and ``road``: ``"statistics"``, ``"shared passes"`` or ``"rows"`` for
        each split.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import LinearDiscriminantAnalysis, cross_validate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = cross_validate(LinearDiscriminantAnalysis(), X, y)
    >>> found["test_score"].round(2), found["road"][0]
    (array([1.  , 1.  , 0.97, 0.93, 1.  ]), 'statistics')
    """
    splits = split_rows(estimator, X, y, groups, cv)
    others = {
        "scoring": scoring,
        "n_jobs": n_jobs,
        "verbose": verbose,
        "params": params,
        "pre_dispatch": pre_dispatch,
        "error_score": error_score,
        "return_train_score": return_train_score,
        "return_estimator": return_estimator,
        "return_indices": return_indices,
    }
    parts: tuple[Part, ...] = ("test", "train") if return_train_score else ("test",)
    try:
        if return_estimator:
            raise ByRows("The models of the folds are asked for.")
        out, road = score_all(estimator, [{}], X, y, splits, scoring, params, parts, error_score)
    except ByRows:
        rest = as_given(splits, cv, groups)
        found: dict[str, Any] = model_selection.cross_validate(estimator, X, y, **rest, **others)
        return found | {"road": np.full(len(found["fit_time"]), "rows", dtype=object)}
    assert splits is not None
    found = {key: np.array([each[key] for each in out]) for key in ("fit_time", "score_time")}
    if return_indices:
        train, test = zip(*splits, strict=True)
        found["indices"] = {"train": train, "test": test}
    for name in out[0]["test_scores"]:
        for part in parts:
            found[f"{part}_{name}"] = np.array([each[f"{part}_scores"][name] for each in out])
    return found | {"road": np.full(len(out), road, dtype=object)}


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Any = None,
    pre_dispatch: Any = "2*n_jobs",
    method: str = "predict",
) -> Any:
    """What the model says of each row, fitted without the row's fold.

    scikit-learn's `cross_val_predict`; from fold statistics where `cross_validate` is.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame of shape (n, d)
    y : array-like of shape (n,) or (n, t), default=None
    groups, cv, n_jobs, verbose, params, pre_dispatch, method
        As in scikit-learn.

    Returns
    -------
    array of shape (n,), (n, t) or (n, K)

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import Ridge, cross_val_predict
    >>> X, y = load_diabetes(return_X_y=True)
    >>> cross_val_predict(Ridge(alpha=0.1), X, y).shape
    (442,)
    """
    splits = split_rows(estimator, X, y, groups, cv)
    try:
        return _predicted(estimator, X, y, splits, params, method)
    except ByRows:
        rest = as_given(splits, cv, groups)
        return model_selection.cross_val_predict(
            estimator,
            X,
            y,
            n_jobs=n_jobs,
            verbose=verbose,
            params=params,
            pre_dispatch=pre_dispatch,
            method=method,
            **rest,
        )


def split_rows(estimator: Any, X: Any, y: Any, groups: Any, cv: Any) -> list[Split] | None:
    """The splits; None where metadata are routed, which scikit-learn does by itself."""
    if _routing_enabled():
        return None
    X, y, groups = indexable(X, y, groups)
    return list(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y, groups))


def as_given(splits: list[Split] | None, cv: Any, groups: Any) -> dict[str, Any]:
    """The splits for scikit-learn; those drawn already are not drawn again."""
    return {"cv": cv, "groups": groups} if splits is None else {"cv": splits}


def score_all(
    estimator: Any,
    candidates: Candidates,
    X: Any,
    y: Any,
    splits: Sequence[Split] | None,
    scoring: Any,
    params: Mapping[str, Any] | None,
    parts: tuple[Part, ...],
    error_score: Any,
) -> tuple[list[dict[str, Any]], str]:
    """Results by candidate and then by split, their scores as dicts, and the road."""
    if splits is None or y is None:
        raise ByRows("Metadata are routed, or there is no y.")
    scorer = check_scoring(estimator, scoring=scoring, raise_exc=error_score == "raise")
    X, y = indexable(X, y)
    task = Task(estimator, candidates, X, y, splits, scorer, params or {}, {}, parts, error_score)
    out, served = score_folds(task)
    one = not isinstance(scorer, _MultimetricScorer)
    for each in out:
        for part in parts:
            found = each[f"{part}_scores"]
            each[f"{part}_scores"] = {"score": found} if one and np.isscalar(found) else found
    return out, served.road


def _predicted(
    estimator: Any, X: Any, y: Any, splits: list[Split] | None, params: Any, method: str
) -> Array:
    """The responses to all rows, each by the model of the split that holds it out."""
    if splits is None or y is None or not hasattr(estimator, method):
        raise ByRows("scikit-learn finds the words.")
    order = np.concatenate([test for _, test in splits])
    if len(order) != _num_samples(X) or np.unique(order).size < len(order):
        raise ByRows("The test parts are no partition of the rows.")
    chosen = [(positions(train), positions(test)) for train, test in splits]
    X, y = indexable(X, y)
    served = serve(estimator, [{}], X, y, chosen, params or {})

    def respond(item: tuple[Any, Split]) -> Array:
        part, (_, test) = item
        fits = served.fit(part)
        if method != "predict" and len(fits.model(0).classes_) < np.unique(y).size:
            raise ByRows("Some training part has not all classes.")
        rows = served.table.take(test)
        return map_rows(rows, lambda block: fits.respond(block, method, slice(0, 1))[:, 0])

    try:
        by_split = map_each(zip(served.parts, chosen, strict=True), respond)
    except (ValueError, ArithmeticError) as error:
        raise ByRows(str(error)) from error
    return np.concatenate(by_split)[np.argsort(order)]
