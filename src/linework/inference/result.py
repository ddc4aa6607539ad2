"""What `infer` gives: numbers, intervals, tests and predictions, in every format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from linework.data.blocks import Array
from linework.inference import summary
from linework.inference.hypothesis import wald_statistic
from linework.inference.prediction import Predictor
from linework.inference.table import CoefficientTable
from linework.inference.tails import central_quantile, check_level, f_tail


class WaldTest(NamedTuple):
    """F statistic, its degrees of freedom and its p-value."""

    f: float
    df: tuple[float, float]
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class Inference:
    r"""Standard errors, tests and intervals for one target; printed, it is R's summary.

    Made by `infer`. It holds a few numbers for each coefficient, and no rows.

    Attributes
    ----------
    table : CoefficientTable
        Estimate, standard error, statistic, p-value, interval, variance inflation and standardised
        coefficient: a row for each coefficient, the intercept first.
    covariance_matrix : array of shape (k, k)
        Of the estimates, in the order of the table; NaN for a coefficient that is not defined.
    covariance : str
        Which one: ``"classic"``, ``"HC0"`` … ``"HC3"`` or ``"cluster"``.
    n_clusters : int or None
    n : int or float
        Rows: Σ w for frequency weights, rows of positive weight for precision weights.
    df_residual : int or float
        n − k, k being the number of defined coefficients.
    rss : float
        Residual sum of squares Σ w r².
    sigma : float
        Residual standard error √(RSS / (n − k)).
    r2, adj_r2 : float
        Share of Σ w (y − ȳ)² that is explained, or of Σ w y² without an intercept; and
        1 − (1 − R²) (n − 1) / (n − k), with n in the place of n − 1 without an intercept.
    f, f_df, f_p : float, pair of floats, float
        Test of all slopes being zero, by the covariance chosen; NaN where that is singular.
    loglik, aic, bic : float
        With normal errors; σ counts as a parameter. Those of `LogLinearRegression` are of ln y.
    residual_quantiles : array of shape (5,)
        Minimum, quartiles and maximum of the residuals; of √w r for precision weights.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import LinearRegression, infer
    >>> X = np.arange(8.0)[:, None]
    >>> y = np.array([1.1, 2.9, 5.2, 6.8, 9.1, 11.2, 12.8, 15.1])
    >>> result = infer(LinearRegression().fit(X, y), X, y)
    >>> result.table.std_error.round(4)
    array([0.1163, 0.0278])
    >>> result.n, result.df_residual, round(result.sigma, 4)
    (8, 6, 0.1802)
    >>> print(result.to_markdown())
    | | Estimate | Std. Error | t value | Pr(>\|t\|) | 2.5 % | 97.5 % |
    | --- | ---: | ---: | ---: | ---: | ---: | ---: |
    ...
    """

    table: CoefficientTable
    covariance_matrix: Array
    covariance: str
    n_clusters: int | None
    n: float
    df_residual: float
    rss: float
    sigma: float
    r2: float
    adj_r2: float
    f: float
    f_df: tuple[float, float]
    loglik: float
    aic: float
    bic: float
    residual_quantiles: Array
    _perfect: bool
    _weighted: bool
    _predictor: Predictor

    @property
    def f_p(self) -> float:
        """p-value of ``f``."""
        return f_tail(self.f, self.f_df)

    def confint(self, level: float | None = None) -> Array:
        """Confidence intervals of the coefficients, shape (k, 2): lower and upper end.

        Parameters
        ----------
        level : float, optional
            The one given to `infer`, if left out.

        Examples
        --------
        >>> from linework import LinearRegression, infer
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 4.0, 5.0]
        >>> infer(LinearRegression().fit(X, y), X, y).confint(0.9).round(3)
        array([[0.127, 1.673],
               [0.987, 1.813]])
        """
        return self.table.interval(self._level(level))

    def predict(
        self,
        X: Any,
        interval: Literal["confidence", "prediction"] | None = None,
        level: float | None = None,
    ) -> Array:
        """The line at each row, with an interval if one is asked for.

        Of a `LogLinearRegression`, the median of y, exp(xᵀβ), and the exponentiated ends: intervals
        are formed for ln y, and keep their level under the exponential.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
        interval : {None, "confidence", "prediction"}, default=None
            ``"confidence"`` for the mean of y at x, with the covariance chosen; ``"prediction"``
            for a y that is still to be seen, of weight one, whose own variance σ² is added.
        level : float, optional
            The one given to `infer`, if left out.

        Returns
        -------
        array of shape (n,), or (n, 3) with an interval: value, lower and upper end

        Examples
        --------
        >>> from linework import LinearRegression, infer
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 4.0, 5.0]
        >>> result = infer(LinearRegression().fit(X, y), X, y)
        >>> result.predict([[1.5], [4.0]], "confidence").round(3)
        array([[3.   , 2.32 , 3.68 ],
               [6.5  , 4.834, 8.166]])
        """
        if interval not in (None, "confidence", "prediction"):
            raise ValueError(
                f'interval is {interval!r}, and None, "confidence" or "prediction" is expected.'
            )
        value, error = self._predictor(X)
        if interval is None:
            return self._predictor.on_scale_of_y(value)
        if interval == "prediction":
            error = np.hypot(error, self.sigma)
        half = central_quantile(self._level(level), self.df_residual) * error
        return self._predictor.on_scale_of_y(np.column_stack([value, value - half, value + half]))

    def se_mean(self, X: Any) -> Array:
        """Standard error of the line at each row, shape (n,); of a log-linear model, that of ln y.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)

        Examples
        --------
        >>> from linework import LinearRegression, infer
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 4.0, 5.0]
        >>> infer(LinearRegression().fit(X, y), X, y).se_mean([[1.5], [4.0]]).round(3)
        array([0.158, 0.387])
        """
        return self._predictor(X)[1]

    def wald(self, hypothesis: Any, value: Any = 0.0) -> WaldTest:
        """Test of linear hypotheses Hβ = c, by the covariance chosen.

        F = (Hβ − c)ᵀ (H V Hᵀ)⁻¹ (Hβ − c) / q on q and n − k degrees of freedom.

        Parameters
        ----------
        hypothesis : array-like of shape (q, k) or (k,)
            H, a row for each hypothesis, on the coefficients in the order of the table.
        value : array-like of shape (q,) or float, default=0.0
            c.

        Returns
        -------
        WaldTest, with NaN where H V Hᵀ is singular

        Examples
        --------
        >>> from linework import LinearRegression, infer
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 4.0, 5.0]
        >>> result = infer(LinearRegression().fit(X, y), X, y)
        >>> test = result.wald([0, 1], 1.0)  # is the slope 1?
        >>> round(test.f, 3), test.df, round(test.p, 3)
        (8.0, (1, 2), 0.106)
        """
        f, q = wald_statistic(hypothesis, value, self.table.estimate, self.covariance_matrix)
        df = q, self.df_residual
        return WaldTest(f, df, f_tail(f, df))

    def to_frame(self) -> Any:
        """The table of coefficients as a pandas DataFrame."""
        return self.table.to_frame()

    def to_text(self) -> str:
        """The summary as R prints it, without the call."""
        return "\n".join([*summary.head(self), self.table.to_text(), "", *summary.foot(self)])

    def to_markdown(self) -> str:
        """The table of coefficients with intervals, and the fit as a whole below it."""
        return self.table.grid().markdown(summary.notes(self))

    def to_html(self) -> str:
        """As `to_markdown`, in HTML."""
        return self.table.grid().html(summary.notes(self))

    def to_latex(self) -> str:
        """As `to_markdown`, in LaTeX."""
        return self.table.grid().latex(summary.notes(self))

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()

    def _level(self, level: float | None) -> float:
        if level is None:
            return self.table.level
        check_level(level)
        return level
