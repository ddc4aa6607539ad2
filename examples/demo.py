"""linework on a small real table and, beside scikit-learn, on a larger random one.

Run it from the project root:

    python -m pip install . && python examples/demo.py

It needs no other package and no network. The first run takes some 10 seconds, most of them to
compile the loops of the lasso; later runs take about three.
"""

import time

import numpy as np
import pyarrow as pa
import sklearn.linear_model as peer
from sklearn.datasets import load_diabetes

import linework
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import Moments


def title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def difference(model: linework.LinearRegression, other: linework.LinearRegression) -> str:
    """The largest relative difference of two models' coefficients."""
    return f"{np.max(np.abs(model.coef_ / other.coef_ - 1)):.0e}"


def seconds(model: object, X: np.ndarray, y: np.ndarray, runs: int) -> float:
    """The shortest of several fits."""
    best = np.inf
    for _ in range(runs):
        time.sleep(0.1)  # BLAS's threads wait for more work for a while after a call
        start = time.perf_counter()
        model.fit(X, y)
        best = min(best, time.perf_counter() - start)
    return best


data = load_diabetes(scaled=False)
X, y, names = data.data, data.target, data.feature_names
table = pa.table(dict(zip(names, X.T, strict=True)))  # any table will do: its columns have names

title(f"Least squares: diabetes of {len(y)} patients, its progression on {len(names)} columns")
model = linework.LinearRegression().fit(table, y)
classic = linework.infer(model, table, y)
print(classic)

title("Robust standard errors: the same call with covariance='HC3'")
robust = linework.infer(model, table, y, covariance="HC3")
print("        ", "".join(f"{name:>8}" for name in names))
for label, result in (("classic", classic), ("HC3", robust)):
    print(f"{label:<9}", "".join(f"{error:8.3f}" for error in result.table.std_error[1:]))

title("Lasso, its penalty by 5 folds: the best, or the simplest within one standard error of it")
print("(the first run compiles here: a few seconds, once)", flush=True)
Z = (X - X.mean(axis=0)) / X.std(axis=0)  # a penalty weighs all columns alike: give them one unit
for rule in ("min", "1se"):
    lasso = linework.LassoCV(rule=rule).fit(Z, y)
    kept = [name for name, w in zip(names, lasso.coef_, strict=True) if w]
    print(f"rule={rule!r}: alpha = {lasso.alpha_:5.2f} keeps {len(kept)}: {', '.join(kept)}")

title("Rows in and out: the model keeps means and second moments, and no rows")
early, late = slice(None, 342), slice(342, None)
grown = linework.LinearRegression().fit(X[early], y[early])
first = linework.LinearRegression().fit(X[early], y[early])
grown.partial_fit(X[late], y[late])
added = difference(grown, model)
grown.forget(X[late], y[late])
halves = [map_reduce(as_table(X[i::2], y[i::2]), Moments.from_block) for i in (0, 1)]
merged = linework.LinearRegression().fit_stats(halves[0] + halves[1])
print("the largest relative difference of a coefficient")
print(f"    342 rows, then 100 added, from a fit on all 442:    {added}")
print(f"    those 100 taken out again, from a fit on the 342:   {difference(grown, first)}")
print(f"    statistics of two halves added up, from all 442:    {difference(merged, model)}")

n, d = 100_000, 50
title(f"Beside scikit-learn: {n:,} random rows, {d} columns")
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d))
y = X[:, :10] @ rng.uniform(1, 2, 10) + rng.standard_normal(n)
print(f"{'seconds':<18}{'linework':>10}{'scikit-learn':>14}{'ratio':>8}   coefficients differ by")
for name, runs in (("LinearRegression", 2), ("LassoCV", 1)):
    ours, theirs = getattr(linework, name)(), getattr(peer, name)()
    times = seconds(ours, X, y, runs), seconds(theirs, X, y, runs)
    gap = np.abs(ours.coef_ - theirs.coef_).max()
    ratio = times[1] / times[0]
    print(f"{name:<18}{times[0]:10.3f}{times[1]:14.3f}{ratio:8.1f}   {gap:.0e}", flush=True)
print(
    "LassoCV is 5 folds of 100 penalties, each a fit. linework solves them further than tol=1e-4;"
)
print("scikit-learn may end at a neighbouring penalty, and agrees when its tol is smaller.")
