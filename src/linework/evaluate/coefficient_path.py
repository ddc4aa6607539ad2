"""How the coefficients grow as the penalty becomes weaker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from linework.candidates import ByRows
from linework.data.blocks import Array
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.evaluate.drawing import (
    STYLES,
    column_names,
    legend_beside,
    new_axes,
    style,
)
from linework.evaluate.search_curve import set_scale
from linework.selection.served import serve
from linework.stats import ColumnMoments

LEGEND = 40
"""Columns up to which a legend names each."""


@dataclass(kw_only=True, eq=False, repr=False)
class CoefficientPathDisplay:
    """Coefficients over the strength of the penalty, a line for each column.

    Ridge regression brings all of them towards zero together; the lasso brings one after the other
    to zero and keeps it there. Columns of different units are compared by coefficient times
    standard deviation, which is what is drawn unless `standardise` is False. Make it with
    `from_estimator`.

    Parameters
    ----------
    param_name : str
    values : array of shape (m,)
    coefs : array of shape (m, d)
    names : tuple of str
        Of the columns.
    chosen : float, default=None
        A value to mark.
    label : str, default="coefficient"
        Of the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of Line2D
        One for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import CoefficientPathDisplay, Lasso
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> alphas = np.logspace(-2, 0.32, 30)
    >>> display = CoefficientPathDisplay.from_estimator(Lasso(), X, y, values=alphas)
    >>> [name for name, line in zip(display.names, display.lines_) if line.get_ydata()[-1]]
    ['bmi']
    """

    param_name: str
    values: Array
    coefs: Array
    names: tuple[str, ...]
    chosen: float | None = None
    label: str = "coefficient"
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    lines_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        values: Any,
        param_name: str | None = None,
        sample_weight: Any = None,
        standardise: bool = True,
        chosen: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Fit at each value, from one pass or along a path where that serves, and draw.

        Parameters
        ----------
        estimator : estimator
            A linear model of one row of coefficients; it stays as it is.
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,)
        values : array-like of shape (m,)
            Of the parameter.
        param_name : str, default=None
            By default that of the estimator's penalty, such as ``"alpha"`` or ``"C"``.
        sample_weight : array-like of shape (n,), optional
        standardise : bool, default=True
            Whether coefficients are multiplied by the standard deviations of the columns.
        chosen : float, default=None
            A value to mark, such as that of a search.
        ax : matplotlib Axes, default=None

        Returns
        -------
        CoefficientPathDisplay
        """
        name = param_name or getattr(estimator, "_path_parameter", "")
        if not name:
            raise ValueError(
                f"{type(estimator).__name__} has no penalty of its own: give the parameter to vary "
                "as param_name."
            )
        values = np.sort(np.asarray(values, np.float64))
        table = as_table(X, sample_weight=sample_weight, caller=cls.__name__)
        models = _fits(estimator, [{name: value} for value in values], X, y, sample_weight)
        coefs = np.array([np.asarray(model.coef_, np.float64) for model in models])
        if coefs.size != len(values) * table.n_columns:
            raise ValueError(
                f"The coefficients of {type(estimator).__name__} have shape {coefs.shape[1:]}, and "
                "a path is drawn of one row of them: take one target, or two classes."
            )
        coefs = coefs.reshape(len(values), -1)
        if standardise:
            columns = map_reduce(table, ColumnMoments.from_block)
            coefs = coefs * np.sqrt(columns.squares / columns.weight)
        return cls(
            param_name=name,
            values=values,
            coefs=coefs,
            names=column_names(estimator, table),
            chosen=chosen,
            label="coefficient × standard deviation" if standardise else "coefficient",
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None

        Returns
        -------
        self
        """
        self.ax_ = ax = new_axes(ax, type(self).__name__)
        self.figure_ = ax.figure
        ax.axhline(0.0, c="0.7", lw=0.8, zorder=0)
        self.lines_ = []
        for number, (name, coef) in enumerate(zip(self.names, self.coefs.T, strict=True)):
            look = style(number % STYLES)
            self.lines_ += ax.plot(
                self.values, coef, c=look.color, ls=look.line, lw=1.8, label=name
            )
        if self.chosen is not None:
            ax.axvline(
                self.chosen, c="0.4", ls=(0, (6, 3)), lw=1.0, label=f"chosen: {self.chosen:.3g}"
            )
        set_scale(ax, self.values)
        ax.set_xlabel(self.param_name)
        ax.set_ylabel(self.label)
        if len(self.names) <= LEGEND:
            legend_beside(ax)
        return self


def _fits(estimator: Any, candidates: Any, X: Any, y: Any, weight: Any) -> list[Any]:
    """The estimator fitted to all rows at each candidate."""
    every = np.arange(len(y))
    given = {} if weight is None else {"sample_weight": weight}
    try:
        served = serve(estimator, candidates, X, y, [(every, every)], given)
        [part] = served.parts
        fits = served.fit(part)
        return [fits.model(number) for number in range(len(candidates))]
    except ByRows:
        models = [clone(estimator).set_params(**candidate) for candidate in candidates]
        return [model.fit(X, y, **given) for model in models]
