"""Quadratic discriminant analysis."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_scalar
from sklearn.utils.metaestimators import available_if

from linework.data.blocks import Array
from linework.data.sources import Table
from linework.discriminant.base import ByClass, ClassModel, Undetermined
from linework.discriminant.class_downdates import ClassAxes, OwnDowndates
from linework.discriminant.covariances import check_share, ledoit_wolf, of_class, shrunk
from linework.discriminant.densities import QuadraticScores
from linework.discriminant.gaussian import GaussianModel
from linework.discriminant.leave_one_out import Update
from linework.solvers.whitening import Whitening
from linework.stats import ClassMoments, Moments


def _from_statistics(model: QuadraticDiscriminantAnalysis) -> bool:
    """Whether moments determine the model."""
    return bool(model.shrinkage != "auto")


class QuadraticDiscriminantAnalysis(GaussianModel):
    """Gaussian classes: argmax_k −½ ln |Σ_k| − ½ (x − m_k)ᵀΣ_k⁻¹(x − m_k) + ln π_k.

    Parameters
    ----------
    shrinkage : float from 0 to 1, "auto" or None, default=None
        s of (1 − s) Σ_k + s (tr Σ_k / d) I. ``"auto"``: after Ledoit and Wolf, in units of the
        columns' spread in the class; it takes a second pass.
    priors : array-like of shape (K,), default=None
        π_k; by default the shares of the classes.
    reg_param : float from 0 to 1, default=0.0
        r of (1 − r) Σ_k + r I, whatever the scale of the columns.
    store_covariance : bool, default=False
        Whether the Σ_k are kept in ``covariance_``.
    tol : float, default=1e-4
        A class is refused that has a direction whose standard deviation, in units of the columns'
        spread, is not above it.
    unbiased : bool, default=True
        Σ_k is S_k / (N_k − 1) as in R's MASS, or S_k / N_k as in scikit-learn.

    Attributes
    ----------
    classes_ : array of shape (K,)
    means_ : array of shape (K, d)
    priors_ : array of shape (K,)
    scalings_ : list of K arrays of shape (d,)
        Eigenvalues of Σ_k, largest first.
    rotations_ : list of K arrays of shape (d, d)
        Its eigenvectors.
    covariance_ : list of K arrays of shape (d, d)
        Σ_k, if `store_covariance`.
    stats_ : ClassMoments

    Notes
    -----
    One pass, d² operations a row, K·d² numbers held. With every Σ_k replaced by its diagonal this
    is Gaussian naive Bayes, which scikit-learn's `GaussianNB` fits without the rest of Σ_k.
    `RegularizedDiscriminantAnalysis` gives the steps to `LinearDiscriminantAnalysis`.

    scikit-learn's Σ_k is S_k / N_k, so its ``scalings_`` are (N_k − 1) / N_k times these, and the
    signs of its ``rotations_`` may differ. With ``unbiased=False`` all predictions are the same,
    with priors or without.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import QuadraticDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> QuadraticDiscriminantAnalysis().fit(X, y).score(X, y)
    0.98
    """

    _simpler: ClassVar = {"shrinkage": 1, "reg_param": 1}

    def __init__(
        self,
        *,
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        unbiased: bool = True,
    ) -> None:
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.unbiased = unbiased

    fit_stats = available_if(_from_statistics)(ClassModel.fit_stats)
    partial_fit = available_if(_from_statistics)(ClassModel.partial_fit)
    forget = available_if(_from_statistics)(ClassModel.forget)
    leave_one_out = available_if(_from_statistics)(ClassModel.leave_one_out)

    def _statistic(self) -> type[ByClass]:
        return ClassMoments

    def _solve(self, stats: ByClass, table: Table | None, dtype: Any) -> None:
        assert isinstance(stats, ClassMoments)
        check_share(self.reg_param, "reg_param")
        check_scalar(self.tol, "tol", Real, min_val=0.0)
        parts = [stats.groups[k] for k in sorted(stats.groups)]
        for name, part in zip(self.classes_, parts, strict=True):
            if part.weight <= 1.0:
                raise Undetermined(
                    f"y has only 1 sample in class {name}, or less by weight: its covariance is "
                    "not defined. Give the class more rows, or use LinearDiscriminantAnalysis."
                )
        covariances = self._covariances(parts, stats, table)
        whitenings = [Whitening.of(covariance, self.tol) for covariance in covariances]
        for name, part, each in zip(self.classes_, parts, whitenings, strict=True):
            if not each.is_full:
                raise self._singular(name, part, each.rank)
        self._set_priors(np.array([part.weight for part in parts]), self.priors)
        self.means_ = np.array([part.mean for part in parts])
        decompositions = [np.linalg.eigh(covariance) for covariance in covariances]
        self.scalings_ = [values[::-1] for values, _ in decompositions]
        self.rotations_ = [vectors[:, ::-1] for _, vectors in decompositions]
        if self.store_covariance:
            self.covariance_ = covariances
        elif hasattr(self, "covariance_"):
            del self.covariance_
        self._density = QuadraticScores.of(self.means_, self.priors_, whitenings)

    def _covariances(
        self, parts: list[Moments], stats: ClassMoments, table: Table | None
    ) -> list[Array]:
        if self.shrinkage == "auto":
            assert table is not None
            found = [
                of_class(part.weight * covariance, part.weight, self.unbiased)
                for part, covariance in zip(parts, ledoit_wolf(table, stats), strict=True)
            ]
        else:
            found = [of_class(part.scatter, part.weight, self.unbiased) for part in parts]
            if self.shrinkage is not None:
                check_share(self.shrinkage, "shrinkage")
                found = [shrunk(covariance, self.shrinkage) for covariance in found]
        if self.reg_param:
            r, unit = self.reg_param, np.eye(len(found[0]))
            found = [(1.0 - r) * covariance + r * unit for covariance in found]
        return found

    def _singular(self, name: Any, part: Moments, rank: int) -> Undetermined:
        return Undetermined(
            f"The covariance matrix of class {name} is not full rank: its {part.count} rows vary "
            f"in {rank} of {part.n_features} directions. Give it more rows, leave columns out, or "
            "raise shrinkage or reg_param."
        )

    def _update(self) -> Update:
        assert isinstance(self.stats_, ClassMoments)
        parts = [self.stats_.groups[k] for k in sorted(self.stats_.groups)]
        covariances = self._covariances(parts, self.stats_, None)
        axes = [
            ClassAxes.of(
                part.scatter,
                part.weight - self.unbiased,
                covariance,
                shrinkage=self.shrinkage or 0.0,
                ridge=self.reg_param,
                tol=self.tol,
            )
            for part, covariance in zip(parts, covariances, strict=True)
        ]
        whitenings = [Whitening.of(covariance, self.tol) for covariance in covariances]
        equal = np.full(len(parts), 1.0 / len(parts))
        return OwnDowndates(
            np.array([part.count for part in parts]),
            np.array([part.weight for part in parts]),
            self.means_,
            None if self.priors is None else self.priors_,
            QuadraticScores.of(self.means_, equal, whitenings),
            axes,
            self.unbiased,
        )
