"""Regularised discriminant analysis with its two parameters chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.discriminant.alpha_scores import AlphaScores, Hits
from linework.discriminant.base import ByClass
from linework.discriminant.covariances import check_share
from linework.discriminant.densities import dense
from linework.discriminant.regularized import (
    ClassCovariances,
    Mixed,
    check_target,
)
from linework.engine import map_each, map_reduce
from linework.estimator import CrossValidated
from linework.folds import MEMORY, Split, fold_statistics
from linework.stats import ClassMoments
from linework.stats.centre import TILE

SHARES = tuple(np.linspace(0.0, 1.0, 11).round(1).tolist())
SCORINGS = ("accuracy", "neg_log_loss")


@dataclass(frozen=True, slots=True, eq=False)
class GridScores:
    """What rows are worth at every γ and α: right or wrong, or the log posterior of their class.

    Attributes
    ----------
    centre : array of shape (d,)
        A point among the rows, taken off before anything is multiplied.
    units : array of shape (d + 1,)
        One over the columns' spread, and 1.
    densities : sequence of G AlphaScores or Hits
        One for each γ.
    number : array of int
        Class c is number[c] among those with scores, or −1.
    n_alphas : int
    """

    centre: Array
    units: Array
    densities: Sequence[AlphaScores | Hits]
    number: Array
    n_alphas: int

    def __call__(self, block: Block) -> Array:
        """[Σ w, Σ w·score for each α] over the rows, a row for each γ."""
        block = block.present()
        assert block.group is not None
        total = np.zeros((len(self.densities), 1 + self.n_alphas))
        step = max(TILE // (len(self.number) * len(self.units)), 64)
        for start in range(0, len(block), step):
            rows = slice(start, start + step)
            true = self.number[block.group[rows]]
            w = np.ones(len(true)) if block.weight is None else block.weight[rows]
            Z = np.ones((len(true), len(self.units)))
            np.subtract(dense(block.X[rows]), self.centre, out=Z[:, :-1])
            with np.errstate(over="ignore"):  # such rows are not sure
                single = (Z * self.units).astype(np.float32)
            length = np.sqrt(np.einsum("ij,ij->i", single, single, dtype=np.float64))
            for g, density in enumerate(self.densities):
                if isinstance(density, Hits):
                    values = density(Z, single, length, true).astype(np.float64)
                else:
                    values = _own_posterior(density(Z), true)
                total[g, 1:] += values @ w
            total[:, 0] += w.sum()
        return total


def _own_posterior(scores: Array, true: Array) -> Array:
    """Log posterior (A, n) of the true class from scores (K, A, n); −∞ for a class without one."""
    own = scores[true, :, np.arange(len(true))].T
    return np.where(true < 0, -np.inf, own - logsumexp(scores, axis=0))


def _from_statistics(model: RegularizedDiscriminantAnalysisCV) -> bool:
    """Never: choosing takes the rows of the folds."""
    return False


class RegularizedDiscriminantAnalysisCV(CrossValidated, Mixed):
    """`RegularizedDiscriminantAnalysis` with the best of a grid of α and γ.

    The moments of every class in every fold come from one pass, and the held-out rows are scored in
    one more; no model is fitted twice.

    Parameters
    ----------
    alphas, gammas : array-like of numbers from 0 to 1, default=(0, 0.1, …, 1)
    cv : int, splitter or iterable of (train, test), default=None
        As in scikit-learn: None and whole numbers mean stratified folds.
    scoring : {"accuracy", "neg_log_loss"}, default="accuracy"
    target : {"diagonal", "identity"}, default="diagonal"
    priors : array-like of shape (K,), default=None
    unbiased : bool, default=True
        As in `RegularizedDiscriminantAnalysis`.

    Attributes
    ----------
    alpha_, gamma_ : float
        The best; of equals the first α, and of those the first γ.
    best_score_ : float
    cv_scores_ : array of shape (alphas, gammas, splits)
        −∞ where a covariance has no inverse.
    classes_, means_, priors_, covariance_, rank_, stats_
        As in `RegularizedDiscriminantAnalysis`, at the best on all rows.

    Notes
    -----
    A split costs K·d³ for each γ and, for each held-out row, 2·K·d·(d + A) for A values of α.
    Accuracy is counted from float32 products, with a bound on their error; rows that these are not
    sure to tell are scored again in float64.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from linework import RegularizedDiscriminantAnalysisCV
    >>> X, y = load_wine(return_X_y=True)
    >>> model = RegularizedDiscriminantAnalysisCV(scoring="neg_log_loss").fit(X, y)
    >>> model.alpha_, model.gamma_
    (0.6, 1.0)
    """

    def __init__(
        self,
        alphas: Any = SHARES,
        gammas: Any = SHARES,
        *,
        cv: Any = None,
        scoring: str = "accuracy",
        target: str = "diagonal",
        priors: Any = None,
        unbiased: bool = True,
    ) -> None:
        self.alphas = alphas
        self.gammas = gammas
        self.cv = cv
        self.scoring = scoring
        self.target = target
        self.priors = priors
        self.unbiased = unbiased

    fit_stats = available_if(_from_statistics)(Mixed.fit_stats)
    partial_fit = available_if(_from_statistics)(Mixed.partial_fit)
    forget = available_if(_from_statistics)(Mixed.forget)
    leave_one_out = available_if(_from_statistics)(Mixed.leave_one_out)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose α and γ, and fit.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        **params
            For the splitter, such as groups, where metadata routing is enabled.

        Returns
        -------
        self
        """
        alphas, gammas = self._grid()
        table, classes = self._read_labelled(X, y, sample_weight, reset=True)
        self.classes_ = classes
        splits = self._splits(X, table.group, table.weight, params)
        size = len(classes) * table.n_columns**2
        stats, parts = fold_statistics(table, splits, ClassMoments.from_block, size)
        if self.priors is not None:
            self._set_priors(np.ones(len(classes)), self.priors)

        def score(part: tuple[tuple[ClassMoments, Any], Split]) -> Array:
            (train, _), (_, test) = part
            return self._score(table.take(np.sort(test)), train, alphas, gammas)

        scores = map_each(zip(parts, splits, strict=True), score, "Folds", len(splits))
        self.cv_scores_ = np.stack(scores, axis=-1)
        mean = self.cv_scores_.mean(axis=-1)
        a, g = np.unravel_index(int(mean.argmax()), mean.shape)
        self.alpha_, self.gamma_ = float(alphas[a]), float(gammas[g])
        self.best_score_ = float(mean[a, g])
        return self._fit(stats, classes, table, table.dtype)

    def _grid(self) -> tuple[Array, Array]:
        check_target(self.target)
        if self.scoring not in SCORINGS:
            raise ValueError(
                f"scoring is {self.scoring!r}, and 'accuracy' and 'neg_log_loss' are known: for "
                "others use GridSearchCV over RegularizedDiscriminantAnalysis."
            )
        for name in ("alphas", "gammas"):
            values = np.ravel(np.asarray(getattr(self, name), dtype=object))
            if not len(values):
                raise ValueError(f"{name} is empty: give at least one number from 0 to 1.")
            for i, value in enumerate(values):
                check_share(value, f"{name}[{i}]")
        return np.ravel(self.alphas).astype(float), np.ravel(self.gammas).astype(float)

    def _score(self, test: Table, train: ClassMoments, alphas: Array, gammas: Array) -> Array:
        """Mean scores on the test rows, shape (alphas, gammas)."""
        parts = ClassCovariances.of(train, self.unbiased)
        present = np.array(sorted(train.groups))
        number = np.full(len(self.classes_), -1)
        number[present] = np.arange(len(present))
        shares = parts.weight / parts.weight.sum()
        priors = shares if self.priors is None else self.priors_[present]
        centre = priors @ parts.means
        spread = np.sqrt(parts.pooled.diagonal())
        units = np.append(np.where(spread > 0.0, spread, 1.0), 1.0)
        scores = np.full((len(alphas), len(gammas)), -np.inf)
        size = 8 * len(present) * len(units) ** 2
        step = max(1, MEMORY // size)  # all at once, but for very many columns
        for start in range(0, len(gammas), step):
            some = [
                AlphaScores.of(parts, parts.common(gamma, self.target), alphas, priors, centre)
                for gamma in gammas[start : start + step]
            ]
            hits = self.scoring == "accuracy"
            densities = [Hits.of(each, units) for each in some] if hits else some
            collect = GridScores(centre, 1.0 / units, densities, number, len(alphas))
            sums = map_reduce(test, collect)
            for g, density in enumerate(some, start):
                row = sums[g - start]
                scores[density.known, g] = row[1:][density.known] / row[0]
        return scores

    def _solve(self, stats: ByClass, table: Table | None, dtype: Any) -> None:
        assert isinstance(stats, ClassMoments)
        self._set_density(ClassCovariances.of(stats, self.unbiased), self.alpha_, self.gamma_)
