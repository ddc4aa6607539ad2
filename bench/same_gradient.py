"""Likelihood models and their peers, each brought to the same scaled gradient.

A peer's tolerance is tightened until it reaches TARGET, or gives up: its row then says what it
reached, and the time is that of its best. The scaled gradient is one function for all: the largest
derivative of the mean loss with its penalty, for columns of unit spread, beside the root mean
square of the scores of the model without slopes.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model as peer
from harness import best_times
from sklearn.utils.sparsefuncs import mean_variance_axis

import linework

TARGET = 1e-8
TOLERANCES = (1e-6, 1e-9, 1e-12)
PATIENCE = 30.0
"""Seconds after which a peer is not asked to go on."""

Fit = Callable[[], tuple[np.ndarray, np.ndarray]]
"""Coefficients (k, d) and intercepts (k,)."""


@dataclass
class Problem:
    """Rows, and the derivatives of 1/n Σ ℓ + ½ l2 ‖w‖² + l1 ‖w‖₁ at a fit."""

    X: Any
    y: np.ndarray
    mean: Callable[[np.ndarray], np.ndarray]
    l2: float = 0.0
    l1: float = 0.0
    offset: np.ndarray | float = 0.0
    slope: Callable[[np.ndarray], Any] = lambda eta: 1.0

    def __post_init__(self) -> None:
        self.centre, spread = columns(self.X)
        self.spread = np.where(spread > 0, spread, np.inf)
        centred = self.y - self.y.mean(axis=0)
        self.unit = np.sqrt(np.mean(centred**2))

    def scaled_gradient(self, coef: np.ndarray, intercept: np.ndarray) -> float:
        coef, intercept = np.atleast_2d(coef).astype(float), np.atleast_1d(intercept).astype(float)
        offset = np.reshape(self.offset, (-1, 1))
        g, total, n = np.zeros_like(coef), np.zeros(len(coef)), self.X.shape[0]
        step = 50_000
        for start in range(0, n, step):
            part = slice(start, start + step)
            eta = self.X[part] @ coef.T + intercept
            eta += offset[part] if len(offset) > 1 else 0.0
            target = self.y[part].reshape(len(eta), -1)
            r = (self.mean(eta) - target) * self.slope(eta)
            total += r.sum(axis=0)
            g += (self.X[part].T @ r).T.astype(float)
        g -= np.outer(total, self.centre)
        g = g / n + self.l2 * coef
        if self.l1:
            at_zero = np.sign(g) * np.maximum(np.abs(g) - self.l1, 0.0)
            g = np.where(coef == 0.0, at_zero, g + self.l1 * np.sign(coef))
        largest = max(np.abs(g / self.spread).max(), np.abs(total).max() / n)
        return float(largest / self.unit)


def columns(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations of the columns of a dense or sparse table."""
    if sp.issparse(X):
        mean, variance = mean_variance_axis(X, axis=0)
        return mean, np.sqrt(variance)
    return X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)


def tightened(
    make: Callable[[float], Fit], problem: Problem, tolerances: tuple[float, ...] = TOLERANCES
) -> tuple[Fit, float, float]:
    """The loosest of the tolerances that reaches the target, what it reaches, and its time."""
    best: tuple[Fit, float, float] | None = None
    for tol in tolerances:
        run = make(tol)
        start = time.perf_counter()
        try:
            reached = problem.scaled_gradient(*run())
        except (np.linalg.LinAlgError, ValueError, FloatingPointError):
            reached = np.inf
        seconds = time.perf_counter() - start
        if best is None or reached < best[1]:
            best = run, reached, seconds
        if reached <= TARGET or seconds > PATIENCE:
            break
    assert best is not None
    return best


def compare(
    title: str,
    problem: Problem,
    contenders: Mapping[str, Callable[[float], Fit]],
    rounds: int,
    asked: str = "",
) -> dict[str, float]:
    """Print one table; the ratio to the first contender's time of every other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: tightened(make, problem) for name, make in contenders.items()}
        quick = {name: run for name, (run, _, seconds) in found.items() if seconds < PATIENCE / 6}
        times = {name: seconds for name, (_, _, seconds) in found.items()}
        times |= best_times(quick, rounds, warm_up=False)
    first = next(iter(times.values()))
    print(f"\n### {title}" + (f" (asked: {asked})" if asked else ""))
    print("| | seconds | ratio | scaled gradient |\n| --- | --- | --- | --- |")
    for name, seconds in times.items():
        print(
            f"| {name} | {seconds:.4g} | {seconds / first:.3g} | {found[name][1]:.1e} |", flush=True
        )
    return {name: seconds / first for name, seconds in times.items()}


def model_fit(model: Any, X: np.ndarray, y: np.ndarray, **params: Any) -> Fit:
    def run() -> tuple[np.ndarray, np.ndarray]:
        fitted = model.fit(X, y, **params)
        return np.atleast_2d(fitted.coef_), np.atleast_1d(fitted.intercept_)

    return run


def glum_fit(X: np.ndarray, y: np.ndarray, tol: float, params: Any, **fit: Any) -> Fit:
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(gradient_tol=tol, max_iter=1000, **params)
    return model_fit(model, X, y, **fit)


def sklearn_fits(
    X: np.ndarray, y: np.ndarray, solvers: tuple[str, ...], **params: Any
) -> Iterator[tuple[str, Callable[[float], Fit]]]:
    for solver in solvers:
        iterations = 1000 if solver == "lbfgs" else 50
        model = partial(peer.LogisticRegression, solver=solver, max_iter=iterations, **params)
        yield (
            f"scikit-learn, {solver}",
            lambda tol, model=model: model_fit(model(tol=tol), X, y),
        )


def ours(X: np.ndarray, y: np.ndarray, **params: Any) -> Callable[[float], Fit]:
    return lambda tol: model_fit(linework.LogisticRegression(**params), X, y)


def options(about: str | None) -> argparse.ArgumentParser:
    """What every one of these benchmarks takes on its command line."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--shrink", type=int, default=1, help="divide the numbers of rows by this")
    parser.add_argument("--rounds", type=int, default=3)
    return parser
