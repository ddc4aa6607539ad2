"""Basis functions φ_j(x): what a column of numbers becomes for a model that is no line in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

from linework.data.blocks import Array
from linework.design.encoders import Encoder, NumberEncoder
from linework.design.frame import DAY, Column
from linework.design.functions import Bumps, Functions, Monomials, Splines, Steps, Waves
from linework.design.statistics import Spread
from linework.design.treatments import Settings, Treatment, reject_empty, reject_overflow


@dataclass(frozen=True)
class Basis(Treatment):
    """Functions of one column of numbers or of several together."""

    def encoder(
        self, places: tuple[int, ...], columns: Sequence[Column], stats: Spread, settings: Settings
    ) -> Encoder:
        """The functions between the least and the largest values seen."""
        reject_empty(columns, stats.count)
        reject_overflow(columns, stats)
        # Powers and waves of microseconds since 1970 would lose digits: dates count in days from
        # the first.
        dates = np.array([column.has_dates for column in columns])
        origin, unit = np.where(dates, stats.low, 0.0), np.where(dates, DAY, 1.0)
        low, high = (stats.low - origin) / unit, (stats.high - origin) / unit
        return NumberEncoder(
            places,
            tuple(origin.tolist()),
            tuple(unit.tolist()),
            tuple(stats.mean.tolist()),
            self.missing or settings.missing,
            self.functions(low, high, [column.name for column in columns]),
        )

    @abstractmethod
    def functions(self, low: Array, high: Array, names: list[str]) -> Functions:
        """The functions, where ``low`` and ``high`` of shape (g,) are the ends of what was seen."""

    def _reject_nonpositive(self, **settings: float | None) -> None:
        for name, value in settings.items():
            if value is not None and not value > 0:
                raise ValueError(
                    f"{name} of {type(self).__name__} is {value}, and a positive number is "
                    "expected."
                )

    def _reject_group(self, names: list[str]) -> None:
        if len(names) > 1:
            raise ValueError(
                f"{type(self).__name__} is of one column, and {', '.join(map(repr, names))} are a "
                "group: name the columns one by one."
            )

    def _reject_constant(self, low: Array, high: Array, names: list[str]) -> None:
        for one, other, name in zip(low, high, names, strict=True):
            if one == other:
                raise ValueError(
                    f"Column {name!r} has a single value, and {type(self).__name__} spreads over a "
                    f"range: leave the column out with {{{name!r}: 'drop'}}."
                )


@dataclass(frozen=True)
class Polynomial(Basis):
    """Powers of a column, and of a group of columns their products too.

    Parameters
    ----------
    degree : int, default=2
        The largest sum of powers.
    interaction_only : bool, default=False
        Products of different columns only.
    missing : {"error", "reference", "indicator", "ignore"}, optional
        As for `Numeric`: the mean is put in before powers are taken.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, Polynomial
    >>> rows = pd.DataFrame({"x": [1.0, 2.0], "z": [3.0, 5.0]})
    >>> design = Design({("x", "z"): Polynomial(2)}).set_output(transform="pandas")
    >>> design.fit_transform(rows)
         x    z  x^2   x:z   z^2
    0  1.0  3.0  1.0   3.0   9.0
    1  2.0  5.0  4.0  10.0  25.0
    """

    degree: int = 2
    interaction_only: bool = False

    def functions(self, low: Array, high: Array, names: list[str]) -> Functions:
        """Monomials, by scikit-learn's PolynomialFeatures."""
        features = PolynomialFeatures(
            self.degree, interaction_only=self.interaction_only, include_bias=False
        ).fit(low[None])
        return Monomials(features, features.powers_)


@dataclass(frozen=True)
class Spline(Basis):
    """B-splines: smooth piecewise polynomials. Each column of a group has its own.

    Parameters
    ----------
    knots : int or array-like, default=5
        Their number, equally spaced over the values seen, or the knots.
    degree : int, default=3
        Of the pieces.
    extrapolation : {"constant", "linear", "continue", "periodic", "error"}, default="constant"
        Beyond the outer knots, as in scikit-learn's SplineTransformer.
    missing : {"error", "reference", "indicator", "ignore"}, optional
        As for `Numeric`.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, Spline
    >>> rows = pd.DataFrame({"x": [0.0, 1.0, 2.0]})
    >>> Design({"x": Spline(3, degree=1)}).fit_transform(rows)
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """

    knots: Any = 5
    degree: int = 3
    extrapolation: Literal["constant", "linear", "continue", "periodic", "error"] = "constant"

    def functions(self, low: Array, high: Array, names: list[str]) -> Functions:
        """B-splines without the last one, by scikit-learn's SplineTransformer.

        All of them would add up to one, and be collinear with an intercept.
        """
        self._reject_constant(low, high, names)
        given = not isinstance(self.knots, int | np.integer)
        knots = np.reshape(np.asarray(self.knots, np.float64), (-1, len(low))) if given else None
        splines = SplineTransformer(
            n_knots=2 if given else self.knots,
            degree=self.degree,
            knots="uniform" if knots is None else knots,
            extrapolation=self.extrapolation,
            include_bias=False,
        ).fit(np.stack([low, high]))
        return Splines(splines)


