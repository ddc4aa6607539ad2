"""Likelihood models against their peers, each brought to the same scaled gradient.

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
import sklearn.linear_model as peer
from harness import best_times, machine
from scipy.special import expit, softmax
from sklearn.datasets import load_digits

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

    X: np.ndarray
    y: np.ndarray
    mean: Callable[[np.ndarray], np.ndarray]
    l2: float = 0.0
    l1: float = 0.0
    offset: np.ndarray | float = 0.0
    slope: Callable[[np.ndarray], Any] = lambda eta: 1.0

    def __post_init__(self) -> None:
        spread = self.X.std(axis=0, dtype=np.float64)
        self.spread = np.where(spread > 0, spread, np.inf)
        centred = self.y - self.y.mean(axis=0)
        self.unit = np.sqrt(np.mean(centred**2))

    def scaled_gradient(self, coef: np.ndarray, intercept: np.ndarray) -> float:
        coef, intercept = np.atleast_2d(coef).astype(float), np.atleast_1d(intercept).astype(float)
        offset = np.reshape(self.offset, (-1, 1))
        g, total = np.zeros_like(coef), np.zeros(len(coef))
        step = 50_000
        for start in range(0, len(self.X), step):
            part = slice(start, start + step)
            eta = self.X[part] @ coef.T + intercept
            eta += offset[part] if len(offset) > 1 else 0.0
            target = self.y[part].reshape(len(eta), -1)
            r = (self.mean(eta) - target) * self.slope(eta)
            total += r.sum(axis=0)
            g += (r.T @ self.X[part]).astype(float)
        g -= np.outer(total, self.X.mean(axis=0, dtype=np.float64))
        g = g / len(self.X) + self.l2 * coef
        if self.l1:
            at_zero = np.sign(g) * np.maximum(np.abs(g) - self.l1, 0.0)
            g = np.where(coef == 0.0, at_zero, g + self.l1 * np.sign(coef))
        largest = max(np.abs(g / self.spread).max(), np.abs(total).max() / len(self.X))
        return float(largest / self.unit)


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


def shape(name: str, shrink: int) -> tuple[np.ndarray, np.ndarray]:
    """One of the dense problems: 500,000 × 100 unless its name says otherwise."""
    rng = np.random.default_rng(0)
    n, d = {"few columns": (2_000_000, 10), "many columns": (60_000, 500)}.get(name, (500_000, 100))
    n //= shrink
    X = rng.standard_normal((n, d))
    w = 3.0 * rng.standard_normal(d) / np.sqrt(d)
    if name == "scaled":
        scale = np.logspace(-4, 4, d)
        X *= scale
        w /= scale
    elif name == "correlated":
        X = 0.1 * X + np.sqrt(0.99) * rng.standard_normal((n, 1))
    elif name == "heavy tails":
        X = rng.standard_t(2.5, (n, d))
    elif name == "rare levels":  # and a column of zeros, and one twice
        level = rng.zipf(1.3, n) % d
        X[:, :50] = level[:, None] == np.arange(50)
        X[:, 50], X[:, 51] = 0.0, X[:, 52]
    eta = X @ w
    if name == "separable":
        return X, (eta > 0).astype(float)
    return X, (rng.random(n) < expit(eta - (8.8 if name == "rare" else 0.0))).astype(float)


SHAPES = (
    "normal",
    "scaled",
    "correlated",
    "rare",
    "separable",
    "few columns",
    "many columns",
    "heavy tails",
    "rare levels",
)


def model_fit(model: Any, X: np.ndarray, y: np.ndarray, **params: Any) -> Fit:
    def run() -> tuple[np.ndarray, np.ndarray]:
        fitted = model.fit(X, y, **params)
        return np.atleast_2d(fitted.coef_), np.atleast_1d(fitted.intercept_)

    return run


def glum_fit(X: np.ndarray, y: np.ndarray, tol: float, params: Any, **fit: Any) -> Fit:
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(gradient_tol=tol, max_iter=1000, **params)
    return model_fit(model, X, y, **fit)


def statsmodels_fit(X: np.ndarray, y: np.ndarray, tol: float) -> Fit:
    import statsmodels.api as sm

    def run() -> tuple[np.ndarray, np.ndarray]:
        model = sm.Logit(y, sm.add_constant(X, has_constant="add"))
        params = model.fit(method="newton", tol=tol, maxiter=100, disp=0).params
        return params[None, 1:], params[:1]

    return run


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


def binary(shrink: int, rounds: int, names: tuple[str, ...]) -> None:
    fastest, glum, statsmodels = [], [], []
    for name in names:
        X, y = shape(name, shrink)
        n = len(X)
        ratios = compare(
            f"{name}, {n:,} × {X.shape[1]}, L2, {y.mean():.2%} positive",
            Problem(X, y, expit, l2=1 / n),
            {
                "linework": ours(X, y),
                **dict(sklearn_fits(X, y, ("lbfgs", "newton-cholesky", "newton-cg"))),
                "glum": lambda tol, X=X, y=y, n=n: glum_fit(
                    X, y, tol, {"family": "binomial", "alpha": 1 / n}
                ),
            },
            rounds,
        )
        fastest.append(min(r for peer, r in ratios.items() if "scikit" in peer))
        glum.append(ratios["glum"])
        if name in ("separable", "rare levels"):
            continue  # without a penalty they have no single optimum
        ratios = compare(
            f"{name}, no penalty",
            Problem(X, y, expit),
            {
                "linework": ours(X, y, C=np.inf),
                "statsmodels": lambda tol, X=X, y=y: statsmodels_fit(X, y, tol),
            },
            1,
        )
        statsmodels.append(ratios["statsmodels"])
    print("\n### geometric means of the ratios")
    for peer_name, ratios_of, asked in (
        ("fastest of scikit-learn's solvers", fastest, "5, and at least 1 on every shape"),
        ("glum", glum, "5"),
        ("statsmodels", statsmodels, "20"),
    ):
        mean = np.exp(np.mean(np.log(ratios_of))) if ratios_of else np.nan
        print(f"{peer_name}: {mean:.3g}, smallest {min(ratios_of):.3g} (asked: {asked})")


def multinomial(shrink: int, rounds: int) -> None:
    rng = np.random.default_rng(0)
    n, d, K = 300_000 // shrink, 100, 5
    X = rng.standard_normal((n, d))
    eta = X @ rng.standard_normal((d, K)) * 0.3
    y = (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)
    cases = {f"{n:,} × {d}, {K} classes": (X, y), "digits": load_digits(return_X_y=True)}
    for title, (X, y) in cases.items():
        one_hot = (y[:, None] == np.unique(y)).astype(float)
        problem = Problem(X, one_hot, partial(softmax, axis=1), l2=1 / len(X))
        solvers = sklearn_fits(X, y, ("lbfgs", "newton-cg", "newton-cholesky"))
        compare(title, problem, {"linework": ours(X, y), **dict(solvers)}, rounds, "5")


def glm(shrink: int, rounds: int) -> None:
    rng = np.random.default_rng(0)
    n, d = 1_000_000 // shrink, 50
    X, offset = rng.standard_normal((n, d)), 0.5 * rng.standard_normal(n)
    eta = X @ (0.5 * rng.standard_normal(d) / np.sqrt(d)) + offset
    for family, y, slope in (
        ("poisson", rng.poisson(np.exp(eta)).astype(float), lambda eta: 1.0),
        ("gamma", rng.gamma(2.0, np.exp(eta) / 2.0), lambda eta: np.exp(-eta)),
    ):
        problem = Problem(X, y, np.exp, offset=offset, slope=slope)
        params = {"family": family, "link": "log", "alpha": 0.0}
        compare(
            f"{family}, log link, offset, {n:,} × {d}",
            problem,
            {
                "linework": lambda tol, params=params, y=y: model_fit(
                    linework.GLM(**params), X, y, offset=offset
                ),
                "glum": lambda tol, params=params, y=y: glum_fit(X, y, tol, params, offset=offset),
            },
            rounds,
            "3",
        )


def single(shrink: int, rounds: int) -> None:
    X, y = shape("normal", shrink)
    X32, n = X.astype(np.float32), len(X)
    compare(
        f"float32 and float64, {n:,} × {X.shape[1]}",
        Problem(X, y, expit, l2=1 / n),
        {"linework, float32": ours(X32, y), "linework, float64": ours(X, y)},
        rounds,
        "1.6",
    )


def path(shrink: int, rounds: int) -> None:
    rng = np.random.default_rng(0)
    n, d, count = 100_000 // shrink, 200, 50
    X = rng.standard_normal((n, d))
    w = np.where(rng.random(d) < 0.1, rng.standard_normal(d), 0.0)
    y = (rng.random(n) < expit(X @ w)).astype(float)
    highest = np.abs((y - y.mean()) @ X).max() / n
    l1s = np.logspace(0, -3, count) * highest
    worst = partial(_worst, X, y, l1s)
    print(f"\n### L1 path, {count} penalties, {n:,} × {d} (asked: 5 × saga, liblinear; 1 × skglm)")
    print("| | seconds | largest scaled gradient |\n| --- | --- | --- |")

    def ours() -> list[tuple[np.ndarray, np.ndarray]]:
        _, coefs, intercepts = linework.logistic_path(X, y, Cs=1.0 / (n * l1s), l1_ratio=1.0)
        return list(zip(coefs, intercepts, strict=True))

    def along(model: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        fits = []
        for l1 in l1s:
            model.C = 1.0 / (n * l1)
            fitted = model.fit(X, y)
            fits.append((fitted.coef_.copy(), fitted.intercept_.copy()))
        return fits

    X_by_column, signs = np.asfortranarray(X), 2.0 * y - 1.0

    def skglm(tol: float) -> list[tuple[np.ndarray, np.ndarray]]:
        from skglm.datafits import Logistic
        from skglm.penalties import L1
        from skglm.solvers import ProxNewton
        from skglm.utils.jit_compilation import compiled_clone

        solver = ProxNewton(tol=tol, fit_intercept=True, warm_start=True)
        datafit = compiled_clone(Logistic())
        datafit.initialize(X_by_column, signs)
        fits, w = [], np.zeros(d + 1)
        for l1 in l1s:
            fitted = X_by_column @ w[:-1] + w[-1]
            w = solver.solve(X_by_column, signs, datafit, compiled_clone(L1(l1)), w, fitted)[0]
            fits.append((w[None, :-1].copy(), w[-1:].copy()))
        return fits

    peers = {
        "liblinear": {"intercept_scaling": 1e2},
        "saga": {"warm_start": True},
    }
    contenders: dict[str, Callable[[], Any]] = {
        "linework": ours,
        "skglm, prox-newton, tol=1e-4": lambda: skglm(1e-4),
        "skglm, prox-newton, tol=1e-8": lambda: skglm(1e-8),
        **{
            f"scikit-learn, {solver}, tol={tol:g}": lambda solver=solver, tol=tol, more=more: along(
                peer.LogisticRegression(solver=solver, tol=tol, l1_ratio=1.0, max_iter=1000, **more)
            )
            for solver, more in peers.items()
            for tol in (1e-4, 1e-6)
        },
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        skglm(1e-2)  # compiles
        for name, run in contenders.items():
            best = np.inf
            for _ in range(rounds):
                start = time.perf_counter()
                fits = run()
                best = min(best, time.perf_counter() - start)
                if best > PATIENCE / 3:
                    break
            print(f"| {name} | {best:.4g} | {worst(fits):.1e} |", flush=True)


def _worst(X: np.ndarray, y: np.ndarray, l1s: np.ndarray, fits: list[Any]) -> float:
    return max(
        Problem(X, y, expit, l1=l1).scaled_gradient(*fit) for l1, fit in zip(l1s, fits, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shrink", type=int, default=1, help="divide the numbers of rows by this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", nargs="*", default=SHAPES)
    parts = {"multinomial": multinomial, "glm": glm, "float32": single, "path": path}
    parser.add_argument("--only", nargs="*", default=("binary", *parts))
    options = parser.parse_args()
    machine("glum", "statsmodels", "skglm")
    if "binary" in options.only:
        binary(options.shrink, options.rounds, options.shapes)
    for name, part in parts.items():
        if name in options.only:
            part(options.shrink, options.rounds)


if __name__ == "__main__":
    main()
