"""`Design`: a table's columns as the numbers of a linear model."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import (
    _check_feature_names,
    _check_feature_names_in,
    _check_n_features,
    check_is_fitted,
)

from linework.data.blocks import Array, Matrix
from linework.design.encoders import Origin, Policy
from linework.design.formula import FormulaTerms
from linework.design.frame import Frame, Kind, Rows, as_frame
from linework.design.slots import CsrRows, Slot, fill_dense
from linework.design.terms import Encoders, read_terms
from linework.design.treatments import Settings, check_policy
from linework.engine import map_each, map_reduce


class Design(TransformerMixin, BaseEstimator):
    """Columns of any kind as the numbers of a linear model: R's ``model.matrix``, fitted.

    Numbers stay numbers, truth values become 0 and 1, text and categories indicators of their
    levels, dates days since the first. What else a column is to be, ``terms`` says. The intercept
    belongs to the model that follows.

    Parameters
    ----------
    terms : dict or str, optional
        What columns become, by name, where their type does not say it: ``"numeric"``,
        ``"nominal"``, ``"ordinal"``, ``"dates"``, ``"drop"``; levels from the lowest to the
        highest, ``["S", "M", "L"]``, or a number for each, ``{"S": 1, "M": 2, "L": 4}``; a basis,
        ``"polynomial"``, ``"spline"``, ``"gaussian"``, ``"sigmoid"``, ``"fourier"``; or an object
        with settings, such as ``Spline(knots=8)`` or ``Nominal(reference="placebo")``. A tuple of
        names is a group: ``("x", "z"): Polynomial(3)``, and ``("age", "sex"): "interaction"`` adds
        the products of what the two have become.

        A string is a formula, such as ``"~ age + C(sex) * poly(dose, 2)"``, and names all there
        is; it needs formulaic, ``linework[formula]``.
    reference : bool, default=True
        Whether the first level of a nominal column has no indicator, as in R: the others then are
        differences from it. False: each level has one, as in scikit-learn; for models with a
        penalty.
    missing, unseen : {"error", "reference", "indicator", "ignore"}, default="error"
        What a missing value becomes, and a level that is none of the column's. ``"error"``: a
        sentence with column, level and row. ``"reference"``: the reference level; of numbers and
        dates the mean. ``"indicator"``: a one in a column of its own. ``"ignore"``: zeros.
    scale : bool, default=False
        Whether numbers and dates are taken less their mean, over their standard deviation. Truth
        values, ordinal levels and basis functions are left alone.
    sparse : bool or "auto", default="auto"
        Whether `transform` gives a CSR matrix; ``"auto"``: where that takes less than
        half the memory.
    dtype : {"float64", "float32"}, default="float64"
        Of the numbers that `transform` gives.

    Attributes
    ----------
    terms_ : Encoders or FormulaTerms
        The fitted terms: levels, means, ends.
    kinds_ : tuple of str
        What each column held: numbers, truth values, text, dates.
    sparse_ : bool
        Whether `transform` gives a CSR matrix.

    See Also
    --------
    sklearn.preprocessing.OneHotEncoder, sklearn.compose.ColumnTransformer

    Notes
    -----
    Levels, means and ends are read in one pass, as a statistic that merges. Levels are those that
    the column's type declares, in that order (categories of pandas, an Enum of polars, an ordered
    dictionary of Arrow), and else those that are there, sorted. Text that hardly repeats is
    refused.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, LinearRegression
    >>> rows = pd.DataFrame(
    ...     {
    ...         "colour": ["green", "black", "green", "white"],
    ...         "sound": ["muffled", "crisp", "dull", "dull"],
    ...         "sugar": [0.46, 0.38, 0.26, 0.31],
    ...     }
    ... )
    >>> design = Design({"sound": ["crisp", "dull", "muffled"]})
    >>> design.set_output(transform="pandas").fit_transform(rows)
       colour=green  colour=white  sound  sugar
    0           1.0           0.0    1.0   0.46
    1           0.0           0.0    0.0   0.38
    2           1.0           0.0    0.5   0.26
    3           0.0           1.0    0.5   0.31
    """

    terms_: Encoders | FormulaTerms
    kinds_: tuple[Kind, ...]
    n_features_in_: int

    def __init__(
        self,
        terms: Mapping[Any, Any] | str | None = None,
        *,
        reference: bool = True,
        missing: Policy = "error",
        unseen: Policy = "error",
        scale: bool = False,
        sparse: bool | Literal["auto"] = "auto",
        dtype: Any = "float64",
    ) -> None:
        self.terms = terms
        self.reference = reference
        self.missing = missing
        self.unseen = unseen
        self.scale = scale
        self.sparse = sparse
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> Design:
        """Learn levels, means and ends of the columns.

        Parameters
        ----------
        X : pandas, polars or Arrow table, or array-like, of shape (n, d)
        y : ignored

        Returns
        -------
        Design
        """
        frame = self._fit(X)
        if isinstance(self.terms_, Encoders) and self.terms_.has_gaps:
            self._map(frame, lambda rows, piece: None)  # where that is an error, it names the row
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit` and `transform` of the same rows.

        Parameters
        ----------
        X : pandas, polars or Arrow table, or array-like, of shape (n, d)
        y : ignored

        Returns
        -------
        array or CSR array of shape (n, p)
        """
        return self._encode(self._fit(X))

    def transform(self, X: Any) -> Any:
        """The numbers of some rows.

        Parameters
        ----------
        X : table or array-like of shape (n, d)
            With the columns that the design was fitted on.

        Returns
        -------
        array or CSR array of shape (n, p)
        """
        check_is_fitted(self)
        return self._encode(self._read(X, reset=False))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of an array.

        Returns
        -------
        array of str of shape (p,)
        """
        check_is_fitted(self)
        names = [origin.name for origin in self._origins(input_features)]
        return np.array(names, dtype=object)

    def origins(self) -> tuple[Origin, ...]:
        """Which columns of the table, and which of their levels, each coefficient is about.

        Returns
        -------
        tuple of Origin
            One for each column that `transform` gives, with ``name``, ``columns`` and ``levels``.

        Examples
        --------
        >>> import pandas as pd
        >>> from linework import Design
        >>> rows = pd.DataFrame({"age": [31, 45], "sex": ["f", "m"]})
        >>> design = Design({("age", "sex"): "interaction"}).fit(rows)
        >>> for origin in design.origins():
        ...     print(origin.name, origin.columns, origin.levels)
        age ('age',) (None,)
        sex=m ('sex',) ('m',)
        age:sex=m ('age', 'sex') (None, 'm')
        """
        check_is_fitted(self)
        return tuple(self._origins(None))

    def _origins(self, input_features: Any) -> list[Origin]:
        names = _check_feature_names_in(self, input_features)
        return list(chain(*self.terms_.origins([str(name) for name in names])))

    def _fit(self, X: Any) -> Frame:
        self._check_settings()
        frame = self._read(X, reset=True)
        settings = Settings(self.reference, self.missing, self.unseen, self.scale)
        if isinstance(self.terms, str):
            self.terms_ = FormulaTerms.fitted(self.terms, frame, settings)
            self.sparse_ = self.sparse is True or (self.sparse == "auto" and self.terms_.is_sparse)
            return frame
        terms = read_terms(self.terms, frame)
        frame = self._hashed(frame, terms.with_levels)
        stats = map_reduce(frame, terms.statistic)
        self.terms_ = terms.encoders(frame, stats, settings)
        slots = self.terms_.origins(frame.names)
        size, width = self._dtype.itemsize, sum(map(len, slots))
        if not width:
            raise ValueError(
                "No feature is left: each column has one level, and that is the reference. Set "
                "reference=False, or leave the design out."
            )
        names = Counter(origin.name for slot in slots for origin in slot)
        if len(names) < width:
            [(name, _)] = names.most_common(1)
            raise ValueError(
                f"Two features have the name {name!r}: rename the column that is called so, or "
                "leave one of them out."
            )
        smaller = (size + 4) * len(slots) + 4 < size * width / 2
        self.sparse_ = smaller if self.sparse == "auto" else bool(self.sparse)
        return frame

    def _read(self, X: Any, *, reset: bool) -> Frame:
        frame = as_frame(X, caller=type(self).__name__)
        _check_feature_names(self, X, reset=reset)
        _check_n_features(self, frame.native, reset=reset)
        if reset:
            self.kinds_ = tuple(column.kind for column in frame.columns)
        for column, kind in zip(frame.columns, self.kinds_, strict=True):
            if column.kind not in (kind, "nothing") and kind != "nothing":
                raise ValueError(
                    f"Column {column.name!r} holds {column.kind}, and held {kind} where the design "
                    "was fitted: give values of that kind."
                )
        return frame

    @staticmethod
    def _hashed(frame: Frame, places: set[int]) -> Frame:
        """The frame, the text of these columns as codes: each value is hashed once."""
        columns = list(frame.columns)
        encoded = map_each(sorted(places), lambda j: columns[j].hashed(), "Columns encoded")
        for j, column in zip(sorted(places), encoded, strict=True):
            columns[j] = column
        return dataclasses.replace(frame, columns=tuple(columns))

    def _check_settings(self) -> None:
        check_policy("missing", self.missing)
        check_policy("unseen", self.unseen)
        if not isinstance(self.reference, bool | np.bool_):
            raise ValueError(
                f"reference is {self.reference!r}, and True or False is expected: name the "
                "reference of one column by Nominal(reference=...)."
            )
        if self.sparse not in (True, False, "auto"):
            raise ValueError(f"sparse is {self.sparse!r}, and True, False or 'auto' is expected.")
        _ = self._dtype

    @property
    def _dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = np.dtype(self.dtype)
        if dtype.char not in "fd":
            raise ValueError(f"dtype is {self.dtype!r}, and 'float64' or 'float32' is expected.")
        return dtype

    def _encode(self, frame: Frame) -> Matrix:
        # Names go with data frames only, and those are dense.
        config = _get_output_config("transform", self)["dense"]
        sparse = self.sparse_ and (self.sparse is True or config == "default")
        dtype = self._dtype
        if isinstance(self.terms_, FormulaTerms):
            return self.terms_.matrix(frame, sparse, dtype)
        slots = self.terms_.origins(frame.names)
        width = sum(map(len, slots))
        frame = self._hashed(frame, self.terms_.with_levels)
        if sparse:
            csr = CsrRows(frame.n_rows, width, len(slots), dtype)
            cuts = self._map(frame, lambda rows, piece: csr.fill(rows.start, rows.stop, piece))
            return csr.matrix(cuts)
        out = np.zeros((frame.n_rows, width), dtype)
        self._map(frame, lambda rows, piece: fill_dense(out[rows.start : rows.stop], piece))
        return out

    def _map(self, frame: Frame, use: Callable[[Rows, list[Slot]], object]) -> list[int]:
        """Call ``use(rows, slots)`` for each block; where the blocks begin."""
        terms: Any = self.terms_

        def work(chunk: Callable[[], Iterator[Rows]]) -> int:
            [rows] = chunk()
            try:
                with np.errstate(over="raise"):
                    use(rows, terms.slots(rows.columns))
            except FloatingPointError:
                raise ValueError(
                    f"A number in rows {rows.start} to {rows.stop - 1}, or a function of one, is "
                    f"too large for {self._dtype.name}: give the column in other units."
                ) from None
            return rows.start

        return map_each(frame.chunks(), work, "Rows encoded")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.transformer_tags.preserves_dtype = []  # it is a parameter
        return tags
