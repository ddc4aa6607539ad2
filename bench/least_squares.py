"""LinearRegression, Ridge, RidgeCV and LassoCV on 300,000 × 100, against scikit-learn."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.linear_model as peer
from harness import best_times, machine, show

import linework
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import Moments

ALPHAS = np.logspace(-3, 3, 10)


def data(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    coef = np.where(rng.random(d) < 0.3, rng.standard_normal(d), 0.0)
    return X, X @ coef + rng.standard_normal(n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    machine()
    X, y = data(options.rows, options.columns)

    def fits(**models: Any) -> dict[str, Callable[[], Any]]:
        return {name: partial(model.fit, X, y) for name, model in models.items()}

    cases = {
        "LinearRegression": (
            "15; Gram pass × 1.5",
            fits(linework=linework.LinearRegression(), sklearn=peer.LinearRegression())
            | {"Gram pass": lambda: map_reduce(as_table(X, y), Moments.from_block)},
        ),
        "Ridge": (
            "8",
            fits(
                linework=linework.Ridge(),
                sklearn=peer.Ridge(),
                sklearn_cholesky=peer.Ridge(solver="cholesky", copy_X=False),
            ),
        ),
        "RidgeCV, leave-one-out, 10 alphas": (
            "50",
            fits(
                linework=linework.RidgeCV(ALPHAS),
                sklearn=peer.RidgeCV(ALPHAS),
                linework_gcv=linework.RidgeCV(ALPHAS, cv="gcv"),
            ),
        ),
        "LassoCV, 5 folds × 100 alphas": (
            "80",
            fits(
                linework=linework.LassoCV(cv=5, alphas=100),
                sklearn=peer.LassoCV(cv=5, alphas=100),
                sklearn_two_jobs=peer.LassoCV(cv=5, alphas=100, n_jobs=2),
            ),
        ),
    }
    for name, (asked, contenders) in cases.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            show(name, best_times(contenders, options.rounds), asked)


if __name__ == "__main__":
    main()
