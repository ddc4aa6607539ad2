"""Cholesky factorisation of a Gram matrix in correlation form: the fast road of least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpocon, dpotrf, dpotrs

from linework.data.blocks import Array

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """G = D RᵀR D with R upper triangular: factorised once, solved for many right-hand sides.

    Attributes
    ----------
    scale : array of shape (d,)
        D, the root of G's diagonal; 1 for a column of zeros. It takes the columns' units out, so
        that the condition number says how collinear they are.
    R : array of shape (d, d)
    condition : float
        Condition number of R, which is that of the scaled columns.

    Notes
    -----
    d³/3 operations to factorise, 2d² for each right-hand side. A solution's relative error is about
    ``condition² · 2e-16``.
    """

    scale: Array
    R: Array
    condition: float

    def solve(self, rhs: Array) -> Array:
        """G⁻¹ rhs for ``rhs`` of shape (d, t)."""
        solution: Array = dpotrs(self.R, rhs / self.scale[:, None])[0]
        return solution / self.scale[:, None]

    def whiten(self, rows: Array) -> Array:
        """Z with ZZᵀ = rows G⁻¹ rowsᵀ, for ``rows`` of shape (m, d)."""
        Z: Array = solve_triangular(self.R, (rows / self.scale).T, trans="T", check_finite=False)
        return Z.T

    def inverse(self) -> Array:
        """G⁻¹, shape (d, d), exactly symmetric."""
        half = self.whiten(np.eye(len(self.scale)))
        return half @ half.T


def column_scale(squares: Array) -> Array:
    """Root of a Gram matrix's diagonal, with 1 in the place of zeros."""
    scale: Array = np.sqrt(squares)
    scale[scale == 0.0] = 1.0
    return scale


def cholesky(gram: Array) -> Factor | None:
    """Factorise ``gram`` of shape (d, d); None where it is singular to working precision.

    The condition number is LAPACK's estimate from R in the 1-norm, within a small factor.
    """
    scale = column_scale(np.diag(gram).copy())
    correlation = gram / scale / scale[:, None]
    R, info = dpotrf(correlation, lower=0, clean=1, overwrite_a=0)
    if info:
        return None
    reciprocal, _ = dpocon(R, np.abs(correlation).sum(axis=0).max(initial=0.0))
    return None if reciprocal < EPS else Factor(scale, R, float(reciprocal**-0.5))
