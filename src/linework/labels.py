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


def in_given_order(classes: Array, order: Any) -> tuple[Array, Array]:
    """The classes (K,) in an order that names each of them once, and the new number of each (K,).

    With None they stay as they are.
    """
    if order is None:
        return classes, np.arange(len(classes))
    given, found = list(order), classes.tolist()
    if len(set(given)) != len(given) or set(given) != set(found):
        raise ValueError(
            f"classes is {given}, and the classes in y are {found}: name each class that y has "
            "rows of once, from the lowest to the highest."
        )
    number = np.array([given.index(label) for label in found])
    return classes[np.argsort(number)], number


def class_weights(class_weight: Any, classes: Array, totals: Array) -> Array:
    """A factor for the rows of each class (K,), or a sentence on what is wrong with the request.

    Parameters
    ----------
    class_weight : None, dict, "balanced", "effective" or ("effective", β)
        A dict names classes; others count 1. ``"balanced"`` is N / (K N_k). ``"effective"`` is the
        inverse of the effective number of rows, (1 − β^N_k) / (1 − β), scaled to a mean of 1 over
        the classes (Cui et al., 2019); β is 0.999 unless given.
    classes : array of shape (K,)
    totals : array of shape (K,)
        N_k, the weight of each class. One without rows has no part, and the factor 1.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, dict):
        known = {label.item() if hasattr(label, "item") else label: label for label in classes}
        if strange := [label for label in class_weight if label not in known]:
            raise ValueError(
                f"class_weight names the classes {strange}, and those of y are {list(known)}: the "
                "classes are not in class_weight as they are in y. Name classes of y only."
            )
        factors = np.array([float(class_weight.get(label, 1.0)) for label in known])
        if not (np.isfinite(factors).all() and (factors >= 0.0).all() and factors.any()):
            raise ValueError(
                f"class_weight is {class_weight!r}, and finite numbers, zero or more and not all "
                "zero, are expected."
            )
        return factors
    factors, seen = np.ones(len(classes)), totals > 0.0
    if isinstance(class_weight, str) and class_weight == "balanced":
        factors[seen] = totals.sum() / (seen.sum() * totals[seen])
        return factors
    name, beta = class_weight if isinstance(class_weight, tuple) else (class_weight, 0.999)
    if name != "effective" or not 0.0 <= beta < 1.0:
        raise ValueError(
            f'class_weight is {class_weight!r}, and None, a dict, "balanced", "effective" or '
            '("effective", β) with β from 0 to below 1 is expected.'
        )
    if beta:
        factors[seen] = 1.0 / -np.expm1(totals[seen] * np.log(beta))
        factors[seen] /= factors[seen].mean()
    return factors
