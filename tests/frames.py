"""One table as each kind of data frame."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp


def dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def chunked(table: pa.Table) -> pa.Table:
    """The table in two chunks, cut at a third."""
    cut = table.num_rows // 3
    return pa.concat_tables([table.slice(0, cut), table.slice(cut)])


FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas_objects": lambda data: pd.DataFrame(data).astype(
        {name: object for name, values in data.items() if isinstance(values[0], str)}
    ),
    "polars": pl.DataFrame,
    "arrow": lambda data: chunked(pa.table(data)),
}


every_frame = pytest.mark.parametrize("as_data_frame", FRAMES.values(), ids=FRAMES)
