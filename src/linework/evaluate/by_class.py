"""Ranked scores of more than two classes: one against the rest, or one against one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from linework.data.numbers import as_numbers
from linework.data.sources import check_weight, reject_other_length
from linework.evaluate.ranking import RankedScores
from linework.labels import encode


def class_rankings(
    y_true: Any,
    y_score: Any,
    *,
    labels: Any = None,
    scheme: str = "ovr",
    sample_weight: Any = None,
    grid: Any = None,
) -> Mapping[Any, RankedScores]:
    """The ranked scores of each class against the rest, or against each other class.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_score : array-like of shape (n, K)
        A score of each class, such as ``predict_proba``.
    labels : array-like of shape (K,), optional
        The classes of the columns, a model's ``classes_``; by default those in ``y_true``.
    scheme : {"ovr", "ovo"}, default="ovr"
        ``"ovr"``: class k against all other rows, by column k. ``"ovo"``: rows of class k against
        those of class l, by column k, for every pair in both orders.
    sample_weight : array-like of shape (n,), optional
    grid : array-like of shape (g,), optional
        As in `RankedScores.from_predictions`.

    Returns
    -------
    dict of RankedScores, by label or by the pair (k, l)
        Their mean areas are scikit-learn's macro averages.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from linework import LinearDiscriminantAnalysis, class_rankings
    >>> X, y = load_iris(return_X_y=True)
    >>> X = X[:, :2]
    >>> posterior = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
    >>> [round(ranked.auc, 3) for ranked in class_rankings(y, posterior).values()]
    [1.0, 0.881, 0.894]
    """
    y = column_or_1d(y_true)
    scores = as_numbers(y_score, "y_score")
    names = encode(y, None, len(y))[0] if labels is None else np.asarray(labels)
    if scores.ndim != 2 or scores.shape[1] != len(names):
        raise ValueError(
            f"y_score has shape {scores.shape}, and (n, {len(names)}) is expected: a column for "
            f"each of the classes {names.tolist()}."
        )
    reject_other_length(len(scores), len(y))
    weight = check_weight(sample_weight, len(y))

    def ranked(rows: Any, k: int) -> RankedScores:
        return RankedScores.from_predictions(
            y[rows] == names[k],
            scores[rows, k],
            sample_weight=None if weight is None else weight[rows],
            grid=grid,
        )

    found = names.tolist()
    if scheme == "ovr":
        return {label: ranked(slice(None), k) for k, label in enumerate(found)}
    if scheme != "ovo":
        raise ValueError(f"scheme is {scheme!r}, and 'ovr' or 'ovo' is expected.")
    return {
        (label, other): ranked((y == label) | (y == other), k)
        for k, label in enumerate(found)
        for other in found
        if other != label
    }
