"""Many two-class problems over the same classes, solved together from the moments by class.

A *dichotomy* sets some classes against others: a column of a coding matrix (K, M), with entries +1
and −1 for its two sides and 0 for classes on neither. Its moments are sums of those of the classes,
so that any number of dichotomies costs one pass over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Any, Protocol

import numpy as np
from sklearn.base import clone

from linework.data.blocks import Array
from linework.data.sources import GRAM_COLUMNS, Table
from linework.engine import map_reduce, single_threaded_blas
from linework.solvers.cholesky import EPS, Factor, cholesky
from linework.solvers.least_squares import CHOLESKY_LIMIT
from linework.stats import ClassMoments, PooledMoments

ByClass = PooledMoments | ClassMoments

SIDES = np.array([[-1.0], [1.0]])
"""The negative side and the positive one."""


class Together(Protocol):
    """A learner of two classes that fits many dichotomies with fewer reads than one by one."""

    def fit_dichotomies(self, table: Table, code: Array) -> Learners | None:
        """The learners of the columns of a code (K, M); rows of group k are of its row k.

        None where it cannot, with these settings or for this code: fit one by one.
        """
        ...


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Dichotomies that use the same classes: they share the scatter T of all rows.

    Least squares, linear discriminants and Fisher's direction are all T⁻¹(m⁺ − m⁻), up to a factor,
    so that T is factorised once.

    Attributes
    ----------
    weight : array of shape (M, 2)
        Of the negative and the positive side.
    mean : array of shape (M, 2, d)
        The sides' means, less the centre.
    centre : array of shape (d,)
        The mean of all rows.
    scatter : array of shape (d, d)
        T = Σ w (x − centre)(x − centre)ᵀ.
    noise : array of shape (d,)
        As in `Moments`.
    """

    weight: Array
    mean: Array
    centre: Array
    scatter: Array
    noise: Array

    @property
    def largest_condition(self) -> float:
        """Up to which a Cholesky factor of T gives digits enough."""
        squares = self.scatter.diagonal()
        noise = np.divide(self.noise, squares, np.zeros_like(squares), where=squares > 0.0)
        return min(CHOLESKY_LIMIT, float(max(noise.sum(), EPS) ** -0.5))

    @cached_property
    def apart(self) -> Array:
        """δ = m⁺ − m⁻, shape (M, d)."""
        return np.asarray(self.mean[:, 1] - self.mean[:, 0])

    @cached_property
    def middle(self) -> Array:
        """½ (m⁺ + m⁻), with the centre, shape (M, d)."""
        return np.asarray(0.5 * (self.mean[:, 0] + self.mean[:, 1]) + self.centre)

    @cached_property
    def spread(self) -> Array:
        """C = W⁺W⁻ / W: the scatter of targets 0 and 1, shape (M,)."""
        negative, positive = self.weight.T
        return np.asarray(negative * positive / (negative + positive))

    def least_squares(self, alpha: float = 0.0) -> tuple[Array, Factor | None]:
        """Slopes β = (T + αI)⁻¹ c δ for targets 0 and 1, shape (M, d), and the factor of T + αI.

        Zeros and None where that is singular to working precision.
        """
        ridge = alpha * np.eye(len(self.scatter)) if alpha else 0.0
        factor = cholesky(self.scatter + ridge)
        if factor is None:
            return np.zeros(self.mean[:, 0].shape), None
        return factor.solve((self.spread[:, None] * self.apart).T).T, factor

    def discriminants(self, tol: float) -> tuple[Array, Array, Array]:
        """S_w⁻¹δ (M, d), δᵀS_w⁻¹δ (M,) and which are known (M,), of the scatter within the sides.

        S_w = T − c δδᵀ has the inverse that Sherman and Morrison give: with β of least squares and
        R² = δᵀβ, S_w⁻¹δ = β / (c (1 − R²)). In units of the columns' spread the smallest eigenvalue
        of S_w is at least that of T times 1 − R², and it has to be well above ``tol``².
        """
        beta, factor = self.least_squares()
        if factor is None:
            return beta, np.zeros(len(beta)), np.zeros(len(beta), bool)
        explained = np.einsum("md,md->m", beta, self.apart)
        left = np.maximum(1.0 - explained, 1e-300)
        known = left > 100.0 * max(tol, 1e-6) ** 2 * factor.condition**2
        scale = 1.0 / (self.spread * left)
        return beta * scale[:, None], explained * scale, known


