"""Scorers of classifiers for rows that need not be of every class."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.metrics import make_scorer

from linework.data.blocks import Array


def knowing_classes(scorer: Any, classes: Array) -> Any:
    """The scorer, its metric told all classes where it takes ``labels``.

    Without, a metric takes the classes among the rows scored for all there are.
    """
    metric = getattr(scorer, "_score_func", None)
    known = inspect.signature(metric).parameters if metric is not None else ()
    if "labels" not in known:
        return scorer
    told: dict[str, Any] = {"labels": classes}
    if "pos_label" in known and len(classes) == 2:
        told["pos_label"] = classes[1]
    return make_scorer(
        metric,
        response_method=scorer._response_method,
        greater_is_better=scorer._sign > 0,
        **(told | scorer._kwargs),
    )
