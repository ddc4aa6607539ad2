"""Values as JSON: plain ones as themselves, each other kind as an object of one key.

None, truth values, whole and finite numbers, text and lists stand for themselves. What else a
fitted model is made of is ``{kind: body}``: `Encoder` writes the body, and `Decoder` has a reader
for each kind. Arrays stand outside, in order of their numbers.
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from types import FunctionType
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.interpolate import BSpline
from sklearn import metrics
from sklearn.base import BaseEstimator

from linework.data.blocks import Array
from linework.persist.arrays import KINDS
from linework.persist.classes import columns_of, name_of

SPLINE = ("t", "c", "k", "extrapolate", "axis")
TYPES = {cls.__name__: cls for cls in (bool, int, float, str, object)}


class Encoder:
    """From values to JSON, collecting their arrays.

    Attributes
    ----------
    arrays : list of array
        Each once, also where several values share it.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.persist.decoder import Decoder
    >>> from linework.persist.encoder import Encoder
    >>> encoder = Encoder()
    >>> node = encoder.encode((1.5, np.inf, {0: np.zeros(2)}))
    >>> node
    {'tuple': [1.5, {'float': 'inf'}, {'dict': [[0, {'array': 0}]]}]}
    >>> Decoder(encoder.arrays).decode(node)
    (1.5, inf, {0: array([0., 0.])})
    """

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self._numbers: dict[int, int] = {}

    def encode(self, value: Any, place: str = "value") -> Any:
        """The value as JSON, or a sentence that says where something is that has no place in it.

        Parameters
        ----------
        value : object
        place : str
            What errors call it.

        Returns
        -------
        None, bool, int, float, str, list or dict
        """
        kind = type(value)
        if value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value)):
            return value
        if kind is list:
            return self._all(value, place)
        tag, body = self._tagged(value, kind, place)
        return {tag: body}

    def _all(self, values: Any, place: str) -> list[Any]:
        return [self.encode(value, f"{place}[{i}]") for i, value in enumerate(values)]

    def _own(self, part: Any, place: str) -> Any:
        """A part whose arrays no other value shares."""
        return self.encode(part.copy() if isinstance(part, np.ndarray) else part, place)

    def _owned(self, values: Any, place: str) -> list[Any]:
        return [self._own(value, place) for value in values]

    def _tagged(self, value: Any, kind: type, place: str) -> tuple[str, Any]:
        if kind is float:
            return "float", repr(value)
        if kind is tuple:
            return "tuple", self._all(value, place)
        if kind in (set, frozenset):
            return kind.__name__, self._all(sorted(value, key=repr), place)
        if kind is dict:
            items = value.items()
            return "dict", [
                [self.encode(k, place), self.encode(v, f"{place}[{k!r}]")] for k, v in items
            ]
        if kind is slice:
            return "slice", self._all((value.start, value.stop, value.step), place)
        if isinstance(value, np.ma.MaskedArray):
            return "masked", self._owned((value.data, np.ma.getmaskarray(value)), place)
        if isinstance(value, np.ndarray) and value.dtype.kind == "O":
            return "objects", [list(value.shape), self._all(value.ravel(), place)]
        if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
            return "array", self._number(value)
        if isinstance(value, np.generic) and value.dtype.kind in "biufU":
            return "scalar", [kind.__name__, self.encode(value.item(), place)]
        if isinstance(value, np.dtype) and value.kind in KINDS + "O":
            return "dtype", value.str
        if isinstance(value, type) and (issubclass(value, np.generic) or value in TYPES.values()):
            return "type", value.__name__
        if sp.issparse(value) and value.format in ("csr", "csc"):
            parts = (value.data, value.indices, value.indptr)
            return "sparse", [kind.__name__, list(value.shape), *self._owned(parts, place)]
        if kind is BSpline:
            return "spline", self._owned((getattr(value, name) for name in SPLINE), place)
        if isinstance(value, FunctionType) and getattr(metrics, value.__name__, None) is value:
            return "measure", value.__name__
        if (name := name_of(kind)) is None:
            raise TypeError(
                f"{place} is {_article(kind)}, which a model file does not hold: it holds numbers, "
                "text, arrays, and classes of linework and some of scikit-learn's. Give the model "
                "a value of these kinds, and fit it again."
            )
        if isinstance(value, Enum):
            return "member", [name, value.name]
        return "object", [name, self._state(value, place)]

    def _number(self, array: Array) -> int:
        number = self._numbers.setdefault(id(array), len(self.arrays))
        if number == len(self.arrays):
            self.arrays.append(array)
        return number

    def _state(self, value: Any, place: str) -> dict[str, Any]:
        if is_dataclass(value):
            state = {field.name: getattr(value, field.name) for field in fields(value)}
        else:
            state = value.__getstate__() or {}
        columns_of(type(value), state, TypeError)
        encode = self._own if copies(type(value)) else self.encode
        return {name: encode(part, f"{place}.{name}") for name, part in state.items()}


def copies(cls: type) -> bool:
    """Whether objects of the class make something of their attributes when these are set."""
    return not is_dataclass(cls) and (
        getattr(cls, "__setstate__", None) not in (None, BaseEstimator.__setstate__)
    )


def _article(kind: type) -> str:
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
