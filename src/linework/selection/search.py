"""Grid search with cross-validation, from fold statistics where the estimator allows."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn import model_selection
from sklearn.base import is_classifier
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import indexable
from sklearn.utils._metadata_requests import _routing_enabled
from sklearn.utils.validation import _check_method_params

from linework.candidates import ByRows
from linework.selection.rules import SE, check_rule, simplicity, standard_errors, winner
from linework.selection.served import Task, require_served, score_folds


class GridSearchCV(model_selection.GridSearchCV):
    """scikit-learn's `GridSearchCV`, with folds and candidates that share reads of the rows.

    A linework estimator solved from statistics is fitted to all folds from one pass: each
    candidate is solved from the statistics of the other folds, regression scores come from the
    moments of the held-out rows, and classification scores from one read of them for all
    candidates. Logistic regressions follow their paths of C through all folds. Anything else, such
    as another package's estimator or a pipeline, whose transformers must be fitted again within
    each fold, goes scikit-learn's way; ``road_`` says which, and why. Results are the same.

    Parameters
    ----------
    estimator : estimator
    param_grid : dict or list of dict
    scoring : str, callable, list, tuple or dict, default=None
    n_jobs : int, default=None
        Where the search goes scikit-learn's way; else see `threads`.
    refit : bool, str or callable, default=True
    cv : int, splitter or iterable of (train, test), default=None
    verbose : int, default=0
    pre_dispatch : int or str, default="2*n_jobs"
    error_score : "raise" or number, default=nan
    return_train_score : bool, default=False
        All as in scikit-learn.
    rule : "best", "one_se" or float, default="best"
        Who wins: the best mean score; or the simplest candidate whose mean score is within one
        standard error of the best; or within so many per cent of it.
    simpler : dict, default=None
        What makes a candidate simpler: ``{"alpha": "larger"}`` or ``"smaller"``, the first
        parameter weighing most. By default the estimator says so: larger penalties and more
        shrinkage are simpler.

    Attributes
    ----------
    cv_results_ : dict
        As in scikit-learn, with the standard error of each mean score, ``se_test_score``, and the
        ``road`` taken: ``"statistics"``, ``"shared passes"`` or ``"rows"``. Times are each
        candidate's share of what was done together.
    road_ : str
        The road, and why where it is that of the rows.
    best_estimator_, best_params_, best_score_, best_index_, n_splits_, scorer_, refit_time_
        As in scikit-learn; the best by `rule`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import GridSearchCV, Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = GridSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1.0]}, rule="one_se").fit(X, y)
    >>> search.best_params_, round(float(search.best_score_), 3), search.road_
    ({'alpha': 0.1}, 0.48, 'statistics')
    """

    _parameter_constraints: ClassVar = {
        **model_selection.GridSearchCV._parameter_constraints,
        "rule": "no_validation",
        "simpler": [dict, None],
    }

    cv: Any
    road_: str

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        rule: Any = "best",
        simpler: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.rule = rule
        self.simpler = simpler

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Score every candidate in every fold, choose one, and fit it to all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,) or (n, t)
        **params
            For ``fit``, the scorer and the splitter, such as sample_weight and groups, as in
            scikit-learn.

        Returns
        -------
        self
        """
        check_rule(self.rule)
        cv = self.cv
        try:
            return self._fit_served(X, y, params)
        except ByRows as reason:
            self.road_ = f"rows: {reason}"
            super().fit(X, y, **params)
        finally:
            self.cv = cv
        return self

    def _fit_served(self, X: Any, y: Any, params: dict[str, Any]) -> Self:
        """As `fit` in scikit-learn, the scores coming from all candidates and folds together."""
        self._validate_params()
        if y is None:
            raise ByRows("There is no y.")
        if getattr(self, "_skl_callbacks", None):
            raise ByRows("Callbacks watch each fit.")
        scorers, metric = self._get_scorers()
        X, y = indexable(X, y)
        params = _check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        candidates = list(ParameterGrid(self.param_grid))
        require_served(self.estimator, candidates, routed.estimator.fit)
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        splits = list(cv.split(X, y, **routed.splitter.split))
        self.n_splits_ = len(splits)
        if not _routing_enabled():
            self.cv = splits  # drawn once, whichever road is taken in the end
        out, served = score_folds(
            Task(
                self.estimator,
                candidates,
                X,
                y,
                splits,
                scorers,
                routed.estimator.fit,
                routed.scorer.score,
                ("test", "train") if self.return_train_score else ("test",),
                self.error_score,
            )
        )
        self.road_ = served.road
        self.cv_results_ = self._format_results(candidates, self.n_splits_, out)
        self.multimetric_ = isinstance(out[0]["test_scores"], dict)
        results = self.cv_results_
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(_names(results))
            metric = self.refit
        self.scorer_ = scorers._scorers if isinstance(scorers, _MultimetricScorer) else scorers
        if not (self.refit or not self.multimetric_):
            return self
        self.best_index_ = self._select_best_index(self.refit, metric, results)
        self.best_params_ = results["params"][self.best_index_]
        if not callable(self.refit):
            self.best_score_ = results[f"mean_test_{metric}"][self.best_index_]
        if self.refit:
            start = time.perf_counter()
            self.best_estimator_ = served.refit(self.best_index_)
            self.refit_time_ = time.perf_counter() - start
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        return self

    def _format_results(self, candidates: Any, n_splits: int, out: Any, more: Any = None) -> Any:
        results = super()._format_results(candidates, n_splits, out, more)
        for name in _names(results):
            scores = [results[f"split{k}_test_{name}"] for k in range(n_splits)]
            results[SE.format(name)] = standard_errors(np.array(scores).T)
        results["road"] = np.full(len(candidates), self.road_.split(":")[0], dtype=object)
        return results

    def _select_best_index(
        self, refit: bool | str | Callable[..., int], metric: str, results: Any
    ) -> int:
        if self.rule == "best" or callable(refit):
            return int(super()._select_best_index(refit, metric, results))
        keys = simplicity(self.estimator, results["params"], self.simpler)
        return winner(self.rule, results[f"mean_test_{metric}"], results[SE.format(metric)], keys)


def _names(results: Any) -> list[str]:
    """The names of the scores among results."""
    start = "mean_test_"
    return [key.removeprefix(start) for key in results if key.startswith(start)]
