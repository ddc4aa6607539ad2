"""Regression for ordered classes: one linear function, and thresholds on it."""

from __future__ import annotations

import dataclasses
import warnings
from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_scalar

from linework.classifier import Probabilistic
from linework.data.blocks import Array, Block
from linework.data.numbers import dtype_of
from linework.data.sources import Table, as_table
from linework.engine import map_rows
from linework.labels import in_given_order
from linework.likelihood.base import LikelihoodModel
from linework.likelihood.logistic import SeparationWarning
from linework.likelihood.parallel import ParallelProblem, WideParallelProblem
from linework.likelihood.separability import separability_of
from linework.likelihood.solve import WIDE, solve
from linework.losses import LINKS, CumulativeLoss

LINKS_OF_PROBABILITIES = ("logit", "probit", "cloglog", "loglog", "cauchit")

CERTAIN = -9.0
"""Log probability of the other side of a threshold below which rows may be separable."""


class OrdinalRegression(Probabilistic, LikelihoodModel):
    """Regression for ordered classes: P(G ≤ k | x) = F(ζ_k − wᵀx), thresholds ζ_1 < … < ζ_{K−1}.

    A cumulative link model, as if G told between which thresholds wᵀx + ε lies, for an error ε of
    distribution F. With the logit link it is McCullagh's proportional odds: one unit of x_j
    multiplies the odds of a higher class by exp w_j, wherever "higher" is cut. Minimises::

        1 / W Σ_i w_i ℓ(g_i, x_i) + ½ · alpha · ‖w‖²,    ℓ = −ln [F(ζ_g − wᵀx) − F(ζ_{g−1} − wᵀx)]

    Parameters
    ----------
    link : {"logit", "probit", "cloglog", "loglog", "cauchit"}, default="logit"
        F: logistic, normal, Gumbel's for smallest values 1 − exp(−exp η) (proportional hazards) or
        for largest exp(−exp(−η)), or Cauchy's distribution.
    alpha : float, default=0.0
        Strength of the penalty; thresholds have none.
    classes : array-like of shape (K,), default=None
        The classes from the lowest to the highest. By default in the order of an ordered pandas
        categorical, and sorted otherwise: words by the alphabet, which is seldom what they mean.
    tol : float, default=1e-4
        As in scikit-learn, where a fit may stop; fits here go on to a gradient of ten thousandth.
    max_iter : int, default=100

    Attributes
    ----------
    classes_ : array of shape (K,)
        From the lowest to the highest.
    coef_ : array of shape (d,)
        w: a positive slope makes high classes likelier.
    thresholds_ : array of shape (K − 1,)
        ζ, increasing.
    deviance_, null_deviance_ : float
        −2 Σ w ln P(G = g | x) at the fit, and without slopes.
    n_iter_ : int
    convergence_ : Convergence

    Notes
    -----
    Slopes and thresholds are found together by Newton's method, with the second derivatives of the
    rows themselves: see `LogisticRegression` for how a fit goes. For all links but cauchit the
    likelihood is concave (Pratt, 1981), and its maximum the only one.

    References
    ----------
    McCullagh (1980), Regression models for ordinal data. J. R. Statist. Soc. B 42, 109–142.

    Examples
    --------
    >>> from linework import OrdinalRegression
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> y = ["low", "low", "medium", "low", "medium", "high", "medium", "high"]
    >>> model = OrdinalRegression(classes=["low", "medium", "high"]).fit(X, y)
    >>> model.coef_.round(2), model.thresholds_.round(2)
    (array([1.2]), array([2.94, 6.71]))
    >>> model.predict([[3.0]]), model.predict_proba([[3.0]]).round(2)
    (array(['medium'], dtype='<U6'), array([[0.34, 0.61, 0.04]]))
    """

    fit_intercept = True  # the thresholds are intercepts, and no choice
    coef_: Array
    thresholds_: Array
    deviance_: float
    null_deviance_: float
    n_iter_: int

    def __init__(
        self,
        link: str = "logit",
        *,
        alpha: float = 0.0,
        classes: Any = None,
        tol: float = 1e-4,
        max_iter: int = 100,
    ) -> None:
        self.link = link
        self.alpha = alpha
        self.classes = classes
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
            Labels of any kind that can be ordered; each class needs a row.
        sample_weight : array-like of shape (n,), optional
            Zero removes a row, two counts it twice.

        Returns
        -------
        self
        """
        check_scalar(self.alpha, "alpha", Real, min_val=0.0)
        self._check_iterations()
        table, classes = self._read_labelled(X, y, sample_weight, reset=True)
        loss = self._loss(len(classes) - 1)
        null, self.null_deviance_ = without_slopes(table, loss)
        coef, thresholds, problem = self._minimise(
            table,
            loss,
            null,
            self.alpha,
            0.0,
            solver=partial(solve, wide=WideParallelProblem),
            kind=ParallelProblem,
        )
        assert isinstance(problem, ParallelProblem)
        slope = -coef[:, 0]
        value = self.convergence_.objective - 0.5 * self.alpha * float(slope @ slope)
        self.deviance_ = 2.0 * problem.columns.weight * value
        self.classes_, self.n_iter_ = classes, self.convergence_.n_iter
        dtype = dtype_of(table.dtype, slope, thresholds)
        self.coef_, self.thresholds_ = slope.astype(dtype), thresholds.astype(dtype)
        if not self.alpha and map_rows(table, self._is_certain).any():
            theta = problem.parameters(coef, thresholds)
            if len(theta) > WIDE or problem.is_flat(theta):
                self._tell_of_separation(table, len(thresholds))
        return self

    def linear_predictor(self, X: Any) -> Array:
        """Return wᵀx of each row: where it stands among the thresholds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,)
        """
        self._require_fit()
        return map_rows(self._read(X, reset=False), self._slope)

    def _slope(self, block: Block) -> Array:
        return np.asarray(block.X @ self.coef_, np.float64)

    def _scores(self, block: Block) -> Array:
        thresholds = self.thresholds_.astype(np.float64)
        return self._loss(len(thresholds)).log_shares(thresholds - self._slope(block)[:, None])

    def _is_certain(self, block: Block) -> Array:
        """Which rows all but surely lie on one side of a threshold; some in a separable fit."""
        eta, link = self.thresholds_ - self._slope(block)[:, None], LINKS[self.link]
        with np.errstate(all="ignore"):
            odds = np.minimum(link.log_mean(eta), link.log_complement(eta))
        return np.asarray((odds < CERTAIN).any(axis=1))

    def _loss(self, n_thresholds: int) -> CumulativeLoss:
        if self.link not in LINKS_OF_PROBABILITIES:
            raise ValueError(
                f"link is {self.link!r}; {', '.join(LINKS_OF_PROBABILITIES)} are known."
            )
        return CumulativeLoss(LINKS[self.link], n_thresholds)

    def _problem(self, table: Table) -> ParallelProblem:
        """The problem of these rows, without a penalty."""
        loss = self._loss(len(self.thresholds_))
        null, _ = without_slopes(table, loss)
        return ParallelProblem.of(table, loss, null, True, 0.0, 0.0)

    def _read_labelled(
        self, X: Any, y: Any, sample_weight: Any, *, reset: bool
    ) -> tuple[Table, Array]:
        """The rows with the number of their class, in order, as group and as y."""
        table, classes = super()._read_labelled(X, y, sample_weight, reset=reset)
        if len(classes) < 2:
            raise ValueError(
                f"The rows are of {len(classes)} class, and OrdinalRegression orders two or more "
                "(n_samples of each must be at least 1): give rows of another."
            )
        assert table.group is not None
        order = self._order(y, classes) if reset else self.classes_
        classes, number = in_given_order(classes, order)
        group = number[table.group]
        return dataclasses.replace(table, y=group[:, None].astype(float), group=group), classes

    def _order(self, y: Any, present: Array) -> Any:
        """The classes in order, as they are given or as the labels tell, or None."""
        kind: Any = getattr(y, "dtype", None)
        if self.classes is None and getattr(kind, "ordered", False):
            return kind.categories[kind.categories.isin(present)]
        return self.classes

    def _tell_of_separation(self, table: Table, n_thresholds: int) -> None:
        """Warn where the rows above each threshold and those below it can be told apart at once.

        That is separability of two classes, of rows [x, e_k] for each threshold k.
        """
        (n, d), k = (table.n_rows, table.n_columns), n_thresholds
        assert table.group is not None
        cuts = as_table(sp.kron(sp.eye_array(k), np.ones((n, 1)), format="csr"))
        above = (table.group > np.arange(k)[:, None]).ravel().astype(np.intp)
        rows = table.take(np.tile(np.arange(n), k)).beside(cuts).with_group(above)
        names = self._column_names(range(d))
        found = separability_of(rows, np.arange(2), names + ("",) * k)
        if not found:
            return
        columns = [name for name in found.columns if name]
        shown = ", ".join(map(repr, columns[:10])) + ", …" * (len(columns) > 10)
        warnings.warn(
            f"A linear function of {shown} tells ordered classes apart without error: the "
            "likelihood has no maximum, and these coefficients are infinite but for where the fit "
            "stopped. Use a penalty (alpha), or leave columns out.",
            SeparationWarning,
            stacklevel=3,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of classes that are in no order
        return tags


def without_slopes(table: Table, loss: CumulativeLoss) -> tuple[Array, float]:
    """The thresholds (K − 1,) that give each class its share of the rows, and their deviance."""
    assert table.group is not None
    totals = np.bincount(table.group, table.weight, loss.n_scores + 1)
    share = totals / totals.sum()
    return loss.link.link(np.cumsum(share)[:-1]), float(-2.0 * totals @ np.log(share))
