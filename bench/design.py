"""`Design` against scikit-learn's ColumnTransformer of StandardScaler and OneHotEncoder."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from harness import best_times, machine, show
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from linework import Design


def mixed_frame(n: int, seed: int = 0) -> pd.DataFrame:
    """16 columns of numbers, 8 of text, 4 categorical, 2 of truth values."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {f"number{j}": rng.standard_normal(n) * 3.0 + j for j in range(12)}
    columns |= {f"count{j}": rng.poisson(5.0 + j, n) for j in range(4)}
    for j, k in enumerate((3, 5, 8, 12, 20, 50, 100, 1000)):
        levels = np.array([f"level {i}" for i in range(k)], dtype=object)
        columns[f"text{j}"] = levels[rng.integers(k, size=n)]
    for j, k in enumerate((4, 7, 30, 200)):
        levels = [f"kind {i:03d}" for i in range(k)]
        columns[f"category{j}"] = pd.Categorical.from_codes(rng.integers(k, size=n), levels)
    columns |= {f"truth{j}": rng.random(n) < 0.4 for j in range(2)}
    order = rng.permutation(list(columns))
    return pd.DataFrame(columns)[list(order)]


def peer(frame: pd.DataFrame) -> ColumnTransformer:
    numbers = [name for name in frame if name.startswith(("number", "count"))]
    others = [name for name in frame if name not in numbers]
    return ColumnTransformer(
        [("numbers", StandardScaler(), numbers), ("levels", OneHotEncoder(), others)]
    )


def same(ours: Any, theirs: Any, design: Design, transformer: ColumnTransformer) -> float:
    """The largest difference of a number, columns brought into one order by their names."""
    names = [name.split("__", 1)[1] for name in transformer.get_feature_names_out()]
    place = {name: k for k, name in enumerate(names)}
    wanted = []
    for origin in design.origins():
        [column], [level] = origin.columns, origin.levels
        level = True if column.startswith("truth") else level
        wanted.append(place[column if level is None else f"{column}_{level}"])
    left, right = (sp.csr_array(X)[:2000].toarray() for X in (ours, theirs))
    return float(np.abs(left - right[:, wanted]).max())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    machine("pandas", "pyarrow")
    frame = mixed_frame(given.rows)
    plain = frame.astype({name: object for name in frame if name.startswith("text")})
    design = Design(reference=False, scale=True)
    transformer = peer(frame)
    gap = same(design.fit_transform(frame), transformer.fit_transform(frame), design, transformer)
    print(f"largest difference of a number in 2,000 rows: {gap:.1e}")
    for title, rows in (("text as pandas' str", frame), ("text as Python objects", plain)):
        contenders = {
            "Design.fit_transform": partial(design.fit_transform, rows),
            "ColumnTransformer.fit_transform": partial(transformer.fit_transform, rows),
        }
        times = best_times(contenders, given.rounds, warm_up=False)
        show(f"{given.rows:,} × {frame.shape[1]}, {title}", times, "5")
