"""Resampling and ensembles of balanced subsets against imbalanced-learn: seconds and memory.

    python bench/imbalance.py [--rows 200000]

Extra memory is the peak of a process less what it held before and less the resampled table, which
both return. It is read on Linux, in interpreters of their own, after a small run that loads and
compiles what is needed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import imblearn.ensemble
import imblearn.over_sampling
import numpy as np
import sklearn.linear_model
from harness import best_times, machine, show

import linework

CATEGORICAL = [30, 31, 32, 33, 34]


def table(n: int, share: float, categories: bool = False) -> tuple[Any, Any]:
    """n × 30 numbers, and 5 columns of 200 categories more if asked for."""
    rng = np.random.default_rng(0)
    y = np.zeros(n, np.int64)
    y[: int(n * share)] = 1
    X = rng.standard_normal((n, 30)) + 0.3 * y[:, None]
    if categories:
        X = np.column_stack([X, rng.integers(0, 200, (n, 5))])
    return X, y


SAMPLERS: dict[str, dict[str, Callable[[], Any]]] = {
    "SMOTE": {
        "linework": linework.SMOTE,
        "imbalanced-learn": lambda: imblearn.over_sampling.SMOTE(random_state=0),
    },
    "SMOTENC": {
        "linework": lambda: linework.SMOTENC(CATEGORICAL),
        "imbalanced-learn": lambda: imblearn.over_sampling.SMOTENC(CATEGORICAL, random_state=0),
    },
}


def resample(make: Callable[[], Any], X: Any, y: Any) -> Any:
    return make().fit_resample(X, y)


MEMORY = """
from pathlib import Path
from imbalance import SAMPLERS, table
sampler = SAMPLERS["{name}"]["{whose}"]()
sampler.fit_resample(*table(400, 0.05, {categories}))
X, y = table({n}, 0.05, {categories})
def status(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(what))
Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
before = status("VmRSS")
X_new, y_new = sampler.fit_resample(X, y)
print((status("VmHWM") - before) / 1024 - (X_new.nbytes + y_new.nbytes) / 2**20)
"""


def extra_memory(name: str, whose: str, n: int) -> float:
    """Megabytes beside the rows that are given and those that are returned."""
    code = MEMORY.format(name=name, whose=whose, n=n, categories=name == "SMOTENC")
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )
    return float(run.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000, help="of the samplers' tables")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    n = options.rows
    machine("imbalanced-learn")
    for name, contenders in SAMPLERS.items():
        X, y = table(n, 0.05, name == "SMOTENC")
        runs = {whose: partial(resample, make, X, y) for whose, make in contenders.items()}
        rounds = options.rounds if name == "SMOTE" else 1
        times = best_times(runs, rounds=rounds, warm_up=name == "SMOTE")
        show(f"{name}, {n:,} × {X.shape[1]}, {n // 20:,} rows of the small class", times, "≥ 3×")
        extra = {whose: extra_memory(name, whose, n) for whose in contenders}
        print(
            "extra memory, MB, asked: below half: "
            + ", ".join(f"{w} {m:.0f}" for w, m in extra.items())
        )

    X, y = table(5 * n // 2, 0.05)
    runs = {
        "linework": lambda: linework.EasyEnsembleClassifier(10, linework.LogisticRegression()).fit(
            X, y
        ),
        "imbalanced-learn": lambda: imblearn.ensemble.EasyEnsembleClassifier(
            10, sklearn.linear_model.LogisticRegression(), random_state=0
        ).fit(X, y),
        "imbalanced-learn, n_jobs=2": lambda: imblearn.ensemble.EasyEnsembleClassifier(
            10, sklearn.linear_model.LogisticRegression(), random_state=0, n_jobs=2
        ).fit(X, y),
    }
    times = best_times(runs, rounds=options.rounds)
    show(f"EasyEnsemble of 10 logistic regressions, {len(X):,} × 30", times, "≥ 5×")


if __name__ == "__main__":
    main()
