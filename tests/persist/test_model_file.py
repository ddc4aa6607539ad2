"""A model file gives back the model: every estimator of the package, to the last bit."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from estimators import (
    ESTIMATORS,
    Array,
    assert_identical,
    every_updatable_variant,
    every_variant,
    held_out_by,
    precise,
    problem,
)
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

import linework
from linework import GLM, LogisticRegression, Ridge, load, save
from linework.persist.decoder import Decoder
from linework.persist.encoder import Encoder

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.lw"


def again(model: BaseEstimator, path: Path, X: Any = None) -> Any:
    save(model, path, X)
    return load(path)


def fitted(build: Any) -> tuple[BaseEstimator, Array, Array]:
    model = build()
    X, y = problem(model)
    return held_out_by(precise(model), np.arange(len(X)) % 5).fit(X, y), X, y


@every_variant
def test_predictions_are_the_same_bits(build: Any, path: Path) -> None:
    model, X, y = fitted(build)
    back = again(model, path)
    assert type(back) is type(model)
    assert_identical(back, model, X)
    for name in ("predict", "predict_proba", "predict_log_proba", "transform"):
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(back, name)(X), getattr(model, name)(X))
    assert list(vars(back)) == list(vars(model))
    assert_identical(clone(back).fit(X, y), model, X)


@every_updatable_variant
def test_rows_go_in_and_out_after_loading(build: Any, path: Path) -> None:
    model, X, y = fitted(build)
    back = again(model, path)
    for step in ("partial_fit", "forget"):
        assert_identical(getattr(back, step)(X[:9], y[:9]), getattr(model, step)(X[:9], y[:9]), X)


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_a_file_of_few_columns_is_kilobytes(cls: type[BaseEstimator], path: Path) -> None:
    save(fitted(cls)[0], path)
    assert path.stat().st_size < 100_000


def test_the_same_model_makes_the_same_bytes(path: Path) -> None:
    model, X, _ = fitted(linework.LinearDiscriminantAnalysis)
    save(model, path, X)
    first = path.read_bytes()
    save(load(path), path, X)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "maybe", "yes"]),
        np.array(["no", "über", "ja"], object),
        np.array([-5, 10**15, 7]),
        np.array([3, 1, 2], np.int8),
        np.array([0.0, 1.0, 2.0], np.float32),
        np.array([b"a", b"b", b"c"]),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_of_every_kind(labels: Array, path: Path) -> None:
    X, y = problem(LogisticRegression())
    model = LogisticRegression().fit(X, labels[y.astype(int)])
    back = again(model, path)
    assert back.classes_.dtype == model.classes_.dtype
    assert back.predict(X).tolist() == model.predict(X).tolist()


def test_truth_values_as_labels(path: Path) -> None:
    X, y = problem(LogisticRegression())
    assert again(LogisticRegression().fit(X, y > 0), path).classes_.tolist() == [False, True]


@pytest.mark.parametrize(
    "family",
    [
        linework.losses.families.NegativeBinomial(theta=None),
        linework.losses.families.Tweedie(power=1.5),
    ],
    ids=repr,
)
def test_families_with_parameters(family: Any, path: Path) -> None:
    X, z = problem(GLM())
    model = GLM(family).fit(X, np.floor(np.exp(z / 10.0)))
    back = again(model, path)
    assert (back.family, back.family_) == (model.family, model.family_)
    assert_identical(back, model, X)
    assert back.convergence_ == model.convergence_


def test_links(path: Path) -> None:
    X, z = problem(GLM())
    model = GLM("gamma", linework.losses.links.Power(0.5)).fit(X, np.exp(z / 10.0))
    assert again(model, path).link == model.link


def test_parameters_that_are_objects(path: Path) -> None:
    X, y = problem(linework.RidgeCV())
    model = linework.RidgeCV(cv=KFold(3, shuffle=True, random_state=1)).fit(X, y)
    back = again(model, path)
    assert_identical(back.fit(X, y), model, X)


def test_float32_stays(path: Path) -> None:
    X, y = problem(Ridge())
    model = Ridge().fit(X.astype(np.float32), y)
    assert again(model, path).predict(X.astype(np.float32)).dtype == np.float32


def test_names_of_columns_are_kept(path: Path) -> None:
    X, y = problem(Ridge())
    frame = pd.DataFrame(X, columns=["größe", "b", "c", "d"])
    back = again(Ridge().fit(frame, y), path)
    assert back.feature_names_in_.tolist() == list(frame)
    with pytest.raises(ValueError, match="feature names"):
        back.predict(frame.rename(columns={"b": "x"}))


ROWS = pd.DataFrame(
    {
        "size": np.random.default_rng(0).gamma(2.0, size=60),
        "kind": ["a", "b", None, "ü"] * 15,
        "when": pd.date_range("2020-01-01", periods=60),
        "count": np.arange(60) % 7,
    }
).assign(size=lambda X: X["size"].mask(X["count"] == 3))
Y = np.random.default_rng(1).standard_normal(60) + ROWS["count"].to_numpy()


def mixed(model: BaseEstimator, **settings: Any) -> Pipeline:
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    columns = [
        ("numbers", numbers, ["size", "count"]),
        ("kinds", OneHotEncoder(handle_unknown="ignore", **settings), ["kind"]),
        ("plain", "passthrough", ["count"]),
    ]
    return make_pipeline(ColumnTransformer(columns), model)


@pytest.mark.parametrize("settings", [{}, {"sparse_output": False, "dtype": np.float32}])
def test_pipelines_with_columns_of_all_kinds(settings: dict[str, Any], path: Path) -> None:
    model = mixed(Ridge(), **settings).fit(ROWS, Y)
    back = again(model, path, ROWS)
    np.testing.assert_array_equal(back.predict(ROWS), model.predict(ROWS))
    np.testing.assert_array_equal(back.fit(ROWS, Y).predict(ROWS), model.predict(ROWS))


def test_rows_must_be_given_where_none_can_be_generated(path: Path) -> None:
    with pytest.raises(ValueError, match=r"Give a few rows like those it was fitted to, X="):
        save(mixed(Ridge()).fit(ROWS, Y), path)
    assert not path.exists()


@pytest.mark.parametrize(
    "step",
    [
        KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        PolynomialFeatures(2),
        PowerTransformer(),
        QuantileTransformer(n_quantiles=10, output_distribution="normal"),
        RobustScaler(),
        SplineTransformer(4),
        TargetEncoder(target_type="continuous"),
        FunctionTransformer(),
        FeatureUnion([("a", StandardScaler()), ("b", "passthrough")]),
        "passthrough",
    ],
    ids=lambda step: type(step).__name__,
)
def test_steps_of_scikit_learn(step: Any, path: Path) -> None:
    X, y = problem(Ridge())
    model = make_pipeline(step, Ridge()).fit(X, y)
    np.testing.assert_array_equal(again(model, path, X).predict(X), model.predict(X))


def test_output_settings_are_kept(path: Path) -> None:
    X, y = problem(linework.FisherDiscriminant())
    model = linework.FisherDiscriminant().set_output(transform="pandas").fit(X, y)
    assert again(model, path).transform(X).equals(model.transform(X))


@pytest.mark.parametrize("rule", [linework.NeymanPearsonRule(0.1), linework.TunedThresholds("f1")])
def test_decisions(rule: Any, path: Path) -> None:
    X, y = problem(LogisticRegression(), n=400)
    model = linework.DecisionClassifier(rule=rule).fit(X, y > 0)
    np.testing.assert_array_equal(again(model, path, X).predict(X), model.predict(X))


def test_isotonic_calibration(path: Path) -> None:
    X, y = problem(LogisticRegression(), n=200)
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    model = linework.CalibratedClassifier(inner, method="isotonic").fit(X, y)
    np.testing.assert_array_equal(again(model, path).predict_proba(X), model.predict_proba(X))


def test_search_with_scorers(path: Path) -> None:
    X, y = problem(Ridge())
    search = GridSearchCV(
        Ridge(), {"alpha": [0.1, 1.0]}, scoring=["r2", "neg_max_error"], refit="r2"
    )
    search.fit(X, y)
    encoder = Encoder()
    text = json.dumps(encoder.encode([search.scorer_, search.cv_results_]), allow_nan=False)
    scorers, results = Decoder(encoder.arrays).decode(json.loads(text))
    assert scorers["neg_max_error"](search, X, y) == search.scorer_["neg_max_error"](search, X, y)
    for name, values in search.cv_results_.items():
        np.testing.assert_array_equal(results[name], values)
        assert type(results[name]) is type(values)


class TestGoldenRows:
    """Those that are given, in their kind; or generated where the columns are."""

    @pytest.mark.parametrize(
        "kind",
        [np.asarray, sp.csr_array, sp.csc_matrix, pd.DataFrame, np.ndarray.tolist],
        ids=lambda kind: kind.__name__,
    )
    def test_rows_of_every_kind(self, kind: Any, path: Path) -> None:
        X, y = problem(Ridge())
        assert_identical(again(Ridge().fit(X, y), path, kind(X)), Ridge().fit(X, y), X)

    def test_polars(self, path: Path) -> None:
        rows = pl.from_pandas(ROWS[["size", "count"]]).fill_null(0.0)
        model = Ridge().fit(rows, Y)
        np.testing.assert_array_equal(again(model, path, rows).predict(rows), model.predict(rows))

    @pytest.mark.parametrize("scaled", [False, True])
    def test_generated_rows_are_where_the_columns_are(self, scaled: bool, path: Path) -> None:
        X, y = problem(Ridge())
        X = 1e6 + X
        model = make_pipeline(StandardScaler(), Ridge()) if scaled else Ridge()
        save(model.fit(X, y), path)
        with zipfile.ZipFile(path) as archive:
            rows = [np.load(archive.open(n)) for n in archive.namelist() if n.endswith(".npy")]
        [rows] = [r for r in rows if r.shape == (16, 4)]
        assert (np.abs(rows - X.mean(axis=0)) < 5.0 * X.std(axis=0)).all()

    def test_no_rows(self, path: Path) -> None:
        X, y = problem(Ridge())
        with pytest.raises(ValueError, match="X has no rows"):
            save(Ridge().fit(X, y), path, X[:0])


class TestRefusals:
    """What cannot be saved, and why."""

    def test_not_fitted(self, path: Path) -> None:
        with pytest.raises(NotFittedError):
            save(Ridge(), path)

    def test_no_model(self, path: Path) -> None:
        with pytest.raises(TypeError, match="dict is no model"):
            save({}, path)

    def test_no_folder(self, tmp_path: Path) -> None:
        X, y = problem(Ridge())
        with pytest.raises(FileNotFoundError, match="There is no folder"):
            save(Ridge().fit(X, y), tmp_path / "nowhere" / "model.lw")

    @pytest.mark.parametrize("kept", [np.log, lambda X: X], ids=["ufunc", "lambda"])
    def test_a_function(self, kept: Any, path: Path) -> None:
        X, y = problem(Ridge())
        model = make_pipeline(FunctionTransformer(kept), Ridge()).fit(np.abs(X) + 1.0, y)
        with pytest.raises(TypeError, match=r"Pipeline.steps\[0\]\[1\].func is a"):
            save(model, path, np.abs(X) + 1.0)

    def test_a_class_of_others(self, path: Path) -> None:
        class Mine(Ridge):
            pass

        X, y = problem(Ridge())
        with pytest.raises(TypeError, match=r"Mine is a.*Mine, which a model file does not hold"):
            save(Mine().fit(X, y), path)

    def test_a_cache(self, path: Path, tmp_path: Path) -> None:
        X, y = problem(Ridge())
        model = make_pipeline(StandardScaler(), Ridge(), memory=str(tmp_path)).fit(X, y)
        with pytest.raises(TypeError, match=r"set_params\(memory=None\)"):
            save(model, path)


class TestWriting:
    """The old file or the new one, and nothing else in the folder."""

    def test_a_failure_leaves_the_old_file(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        X, y = problem(Ridge())
        save(Ridge().fit(X, y), path)
        before = path.read_bytes()

        def full(handle: int) -> None:
            raise OSError("No space left on device")

        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space left"):
            save(Ridge(5.0).fit(X, y), path)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_a_file_is_replaced(self, path: Path) -> None:
        X, y = problem(Ridge())
        save(Ridge().fit(X, y), path)
        assert again(Ridge(5.0).fit(X, y), str(path)).alpha == 5.0
        assert list(path.parent.iterdir()) == [path]


def test_another_version_of_scikit_learn_is_told_where_it_is_in_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = problem(Ridge())
    save(Ridge().fit(X, y), path)
    scaled = path.with_name("scaled.lw")
    save(make_pipeline(StandardScaler(), Ridge()).fit(X, y), scaled)
    monkeypatch.setattr("sklearn.base.__version__", "1.7.0")
    load(path)
    with pytest.warns(InconsistentVersionWarning, match="version 1.7.0"):
        load(scaled)
