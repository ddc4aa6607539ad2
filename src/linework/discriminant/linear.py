"""Linear discriminant analysis."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_scalar
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.dichotomies import TwoSides, unknown
from linework.discriminant.base import ByClass, ClassModel, ProbabilisticModel
from linework.discriminant.covariances import check_share, ledoit_wolf, pooled, shrunk
from linework.discriminant.densities import centred_product
from linework.discriminant.downdates import PooledDowndate, PooledScores
from linework.discriminant.leave_one_out import Update
from linework.engine import map_rows
from linework.solvers.whitening import Whitening, discriminant_directions
from linework.stats import ClassMoments, PooledMoments


def _from_statistics(model: LinearDiscriminantAnalysis) -> bool:
    """Whether moments determine the model."""
    return bool(model.shrinkage != "auto")


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Rows along discriminant directions, (x − x̄)ᵀW."""

    scalings_: Array
    xbar_: Array

    def transform(self: Any, X: Any) -> Array:
        """The rows along the first discriminant directions.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, n_components)
        """
        self._require_fit()
        basis = self.scalings_[:, : self._n_features_out]
        return map_rows(self._read(X, reset=False), lambda block: self._project(block, basis))

    def _project(self, block: Block, basis: Array) -> Array:
        with np.errstate(invalid="ignore"):  # told below, in words
            values = centred_product(block.X, self.xbar_, basis)
        if not np.isfinite(values).all():
            block.reject_nonfinite()
        return values


