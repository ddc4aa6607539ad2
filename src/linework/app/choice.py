"""Which model of the family: a few are cross-validated on the same folds, the best is taken."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import KFold, StratifiedKFold

from linework.app.errors import UserError
from linework.app.findings import nearest
from linework.app.task import Task
from linework.data.blocks import Array
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.discriminant.quadratic import QuadraticDiscriminantAnalysis
from linework.likelihood.logistic import LogisticRegression
from linework.progress import progress
from linework.regression.lasso_cv import LassoCV
from linework.regression.linear import LinearRegression
from linework.regression.ridge_cv import RidgeCV
from linework.selection.compare import corrected_t_test
from linework.selection.validation import cross_validate

PENALTIES = tuple(10.0**k for k in range(-3, 6))

REGRESSION: Mapping[str, Callable[[], Any]] = {
    "linear": LinearRegression,
    "ridge": lambda: RidgeCV(alphas=PENALTIES),
    "lasso": LassoCV,
}
CLASSIFICATION: Mapping[str, Callable[[], Any]] = {
    "logistic": LogisticRegression,
    "lda": LinearDiscriminantAnalysis,
    "qda": lambda: QuadraticDiscriminantAnalysis(shrinkage="auto"),
}
MOMENTS = 1000
"""Features up to which discriminants are tried: their work grows with the cube."""

METRICS: Mapping[str, Mapping[str, str]] = {
    "regression": {
        "r2": "r2",
        "rmse": "neg_root_mean_squared_error",
        "mae": "neg_mean_absolute_error",
    },
    "binary": {
        "log_loss": "neg_log_loss",
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced_accuracy",
        "auc": "roc_auc",
    },
    "multiclass": {
        "log_loss": "neg_log_loss",
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced_accuracy",
        "auc": "roc_auc_ovr",
    },
}
"""What a metric is called in scikit-learn; the first chooses, and the second stands beside it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A model on the leaderboard.

    Attributes
    ----------
    model : str
    score : float
        Mean of the metric over the folds.
    interval : tuple of float
        Of 95 %, by the corrected variance of Nadeau and Bengio (2003).
    beside : float
        Mean of the metric that stands beside.
    seconds : float
        All folds together.
    """

    model: str
    score: float
    interval: tuple[float, float]
    beside: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Models by their scores, best first, and the baseline that looks at no column.

    Attributes
    ----------
    metric, beside : str
    folds : int
    entries : tuple of Entry
    baseline : Entry
    failed : dict
        Why a model is not on it.
    """

    metric: str
    beside: str
    folds: int
    entries: tuple[Entry, ...]
    baseline: Entry
    failed: Mapping[str, str]

    @property
    def chosen(self) -> str:
        """The best model."""
        return self.entries[0].model

    def as_dict(self) -> dict[str, Any]:
        """The leaderboard as plain values."""
        return asdict(self) | {"chosen": self.chosen}


def models_for(task: Task, names: Sequence[str] | None = None) -> dict[str, Callable[[], Any]]:
    """The models of a task, or those named.

    Parameters
    ----------
    task : Task
    names : sequence of str, optional

    Returns
    -------
    dict of callable

    Examples
    --------
    >>> from linework.app.choice import models_for
    >>> from linework.app.task import Task
    >>> list(models_for(Task("price", "regression", {}, (0.0, 1.0, 2.0))))
    ['linear', 'ridge', 'lasso']
    """
    known = REGRESSION if task.kind == "regression" else CLASSIFICATION
    for name in names or ():
        if name not in known:
            raise UserError(
                f"There is no model {name!r} for {task.kind}{nearest(name, list(known))}"
            )
    return {name: known[name] for name in names or known}


def check_metric(task: Task, metric: str | None) -> tuple[str, str]:
    """The metric that chooses and the one beside it.

    Parameters
    ----------
    task : Task
    metric : str, optional

    Returns
    -------
    str, str

    Examples
    --------
    >>> from linework.app.choice import check_metric
    >>> from linework.app.task import Task
    >>> check_metric(Task("price", "regression", {}, (0.0, 1.0, 2.0)), "mae")
    ('mae', 'r2')
    """
    known = list(METRICS[task.kind])
    metric = metric or known[0]
    if metric not in known:
        raise UserError(f"There is no metric {metric!r} for {task.kind}{nearest(metric, known)}")
    return metric, next(name for name in known if name != metric)


