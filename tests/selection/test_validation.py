"""Cross-validation and its curves find what scikit-learn's find."""

from typing import Any

import numpy as np
import pytest
import sklearn.linear_model as peer
from scores import assert_scores
from sklearn import model_selection
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linework
from linework import (
    IndicatorClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    cross_val_predict,
    cross_validate,
    learning_curve,
    validation_curve,
)

Table = tuple[np.ndarray, np.ndarray]

LOGISTIC = LogisticRegression()
MODELS: list[tuple[Any, str]] = [
    (Ridge(), "numbers"),
    (make_pipeline(StandardScaler(), Ridge()), "numbers"),
    (LinearDiscriminantAnalysis(shrinkage=0.1), "labels"),
    (QuadraticDiscriminantAnalysis(), "labels"),
    (LOGISTIC, "labels"),
]
models = pytest.mark.parametrize(
    ("model", "table"), MODELS, ids=[type(model).__name__ for model, _ in MODELS]
)


def tolerance(model: Any) -> float:
    return 1e-6 if model is LOGISTIC else 1e-9


@models
def test_cross_validate(model: Any, table: str, request: pytest.FixtureRequest) -> None:
    X, y = request.getfixturevalue(table)
    several = ["r2", "neg_mean_absolute_error"] if table == "numbers" else ["accuracy", "f1_macro"]
    for scoring, cv in ((None, 4), (several, ShuffleSplit(3, random_state=0))):
        options = {"scoring": scoring, "cv": cv, "return_train_score": True, "return_indices": True}
        ours = cross_validate(model, X, y, **options)
        theirs = model_selection.cross_validate(model, X, y, **options)
        assert set(ours) == {*theirs, "road"}
        assert_scores(ours, theirs, tolerance(model))
        for part in ("train", "test"):
            for a, b in zip(ours["indices"][part], theirs["indices"][part], strict=True):
                np.testing.assert_array_equal(a, b)


@models
@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_cross_val_predict(
    model: Any, table: str, method: str, request: pytest.FixtureRequest
) -> None:
    X, y = request.getfixturevalue(table)
    y = y if table == "numbers" else np.array(["b", "c", "a"])[y]
    if not hasattr(model, method):
        with pytest.raises(AttributeError):
            cross_val_predict(model, X, y, method=method)
        return
    cv = KFold(5, shuffle=True, random_state=0)
    ours = cross_val_predict(model, X, y, cv=cv, method=method)
    theirs = model_selection.cross_val_predict(model, X, y, cv=cv, method=method)
    assert ours.shape == theirs.shape
    if ours.dtype.kind == "f":
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=tolerance(model))
    else:
        np.testing.assert_array_equal(ours, theirs)


def test_cross_val_predict_of_classes_missing_in_a_fold(labels: Table) -> None:
    X, y = labels
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = LinearDiscriminantAnalysis()
    with pytest.warns(RuntimeWarning, match="Number of classes in training fold"):
        ours = cross_val_predict(model, X, y, cv=KFold(3), method="predict_proba")
    assert (ours[y == 0][:, 0] == 0.0).all()
    with pytest.raises(ValueError, match="only works for partitions"):
        cross_val_predict(model, X, y, cv=ShuffleSplit(2, random_state=0))


@models
def test_learning_curve(model: Any, table: str, request: pytest.FixtureRequest) -> None:
    X, y = request.getfixturevalue(table)
    options: dict[str, Any] = {
        "train_sizes": [0.3, 0.6, 1.0],
        "cv": 3,
        "shuffle": True,
        "random_state": 0,
    }
    ours = learning_curve(model, X, y, **options)
    theirs = model_selection.learning_curve(model, X, y, **options)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance(model), atol=tolerance(model))
    assert len(learning_curve(model, X, y, **options, return_times=True)) == 5


def test_a_learning_curve_is_one_pass(numbers: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    real = linework.folds.map_reduce
    monkeypatch.setattr("linework.folds.map_reduce", lambda *a: passes.append(1) or real(*a))
    learning_curve(Ridge(), *numbers, cv=KFold(5), train_sizes=[0.25, 0.5, 0.75, 1.0])
    assert len(passes) == 1


@models
def test_validation_curve(model: Any, table: str, request: pytest.FixtureRequest) -> None:
    X, y = request.getfixturevalue(table)
    name, values = {
        "Ridge": ("alpha", [0.1, 10.0]),
        "Pipeline": ("ridge__alpha", [0.1, 10.0]),
        "LinearDiscriminantAnalysis": ("shrinkage", [0.0, 0.5]),
        "QuadraticDiscriminantAnalysis": ("reg_param", [0.0, 0.5]),
        "LogisticRegression": ("C", [10.0, 0.1]),
    }[type(model).__name__]
    options = {"param_name": name, "param_range": values, "cv": 4}
    ours = validation_curve(model, X, y, **options)
    theirs = model_selection.validation_curve(model, X, y, **options)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance(model), atol=tolerance(model))


def test_groups_and_weights(numbers: Table) -> None:
    X, y = numbers
    groups, weight = np.arange(len(y)) % 6, np.arange(len(y)) % 2 + 0.5
    options = {"groups": groups, "cv": GroupKFold(3), "params": {"sample_weight": weight}}
    ours = cross_validate(Ridge(), X, y, **options)
    assert ours["road"][0] == "statistics"
    assert_scores(ours, model_selection.cross_validate(peer.Ridge(), X, y, **options), 1e-9)
    np.testing.assert_allclose(
        cross_val_predict(Ridge(), X, y, **options),
        model_selection.cross_val_predict(peer.Ridge(), X, y, **options),
        rtol=1e-9,
    )


def test_repeated_folds(numbers: Table) -> None:
    cv = RepeatedKFold(n_splits=5, n_repeats=10, random_state=0)
    ours = cross_validate(Ridge(), *numbers, cv=cv)
    assert ours["road"].tolist() == ["statistics"] * 50
    assert_scores(ours, model_selection.cross_validate(peer.Ridge(), *numbers, cv=cv), 1e-9)


def test_models_of_the_folds(labels: Table) -> None:
    found = cross_validate(IndicatorClassifier(), *labels, return_estimator=True)
    assert found["road"].tolist() == ["rows"] * 5
    assert len(found["estimator"]) == 5
