"""Formulas, by formulaic: `y ~ a * b` without the y."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from linework.data.blocks import Array, Matrix
from linework.design.encoders import Encoder, LevelEncoder, NumberEncoder, Origin
from linework.design.frame import Frame, Rows
from linework.design.treatments import Nominal, Numeric, Settings
from linework.engine import map_reduce


@dataclass(frozen=True, slots=True, eq=False)
class FormulaTerms:
    """A formula, fitted: columns as numbers or categories, and what formulaic makes of them.

    Attributes
    ----------
    encoders : dict of str to Encoder
        How the columns that the formula names are read.
    spec : formulaic.ModelSpec
    kept : array of int
        The columns of the model matrix without its intercept.
    is_sparse : bool
        Whether the matrix takes less memory as CSR.
    """

    encoders: dict[str, Encoder]
    spec: Any
    kept: Array
    is_sparse: bool

    @classmethod
    def fitted(cls, formula: str, frame: Frame, settings: Settings) -> FormulaTerms:
        """What a formula makes of a table."""
        parsed = _parsed(formula, frame.names)
        for name, policy in (("missing", settings.missing), ("unseen", settings.unseen)):
            if policy not in ("error", "reference"):
                raise ValueError(
                    f"{name} is {policy!r}, and with a formula it is 'error' or 'reference': name "
                    "the terms by a dictionary to have the others."
                )
        if not settings.reference:
            raise ValueError(
                "reference is False, and a formula has '0 + ' for that: write it there."
            )
        if settings.scale:
            raise ValueError("scale is True, and a formula has scale(x) for that: write it there.")
        encoders = {}
        for j, column in enumerate(frame.columns):
            if _names(formula, column.name):
                treatment = Nominal() if column.kind == "text" else Numeric()
                learn = partial(_learned, treatment.statistic, j)
                stats = map_reduce(frame, learn)
                encoders[column.name] = treatment.encoder((j,), [column], stats, settings)
        data = _pandas(frame, encoders)
        result = _evaluated(lambda: parsed.get_model_matrix(data, {}, output="sparse", **RAISE))
        spec = result.model_spec
        kept = np.array(
            [k for k, name in enumerate(spec.column_names) if name != "Intercept"], np.intp
        )
        if not len(kept):
            raise ValueError(f"The formula {formula!r} has no terms but the intercept: name one.")
        is_sparse = 12 * result.nnz + 4 * len(data) < 8 * result.shape[0] * len(kept)
        return cls(encoders, spec, kept, is_sparse)

    def matrix(self, frame: Frame, sparse: bool, dtype: np.dtype[Any]) -> Matrix:
        """The model matrix of some rows, without its intercept."""
        data = _pandas(frame, self.encoders)
        output = "sparse" if sparse else "numpy"
        spec = self.spec.update(output=output)
        result = _evaluated(lambda: spec.get_model_matrix(data, {}, **RAISE))
        if sparse:
            matrix = sp.csr_array(result[:, self.kept], dtype=dtype)
            matrix.sort_indices()
            numbers = matrix.data
        else:
            matrix = numbers = np.asarray(result)[:, self.kept].astype(dtype)
        if not np.isfinite(numbers).all():
            raise ValueError(
                "The formula gives NaN or infinity for some rows: see that its functions, such as "
                "log, are of numbers they are defined for."
            )
        return matrix

    def origins(self, names: Any) -> list[list[Origin]]:
        """Of each column of the matrix: the columns its term is of, and formulaic's name of it."""
        found = []
        for place in self.kept:
            name = self.spec.column_names[place]
            columns = tuple(c for c in self.encoders if _names(name, c))
            found.append(Origin(name, columns, tuple(_level(name, c) for c in columns)))
        return [[origin] for origin in found]


RAISE = {"na_action": "raise"}


def _learned(statistic: Any, place: int, rows: Rows) -> Any:
    return statistic.from_columns([rows.columns[place]])


def _parsed(formula: str, names: Sequence[str]) -> Any:
    try:
        from formulaic import Formula
        from formulaic.errors import FormulaParsingError, FormulaSyntaxError
    except ImportError:
        raise ImportError(
            "A formula needs formulaic, which is not installed: pip install 'linework[formula]', "
            "or name the terms by a dictionary."
        ) from None
    try:
        parsed = Formula.from_spec(
            formula, context={"__formulaic_variables_available__": list(names)}
        )
    except (FormulaParsingError, FormulaSyntaxError) as error:
        raise ValueError(
            f"{formula!r} cannot be read as a formula, such as '~ age + C(sex) * dose': "
            f"{str(error).splitlines()[0]}"
        ) from None
    if hasattr(parsed, "lhs"):
        raise ValueError(
            f"The formula {formula!r} has a left side, and a design is of the columns alone: begin "
            "with '~', and give y to the model that follows."
        )
    return getattr(parsed, "rhs", parsed)


def _names(text: str, column: str) -> bool:
    """Whether a formula names a column; a dot names them all."""
    everything = re.search(r"(?<![\w)\].])\.(?![\w])", text)
    return bool(everything or re.search(rf"(?<!\w){re.escape(column)}(?!\w)", text))


def _level(name: str, column: str) -> str | None:
    """The level that a feature's name states of a column: a[T.b], a[b] or C(a, ...)[T.b]."""
    one = f"`?{re.escape(column)}`?"
    found = re.search(rf"(?:^|:)(?:{one}|C\({one}[^\[\]]*\))\[(?:T\.)?([^\]]*)\]", name)
    return found.group(1) if found else None


def _pandas(frame: Frame, encoders: dict[str, Encoder]) -> Any:
    """The columns that a formula names: numbers as floats, levels as categories in their order."""
    import pandas as pd

    found = {}
    for name, encoder in encoders.items():
        column = frame.columns[encoder.places[0]]
        column = column.part(0, frame.n_rows)
        if column.kind == "numbers" and column.values.dtype.kind in "iu":
            found[name] = column.values  # C(x) names its levels as they are
        elif isinstance(encoder, LevelEncoder):
            codes = encoder.level_numbers(column)
            found[name] = pd.Categorical.from_codes(codes, list(encoder.levels))
        else:
            assert isinstance(encoder, NumberEncoder)
            found[name] = encoder.slots([column])[0].values
    return pd.DataFrame(found, index=range(frame.n_rows))


def _evaluated(matrix: Any) -> Any:
    """The model matrix, or a sentence on why formulaic has none."""
    from formulaic.errors import DataMismatchWarning, FormulaicError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataMismatchWarning)
            return matrix()
    except DataMismatchWarning as error:
        raise ValueError(
            f"A column has a level that was not there when the formula was fitted ({error}): "
            "correct it, or leave the rows out."
        ) from None
    except (FormulaicError, ValueError) as error:
        raise ValueError(f"The formula cannot be evaluated: {error}") from None
