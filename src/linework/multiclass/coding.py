"""The coding matrix: which classes each dichotomy sets against which."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.engine import single_threaded_blas


@dataclass(frozen=True, eq=False)
class CodingMatrix:
    """Classes in rows, dichotomies in columns: +1 and −1 are the two sides, 0 is neither.

    Parameters
    ----------
    matrix : array of shape (K, M)

    Examples
    --------
    >>> from linework.multiclass.codes import one_vs_one
    >>> from linework.multiclass.coding import CodingMatrix
    >>> code = CodingMatrix(one_vs_one(3))
    >>> code.matrix
    array([[-1, -1,  0],
           [ 1,  0, -1],
           [ 0,  1,  1]], dtype=int8)
    >>> code.minimum_distance, code.n_corrected
    (1.0, 0)
    """

    matrix: Array

    @classmethod
    def checked(cls, matrix: Any, n_classes: int) -> CodingMatrix:
        """The matrix as a code, or a sentence on why it is none."""
        given = np.asarray(matrix)
        if given.ndim != 2 or len(given) != n_classes or not given.shape[1]:
            raise ValueError(
                f"The coding matrix has shape {given.shape}, and ({n_classes}, M) is expected: a "
                "row for each class and a column for each dichotomy."
            )
        if not np.isin(given, (-1, 0, 1)).all():
            strange = given[~np.isin(given, (-1, 0, 1))][0]
            raise ValueError(
                f"The coding matrix holds {strange!r}, and its entries are −1 and +1 for the two "
                "sides of a dichotomy, or 0 for classes on neither."
            )
        code = cls(given.astype(np.int8))
        one_sided = np.flatnonzero(~is_dichotomy(code.matrix))
        if one_sided.size:
            raise ValueError(
                f"Column {one_sided[0]} of the coding matrix has classes on one side only, and "
                "there is nothing to learn from it: give it a +1 and a −1, or leave it out."
            )
        a, b = code._nearest(code.apart)
        if not code.apart[a, b]:
            raise ValueError(
                f"No column of the coding matrix has classes {a} and {b} on opposite sides, so "
                "they cannot be told apart: add a column, or change one."
            )
        _, first, which = np.unique(
            oriented(code.matrix), axis=1, return_index=True, return_inverse=True
        )
        repeated = np.flatnonzero(first[which.ravel()] != np.arange(len(which.ravel())))
        if repeated.size:
            m = repeated[0]
            warnings.warn(
                f"Columns {first[which.ravel()][m]} and {m} of the coding matrix are the same "
                "dichotomy: one learner, counted twice. Where it errs both err, so they correct "
                "less than their distance says.",
                UserWarning,
                stacklevel=4,
            )
        return code

    @cached_property
    def apart(self) -> Array:
        """In how many columns two classes are on opposite sides, shape (K, K)."""
        return opposed(self.matrix)

    @cached_property
    def distance(self) -> Array:
        """What it takes to mistake class a for class b, shape (K, K): see `minimum_distance`."""
        used = np.abs(self.matrix).astype(np.float64)
        with single_threaded_blas:
            alone = used.sum(axis=1)[:, None] - used @ used.T  # columns that use a and not b
        return np.asarray(self.apart + (alone - alone.T) / 2.0)

    @cached_property
    def minimum_distance(self) -> float:
        """Δ = min over classes a ≠ b of the distance that errors have to bridge.

        Of a code without zeros, the Hamming distance: columns in which the rows differ. A zero
        counts half an error in Hamming decoding, whatever its learner says of a class it has not
        seen. At worst it speaks for b, so that a distance is ::

            columns with a, b opposed + ½ (columns with a alone − columns with b alone)
        """
        a, b = self._nearest(self.distance)
        return float(self.distance[a, b])

    @property
    def n_corrected(self) -> int:
        """The errors t < Δ / 2 that Hamming decoding corrects, wherever they are."""
        return max(0, int(np.ceil(self.minimum_distance / 2.0)) - 1)

    def _nearest(self, distance: Array) -> tuple[int, int]:
        others = np.where(np.eye(len(distance), dtype=bool), np.inf, distance)
        a, b = np.unravel_index(int(others.argmin()), others.shape)
        return int(a), int(b)


def opposed(matrix: Array) -> Array:
    """In how many columns two rows have opposite signs, shape (K, K)."""
    code = matrix.astype(np.float64)  # products of whole numbers are exact, and fast
    used = np.abs(code)
    with single_threaded_blas:
        return np.asarray((used @ used.T - code @ code.T) / 2.0, np.int64)


def is_dichotomy(matrix: Array) -> Array:
    """Whether each column has classes on both sides, shape (M,)."""
    return np.asarray((matrix > 0).any(axis=0) & (matrix < 0).any(axis=0))


def oriented(matrix: Array) -> Array:
    """The columns with their first entry that is not zero negative: the same dichotomies."""
    first = (matrix != 0).argmax(axis=0)
    return np.asarray(-matrix * matrix[first, np.arange(matrix.shape[1])])
