"""Memory that a dense fit needs beside its data: the process's peak, less what it held before.

Each fit runs in an interpreter of its own, after a small fit that loads and compiles what it needs.
"""

from __future__ import annotations

import subprocess
import sys

from harness import machine

CODE = """
import numpy as np, resource, warnings
import linework
warnings.simplefilter("ignore")
n, d = {n}, {d}
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d))
y = X[:, 0] + rng.standard_normal(n)
model = linework.{model}
model.fit(X[:500, :20].copy(), y[:500])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
model.fit(X, y)
print((peak() - before) / 1024)
"""


def main() -> None:
    machine()
    print("\n| fit | rows × columns | data, MB | extra, MB (asked: < 64 + O(d²)) |")
    print("| --- | --- | --- | --- |")
    models = ("LinearRegression()", "Ridge()", "RidgeCV()", "Lasso(0.01)", "LassoCV()")
    for n, d in ((1_000_000, 100), (100_000, 1_000)):
        for model in models:
            code = CODE.format(n=n, d=d, model=model)
            run = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            )
            print(
                f"| {model} | {n:,} × {d:,} | {8 * n * d / 2**20:.0f} | {float(run.stdout):.0f} |"
            )


if __name__ == "__main__":
    main()
