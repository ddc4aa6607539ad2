"""Every estimator of the package that predicts, found and not listed, with data that suit it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier, is_regressor
from sklearn.utils import get_tags

import linework

Array = np.ndarray

CLASSES: list[type[BaseEstimator]] = [
    thing
    for thing in (getattr(linework, name) for name in linework.__all__)
    if isinstance(thing, type)
    and issubclass(thing, BaseEstimator)
    and not issubclass(thing, MetaEstimatorMixin)
    and hasattr(thing, "predict")
]
ESTIMATORS = [cls for cls in CLASSES if hasattr(cls, "predict")]
SAMPLERS = [cls for cls in CLASSES if hasattr(cls, "fit_resample")]

# Settings under which a fit takes another road, tried wherever there is such a parameter.
SETTINGS: list[dict[str, Any]] = [
    {"fit_intercept": False},
    {"positive": True},
    {"mean": "smearing"},
    {"target": "identity"},
]
SETTINGS_OF: dict[str, list[dict[str, Any]]] = {
    "RidgeCV": [{"cv": "gcv"}],
    "LassoCV": [{"rule": "1se"}],
    "ElasticNetCV": [{"rule": "1se"}],
    "LinearDiscriminantAnalysis": [
        {"shrinkage": "auto"},
        {"shrinkage": 0.3},
        {"unbiased": False},
    ],
    "QuadraticDiscriminantAnalysis": [{"shrinkage": "auto"}, {"reg_param": 0.1}],
    "RegularizedDiscriminantAnalysis": [{"gamma": "auto", "target": "identity"}],
    "CalibratedClassifier": [{"method": "beta"}, {"method": "temperature"}],
    "DecisionClassifier": [
        {"rule": linework.DecisionRule(priors="equal")},
        {"rule": linework.TunedThresholds()},
    ],
    "EasyEnsembleClassifier": [{"n_estimators": 2, "correct_prior": False}],
    "ResampledClassifier": [{"sampler": linework.RandomOverSampler()}],
    "LogisticRegression": [{"l1_ratio": 0.5}, {"l1_ratio": 1.0}, {"class_weight": "balanced"}],
    "LogisticRegressionCV": [{"rule": "1se"}, {"l1_ratios": (0.5,), "Cs": (0.1, 1.0)}],
    "GLM": [
        {"family": "poisson"},
        {"family": "poisson", "alpha": 0.1, "l1_ratio": 0.5},
        {"family": "gamma", "link": "log"},
        {"family": "negative_binomial", "alpha": 0.1},
    ],
    "OrdinalRegression": [{"link": "probit"}, {"link": "cloglog"}, {"alpha": 0.1}],
    "FisherDiscriminant": [
        {"threshold": "equal-density"},
        {"criterion": "trace-ratio"},
        {"singular": "shrink"},
    ],
    "OneVsOneClassifier": [
        {"estimator": linework.Ridge()},
        {"estimator": linework.QuadraticDiscriminantAnalysis()},
    ],
    "OneVsRestClassifier": [
        {"estimator": linework.IndicatorClassifier()},
        {"estimator": linework.RegularizedDiscriminantAnalysis()},
    ],
    "OutputCodeClassifier": [
        {"code": "one-vs-one", "decoder": "loss-weighted"},
        {"code": "easy", "decoder": "hamming", "estimator": linework.FisherDiscriminant()},
    ],
}


def _variants() -> list[Any]:
    found = []
    for cls in ESTIMATORS:
        parameters = cls().get_params()
        settings = [s for s in SETTINGS if set(s) <= set(parameters)]
        for setting in [{}, *settings, *SETTINGS_OF.get(cls.__name__, [])]:
            name = "-".join([cls.__name__, *(f"{k}={v}" for k, v in setting.items())])
            found.append(pytest.param(_builder(cls, setting), id=name))
    return found


def _builder(cls: type[BaseEstimator], setting: dict[str, Any]) -> Callable[[], BaseEstimator]:
    return lambda: cls(**setting)


def draws_rows(model: BaseEstimator) -> bool:
    """Whether it is fitted to random rows, so that their order decides which they are."""
    return isinstance(model, linework.ResampledClassifier | linework.EasyEnsembleClassifier)


def _is_updatable(model: BaseEstimator) -> bool:
    """Whether rows can be added to it: not where it needs all of them, as for smearing."""
    return hasattr(model, "forget") and model.get_params().get("mean") != "smearing"


every_estimator = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
every_variant = pytest.mark.parametrize("build", _variants())
every_variant_of_all_rows = pytest.mark.parametrize(
    "build", [variant for variant in _variants() if not draws_rows(variant.values[0]())]
)
every_classifier_variant_of_all_rows = pytest.mark.parametrize(
    "build",
    [
        variant
        for variant in _variants()
        if is_classifier(variant.values[0]()) and not draws_rows(variant.values[0]())
    ],
)
every_variant_with_intercept = pytest.mark.parametrize(
    "build",
    [v for v in _variants() if is_regressor(v.values[0]()) and v.values[0]().fit_intercept],
)
every_updatable_variant = pytest.mark.parametrize(
    "build", [variant for variant in _variants() if _is_updatable(variant.values[0]())]
)


def precise(model: BaseEstimator) -> BaseEstimator:
    """The model, asked for all the digits it can give."""
    if "max_iter" in model.get_params():
        model.set_params(tol=1e-12, max_iter=100_000)
    return model


def digits(model: BaseEstimator) -> float:
    """Relative error that is left to a `precise` model by rounding, or by a duality gap."""
    return 1e-6 if "max_iter" in model.get_params() else 1e-9


def held_out_by(model: BaseEstimator, fold: Array) -> BaseEstimator:
    """The model, cross-validated by these fold numbers if it cross-validates by rows."""
    if model.get_params().get("cv", "gcv") != "gcv":
        folds = np.unique(fold)
        splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in folds]
        model.set_params(cv=splits)
    return model


def target(model: BaseEstimator, z: Array) -> Array:
    """From a linear function with noise, the kind of y the model is for."""
    if is_classifier(model):
        return np.digitize(z, np.quantile(z, [0.3, 0.7])).astype(float)
    if get_tags(model).target_tags.positive_only:
        return np.exp(z / 10.0)
    return z


def problem(model: BaseEstimator, n: int = 60, d: int = 4, seed: int = 0) -> tuple[Array, Array]:
    """Rows (n, d) off the origin, on unequal scales, and a target that depends on all columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    z = 10.0 * X @ np.linspace(1.0, 2.0, d) + 5.0 * rng.standard_normal(n) + 3.0
    return X * np.linspace(1.0, 3.0, d) + np.linspace(-1.0, 2.0, d), target(model, z)


