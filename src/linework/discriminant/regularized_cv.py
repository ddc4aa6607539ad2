"""Regularised discriminant analysis with its two parameters chosen by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array, Block, Matrix
from linework.data.sources import Table
from linework.discriminant.base import ByClass
from linework.discriminant.covariances import check_share
from linework.discriminant.regularized import (
    RANK,
    ClassCovariances,
    Mixed,
    check_target,
    is_singular,
    mix,
)
from linework.engine import map_each, map_reduce
from linework.estimator import CrossValidated
from linework.folds import Split, fold_statistics
from linework.solvers.whitening import Whitening
from linework.stats import ClassMoments
from linework.stats.centre import TILE, scratch

SHARES = tuple(np.linspace(0.0, 1.0, 11).round(1).tolist())
SCORINGS = ("accuracy", "neg_log_loss")


@dataclass(frozen=True, slots=True, eq=False)
class AlphaScores:
    """Scores of K classes for every α at once, at one γ.

    With Σ(γ)⁻¹ = WWᵀ and WᵀΣ_kW = U diag(δ) Uᵀ, for v = UᵀWᵀ(x − m_k)::

        (x − m_k)ᵀ Σ_k(α, γ)⁻¹ (x − m_k) = Σ_j v_j² / (α δ_j + 1 − α)
        ln |Σ_k(α, γ)| = ln |Σ(γ)| + Σ_j ln(α δ_j + 1 − α)

    Attributes
    ----------
    centre : array of shape (d,)
        A point among the rows, taken off before anything is multiplied.
    bases : array of shape (K·r, d + 1)
        (WU)ᵀ of each class, with −(WU)ᵀ(m_k − centre) as last column.
    weights : array of shape (K, A, r)
        −½ / (α δ_j + 1 − α).
    constants : array of shape (K, A, 1)
        ln π_k − ½ ln |Σ_k(α, γ)|.
    known : array of bool of shape (A,)
        Whether every Σ_k(α, γ) has an inverse.
    """

    centre: Array
    bases: Array
    weights: Array
    constants: Array
    known: Array

    @classmethod
    def of(
        cls, parts: ClassCovariances, common: Array, alphas: Array, priors: Array
    ) -> AlphaScores:
        """From the parts of the covariances."""
        whitening = Whitening.of(common, RANK)
        unit = whitening.basis, np.ones(whitening.rank)
        along = [unit if own is None else whitening.along(own) for own in parts.own]
        mixed = np.array([mix(values, alphas).T for _, values in along])
        known: Array = ~np.any([is_singular(each.T) for each in mixed], axis=0)
        mixed[:, ~known] = 1.0
        with np.errstate(divide="ignore"):  # a prior of zero: never this class
            constants = np.log(priors)[:, None] - 0.5 * np.log(mixed).sum(axis=2)
        constants -= 0.5 * whitening.log_det
        centre = priors @ parts.means
        bases = [
            np.column_stack([basis.T, (centre - mean) @ basis])
            for mean, (basis, _) in zip(parts.means, along, strict=True)
        ]
        return cls(centre, np.concatenate(bases), -0.5 / mixed, constants[:, :, None], known)

    def __call__(self, X: Matrix) -> Array:
        """The scores of rows (n, d), of shape (K, A, n)."""
        n, (n_classes, _, rank) = X.shape[0], self.weights.shape
        Z = np.ones((n, len(self.centre) + 1))
        np.subtract(X.toarray() if sp.issparse(X) else X, self.centre, out=Z[:, :-1])
        V = np.matmul(self.bases, Z.T, out=scratch((len(self.bases), n), np.float64))
        np.square(V, out=V)
        scores: Array = np.matmul(self.weights, V.reshape(n_classes, rank, n))
        scores += self.constants
        return scores


def _score_rows(block: Block, density: AlphaScores, number: Array, scoring: str) -> Array:
    """[Σ w, Σ w·score for each α] over the rows; number[c] is class c's place in ``density``."""
    block = block.present()
    assert block.group is not None
    total = np.zeros(1 + density.constants.shape[1])
    step = max(TILE // max(len(density.bases), 1), 64)
    for start in range(0, len(block), step):
        rows = slice(start, start + step)
        scores, true = density(block.X[rows]), number[block.group[rows]]
        w = np.ones(len(true)) if block.weight is None else block.weight[rows]
        own = scores[true, :, np.arange(len(true))].T
        if scoring == "accuracy":
            values = _hits(scores, own, true).astype(np.float64)
        else:
            values = np.where(true < 0, -np.inf, own - logsumexp(scores, axis=0))
        total[0] += w.sum()
        total[1:] += values @ w
    return total


def _hits(scores: Array, own: Array, true: Array) -> Array:
    """Whether the best class, of equals the first, is the true one, shape (A, n)."""
    best = scores.max(axis=0)
    if np.count_nonzero(scores == best) == best.size:  # many times faster than argmax
        return np.asarray((own == best) & (true >= 0))
    return np.asarray(scores.argmax(axis=0) == true)


def _from_statistics(model: RegularizedDiscriminantAnalysisCV) -> bool:
    """Never: choosing takes the rows of the folds."""
    return False


class RegularizedDiscriminantAnalysisCV(CrossValidated, Mixed):
    """`RegularizedDiscriminantAnalysis` with the best of a grid of α and γ.

    The moments of every class in every fold come from one pass, and the held-out rows are scored in
    one more for each γ; no model is fitted twice.

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

        scores = map_each(zip(parts, splits, strict=True), score)
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
        scores = np.full((len(alphas), len(gammas)), -np.inf)
        for g, gamma in enumerate(gammas):
            density = AlphaScores.of(parts, parts.common(gamma, self.target), alphas, priors)

            def total(block: Block, density: AlphaScores = density) -> Array:
                return _score_rows(block, density, number, self.scoring)

            sums = map_reduce(test, total)
            scores[density.known, g] = sums[1:][density.known] / sums[0]
        return scores

    def _solve(self, stats: ByClass, table: Table | None, dtype: Any) -> None:
        assert isinstance(stats, ClassMoments)
        self._set_density(ClassCovariances.of(stats, self.unbiased), self.alpha_, self.gamma_)
