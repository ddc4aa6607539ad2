"""How many rows of each class to make or to keep."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from linework.data.blocks import Array

WORDS = ("auto", "minority", "majority", "not minority", "not majority", "all")


def amounts(
    strategy: Any, classes: Array, counts: Array, y: Array, *, under: bool
) -> dict[Any, int]:
    """Rows to keep of each class that is undersampled, or to add to each that is oversampled.

    Parameters
    ----------
    strategy : str, float, dict or callable
        A word names classes, which all get the size of the smallest (under) or largest (over)
        class: ``"minority"``, ``"majority"``, ``"not minority"``, ``"not majority"``, ``"all"``;
        ``"auto"`` is all but the one whose size is taken. A number, for two classes, is the rows of
        the smaller for each of the larger afterwards. A dict gives the number of rows afterwards by
        class; a callable gives this dict for y.
    classes : array of shape (K,)
    counts : array of int of shape (K,)
        Their rows.
    y : array of shape (n,)
        For a callable.
    under : bool
        Undersampling, or else oversampling.

    Returns
    -------
    dict of class to int
    """
    names = classes.tolist()
    if len(names) < 2:
        raise ValueError(
            f"y needs to have more than 1 class, and has {len(names)}: there is nothing to balance."
        )
    have = dict(zip(names, counts.tolist(), strict=True))
    small, large = (names[int(pick(counts))] for pick in (np.argmin, np.argmax))
    if callable(strategy):
        strategy = strategy(y)
    if isinstance(strategy, dict):
        wanted = _by_class(strategy, have, under=under)
    elif isinstance(strategy, str):
        left_out = {
            "auto": {small if under else large},
            "minority": set(names) - {small},
            "majority": set(names) - {large},
            "not minority": {small},
            "not majority": {large},
            "all": set(),
        }
        if strategy not in left_out or strategy == ("minority" if under else "majority"):
            raise ValueError(
                f"sampling_strategy is {strategy!r}, and when it is a string it needs to be one of "
                f"{', '.join(w for w in WORDS if w != ('minority' if under else 'majority'))} for "
                f"{'under' if under else 'over'}sampling."
            )
        size = have[small if under else large]
        wanted = {name: size for name in names if name not in left_out[strategy]}
    elif isinstance(strategy, Real) and not isinstance(strategy, bool):
        wanted = _by_ratio(float(strategy), have, small, large, under=under)
    else:
        raise ValueError(
            f"sampling_strategy is {strategy!r}, and a word, a number in (0, 1], a dict of class "
            "to rows or a callable that gives such a dict is expected."
        )
    return {name: size if under else size - have[name] for name, size in wanted.items()}


def _by_class(strategy: dict[Any, Any], have: dict[Any, int], *, under: bool) -> dict[Any, int]:
    if strange := [name for name in strategy if name not in have]:
        raise ValueError(
            f"The classes {strange} of sampling_strategy are not present in the data, whose "
            f"classes are {list(have)}."
        )
    for name, size in strategy.items():
        if size < 0:
            raise ValueError(
                f"The number of samples in a class cannot be negative: sampling_strategy asks for "
                f"{size} rows of class {name!r}."
            )
        if under and size > have[name]:
            raise ValueError(
                f"With under-sampling methods, the number of samples in a class should be less or "
                f"equal to the original number of samples: class {name!r} has {have[name]} rows, "
                f"and {size} are asked for."
            )
        if not under and size < have[name]:
            raise ValueError(
                f"With over-sampling methods, the number of samples in a class should be greater "
                f"or equal to the original number of samples: class {name!r} has {have[name]} "
                f"rows, and {size} are asked for."
            )
    return {name: int(strategy[name]) for name in have if name in strategy}


def _by_ratio(
    ratio: float, have: dict[Any, int], small: Any, large: Any, *, under: bool
) -> dict[Any, int]:
    if not 0.0 < ratio <= 1.0:
        raise ValueError(
            f"When sampling_strategy is a float, it should be in the range (0, 1], and it is "
            f"{ratio}: the rows of the smaller class for each of the larger afterwards."
        )
    if len(have) != 2:
        raise ValueError(
            f"sampling_strategy can be a float only when the type of target is binary, and y has "
            f"{len(have)} classes: give a dict of class to rows."
        )
    if small == large:  # two classes of one size
        small, large = (name for name in have)
    name, size = (large, int(have[small] / ratio)) if under else (small, int(have[large] * ratio))
    if size > have[name] if under else size <= have[name]:
        raise ValueError(
            f"sampling_strategy={ratio} would take {have[name]} rows of class {name!r} to {size}, "
            f"and {'under' if under else 'over'}sampling cannot: please increase the ratio."
        )
    return {name: size}