def in_units(model: BaseEstimator, scale: float) -> BaseEstimator:
    """The model, its penalties made those of columns that are ``scale`` times as large."""
    if is_regressor(model) and "alphas" in model.get_params() and not isinstance(model.alphas, int):
        model.set_params(alphas=np.asarray(model.alphas) * scale**2)
    if "C" in model.get_params():
        model.set_params(C=model.C / scale**2)
    if "Cs" in model.get_params():
        model.set_params(Cs=np.logspace(-4, 4, model.Cs) / scale**2)
    return model


def answers(model: BaseEstimator, X: Array) -> list[Array]:
    """What a fitted model says of rows: numbers that would show any difference."""
    if not is_classifier(model):
        return [model.predict(X)]
    scores = model.decision_function(X)
    # Scores are logarithms of densities up to a number that is common to all classes.
    return [scores if scores.ndim == 1 else scores - scores.mean(axis=1, keepdims=True)]


def coefficients(model: BaseEstimator) -> list[Array]:
    """Those of a model that has them; a classifier may be linear and have none."""
    names = ("coef_", "intercept_", "thresholds_")
    return [getattr(model, name) for name in names if hasattr(model, name)]


def assert_close(left: list[Array], right: list[Array], rtol: float) -> None:
    """Numbers agree, those next to zero beside the largest of their array."""
    for a, b in zip(left, right, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max())


def assert_same(a: BaseEstimator, b: BaseEstimator, X: Array, rtol: float) -> None:
    """Two fitted models agree in what they say of X, and in their coefficients."""
    left, right = (answers(model, X) + coefficients(model) for model in (a, b))
    assert_close(left, right, rtol)


def assert_identical(a: BaseEstimator, b: BaseEstimator, X: Array) -> None:
    """The same to the last bit."""
    left, right = (answers(model, X) + coefficients(model) for model in (a, b))
    for one, other in zip(left, right, strict=True):
        np.testing.assert_array_equal(one, other)
