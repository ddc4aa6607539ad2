"""Regularised discriminant analysis: everything between LDA, QDA and their diagonal forms."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.discriminant.base import ByClass, ClassModel, Undetermined
from linework.discriminant.class_downdates import FactorisedMixtures, MixedDowndates
from linework.discriminant.covariances import (
    FourthMoments,
    check_share,
    ledoit_wolf_share,
    oas_share,
    of_class,
    pooled,
    shrunk,
)
from linework.discriminant.densities import QuadraticScores
from linework.discriminant.downdates import rank_limit, spans
from linework.discriminant.gaussian import GaussianModel
from linework.discriminant.leave_one_out import Update
from linework.engine import map_reduce
from linework.solvers.whitening import Whitening
from linework.stats import ClassMoments

RANK = 1e-7
"""Standard deviation, in units of the columns' spread, below which a direction counts as none."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassCovariances:
    """What Σ_k(α, γ) is made of.

    Attributes
    ----------
    weight : array of shape (K,)
    means : array of shape (K, d)
    own : sequence of K arrays of shape (d, d) or None
        Σ_k; None for a class of one row, which has none.
    pooled : array of shape (d, d)
        Σ.
    """

    weight: Array
    means: Array
    own: Sequence[Array | None]
    pooled: Array

    @classmethod
    def of(cls, stats: ClassMoments, unbiased: bool) -> ClassCovariances:
        """From the moments of the classes that have rows, in the order of their numbers."""
        parts = [stats.groups[k] for k in sorted(stats.groups)]
        weight = np.array([part.weight for part in parts])
        scatter = np.sum([part.scatter for part in parts], axis=0)
        own = [
            of_class(part.scatter, part.weight, unbiased) if part.weight > 1.0 else None
            for part in parts
        ]
        means = np.array([part.mean for part in parts])
        return cls(weight, means, own, pooled(scatter, weight, unbiased))

    def common(self, gamma: float, target: str) -> Array:
        """Σ(γ) = γ Σ + (1 − γ) T, where T is diag(Σ) or (tr Σ / d) I."""
        if target == "identity":
            return shrunk(self.pooled, 1.0 - gamma)
        mixed = gamma * self.pooled
        np.fill_diagonal(mixed, self.pooled.diagonal())
        return mixed


def mix(values: Array, alphas: Array) -> Array:
    """α δ_j + 1 − α, shape (r, A): Σ_k(α, γ) where Σ(γ) is the identity and Σ_k is diag(δ)."""
    mixed: Array = np.multiply.outer(values, alphas) + (1.0 - alphas)
    return mixed


def is_singular(mixed: Array) -> Array:
    """Whether a covariance of these variances (r, …) has no inverse that can be told."""
    largest = mixed.max(axis=0, initial=0.0)
    singular: Array = mixed.min(axis=0, initial=np.inf) <= RANK**2 * largest
    return singular


def check_target(target: str) -> None:
    """Raise a sentence unless it names what Σ is shrunk to."""
    if target not in ("diagonal", "identity"):
        raise ValueError(f"target is {target!r}; 'diagonal' and 'identity' are known.")


class Mixed(GaussianModel):
    """A model of Gaussian classes of covariances Σ_k(α, γ)."""

    target: str
    priors: Any
    unbiased: bool
    alpha_: float
    gamma_: float
    stats_: ClassMoments

    @property
    def covariance_(self) -> list[Array]:
        """Σ_k(α, γ), a matrix (d, d) for each class, from the moments."""
        parts = ClassCovariances.of(self.stats_, self.unbiased)
        common = parts.common(self.gamma_, self.target)
        a = self.alpha_
        return [common if own is None else a * own + (1.0 - a) * common for own in parts.own]

    def _statistic(self) -> type[ByClass]:
        return ClassMoments

    def _set_density(self, parts: ClassCovariances, alpha: float, gamma: float) -> None:
        alone = [k for k, own in enumerate(parts.own) if own is None]
        if alone and alpha > 0.0:
            warnings.warn(
                f"Class {self.classes_[alone[0]]} has a single row, and so no covariance of its "
                f"own ({len(alone)} such class(es)): it takes the common one. Give it more rows, "
                "or alpha=0.",
                UserWarning,
                stacklevel=5,
            )
        common = Whitening.of(parts.common(gamma, self.target), RANK)
        self.rank_ = common.rank
        whitenings = [
            common if own is None or alpha == 0.0 else self._mixed(common, own, alpha, name)
            for own, name in zip(parts.own, self.classes_, strict=True)
        ]
        self._set_priors(parts.weight, self.priors)
        self.alpha_, self.means_ = float(alpha), parts.means
        self._density = QuadraticScores.of(self.means_, self.priors_, whitenings)

    @staticmethod
    def _mixed(common: Whitening, own: Array, alpha: float, name: Any) -> Whitening:
        """The whitening of α Σ_k + (1 − α) Σ(γ)."""
        basis, values = common.along(own)
        mixed = mix(values, np.array([alpha]))[:, 0]
        if is_singular(mixed):
            raise Undetermined(
                f"The covariance matrix of class {name} is not full rank, and alpha={alpha:g} "
                "leaves it nothing of the common one: lower alpha, or give the class more rows."
            )
        return Whitening(basis / np.sqrt(mixed), common.log_det + float(np.log(mixed).sum()))


