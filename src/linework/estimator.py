"""What estimators share whatever their model: reading a table, splitting it for validation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils._metadata_requests import _raise_for_params, _routing_enabled
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _check_feature_names

from linework.candidates import ByRows
from linework.data.blocks import Array
from linework.data.sources import Table, as_table
from linework.folds import Split


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
        names = getattr(self, "feature_names_in_", getattr(self, "_names_from_pipeline", None))
        return tuple(f"x{j}" if names is None else str(names[j]) for j in columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def positions(rows: Any) -> Array:
    """Positions of rows that are given by positions or by a mask, in half the memory if they fit.

    Of K folds the positions of n rows are held K times over.
    """
    rows = np.asarray(rows)
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows
    fits = rows.max(initial=0) < np.iinfo(np.int32).max
    return np.asarray(rows, np.int32 if fits else np.intp)


class CrossValidated(BaseEstimator):
    """An estimator with a parameter ``cv``: a number of folds, a splitter, or the splits."""

    cv: Any

    def _fit_folds(self, *_: Any) -> Any:
        raise ByRows(f"{type(self).__name__} makes folds of its own within each fold.")

    def _splits(self, X: Any, y: Any, weight: Array | None, params: dict[str, Any]) -> list[Split]:
        """(training, test) positions; ``params``, such as groups, go to the splitter."""
        _raise_for_params(params, self, "fit")
        routed = process_routing(self, "fit", **params).splitter.split if _routing_enabled() else {}
        pairs = check_cv(self.cv, y, classifier=is_classifier(self)).split(X, y, **routed)
        splits = [(positions(train), positions(test)) for train, test in pairs]
        for number, split in enumerate(splits):
            for part, rows in zip(("training", "test"), split, strict=True):
                if not (len(rows) if weight is None else weight[rows].any()):
                    raise ValueError(
                        f"The {part} part of split {number} has no rows of positive weight: take "
                        "fewer folds, or a splitter that spreads such rows over all of them."
                    )
        return splits

    def get_metadata_routing(self) -> Any:
        """Which metadata go where: see scikit-learn's user guide on metadata routing.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        cv = None if isinstance(self.cv, str) else self.cv
        return router.add(splitter=check_cv(cv), method_mapping=mapping)
