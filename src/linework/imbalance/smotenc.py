"""SMOTE for tables of numbers and categories: categories are compared and counted, not encoded."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from linework.data.blocks import Array, Matrix
from linework.data.sources import Table, as_table
from linework.imbalance.kinds import (
    in_type,
    is_frame,
    reject_nonfinite,
    rows_between,
    with_columns,
    with_rows,
)
from linework.imbalance.smote import SMOTE, Pairs, draw_pairs, join, neighbours_of


class SMOTENC(SMOTE):
    """SMOTE for nominal and continuous columns.

    Numbers of a new row lie between two rows of the class, as in `SMOTE`; each category is the
    commonest among the k neighbours, of equally common ones that of the nearest. Two rows are as
    far apart as their numbers, and for each category that differs as the median of the numbers'
    standard deviations in the class more, in squares (Chawla et al., 2002).

    Parameters
    ----------
    categorical_features : "auto" or array-like, default="auto"
        Positions, names or a mask of the columns of categories; ``"auto"`` is those that a data
        frame holds as categories or words.
    sampling_strategy : str, float, dict or callable, default="auto"
        Which classes, and to what size: see `SMOTE`.
    random_state : int, RandomState or None, default=0
    k_neighbors : int or neighbours estimator, default=5
        Of an estimator the rows are numbers only, and it is refused.

    Attributes
    ----------
    sampling_strategy_ : dict
        Rows that are added, by class.
    categorical_features_, continuous_features_ : array of int
    median_std_ : dict of class to float
        How far apart two rows are by one category.

    Notes
    -----
    A category costs one comparison, however many categories its column has. It may be anything
    that can be compared; a gap is a category. Columns keep their types. Of a sparse table the rows
    of a class that is sampled are held as a dense array.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import SMOTENC
    >>> X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, 9.0, 9.5, 10.0], "kind": list("aabbccd")})
    >>> sampler = SMOTENC(["kind"], k_neighbors=2)
    >>> X_new, y_new = sampler.fit_resample(X, [0, 0, 0, 0, 1, 1, 1])
    >>> X_new["kind"].iloc[-1]
    'c'
    """

    def __init__(
        self,
        categorical_features: Any = "auto",
        *,
        sampling_strategy: Any = "auto",
        random_state: Any = 0,
        k_neighbors: Any = 5,
    ) -> None:
        super().__init__(
            sampling_strategy=sampling_strategy,
            random_state=random_state,
            k_neighbors=k_neighbors,
        )
        self.categorical_features = categorical_features

    def _resample(
        self, X: Any, numbers: Array, classes: Array, chosen: dict[Any, Array]
    ) -> tuple[Any, Array]:
        self._find_columns(X)
        numeric = _numeric(X, self.continuous_features_)
        reject_nonfinite(numeric)
        rng = check_random_state(self.random_state)
        self.median_std_: dict[Any, float] = {}
        parts: list[Pairs] = []
        sources: list[Array] = []
        for name, rows in chosen.items():
            if size := self.sampling_strategy_[name]:
                pairs, source = self._mixed(X, numeric, rows, name, size, rng)
                parts.append(pairs)
                sources.append(source)
        pairs = join(parts)
        source = np.concatenate(
            [np.empty((0, len(self.categorical_features_)), np.int64), *sources]
        )
        index = np.concatenate([np.arange(len(numbers)), pairs.base])
        return self._table(X, rows_between(numeric, *pairs), source), index

    def _mixed(
        self, X: Any, numeric: Table, rows: Array, name: Any, size: int, rng: Any
    ) -> tuple[Pairs, Array]:
        """New rows of a class, and for each category (size, m) a row that has it."""
        points = numeric.rows(rows).astype(numeric.dtype)
        points = points.toarray() if sp.issparse(points) else points
        self.median_std_[name] = unit = float(np.median(points.std(axis=0, dtype=np.float64)))
        codes = np.column_stack([_codes(X, j, rows) for j in self.categorical_features_])
        if hasattr(self.k_neighbors, "kneighbors"):
            raise ValueError(
                "k_neighbors is an estimator, which knows no categories: give a number."
            )
        found = neighbours_of(
            self.k_neighbors, "k_neighbors", points, name, codes=codes, penalty=unit**2
        )
        places = np.arange(len(rows))
        drawn = draw_pairs(places, found, size, rng)
        commonest = np.column_stack([_commonest(codes[found, c]) for c in range(codes.shape[1])])
        shown = found[places[:, None], commonest]  # for each row and column, who shows the category
        return Pairs(rows[drawn.base], rows[drawn.other], drawn.step), rows[shown[drawn.base]]

    def _table(self, X: Any, made: Matrix, source: Array) -> Any:
        """The rows of X and after them the new ones, of the same kind."""
        categorical, continuous = self.categorical_features_, self.continuous_features_
        if is_frame(X):
            frame = nw.from_native(X, eager_only=True)
            names = frame.columns
            new = {names[j]: made[:, c] for c, j in enumerate(continuous)}
            new |= {names[j]: frame[:, int(j)][source[:, c]] for c, j in enumerate(categorical)}
            return with_columns(X, new)
        if sp.issparse(X):
            more = np.empty((len(source), X.shape[1]), X.dtype)
            made, filled = made.toarray(), X
        else:
            filled = np.empty((len(X) + len(source), X.shape[1]), X.dtype)
            filled[: len(X)] = X
            more = filled[len(X) :]
        more[:, continuous] = in_type(made, X.dtype)
        for c, j in enumerate(categorical):
            more[:, j] = _column(X, j)[source[:, c]]
        return with_rows(X, more) if sp.issparse(X) else filled

    def _find_columns(self, X: Any) -> None:
        """Set the positions of the columns of categories and of numbers."""
        d, asked = X.shape[1], self.categorical_features
        schema = nw.from_native(X, eager_only=True).schema if is_frame(X) else {}
        if isinstance(asked, str) and asked == "auto":
            if not schema:
                raise ValueError(
                    'categorical_features="auto" needs a data frame, whose columns have types: of '
                    "an array give the positions of the columns of categories."
                )
            words = (nw.Categorical, nw.Enum, nw.String)
            found = [j for j, kind in enumerate(schema.values()) if kind in words]
        else:
            given = np.asarray(asked)
            if given.dtype == bool and given.shape == (d,):
                given = np.flatnonzero(given)
            names = list(schema)
            found = [names.index(j) if j in names else j for j in given.ravel().tolist()]
            if strange := [j for j in found if not (isinstance(j, int) and -d <= j < d)]:
                raise ValueError(
                    f"categorical_features holds {strange[0]!r}, and all features must be in "
                    f"[0, {d - 1}], or be names of columns, or truth values, one for each column."
                )
        self.categorical_features_ = np.unique(np.array(found, np.intp) % d)
        self.continuous_features_ = np.setdiff1d(np.arange(d), self.categorical_features_)
        if len(found) == 0:
            raise ValueError(
                "SMOTE-NC is not designed to work only with numerical features, and there is no "
                "column of categories: take SMOTE."
            )
        if len(self.continuous_features_) == 0:
            raise ValueError(
                "SMOTE-NC is not designed to work only with categorical features: it needs a "
                "column of numbers to say what is near."
            )


def _numeric(X: Any, columns: Array) -> Table:
    """The table of these columns, which hold numbers."""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        return as_table(frame[:, columns.tolist()].to_native())
    return as_table(X[:, columns]) if X.dtype.kind in "OUS" else as_table(X).columns(columns)


def _column(X: Any, j: int) -> Array:
    """A column of an array or sparse matrix, dense."""
    return np.asarray(X.tocsc()[:, [j]].toarray()[:, 0] if sp.issparse(X) else X[:, j])


def _codes(X: Any, j: int, rows: Array) -> Array:
    """Numbers for the categories in these rows of a column; gaps are one category."""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        entries = frame[:, int(j)][rows].to_list()
    else:
        entries = _column(X, j)[rows].tolist()
    seen: dict[Any, int] = {}
    gap = (None if isinstance(v, float) and v != v else v for v in entries)
    return np.array([seen.setdefault(v, len(seen)) for v in gap], np.int64)


def _commonest(codes: Array) -> Array:
    """Of each row's categories (q, k), where the commonest is first met."""
    return np.asarray((codes[:, :, None] == codes[:, None, :]).sum(axis=2).argmax(axis=1))
