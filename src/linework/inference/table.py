"""The table of coefficients: estimates, standard errors, tests and intervals, in every format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.inference.formats import Grid
from linework.inference.r_numbers import (
    format_coefficients,
    format_numbers,
    format_p,
    round_to,
    stars,
)
from linework.inference.tails import central_quantile, two_sided

LEGEND = "Signif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoefficientTable:
    """Coefficients with their uncertainty: a row for each.

    A coefficient that is not defined, because the columns before it explain its own, is NaN.

    Attributes
    ----------
    names : tuple of str
    estimate, std_error : array of shape (k,)
    df : float
        Degrees of freedom of the t distribution; ∞ for the normal one, whose statistic is called z.
    level : float
        Of the intervals.
    vif : array of shape (k,)
        Variance inflation 1 / (1 − R_j²), where R_j² tells how much of column j the others explain;
        NaN for the intercept.
    standardised : array of shape (k,)
        β_j · sd(x_j) / sd(y), the importance of a column; NaN for the intercept.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.inference.table import CoefficientTable
    >>> none = np.full(2, np.nan)
    >>> table = CoefficientTable(
    ...     ("a", "b"), np.array([1.5, -0.2]), np.array([0.3, 0.4]), 10.0, 0.95, none, none
    ... )
    >>> table.statistic
    array([ 5. , -0.5])
    >>> print(table.to_text())
      Estimate Std. Error t value Pr(>|t|)
    a      1.5        0.3     5.0 0.000537 ***
    b     -0.2        0.4    -0.5 0.627894
    ---
    Signif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1
    """

    names: tuple[str, ...]
    estimate: Array
    std_error: Array
    df: float
    level: float
    vif: Array
    standardised: Array

    @property
    def letter(self) -> str:
        """What the test statistic is called: t or z."""
        return "z" if np.isinf(self.df) else "t"

    @property
    def statistic(self) -> Array:
        """Estimate / standard error, for each coefficient being zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.estimate / self.std_error

    @property
    def p_value(self) -> Array:
        """Two-sided p-value of the statistic."""
        return two_sided(self.statistic, self.df)

    def interval(self, level: float) -> Array:
        """Lower and upper ends of intervals for each coefficient, shape (k, 2)."""
        half = central_quantile(level, self.df) * self.std_error
        return np.column_stack([self.estimate - half, self.estimate + half])

    def to_frame(self) -> Any:
        """The numbers as a pandas DataFrame, indexed by the coefficients' names.

        Columns of which nothing is known are left out.

        Examples
        --------
        >>> import numpy as np
        >>> from linework.inference.table import CoefficientTable
        >>> none = np.full(1, np.nan)
        >>> table = CoefficientTable(
        ...     ("a",), np.array([1.5]), np.array([0.3]), 10.0, 0.95, none, none
        ... )
        >>> table.to_frame()[["estimate", "std_error", "t"]]
           estimate  std_error    t
        a       1.5        0.3  5.0
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "A DataFrame is asked for, and pandas is not installed: install it with "
                "`pip install pandas`, or read the arrays of the table themselves."
            ) from error
        lower, upper = self.interval(self.level).T
        columns = {
            "estimate": self.estimate,
            "std_error": self.std_error,
            self.letter: self.statistic,
            "p": self.p_value,
            "lower": lower,
            "upper": upper,
            "vif": self.vif,
            "standardised": self.standardised,
        }
        for name in ("vif", "standardised"):
            if np.isnan(columns[name]).all():
                del columns[name]
        return pd.DataFrame(columns, index=list(self.names))

    def to_text(self) -> str:
        """The table as R prints it: estimate, standard error, test statistic, p-value and stars."""
        p = self.p_value
        marks = [stars(value) for value in p]
        grid = self._tests()
        if not any(marks):
            return "\n".join(grid.text())
        rows = [[*row, mark.ljust(3)] for row, mark in zip(grid.rows, marks, strict=True)]
        return "\n".join([*Grid([*grid.header, ""], rows).text(), "---", LEGEND])

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.grid().html()

    def grid(self) -> Grid:
        """The texts of `to_text` with intervals and, for several columns, variance inflation."""
        tests = self._tests()
        tail = 50.0 * (1.0 - self.level)
        header = [*tests.header, f"{tail:.3g} %", f"{100.0 - tail:.4g} %"]
        columns = [self._known(format_numbers(end, 4)) for end in self.interval(self.level).T]
        if np.isfinite(self.vif).sum() > 1:
            header.append("VIF")
            columns.append(self._known("" if np.isnan(v) else f"{v:.4g}" for v in self.vif))
        rows = [[*row, *cells] for row, *cells in zip(tests.rows, *columns, strict=True)]
        return Grid(header, [[cell.strip() for cell in row] for row in rows])

    def _tests(self) -> Grid:
        estimate, std_error = format_coefficients(list(self.estimate), list(self.std_error))
        statistic = format_numbers([round_to(v, 3) for v in self.statistic], 4)
        columns = [estimate, std_error, statistic, format_p(list(self.p_value))]
        header = ["", "Estimate", "Std. Error", f"{self.letter} value", f"Pr(>|{self.letter}|)"]
        return Grid(header, list(zip(self.names, *map(self._known, columns), strict=True)))

    def _known(self, texts: Iterable[str]) -> list[str]:
        """The texts, and NA for every coefficient that is not defined."""
        pairs = zip(texts, np.isnan(self.estimate), strict=True)
        return ["NA" if missing else text for text, missing in pairs]
