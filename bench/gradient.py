"""One gradient pass of each loss against np.add.reduce over the same array: the memory's speed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from harness import best_times, machine, show

from linework.data.blocks import Block
from linework.data.sources import Table, as_table
from linework.engine import map_reduce
from linework.losses import FAMILIES, LINKS, GeneralizedLoss, Loss, SoftmaxLoss
from linework.stats import ColumnMoments, Curvature, Gradient

THREADS = 2
SHAPES = (
    (500_000, 100, np.float64),
    (1_000_000, 50, np.float64),
    (60_000, 500, np.float64),
    (2_000_000, 10, np.float64),
    (500_000, 100, np.float32),
)
LOSSES: dict[str, Loss] = {
    f"{family}, {link}": GeneralizedLoss(FAMILIES[family](), LINKS[link])
    for family, link in (
        ("gaussian", "identity"),
        ("binomial", "logit"),
        ("poisson", "log"),
        ("gamma", "log"),
    )
} | {"softmax of 5 classes": SoftmaxLoss(5)}


def passes(table: Table, loss: Loss, compiled: bool) -> Any:
    k, d = loss.n_scores, table.n_columns
    coef, fused = np.full((d, k), 1.0 / d), loss.fused if compiled else None

    def gradient(block: Block) -> Gradient:
        return Gradient.from_block(block, coef, np.zeros(k), loss.evaluate, fused)

    return map_reduce(table, gradient)


def others(table: Table) -> dict[str, Callable[[], Any]]:
    d, curve = table.n_columns, LOSSES["binomial, logit"].curvature

    def curvature(block: Block) -> Curvature:
        zero = np.zeros((d, 1)), np.zeros(1), np.zeros(d)
        return Curvature.from_block(block, *zero, curve, compiled=True)

    return {
        "column moments": lambda: map_reduce(
            table, partial(ColumnMoments.from_block, compiled=True)
        ),
        "Hessian": lambda: map_reduce(table, curvature),
    }


def main() -> None:
    machine("numba")
    for n, d, dtype in SHAPES:
        X = np.random.default_rng(0).standard_normal((n, d), dtype=dtype)
        table = as_table(X, np.arange(n) % 2.0)
        parts = np.array_split(X, THREADS)
        with ThreadPoolExecutor(THREADS) as pool:
            times = best_times(
                {
                    "np.add.reduce": lambda parts=parts, pool=pool: list(
                        pool.map(partial(np.add.reduce, axis=None), parts)
                    ),
                    **{name: partial(passes, table, loss, True) for name, loss in LOSSES.items()},
                    "binomial, logit, by NumPy": partial(
                        passes, table, LOSSES["binomial, logit"], False
                    ),
                    **others(table),
                },
                rounds=20,
            )
        show(f"{n:,} × {d}, {np.dtype(dtype).name}", times, "ratio 1.25 at 50 columns and more")


if __name__ == "__main__":
    main()
