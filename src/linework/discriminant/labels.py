"""Class labels as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from linework.data.blocks import Array
from linework.data.sources import reject_other_length


def encode(y: Any, weight: Array | None, n_rows: int) -> tuple[Array, Array]:
    """The classes (K,), in order, and the number of each row's class (n,).

    Rows of weight zero make no class; where they have one of their own, their number is arbitrary.
    """
    shape = np.asarray(y).shape
    if len(shape) > 2:
        raise ValueError(f"y has shape {shape}, and (n,) is expected: give one label for each row.")
    y = column_or_1d(y, warn=True)
    reject_other_length(len(y), n_rows)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        kind = "NaN" if np.isnan(y[row]) else "infinity (inf)"
        raise ValueError(
            f"Input y contains {kind} in row {row}, which is no class: give a label for each row, "
            "or remove such rows."
        )
    present = y if weight is None else y[weight > 0]
    if y.dtype.kind in "fc" and (present != present.round()).any():
        check_classification_targets(present)  # refuses them, in scikit-learn's words
    low, high = (int(present.min()), int(present.max())) if y.dtype.kind in "iu" else (0, 1 << 62)
    if high - low < 1 << 20 and high < 1 << 62:  # counting is many times faster than sorting
        seen = np.flatnonzero(np.bincount(present.astype(np.intp) - low))
        number = np.zeros(high - low + 1, np.intp)
        number[seen] = np.arange(len(seen))
        return (seen + low).astype(y.dtype), number[np.clip(y, low, high).astype(np.intp) - low]
    try:
        classes = np.unique(present)
        number = np.searchsorted(classes, y)
    except TypeError:
        raise TypeError(
            "The labels in y are of kinds that have no common order, such as words beside numbers "
            "or None: make them all words, or all numbers."
        ) from None
    return classes, np.minimum(number, len(classes) - 1)
