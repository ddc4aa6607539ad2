"""What `infer` gives of a likelihood model: numbers, intervals, tests and predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import chdtrc

from linework.data.blocks import Array, Block
from linework.engine import map_rows
from linework.inference.coordinates import Coordinates
from linework.inference.hypothesis import HypothesisTest, wald_statistic
from linework.inference.line import dense_tiles
from linework.inference.r_numbers import format_numbers, format_one
from linework.inference.summary import count
from linework.inference.table import CoefficientTable
from linework.inference.tails import central_quantile, check_level, f_tail
from linework.likelihood.glm import GLM
from linework.losses import GeneralizedLoss


@dataclass(frozen=True, slots=True, eq=False)
class LinkedPredictor:
    """The linear predictor, and the covariance M of its coefficients in the design's coordinates.

    Attributes
    ----------
    model : GLM
    columns : array of int
        Those that have a slope of their own.
    coordinates : Coordinates
    coef : array of shape (d,)
        Their slopes.
    meat : array of shape (k, k)
        M.
    """

    model: GLM
    columns: Array
    coordinates: Coordinates
    coef: Array
    meat: Array

    def __call__(self, X: Any, offset: Any) -> tuple[Array, Array]:
        """The linear predictor at each row and its standard error √(qᵀMq), each (n,)."""
        value = self.model.linear_predictor(X, offset)
        table = self.model._read(X, reset=False)
        if len(self.columns) < table.n_columns:
            table = table.columns(self.columns)

        def errors(block: Block) -> Array:
            parts = []
            for _, dense in dense_tiles(block):
                Q = self.coordinates.rows(dense)
                parts.append(np.sqrt(np.einsum("ij,ij->i", Q @ self.meat, Q)))
            return np.concatenate(parts)

        return value, map_rows(table, errors)


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedInference:
    r"""Standard errors, tests and intervals of a likelihood model; printed, it is R's summary.

    Made by `infer`. It holds a few numbers for each coefficient, and no rows.

    Attributes
    ----------
    table : CoefficientTable
        Estimate, standard error, statistic (z, or t where the dispersion is estimated), p-value,
        interval, variance inflation in the weighted columns, and β_j · sd(x_j).
    covariance_matrix : array of shape (k, k)
        Of the estimates, in the order of the table; NaN for a coefficient that is not defined.
    covariance : str
    n_clusters : int or None
    n, df_residual, df_null : float
        Rows as the weights count, n − k, and n less the intercept.
    deviance, null_deviance : float
    pearson : float
        Σ w (y − μ)² / V(μ).
    dispersion : float
        φ: Pearson's statistic / (n − k), or 1 for binomial, Poisson and negative binomial.
    loglik, aic, bic : float
        At φ = deviance / n where it is estimated, as R has it; φ counts as a parameter then.
    n_iter : int
    loss : GeneralizedLoss
        Family and link.

    Examples
    --------
    >>> from linework import GLM, infer
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 6.0, 14.0]
    >>> result = infer(GLM("poisson").fit(X, y), X, y)
    >>> result.table.std_error.round(4)
    array([0.6484, 0.2521])
    >>> result.exp()[1].round(2)  # the rate's ratio for each unit of x, with its interval
    array([2.49, 1.52, 4.08])
    """

    table: CoefficientTable
    covariance_matrix: Array
    covariance: str
    n_clusters: int | None
    n: float
    df_residual: float
    df_null: float
    deviance: float
    null_deviance: float
    pearson: float
    dispersion: float
    loglik: float
    aic: float
    bic: float
    n_iter: int
    loss: GeneralizedLoss
    _predictor: LinkedPredictor

    def confint(self, level: float | None = None) -> Array:
        """Wald intervals of the coefficients, shape (k, 2): lower and upper end.

        Parameters
        ----------
        level : float, optional
            The one given to `infer`, if left out.
        """
        return self.table.interval(self._level(level))

    def exp(self, level: float | None = None) -> Array:
        """The exponentials of the coefficients and their intervals, shape (k, 3).

        Odds ratios for the logit link, ratios of rates or means for the log link.

        Parameters
        ----------
        level : float, optional
            The one given to `infer`, if left out.
        """
        return np.asarray(np.exp(np.column_stack([self.table.estimate, self.confint(level)])))

    def predict(
        self,
        X: Any,
        interval: Literal["confidence"] | None = None,
        level: float | None = None,
        offset: Any = None,
    ) -> Array:
        """The mean at each row, with an interval if one is asked for.

        The interval is formed for the linear predictor, and its ends are brought to the scale of y.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        interval : {None, "confidence"}, default=None
        level : float, optional
            The one given to `infer`, if left out.
        offset : array-like of shape (n,), optional

        Returns
        -------
        array of shape (n,), or (n, 3) with an interval: value, lower and upper end
        """
        if interval not in (None, "confidence"):
            raise ValueError(f'interval is {interval!r}, and None or "confidence" is expected.')
        value, error = self._predictor(X, offset)
        mean = self.loss.link.mean
        if interval is None:
            return mean(value)
        half = central_quantile(self._level(level), self.table.df) * error
        ends = np.sort(np.column_stack([mean(value - half), mean(value + half)]), axis=1)
        return np.column_stack([mean(value), ends])

    def wald(self, hypothesis: Any, value: Any = 0.0) -> HypothesisTest:
        """Test of linear hypotheses Hβ = c, by the covariance chosen.

        Parameters
        ----------
        hypothesis : array-like of shape (q, k) or (k,)
            H, a row for each hypothesis, on the coefficients in the order of the table.
        value : array-like of shape (q,) or float, default=0.0
            c.

        Returns
        -------
        HypothesisTest, with NaN where the covariance of Hβ is singular
        """
        f, q = wald_statistic(hypothesis, value, self.table.estimate, self.covariance_matrix)
        return self._test(f, q, self.df_residual)

    def compare(self, smaller: GeneralizedInference) -> HypothesisTest:
        """Analysis of deviance: whether this model fits better than one nested in it.

        The likelihood-ratio test where the dispersion is known; otherwise F with the dispersion of
        this model, the larger.

        Parameters
        ----------
        smaller : GeneralizedInference
            Of the same rows, with some of these columns.

        Returns
        -------
        HypothesisTest
        """
        q = smaller.df_residual - self.df_residual
        if smaller.loss != self.loss or smaller.n != self.n or not q > 0.0:
            raise ValueError(
                "The models are not nested: the other is to be of the same rows, family and link, "
                f"with fewer coefficients. It has {count(smaller.n)} rows and "
                f"{count(smaller.df_residual)} residual degrees of freedom, this one "
                f"{count(self.n)} and {count(self.df_residual)}."
            )
        statistic = max(smaller.deviance - self.deviance, 0.0) / self.dispersion
        return self._test(statistic / q, q, self.df_residual)

    def _test(self, f: float, q: float, df: float) -> HypothesisTest:
        """Of a statistic by its q degrees of freedom."""
        if self.loss.family.dispersed:
            return HypothesisTest(f, (q, df), f_tail(f, (q, df)))
        return HypothesisTest(q * f, (q,), float(chdtrc(q, q * f)))

    def to_frame(self) -> Any:
        """The table of coefficients as a pandas DataFrame."""
        return self.table.to_frame()

    def to_text(self) -> str:
        """The summary as R prints it, without the call."""
        return "\n".join([*self._head(), self.table.to_text(), "", *self._foot()])

    def to_markdown(self) -> str:
        """The table of coefficients with intervals, and the fit as a whole below it."""
        return self.table.grid().markdown(self._notes())

    def to_html(self) -> str:
        """As `to_markdown`, in HTML."""
        return self.table.grid().html(self._notes())

    def to_latex(self) -> str:
        """As `to_markdown`, in LaTeX."""
        return self.table.grid().latex(self._notes())

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()

    def _head(self) -> list[str]:
        missing = int(np.isnan(self.table.estimate).sum())
        note = f" ({missing} not defined because of singularities)" if missing else ""
        return ["Coefficients:" + note]

    def _foot(self) -> list[str]:
        family = self.loss.family
        taken = format_one(self.dispersion, 7).strip() if family.dispersed else "1"
        name = family.name.replace("_", " ")
        deviances = format_numbers([self.null_deviance, self.deviance], 5)
        freedoms = [count(value) for value in (self.df_null, self.df_residual)]
        widths = [max(map(len, texts)) for texts in (deviances, freedoms)]
        lines = [
            f"(Dispersion parameter for {name} family taken to be {taken})",
            "",
            *(
                f"{label} deviance: {deviance.rjust(widths[0])}  on {df.rjust(widths[1])}  degrees "
                "of freedom"
                for label, deviance, df in zip(
                    ("    Null", "Residual"), deviances, freedoms, strict=True
                )
            ),
            f"AIC: {format_one(self.aic, 5).strip()}",
        ]
        if self.covariance != "classic":
            clusters = "" if self.n_clusters is None else f", {self.n_clusters} clusters"
            lines.insert(0, f"Standard errors: {self.covariance}{clusters}")
        return lines

    def _notes(self) -> list[str]:
        return [" ".join(line.split()) for line in self._foot() if line]

    def _level(self, level: float | None) -> float:
        if level is None:
            return self.table.level
        check_level(level)
        return level
