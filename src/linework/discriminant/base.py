"""What models of classes share: labels, priors, adding and removing rows, predicting."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from linework.candidates import ByRows, Candidates, FoldFits, Models
from linework.classifier import (
    SCORES,
    Classifier,
    Probabilistic,
    contrast,
    log_posterior,
    posterior,
)
from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.dichotomies import ByClass as ByClass
from linework.dichotomies import FromMoments
from linework.discriminant.leave_one_out import Refits, Update, numbers, tiles
from linework.engine import map_reduce, map_rows
from linework.folds import Split, fold_statistics
from linework.stats import ClassMoments, PooledMoments
from linework.stats.centre import tile_rows


class Undetermined(np.linalg.LinAlgError):
    """The rows do not determine the model: more of them may."""


class ClassModel(FromMoments, Classifier):
    """A classifier that is solved from moments by class.

    A subclass says which statistic it needs, solves, and gives each class a score for a row.
    """

    means_: Array
    priors_: Array
    stats_: ByClass

    def _statistic(self) -> type[ByClass]:
        return PooledMoments

    def _solve(self, stats: ByClass, table: Table | None, dtype: Any) -> None:
        """Set the attributes from statistics of classes 0 … K − 1; ``table`` is for more passes."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
            Labels of any kind that can be ordered.
        sample_weight : array-like of shape (n,), optional
            Zero removes a row, two counts it twice.

        Returns
        -------
        self
        """
        table, classes = self._read_labelled(X, y, sample_weight, reset=True)
        return self._fit(self._collect(table), classes, table, table.dtype)

    def fit_stats(self, stats: ByClass, classes: Any = None) -> Self:
        """Fit from merged statistics instead of rows.

        Parameters
        ----------
        stats : PooledMoments or ClassMoments
            Of the columns by class, as ``map_reduce(source.with_group(numbers),
            PooledMoments.from_block)`` gives them; those of several parts add up with ``+``.
        classes : array-like of shape (K,), optional
            The label of group 0, 1, …; by default the group numbers are the labels.

        Returns
        -------
        self
        """
        wanted = self._statistic()
        if not isinstance(stats, wanted):
            raise TypeError(
                f"{type(self).__name__} is solved from {wanted.__name__} and was given "
                f"{type(stats).__name__}: collect map_reduce(source, {wanted.__name__}.from_block)."
            )
        present = numbers(stats)
        labels = present if classes is None else np.asarray(classes)
        if classes is not None and len(present) and present[-1] >= len(labels):
            raise ValueError(
                f"There are {len(labels)} classes and a group of number {present[-1]}: give a "
                "label for each group number from 0 on."
            )
        if classes is None:
            stats = _renumbered(stats, np.searchsorted(present, np.arange(present[-1] + 1)))
        self.n_features_in_ = _mean(stats).shape[1]
        return self._fit(stats, labels, None, np.float64)

    def sides_statistic(self) -> type[ByClass]:
        """As `fit_stats` takes."""
        return self._statistic()

    def fit_sides(self, stats: ByClass) -> Self:
        """Fit the problem of two groups of classes: see `FromMoments`."""
        return self.fit_stats(stats, classes=[0, 1])

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows: the same model as a fit on all rows so far, at the cost of these.

        While the rows do not yet determine a model, it is not fitted: `predict` says why.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        classes : array-like, optional
            All labels there may be. They need not be known: without them, new ones are added.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        first = not hasattr(self, "stats_")
        table, found = self._read_labelled(X, y, sample_weight, reset=first)
        if classes is not None and (strange := np.setdiff1d(found, classes)).size:
            raise ValueError(
                f"y holds the label {strange.tolist()[0]!r}, which is not among `classes`: give "
                "all labels there may be, or none."
            )
        stats, labels = self._collect(table), found
        if not first:
            labels = np.union1d(self.classes_, found)
            kept = _renumbered(self.stats_, np.searchsorted(labels, self.classes_))
            stats = kept + _renumbered(stats, np.searchsorted(labels, found))
        try:
            self._fit(stats, labels, None, np.float64)
        except Undetermined as error:
            self._undetermined = str(error)
        return self

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows out: the same model as a fit without them, to about six digits or better.

        Parameters
        ----------
        X, y, sample_weight
            Rows that were fitted before, in any order.

        Returns
        -------
        self

        Raises
        ------
        ArithmeticError
            Where what remains is so little beside what is taken out that digits would be lost.
        """
        taken = self._collect(self._read_fitted(X, y, sample_weight))
        return self._fit(self.stats_ - taken, self.classes_, None, np.float64)

    def leave_one_out(
        self, X: Any, y: Any, sample_weight: Any = None, *, method: str = "predict"
    ) -> Array:
        """What the model says of rows it was fitted on, each left out of the fit in turn.

        The same as refitting without each row, or scikit-learn's
        ``cross_val_predict(model, X, y, cv=LeaveOneOut(), method=method)``, in one pass. A row is
        left out with all its weight. A class that has no other row is gone without it, and its
        probability is zero.

        Priors that are not given are the shares of the classes in the other rows. R's
        ``lda(CV = TRUE)`` keeps those of all rows: give these as `priors` for its posteriors.

        Parameters
        ----------
        X, y, sample_weight
            Rows that were fitted before: all, or some of them.
        method : str, default="predict"
            ``"predict"``; ``"predict_proba"`` or ``"predict_log_proba"`` where the model has
            them; else ``"decision_function"``.

        Returns
        -------
        array of shape (n,) or (n, K)
            As by the method of that name.

        Notes
        -----
        Where leaving out a row changes a covariance by one rank, this costs about as much as the
        fit. Where it changes more, or where without the row a direction would be left without
        spread, the model is solved from statistics for the row: some d³ operations.
        """
        table = self._read_fitted(X, y, sample_weight)
        answers = self._left_out_answers()
        if method not in answers:
            raise ValueError(
                f"method is {method!r}, and {type(self).__name__} knows these: "
                f"{', '.join(answers)}."
            )
        answer, update, refit = answers[method], self._update(), Refits(self, table)
        step = max(1, min(tile_rows(table.n_columns), SCORES // len(self.classes_)))

        def left_out(block: Block) -> Array:
            return np.concatenate(
                [answer(scores_left_out(rows, update, refit)) for rows in tiles(block, step)]
            )

        with warnings.catch_warnings():  # of what the fit has warned of
            warnings.simplefilter("ignore", UserWarning)
            return map_rows(table, left_out)

    def _left_out_answers(self) -> dict[str, Callable[[Array], Array]]:
        """What can be made of scores (n, K), by the name of the method that makes it."""
        return {"predict": self._told, "decision_function": contrast}

    def _told(self, scores: Array) -> Array:
        return np.asarray(self.classes_[self._best_of(scores)])

    def _update(self) -> Update | None:
        """Scores of left-out rows without a refit, where there is such a way."""
        return None

    def _collect(self, table: Table) -> Any:
        collect: Callable[[Block], Any] = self._statistic().from_block
        return map_reduce(table, collect)

    def _fit(self, stats: ByClass, labels: Array, table: Table | None, dtype: Any) -> Self:
        """Solve, with the classes that have rows numbered 0 … K − 1."""
        present = numbers(stats)
        self.stats_ = _renumbered(stats, np.searchsorted(present, np.arange(len(labels))))
        self.classes_ = labels[present]
        self._undetermined = "Its last fit ended with an error."
        if len(present) < 2:
            raise Undetermined(
                f"The rows are of {len(present)} class, and {type(self).__name__} tells two or "
                "more classes apart: give rows of another."
            )
        self._solve(self.stats_, table, dtype)
        self._undetermined = ""
        return self

    def _fit_folds(
        self, candidates: Candidates, X: Any, y: Any, sample_weight: Any, splits: Sequence[Split]
    ) -> FoldFits:
        """Every candidate in every fold, from one pass: see `linework.candidates`."""
        models = [clone(self).set_params(**candidate) for candidate in candidates]
        statistic = models[0]._statistic()
        for model in models:
            if not hasattr(model, "fit_stats") or model._statistic() is not statistic:
                raise ByRows(f"Moments do not determine {model}.")
        table, classes = self._read_labelled(X, y, sample_weight, reset=True)
        size = table.n_columns**2 * (len(classes) if statistic is ClassMoments else 1)
        collect: Callable[[Block], Any] = statistic.from_block
        total, parts = fold_statistics(table, splits, collect, size)

        def fit(part: tuple[ByClass, ByClass]) -> Models:
            return Models([clone(model).fit_stats(part[0], classes) for model in models])

        def refit(number: int) -> Any:
            model = clone(models[number])
            rows, _ = model._read_labelled(X, y, sample_weight, reset=True)
            return model._fit(total, classes, rows, rows.dtype)

        return FoldFits("statistics", table, parts, fit, refit)

    def _read_fitted(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """Rows that were fitted before, with the number of their class as group."""
        self._require_fit()
        table, found = self._read_labelled(X, y, sample_weight, reset=False)
        if (strange := np.setdiff1d(found, self.classes_)).size:
            raise ValueError(
                f"Cannot take out rows of class {strange.tolist()[0]!r}: none were put in. The "
                f"classes are {self.classes_.tolist()}."
            )
        assert table.group is not None
        return table.with_group(np.searchsorted(self.classes_, found)[table.group])

    def _set_priors(self, weight: Array, priors: Any) -> None:
        """Set π_k: as given, or the classes' shares."""
        if priors is None:
            self.priors_ = weight / weight.sum()
            return
        given = np.array(priors, np.float64)
        if given.shape != weight.shape or not np.isfinite(given).all() or not given.any():
            raise ValueError(
                f"priors is {priors!r}, and {len(weight)} numbers are expected, one for each class "
                f"of {self.classes_.tolist()}."
            )
        if (given < 0.0).any():
            raise ValueError(f"priors must be non-negative, and are {priors!r}.")
        if abs(given.sum() - 1.0) > 1e-5:
            warnings.warn(
                f"The priors sum to {given.sum():g}, not to 1: they are divided by that.",
                UserWarning,
                stacklevel=4,
            )
            given /= given.sum()
        self.priors_ = given

    def _why_not_fitted(self) -> str:
        return getattr(self, "_undetermined", "") or super()._why_not_fitted()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "stats_") and not getattr(self, "_undetermined", "")


class ProbabilisticModel(Probabilistic, ClassModel):
    """A model whose scores are log posteriors, up to a number common to all classes."""

    def _left_out_answers(self) -> dict[str, Callable[[Array], Array]]:
        return {
            "predict": self._told,
            "predict_proba": posterior,
            "predict_log_proba": log_posterior,
        }


def scores_left_out(block: Block, update: Update | None, refit: Refits) -> Array:
    """Scores (n, K) of rows, each without itself: updated where that is safe, else refitted."""
    if update is None:
        return refit(block)
    with np.errstate(all="ignore"):  # rows for which anything happens are not known
        scores, known = update(block)
    if not known.all():
        scores[~known] = refit(block.take(~known))
    if (impossible := np.flatnonzero(scores.max(axis=1) == -np.inf)).size:
        number = block.start + impossible[0]
        raise Undetermined(
            f"Row {number} cannot be left out: the priors of the classes that remain are zero."
        )
    return scores


def _mean(stats: ByClass) -> Array:
    """Class means (K, d)."""
    if isinstance(stats, PooledMoments):
        return stats.mean
    return np.array([stats.groups[k].x_mean for k in sorted(stats.groups)])


def _renumbered(stats: ByClass, number: Array) -> Any:
    """The same with group k called number[k]; the order stays."""
    if isinstance(stats, PooledMoments):
        return dataclasses.replace(stats, labels=number[stats.labels])
    return ClassMoments({int(number[k]): m for k, m in stats.groups.items()})
