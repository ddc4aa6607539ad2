"""Arrays as the bytes of .npy files, and back without trust in them.

NumPy's own reader evaluates the header as a Python literal and allocates what it asks for. Here the
header must be, to the letter, one that NumPy writes, and its shape must account for every byte.
"""

from __future__ import annotations

import io
import math
import re

import numpy as np

from linework.data.blocks import Array
from linework.persist.errors import ModelFileError

KINDS = "biufcUSMm"
"""Kinds of dtypes that are plain numbers, text or times."""

PREFIX = b"\x93NUMPY\x01\x00"
TYPE = rb"[<>|](?:[biufc]\d{1,2}|[US]\d{1,9}|[mM]8(?:\[\d{0,9}[a-zA-Z]{1,2}\])?)"
SHAPE = rb"|\d{1,18},|\d{1,18}(?:, \d{1,18}){1,31}"
HEADER = re.compile(
    rb"\{'descr': '(%b)', 'fortran_order': (True|False), 'shape': \((%b)\), \} *\n" % (TYPE, SHAPE)
)


def to_npy(array: Array) -> bytes:
    """The bytes of a .npy file; the order of the axes in memory is kept, which sums depend on."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array.copy(order="K"), version=(1, 0), allow_pickle=False)
    return file.getvalue()


def from_npy(data: bytes) -> Array:
    """The array, or a sentence. Beside it no memory is taken."""
    start = len(PREFIX) + 2
    length = int.from_bytes(data[len(PREFIX) : start], "little")
    header = HEADER.fullmatch(data[start : start + length])
    if not data.startswith(PREFIX) or header is None:
        raise ModelFileError("An array of the file has no header that NumPy could have written.")
    code, fortran, sizes = (part.decode("ascii") for part in header.groups())
    try:
        dtype = np.dtype(code)
    except TypeError:
        raise ModelFileError(
            f"An array of the file is of a type {code!r}, which is none."
        ) from None
    shape = tuple(int(size) for size in sizes.split(",") if size.strip())
    body = memoryview(data)[start + length :]
    if math.prod(shape) * dtype.itemsize != len(body) or max(shape, default=0) > len(data):
        raise ModelFileError(
            f"An array of the file is said to be of shape {shape} and type {code!r}, and that is "
            f"not what its {len(body)} bytes are."
        )
    array = np.empty(shape, dtype, order="F" if fortran == "True" else "C")
    if body:
        array.reshape(-1, order="A").view(np.uint8)[:] = np.frombuffer(body, np.uint8)
    _reject_impossible(array)
    return array


def _reject_impossible(array: Array) -> None:
    """Refuse bytes that NumPy takes on trust: truth values other than 0 and 1, no characters."""
    flat = array.reshape(-1, order="A")
    if array.dtype.kind == "b" and flat.view(np.uint8).max(initial=0) > 1:
        raise ModelFileError("An array of truth values in the file holds others than 0 and 1.")
    if array.dtype.kind == "U" and array.nbytes:
        points = flat.view(array.dtype.byteorder.replace("|", "=") + "u4")
        if points.max() > 0x10FFFF:
            raise ModelFileError("An array of text in the file holds what is no character.")
