"""The geometry of a linear classifier: hyperplanes between classes, and distances from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linework.data.blocks import Array
from linework.data.sources import as_table
from linework.engine import map_rows


def boundary(model: Any, classes: tuple[Any, Any] | None = None) -> tuple[Array, float]:
    """The hyperplane wᵀx + b = 0 where two classes have equal scores; w points to the second.

    Parameters
    ----------
    model : classifier
        Fitted, with ``coef_``, ``intercept_`` and ``classes_``: linework's or scikit-learn's.
    classes : pair of labels, optional
        Which two, of more than two.

    Returns
    -------
    w of shape (d,), and b

    Examples
    --------
    >>> from linework import LogisticRegression, boundary
    >>> model = LogisticRegression().fit([[0.0, 0.0], [2.0, 0.0]], ["a", "b"])
    >>> w, b = boundary(model)
    >>> round(float(-b / w[0]), 6)  # it cuts the first axis in the middle
    1.0
    """
    coef, intercept = _scores_of(model)
    labels = list(model.classes_)
    if classes is None:
        if len(labels) > 2:
            raise ValueError(
                f"The model tells {len(labels)} classes apart: say between which two the boundary "
                f"is meant, for example classes={(labels[0], labels[1])!r}."
            )
        classes = labels[0], labels[1]
    missing = [label for label in classes if label not in labels]
    if missing or classes[0] == classes[1]:
        raise ValueError(f"classes is {classes!r}, and two of {labels} are expected.")
    a, b = (labels.index(label) for label in classes)
    return coef[b] - coef[a], float(intercept[b] - intercept[a])


def distance_to_boundary(model: Any, X: Any, classes: tuple[Any, Any] | None = None) -> Array:
    """How far each row is from a boundary, (wᵀx + b) / ‖w‖ in units of the columns.

    Of two classes, or between the two of ``classes``, positive on the side of the second. Of more,
    the distance to the nearest boundary of the class that the row is in.

    Parameters
    ----------
    model : classifier
        As in `boundary`.
    X : array-like, sparse matrix or data frame of shape (n, d)
    classes : pair of labels, optional

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> from linework import LogisticRegression, distance_to_boundary
    >>> model = LogisticRegression().fit([[0.0, 0.0], [2.0, 0.0]], [0, 1])
    >>> distance_to_boundary(model, [[0.0, 7.0], [3.0, 0.0]]).round(6)
    array([-1.,  2.])
    """
    if classes is not None or len(model.classes_) == 2:
        w, b = boundary(model, classes)
        length = np.linalg.norm(w)
        return map_rows(as_table(X), lambda block: np.asarray(block.X @ w + b) / length)
    coef, intercept = _scores_of(model)
    lengths = np.linalg.norm(coef[:, None] - coef, axis=2)
    np.fill_diagonal(lengths, np.nan)

    def nearest(block: Any) -> Array:
        g = np.asarray(block.X @ coef.T + intercept)
        own = g.argmax(axis=1)
        ahead = (g[np.arange(len(g)), own][:, None] - g) / lengths[own]
        return np.asarray(np.nanmin(ahead, axis=1))

    return map_rows(as_table(X), nearest)


def nearest_boundary_point(model: Any, X: Any, classes: tuple[Any, Any] | None = None) -> Array:
    """The point on the boundary nearest to each row: x − (wᵀx + b) w / ‖w‖².

    Parameters
    ----------
    model, X, classes
        As in `boundary` and `distance_to_boundary`.

    Returns
    -------
    array of shape (n, d)

    Examples
    --------
    >>> from linework import LogisticRegression, nearest_boundary_point
    >>> model = LogisticRegression().fit([[0.0, 0.0], [2.0, 0.0]], [0, 1])
    >>> nearest_boundary_point(model, [[0.0, 7.0]]).round(6)
    array([[1., 7.]])
    """
    w, b = boundary(model, classes)
    unit = w / (w @ w)

    def project(block: Any) -> Array:
        X = block.X if isinstance(block.X, np.ndarray) else block.X.toarray()
        return np.asarray(X - np.multiply.outer(X @ w + b, unit))

    return map_rows(as_table(X), project)


def _scores_of(model: Any) -> tuple[Array, Array]:
    """Coefficients (K, d) and intercepts (K,) of the classes' scores."""
    check_is_fitted(model)
    if not hasattr(model, "coef_") or not hasattr(model, "classes_"):
        raise TypeError(
            f"A linear classifier has coef_ and classes_, and {type(model).__name__} has not both: "
            "its boundaries are not hyperplanes, or it is no classifier."
        )
    coef, intercept = np.asarray(model.coef_, np.float64), np.ravel(model.intercept_)
    if len(coef) == 1:
        coef, intercept = np.vstack([0.0 * coef, coef]), np.append(0.0, intercept)
    return coef, np.broadcast_to(intercept, len(coef))
