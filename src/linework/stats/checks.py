"""What a statistic refuses, in sentences: other columns, numbers out of range, lost digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from linework.data.blocks import Array, Block
from linework.stats.centre import varies

EPS = float(np.finfo(np.float64).eps)

SMALLEST_SQUARE = 1e-290
"""Second moments below this have lost digits to underflow."""

DIGITS = 1e-6
"""Largest relative error of a variance, or of a weight, after rows are taken out."""


def require_same_columns(a: Any, b: Any) -> None:
    """Raise a sentence where two statistics are not of the same number of columns and targets."""
    shapes = [(s.mean.shape[-1] - s.n_targets, s.n_targets) for s in (a, b)]
    if shapes[0] != shapes[1]:
        (d_a, t_a), (d_b, t_b) = shapes
        raise ValueError(
            f"Statistics of {d_a} columns and {t_a} target(s) do not go together with those of "
            f"{d_b} columns and {t_b} target(s): give all rows the same columns."
        )


def reject_bad_range(
    block: Block, diagonal: Array, mean: Array, codes: Array | None = None
) -> None:
    """Raise a sentence where the block holds NaN or infinity, or its squares leave float64.

    The diagonal (p,) is of the scatter about ``mean`` (K, p) of class codes[i] for row i.
    """
    if not np.isfinite(diagonal).all():
        block.reject_nonfinite()
        reject_overflow(diagonal)
    small = np.flatnonzero(diagonal < SMALLEST_SQUARE)
    if small.size and varies(block, small, mean, codes):
        reject_underflow()


def reject_overflow(values: Array) -> None:
    """Raise a sentence where squares or sums have become infinite."""
    if not np.isfinite(values).all():
        raise ValueError(
            "The numbers are too large: their squares overflow float64 (about 1e308). Divide the "
            "columns of X, or y, or the weights, by a suitable power of ten and fit again."
        )


def reject_underflow() -> None:
    """Raise the sentence for numbers whose squares are too small for float64."""
    raise ValueError(
        "The numbers of a column vary so little (below 1e-145), or have so little weight, that "
        "their squares underflow float64. Multiply the columns of X, or y, or the weights, by a "
        "suitable power of ten and fit again."
    )


def reject_bad_merge(scatter: Array, delta: Array, mean: Array) -> None:
    """Raise a sentence where the squares of the parts' distance δ leave float64."""
    diagonal = scatter.diagonal()
    reject_overflow(diagonal)
    small = diagonal < SMALLEST_SQUARE
    if (np.abs(delta[..., small]) > 4 * EPS * np.abs(mean[..., small])).any():
        reject_underflow()


def removal_rounding(count: int) -> float:
    """Relative rounding error of sums over so many rows, however they were merged."""
    return EPS * (4.0 + float(np.sqrt(count)))


def require_digits(noise: Array, remaining: Array) -> None:
    """Raise a sentence where the error bound is too large beside the variance that remains."""
    lost = np.flatnonzero(noise > DIGITS * remaining)
    if lost.size:
        raise ArithmeticError(
            f"Taking out these rows would leave fewer than six correct digits in the variance of "
            f"{lost.size} column(s) (the first is number {lost[0]}): the rows that remain vary too "
            "little beside those taken out. Fit again on the remaining rows."
        )


def require_rows(count: Any, weight: Any, taken: Any, taken_weight: Any) -> None:
    """Raise a sentence where more rows or weight would be taken out of a group than it holds."""
    more = (taken > count) | (taken_weight > weight * (1 + 1e-9))
    less = (taken == count) & (taken_weight < weight * (1 - 1e-9))
    wrong = np.flatnonzero(more | less)
    if wrong.size:
        n, w, m, v = (np.ravel(a)[wrong[0]] for a in (count, weight, taken, taken_weight))
        raise ValueError(
            f"Cannot take out {m} rows of total weight {v:g}: {n} rows of total weight {w:g} were "
            "put in. Take out rows that were put in, with the weights they had."
        )


def require_weight(remaining: Any, before: Any) -> None:
    """Raise a sentence where rows remain and next to nothing of their weight does."""
    if np.any(remaining <= EPS / DIGITS * before):
        raise ArithmeticError(
            "Taking out these rows would leave fewer than six correct digits in the weight of the "
            "rows that remain. Fit again on those."
        )
