"""Many classes from two, against scikit-learn's wrappers with their own learners.

    python bench/multiclass.py [--only NAME] [--rounds N] [--rows N]

Both fit the same dichotomies. The wrappers of scikit-learn take minutes, so that each is timed by
one round unless more are asked for; ours is timed beside it, before and after.
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial
from typing import Any

import numpy as np
import sklearn.multiclass as peer
from harness import best_times, machine, show
from same_gradient import Problem, tightened
from scipy.special import expit
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import RidgeClassifier

import linework

COLUMNS = 500


def data(n: int, d: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of one covariance about means of standard deviation ½."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    return rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((n_classes, d))[y], y


def one_vs_one(rounds: int, n: int) -> None:
    X, y = data(n, 50, 50)
    models = {
        "linework": linework.OneVsOneClassifier(),
        "sklearn, svd": peer.OneVsOneClassifier(PeerLDA(), n_jobs=2),
        "sklearn, lsqr": peer.OneVsOneClassifier(PeerLDA(solver="lsqr"), n_jobs=2),
    }
    run(f"OneVsOne(LDA), K = 50, {n:,} × 50", models, X, y, rounds, "100")


def output_code(rounds: int, n: int) -> None:
    X, y = data(n, 50, 50)
    ours = partial(linework.OutputCodeClassifier, code_size=COLUMNS / 50, random_state=0)
    theirs = partial(peer.OutputCodeClassifier, code_size=COLUMNS / 50, random_state=0, n_jobs=2)
    models = {
        "linework, LDA": ours(linework.LinearDiscriminantAnalysis()),
        "sklearn, LDA by lsqr": theirs(PeerLDA(solver="lsqr")),
    }
    run(f"OutputCode(LDA), {COLUMNS} columns, {n:,} × 50", models, X, y, rounds, "100")
    models = {
        "linework, ridge": ours(linework.Ridge()),
        "sklearn, RidgeClassifier": theirs(RidgeClassifier()),
    }
    run(f"OutputCode(ridge), {COLUMNS} columns, {n:,} × 50", models, X, y, rounds, "100")


def run(
    title: str, models: dict[str, Any], X: np.ndarray, y: np.ndarray, rounds: int, asked: str
) -> None:
    """Times of `fit`, and of `predict` for a tenth of the rows."""
    name, first = next(iter(models.items()))
    fits = {key: partial(model.fit, X, y) for key, model in models.items()}
    first.fit(X, y)
    times = best_times(fits, rounds, warm_up=False)
    again = best_times({name: fits[name]}, 5, warm_up=False)
    show(title, times | {name: min(times[name], again[name])}, asked)
    rows = X[: len(X) // 10]
    told = {key: model.predict(rows) for key, model in models.items()}
    best = next(iter(told.values()))
    for key, other in told.items():
        print(f"{key}: the same class as the first for {(best == other).mean():.2%} of rows")
    times = best_times({key: partial(m.predict, rows) for key, m in models.items()}, 1, False)
    show(f"{title}: predict {len(rows):,} rows", times)


class EachColumn:
    """The largest scaled gradient of all one-vs-rest problems."""

    def __init__(self, X: np.ndarray, y: np.ndarray, C: float) -> None:
        self.problems = [
            Problem(X, np.asarray(y == k, float)[:, None], expit, l2=1.0 / (C * len(y)))
            for k in range(y.max() + 1)
        ]

    def scaled_gradient(self, coef: np.ndarray, intercept: np.ndarray) -> float:
        each = zip(self.problems, coef, intercept, strict=True)
        return max(problem.scaled_gradient(w, b) for problem, w, b in each)


def one_vs_rest(rounds: int, n: int) -> None:
    X, y = data(n, 50, 20)
    problem: Any = EachColumn(X, y, 1.0)

    def fit(model: Any) -> tuple[np.ndarray, np.ndarray]:
        learners = model.fit(X, y).estimators_
        return np.vstack([m.coef_ for m in learners]), np.concatenate(
            [m.intercept_ for m in learners]
        )

    def theirs(solver: str, tol: float) -> Any:
        learner = PeerLogistic(solver=solver, tol=tol, max_iter=10_000)
        return partial(fit, peer.OneVsRestClassifier(learner, n_jobs=2))

    makers = {
        "linework": lambda tol: partial(
            fit, linework.OneVsRestClassifier(linework.LogisticRegression())
        ),
        "sklearn, lbfgs": partial(theirs, "lbfgs"),
        "sklearn, newton-cholesky": partial(theirs, "newton-cholesky"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: tightened(make, problem) for name, make in makers.items()}
        times = best_times({name: run for name, (run, _, _) in found.items()}, rounds, False)
    show(f"OneVsRest(LogisticRegression), K = 20, {n:,} × 50", times, "8")
    for name, (_, reached, _) in found.items():
        print(f"{name}: scaled gradient {reached:.1e}")


TASKS = {"one_vs_rest": one_vs_rest, "one_vs_one": one_vs_one, "output_code": output_code}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", choices=["", *TASKS])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    machine()
    for name, task in TASKS.items():
        if options.only in ("", name):
            task(options.rounds, options.rows)


if __name__ == "__main__":
    main()
