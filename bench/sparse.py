"""Ridge and Lasso on sparse data, 200,000 × 20,000 at 0.1 %, against scikit-learn's solvers.

Accuracy is measured too: the gradient of ridge regression at the solution beside that at zero, and
the lasso's duality gap beside ‖y − ȳ‖².
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model as peer
from harness import best_times, machine, show

import linework

N, D, PER_ROW = 200_000, 20_000, 20


def data() -> tuple[sp.csr_matrix, np.ndarray]:
    rng = np.random.default_rng(0)
    columns = rng.integers(0, D, (N, PER_ROW))
    starts = np.arange(0, N * PER_ROW + 1, PER_ROW)
    X = sp.csr_matrix((rng.standard_normal(N * PER_ROW), columns.ravel(), starts), shape=(N, D))
    X.sum_duplicates()
    coef = np.where(rng.random(D) < 0.01, rng.standard_normal(D), 0.0)
    return X, X @ coef + 0.1 * rng.standard_normal(N)


def main() -> None:
    machine()
    X, y = data()
    centred, mean = y - y.mean(), np.asarray(X.mean(axis=0)).ravel()

    def slope(model: object) -> np.ndarray:
        r = y - X @ model.coef_ - model.intercept_
        return X.T @ r - mean * r.sum()

    ridges = {
        "linework": linework.Ridge(),
        **{
            f"scikit-learn {solver}{name}": peer.Ridge(solver=solver, **params)
            for solver in ("sparse_cg", "lsqr", "sag")
            for name, params in {"": {}, " tol=1e-10": {"tol": 1e-10}}.items()
            if solver != "sag" or not params  # sag takes minutes to get there
        },
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        show("Ridge", best_times({k: partial(m.fit, X, y) for k, m in ridges.items()}), "faster")
        for name, model in ridges.items():
            size = np.linalg.norm(slope(model) - model.coef_) / np.linalg.norm(X.T @ centred)
            print(f"{name}: gradient / gradient at zero = {size:.1e}")
        largest = np.abs(X.T @ centred).max() / N
        for share in (0.3, 0.03):
            lassos = {
                "linework": linework.Lasso(alpha=share * largest),
                "scikit-learn": peer.Lasso(alpha=share * largest),
                "scikit-learn random": peer.Lasso(alpha=share * largest, selection="random"),
            }
            fits = {k: partial(m.fit, X, y) for k, m in lassos.items()}
            times = best_times(fits, rounds=2, warm_up=share == 0.3)
            show(f"Lasso, alpha = {share} of the largest", times, "faster")
            for name, model in lassos.items():
                gap = model.dual_gap_ * N / (centred @ centred)
                print(f"{name}: gap = {gap:.1e}, {np.count_nonzero(model.coef_)} coefficients")


if __name__ == "__main__":
    main()
