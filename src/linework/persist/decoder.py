"""Values from JSON and arrays, the other way round than `Encoder`: nothing but data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.interpolate import BSpline

from linework.data.blocks import Array
from linework.persist.classes import class_named, columns_of, measure_named
from linework.persist.encoder import TYPES, copies
from linework.persist.errors import ModelFileError

COLUMNS = 1_000_000
"""The most that scikit-learn's estimators in a file may make, all together."""


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
            "measure": measure_named,
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
