"""Twofold arithmetic: an unevaluated sum of two float64 numbers, about 32 digits.

The error-free transformations are Knuth's two-sum, Dekker's two-product with Veltkamp's split
(T. J. Dekker, 1971) and the extraction of leading parts (S. M. Rump, T. Ogita and S. Oishi, 2008).
A refinement step computes residuals with them, so that the solution is right to the last digits
whatever the condition of the problem.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linework.data.blocks import Array

SPLITTER = 134217729.0  # 2**27 + 1

Twofold = tuple[Array, Array]
"""High and low part."""


def two_sum(a: Any, b: Any) -> Twofold:
    """S = fl(a + b) and e with s + e = a + b exactly."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def split(a: Array) -> Twofold:
    """The leading 26 bits and the rest."""
    c = SPLITTER * a
    high = c - (c - a)
    return high, a - high


def add(a: Twofold, b: Twofold) -> Twofold:
    """Sum of two twofold numbers."""
    s, e = two_sum(a[0], b[0])
    return two_sum(s, e + (a[1] + b[1]))


def dot(a: Array, a_split: Twofold, b: Twofold, axis: int) -> Twofold:
    """Sum of a · b along an axis, for a with its `split` and a twofold b that broadcasts."""
    p = a * b[0]
    (a1, a2), (b1, b2) = a_split, split(b[0])
    error = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2
    high, low = _total(p, axis)
    return two_sum(high, low + (error + a * b[1]).sum(axis=axis))


def _total(a: Array, axis: int) -> Twofold:
    """Sum along an axis: the leading parts, which add up without error, and the rest.

    With σ a power of two above n·max|a|, q = (a + σ) − σ is a to the last bit of σ.
    """
    _, exponent = np.frexp(np.abs(a).max(axis=axis, keepdims=True, initial=0.0) * a.shape[axis])
    sigma = np.ldexp(1.0, exponent)
    q = (a + sigma) - sigma
    return q.sum(axis=axis), (a - q).sum(axis=axis)