def unknown(sides: TwoSides) -> tuple[Array, Array, Array]:
    """The answer of a learner that has no hyperplanes for these problems."""
    M, _, d = sides.mean.shape
    return np.zeros((M, d)), np.zeros(M), np.zeros(M, bool)


def regression_planes(sides: TwoSides, alpha: float) -> tuple[Array, Array, Array]:
    """2 f(x) − 1 for ridge regression f on targets 0 and 1, as `FromMoments.hyperplanes`."""
    beta, factor = sides.least_squares(alpha)
    share = sides.weight[:, 1] / sides.weight.sum(axis=1)
    certain = factor is not None and factor.condition <= sides.largest_condition
    return 2.0 * beta, 2.0 * (share - beta @ sides.centre) - 1.0, np.full(len(beta), certain)


@dataclass(frozen=True, eq=False)
class Learners(Sequence[Any]):
    """Fitted two-class models, made when they are asked for; where they are linear, their planes.

    Attributes
    ----------
    make : callable
        From the number of a model to the model.
    number : int
        M.
    coef : array of shape (M, d) or None
    intercept : array of shape (M,) or None
    """

    make: Callable[[int], Any]
    number: int
    coef: Array | None = None
    intercept: Array | None = None

    @cached_property
    def _made(self) -> dict[int, Any]:
        return {}

    def __len__(self) -> int:
        """M."""
        return self.number

    def __getitem__(self, index: Any) -> Any:
        """One model, or a list of those of a slice."""
        which = range(self.number)[index]
        if isinstance(which, range):
            return [self[m] for m in which]
        if which not in self._made:
            self._made[which] = self.make(which)
        return self._made[which]


