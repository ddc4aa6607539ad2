"""What every result of a likelihood model has in common: intervals, and its table in print."""

from __future__ import annotations

from typing import Any

import numpy as np

from linework.data.blocks import Array
from linework.inference.table import CoefficientTable
from linework.inference.tails import check_level


class Printed:
    """A result with a `CoefficientTable`, and lines of text below it, in every format."""

    table: CoefficientTable

    def _foot(self) -> list[str]:
        """The fit as a whole, in lines below the table."""
        raise NotImplementedError

    def confint(self, level: float | None = None) -> Array:
        """Wald intervals of the coefficients, shape (k, 2): lower and upper end.

        Parameters
        ----------
        level : float, optional
            The one given to `infer`, if left out.
        """
        return self.table.interval(self._level(level))

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

    def _notes(self) -> list[str]:
        return [" ".join(line.split()) for line in self._foot() if line]

    def _level(self, level: float | None) -> float:
        if level is None:
            return self.table.level
        check_level(level)
        return level
