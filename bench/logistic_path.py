"""Paths of L1-penalised logistic regression, and L2 fits, on dense rows and on sparse text.

Peers take every penalty of the path, the one before as the start where they can. Each row says the
largest scaled gradient along its path; those of more than PATIENCE seconds are run once.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model as peer
from harness import machine
from same_gradient import PATIENCE, Problem, compare, options, ours, sklearn_fits
from scipy.special import expit
from sklearn.preprocessing import normalize

import linework

PENALTIES = 50
Fits = list[tuple[np.ndarray, np.ndarray]]


def dense(shrink: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    n, d = 100_000 // shrink, 200
    X = rng.standard_normal((n, d))
    w = np.where(rng.random(d) < 0.1, rng.standard_normal(d), 0.0)
    return X, (rng.random(n) < expit(X @ w)).astype(float)


def text(shrink: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Texts of about 80 words from a vocabulary of 100,000, by Zipf's law, as unit tf-idf rows."""
    rng = np.random.default_rng(0)
    n, d, words = 50_000 // shrink, 100_000, 80
    share = 1.0 / np.arange(1, d + 1)
    drawn = rng.choice(d, (n, words), p=share / share.sum())
    counts = sp.csr_matrix(
        (np.ones(n * words), drawn.ravel(), np.arange(0, n * words + 1, words)), shape=(n, d)
    )
    counts.sum_duplicates()
    seen = np.bincount(counts.indices, minlength=d)
    X = normalize(counts @ sp.diags_array(np.log((1 + n) / (1 + seen)) + 1.0))
    w = np.where(rng.random(d) < 0.02, rng.normal(0.0, 12.0, d), 0.0)
    return sp.csr_matrix(X), (rng.random(n) < expit(X @ w)).astype(float)


def along(model: Any, X: Any, y: np.ndarray, l1s: np.ndarray) -> Fits:
    fits = []
    for l1 in l1s:
        model.C = 1.0 / (X.shape[0] * l1)
        fitted = model.fit(X, y)
        fits.append((fitted.coef_.copy(), fitted.intercept_.copy()))
    return fits


def by_linework(X: Any, y: np.ndarray, l1s: np.ndarray) -> Fits:
    Cs = 1.0 / (X.shape[0] * l1s)
    _, coefs, intercepts = linework.logistic_path(X, y, Cs=Cs, l1_ratio=1.0)
    return list(zip(coefs, intercepts, strict=True))


def by_skglm(X: Any, y: np.ndarray, l1s: np.ndarray, tol: float) -> Fits:
    from skglm.datafits import Logistic
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton
    from skglm.utils.jit_compilation import compiled_clone

    solver = ProxNewton(tol=tol, fit_intercept=True, warm_start=True)
    datafit, signs = compiled_clone(Logistic()), 2.0 * y - 1.0
    if sp.issparse(X):
        datafit.initialize_sparse(X.data, X.indptr, X.indices, signs)
    else:
        datafit.initialize(X, signs)
    fits, w = [], np.zeros(X.shape[1] + 1)
    for l1 in l1s:
        fitted = X @ w[:-1] + w[-1]
        w = solver.solve(X, signs, datafit, compiled_clone(L1(l1)), w, fitted)[0]
        fits.append((w[None, :-1].copy(), w[-1:].copy()))
    return fits


def paths(title: str, X: Any, y: np.ndarray, rounds: int, smallest: float) -> None:
    n = X.shape[0]
    highest = np.abs((y - y.mean()) @ X).max() / n
    l1s = np.geomspace(1.0, smallest, PENALTIES) * highest
    by_column = X.tocsc() if sp.issparse(X) else np.asfortranarray(X)
    contenders: dict[str, Callable[[], Fits]] = {"linework": partial(by_linework, X, y, l1s)}
    for tol in (1e-4, 1e-8):
        contenders[f"skglm, prox-newton, tol={tol:g}"] = partial(by_skglm, by_column, y, l1s, tol)
    # liblinear penalises its intercept, the less the larger the column it scales for it.
    for solver, more in {
        "liblinear": {"intercept_scaling": 1e2},
        "saga": {"warm_start": True},
    }.items():
        for tol in (1e-4, 1e-6):
            model = peer.LogisticRegression(
                solver=solver, tol=tol, l1_ratio=1.0, max_iter=1000, **more
            )
            contenders[f"scikit-learn, {solver}, tol={tol:g}"] = partial(along, model, X, y, l1s)
    print(f"\n### L1 path of {title} (asked: 5 × saga and liblinear, 1 × skglm)")
    print("| | seconds | ratio | largest scaled gradient |\n| --- | --- | --- | --- |")
    by_skglm(by_column[:1000], y[:1000], l1s[:2], 1e-2)  # compiles
    first = np.inf
    for name, run in contenders.items():
        best = np.inf
        for _ in range(rounds):
            start = time.perf_counter()
            fits = run()
            best = min(best, time.perf_counter() - start)
            if best > PATIENCE / 3:
                break
        first = min(first, best) if np.isinf(first) else first
        worst = max(
            Problem(X, y, expit, l1=l1).scaled_gradient(*fit)
            for l1, fit in zip(l1s, fits, strict=True)
        )
        print(f"| {name} | {best:.4g} | {best / first:.3g} | {worst:.1e} |", flush=True)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--only", nargs="*", default=("dense", "text", "ridge"))
    given = parser.parse_args()
    machine("skglm")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "dense" in given.only:
            X, y = dense(given.shrink)
            paths(f"{len(X):,} × {X.shape[1]}, {PENALTIES} penalties", X, y, given.rounds, 1e-3)
        if {"text", "ridge"} & set(given.only):
            X, y = text(given.shrink)
            shape = f"sparse text, {X.shape[0]:,} × {X.shape[1]:,}"
        if "text" in given.only:
            paths(f"{shape}, {PENALTIES} penalties", X, y, given.rounds, 0.05)
        if "ridge" in given.only:
            solvers = sklearn_fits(X, y, ("lbfgs", "newton-cg", "sag"))
            compare(
                f"{shape}, L2",
                Problem(X, y, expit, l2=1 / len(y)),
                {"linework": ours(X, y), **dict(solvers)},
                given.rounds,
                "1",
            )


if __name__ == "__main__":
    main()
