"""`LogisticRegressionCV`, 10 penalties × 5 folds on 100,000 × 50, against scikit-learn's.

Columns correlate by 0.2. scikit-learn's lbfgs, its default, and newton-cholesky, its fastest for
this shape, are run at the default tolerance and at a smaller one; the largest gradient over all
fits of folds, by a column of unit spread and beside the scores' root mean square, says what each
reached.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import best_times, machine, show
from scipy.special import expit
from sklearn.linear_model import LogisticRegressionCV as Peer
from sklearn.model_selection import StratifiedKFold

from linework import LogisticRegressionCV

N, D, FOLDS, PENALTIES = 100_000, 50, 5, 10


def data() -> tuple[np.ndarray, np.ndarray]:
    """A fifth of the rows positive."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D)) + 0.5 * rng.standard_normal((N, 1))
    eta = X @ rng.standard_normal(D) * 0.3 - 2.0
    return X, (rng.random(N) < expit(eta)).astype(int)


def largest_gradient(X: np.ndarray, y: np.ndarray, model: Any) -> float:
    """Over the fits of all folds and penalties."""
    worst = 0.0
    for f, (train, _) in enumerate(StratifiedKFold(FOLDS).split(X, y)):
        rows, labels = X[train], y[train]
        scale, unit = rows.std(axis=0), labels.std()
        centred = rows - rows.mean(axis=0)
        for C, line in zip(model.Cs_, model.coefs_paths_[f, 0, :, 0], strict=True):
            r = labels - expit(rows @ line[:-1] + line[-1])
            slope = (centred.T @ r / len(r) - line[:-1] / (C * len(r))) / scale
            worst = max(worst, np.abs(slope).max() / unit, abs(r.mean()) / unit)
    return worst


def main() -> None:
    machine()
    X, y = data()
    models: dict[str, Any] = {}

    def keep(name: str, model: Any) -> Callable[[], None]:
        def call() -> None:
            models[name] = model.fit(X, y)

        return call

    params: dict[str, Any] = {"Cs": PENALTIES, "cv": FOLDS, "scoring": "neg_log_loss"}
    contenders = {"linework": keep("linework", LogisticRegressionCV(**params))}
    params |= {"l1_ratios": (0.0,), "use_legacy_attributes": False, "max_iter": 10_000}
    for solver, tol in (
        ("lbfgs", 1e-4),
        ("lbfgs", 1e-7),
        ("newton-cholesky", 1e-4),
        ("newton-cholesky", 1e-7),
    ):
        name = f"scikit-learn, {solver}, tol={tol:g}"
        contenders[name] = keep(name, Peer(**params, solver=solver, tol=tol))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        contenders["linework"]()  # the only one with a loop to load; others take minutes
        times = best_times(contenders, rounds=1, warm_up=False)
    title = f"LogisticRegressionCV, {PENALTIES} penalties × {FOLDS} folds, {N:,} × {D}"
    show(title, times, "10 times faster at a like gradient")
    for name, model in models.items():
        reached = largest_gradient(X, y, model)
        print(f"{name}: C = {model.C_:.3g}, largest gradient of a fold's fit {reached:.1e}")


if __name__ == "__main__":
    main()
