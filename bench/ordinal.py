"""OrdinalRegression against statsmodels' OrderedModel, each brought to a small scaled gradient.

The scaled gradient is one function for both: the largest derivative of the mean loss by a
threshold, or by a slope for columns of unit spread about their means. OrderedModel's tolerance is
tightened until it reaches TARGET, or gives up; with 100,000 rows that takes it minutes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from harness import best_times, machine
from scipy.special import expit
from statsmodels.miscmodels.ordinal_model import OrderedModel

from linework import OrdinalRegression

TARGET = 1e-8
TOLERANCES = (1e-5, 1e-8, 1e-11)
SHAPES = ((2_000, 5, 3), (20_000, 10, 4))


def data(n: int, d: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    z = X @ rng.standard_normal(d) / np.sqrt(d) + rng.logistic(size=n)
    return X, np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))


def scaled_gradient(
    X: np.ndarray, y: np.ndarray, slopes: np.ndarray, thresholds: np.ndarray
) -> float:
    """The largest derivative of the mean loss, for columns of unit spread about their means."""
    ends, eta = np.concatenate([[-np.inf], thresholds, [np.inf]]), X @ slopes
    above, below = ends[y + 1] - eta, ends[y] - eta
    share = expit(above) - expit(below)
    at_above, at_below = (expit(z) * expit(-z) / share for z in (above, below))
    by_threshold = np.bincount(y, at_above)[:-1] - np.bincount(y, at_below)[1:]
    by_slope = ((X - X.mean(axis=0)) / X.std(axis=0)).T @ (at_above - at_below)
    return float(np.abs(np.concatenate([by_slope, by_threshold])).max() / len(y))


def of_linework(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    model = OrdinalRegression().fit(X, y)
    return model.coef_, model.thresholds_


def of_statsmodels(
    X: np.ndarray, y: np.ndarray, method: str, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    model = OrderedModel(y, X, distr="logit")
    stop = {"gtol": tol} if method == "bfgs" else {"tol": tol}
    fit = model.fit(method=method, disp=False, maxiter=2_000, skip_hessian=True, **stop)
    return fit.params[: X.shape[1]], model.transform_threshold_params(fit.params)[1:-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    machine("statsmodels")
    print("\n| rows × columns, classes | fit | scaled gradient | seconds | ratio |")
    print("| --- | --- | ---: | ---: | ---: |")
    for n, d, n_classes in SHAPES:
        X, y = data(n, d, n_classes)
        fits: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
            "linework": partial(of_linework, X, y)
        }
        reached = {"linework": scaled_gradient(X, y, *of_linework(X, y))}
        for method in ("bfgs", "newton"):
            for tol in TOLERANCES:
                fits[method] = partial(of_statsmodels, X, y, method, tol)
                reached[method] = scaled_gradient(X, y, *fits[method]())
                if reached[method] <= TARGET:
                    break
        times = best_times(fits, options.rounds, warm_up=False)
        for name, seconds in times.items():
            ratio = seconds / times["linework"]
            label = name if name == "linework" else f"OrderedModel, {name}"
            shape = f"{n:,} × {d}, {n_classes}"
            print(f"| {shape} | {label} | {reached[name]:.0e} | {seconds:.4f} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
