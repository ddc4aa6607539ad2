"""What holds functions of columns, or models to be made later, is data in a model file as well."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hostile import packed, parts_of
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline, make_pipeline

from linework import (
    Dates,
    Design,
    Fourier,
    Gaussian,
    GridSearchCV,
    IndicatorClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    ModelFileError,
    Nominal,
    Numeric,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    Polynomial,
    QuadraticDiscriminantAnalysis,
    Ridge,
    Sigmoid,
    Spline,
    load,
    save,
)
from linework.persist.archive import DESCRIPTION

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame(
    {
        "x": RNG.uniform(-1.0, 3.0, 120),
        "z": RNG.gamma(2.0, size=120),
        "gaps": np.where(np.arange(120) % 7, RNG.standard_normal(120), np.nan),
        "flag": RNG.random(120) < 0.4,
        "kind": pd.Categorical(RNG.choice(["a", "b", "ü"], 120), ["ü", "a", "b"]),
        "size": RNG.choice(["S", "M", "L"], 120),
        "word": RNG.choice(["one", "two", None], 120),
        "when": pd.date_range("2021-03-01 05:00", periods=120, freq="31h"),
        "zoned": pd.date_range("2021-03-01 05:00", periods=120, freq="31h", tz="Europe/Rome"),
        "lasting": pd.to_timedelta(np.arange(120) % 11, unit="h"),
    }
)
Y = ROWS["x"] ** 2 + ROWS["z"] + RNG.standard_normal(120)

PARTS = Dates("elapsed", "year", "quarter", "month", "weekday", "hour")

TERMS: dict[str, tuple[list[str], Any]] = {
    "by type": (["x", "flag", "kind", "size", "when", "lasting"], None),
    "numeric": (["x", "gaps"], {"gaps": Numeric(missing="indicator")}),
    "nominal": (["kind", "word"], {"word": Nominal(missing="indicator", unseen="ignore")}),
    "reference": (["kind", "x"], {"kind": Nominal(reference="b")}),
    "ordered levels": (["size", "kind"], {"size": ["S", "M", "L"], "kind": "ordinal"}),
    "numbers of levels": (["size"], {"size": {"S": 1, "M": 2, "L": 4.5}}),
    "polynomial": (["x", "z"], {"x": "polynomial"}),
    "polynomial of a group": (["x", "z"], {("x", "z"): Polynomial(3, interaction_only=True)}),
    "spline": (["x", "z"], {("x", "z"): Spline(6)}),
    "spline of given knots": (["x"], {"x": Spline([-1.0, 0.0, 3.0], extrapolation="linear")}),
    "spline with gaps": (["gaps"], {"gaps": Spline(4, missing="reference")}),
    "gaussian": (["x", "z"], {"x": "gaussian", "z": Gaussian([0.0, 4.0], width=2.0)}),
    "gaussian of a group": (["x", "z"], {("x", "z"): Gaussian([[0.0, 0.0], [1.0, 2.0]], 1.0)}),
    "sigmoid": (["x", "z"], {"x": "sigmoid", "z": Sigmoid([1.0, 2.0], width=0.5)}),
    "fourier": (["x", "when"], {"x": Fourier(3), "when": Fourier(2, period=7.0)}),
    "dates": (["when"], {"when": PARTS}),
    "zone": (["zoned"], {"zoned": PARTS}),
    "interactions": (
        ["x", "z", "kind", "flag"],
        {"x": Spline(4), ("x", "kind"): "interaction", ("flag", "z", "kind"): "interaction"},
    ),
    "drop": (["x", "word"], {"word": "drop"}),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.lw"


@pytest.mark.parametrize("settings", [{}, {"scale": True, "sparse": True, "dtype": "float32"}])
@pytest.mark.parametrize("name", TERMS)
def test_a_design_of_every_kind(name: str, settings: dict[str, Any], path: Path) -> None:
    columns, terms = TERMS[name]
    X = ROWS[columns]
    model = make_pipeline(Design(terms, **settings), LinearRegression()).fit(X, Y)
    save(model, path, X)
    back = load(path)
    np.testing.assert_array_equal(back.predict(X), model.predict(X))
    assert back[0].origins() == model[0].origins()
    np.testing.assert_array_equal(back.fit(X, Y).predict(X), model.predict(X))


@pytest.mark.parametrize("name", TERMS)
def test_a_design_before_a_classifier(name: str, path: Path) -> None:
    columns, terms = TERMS[name]
    X = ROWS[columns]
    model = make_pipeline(Design(terms), LogisticRegression()).fit(X, Y.mean() < Y)
    save(model, path, X)
    np.testing.assert_array_equal(load(path).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_times_of_every_library(library: str, path: Path) -> None:
    module = pytest.importorskip(library)
    columns = ROWS[["when", "zoned", "lasting"]]
    X = module.from_pandas(columns) if library == "polars" else module.Table.from_pandas(columns)
    model = make_pipeline(Design({"zoned": PARTS}), LinearRegression()).fit(X, Y)
    save(model, path, X)
    np.testing.assert_array_equal(load(path).predict(X), model.predict(X))


def test_a_zone_is_one_that_is_known(path: Path) -> None:
    X = ROWS[["zoned"]]
    save(make_pipeline(Design({"zoned": PARTS}), LinearRegression()).fit(X, Y), path, X)
    parts = parts_of(path)
    text = parts[DESCRIPTION].replace(b"Europe/Rome", b"dateutil//etc/localtime")
    path.write_bytes(packed(parts | {DESCRIPTION: text}))
    with pytest.raises(ModelFileError, match="times of a zone 'dateutil"):
        load(path)


LEARNERS = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    Ridge(),
    LogisticRegression(),
    LogisticRegression(C=0.1, class_weight="balanced"),
    IndicatorClassifier(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize(
    "classifier",
    [
        OneVsRestClassifier(),
        OneVsOneClassifier(),
        OutputCodeClassifier(code="exhaustive", decoder="loss-weighted"),
        OutputCodeClassifier(code_size=2.0, random_state=0),
    ],
    ids=repr,
)
def test_many_classes_from_two(classifier: Any, learner: Any, path: Path) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    model = classifier.set_params(estimator=learner).fit(X, y)
    save(model, path)
    first = path.read_bytes()
    back = load(path)
    for method in ("predict", "predict_proba", "decision_function"):
        assert hasattr(back, method) == hasattr(model, method)
        if hasattr(model, method):
            np.testing.assert_array_equal(getattr(back, method)(X), getattr(model, method)(X))
    for one, other in zip(back.estimators_, model.estimators_, strict=True):
        np.testing.assert_array_equal(one.predict(X), other.predict(X))
        assert list(one.feature_names_in_) == list(X)
    save(model, path)  # the learners have been looked at meanwhile
    assert path.read_bytes() == first


def test_labels_that_all_rows_have(path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    labels = np.column_stack([y > 0, np.ones(len(y)), y > 1]).astype(int)
    with pytest.warns(UserWarning, match="present in all training examples"):
        model = OneVsRestClassifier(LinearDiscriminantAnalysis()).fit(X, labels)
    save(model, path)
    np.testing.assert_array_equal(load(path).predict(X), model.predict(X))


def design_file(path: Path, terms: Any) -> dict[str, bytes]:
    X = ROWS[["x", "kind"]]
    save(make_pipeline(Design(terms), LinearRegression()).fit(X, Y), path, X)
    return parts_of(path)


def design_state(node: Any) -> Any:
    return node["model"]["object"][1]["steps"][0]["tuple"][1]["object"][1]


class TestFormulas:
    """A formula is Python to be evaluated: none goes into a file, and none comes out of one."""

    def test_of_a_design(self, path: Path) -> None:
        pytest.importorskip("formulaic")
        model = make_pipeline(Design("~ x + kind"), LinearRegression()).fit(ROWS, Y)
        with pytest.raises(TypeError, match=r"Design has a formula, '~ x \+ kind', and a model"):
            save(model, path)

    @pytest.mark.parametrize("terms", ["~ x", {"scalar": ["str_", "~ x"]}])
    def test_for_a_later_fit(self, terms: Any, path: Path) -> None:
        parts = design_file(path, None)
        node = json.loads(parts[DESCRIPTION])
        design_state(node)["terms"] = terms
        path.write_bytes(packed(parts | {DESCRIPTION: json.dumps(node).encode()}))
        with pytest.raises(ModelFileError, match="Design has a formula, '~ x'"):
            load(path, verify=False)

    @pytest.mark.parametrize(
        "grid",
        [
            {"design__terms": ["~ x"]},
            [{"design__terms": [None]}, {"design__terms": np.array(["~ x"])}],
            {"memory": ["cache"]},
        ],
    )
    def test_of_a_search(self, grid: Any, path: Path) -> None:
        X = ROWS[["x", "kind"]]
        pipeline = Pipeline([("design", Design()), ("line", LinearRegression())])
        search = GridSearchCV(pipeline, {"design__terms": [{"x": Spline(4)}, None]}, cv=3).fit(X, Y)
        save(search, path, X)
        np.testing.assert_array_equal(load(path).predict(X), search.predict(X))
        search.param_grid = grid
        with pytest.raises(TypeError, match="in its grid, and a model file holds no search for"):
            save(search, path, X)


@pytest.mark.parametrize(
    ("place", "value", "match"),
    [
        (["dtype"], "S1000000000", "dtype is 'S1000000000', and"),
        (["terms_", "object", 1, "single", "tuple", 0, "object", 1, "parts", "tuple", 0],
         "Expression", "'Expression' is no part of a date"),
    ],
)  # fmt: skip
def test_settings_that_no_fit_would_take(
    place: list[Any], value: str, match: str, path: Path
) -> None:
    X = ROWS[["when"]]
    save(make_pipeline(Design({"when": Dates("month")}), LinearRegression()).fit(X, Y), path, X)
    parts = parts_of(path)
    node = json.loads(parts[DESCRIPTION])
    inner = design_state(node)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    path.write_bytes(packed(parts | {DESCRIPTION: json.dumps(node).encode()}))
    with pytest.raises(ModelFileError, match=match):
        load(path)


def test_interactions_of_more_columns_than_a_file_may_ask_for(path: Path) -> None:
    parts = design_file(path, {("x", "kind"): "interaction"})
    node = json.loads(parts[DESCRIPTION])
    terms = design_state(node)["terms_"]["object"][1]
    assert terms["interactions"] == {"tuple": [{"tuple": [0, 1]}]}
    terms["interactions"] = {"tuple": [{"tuple": [1] * 40}]}
    path.write_bytes(packed(parts | {DESCRIPTION: json.dumps(node).encode()}))
    with pytest.raises(ModelFileError, match="more than 1,000,000 columns"):
        load(path)
