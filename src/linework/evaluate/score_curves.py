"""scikit-learn's pictures of learning and validation curves, from fold statistics."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn import model_selection

from linework.evaluate.drawing import new_axes
from linework.selection.curves import learning_curve, validation_curve

PLOT = {
    "score_type",
    "std_display_style",
    "line_kw",
    "fill_between_kw",
    "errorbar_kw",
}
"""Options of `plot` in scikit-learn; the others are those of the curve."""


class LearningCurveDisplay(model_selection.LearningCurveDisplay):
    """Training and test scores over the number of training rows, from one pass where it serves.

    scikit-learn's display, with what `learning_curve` finds. The bands are a standard deviation of
    the splits' scores to each side.

    Parameters
    ----------
    train_sizes : array of shape (m,)
    train_scores, test_scores : arrays of shape (m, splits)
    score_name : str, default=None

    Attributes
    ----------
    ax_, figure_, lines_, fill_between_, errorbar_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from linework import LearningCurveDisplay, LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis()
    >>> display = LearningCurveDisplay.from_estimator(model, X, y, shuffle=True, random_state=0)
    >>> display.train_sizes
    array([ 12,  39,  66,  93, 120])
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        scoring: Any = None,
        fit_params: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Score the estimator on growing training parts, and draw.

        Parameters
        ----------
        estimator : estimator
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,) or (n, t)
        scoring, fit_params, negate_score, score_name, ax, **options
            As in scikit-learn.

        Returns
        -------
        LearningCurveDisplay
        """
        style = {name: options.pop(name) for name in PLOT & options.keys()}
        sizes, train, test = learning_curve(
            estimator, X, y, scoring=scoring, params=fit_params, **options
        )
        display = cls(
            train_sizes=sizes,
            train_scores=train,
            test_scores=test,
            score_name=name_of(scoring, score_name, negate_score),
        )
        return display.plot(new_axes(ax, cls.__name__), negate_score=negate_score, **style)  # type: ignore[no-any-return]


class ValidationCurveDisplay(model_selection.ValidationCurveDisplay):
    """Training and test scores over the values of a parameter, from one pass where it serves.

    scikit-learn's display, with what `validation_curve` finds; see `SearchCurveDisplay` for the
    curve of a search.

    Parameters
    ----------
    param_name : str
    param_range : array of shape (m,)
    train_scores, test_scores : arrays of shape (m, splits)
    score_name : str, default=None

    Attributes
    ----------
    ax_, figure_, lines_, fill_between_, errorbar_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from linework import Ridge, ValidationCurveDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> alphas = np.logspace(-3, 2, 20)
    >>> display = ValidationCurveDisplay.from_estimator(
    ...     Ridge(), X, y, param_name="alpha", param_range=alphas
    ... )
    >>> display.test_scores.shape
    (20, 5)
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        param_name: str,
        param_range: Any,
        scoring: Any = None,
        fit_params: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Score the estimator at each value, and draw.

        Parameters
        ----------
        estimator : estimator
        X : array-like, sparse matrix or data frame of shape (n, d)
        y : array-like of shape (n,) or (n, t)
        param_name : str
        param_range : array-like of shape (m,)
        scoring, fit_params, negate_score, score_name, ax, **options
            As in scikit-learn.

        Returns
        -------
        ValidationCurveDisplay
        """
        style = {name: options.pop(name) for name in PLOT & options.keys()}
        named = {"param_name": param_name, "param_range": param_range}
        train, test = validation_curve(
            estimator, X, y, **named, scoring=scoring, params=fit_params, **options
        )
        display = cls(
            param_name=param_name,
            param_range=np.asarray(param_range),
            train_scores=train,
            test_scores=test,
            score_name=name_of(scoring, score_name, negate_score),
        )
        return display.plot(new_axes(ax, cls.__name__), negate_score=negate_score, **style)  # type: ignore[no-any-return]


def name_of(scoring: Any, name: str | None, negated: bool = False) -> str:
    """The words for a score on an axis."""
    if name is not None:
        return name
    if not isinstance(scoring, str):
        return "score"
    words = scoring.removeprefix("neg_") if negated else scoring
    return words.replace("neg_", "negative ").replace("_", " ")
