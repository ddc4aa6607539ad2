"""Fisher's discriminant."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from linework.data.blocks import Array, Block
from linework.data.sources import Table
from linework.dichotomies import TwoSides, unknown
from linework.discriminant.base import ByClass, ClassModel
from linework.discriminant.covariances import check_share, pooled, shrunk
from linework.discriminant.densities import centred_product
from linework.discriminant.downdates import FisherScores, PooledDowndate, equal_density
from linework.discriminant.leave_one_out import Update
from linework.discriminant.linear import Projection, check_components
from linework.solvers.trace_ratio import trace_ratio
from linework.solvers.whitening import Whitening, discriminant_directions, signed
from linework.stats import ClassMoments, Moments, PooledMoments

CHOICES = {
    "criterion": ("ratio-trace", "trace-ratio"),
    "singular": ("pseudo-inverse", "shrink", "null-space"),
    "threshold": ("midpoint", "prior", "equal-density"),
}


class FisherDiscriminant(Projection, ClassModel):
    """Directions along which class means are far apart and classes narrow: argmax_w J(w).

    J(w) = wᵀS_b w / wᵀS_w w, with the scatter between and within the classes::

        S_b = Σ_k N_k (m_k − m)(m_k − m)ᵀ,    S_w = Σ_k Σ_{i in k} (x_i − m_k)(x_i − m_k)ᵀ

    For two classes, w ∝ S_w⁻¹(m_2 − m_1), and a row is told by a threshold on wᵀx; for more, by the
    nearest of the projected means.

    Parameters
    ----------
    n_components : int, default=None
        Directions, at most min(K − 1, d); by default all.
    criterion : {"ratio-trace", "trace-ratio"}, default="ratio-trace"
        Of several directions W (d, r): tr((WᵀS_wW)⁻¹ WᵀS_bW), solved by S_b w = λ S_w w, or
        tr(WᵀS_bW) / tr(WᵀS_wW) over orthonormal W. They agree for one direction.
    singular : {"pseudo-inverse", "shrink", "null-space"}, default="pseudo-inverse"
        What to do where S_w has no inverse, as with more columns than rows: look only where the
        classes have spread; add to it everywhere; or look only where they have none, which tells
        training rows without error. With an inverse, the first and the last are plain Fisher.
    shrinkage : float from 0 to 1, default=0.01
        s of (1 − s) S_w + s (tr S_w / d) I, for ``singular="shrink"``, inverse or not.
    threshold : {"midpoint", "prior", "equal-density"}, default="midpoint"
        For two classes, where on wᵀx to cut: midway between the means; there, moved by
        ln(N_1 / N_2) as for Gaussian classes of one variance; or where two Gaussian densities of
        the classes' own variances are equal, the nearer to the middle if there are two such cuts.
    tol : float, default=1e-4
        As in `LinearDiscriminantAnalysis`.

    Attributes
    ----------
    classes_ : array of shape (K,)
    means_ : array of shape (K, d)
    priors_ : array of shape (K,)
        The shares of the classes.
    xbar_ : array of shape (d,)
        m.
    scalings_ : array of shape (d, r)
        W, for "ratio-trace" with wᵀS_w w = N − K, each with its largest entry, in units of the
        columns' spread, positive; for two classes, the mean of the second is the larger along it.
    criterion_ : array of shape (r,)
        J of each direction, by the S_w that is used, shrunk or not; infinite where the classes have
        no spread.
    separation_ratio_ : array of shape (r,)
        Share of each in their sum.
    objective_ : float
        The criterion at W.
    threshold_ : float or None
        The cut on wᵀ(x − m), for two classes.
    rank_ : int
        Directions of S_w with spread.
    stats_ : PooledMoments, or ClassMoments for "equal-density"

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import FisherDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FisherDiscriminant().fit(X, y)
    >>> model.criterion_.round(4), model.score(X, y)
    (array([32.1919,  0.2854]), 0.98)
    """

    _simpler: ClassVar = {"shrinkage": 1}

    def __init__(
        self,
        n_components: int | None = None,
        *,
        criterion: str = "ratio-trace",
        singular: str = "pseudo-inverse",
        shrinkage: float = 0.01,
        threshold: str = "midpoint",
        tol: float = 1e-4,
    ) -> None:
        self.n_components = n_components
        self.criterion = criterion
        self.singular = singular
        self.shrinkage = shrinkage
        self.threshold = threshold
        self.tol = tol

    def _statistic(self) -> type[ByClass]:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}, and these are known: {', '.join(known)}."
                )
        return ClassMoments if self.threshold == "equal-density" else PooledMoments

    def _solve(self, stats: ByClass, table: Table | None, dtype: Any) -> None:
        parts: list[Moments] = []
        if isinstance(stats, ClassMoments):
            parts = [stats.groups[k] for k in sorted(stats.groups)]
            stats = stats.pooled()
        weight, self.means_, scatter = stats.weight, stats.mean, stats.scatter
        n_classes, d = self.means_.shape
        wanted = check_components(self.n_components, min(n_classes - 1, d))
        self.priors_ = weight / weight.sum()
        self.xbar_ = self.priors_ @ self.means_
        within = pooled(scatter, weight, unbiased=True)  # of one inverse with S_w; N − K is a unit
        if self.singular == "shrink":
            check_share(self.shrinkage, "shrinkage")
            within = shrunk(within, self.shrinkage)
        W = self._directions(within, weight, wanted)
        if n_classes == 2:
            W = W * np.where(np.diff(self.means_ @ W, axis=0)[0] < 0.0, -1.0, 1.0)
        self.scalings_ = W
        self._n_features_out = W.shape[1]
        self._measure(within * (weight.sum() - n_classes), weight)
        self._centres = (self.means_ - self.xbar_) @ W
        self.threshold_ = None
        if n_classes == 2:
            variances = [float(W[:, 0] @ part.scatter @ W[:, 0]) / part.weight for part in parts]
            variance = float(W[:, 0] @ within @ W[:, 0]) if W.size else 0.0
            self.threshold_ = self._cut(self._centres[:, :1].sum(axis=1), variance, variances)

    def hyperplanes(self, sides: TwoSides) -> tuple[Array, Array, Array]:
        """Solutions wᵀx + b of many problems of two groups of classes.

        Parameters
        ----------
        sides : TwoSides

        Returns
        -------
        w (M, d), b (M,), and which are known (M,)
        """
        if self.singular == "shrink" or self.threshold == "equal-density":
            return unknown(sides)
        directions, squares, known = sides.discriminants(self.tol)
        degrees = sides.weight.sum(axis=1) - 2.0
        distance = np.sqrt(np.maximum(squares * degrees, 1e-300))  # of the means along w
        coef = directions * (degrees / distance)[:, None]
        intercept = -np.einsum("md,md->m", coef, sides.middle)
        if self.threshold == "prior":
            intercept += np.diff(np.log(sides.weight), axis=1)[:, 0] / distance
        return coef, intercept, known & (degrees > 0.0) & (squares > 0.0)

    def _directions(self, within: Array, weight: Array, wanted: int) -> Array:
        """W (d, r) for Σ_w = S_w / (N − K)."""
        centred = self.means_ - self.xbar_
        whitening = Whitening.of(within, self.tol)
        self.rank_ = whitening.rank
        if self.singular == "null-space" and not whitening.is_full:
            scale = np.sqrt(within.diagonal())
            scale = np.where(scale > 0.0, scale, 1.0)
            spread = within @ whitening.basis / scale[:, None]  # spans what Σ_w reaches
            null = np.linalg.svd(spread)[0][:, whitening.rank :] / scale[:, None]
            _, s, Vt = np.linalg.svd(np.sqrt(weight)[:, None] * centred @ null, full_matrices=False)
            keep = np.arange(len(s)) < min(wanted, int((s > self.tol * s.max(initial=0.0)).sum()))
            return signed(null @ Vt[keep].T, np.ones(len(within)))
        if self.criterion == "ratio-trace":
            return discriminant_directions(whitening, centred, weight, self.tol)[0][:, :wanted]
        span, _ = np.linalg.qr(whitening.basis)
        means = centred @ span
        between = (means * weight[:, None]).T @ means
        W = span @ trace_ratio(between, span.T @ within @ span, min(wanted, whitening.rank))
        return signed(W, np.sqrt(within.diagonal()))

    def _measure(self, within: Array, weight: Array) -> None:
        """Set J, the share of separation, and the objective."""
        W = self.scalings_
        means = (self.means_ - self.xbar_) @ W
        apart = (means * weight[:, None]).T @ means
        spread = W.T @ within @ W
        widest = np.square(np.sqrt(within.diagonal()) @ np.abs(W))  # whatever the correlations
        narrow = spread.diagonal() <= 1e-14 * widest
        with np.errstate(divide="ignore", invalid="ignore"):
            self.criterion_ = np.where(narrow, np.inf, apart.diagonal() / spread.diagonal())
        share = apart.diagonal() if narrow.any() else self.criterion_
        self.separation_ratio_ = share / share.sum() if share.size else share
        if narrow.any():
            self.objective_ = np.inf
        elif self.criterion == "ratio-trace":
            self.objective_ = float(np.trace(np.linalg.solve(spread, apart))) if W.size else 0.0
        else:
            self.objective_ = float(apart.trace() / spread.trace()) if W.size else 0.0

    def _cut(self, centres: Array, variance: float, variances: list[float]) -> float:
        """Where on wᵀ(x − m) two classes part, their means (2,) along w being in order."""
        middle, distance = float(centres.mean()), float(centres[1] - centres[0])
        if self.threshold == "prior" and distance > 0.0:
            return middle + variance * float(np.log(self.priors_[0] / self.priors_[1])) / distance
        if self.threshold == "equal-density" and distance > 0.0 and min(variances) > 0.0:
            return float(centres[0]) + float(equal_density(distance, *variances))
        return middle

    def _update(self) -> Update | None:
        """Known where all directions are kept: then scores are distances by S_w⁻¹."""
        n_classes, d = self.means_.shape
        apart = self.criterion_.min(initial=np.inf) > (1e2 * self.tol) ** 2 * self.criterion_.max()
        if (
            self.criterion == "trace-ratio"
            or self._n_features_out < min(n_classes - 1, d)
            or not apart
        ):
            return None
        share = float(self.shrinkage) if self.singular == "shrink" else 0.0
        given = self.stats_
        stats = given.pooled() if isinstance(given, ClassMoments) else given
        downdate = PooledDowndate.of(stats, share, self.tol, True)
        if downdate is None or (self.singular == "null-space" and self.rank_ < d):
            return None
        scatters = []
        if isinstance(given, ClassMoments) and n_classes == 2:
            B = downdate.basis
            scatters = [B.T @ given.groups[k].scatter @ B for k in (0, 1)]
        return FisherScores(downdate, self.threshold, scatters)

    def _scores(self, block: Block) -> Array:
        Z = centred_product(block.X, self.xbar_, self.scalings_)
        if self.threshold_ is not None:
            along = Z[:, 0] if Z.shape[1] else np.zeros(len(Z))
            return np.column_stack([np.zeros(len(Z)), along - self.threshold_])
        return np.asarray(Z @ self._centres.T - 0.5 * np.square(self._centres).sum(axis=1))