class FromMoments:
    """A learner of two classes that is solved from their moments.

    Its problems under a coding matrix take one pass, whatever their number.
    """

    def fit_dichotomies(self, table: Table, code: Array) -> Learners | None:
        """Fit the problems of a coding matrix, from the moments of the classes.

        Parameters
        ----------
        table : Table
            Its groups are the rows of ``code``.
        code : array of shape (K, M)

        Returns
        -------
        Learners, or None where moments do not determine the model
        """
        return from_moments(self, table, code)

    def sides_statistic(self) -> type[ByClass]:
        """The statistic that `fit_sides` takes: one scatter for both sides, or one each.

        Returns
        -------
        PooledMoments or ClassMoments
        """
        return PooledMoments

    def fit_sides(self, stats: Any) -> Any:
        """Fit the problem of two groups of classes, as of a column of a coding matrix.

        Parameters
        ----------
        stats : PooledMoments or ClassMoments
            Of groups 0 and 1, of which 1 is the positive side.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def hyperplanes(self, sides: TwoSides) -> tuple[Array, Array, Array]:
        """Solutions wᵀx + b of many problems of two groups of classes.

        Parameters
        ----------
        sides : TwoSides

        Returns
        -------
        w (M, d), b (M,), and which are known (M,)
            Where one is not, because the learner is not linear or the problem is not
            well-conditioned, `fit_sides` answers.
        """
        return unknown(sides)


def from_moments(model: Any, table: Table, code: Array) -> Learners | None:
    """The models of all dichotomies, by one pass for the moments of the classes.

    None for a model that is not `FromMoments`, or where a d × d matrix would be too much.

    Parameters
    ----------
    table : Table
        Its groups are the rows of ``code``.
    code : array of shape (K, M)

    Examples
    --------
    >>> import numpy as np
    >>> from linework import LinearDiscriminantAnalysis
    >>> from linework.data.sources import as_table
    >>> from linework.dichotomies import from_moments
    >>> table = as_table([[0.0], [2.0], [4.0], [6.0], [9.0], [11.0]])
    >>> code = np.array([[-1, -1], [1, -1], [0, 1]])  # 0 against 1; both against 2
    >>> number = np.array([0, 0, 1, 1, 2, 2])
    >>> lda = LinearDiscriminantAnalysis()
    >>> learners = from_moments(lda, table.with_group(number), code)
    >>> (-learners.intercept / learners.coef[:, 0]).round(6)  # where they cut
    array([3.      , 7.044616])
    """
    if not hasattr(model, "fit_sides") or table.n_columns > GRAM_COLUMNS:
        return None
    kind: type[ByClass] = PooledMoments if (code != 0).all() else ClassMoments
    if model.sides_statistic() is ClassMoments:
        kind = ClassMoments
    collect: Callable[..., Any] = kind.from_block
    stats: ByClass = map_reduce(table, collect)
    make = FromSides(clone(model), stats, code, table.names)
    coef, intercept = np.empty((code.shape[1], table.n_columns)), np.empty(code.shape[1])
    known = np.zeros(code.shape[1], bool)
    with single_threaded_blas:
        for columns, sides in by_classes_used(stats, code):
            coef[columns], intercept[columns], known[columns] = model.hyperplanes(sides)
    learners = Learners(make, code.shape[1])
    for m in np.flatnonzero(~known):
        plane = _plane(learners[m])
        if plane is None:
            return learners
        coef[m], intercept[m] = plane
    return replace(learners, coef=coef, intercept=intercept)


def by_classes_used(stats: ByClass, code: Array) -> list[tuple[Array, TwoSides]]:
    """The columns that use the same classes, with their sides, for each such set of classes."""
    labels, weight, mean, scatter, noise = _stacked(stats)
    code = code[labels].astype(np.float64)
    used, which = np.unique(code != 0, axis=1, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    starts = np.searchsorted(which.ravel()[order], np.arange(used.shape[1] + 1))
    found = []
    for number, classes in enumerate(used.T):
        columns, k = order[starts[number] : starts[number + 1]], np.flatnonzero(classes)
        w = weight[k]
        centre = w @ mean[k] / w.sum()
        centred = mean[k] - centre
        between = (centred.T * w) @ centred
        total = between + (scatter if scatter.ndim == 2 else scatter[k].sum(axis=0))
        rounding = noise if noise.ndim == 1 else noise[k].sum(axis=0)
        part = code[k[:, None], columns].T
        shares = np.maximum(part[:, None] * SIDES, 0.0) * w
        side = shares.sum(axis=2)
        means = shares @ centred / side[:, :, None]
        found.append((columns, TwoSides(side, means, centre, total, rounding)))
    return found


def two_groups(stats: ByClass, column: Array) -> ByClass:
    """The moments of the two sides of a dichotomy, as groups 0 (−1) and 1 (+1)."""
    if isinstance(stats, ClassMoments):
        sides = [[stats.groups[k] for k in sorted(stats.groups) if column[k] == s] for s in (-1, 1)]
        return ClassMoments({g: reduce(add, parts) for g, parts in enumerate(sides) if parts})
    sign = column[stats.labels]
    assert sign.all()
    groups = (sign[:, None] == np.array([-1, 1])).T.astype(np.float64)
    weight = groups @ stats.weight
    mean = groups @ (stats.mean * stats.weight[:, None]) / weight[:, None]
    apart = (stats.mean - mean[(sign > 0).astype(np.intp)]) * np.sqrt(stats.weight)[:, None]
    count = np.array([stats.count[sign == s].sum() for s in (-1, 1)])
    return PooledMoments(
        np.arange(2), count, weight, mean, stats.scatter + apart.T @ apart, stats.noise
    )


def _stacked(stats: ByClass) -> tuple[Array, ...]:
    """Labels and weights (K,), means (K, d), scatter and noise of all or of each, (K, d, d)."""
    if isinstance(stats, PooledMoments):
        return stats.labels, stats.weight, stats.mean, stats.scatter, stats.noise
    labels = sorted(stats.groups)
    parts = [stats.groups[k] for k in labels]
    return (
        np.array(labels),
        np.array([part.weight for part in parts]),
        np.array([part.mean for part in parts]),
        np.array([part.scatter for part in parts]),
        np.array([part.noise for part in parts]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class FromSides:
    """The models of the columns of a code (K, M), from the moments of the classes."""

    model: Any
    stats: ByClass
    code: Array
    names: tuple[str, ...] | None

    def __call__(self, m: int) -> Any:
        """The fitted model of column m."""
        sides = two_groups(self.stats, self.code[:, m])
        if isinstance(sides, ClassMoments) and self.model.sides_statistic() is PooledMoments:
            sides = sides.pooled()
        fitted = clone(self.model).fit_sides(sides)
        if self.names is not None:
            fitted.feature_names_in_ = np.array(self.names, object)
        return fitted


def _plane(model: Any) -> tuple[Array, float] | None:
    """W (d,) and b of a fitted model of two classes, where it has such."""
    if not hasattr(model, "coef_"):
        return None
    coef, intercept = np.atleast_2d(model.coef_), np.ravel(model.intercept_)
    if not hasattr(model, "classes_"):  # a regression on targets 0 and 1
        return 2.0 * coef[0], 2.0 * float(intercept[0]) - 1.0
    if len(coef) == 2:
        coef, intercept = np.diff(coef, axis=0), np.diff(intercept)
    return coef[0], float(intercept[0])
