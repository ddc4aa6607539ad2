"""What every estimator does with the table it is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_feature_names

from linework.data.sources import Table, as_table


class RowReader(BaseEstimator):
    """An estimator of tables: it notes their columns in `fit` and compares them afterwards."""

    n_features_in_: int

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None, *, reset: bool) -> Table:
        """The rows as a source; ``reset`` notes the columns' names, else they are compared."""
        table = as_table(X, y, sample_weight, caller=type(self).__name__)
        _check_feature_names(self, X, reset=reset)
        if reset:
            self.n_features_in_ = table.n_columns
        elif table.n_columns != self.n_features_in_:
            raise ValueError(
                f"X has {table.n_columns} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input: give the columns it was fitted on."
            )
        return table

    def _column_names(self, columns: Iterable[int]) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", None)
        return tuple(f"x{j}" if names is None else str(names[j]) for j in columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