def choose(
    X: Any,
    y: Array,
    task: Task,
    *,
    models: Sequence[str] | None = None,
    metric: str | None = None,
    folds: int = 5,
    seed: int = 0,
) -> Leaderboard:
    """Cross-validate the models on the same folds.

    Parameters
    ----------
    X : array or CSR array of shape (n, p)
    y : array of shape (n,)
    task : Task
    models : sequence of str, optional
    metric : str, optional
    folds, seed : int

    Returns
    -------
    Leaderboard

    Examples
    --------
    >>> import numpy as np
    >>> from linework.app.choice import choose
    >>> from linework.app.task import Task
    >>> x = np.random.default_rng(0).standard_normal((200, 2))
    >>> y = x @ [1.0, 2.0] + 0.1 * x[:, 0] ** 2
    >>> board = choose(x, y, Task("y", "regression", {}, (0.0, 1.0, 2.0)))
    >>> board.chosen, round(board.entries[0].score, 2)
    ('linear', 1.0)
    """
    chosen, beside = check_metric(task, metric)
    candidates = models_for(task, models)
    splits = _splits(X, y, task, folds, seed)
    scoring = {name: METRICS[task.kind][name] for name in (chosen, beside)}
    dummy = DummyRegressor() if task.kind == "regression" else DummyClassifier()
    baseline = _entry("baseline", dummy, X, y, splits, scoring)
    entries, failed = [], {}
    with progress("Models cross-validated", len(candidates)) as advance:
        for name, make in candidates.items():
            if name in ("lda", "qda") and X.shape[1] > MOMENTS:
                failed[name] = f"not tried with {X.shape[1]:,} features, more than {MOMENTS:,}"
            else:
                try:
                    entries.append(_entry(name, make(), X, y, splits, scoring))
                except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                    failed[name] = (str(error).splitlines() or [type(error).__name__])[0]
            advance(1)
    if not entries:
        reasons = "; ".join(f"{name}: {why}" for name, why in failed.items())
        raise UserError(f"No model can be fitted to this table. {reasons}")
    sign = -1.0 if scoring[chosen].startswith("neg_") else 1.0
    entries.sort(key=lambda entry: -sign * entry.score)
    return Leaderboard(chosen, beside, len(splits), tuple(entries), baseline, failed)


def _splits(X: Any, y: Array, task: Task, folds: int, seed: int) -> list[tuple[Array, Array]]:
    """The same for all models; no more folds than rows of the smallest class."""
    most = min(task.balance.values(), default=X.shape[0] // 2)
    folds = min(folds, most)
    kind = StratifiedKFold if task.classes else KFold
    return list(kind(folds, shuffle=True, random_state=seed).split(X, y))


def _entry(
    name: str,
    model: Any,
    X: Any,
    y: Array,
    splits: Sequence[tuple[Array, Array]],
    scoring: Mapping[str, str],
) -> Entry:
    """One model's scores; warnings of single folds are not news."""
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cross_validate(model, X, y, cv=splits, scoring=dict(scoring), error_score="raise")
    seconds = time.perf_counter() - begun
    signs = [-1.0 if each.startswith("neg_") else 1.0 for each in scoring.values()]
    scores, beside = (
        sign * found[f"test_{each}"] for sign, each in zip(signs, scoring, strict=True)
    )
    if not np.isfinite(scores).all():
        raise ValueError(f"its {next(iter(scoring))} is not a finite number in every fold")
    train, test = (float(np.mean([len(split[part]) for split in splits])) for part in (0, 1))
    low, high = corrected_t_test(scores, train, test).interval
    # No loss is below 0, and no share, area or R² above 1.
    losses = signs[0] < 0
    interval = (max(low, 0.0), high) if losses else (low, min(high, 1.0))
    return Entry(name, float(scores.mean()), interval, float(beside.mean()), seconds)
