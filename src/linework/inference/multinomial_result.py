"""What `infer` gives of three and more classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from linework.data.blocks import Array
from linework.inference.checks import positions_of
from linework.inference.formats import Grid
from linework.inference.generalized_result import GeneralizedInference
from linework.inference.hypothesis import HypothesisTest
from linework.inference.r_numbers import format_numbers
from linework.losses import LINKS, Link


@dataclass(frozen=True, eq=False, repr=False)
class MultinomialInference(GeneralizedInference):
    r"""Standard errors, tests and intervals of several classes; printed, it is R's multinom.

    Coefficients are of the log odds of each class against the first of ``classes``,
    ln P(G = k | x) / P(G = reference | x): differences of two rows of the model's ``coef_``. In
    ``table`` and ``covariance_matrix`` they stand by class, ``class:column``; ``exp`` gives odds
    ratios, and ``predict`` the probabilities of the model's classes, (n, K) or, with intervals that
    are formed for the log odds of each class against all others, (n, K, 3).

    Attributes
    ----------
    classes : array of shape (K,)
        The reference, and those that are compared with it.
    terms : tuple of str
        What each of these has a coefficient of.

    See Also
    --------
    GeneralizedInference : The other attributes and methods.

    Examples
    --------
    >>> import numpy as np
    >>> from linework import LogisticRegression, infer
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.array(["a", "a", "b", "a", "a", "b", "c", "b", "a", "c", "c", "b"])
    >>> model = LogisticRegression(C=np.inf).fit(X, y)
    >>> result = infer(model, X, y)
    >>> result.coef.round(3)
    array([[-1.831,  0.345],
           [-4.109,  0.615]])
    >>> result.std_error.round(3)
    array([[1.447, 0.263],
           [2.496, 0.356]])
    >>> test = result.wald_columns("x0")
    >>> round(test.statistic, 2), test.df, round(test.p, 3)
    (3.19, (2,), 0.203)
    """

    classes: Array
    terms: tuple[str, ...]

    @property
    def coef(self) -> Array:
        """The estimates, a row for each class but the reference."""
        return self._by_class(self.table.estimate)

    @property
    def std_error(self) -> Array:
        """The standard errors, a row for each class but the reference."""
        return self._by_class(self.table.std_error)

    def wald_columns(self, columns: str | int | Iterable[str | int]) -> HypothesisTest:
        """Test that columns have coefficients of zero in all classes, by the covariance chosen.

        The answer does not depend on the reference.

        Parameters
        ----------
        columns : str, int or sequence of these
            Names in ``terms``, or positions there.

        Returns
        -------
        HypothesisTest
        """
        given = [columns] if isinstance(columns, str | int) else columns
        each, m = len(self.terms), len(self.classes) - 1
        places = [np.arange(j, m * each, each) for j in positions_of(given, self.terms)]
        return self.wald(np.eye(m * each)[np.sort(np.concatenate(places))])

    def to_text(self) -> str:
        """The summary as R prints it with ``Wald.ratios = TRUE``, without the call."""
        parts = (
            (self._head()[0], self.table.estimate),
            ("Std. Errors:", self.table.std_error),
            ("Value/SE (Wald statistics):", self.table.statistic),
        )
        lines: list[str] = []
        for title, values in parts:
            columns = [
                [text.replace("NaN", " NA") for text in format_numbers(column, 7)]
                for column in self._by_class(values).T
            ]
            rows = [
                [str(name), *cells] for name, *cells in zip(self.classes[1:], *columns, strict=True)
            ]
            lines += [title, *Grid(["", *self.terms], rows).text(), ""]
        return "\n".join([*lines, *self._foot()])

    def _foot(self) -> list[str]:
        deviance, aic = (format_numbers([value], 7)[0] for value in (self.deviance, self.aic))
        return [*self._said(), f"Residual Deviance: {deviance}", f"AIC: {aic}"]

    def _by_class(self, values: Array) -> Array:
        return values.reshape(-1, len(self.terms))

    @property
    def _link(self) -> Link:
        return LINKS["logit"]
