"""The classes that a model file may name: linework's own, and a fixed list of scikit-learn's.

Nothing else is ever imported for a file. A class is built without its constructor, from data, so
that one belongs here only if no value of its attributes makes its methods run foreign code, read
files or take memory out of proportion to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.base import BaseEstimator

from linework.design.design import Design
from linework.design.terms import Encoders
from linework.persist.errors import ModelFileError

PEERS = {
    "sklearn.compose": "ColumnTransformer",
    "sklearn.feature_selection": "VarianceThreshold",
    "sklearn.frozen": "FrozenEstimator",
    "sklearn.impute": "MissingIndicator SimpleImputer",
    "sklearn.isotonic": "IsotonicRegression",
    "sklearn.metrics._scorer": "_PassthroughScorer _Scorer",
    "sklearn.multiclass": "_ConstantPredictor",
    "sklearn.model_selection": (
        "GroupKFold GroupShuffleSplit KFold LeaveOneGroupOut LeaveOneOut LeavePGroupsOut LeavePOut "
        "PredefinedSplit RepeatedKFold RepeatedStratifiedKFold ShuffleSplit StratifiedGroupKFold "
        "StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit"
    ),
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.preprocessing": (
        "Binarizer FunctionTransformer KBinsDiscretizer LabelBinarizer LabelEncoder MaxAbsScaler "
        "MinMaxScaler Normalizer OneHotEncoder OrdinalEncoder PolynomialFeatures PowerTransformer "
        "QuantileTransformer RobustScaler SplineTransformer StandardScaler TargetEncoder"
    ),
}
"""Modules of scikit-learn and the names in them."""

MEASURES = re.compile(r"[a-z0-9_]+_(score|error|loss)")
"""Functions of sklearn.metrics that a scorer may be of."""

NO_COLUMNS = {"random_state", "max_iter", "subsample"}
"""Whole numbers of scikit-learn's that say nothing of columns, and may be large."""

OWN = re.compile(r"linework(\.[a-z][a-z0-9_]*)*")
"""Modules of our own; one that begins with an underscore is no home of a class."""


def name_of(cls: type) -> str | None:
    """What a file calls a class, ``module:name``, or None where it may not hold one.

    A class that linework exports is called by that name, wherever its module is.

    Parameters
    ----------
    cls : type

    Returns
    -------
    str or None

    Examples
    --------
    >>> import threading
    >>> from sklearn.preprocessing import StandardScaler
    >>> from linework import Ridge
    >>> from linework.persist.classes import name_of
    >>> name_of(Ridge), name_of(StandardScaler), name_of(threading.Thread)
    ('linework:Ridge', 'sklearn.preprocessing:StandardScaler', None)
    """
    if cls in _peers():
        return _peers()[cls]
    exported = getattr(import_module("linework"), cls.__name__, None) is cls
    name = f"{'linework' if exported else cls.__module__}:{cls.__name__}"
    return name if _own_class(name) is cls else None


def class_named(name: object) -> type:
    """The class that a file calls by this name.

    Parameters
    ----------
    name : str

    Returns
    -------
    type

    Raises
    ------
    ModelFileError
        Where it is none of linework's or of the list.

    Examples
    --------
    >>> from linework.persist.classes import class_named
    >>> class_named("linework:Ridge")
    <class 'linework.regression.ridge.Ridge'>
    >>> class_named("os:system")
    Traceback (most recent call last):
        ...
    linework.persist.errors.ModelFileError: The file names 'os:system', and a model file of this ...
    """
    if isinstance(name, str):
        for cls, known in _peers().items():
            if known == name:
                return cls
        if (own := _own_class(name)) is not None:
            return own
    raise ModelFileError(
        f"The file names {str(name)[:100]!r}, and a model file of this version holds classes of "
        "linework and some of scikit-learn's only: update linework if the file is from a later "
        "version, and do not trust it otherwise."
    )