@dataclass(frozen=True)
class Gaussian(Basis):
    """Bumps exp(−‖x − μ_j‖² / 2s²) about centres μ_j.

    Parameters
    ----------
    centres : int or array-like, default=5
        Their number, equally spaced over the values seen, or the centres: of shape (m,), or (m, g)
        for a group of g columns.
    width : float, optional
        s; by default the distance between equally spaced centres. Given centres need it.
    missing : {"error", "reference", "indicator", "ignore"}, optional
        As for `Numeric`.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, Gaussian
    >>> rows = pd.DataFrame({"x": [0.0, 1.0, 2.0]})
    >>> Design({"x": Gaussian(3)}).fit_transform(rows).round(3)
    array([[1.   , 0.607, 0.135],
           [0.607, 1.   , 0.607],
           [0.135, 0.607, 1.   ]])
    """

    centres: Any = 5
    width: float | None = None

    def functions(self, low: Array, high: Array, names: list[str]) -> Functions:
        """A bump about each centre."""
        return Bumps(*self._centres(low, high, names))

    def _centres(self, low: Array, high: Array, names: list[str]) -> tuple[Array, float]:
        self._reject_nonpositive(width=self.width)
        if isinstance(self.centres, int | np.integer):
            self._reject_nonpositive(centres=int(self.centres))
            self._reject_group(names)
            self._reject_constant(low, high, names)
            centres = np.linspace(low, high, self.centres)
            width = self.width or float((high - low)[0]) / max(self.centres - 1, 1)
            return centres, width
        if self.width is None:
            raise ValueError(
                f"{type(self).__name__} has centres for {', '.join(map(repr, names))} and no "
                "width: give it, too."
            )
        return np.reshape(np.asarray(self.centres, np.float64), (-1, len(low))), self.width


@dataclass(frozen=True)
class Sigmoid(Gaussian):
    """Steps σ((x − μ_j) / s) at centres μ_j, with the logistic function σ.

    Parameters
    ----------
    centres : int or array-like of shape (m,), default=5
        Their number, equally spaced over the values seen, or the centres.
    width : float, optional
        s; by default the distance between equally spaced centres. Given centres need it.
    missing : {"error", "reference", "indicator", "ignore"}, optional
        As for `Numeric`.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, Sigmoid
    >>> rows = pd.DataFrame({"x": [0.0, 1.0]})
    >>> Design({"x": Sigmoid([0.5], width=0.1)}).fit_transform(rows).round(3)
    array([[0.007],
           [0.993]])
    """

    def functions(self, low: Array, high: Array, names: list[str]) -> Functions:
        """A step at each centre."""
        self._reject_group(names)
        return Steps(*self._centres(low, high, names))


@dataclass(frozen=True)
class Fourier(Basis):
    """Waves sin(2πkx / T), cos(2πkx / T) for k = 1, …, order.

    Parameters
    ----------
    order : int, default=1
    period : float, optional
        T; by default the range of the values seen. Dates count in days from the first one seen.
    missing : {"error", "reference", "indicator", "ignore"}, optional
        As for `Numeric`.

    Examples
    --------
    >>> import pandas as pd
    >>> from linework import Design, Fourier
    >>> rows = pd.DataFrame({"hour": [0, 6, 12]})
    >>> (Design({"hour": Fourier(period=24)}).fit_transform(rows) + 0.0).round(3)
    array([[ 0.,  1.],
           [ 1.,  0.],
           [ 0., -1.]])
    """

    order: int = 1
    period: float | None = None

    def functions(self, low: Array, high: Array, names: list[str]) -> Functions:
        """A sine and a cosine of each frequency."""
        self._reject_group(names)
        self._reject_nonpositive(order=self.order, period=self.period)
        if self.period is None:
            self._reject_constant(low, high, names)
        period = self.period or float((high - low)[0])
        return Waves(np.arange(1, self.order + 1), period)
