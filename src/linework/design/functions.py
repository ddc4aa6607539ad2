"""Functions of numbers: fitted bases, as data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from linework.data.blocks import Array


class Functions(ABC):
    """Functions φ_1, …, φ_k of g columns."""

    @abstractmethod
    def __call__(self, x: Array) -> Array:
        """Their values (rows, k) at x of shape (rows, g)."""

    @abstractmethod
    def labels(self, names: Sequence[str]) -> list[str]:
        """Their names, from those of the g columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Monomials(Functions):
    """Products of powers, by a fitted PolynomialFeatures.

    Attributes
    ----------
    features : PolynomialFeatures
    powers : array of int of shape (k, g)
    """

    features: Any
    powers: Array

    def __call__(self, x: Array) -> Array:
        """Π_j x_j^powers."""
        monomials: Array = self.features.transform(x)
        return monomials

    def labels(self, names: Sequence[str]) -> list[str]:
        """Such as x^2:z."""
        return [
            ":".join(
                name if power == 1 else f"{name}^{power}"
                for name, power in zip(names, row, strict=True)
                if power
            )
            for row in self.powers.tolist()
        ]


@dataclass(frozen=True, slots=True, eq=False)
class Splines(Functions):
    """B-splines, by a fitted SplineTransformer."""

    splines: Any

    def __call__(self, x: Array) -> Array:
        """Those of the first column, then those of the next."""
        values: Array = self.splines.transform(x)
        return values

    def labels(self, names: Sequence[str]) -> list[str]:
        """Such as spline(x, 1)."""
        count = self.splines.n_features_out_ // len(names)
        return [f"spline({name}, {k})" for name in names for k in range(1, count + 1)]


@dataclass(frozen=True, slots=True, eq=False)
class Bumps(Functions):
    """exp(−‖x − μ_j‖² / 2s²).

    Attributes
    ----------
    centres : array of shape (k, g)
    width : float
    """

    centres: Array
    width: float

    def __call__(self, x: Array) -> Array:
        """A bump about each centre."""
        squares = sum((x[:, [j]] - self.centres[:, j]) ** 2 for j in range(x.shape[1]))
        bumps: Array = np.exp(-0.5 * squares / self.width**2)
        return bumps

    def labels(self, names: Sequence[str]) -> list[str]:
        """Such as gaussian(x, z, 1)."""
        return [f"gaussian({', '.join(names)}, {k + 1})" for k in range(len(self.centres))]


@dataclass(frozen=True, slots=True, eq=False)
class Steps(Functions):
    """σ((x − μ_j) / s), of one column.

    Attributes
    ----------
    centres : array of shape (k, 1)
    width : float
    """

    centres: Array
    width: float

    def __call__(self, x: Array) -> Array:
        """A step at each centre."""
        steps: Array = expit((x - self.centres[:, 0]) / self.width)
        return steps

    def labels(self, names: Sequence[str]) -> list[str]:
        """Such as sigmoid(x, 1)."""
        return [f"sigmoid({names[0]}, {k + 1})" for k in range(len(self.centres))]


@dataclass(frozen=True, slots=True, eq=False)
class Waves(Functions):
    """sin(2πfx / T), cos(2πfx / T), of one column.

    Attributes
    ----------
    frequencies : array of int of shape (k / 2,)
    period : float
    """

    frequencies: Array
    period: float

    def __call__(self, x: Array) -> Array:
        """A sine and a cosine of each frequency."""
        angles = 2.0 * np.pi * (x / self.period) * self.frequencies
        return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(len(x), -1)

    def labels(self, names: Sequence[str]) -> list[str]:
        """Such as sin(x, 1)."""
        return [f"{wave}({names[0]}, {f})" for f in self.frequencies for wave in ("sin", "cos")]
