"""The model of a table: from columns to predictions, and what it was learned from."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from linework.app.choice import Leaderboard, models_for
from linework.app.errors import UserError
from linework.app.findings import Findings
from linework.data.blocks import Array
from linework.design.design import Design
from linework.design.encoders import Policy
from linework.design.treatments import Nominal, Numeric
from linework.persist.model_file import load, save

MARKED = 10
"""Rows without a number from which the gap itself may tell something and has a coefficient."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a model was learned from, and how good it was on rows held out.

    Attributes
    ----------
    target, task : str
    rows : int
    columns : tuple of str
        That it learns from.
    model, metric : str
    folds : int
    score : float
    interval : tuple of float
    """

    target: str
    task: str
    rows: int
    columns: tuple[str, ...]
    model: str
    metric: str
    folds: int
    score: float
    interval: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """The card as plain values."""
        return asdict(self)


def design_of(findings: Findings, missing: Policy = "error", unseen: Policy = "error") -> Design:
    """Columns as numbers in units of their deviation, gaps filled, and marked where they matter.

    Parameters
    ----------
    findings : Findings
    missing, unseen : {"error", "reference", "indicator", "ignore"}, default="error"
        What becomes of a gap in a column that has none here, and of a level that is not here.

    Returns
    -------
    Design
        Not fitted.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linework.app.findings import look
    >>> from linework.app.model import design_of
    >>> table = pa.table({"x": [1.0, 2.0, None, 4.5], "y": ["a", "b", "a", "b"]})
    >>> rows, y, findings = look(table, "y")
    >>> design_of(findings).fit_transform(rows).round(3).tolist()
    [[-1.019], [-0.34], [0.0], [1.359]]
    """
    terms: dict[str, Any] = {}
    for column in findings.columns:
        if not column.used or not column.missing:
            continue
        if column.kind == "text":
            terms[column.name] = Nominal(missing="indicator")
        else:
            marked = column.missing >= max(MARKED, findings.rows // 100)
            terms[column.name] = Numeric(missing="indicator" if marked else "reference")
    return Design(terms, scale=True, missing=missing, unseen=unseen)


def fit_chosen(
    design: Design, X: Any, y: Array, findings: Findings, board: Leaderboard
) -> tuple[Pipeline, list[str]]:
    """The best model fitted to all rows, as a pipeline with its card, and what it warned of.

    Parameters
    ----------
    design : Design
        Fitted.
    X : array or CSR array of shape (n, p)
        The rows as the design gives them.
    y : array of shape (n,)
    findings : Findings
    board : Leaderboard

    Returns
    -------
    Pipeline, list of str
    """
    best = board.entries[0]
    model = models_for(findings.task)[best.model]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    pipeline = Pipeline([("design", design), ("model", model)])
    task = findings.task
    pipeline.card_ = Card(
        task.target,
        task.kind,
        findings.rows,
        tuple(findings.used),
        best.model,
        board.metric,
        board.folds,
        best.score,
        best.interval,
    )
    return pipeline, list(dict.fromkeys(str(warning.message) for warning in caught))


def write(pipeline: Pipeline, path: str | Path, rows: Any) -> None:
    """Save the pipeline; some of the rows go along, to check it when it is loaded.

    Parameters
    ----------
    pipeline : Pipeline
    path : str or path
    rows : pyarrow.Table
        With the columns that the pipeline takes.
    """
    try:
        save(pipeline, path, X=rows)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from None


def read(path: str | Path) -> Pipeline:
    """The pipeline of a model file that `linework fit` has written, or a sentence.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from linework.app.model import read
    >>> read("nothing.lw")
    Traceback (most recent call last):
        ...
    linework.app.errors.UserError: There is no file nothing.lw.
    """
    try:
        pipeline = load(path)
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from None
    if not isinstance(getattr(pipeline, "card_", None), Card):
        raise UserError(
            f"{path} holds a {type(pipeline).__name__} that `linework fit` has not written: use "
            "linework.load in Python."
        )
    return pipeline


def coefficients(pipeline: Pipeline) -> Mapping[str, dict[str, float]]:
    """Coefficients by feature, one for each column of the answer; the intercept first.

    Parameters
    ----------
    pipeline : Pipeline

    Returns
    -------
    dict of dict
        Empty where the model has none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from linework.app.model import coefficients
    >>> from linework.app.steps import fit_table
    >>> table = pa.table({"x": [0.0, 1.0, 2.0, 3.0] * 3, "y": [1.5, 3.5, 5.5, 7.5] * 3})
    >>> found = coefficients(fit_table(table, "y", models=["linear"]).pipeline)
    >>> {name: round(values["y"], 3) for name, values in found.items()}
    {'(Intercept)': 4.5, 'x': 2.236}
    """
    model = pipeline[-1]
    if not hasattr(model, "coef_"):
        return {}
    matrix = np.atleast_2d(model.coef_)
    intercepts = np.broadcast_to(np.atleast_1d(model.intercept_), (len(matrix),))
    card: Card = pipeline.card_
    if len(matrix) == 1:
        answers = [card.target if card.task == "regression" else f"{model.classes_[1]}"]
    else:
        answers = [str(label) for label in model.classes_[-len(matrix) :]]
    names = pipeline[0].get_feature_names_out()
    order = np.argsort(-np.abs(matrix).max(axis=0), kind="stable")
    rows = {"(Intercept)": intercepts, **{str(names[j]): matrix[:, j] for j in order}}
    return {
        name: dict(zip(answers, map(float, values), strict=True)) for name, values in rows.items()
    }
