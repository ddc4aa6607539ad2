"""An elastic-net path of 100 penalties, 5,000 × 2,000 correlated columns, against its peers.

Each peer is run at the default tolerance and at one ten thousand times smaller; the largest duality
gap of its path, as a share of ‖y‖², says what it reached.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import best_times, machine, show
from sklearn.linear_model import enet_path as sklearn_path

from linework import enet_path

N, D, RHO, L1_RATIO, EPS = 5_000, 2_000, 0.9, 0.5, 1e-3


def data() -> tuple[np.ndarray, np.ndarray]:
    """Columns of an AR(1) process: neighbours correlate by RHO."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    for j in range(1, D):
        X[:, j] = RHO * X[:, j - 1] + np.sqrt(1 - RHO**2) * X[:, j]
    coef = np.where(rng.random(D) < 0.05, rng.standard_normal(D), 0.0)
    y = X @ coef + 3 * rng.standard_normal(N)
    return X - X.mean(axis=0), y - y.mean()


def gap(X: np.ndarray, y: np.ndarray, alphas: np.ndarray, coefs: np.ndarray) -> float:
    """The largest duality gap along a path, as a share of ‖y‖²."""
    worst = 0.0
    for alpha, w in zip(alphas, coefs.T, strict=True):
        l1, l2 = N * alpha * L1_RATIO, N * alpha * (1 - L1_RATIO)
        r = y - X @ w
        shrink = min(1.0, l1 / np.abs(X.T @ r - l2 * w).max())
        half = 0.5 * (1 + shrink**2)
        value = half * (r @ r) + l1 * np.abs(w).sum() - shrink * (r @ y) + half * l2 * (w @ w)
        worst = max(worst, value / (y @ y))
    return worst


def main() -> None:
    machine("skglm")
    from skglm.datafits import Quadratic
    from skglm.penalties import L1_plus_L2
    from skglm.solvers import AndersonCD

    X, y = data()
    X_by_column = np.asfortranarray(X)
    results: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    grid = enet_path(X, y, l1_ratio=L1_RATIO, eps=EPS, alphas=100)[0]

    def keep(name: str, run: Callable[[], Any]) -> Callable[[], None]:
        def call() -> None:
            results[name] = run()[:2]

        return call

    def skglm(tol: float) -> Any:
        solver = AndersonCD(tol=tol, fit_intercept=False, warm_start=True, max_iter=100)
        penalty = L1_plus_L2(grid[0], L1_RATIO)
        return solver.path(X_by_column, y, Quadratic(), penalty, alphas=grid)

    contenders = {}
    for tol in (1e-4, 1e-8):
        params = {"l1_ratio": L1_RATIO, "eps": EPS, "tol": tol, "max_iter": 100_000}
        contenders |= {
            f"linework, tol={tol:g}": lambda params=params: enet_path(X, y, alphas=100, **params),
            f"scikit-learn, tol={tol:g}": lambda params=params: sklearn_path(
                X_by_column, y, alphas=100, **params
            ),
            f"skglm, tol={tol:g}": lambda tol=tol: skglm(tol),
        }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        times = best_times({name: keep(name, run) for name, run in contenders.items()}, rounds=2)
    show("Elastic-net path, 5,000 × 2,000, neighbours correlate by 0.9", times, "faster than both")
    for name, (alphas, coefs) in results.items():
        print(f"{name}: largest gap / ‖y‖² = {gap(X, y, alphas, coefs):.1e}")


if __name__ == "__main__":
    main()
