"""Values as JSON and back: plain ones as themselves, each other kind as an object of one key.

None, truth values, whole and finite numbers, text and lists stand for themselves. What else a
fitted model is made of is ``{kind: body}``, and each kind is a pair of methods: `Encoder` writes
the body, `Decoder` reads it. Arrays stand outside, in order of their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.interpolate import BSpline
from sklearn.base import BaseEstimator

from linework.data.blocks import Array
from linework.persist.arrays import KINDS
from linework.persist.classes import class_named, columns_of, name_of
from linework.persist.errors import ModelFileError

SPLINE = ("t", "c", "k", "extrapolate", "axis")
COLUMNS = 1_000_000
"""The most that scikit-learn's estimators in a file may make, all together."""

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
    >>> from linework.persist.codec import Decoder, Encoder
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


class Decoder:
    """From JSON and arrays to values; nothing but data is taken from either.

    Attributes
    ----------
    arrays : list of array
    """

    def __init__(self, arrays: list[Array]) -> None:
        self.arrays = arrays
        self._owned: set[int] = set()
        self._columns = 0
        self._kinds: dict[str, Callable[[Any], Any]] = {
            "float": float,
            "tuple": lambda body: tuple(self._all(body)),
            "set": lambda body: set(self._all(body)),
            "frozenset": lambda body: frozenset(self._all(body)),
            "dict": lambda body: {self.decode(k): self.decode(v) for k, v in body},
            "slice": lambda body: slice(*self._all(body)),
            "masked": lambda body: np.ma.MaskedArray(*map(self._own, body)),
            "objects": self._objects,
            "array": self._array,
            "scalar": self._scalar,
            "dtype": _dtype,
            "type": _type,
            "sparse": self._sparse,
            "spline": lambda body: BSpline(*map(self._own, body)),
            "member": self._member,
            "object": self._object,
        }

    def decode(self, node: Any) -> Any:
        """The value of a node, or a sentence where it is none.

        Parameters
        ----------
        node : None, bool, int, float, str, list or dict

        Returns
        -------
        object
        """
        if isinstance(node, list):
            return self._all(node)
        if not isinstance(node, dict):
            return node
        [(kind, body)] = node.items()
        if kind not in self._kinds:
            raise ModelFileError(
                f"The file holds a value of the kind {kind[:100]!r}, which is none."
            )
        return self._kinds[kind](body)

    def _all(self, nodes: list[Any]) -> list[Any]:
        return [self.decode(node) for node in nodes]

    def _array(self, number: Any) -> Array:
        if type(number) is not int or not 0 <= number < len(self.arrays):
            raise ModelFileError(f"The file has no array of the number {str(number)[:100]}.")
        return self.arrays[number]

    def _own(self, node: Any) -> Any:
        """A part of a value that copies its parts: no array of the file may be in two of them.

        A small file could otherwise have a large array copied very often.
        """
        [kind] = node if isinstance(node, dict) else ["plain"]
        if isinstance(node, list) or kind not in ("plain", "float", "scalar", "array", "objects"):
            raise ModelFileError("The file holds a value of parts that it cannot have.")
        if kind == "array" and type(node[kind]) is int:
            if node[kind] in self._owned:
                raise ModelFileError("Values in the file share an array that is for one of them.")
            self._owned.add(node[kind])
        return self.decode(node)

    def _objects(self, body: Any) -> Array:
        shape, items = body
        if math.prod(shape) != len(items) or len(shape) > 32 or max(shape, default=0) > len(items):
            raise ModelFileError(
                "An array of objects in the file has not as many as its shape says."
            )
        array = np.empty(len(items), object)
        for i, item in enumerate(items):
            array[i] = self.decode(item)
        return array.reshape(shape)

    def _scalar(self, body: Any) -> Any:
        name, value = body
        value = self.decode(value)
        if not isinstance(value, bool | int | float | str):
            raise ModelFileError("A number in the file is none.")
        return _type(name)(value)

    def _sparse(self, body: Any) -> Any:
        name, shape, *parts = body
        cls = {c.__name__: c for c in (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix)}
        matrix = cls[name](tuple(map(self._own, parts)), shape=tuple(shape))
        matrix.check_format(full_check=True)
        return matrix

    def _member(self, body: Any) -> Any:
        name, member = body
        return class_named(name)[member]  # type: ignore[index]

    def _object(self, body: Any) -> Any:
        name, nodes = body
        cls = class_named(name)
        decode = self._own if copies(cls) else self.decode
        state = {key: decode(node) for key, node in nodes.items()}
        self._columns += columns_of(cls, state, ModelFileError)
        if self._columns > COLUMNS:
            raise ModelFileError(
                f"{cls.__name__} would make the model one of more than {COLUMNS:,} columns of "
                "scikit-learn's, and that is more than a model file may ask for."
            )
        value: Any = object.__new__(cls)
        if is_dataclass(cls):
            for field in fields(cls):
                default = field.default
                if default is MISSING and field.default_factory is not MISSING:
                    default = field.default_factory()
                part = state.pop(field.name, default)
                if part is MISSING:
                    raise ModelFileError(f"{cls.__name__} in the file lacks its {field.name}.")
                object.__setattr__(value, field.name, part)
            if state:
                raise ModelFileError(
                    f"{cls.__name__} in the file has an unknown {min(state)[:100]!r}."
                )
        elif hasattr(value, "__setstate__"):  # scikit-learn's compares versions there
            value.__setstate__(state)
        else:
            value.__dict__.update(state)
        return value


def copies(cls: type) -> bool:
    """Whether objects of the class make something of their attributes when these are set."""
    return not is_dataclass(cls) and (
        getattr(cls, "__setstate__", None) not in (None, BaseEstimator.__setstate__)
    )


def _type(name: Any) -> Any:
    """A scalar type of NumPy or a plain one of Python."""
    cls = TYPES.get(name) or getattr(np, name)
    if not isinstance(cls, type) or not (name in TYPES or issubclass(cls, np.generic)):
        raise ModelFileError(
            f"The file names a type {str(name)[:100]!r}, which is none of NumPy's."
        )
    return cls


def _dtype(code: Any) -> Any:
    if not isinstance(code, str) or len(code) > 20:
        raise ModelFileError("The file names a type that is none of NumPy's.")
    return np.dtype(code)


def _article(kind: type) -> str:
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
