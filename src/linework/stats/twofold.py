"""Twofold arithmetic: an unevaluated sum of two float64 numbers, about 32 digits.

The error-free transformations are Knuth's two-sum and Dekker's two-product with Veltkamp's split
(T. J. Dekker, 1971). A refinement step computes residuals with them, so that the solution is right
to the last digits whatever the condition of the problem.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linework.data.blocks import Array

SPLITTER = 134217729.0  # 2**27 + 1


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """S = fl(a + b) and e with s + e = a + b exactly."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def _split(a: Any) -> tuple[Any, Any]:
    c = SPLITTER * a
    high = c - (c - a)
    return high, a - high


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """P = fl(a · b) and e with p + e = a · b exactly."""
    p = a * b
    a1, a2 = _split(a)
    b1, b2 = _split(b)
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def two_total(a: Array) -> tuple[Array, Array]:
    """Sum over the first axis as high + low parts, by halves."""
    low = np.zeros(a.shape[1:])
    while len(a) > 1:
        half = len(a) // 2
        s, e = two_sum(a[:half], a[half : 2 * half])
        low = low + e.sum(axis=0)
        a = np.concatenate([s, a[2 * half :]]) if len(a) % 2 else s
    return (a[0], low) if len(a) else (low, low.copy())


def add(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    """Sum of two twofold numbers."""
    s, e = two_sum(a[0], b[0])
    return two_sum(s, e + (a[1] + b[1]))
