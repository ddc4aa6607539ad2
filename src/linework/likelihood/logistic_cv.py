"""Logistic regression with its penalty chosen by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils._metadata_requests import UNUSED, _raise_for_params, _routing_enabled
from sklearn.utils.metadata_routing import MethodMapping, process_routing
from sklearn.utils.validation import _check_method_params

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.estimator import CrossValidated
from linework.likelihood.fold_paths import Paths, PenaltyPath, follow_paths, part_of
from linework.likelihood.logistic import LogisticRegression
from linework.likelihood.path import C_penalties, Fit, as_Cs, check_list, warn_unfinished
from linework.likelihood.scoring import knowing_classes
from linework.progress import progress


class LogisticRegressionCV(CrossValidated, LogisticRegression):
    """`LogisticRegression` with the best of several penalties by cross-validation.

    Parameters
    ----------
    Cs : int or list of float, default=10
        Inverse strengths of the penalty to try, or how many from 1e-4 to 1e4.
    l1_ratios : list of float from 0 to 1, default=(0.0,)
        Shares of the 1-norm to try.
    fit_intercept : bool, default=True
    cv : int, splitter or iterable of (train, test), default=None
        As in scikit-learn: None and whole numbers mean stratified folds, five of them by default.
    scoring : str or callable, default="neg_log_loss"
        As in scikit-learn; None is accuracy.
    tol : float, default=1e-4
    max_iter : int, default=100
    class_weight : None, dict, "balanced", "effective" or ("effective", β), default=None
        As in `LogisticRegression`, for the training rows of each fold.
    refit : bool, default=True
        Whether the best penalty over all folds is fitted to all rows. Otherwise each fold has its
        own best, and coefficients, C and l1_ratio are their means.
    rule : {"min", "1se"}, default="min"
        The C of the best mean score, or the smallest C within one standard error of it: the
        simplest model that is not told from the best.

    Attributes
    ----------
    C_, l1_ratio_ : float
    Cs_ : array of shape (Cs,)
    l1_ratios_ : array of shape (l1_ratios,)
    scores_ : array of shape (folds, l1_ratios, Cs)
    coefs_paths_ : array of shape (folds, l1_ratios, Cs, K, d + 1), K being 1 for two classes
        The intercept is last; without one the shape ends in d.
    n_iter_ : array of shape (folds, l1_ratios, Cs)
    classes_, coef_, intercept_
        As in `LogisticRegression`, at the best on all rows.
    convergence_ : Convergence
        Of the fit to all rows; without `refit`, of the worst of those averaged.

    Notes
    -----
    Attributes have the shapes that scikit-learn gives them under ``use_legacy_attributes=False``.
    The path of penalties is followed on all rows first. Each fold's fits begin at those, with their
    Hessians, and take about four reads of its rows each. The optima are a fit's from scratch.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV().fit(X, y)
    >>> round(model.C_, 2)
    166.81
    """

    __metadata_request__score: ClassVar = {"sample_weight": UNUSED}  # the scorer asks for it

    C_: float
    l1_ratio_: float
    scores_: Array

    def __init__(
        self,
        *,
        Cs: Any = 10,
        l1_ratios: Any = (0.0,),
        fit_intercept: bool = True,
        cv: Any = None,
        scoring: Any = "neg_log_loss",
        tol: float = 1e-4,
        max_iter: int = 100,
        class_weight: Any = None,
        refit: bool = True,
        rule: str = "min",
    ) -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.scoring = scoring
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.refit = refit
        self.rule = rule

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose the penalty and fit.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        **params
            For the splitter, such as groups, or the scorer, where metadata routing is enabled.

        Returns
        -------
        self
        """
        self._check_iterations()
        ratios, Cs = self._grid()
        table, classes = self._read_labelled(X, y, sample_weight, reset=True)
        splits = self._splits(X, table.group, table.weight, params)
        asked = self._for_scorer("fit", table.weight, params)
        self.classes_, self.l1_ratios_, self.Cs_ = classes, ratios, Cs
        reach, grids = self._reach(table), [partial(C_penalties, Cs, ratio) for ratio in ratios]
        paths = [PenaltyPath(self._path_problem, grid, reach, self.max_iter) for grid in grids]
        whole = follow_paths(paths, table)
        folds, scores = [], []
        with progress("Folds", len(splits)) as advance:
            for train, test in splits:
                folds.append(follow_paths(paths, part_of(table, train), whole))
                held_out = part_of(table, test)
                own = _check_method_params(table.group, asked, indices=held_out.numbers)
                scores.append(self._score_each(folds[-1], held_out, own))
                advance(1)
        self.scores_ = np.array(scores)
        self.coefs_paths_ = _each(folds, self._line)
        self.n_iter_ = _each(folds, lambda fit: len(fit.found.trace) - 1)
        self._choose(whole, folds, table)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """What `scoring` says of the predictions.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        **params
            For the scorer, where metadata routing is enabled.

        Returns
        -------
        float
        """
        _raise_for_params(params, self, "score")
        asked = self._for_scorer("score", sample_weight, params)
        return float(self._scorer()(self, X, y, **asked))

    def get_metadata_routing(self) -> Any:
        """Which metadata go where: see scikit-learn's user guide on metadata routing.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="score")
        mapping.add(caller="score", callee="score")
        return super().get_metadata_routing().add(scorer=self._scorer(), method_mapping=mapping)

    def _grid(self) -> tuple[Array, Array]:
        """The l1_ratios and the Cs, checked."""
        if self.rule not in ("min", "1se") or (self.rule == "1se" and not self.refit):
            raise ValueError(
                f'rule is {self.rule!r}; it is "min", or "1se" with refit=True: one fold by itself '
                "has no standard error."
            )
        check_list(self.l1_ratios, "l1_ratios", max_val=1.0)
        return np.asarray(self.l1_ratios, np.float64), as_Cs(self.Cs)

    def _score_each(self, paths: Paths, test: Table, asked: dict[str, Any]) -> Array:
        """The scores of fits on these rows, shape (l1_ratios, Cs)."""
        assert test.group is not None
        X, y = test.rows(slice(0, test.n_rows)), self.classes_[test.group]
        scorer = knowing_classes(self._scorer(), self.classes_)
        model = LogisticRegression()
        model.classes_, model.n_features_in_ = self.classes_, test.n_columns

        def score(fit: Fit) -> Array:
            model.coef_, model.intercept_ = fit.line(test.dtype)
            with np.errstate(invalid="ignore"):  # scikit-learn casts labels, which may be too large
                return np.array(scorer(model, X, y, **asked))

        return _each(paths, score)

    def _choose(self, whole: Paths, folds: list[Paths], table: Table) -> None:
        """Set the best penalty and its coefficients, from the fits to all rows and the folds'."""
        scores = self.scores_
        if np.isnan(scores).any():
            warnings.warn(
                "Some scores are not numbers, and their penalties lose: the scorer has none for "
                "some fold. Take fewer folds, or another scoring.",
                UserWarning,
                stacklevel=3,
            )
            scores = np.nan_to_num(scores, nan=-np.inf, neginf=-np.inf, posinf=np.inf)
        if self.refit:
            best = [self._best_penalty(scores)]
            chosen = [whole[r][c] for r, c in best]
        else:
            best = [_largest(each) for each in scores]
            chosen = [paths[r][c] for paths, (r, c) in zip(folds, best, strict=True)]
        self.l1_ratio_ = float(np.mean([self.l1_ratios_[r] for r, _ in best]))
        self.C_ = float(np.mean([self.Cs_[c] for _, c in best]))
        lines = zip(*(fit.line(table.dtype) for fit in chosen), strict=True)
        self.coef_, self.intercept_ = (np.mean(part, axis=0) for part in lines)
        tol = self._reach(table)
        self._set_convergence(max((fit.found for fit in chosen), key=lambda found: found.size), tol)
        warn_unfinished(_each(folds, lambda fit: fit.found.size), tol)

    def _best_penalty(self, scores: Array) -> tuple[int, int]:
        """The positions of the best l1_ratio and C by their mean scores and the rule."""
        mean = scores.mean(axis=0)
        r, c = _largest(mean)
        if self.rule == "1se":
            spread = scores[:, r, c].std(ddof=1) / np.sqrt(len(scores))
            near = np.flatnonzero(mean[r] >= mean[r, c] - spread)
            c = int(near[self.Cs_[near].argmin()])
        return r, c

    def _line(self, fit: Fit) -> Array:
        """Coefficients and intercepts of a fit, shape (k, d + 1), or (k, d) without intercepts."""
        return np.column_stack([fit.coef.T, fit.intercept] if self.fit_intercept else [fit.coef.T])

    def _scorer(self) -> Any:
        return get_scorer("accuracy" if self.scoring is None else self.scoring)

    def _for_scorer(self, method: str, weight: Any, params: dict[str, Any]) -> dict[str, Any]:
        """What the scorer is given of the metadata."""
        given = {} if weight is None else {"sample_weight": weight}
        if not _routing_enabled():
            return given
        routed: dict[str, Any] = process_routing(self, method, **given, **params).scorer.score
        return routed


def _each(paths: Sequence[Any], number: Callable[[Fit], Any]) -> Array:
    """A number of each fit in lists of lists, as an array."""
    return np.array([number(p) if isinstance(p, Fit) else _each(p, number) for p in paths])


def _largest(scores: Array) -> tuple[int, int]:
    """The positions of the largest of scores (l1_ratios, Cs); of equals the first C."""
    c, r = divmod(int(scores.T.argmax()), len(scores))
    return r, c
