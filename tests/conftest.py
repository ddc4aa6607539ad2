"""Fixtures that run one test body over every kind of input, and exact answers to compare with."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import settings

if "CI" not in os.environ:  # where it is set, Hypothesis has a profile of its own
    settings.register_profile("local", deadline=None, max_examples=50)
    settings.load_profile("local")


def strided(X: np.ndarray) -> np.ndarray:
    """A view on every third row and second column of something larger, backwards."""
    n, d = X.shape
    wide = np.full((3 * n, 2 * d), np.nan)
    view = wide[::-3, ::-2]
    view[:] = X
    return view


def memmap(X: np.ndarray, folder: Path) -> np.ndarray:
    file = folder / f"rows{len(list(folder.iterdir()))}.dat"
    X.astype(np.float64).tofile(file)
    return np.memmap(file, np.float64, mode="r", shape=X.shape)


def pandas_frame(X: np.ndarray) -> Any:
    import pandas as pd

    return pd.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])})


def polars_frame(X: np.ndarray) -> Any:
    import polars as pl

    return pl.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])})


def arrow_table(X: np.ndarray) -> Any:
    """An Arrow table whose columns come in two chunks."""
    import pyarrow as pa

    cut = len(X) // 2
    columns = ([np.ascontiguousarray(x[:cut]), np.ascontiguousarray(x[cut:])] for x in X.T)
    return pa.table({f"x{j}": pa.chunked_array(parts) for j, parts in enumerate(columns)})


KINDS: dict[str, Callable[[np.ndarray], Any]] = {
    "c_array": np.ascontiguousarray,
    "fortran_array": np.asfortranarray,
    "float32_array": lambda X: X.astype(np.float32),
    "strided_view": strided,
    "memmap": lambda X: X,  # needs a folder: see Kind
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
    "pandas": pandas_frame,
    "polars": polars_frame,
    "arrow": arrow_table,
}


@dataclass(frozen=True)
class Kind:
    """A kind of input: call it with an (n, d) float array to have that array as this kind."""

    name: str
    folder: Path

    def __call__(self, X: Any) -> Any:
        X = np.asarray(X, np.float64)
        return memmap(X, self.folder) if self.name == "memmap" else KINDS[self.name](X)

    @property
    def rtol(self) -> float:
        """How closely results agree with those of a float64 array."""
        return 1e-4 if self.name == "float32_array" else 1e-9

    @property
    def named(self) -> bool:
        """Whether the columns have names: x0, x1, …"""
        return self.name in {"pandas", "polars", "arrow"}

    @property
    def sparse(self) -> bool:
        return self.name in {"csr", "csc"}


@pytest.fixture(params=KINDS)
def as_input(request: pytest.FixtureRequest, tmp_path: Path) -> Kind:
    """Each kind of input in turn; see `Kind`."""
    return Kind(request.param, tmp_path)


@dataclass(frozen=True)
class Exact:
    """Weight, mean and scatter of rows, in rational arithmetic and rounded once."""

    weight: float
    mean: np.ndarray
    scatter: np.ndarray


@pytest.fixture(scope="session")
def exact() -> Callable[..., Exact]:
    """``exact(Z, w=None)``: the truth about a few rows, whatever their scale and origin."""

    def moments(Z: Any, w: Any = None) -> Exact:
        rows = [[Fraction(float(z)) for z in row] for row in np.asarray(Z)]
        weights = [Fraction(1)] * len(rows) if w is None else [Fraction(float(v)) for v in w]
        total = sum(weights)
        columns = range(len(rows[0]))
        mean = [
            sum(v * row[j] for v, row in zip(weights, rows, strict=True)) / total for j in columns
        ]
        rest = [[row[j] - mean[j] for j in columns] for row in rows]
        scatter = [
            [sum(v * r[i] * r[j] for v, r in zip(weights, rest, strict=True)) for j in columns]
            for i in columns
        ]
        return Exact(
            float(total), np.array([float(m) for m in mean]), np.array(scatter).astype(np.float64)
        )

    return moments
