"""A quadratic model of an objective: a Hessian, and what steps since then have taught of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from linework.data.blocks import Array
from linework.engine import blas_for
from linework.solvers.cholesky import EPS, column_scale
from linework.solvers.orthogonal import minimum_norm
from linework.solvers.spectral import Spectrum

Linear = Callable[[Array], Array]

LARGE = 256
"""Parameters from which factorising costs more than a pass over the rows often does."""

SINGULAR = 1e2 * EPS
"""Share of a column, for each column, within which what the others leave of it is rounding."""


class Lesson(NamedTuple):
    """A step s (p,), the gradient's change along it, and Hs: H + cc'/(c's) − (Hs)(Hs)'/(s'Hs)."""

    step: Array
    change: Array
    image: Array
    along: float
    curved: float

    def added_to(self, H: Array) -> Array:
        """The BFGS update of H, after which H·step is the gradient's change."""
        c, image = self.change, self.image
        updated: Array = H + np.multiply.outer(c / self.along, c)
        updated -= np.multiply.outer(image / self.curved, image)
        return updated


def lesson(step: Array, change: Array, image: Array, diagonal: Array) -> Lesson | None:
    """What a step teaches of H, whose diagonal is given; None where it is rounding errors."""
    along, curved = float(change @ step), float(image @ step)
    parts = np.sqrt(np.abs(diagonal)) * step
    flat = curved <= 1e-12 * float(parts @ parts)
    if flat or along <= 1e-10 * curved or not np.isfinite(along):
        return None
    return Lesson(step, change, image, along, curved)


def taught(H: Array, step: Array, change: Array) -> Array:
    """The BFGS update of H, or H where the step teaches nothing."""
    learnt = lesson(step, change, H @ step, H.diagonal())
    return H if learnt is None else learnt.added_to(H)


class Quadratic:
    """The Hessian H of a model gᵀs + ½ sᵀHs, which learns from steps by BFGS updates.

    A large one is factorised once: solves go through the updates and not through an updated
    matrix, which is formed where it is asked for. Of a small one the updated matrix is factorised,
    which keeps more digits where columns are nearly dependent.

    Parameters
    ----------
    hessian : array of shape (p, p)
    """

    def __init__(self, hessian: Array) -> None:
        self._hessian = hessian
        self._lessons: list[Lesson] = []
        self._diagonal = hessian.diagonal()
        self._solve: Linear | None = None

    @property
    def nbytes(self) -> int:
        """The memory that the matrix takes."""
        return self._hessian.nbytes

    def teach(self, step: Array, change: Array) -> None:
        """Learn the gradient's change along a step."""
        image = self._hessian @ step
        for one in self._lessons:
            image += one.change * float(one.change @ step / one.along)
            image -= one.image * float(one.image @ step / one.curved)
        learnt = lesson(step, change, image, self._diagonal)
        if learnt is not None:
            self._lessons.append(learnt)
            self._diagonal = self._diagonal + change**2 / learnt.along - image**2 / learnt.curved

    def matrix(self) -> Array:
        """H, with all it has been taught."""
        if self._lessons:
            for one in self._lessons:
                self._hessian = one.added_to(self._hessian)
            self._lessons, self._solve = [], None
        return self._hessian

    def solve(self, rhs: Array) -> Array:
        """H⁻¹ rhs for rhs (p,), 4p operations for each lesson."""
        if self._solve is None and len(rhs) >= LARGE:
            self._solve = _definite(self._hessian)
        if self._solve is None:  # what was taught may tell directions apart that it does not
            return solve_semidefinite(self.matrix(), rhs)
        left, shares = rhs, []
        for one in reversed(self._lessons):
            shares.append(float(one.step @ left / one.along))
            left = left - shares[-1] * one.change
        solution = self._solve(left)
        for one, share in zip(self._lessons, reversed(shares), strict=True):
            solution = solution + (share - float(one.change @ solution / one.along)) * one.step
        return solution


def solve_semidefinite(H: Array, rhs: Array) -> Array:
    """H⁻¹ rhs for rhs (p, …); where H is singular to working precision, of least norm.

    Rank is told best in correlation form; the least norm is that of the parameters as they are.
    """
    if (solve := _definite(H)) is not None:
        return solve(rhs)
    scale = column_scale(H.diagonal())[:, None]
    correlation = H / scale / scale.T
    noise = SINGULAR * len(H) * float(np.linalg.norm(correlation, 1))
    spectrum = Spectrum.from_gram(correlation, rhs.reshape(len(H), -1) / scale, noise)
    return minimum_norm(spectrum, scale[:, 0]).reshape(rhs.shape)


def _definite(H: Array) -> Linear | None:
    """Rhs (p, …) ↦ H⁻¹ rhs, by Cholesky of the correlation form; None where H is singular."""
    scale = column_scale(H.diagonal())[:, None]
    with blas_for(len(H)):
        R, info = dpotrf(H / scale / scale.T, lower=0, clean=0)
    if info or np.square(R.diagonal()).min(initial=1.0) <= SINGULAR * len(H):
        return None

    def solve(rhs: Array) -> Array:
        with blas_for(len(H)):
            scaled = dpotrs(R, rhs.reshape(len(H), -1) / scale)[0] / scale
        return np.asarray(scaled).reshape(rhs.shape)

    return solve
