"""Least squares from a triangular factor: for collinear columns, missing rank and few rows."""

from __future__ import annotations

import numpy as np

from linework.data.blocks import Array
from linework.solvers.spectral import Spectrum

INDEPENDENT = 1e-7
"""Length left of a unit direction for it to count as independent; that of R's ``lm``."""

UNEVEN = 1e6
"""Ratio of the columns' scales from which rounding errors of a small coefficient, seen by a large
column, would count: a null vector is taken off in the columns' own units then, which costs d³."""


def minimum_norm(spectrum: Spectrum, scale: Array) -> Array:
    """The least-squares coefficients of smallest norm, shape (d, t).

    Parameters
    ----------
    spectrum : Spectrum
        Of the columns divided by ``scale``, where rank is told best.
    scale : array of shape (d,)

    Notes
    -----
    With X = X̃D and X̃ = U S Vᵀ, any solution plus a vector from the null space of X is a solution;
    the smallest lies in the space of X's rows, spanned by DV.
    """
    scaled = spectrum.coef(np.zeros(1))
    coef = scaled / scale[:, None]
    if spectrum.rank == len(scale):
        return coef
    if scale.max() <= UNEVEN * scale.min():
        basis = np.linalg.qr(scale[:, None] * spectrum.vectors)[0]
        return np.asarray(basis @ (basis.T @ coef))
    null = _null_space(spectrum)
    part = np.linalg.lstsq(null / scale[:, None], coef, rcond=None)[0]
    return np.asarray((scaled - null @ part) / scale[:, None])


def aliased_columns(spectrum: Spectrum) -> tuple[int, ...]:
    """Positions of the columns that the columns before them explain: what R's ``lm`` reports as NA.

    With X = U S Vᵀ, the columns of X depend on one another as the rows of V do; and column j
    depends on the columns before it just where row j of the null space's basis is independent of
    the rows after it. The smaller of the two bases is searched.
    """
    d = len(spectrum.vectors)
    if 2 * spectrum.rank <= d:
        independent = _first_independent(spectrum.vectors, spectrum.rank)
        return tuple(sorted(set(range(d)) - set(independent)))
    null = _null_space(spectrum)
    return tuple(sorted(d - 1 - j for j in _first_independent(null[::-1], d - spectrum.rank)))


def _null_space(spectrum: Spectrum) -> Array:
    """Orthonormal directions (d, d − r) that the scaled columns do not see."""
    directions: Array = np.linalg.qr(spectrum.vectors, mode="complete")[0][:, spectrum.rank :]
    return directions


def _first_independent(rows: Array, rank: int) -> list[int]:
    """Positions of the first ``rank`` rows that are independent of the rows before them."""
    found: list[int] = []
    rest = rows.copy()
    for j in range(len(rows)):
        norm = np.linalg.norm(rest[j])
        if len(found) < rank and norm > INDEPENDENT:
            found.append(j)
            direction = rest[j] / norm
            rest -= np.outer(rest @ direction, direction)
    return found
