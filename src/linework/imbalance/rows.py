"""Rows left out of large classes, or repeated in small ones, at random."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from linework.data.blocks import Array
from linework.imbalance.sampler import RowSampler


class RandomUnderSampler(RowSampler):
    """Keep so many random rows of each class as the smallest class has.

    The rest are not looked at: what they would have said is lost. `EasyEnsembleClassifier` draws
    again and again.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        Which classes, and to what size: ``"auto"`` and ``"not minority"`` are all but the smallest;
        ``"majority"``, ``"not majority"`` and ``"all"`` as they say. A number, of two classes, is
        the rows of the smaller for each of the larger afterwards. A dict gives rows afterwards by
        class, and a callable gives such a dict for y.
    random_state : int, RandomState or None, default=0
    replacement : bool, default=False
        Whether a row may be drawn again.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows that are kept, by class.
    sample_indices_ : array of shape (n_new,)
        Where the rows were.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import RandomUnderSampler
    >>> X, y = np.arange(8.0).reshape(-1, 1), np.array([0, 0, 0, 0, 0, 0, 1, 1])
    >>> X_new, y_new = RandomUnderSampler().fit_resample(X, y)
    >>> y_new
    array([0, 0, 1, 1])
    """

    _under: ClassVar[bool] = True

    def __init__(
        self,
        *,
        sampling_strategy: Any = "auto",
        random_state: Any = 0,
        replacement: bool = False,
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.replacement = replacement

    def _draw(self, numbers: Array, classes: Array, chosen: dict[Any, Array]) -> Array:
        rng = check_random_state(self.random_state)
        parts = []
        for number, name in enumerate(classes.tolist()):
            if name not in chosen:
                parts.append(np.flatnonzero(numbers == number))
                continue
            rows, size = chosen[name], self.sampling_strategy_[name]
            parts.append(rows[rng.choice(len(rows), size, replace=self.replacement)])
        return np.concatenate(parts)


class RandomOverSampler(RowSampler):
    """Repeat random rows of each class up to the size of the largest class.

    It says as much as weights do, `class_weight="balanced"`, and takes longer to fit.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        Which classes, and to what size: ``"auto"`` and ``"not majority"`` are all but the largest;
        ``"minority"``, ``"not minority"`` and ``"all"`` as they say. A number, of two classes, is
        the rows of the smaller for each of the larger afterwards. A dict gives rows afterwards by
        class, and a callable gives such a dict for y.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows that are added, by class.
    sample_indices_ : array of shape (n_new,)
        Where the rows were: first all of them, then those that are repeated.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import RandomOverSampler
    >>> X, y = np.arange(5.0).reshape(-1, 1), np.array([0, 0, 0, 0, 1])
    >>> X_new, y_new = RandomOverSampler().fit_resample(X, y)
    >>> X_new.ravel()
    array([0., 1., 2., 3., 4., 4., 4., 4.])
    """

    def __init__(self, *, sampling_strategy: Any = "auto", random_state: Any = 0) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def _draw(self, numbers: Array, classes: Array, chosen: dict[Any, Array]) -> Array:
        rng = check_random_state(self.random_state)
        more = [
            rng.choice(rows, self.sampling_strategy_[name], replace=True)
            for name, rows in chosen.items()
        ]
        return np.concatenate([np.arange(len(numbers)), *more])
