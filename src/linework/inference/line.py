"""The fitted line: its values and residuals at rows, and what is said of the residuals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Block
from linework.stats.centre import tile_rows


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """ȳ + (x − x̄)ᵀβ for one target: about the means nothing large cancels.

    Attributes
    ----------
    coef : array of shape (d,)
    x_mean : array of shape (d,)
        Zeros without an intercept, as is ȳ.
    y_mean : float
    target : int
        Position among the targets of the rows.
    """

    coef: Array
    x_mean: Array
    y_mean: float
    target: int = 0

    def values(self, block: Block) -> Array:
        """ȳ + (x − x̄)ᵀβ for each row."""
        return self.y_mean + self._deviations(block)

    def residuals(self, block: Block) -> Array:
        """Residuals r = (y − ȳ) − (x − x̄)ᵀβ for each row."""
        r: Array = (block.targets[:, self.target] - self.y_mean) - self._deviations(block)
        return r

    def _deviations(self, block: Block) -> Array:
        X = block.X
        if sp.issparse(X):
            return np.asarray(X @ self.coef - self.x_mean @ self.coef)
        step = tile_rows(X.shape[1])
        tiles = (X[start : start + step] for start in range(0, len(X), step))
        return np.concatenate([(tile - self.x_mean) @ self.coef for tile in tiles])


def dense_tiles(block: Block) -> Iterator[tuple[Block, Array]]:
    """The block's rows of positive weight, few at a time, each with its X as a float64 array."""
    rows = block.present()
    step = tile_rows(rows.X.shape[1])
    for start in range(0, len(rows), step):
        part = rows.take(np.arange(start, min(start + step, len(rows))))
        X = part.X.toarray() if sp.issparse(part.X) else part.X
        yield part, X.astype(np.float64, copy=False)


def quartiles(values: Array, weight: Array | None = None) -> Array:
    """Minimum, quartiles and maximum, shape (5,); a value of weight two counts as two.

    Between two of n values a quantile is interpolated: at position p (n − 1), as R does.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.inference.line import quartiles
    >>> quartiles(np.array([0.0, 1.0, 4.0]))
    array([0. , 0.5, 1. , 2.5, 4. ])
    """
    order = np.argsort(values)
    values = values[order]
    upto = np.arange(1.0, len(values) + 1) if weight is None else np.cumsum(weight[order])
    position = np.linspace(0.0, 1.0, 5) * max(upto[-1] - 1.0, 0.0)

    def at(index: Array) -> Array:
        found: Array = values[np.minimum(upto.searchsorted(index, "right"), len(values) - 1)]
        return found

    low = np.floor(position)
    below, above = at(low), at(np.ceil(position))
    quantiles: Array = below + (position - low) * (above - below)
    return quantiles
