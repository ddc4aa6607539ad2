"""What a design learns of its columns, in one pass: the levels of some, the spread of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.design.frame import Column


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The distinct values of a column, how often each is there, and how many are missing.

    ``a + b`` is that of both columns' rows. Costs a hash of each row's value, or a count where the
    column is stored as codes.

    Attributes
    ----------
    values : Arrow array
    counts : array of int, one for each value
    missing : int

    Examples
    --------
    >>> import numpy as np
    >>> from linework.design.frame import as_frame
    >>> [column] = as_frame(np.array([["b"], ["a"], ["b"]])).columns
    >>> Levels.from_columns([column]).table()
    {'a': 1, 'b': 2}
    """

    values: Any
    counts: Array
    missing: int

    @classmethod
    def from_columns(cls, columns: Sequence[Column]) -> Levels:
        """The levels of one column."""
        [column] = columns
        codes, values = column.encoded()
        counts = np.bincount(codes + 1, minlength=len(values) + 1)
        return cls(values, counts[1:], int(counts[0]))

    def __add__(self, other: Levels) -> Levels:
        import pyarrow as pa

        if self.values.equals(other.values):
            return Levels(self.values, self.counts + other.counts, self.missing + other.missing)
        both = pa.concat_arrays([self.values, other.values.cast(self.values.type)])
        encoded = both.dictionary_encode()
        counts = np.bincount(
            encoded.indices.to_numpy(),
            np.concatenate([self.counts, other.counts]),
            len(encoded.dictionary),
        ).astype(np.int64)
        return Levels(encoded.dictionary, counts, self.missing + other.missing)

    def table(self) -> dict[Any, int]:
        """How often each level that is there is there, in the order of the levels."""
        there = np.flatnonzero(self.counts)
        pairs = zip(self.values.take(there).to_pylist(), self.counts[there].tolist(), strict=True)
        return dict(sorted(pairs))


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Number, mean, Σ (x − mean)², least and largest of the finite values of g columns.

    ``a + b`` is that of both columns' rows, by the update of Chan, Golub and LeVeque.

    Attributes
    ----------
    count, mean, scatter, low, high : array of shape (g,)
    missing : int
        Number of values that are missing or infinite, in all columns together.
    """

    count: Array
    mean: Array
    scatter: Array
    low: Array
    high: Array
    missing: int

    @classmethod
    def from_columns(cls, columns: Sequence[Column]) -> Spread:
        """The spread of columns of numbers."""
        parts = [_spread(column.numbers()) for column in columns]
        count, mean, scatter, low, high = (np.array(part) for part in zip(*parts, strict=True))
        missing = sum(map(len, columns)) - int(count.sum())
        return cls(count, mean, scatter, low, high, missing)

    def __add__(self, other: Spread) -> Spread:
        count = self.count + other.count
        share = other.count / np.maximum(count, 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            delta = other.mean - self.mean
            mean = self.mean + delta * share
            scatter = self.scatter + other.scatter + delta**2 * self.count * share
        return Spread(
            count,
            mean,
            scatter,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.missing + other.missing,
        )

    @property
    def deviation(self) -> Array:
        """√(scatter / n), of shape (g,); 1 where a column does not vary."""
        deviation = np.sqrt(self.scatter / np.maximum(self.count, 1.0))
        return np.where(deviation > 0.0, deviation, 1.0)


def _spread(x: Array) -> tuple[float, float, float, float, float]:
    low, high = float(x.min()), float(x.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        x = x[np.isfinite(x)]
        if not len(x):
            return 0.0, 0.0, 0.0, np.inf, -np.inf
        low, high = float(x.min()), float(x.max())
    with np.errstate(over="ignore", invalid="ignore"):  # told where the numbers are needed
        mean = float(x.mean())
        rest = x - mean
        return float(len(x)), mean, float(rest @ rest), low, high


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Statistics side by side; ``a + b`` adds each to its like."""

    parts: tuple[Any, ...]

    def __add__(self, other: Parts) -> Parts:
        return Parts(tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))
