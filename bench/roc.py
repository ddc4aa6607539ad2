"""ROC, DET and precision–recall curves and the area with its interval, against roc_curve alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import best_times, machine, show
from sklearn.metrics import roc_auc_score, roc_curve

from linework import RankedScores

SIZES = (100_000, 1_000_000, 10_000_000)


def everything(y: Any, score: Any, **options: Any) -> Any:
    ranked = RankedScores.from_predictions(y, score, **options)
    curves = ranked.roc_curve(), ranked.det_curve(), ranked.precision_recall_curve()
    return curves, ranked.auc_interval()


def contenders(n: int) -> dict[str, Callable[[], Any]]:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(np.int64)
    score = rng.standard_normal(n) + y
    weight, grid = rng.uniform(0.5, 2.0, n), np.linspace(-5.0, 6.0, 4096)
    return {
        "linework: three curves, area, interval": lambda: everything(y, score),
        "linework: the same, weighted": lambda: everything(y, score, sample_weight=weight),
        "linework: the same, on a grid": lambda: everything(y, score, grid=grid),
        "scikit-learn: roc_curve": lambda: roc_curve(y, score),
        "scikit-learn: roc_curve, weighted": lambda: roc_curve(y, score, sample_weight=weight),
        "scikit-learn: roc_auc_score": lambda: roc_auc_score(y, score),
    }


def main() -> None:
    machine()
    for n in SIZES:
        times = best_times(contenders(n), rounds=3 if n > 1_000_000 else 5)
        show(f"{n:,} scores", times, "faster than roc_curve at 10 million")


if __name__ == "__main__":
    main()
