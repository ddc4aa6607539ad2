"""What the classifiers by dichotomies share: learners of the columns, and their scores of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, is_regressor
from sklearn.multiclass import _fit_binary, _predict_binary
from sklearn.utils import get_tags
from sklearn.utils._metadata_requests import _raise_for_params, _routing_enabled
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    _check_method_params,
    _num_samples,
    check_is_fitted,
    has_fit_parameter,
)

from linework.classifier import SCORES
from linework.data.blocks import Array, Block
from linework.data.sources import as_table, check_weight
from linework.dichotomies import Learners
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.engine import map_rows
from linework.estimator import RowReader
from linework.labels import encode


def learner_has(attribute: str) -> Callable[[Any], bool]:
    """For `available_if`: whether the learners have a method, or its AttributeError."""

    def check(model: Any) -> bool:
        fitted = vars(model).get("estimators_")
        getattr(fitted[0] if fitted else model._learner(), attribute)
        return True

    return check


class DichotomyClassifier(MetaEstimatorMixin, ClassifierMixin, RowReader):
    """A classifier that asks a learner of two classes for each column of a coding matrix."""

    estimator: Any
    n_jobs: int | None
    classes_: Array
    estimators_: Any
    code_book_: Array
    pairwise_indices_: Any

    def _learner(self) -> Any:
        return LinearDiscriminantAnalysis() if self.estimator is None else self.estimator

    def _routed(self, method: str, sample_weight: Any, params: dict[str, Any]) -> dict[str, Any]:
        """What goes to the learners' method beside X and y."""
        _raise_for_params(params, self, method)
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        if _routing_enabled():
            routed: dict[str, Any] = process_routing(self, method, **params).estimator[method]
            return routed
        learner = self._learner()
        if sample_weight is not None and not has_fit_parameter(learner, "sample_weight"):
            raise ValueError(
                f"sample_weight is given, and {type(learner).__name__} takes none: leave it out, "
                "or choose an estimator that does."
            )
        return params

    def _encoded(self, X: Any, y: Any, params: dict[str, Any]) -> tuple[Array, Array]:
        """The classes that have rows of positive weight, and the number of each row's class."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        n = _num_samples(X)
        if not n:
            as_table(X, caller=type(self).__name__)  # refuses it
        weight = params.get("sample_weight")
        classes, number = encode(y, None if weight is None else check_weight(weight, n), n)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} can not be fit when only one class is present, and the "
                f"rows are of {len(classes)} class: give rows of another."
            )
        return classes, number

    def _fit_columns(self, X: Any, number: Array, code: Array, params: dict[str, Any]) -> Any:
        """The learners of the columns of a code (K, M); row i is of class ``number[i]``.

        Where the learner can, together: from the moments of the classes, or by passes that all
        share. Else one by one, each on the rows of its classes.
        """
        learner = self._learner()
        if hasattr(learner, "fit_dichotomies") and not params.keys() - {"sample_weight"}:
            together = learner.fit_dichotomies(
                self._read(X, sample_weight=params.get("sample_weight"), reset=True).with_group(
                    number
                ),
                code,
            )
            if together is not None:
                self.pairwise_indices_ = None
                return together
        return self._fit_each(X, number, code, params, None)

    def _fit_each(
        self, X: Any, number: Array, code: Array, params: dict[str, Any], labels: Any
    ) -> list[Any]:
        """One by one; ``labels`` name the columns that may have rows on one side only."""
        learner = self._learner()
        pairwise = get_tags(learner).input_tags.pairwise
        X = X if hasattr(X, "shape") else np.asarray(X)
        rows = [None if column.all() else np.flatnonzero(column[number]) for column in code.T]
        learners: list[Any] = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_column)(learner, X, number, code[:, m], rows[m], params, name)
            for m, name in enumerate([None] * code.shape[1] if labels is None else labels)
        )
        self.pairwise_indices_ = rows if pairwise else None
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(learners[0], name):
                setattr(self, name, getattr(learners[0], name))
        if pairwise:
            self.n_features_in_ = _num_samples(X)
        return learners

    def answers(self, X: Any) -> Array:
        """What the learners say of each row: +1 for the positive side of their column, else −1.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of int8 of shape (n, M)
        """
        return self._of_scores(X, lambda scores: np.where(scores > 0.0, 1, -1).astype(np.int8))

    def _of_scores(self, X: Any, function: Callable[[Array], Array], centred: bool = True) -> Array:
        """``function`` of the learners' scores (n, M), above zero for the positive side.

        Probabilities and regressions on 0 and 1 are taken about ½ and doubled, if ``centred``.
        """
        self._require_fit()
        learners = self.estimators_
        if not isinstance(learners, Learners) or learners.coef is None:
            return function(self._each(X, _centred_scores if centred else _predict_binary))
        coef, intercept = learners.coef.T, learners.intercept
        table = self._read(X, reset=False)
        step = max(1, SCORES // len(learners))

        def decide(block: Block) -> Array:
            parts = []
            for start in range(0, len(block), step):
                rows = block.X[start : start + step]
                with np.errstate(invalid="ignore", over="ignore"):  # told below, in words
                    scores = np.asarray(rows @ coef + intercept)
                if not np.isfinite(scores).all():
                    block.reject_nonfinite()
                parts.append(function(scores))
            return np.concatenate(parts)

        return map_rows(table, decide)

    def _of_shares(self, X: Any, function: Callable[[Array], Array]) -> Array:
        """``function`` of the learners' probabilities (n, M) of their positive sides."""
        self._require_fit()
        learners = self.estimators_
        if isinstance(learners, Learners) and learners.coef is not None:  # scores are log odds
            return self._of_scores(X, lambda scores: function(1.0 / (1.0 + np.exp(-scores))))
        return function(self._each(X, lambda learner, rows: learner.predict_proba(rows)[:, 1]))

    def _each(self, X: Any, function: Callable[[Any, Any], Array]) -> Array:
        """``function`` of each learner and the rows as it knows them, shape (n, M)."""
        indices = getattr(self, "pairwise_indices_", None)
        if not isinstance(self.estimators_, Learners):
            X = X if hasattr(X, "shape") else np.asarray(X)
        columns = [
            np.ravel(
                function(learner, X if not indices or indices[m] is None else X[:, indices[m]])
            )
            for m, learner in enumerate(self.estimators_)
        ]
        return np.column_stack(columns).astype(np.float64)

    def _require_fit(self) -> None:
        check_is_fitted(self)

    @property
    def n_classes_(self) -> int:
        """K."""
        return len(self.classes_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_learner = get_tags(self._learner()).input_tags
        tags.input_tags.pairwise = of_learner.pairwise
        tags.input_tags.sparse = of_learner.sparse
        return tags

    def get_metadata_routing(self) -> Any:
        """Which metadata go where: see scikit-learn's user guide on metadata routing.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        mapping.add(caller="partial_fit", callee="partial_fit")
        return MetadataRouter(owner=self).add(estimator=self._learner(), method_mapping=mapping)


def _fit_column(
    learner: Any,
    X: Any,
    number: Array,
    column: Array,
    rows: Array | None,
    params: dict[str, Any],
    label: Any,
) -> Any:
    positive = (column > 0).astype(np.intp)[number]
    if rows is not None:
        positive = positive[rows]
        params = _check_method_params(X, params, indices=rows)
        X, _ = _safe_split(learner, X, None, indices=rows)
    return _fit_binary(learner, X, positive, params, [f"not {label}", label])


def _centred_scores(learner: Any, X: Any) -> Array:
    scores = np.asarray(_predict_binary(learner, X), np.float64)
    if hasattr(learner, "decision_function") and not is_regressor(learner):
        return scores
    return 2.0 * scores - 1.0  # of targets 0 and 1, or probabilities
