"""`linework fit` in steps: look, choose, fit, write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from linework.app import texts
from linework.app.choice import Leaderboard, check_metric, choose, models_for
from linework.app.errors import UserError
from linework.app.findings import Findings, look
from linework.app.model import design_of, fit_chosen, write
from linework.design.encoders import Policy


@dataclass(frozen=True, slots=True)
class Fit:
    """What became of a table.

    Attributes
    ----------
    findings : Findings
    board : Leaderboard
    pipeline : Pipeline
    """

    findings: Findings
    board: Leaderboard
    pipeline: Pipeline


def fit_table(
    table: Any,
    target: str,
    *,
    kind: str | None = None,
    drop: Sequence[str] = (),
    models: Sequence[str] | None = None,
    metric: str | None = None,
    folds: int = 5,
    seed: int = 0,
    missing: Policy = "error",
    unseen: Policy = "error",
    output: str | Path | None = None,
    say: Callable[[str], object] = lambda line: None,
) -> Fit:
    """From a table to the best of a few models, and its file.

    Levels, means and deviations of the columns are those of all rows, the held-out ones among them;
    the target has no part in them.

    Parameters
    ----------
    table : pyarrow.Table
    target : str
    kind : {"regression", "classification"}, optional
    drop : sequence of str
    models : sequence of str, optional
    metric : str, optional
    folds, seed : int
    missing, unseen : {"error", "reference", "indicator", "ignore"}
        As for `design_of`.
    output : path, optional
        Where the model is written.
    say : callable
        Takes each line of what was found on the way.

    Returns
    -------
    Fit

    Examples
    --------
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from linework.app.steps import fit_table
    >>> x = np.arange(60.0) % 7
    >>> table = pa.table({"x": x, "y": 2.0 * x + np.cos(np.arange(60))})
    >>> fit_table(table, "y", models=["linear"]).board.chosen
    'linear'
    """
    if folds < 2:
        raise UserError(f"{folds} fold(s) are asked for, and 2 or more are expected.")
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise UserError(f"There is no folder {Path(output).parent}: make it first.")
    rows, y, findings = look(table, target, kind=kind, drop=drop)
    for line in texts.findings(findings):
        say(line)
    check_metric(findings.task, metric)
    models_for(findings.task, models)
    rows = rows.select(findings.used)
    design = design_of(findings, missing, unseen)
    X = design.fit_transform(rows)
    board = choose(X, y, findings.task, models=models, metric=metric, folds=folds, seed=seed)
    pipeline, warned = fit_chosen(design, X, y, findings, board)
    for message in warned:
        say(message)
    if output is not None:
        write(pipeline, output, rows)
    return Fit(findings, board, pipeline)
