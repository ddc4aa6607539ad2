"""Coordinates in which the information of several classes is the identity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array, Block
from linework.inference.coordinates import Coordinates
from linework.inference.covariance import Weights
from linework.solvers.cholesky import Factor


@dataclass(frozen=True, slots=True, eq=False)
class ClassCoordinates:
    """(1 ⊗ qᵀ) H for a row with q in the design's coordinates: a row of it for each of m log odds.

    H Hᵀ is the inverse of the information Σ w (diag(P) − PPᵀ) ⊗ qqᵀ, which knows nothing of how
    collinear the columns are. Coefficients stand by class and, in each, with the intercept first.

    Attributes
    ----------
    design : Coordinates
        Of the rows by their weights.
    half : array of shape (m, size of q, m · size of q)
        H.
    """

    design: Coordinates
    half: Array

    @classmethod
    def of(cls, design: Coordinates, factor: Factor) -> ClassCoordinates:
        """From a factor of the information."""
        size = len(factor.scale)
        half = factor.whiten(np.eye(size))
        return cls(design, half.reshape(-1, design.size, size))

    @property
    def size(self) -> int:
        """The number of coefficients."""
        return int(self.half.shape[2])

    def rows(self, X: Array) -> Array:
        """Of dense rows X (n, d): shape (n, m, k)."""
        Q = self.design.rows(X)
        return np.stack([Q @ part for part in self.half], axis=1)

    def scores(self, X: Array, u: Array, c: Array, power: int) -> tuple[Array, Array]:
        """The scores of rows with residuals u (n, m), and the least 1 − λ of each row (n,).

        λ are the eigenvalues of the leverage A G, with G (n, m, m) = rows rowsᵀ and A = diag(c) −
        ccᵀ / Σ c. Residuals are multiplied by (I − A G)^(−½ power): with power 2 and one class, by
        1 / (1 − h).

        Parameters
        ----------
        c : array of shape (n, m + 1)
            w P, of the class that others are compared with first.
        """
        F = self.rows(X)
        if not power:
            return np.einsum("ia,iak->ik", u, F), np.ones(len(F))
        # A = CCᵀ and u = Ce, of all classes: no root of an A whose P are zero is asked for
        root = np.sqrt(c)
        unit = root / np.linalg.norm(root, axis=1, keepdims=True)
        C = root[:, :, None] * (np.eye(c.shape[1]) - unit[:, :, None] * unit[:, None, :])
        full = np.column_stack([-u.sum(axis=1), u])
        e = np.divide(full, root, out=np.zeros_like(full), where=root > 0.0)
        E = np.einsum("iak,iac->ick", F, C[:, 1:])
        values, vectors = np.linalg.eigh(E @ E.transpose(0, 2, 1))
        with np.errstate(divide="ignore", invalid="ignore"):  # told by who asks for them
            along = np.einsum("ick,ic->ik", vectors, e) * (1.0 - values) ** (-0.5 * power)
        e = np.einsum("ick,ik->ic", vectors, along)
        return np.einsum("ic,ick->ik", e, E), 1.0 - values[:, -1]

    def to_coef(self) -> Array:
        """T (k, k): the covariance of the coefficients is T M Tᵀ, as of `Coordinates`."""
        return np.concatenate([self.design.to_coef() @ part for part in self.half])

    def spread(self, meat: Array, columns: Array, n_features: int) -> Array:
        """T M Tᵀ among the coefficients of all columns; NaN for those that are not defined."""
        T = self.to_coef()
        size = (n_features + int(self.design.intercept)) * len(self.half)
        covariance, places = T @ meat @ T.T, self.places(columns, n_features)
        full = np.full((size, size), np.nan)
        full[np.ix_(places, places)] = 0.5 * (covariance + covariance.T)
        return full

    def places(self, columns: Array, n_features: int) -> Array:
        """Positions of these coefficients among those of all columns."""
        each = n_features + int(self.design.intercept)
        first = np.arange(len(self.half))[:, None] * each
        return np.asarray((first + self.design.places(columns)).ravel())


@dataclass(frozen=True, slots=True)
class ClassScores:
    """Scores of rows with targets [P, 1[y = k] − P]: `covariance.Scores`.

    u = 1[y = k] − P and c = P, w times; for weights that are numbers of trials, w times both, once.

    Attributes
    ----------
    weights : {"frequency", "precision"}
    """

    weights: Weights

    def __call__(self, rows: Block) -> tuple[Array, Array, Array]:
        """U of all classes but the first, number and c of all classes."""
        P, r = np.hsplit(rows.targets, 2)
        one = np.ones(len(P))
        w = one if rows.weight is None else rows.weight
        if self.weights == "precision":
            return w[:, None] * r[:, 1:], one, w[:, None] * P
        return r[:, 1:], w, P
