"""Anything that NumPy can read as an array of numbers, or a sentence on why it cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array


def dtype_of(dtype: Any, *arrays: Array) -> Any:
    """The type that holds these numbers: the given one, or float64 where they leave its range."""
    largest = max(float(np.abs(array).max(initial=0.0)) for array in arrays)
    return np.float64 if largest > float(np.finfo(dtype).max) else dtype


def as_numbers(values: Any, what: str) -> Array:
    """The values as a float64 array, without a copy where they are one; masked ones become NaN.

    Parameters
    ----------
    values : array-like
    what : str
        What the values are, for messages.
    """
    if sp.issparse(values):
        raise TypeError(
            f"{what} is a sparse matrix, and a dense array is expected: convert it with toarray()."
        )
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {what} has dtype {array.dtype}; give real numbers, for "
            "example the real and imaginary parts as two columns."
        )
    if array.dtype.kind not in "biufO":
        raise ValueError(
            f"{what} has dtype {array.dtype}, and a linear model needs numbers: encode categories "
            "and dates as numbers first."
        )
    try:
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{what} holds something that is not a number ({error}): encode categories as numbers, "
            "and fill missing values or leave them out."
        ) from None
