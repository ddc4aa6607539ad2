"""The scores of a search over one of its parameters, with the one-standard-error line."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from linework.data.blocks import Array
from linework.evaluate.drawing import STYLES, legend_beside, new_axes, style
from linework.evaluate.score_curves import name_of
from linework.selection.rules import standard_errors


class Curve(NamedTuple):
    """Candidates that differ in the parameter only.

    Attributes
    ----------
    label : str
        What is common to them.
    values : array of shape (m,), ascending
    mean, error : arrays of shape (m,)
        Mean test score, and its standard error.
    """

    label: str
    values: Array
    mean: Array
    error: Array


@dataclass(kw_only=True, eq=False, repr=False)
class SearchCurveDisplay:
    """Mean test scores over a parameter, a standard error to each side, and who won.

    The dashed line is one standard error below the best mean: candidates above it are not told
    from the best, and ``rule="one_se"`` takes the simplest of them. Make it with `from_search`.

    Parameters
    ----------
    param_name : str
    curves : list of Curve
        One for each setting of the other parameters.
    best, chosen : pairs of float
        Value and mean score of the best mean, and of the winner by the search's rule.
    threshold : float
        The best mean less its standard error.
    score_name : str

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    lines_ : list of Line2D
        One for each curve.
    threshold_ : Line2D

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import GridSearchCV, Ridge, SearchCurveDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = GridSearchCV(Ridge(), {"alpha": np.logspace(-3, 1, 9)}, rule="one_se").fit(X, y)
    >>> display = SearchCurveDisplay.from_search(search)
    >>> [round(float(value), 3) for value, _ in (display.best, display.chosen)]
    [0.001, 0.316]
    """

    param_name: str
    curves: list[Curve]
    best: tuple[float, float]
    chosen: tuple[float, float]
    threshold: float
    score_name: str
    ax_: Any = field(init=False)
    figure_: Any = field(init=False)
    lines_: list[Any] = field(init=False)
    threshold_: Any = field(init=False)

    @classmethod
    def from_search(
        cls,
        search: Any,
        *,
        param_name: str | None = None,
        metric: str | None = None,
        score_name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the results of a fitted search.

        Parameters
        ----------
        search : GridSearchCV
            Or any other search with ``cv_results_``, such as scikit-learn's.
        param_name : str, default=None
            The parameter along the axis; by default the only one of several numbers.
        metric : str, default=None
            Of several, the one to draw; by default that of `refit`.
        score_name : str, default=None
        ax : matplotlib Axes, default=None

        Returns
        -------
        SearchCurveDisplay
        """
        results, candidates = search.cv_results_, search.cv_results_["params"]
        if metric is None:
            metric = search.refit if isinstance(search.refit, str) else "score"
        if f"mean_test_{metric}" not in results:
            known = [k[10:] for k in results if k.startswith("mean_test_")]
            raise ValueError(f"There is no metric {metric!r} in the results: give one of {known}.")
        if param_name is None:
            param_name = _only_numbers(candidates)
        mean = results[f"mean_test_{metric}"]
        splits = [results[f"split{k}_test_{metric}"] for k in range(search.n_splits_)]
        error = standard_errors(np.array(splits).T)
        values = np.array([_number(candidate, param_name) for candidate in candidates])
        others = [
            ", ".join(f"{k}={v}" for k, v in candidate.items() if k != param_name)
            for candidate in candidates
        ]
        curves = []
        for label in dict.fromkeys(others):
            mine = np.flatnonzero([other == label for other in others])
            mine = mine[np.argsort(values[mine], kind="stable")]
            curves.append(Curve(label, values[mine], mean[mine], error[mine]))
        best = int(np.nanargmax(mean))
        chosen = getattr(search, "best_index_", best)
        display = cls(
            param_name=param_name,
            curves=curves,
            best=(float(values[best]), float(mean[best])),
            chosen=(float(values[chosen]), float(mean[chosen])),
            threshold=float(mean[best] - error[best]),
            score_name=name_of(search.scoring if metric == "score" else metric, score_name),
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None

        Returns
        -------
        self
        """
        if len(self.curves) > STYLES:
            raise ValueError(
                f"There are {len(self.curves)} settings of the other parameters, and a picture "
                f"shows at most {STYLES}: search fewer, or give another param_name."
            )
        self.ax_ = ax = new_axes(ax, type(self).__name__)
        self.figure_ = ax.figure
        self.lines_ = []
        for number, curve in enumerate(self.curves):
            look = style(number)
            label = curve.label or "mean ± standard error"
            self.lines_ += ax.plot(
                curve.values, curve.mean, c=look.color, ls=look.line, marker=look.marker, ms=4.0,
                label=label,
            )  # fmt: skip
            low, high = curve.mean - curve.error, curve.mean + curve.error
            ax.fill_between(curve.values, low, high, color=look.color, alpha=0.15, lw=0)
        self.threshold_ = ax.axhline(
            self.threshold, c="0.4", ls=(0, (6, 3)), lw=1.0, label="best − standard error"
        )
        for (value, score), marker, label in (
            (self.best, "o", f"best: {self.best[0]:.3g}"),
            (self.chosen, "*", f"chosen: {self.chosen[0]:.3g}"),
        ):
            ax.plot(
                value, score, marker=marker, ms=15.0 if marker == "*" else 11.0, ls="", mfc="none",
                mec="black", mew=1.4, label=label, zorder=4,
            )  # fmt: skip
        values = np.concatenate([curve.values for curve in self.curves])
        set_scale(ax, values)
        ax.set_xlabel(self.param_name)
        ax.set_ylabel(self.score_name)
        legend_beside(ax)
        return self


def set_scale(ax: Any, values: Array) -> None:
    """A logarithmic axis for values over more than an order of magnitude."""
    positive = values[values > 0.0]
    if positive.size and positive.max() > 10.0 * positive.min() and values.min() >= 0.0:
        if positive.size == values.size:
            ax.set_xscale("log")
        elif positive.max() > 100.0 * positive.min():
            ax.set_xscale("symlog", linthresh=positive.min())


def _only_numbers(candidates: Any) -> str:
    """The one parameter that takes several numbers."""
    names = {name: None for candidate in candidates for name in candidate}
    taken = {name: {repr(c.get(name)) for c in candidates} for name in names}
    numeric = [
        name
        for name in names
        if len(taken[name]) > 1 and all(_is_number(c.get(name)) for c in candidates)
    ]
    if len(numeric) != 1:
        raise ValueError(
            f"{len(numeric)} parameters of the search take several numbers, of {list(names)}: give "
            "the one to draw as param_name."
        )
    [name] = numeric
    return str(name)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, Real) and not isinstance(value, bool | np.bool_))


def _number(candidate: Any, name: str) -> float:
    """The value along the axis; None, no penalty or shrinkage, is zero."""
    if name not in candidate or not _is_number(candidate[name]):
        raise ValueError(
            f"{name!r} is {candidate.get(name)!r} for some candidate, and an axis is of numbers: "
            f"give one of {list(candidate)} as param_name."
        )
    return float(candidate[name] or 0.0)