def reject_code(cls: type, state: dict[str, Any], error: type[Exception]) -> None:
    """Raise a sentence for parameters by which a later fit would run what the file says.

    Formulas are evaluated as Python, and a pipeline's cache holds pickles. A search could set
    either by its grid.

    Parameters
    ----------
    cls : type
    state : dict
        Attributes by name.
    error : type of exception

    Examples
    --------
    >>> from linework import Design
    >>> from linework.persist.classes import reject_code
    >>> reject_code(Design, {"terms": "~ x + z"}, TypeError)
    Traceback (most recent call last):
        ...
    TypeError: Design has a formula, '~ x + z', and a model file holds none: a formula is ...
    """
    if cls is Design and isinstance(state.get("terms"), str):
        raise error(
            f"Design has a formula, {state['terms'][:100]!r}, and a model file holds none: a "
            "formula is evaluated as Python. Name the terms by a dictionary, and fit it again."
        )
    if cls in _peers() and state.get("memory") is not None:
        raise error(
            f"{cls.__name__} has a cache, memory={state['memory']!r}, and that is not for a model "
            "file: a fit reads pickles there. Save it after set_params(memory=None)."
        )
    grid = state.get("param_grid", ())
    for name, values in (item for part in _listed(grid) for item in part.items()):
        last = name.rpartition("__")[2]
        text = any(isinstance(value, str) for value in _listed(values))
        if (last in ("memory", "terms") and text) or last == "param_grid":
            raise error(
                f"{cls.__name__} has {name!r} in its grid, and a model file holds no search for "
                "caches, formulas or grids. Save its best_estimator_."
            )


def _listed(values: Any) -> list[Any]:
    return [values] if isinstance(values, dict | str) else list(values)


def columns_of(cls: type, state: dict[str, Any]) -> int:
    """How many columns one of scikit-learn's, or the terms of a design, could make.

    Some of scikit-learn's allocate as many as an attribute says, whatever arrays there are: it is
    the sum of whole numbers in attributes. Interactions multiply.

    Parameters
    ----------
    cls : type
    state : dict
        Attributes by name.

    Returns
    -------
    int

    Examples
    --------
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from linework.persist.classes import columns_of
    >>> columns_of(PolynomialFeatures, {"degree": 2, "_n_out_full": 10**9})
    1000000002
    """
    if cls is Encoders:
        return Encoders(**state).n_columns
    if cls not in _peers():
        return 0
    values = [value for name, value in state.items() if name not in NO_COLUMNS]
    lists = [value if isinstance(value, list) else [value] for value in values]
    return sum(abs(int(n)) for part in lists for n in part if isinstance(n, int | np.integer))


def measure_named(name: str) -> Callable[..., Any]:
    """The function of sklearn.metrics of this name, or a sentence.

    Parameters
    ----------
    name : str

    Returns
    -------
    callable

    Examples
    --------
    >>> from linework.persist.classes import measure_named
    >>> measure_named("r2_score")([1.0, 2.0], [1.0, 2.0])
    1.0
    """
    if MEASURES.fullmatch(name) and name in metrics.__all__:
        return getattr(metrics, name)  # type: ignore[no-any-return]
    raise ModelFileError(f"The file names a measure {name[:100]!r}, and scikit-learn has none.")


@cache
def _peers() -> dict[type, str]:
    return {
        getattr(import_module(module), name): f"{module}:{name}"
        for module, names in PEERS.items()
        for name in names.split()
    }


def _own_class(name: str) -> type | None:
    """An estimator, a dataclass or an enumeration that stands in a module of ours."""
    module, _, short = name.partition(":")
    if not OWN.fullmatch(module):
        return None
    home = "linework.exports" if module == "linework" else module
    try:
        found = vars(import_module(home)).get(short)
    except ModuleNotFoundError:
        return None
    if not isinstance(found, type) or not OWN.fullmatch(found.__module__):
        return None
    return found if is_dataclass(found) or issubclass(found, BaseEstimator | Enum) else None
