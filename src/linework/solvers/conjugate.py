"""Conjugate gradients: ridge and least squares for more columns than a d × d matrix allows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linework.data.blocks import Array
from linework.progress import shown


@shown("Conjugate gradients")
def conjugate_gradient(
    product: Callable[[Array], Array], rhs: Array, diagonal: Array, tol: float, max_iter: int
) -> tuple[Array, float, int]:
    """Solve H B = rhs for a positive semidefinite H that is known by its products only.

    Parameters
    ----------
    product : callable
        P (d, t) ↦ HP: one pass over the rows.
    rhs : array of shape (d, t)
    diagonal : array of shape (d,)
        M, a diagonal approximation of H, the preconditioner.
    tol : float
        The residual's size, in the norm of M⁻¹ and beside that of ``rhs``, to stop at.
    max_iter : int

    Returns
    -------
    B (d, t), the largest relative residual, and the number of passes. Where H is singular and M the
    identity, B is the solution of minimum norm.

    Notes
    -----
    Passes grow as the square root of the condition number of M⁻¹H.
    """
    coef = np.zeros_like(rhs)
    residual = rhs.copy()
    z = residual / diagonal[:, None]
    direction = z.copy()
    size = (residual * z).sum(axis=0)
    start = np.where(size > 0.0, size, 1.0)
    passes = 0
    while (worst := float(np.sqrt((size / start).max(initial=0.0)))) > tol and passes < max_iter:
        image = product(direction)
        passes += 1
        curvature = (direction * image).sum(axis=0)
        step = size / np.where(curvature > 0.0, curvature, np.inf)
        coef += step * direction
        residual -= step * image
        z = residual / diagonal[:, None]
        before, size = size, (residual * z).sum(axis=0)
        direction = z + (size / np.where(before > 0.0, before, np.inf)) * direction
    return coef, worst, passes
