"""Splits for an estimator that cross-validates: any splitter, with its metadata routed to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import check_cv
from sklearn.utils._metadata_requests import _raise_for_params, _routing_enabled
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from linework.data.blocks import Array
from linework.folds import Split


def _positions(rows: Any) -> Array:
    """Positions of rows that are given by positions or by a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)


class CrossValidated(BaseEstimator):
    """An estimator with a parameter ``cv``: a number of folds, a splitter, or the splits."""

    cv: Any

    def _splits(self, X: Any, y: Any, weight: Array | None, params: dict[str, Any]) -> list[Split]:
        """(training, test) positions; ``params``, such as groups, go to the splitter."""
        _raise_for_params(params, self, "fit")
        routed = process_routing(self, "fit", **params).splitter.split if _routing_enabled() else {}
        pairs = check_cv(self.cv).split(X, y, **routed)
        splits = [(_positions(train), _positions(test)) for train, test in pairs]
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
