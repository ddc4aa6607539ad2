"""Discriminants against scikit-learn: fits, a grid by cross-validation, prediction."""

from __future__ import annotations

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import sklearn.discriminant_analysis as peer
from harness import best_times, machine, show
from sklearn.model_selection import StratifiedKFold

import linework

GRID = tuple(np.linspace(0.0, 1.0, 11))
FOLDS = 10
REFITS = 10

MANY_CLASSES = """
import resource, time, warnings
import numpy as np
import {module}
warnings.simplefilter("ignore")
n, d, k = {n}, {d}, {k}
rng = np.random.default_rng(0)
y = rng.permutation(np.arange(n) % k)
X = rng.standard_normal((n, d))
means = 0.5 * rng.standard_normal((k, d))
for rows in range(0, n, 1000):  # a second table would hide what the fit takes
    X[rows : rows + 1000] += means[y[rows : rows + 1000]]
model = {module}.LinearDiscriminantAnalysis{options}
model.fit(X[:400, :5].copy(), y[:400] % 3)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, start = peak(), time.perf_counter()
model.fit(X, y)
print(time.perf_counter() - start, peak() - before)
"""


def data(n: int, d: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes about means of standard deviation ½, each of its own spread."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    X = rng.standard_normal((n, d)) * rng.uniform(0.7, 1.4, (n_classes, d))[y]
    return X + 0.5 * rng.standard_normal((n_classes, d))[y], y


def fits(X: np.ndarray, y: np.ndarray, **models: Any) -> dict[str, Callable[[], Any]]:
    return {name: partial(model.fit, X, y) for name, model in models.items()}


def fit_lda(rounds: int) -> None:
    X, y = data(300_000, 100, 5)
    models = {
        "linework": linework.LinearDiscriminantAnalysis(),
        "sklearn svd": peer.LinearDiscriminantAnalysis(),
        "sklearn lsqr": peer.LinearDiscriminantAnalysis(solver="lsqr"),
    }
    times = best_times(fits(X, y, **models), rounds)
    show("LDA, 300,000 × 100, K = 5", times, "20 for svd, 8 for lsqr")


def fit_qda(rounds: int) -> None:
    X, y = data(300_000, 100, 5)
    models = {
        "linework": linework.QuadraticDiscriminantAnalysis(),
        "sklearn": peer.QuadraticDiscriminantAnalysis(),
    }
    show("QDA, 300,000 × 100, K = 5", best_times(fits(X, y, **models), rounds), "20")


def predict_qda(rounds: int) -> None:
    X, y = data(200_000, 100, 10)
    models = {
        "linework": linework.QuadraticDiscriminantAnalysis().fit(X, y),
        "sklearn": peer.QuadraticDiscriminantAnalysis().fit(X, y),
    }
    contenders = {name: partial(model.predict, X) for name, model in models.items()}
    show("QDA, predict 200,000 × 100, K = 10", best_times(contenders, rounds), "5")


def many_classes(limit: float) -> None:
    """Each in an interpreter of its own: peak memory less what it held before the fit."""
    n, d, k = 200_000, 300, 5_000
    print(f"\n### LDA, {n:,} × {d}, K = {k:,} (asked: 1,536 MB)")
    print("| | seconds | MB beside the data |\n| --- | --- | --- |")
    sides = {
        "linework": ("linework", "()"),
        "sklearn svd": ("sklearn.discriminant_analysis", "()"),
        "sklearn lsqr": ("sklearn.discriminant_analysis", "(solver='lsqr')"),
    }
    for name, (module, options) in sides.items():
        code = MANY_CLASSES.format(module=module, options=options, n=n, d=d, k=k)
        try:
            run = subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            print(f"| {name} | given up after {limit:.0f} | |")
            continue
        seconds, extra = map(float, run.stdout.split())
        print(f"| {name} | {seconds:.3g} | {extra:.0f} |")


def grid(rounds: int) -> None:
    """Refitting is `REFITS` of the fits, with their scores, times as many as the grid has."""
    X, y = data(50_000, 50, 5)
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    rng = np.random.default_rng(1)
    some: Sequence[Any] = [(*rng.choice(GRID[1:-1], 2), *splits[i % FOLDS]) for i in range(REFITS)]
    scale = len(GRID) ** 2 * FOLDS / REFITS

    def refit(**options: Any) -> None:
        for alpha, gamma, train, test in some:
            model = linework.RegularizedDiscriminantAnalysis(alpha, gamma, **options)
            model.fit(X[train], y[train]).score(X[test], y[test])

    chosen = linework.RegularizedDiscriminantAnalysisCV(GRID, GRID, cv=splits)
    contenders = {"linework": partial(chosen.fit, X, y), "refits": refit}
    times = best_times(contenders, rounds)
    times["refits"] *= scale
    title = f"RDA, 11 × 11 grid, 10 folds, 50,000 × 50, K = 5; {REFITS} refits, × {scale:.0f}"
    show(title, times, "100")


def leave_one_out(rounds: int) -> None:
    X, y = data(20_000, 50, 5)
    model = linework.LinearDiscriminantAnalysis().fit(X, y)

    def fit_and_predict() -> None:
        linework.LinearDiscriminantAnalysis().fit(X, y).predict(X)

    contenders = {"fit + predict": fit_and_predict, "LOO": lambda: model.leave_one_out(X, y)}
    show("LDA, leave-one-out of 20,000 × 50, K = 5", best_times(contenders, rounds), "at most 3")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for each of K = 5,000")
    parser.add_argument("cases", nargs="*", help="many, lda, qda, predict, grid, loo; default all")
    options = parser.parse_args()
    cases = {
        # First: a process's peak counts from that of the one that starts it.
        "many": partial(many_classes, options.limit),
        "lda": partial(fit_lda, options.rounds),
        "qda": partial(fit_qda, options.rounds),
        "predict": partial(predict_qda, options.rounds),
        "grid": partial(grid, min(options.rounds, 3)),
        "loo": partial(leave_one_out, options.rounds),
    }
    machine()
    for name, run in cases.items():
        if not options.cases or name in options.cases:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                run()


if __name__ == "__main__":
    main()
