"""Fits of iris and diabetes: the machinery must cost no more than scikit-learn's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import sklearn.linear_model as peer
from harness import best_times, machine, show
from sklearn.datasets import load_diabetes, load_iris

import linework

MODELS = {
    "LinearRegression": {},
    "Ridge": {},
    "RidgeCV": {},
    "Lasso": {"alpha": 0.1},
    "ElasticNet": {"alpha": 0.1},
    "LassoCV": {},
    "ElasticNetCV": {},
}


def many(call: Callable[[], Any], times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            call()

    return run


def main() -> None:
    machine()
    iris = load_iris(return_X_y=True)
    for data, (X, y) in {"iris": iris, "diabetes": load_diabetes(return_X_y=True)}.items():
        for name, params in MODELS.items():
            times = 5 if name in ("LassoCV", "ElasticNetCV") else 50
            contenders = {
                library: many(lambda m=model, X=X, y=y: m.fit(X, y), times)
                for library, model in {
                    "linework": getattr(linework, name)(**params),
                    "scikit-learn": getattr(peer, name)(**params),
                }.items()
            }
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                best = best_times(contenders, rounds=7)
            show(f"{name}, {data}", {k: v / times for k, v in best.items()}, "1")


if __name__ == "__main__":
    main()
