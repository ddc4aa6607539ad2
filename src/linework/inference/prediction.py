"""Predictions with standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linework.data.blocks import Array, Block
from linework.engine import map_rows
from linework.inference.coordinates import Coordinates
from linework.inference.line import Line, dense_tiles
from linework.regression.linear import LinearRegression
from linework.regression.log_linear import LogLinearRegression


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """The line, and the covariance M of its coefficients in the design's coordinates.

    Attributes
    ----------
    model : LinearRegression
        Which knows the columns it was fitted on.
    columns : array of int
        Those that have a slope of their own.
    line : Line
    coordinates : Coordinates
    meat : array of shape (k, k)
        M.
    """

    model: LinearRegression
    columns: Array
    line: Line
    coordinates: Coordinates
    meat: Array

    def __call__(self, X: Any) -> tuple[Array, Array]:
        """The line at each row and its standard error √(qᵀMq), each of shape (n,)."""
        table = self.model._read(X, reset=False)
        if len(self.columns) < table.n_columns:
            table = table.columns(self.columns)

        def both(block: Block) -> Array:
            block.reject_nonfinite()
            parts = []
            for rows, dense in dense_tiles(block):
                Q = self.coordinates.rows(dense)
                error = np.sqrt(np.einsum("ij,ij->i", Q @ self.meat, Q))
                parts.append(np.column_stack([self.line.values(rows), error]))
            return np.concatenate(parts)

        value, error = map_rows(table, both).T
        return value, error

    def on_scale_of_y(self, value: Array) -> Array:
        """The value, or its exponential where the line is of ln y."""
        return np.exp(value) if isinstance(self.model, LogLinearRegression) else value