def _from_statistics(model: RegularizedDiscriminantAnalysis) -> bool:
    """Whether moments determine the model."""
    return bool(model.gamma != "auto")


class RegularizedDiscriminantAnalysis(Mixed):
    """Gaussian classes of covariances Σ_k(α, γ) = α Σ_k + (1 − α) (γ Σ + (1 − γ) T).

    Parameters
    ----------
    alpha : float from 0 to 1, default=0.5
        How much a class's own covariance counts: 0 is LDA, 1 is QDA.
    gamma : float from 0 to 1, "auto" or "oas", default=1.0
        How much the covariances between columns count in what the classes share: with α = 0, 1 is
        LDA and 0 is diagonal LDA. For ``target="identity"`` only, ``"auto"`` takes 1 − γ from
        Ledoit and Wolf's formula, by a second pass, and ``"oas"`` from that of Chen et al.
    target : {"diagonal", "identity"}, default="diagonal"
        T: diag(Σ), or Friedman's (tr Σ / d) I, for columns of one unit.
    priors : array-like of shape (K,), default=None
        π_k; by default the shares of the classes.
    unbiased : bool, default=True
        Σ is S_w / (N − K) and Σ_k is S_k / (N_k − 1), or they are divided by N and N_k.

    Attributes
    ----------
    classes_ : array of shape (K,)
    means_ : array of shape (K, d)
    priors_ : array of shape (K,)
    alpha_, gamma_ : float
        α, and γ as given or as found.
    covariance_ : list of K arrays of shape (d, d)
        Σ_k(α, γ), made when asked for.
    rank_ : int
        Directions of Σ(γ) that are kept, as by `LinearDiscriminantAnalysis`.
    stats_ : ClassMoments

    Notes
    -----
    One pass, d² operations a row, K·d² numbers held. Σ(γ) and Σ_k are made diagonal together, and
    directions in which Σ(γ) has no spread are left out. A class of a single row has no Σ_k: it
    takes Σ(γ), and a warning says so.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import RegularizedDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> RegularizedDiscriminantAnalysis(alpha=0.3, gamma=0.9).fit(X, y).score(X, y)
    0.98
    """

    _simpler: ClassVar = {"alpha": -1, "gamma": -1}

    def __init__(
        self,
        alpha: float = 0.5,
        gamma: Any = 1.0,
        *,
        target: str = "diagonal",
        priors: Any = None,
        unbiased: bool = True,
    ) -> None:
        self.alpha = alpha
        self.gamma = gamma
        self.target = target
        self.priors = priors
        self.unbiased = unbiased

    fit_stats = available_if(_from_statistics)(ClassModel.fit_stats)
    partial_fit = available_if(_from_statistics)(ClassModel.partial_fit)
    forget = available_if(_from_statistics)(ClassModel.forget)
    leave_one_out = available_if(_from_statistics)(ClassModel.leave_one_out)

    def _solve(self, stats: ByClass, table: Table | None, dtype: Any) -> None:
        assert isinstance(stats, ClassMoments)
        check_share(self.alpha, "alpha")
        check_target(self.target)
        parts = ClassCovariances.of(stats, self.unbiased)
        self.gamma_ = self._gamma(parts, table)
        self._set_density(parts, self.alpha, self.gamma_)

    def _update(self) -> Update | None:
        assert isinstance(self.stats_, ClassMoments)
        stats, priors = self.stats_, None if self.priors is None else self.priors_
        if self.gamma == "oas":  # moves with each row
            return None
        if self.gamma_ < 1.0:
            return FactorisedMixtures(
                stats, priors, self.alpha, self.gamma_, self.target, self.unbiased
            )
        parts = ClassCovariances.of(stats, self.unbiased)
        common = Whitening.of(parts.pooled, RANK)
        if not (common.is_full or spans(common, parts.pooled, parts.means - parts.means[0])):
            return None
        unit = common.basis, np.ones(common.rank)
        along = [unit if own is None else common.along(own) for own in parts.own]
        return MixedDowndates(
            np.array([stats.groups[k].count for k in sorted(stats.groups)]),
            parts.weight,
            parts.means,
            priors,
            [basis for basis, _ in along],
            [values for _, values in along],
            np.array([0.0 if own is None else self.alpha for own in parts.own]),
            rank_limit(common, parts.pooled, RANK),
            self.unbiased,
        )

    def _gamma(self, parts: ClassCovariances, table: Table | None) -> float:
        if self.gamma not in ("auto", "oas"):
            check_share(self.gamma, "gamma")
            return float(self.gamma)
        if self.target != "identity":
            raise ValueError(
                f"gamma={self.gamma!r} is a formula for target='identity', and target is "
                f"{self.target!r}: choose that target, or a number from 0 to 1."
            )
        total, classes = float(parts.weight.sum()), len(parts.weight)
        likely = parts.pooled * ((total - classes) / total if self.unbiased else 1.0)
        scale = np.sqrt(likely.trace()) or 1.0  # the share is the same in any unit
        likely = likely / scale / scale
        if self.gamma == "oas":
            return 1.0 - oas_share(likely, total)
        assert table is not None
        scales = np.full_like(parts.means, scale)
        collect = partial(FourthMoments.from_block, means=parts.means, scales=scales)
        return 1.0 - ledoit_wolf_share(likely, total, float(map_reduce(table, collect).total.sum()))