class LinearDiscriminantAnalysis(Projection, ProbabilisticModel):
    """Gaussian classes of one covariance: argmax_k δ_k(x) = xᵀΣ⁻¹m_k − ½ m_kᵀΣ⁻¹m_k + ln π_k.

    Parameters
    ----------
    shrinkage : float from 0 to 1, "auto" or None, default=None
        s of (1 − s) Σ + s (tr Σ / d) I. ``"auto"``: each class's covariance is shrunk after Ledoit
        and Wolf in units of its columns' spread, then they are pooled; it takes a second pass and
        K·d² numbers, as the rest does not.
    priors : array-like of shape (K,), default=None
        π_k; by default the shares of the classes. They move the boundaries and weigh the means in
        S_b, never Σ.
    n_components : int, default=None
        Directions that `transform` gives; by default all, min(K − 1, d).
    store_covariance : bool, default=False
        Whether Σ is kept in ``covariance_``.
    tol : float, default=1e-4
        Directions of Σ whose standard deviation, in units of the columns' spread, is not above it
        are left out. ``scalings_`` leave out those between the means, too, that are that much
        shorter than the longest.
    unbiased : bool, default=True
        Σ is S_w / (N − K) as in R's MASS, or S_w / N as in scikit-learn.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (K, d), or (1, d) for two classes
        Σ⁻¹(m_k − x̄); for two classes, their difference.
    intercept_ : array of shape (K,), or (1,)
    means_ : array of shape (K, d)
    priors_ : array of shape (K,)
    xbar_ : array of shape (d,)
        x̄ = Σ_k π_k m_k.
    scalings_ : array of shape (d, r)
        Directions w of S_b w = λ Σ w with wᵀΣw = 1, largest λ first, where S_b = Σ_k π_k
        (m_k − x̄)(m_k − x̄)ᵀ; each with its largest entry, in units of the spread, positive.
    explained_variance_ratio_ : array of shape (n_components,)
        λ as a share of their sum.
    rank_ : int
        Directions of Σ that are kept.
    covariance_ : array of shape (d, d)
        Σ, if `store_covariance` or `shrinkage`.
    stats_ : PooledMoments or ClassMoments

    Notes
    -----
    One pass, 2·d² operations a row, K·d + d² numbers held. Where a direction is left out, the
    others tell the classes: the pseudo-inverse of Σ takes the place of the inverse.

    scikit-learn has other conventions, S_k being the scatter of class k, S_w = Σ_k S_k::

        Σ             S_w / N by "svd"; Σ_k π_k S_k / N_k by "lsqr" and "eigen", which priors move
        covariance_   Σ_k π_k S_k / N_k, by each solver
        scalings_     wᵀΣw = 1 for that Σ: √(N / (N − K)) times as long without priors; any sign
        coef_         Σ⁻¹m_k by "lsqr" and "eigen", for more than two classes

    With ``unbiased=False`` and no priors all predictions are the same.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> model.score(X, y)
    0.98
    >>> model.explained_variance_ratio_.round(4)
    array([0.9912, 0.0088])
    >>> int((model.leave_one_out(X, y) != y).sum())  # rows told wrong by the others
    3
    """

    _simpler: ClassVar = {"shrinkage": 1}

    def __init__(
        self,
        *,
        shrinkage: Any = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        unbiased: bool = True,
    ) -> None:
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.unbiased = unbiased

    fit_stats = available_if(_from_statistics)(ClassModel.fit_stats)
    fit_sides = available_if(_from_statistics)(ClassModel.fit_sides)
    partial_fit = available_if(_from_statistics)(ClassModel.partial_fit)
    forget = available_if(_from_statistics)(ClassModel.forget)
    leave_one_out = available_if(_from_statistics)(ClassModel.leave_one_out)

    def _statistic(self) -> type[ByClass]:
        return ClassMoments if self.shrinkage == "auto" else PooledMoments

    def _solve(self, stats: ByClass, table: Table | None, dtype: Any) -> None:
        if self.shrinkage not in (None, "auto"):
            check_share(self.shrinkage, "shrinkage")
        weight, means, covariance = self._covariance(stats, table)
        n_classes, d = means.shape
        self._n_features_out = check_components(self.n_components, min(n_classes - 1, d))
        self._set_priors(weight, self.priors)
        self.means_ = means
        self.xbar_ = self.priors_ @ means
        if self.store_covariance or self.shrinkage is not None:
            self.covariance_ = covariance
        elif hasattr(self, "covariance_"):
            del self.covariance_
        whitening = Whitening.of(covariance, self.tol)
        self.rank_ = whitening.rank
        self._warn_of_perfect_columns(covariance)
        centred = means - self.xbar_
        self.scalings_, values = discriminant_directions(whitening, centred, self.priors_, self.tol)
        share = values / values.sum() if values.size else values
        self.explained_variance_ratio_ = share[: self._n_features_out]
        coef = centred @ whitening.basis
        with np.errstate(divide="ignore"):  # a prior of zero: never this class
            intercept = np.log(self.priors_) - 0.5 * np.square(coef).sum(axis=1)
        coef = coef @ whitening.basis.T
        intercept -= coef @ self.xbar_
        if n_classes == 2:
            coef, intercept = np.diff(coef, axis=0), np.diff(intercept)
        self.coef_, self.intercept_ = coef.astype(dtype), intercept.astype(dtype)

    def _covariance(self, stats: ByClass, table: Table | None) -> tuple[Array, Array, Array]:
        """Weights (K,), means (K, d) and Σ (d, d)."""
        if isinstance(stats, PooledMoments):
            covariance = pooled(stats.scatter, stats.weight, self.unbiased)
            if self.shrinkage is not None:
                covariance = shrunk(covariance, self.shrinkage)
            return stats.weight, stats.mean, covariance
        assert table is not None
        parts = [stats.groups[k] for k in sorted(stats.groups)]
        weight = np.array([part.weight for part in parts])
        means = np.array([part.mean for part in parts])
        shrunken = ledoit_wolf(table, stats)
        scatter: Array = sum(
            (w * part for w, part in zip(weight, shrunken, strict=True)), np.zeros_like(shrunken[0])
        )
        return weight, means, pooled(scatter, weight, self.unbiased)

    def hyperplanes(self, sides: TwoSides) -> tuple[Array, Array, Array]:
        """Solutions wᵀx + b of many problems of two groups of classes.

        Parameters
        ----------
        sides : TwoSides

        Returns
        -------
        w (M, d), b (M,), and which are known (M,)
        """
        if self.shrinkage is not None or self.priors is not None:
            return unknown(sides)
        directions, _, known = sides.discriminants(self.tol)
        total = sides.weight.sum(axis=1)
        divisor = total - 2.0 if self.unbiased else total
        log_odds = np.diff(np.log(sides.weight), axis=1)[:, 0]
        coef = directions * divisor[:, None]
        return coef, log_odds - np.einsum("md,md->m", coef, sides.middle), known & (divisor > 0.0)

    def _warn_of_perfect_columns(self, covariance: Array) -> None:
        """A column without spread in any class has no place in Σ⁻¹, and may tell them all."""
        same = covariance.diagonal() == 0.0
        telling = np.flatnonzero(same & (np.ptp(self.means_, axis=0) > 0.0))
        if telling.size:
            warnings.warn(
                f"Column {self._column_names(telling[:1])[0]!r} is constant within every class and "
                "differs between classes, so it tells them without error; a covariance has no "
                "inverse along it, and it is left out. Use it as a rule of its own, or shrinkage.",
                UserWarning,
                stacklevel=4,
            )

    def _update(self) -> Update | None:
        assert isinstance(self.stats_, PooledMoments)
        share = 0.0 if self.shrinkage is None else float(self.shrinkage)
        downdate = PooledDowndate.of(self.stats_, share, self.tol, self.unbiased)
        priors = None if self.priors is None else self.priors_
        return None if downdate is None else PooledScores(downdate, priors)

    def _scores(self, block: Block) -> Array:
        scores = np.asarray(block.X @ self.coef_.T + self.intercept_)
        if len(self.classes_) == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return scores


def check_components(n_components: int | None, largest: int) -> int:
    """The number of directions to give, or a sentence where there are not so many."""
    if n_components is None:
        return largest
    check_scalar(n_components, "n_components", Integral, min_val=1)
    if n_components > largest:
        raise ValueError(
            f"n_components cannot be larger than min(n_features, n_classes - 1): it is "
            f"{n_components}, and there are {largest} directions that tell the classes. Lower it, "
            "or leave it None."
        )
    return int(n_components)
