"""`GridSearchCV` finds what scikit-learn's finds, by whatever road."""

import warnings
from typing import Any, ClassVar

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as peer
from scores import assert_scores
from sklearn import model_selection
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.metrics import get_scorer, make_scorer, mean_absolute_error
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linework
from linework import (
    GLM,
    ElasticNet,
    GridSearchCV,
    IndicatorClassifier,
    Lasso,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    LogLinearRegression,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    Ridge,
)

Table = tuple[np.ndarray, np.ndarray]

ALPHAS = {"alpha": [0.01, 1.0, 100.0]}
SHARES = {"shrinkage": [None, 0.1, 0.9]}
TIGHT = {"tol": 1e-12, "max_iter": 100_000}


def absolute(model: Any, X: Any, y: Any) -> float:
    """A scorer of the user's own, which asks for anything."""
    return -float(np.abs(y - X @ model.coef_ - model.intercept_).mean())


# Estimator, its peer where scikit-learn has one, grid, scoring, splitter.
REGRESSIONS: dict[str, Any] = {
    "ridge, r2": (Ridge(), peer.Ridge(), ALPHAS, "r2", KFold(5)),
    "ridge, own score": (Ridge(), peer.Ridge(), ALPHAS, None, 3),
    "ridge, mse": (Ridge(), peer.Ridge(), ALPHAS, "neg_mean_squared_error", TimeSeriesSplit(4)),
    "ridge, mae": (Ridge(), peer.Ridge(), ALPHAS, "neg_mean_absolute_error", KFold(4)),
    "ridge, several": (
        Ridge(),
        peer.Ridge(),
        {"alpha": [0.1, 10.0], "fit_intercept": [True, False]},
        ["r2", "neg_root_mean_squared_error", "explained_variance"],
        RepeatedKFold(n_splits=4, n_repeats=6, random_state=0),
    ),
    "ridge, with another": (
        Ridge(),
        None,
        [ALPHAS, {"positive": [True]}],
        {"a": "r2", "b": make_scorer(mean_absolute_error, greater_is_better=False)},
        ShuffleSplit(4, test_size=0.3, train_size=0.5, random_state=0),
    ),
    "ridge, a function": (Ridge(), peer.Ridge(), ALPHAS, absolute, KFold(3)),
    "least squares": (
        LinearRegression(),
        peer.LinearRegression(),
        {"fit_intercept": [True, False]},
        "r2",
        GroupKFold(4),
    ),
    "least squares, median": (
        LinearRegression(),
        peer.LinearRegression(),
        {},
        "neg_median_absolute_error",
        LeaveOneGroupOut(),
    ),
    "lasso": (Lasso(**TIGHT), peer.Lasso(**TIGHT), {"alpha": [0.01, 0.3]}, "r2", KFold(5)),
    "elastic net": (
        ElasticNet(**TIGHT),
        peer.ElasticNet(**TIGHT),
        {"alpha": [0.5, 0.02, 0.1], "l1_ratio": [0.2, 0.8]},
        "neg_mean_squared_error",
        KFold(3, shuffle=True, random_state=0),
    ),
}
COUNTS: dict[str, Any] = {
    "poisson": (
        GLM("poisson"),
        peer.PoissonRegressor(tol=1e-10, max_iter=10_000),
        {"alpha": [0.01, 1.0, 0.1]},
        "neg_mean_poisson_deviance",
        KFold(4),
    ),
    "gamma, own score": (
        GLM("gamma", "log"),
        peer.GammaRegressor(tol=1e-10, max_iter=10_000),
        {"alpha": [0.1, 0.0]},
        None,
        KFold(3),
    ),
}
CLASSIFICATIONS: dict[str, Any] = {
    "lda, accuracy": (LinearDiscriminantAnalysis(), None, SHARES, "accuracy", StratifiedKFold(5)),
    "lda, own score": (LinearDiscriminantAnalysis(), None, SHARES, None, 4),
    "lda, auc": (LinearDiscriminantAnalysis(), None, SHARES, "roc_auc_ovr", StratifiedKFold(3)),
    "lda, log loss": (
        LinearDiscriminantAnalysis(),
        None,
        SHARES,
        ["neg_log_loss", "accuracy"],
        StratifiedKFold(4),
    ),
    "lda, several": (
        LinearDiscriminantAnalysis(),
        None,
        {"shrinkage": [0.1, 0.5], "unbiased": [True, False]},
        ["neg_log_loss", "f1_macro", "balanced_accuracy"],
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    ),
    "qda": (
        QuadraticDiscriminantAnalysis(),
        None,
        {"reg_param": [0.0, 0.2]},
        "neg_log_loss",
        GroupKFold(4),
    ),
    "rda": (
        RegularizedDiscriminantAnalysis(),
        None,
        {"alpha": [0.0, 0.5], "gamma": [0.2, 1.0]},
        "accuracy",
        StratifiedKFold(4),
    ),
    "indicators": (
        IndicatorClassifier(),
        None,
        {"alpha": [0.0, 5.0]},
        "f1_weighted",
        StratifiedKFold(4),
    ),
    "logistic": (
        LogisticRegression(),
        peer.LogisticRegression(tol=1e-10, max_iter=10_000),
        {"C": [10.0, 0.01, 1.0]},
        "neg_log_loss",
        StratifiedKFold(4),
    ),
    "logistic, weights": (
        LogisticRegression(class_weight="balanced"),
        peer.LogisticRegression(tol=1e-10, max_iter=10_000, class_weight="balanced"),
        {"C": [0.1, 1.0], "fit_intercept": [True, False]},
        "roc_auc_ovr",
        StratifiedKFold(3),
    ),
    "logistic, lasso": (
        LogisticRegression(),
        peer.LogisticRegression(solver="saga", tol=1e-10, max_iter=100_000),
        {"C": [0.1, 1.0], "l1_ratio": [0.5, 1.0]},
        "neg_log_loss",
        StratifiedKFold(3),
    ),
}


def search(cls: Any, case: Any, table: Table, model: Any) -> Any:
    _, _, grid, scoring, cv = case
    refit: Any = next(iter(scoring)) if isinstance(scoring, list | dict) else True
    made = cls(model, grid, scoring=scoring, cv=cv, refit=refit, return_train_score=True)
    grouped = isinstance(cv, GroupKFold | LeaveOneGroupOut)
    return made.fit(*table, groups=np.arange(len(table[1])) % 7 if grouped else None)


def compare(case: Any, table: Table, tol: float, road: str) -> None:
    ours = search(GridSearchCV, case, table, case[0])
    theirs = search(model_selection.GridSearchCV, case, table, case[1] or case[0])
    assert ours.road_ == road
    assert list(ours.cv_results_["road"]) == [road] * len(ours.cv_results_["params"])
    assert_scores(ours.cv_results_, theirs.cv_results_, tol)
    assert set(theirs.cv_results_) < set(ours.cv_results_)
    for name in ("best_params_", "best_index_", "n_splits_", "multimetric_"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=tol)
    again = clone(case[0]).set_params(**ours.best_params_).fit(*table)
    np.testing.assert_allclose(ours.predict(table[0]), again.predict(table[0]), rtol=1e-9)


@pytest.mark.parametrize("name", REGRESSIONS)
def test_regressions(name: str, numbers: Table) -> None:
    compare(REGRESSIONS[name], numbers, 1e-9, "statistics")


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str, numbers: Table) -> None:
    X, y = numbers
    compare(COUNTS[name], (X, np.exp(y / 10.0)), 1e-6, "shared passes")


@pytest.mark.parametrize("name", CLASSIFICATIONS)
def test_classifications(name: str, labels: Table) -> None:
    passes = name.startswith("logistic")
    road = "shared passes" if passes else "statistics"
    compare(CLASSIFICATIONS[name], labels, 1e-6 if passes else 1e-9, road)


@pytest.mark.parametrize("name", [*REGRESSIONS, *CLASSIFICATIONS])
def test_same_bits_for_any_number_of_threads(name: str, numbers: Table, labels: Table) -> None:
    case, table = (
        (REGRESSIONS[name], numbers) if name in REGRESSIONS else (CLASSIFICATIONS[name], labels)
    )
    results = []
    for n in (1, 2):
        with linework.threads(n):
            results.append(search(GridSearchCV, case, table, case[0]).cv_results_)
    assert_scores(results[0], results[1], 0.0)


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
def test_weights_of_rows(scoring: str, numbers: Table) -> None:
    weight = np.arange(240) % 3 + 0.5
    found = [
        cls(model, ALPHAS, scoring=scoring).fit(*numbers, sample_weight=weight)
        for cls, model in (
            (GridSearchCV, Ridge()),
            (model_selection.GridSearchCV, peer.Ridge()),
        )
    ]
    assert found[0].road_ == "statistics"
    assert_scores(found[0].cv_results_, found[1].cv_results_, 1e-9)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "f1_macro"])
def test_weights_of_labelled_rows(scoring: str, labels: Table) -> None:
    X, y = labels
    weight, names = np.arange(240) % 3, np.array(["x", "z", "y"])[y]
    found = [
        cls(LinearDiscriminantAnalysis(), SHARES, scoring=scoring, cv=4).fit(
            X, names, sample_weight=weight
        )
        for cls in (GridSearchCV, model_selection.GridSearchCV)
    ]
    assert_scores(found[0].cv_results_, found[1].cv_results_, 1e-9)


def test_certain_errors_cost_what_scikit_learn_says() -> None:
    X, y = np.array([0.0, 1.0, 2.0, 1000.0, 1001.0, 1002.0, 0.5, 1001.5])[:, None], np.arange(8) > 2
    y[-2:] = [True, False]
    splits = [(np.arange(6), np.array([0, 5, 6, 7]))]
    model = LinearDiscriminantAnalysis()
    found = [
        cls(model, {}, scoring="neg_log_loss", cv=splits).fit(X, y).best_score_
        for cls in (GridSearchCV, model_selection.GridSearchCV)
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    assert found[0] < -15.0


def test_several_targets(numbers: Table) -> None:
    X, y = numbers
    Y = np.column_stack([y, X[:, 0] - y, np.cos(y)])
    for scoring in ("r2", "neg_root_mean_squared_error", "neg_mean_absolute_error"):
        ours = GridSearchCV(Ridge(), ALPHAS, scoring=scoring).fit(X, Y)
        theirs = model_selection.GridSearchCV(peer.Ridge(), ALPHAS, scoring=scoring).fit(X, Y)
        assert ours.road_ == "statistics"
        assert_scores(ours.cv_results_, theirs.cv_results_, 1e-9)


class Watched(TransformerMixin, BaseEstimator):
    """Scales, and notes how many rows it learnt from."""

    seen: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any = None) -> "Watched":
        type(self).seen.append(len(X))
        self.scale_ = X.std(axis=0)
        return self

    def transform(self, X: Any) -> Any:
        return X / self.scale_


def test_a_transformer_learns_from_training_rows_only(numbers: Table) -> None:
    Watched.seen.clear()
    X, y = numbers
    model = make_pipeline(Watched(), Ridge())
    found = GridSearchCV(model, {"ridge__alpha": [1.0, 10.0]}, cv=KFold(4)).fit(X, y)
    assert found.road_ == "rows: Pipeline is fitted to each fold's rows."
    assert Watched.seen == [180] * 8 + [240]
    theirs = model_selection.GridSearchCV(model, {"ridge__alpha": [1.0, 10.0]}, cv=KFold(4))
    assert_scores(found.cv_results_, theirs.fit(X, y).cv_results_, 0.0)


def test_nothing_of_a_test_fold_reaches_its_score(numbers: Table) -> None:
    """Scores of a fold stay the same when the targets of its test rows are permuted and not y."""
    X, y = numbers
    train, test = np.arange(200), np.arange(200, 240)
    wild = y.copy()
    wild[test] = 1e3 * np.sin(np.arange(40))
    for model in (Ridge(), Lasso(alpha=0.1)):
        searches = [
            GridSearchCV(model, ALPHAS, cv=[(train, test)], scoring=lambda m, *_: m.coef_[0]).fit(
                X, target
            )
            for target in (y, wild)
        ]
        assert_scores(searches[0].cv_results_, searches[1].cv_results_, 0.0)


@pytest.mark.parametrize(
    ("model", "grid", "reason"),
    [
        (peer.Ridge(), ALPHAS, "Ridge is fitted to each fold's rows."),
        (LogLinearRegression(), {}, "takes a pass over residuals"),
        (GLM(fit_intercept=False), {}, "that takes an intercept"),
        (linework.RidgeCV(), {}, "RidgeCV makes folds of its own"),
        (make_pipeline(StandardScaler(), Ridge()), {}, "Pipeline is fitted to each fold's rows."),
    ],
)
def test_the_road_of_the_rows_says_why(model: Any, grid: Any, reason: str, numbers: Table) -> None:
    X, y = numbers
    y = np.exp(y / 10.0)
    ours = GridSearchCV(model, grid).fit(X, y)
    assert ours.road_.startswith("rows: ")
    assert reason in ours.road_
    assert set(ours.cv_results_["road"]) == {"rows"}
    assert_scores(
        ours.cv_results_, model_selection.GridSearchCV(model, grid).fit(X, y).cv_results_, 0.0
    )


def test_dependent_columns_take_the_road_of_the_rows(numbers: Table) -> None:
    X, y = numbers
    X = np.column_stack([X, X[:, 0] + 1e-6 * X[:, 1]])
    ours = GridSearchCV(LinearRegression(), {}).fit(X, y)
    assert "nearly dependent in some fold" in ours.road_
    assert "5 columns for 5 rows" in GridSearchCV(Ridge(), {}, cv=2).fit(X[:5, :5], y[:5]).road_


def test_small_errors_keep_their_digits(numbers: Table) -> None:
    X, y = numbers
    y = X @ np.arange(1.0, 7.0) + 1e-6 * y
    found = [
        search(LinearRegression(), {}, scoring="neg_mean_squared_error").fit(X, y).best_score_
        for search in (GridSearchCV, model_selection.GridSearchCV)
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-7, abs=0.0)


def test_a_candidate_that_fails_is_told_as_in_scikit_learn(numbers: Table) -> None:
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        found = GridSearchCV(Ridge(), {"alpha": [1.0, -1.0]}).fit(*numbers)
    assert "alpha is -1.0" in found.road_
    assert np.isnan(found.cv_results_["mean_test_score"]).tolist() == [False, True]
    with pytest.raises(ValueError, match="alpha is -1"):
        GridSearchCV(Ridge(), {"alpha": [-1.0]}, error_score="raise").fit(*numbers)


def test_a_fold_without_a_class(labels: Table) -> None:
    X, y = labels
    order = np.argsort(y, kind="stable")
    for model in (LinearDiscriminantAnalysis(), LogisticRegression()):
        ours = GridSearchCV(model, {}, cv=KFold(3)).fit(X[order], y[order])
        theirs = model_selection.GridSearchCV(model, {}, cv=KFold(3)).fit(X[order], y[order])
        assert_scores(ours.cv_results_, theirs.cv_results_, 1e-9)


def test_labels_of_any_kind(labels: Table) -> None:
    pd = pytest.importorskip("pandas")
    X, y = labels
    words = np.array(["x", "z", "y"])[y]
    for kind in (list, pd.Series, np.asarray):
        ours, theirs = (
            cls(LinearDiscriminantAnalysis(), SHARES, scoring="f1_macro").fit(X, kind(words))
            for cls in (GridSearchCV, model_selection.GridSearchCV)
        )
        assert ours.road_ == "statistics"
        assert_scores(ours.cv_results_, theirs.cv_results_, 1e-9)
        assert ours.best_estimator_.classes_.tolist() == ["x", "y", "z"]


def test_kinds_of_tables(numbers: Table) -> None:
    pd = pytest.importorskip("pandas")
    X, y = numbers
    frame = pd.DataFrame(X, columns=list("abcdef"))
    plain = GridSearchCV(Ridge(), ALPHAS).fit(X, y)
    named = GridSearchCV(Ridge(), ALPHAS).fit(frame, pd.Series(y))
    assert list(named.feature_names_in_) == list("abcdef")
    assert_scores(named.cv_results_, plain.cv_results_, 1e-12)
    for scoring in ("r2", "neg_mean_absolute_error"):
        plain, *others = (
            GridSearchCV(Ridge(), ALPHAS, scoring=scoring).fit(table, list(y))
            for table in (X, X.tolist(), scipy.sparse.csr_matrix(X), X.astype(np.float32))
        )
        for other, tol in zip(others, (0.0, 1e-9, 1e-5), strict=True):
            assert other.road_ == "statistics"
            assert_scores(other.cv_results_, plain.cv_results_, tol)


def test_splits_are_drawn_once(numbers: Table) -> None:
    for model in (Ridge(), LogLinearRegression(), peer.Ridge()):
        X, y = numbers[0], np.exp(numbers[1] / 10.0)
        splits = KFold(3).split(X)
        search = GridSearchCV(model, {}, cv=splits).fit(X, y)
        assert search.n_splits_ == 3
        assert search.cv is splits
        draw = [
            cls(model, {}, cv=KFold(3, shuffle=True, random_state=np.random.RandomState(0)))
            for cls in (GridSearchCV, model_selection.GridSearchCV)
        ]
        ours, theirs = (each.fit(X, y).cv_results_ for each in draw)
        assert_scores(ours, theirs, 1e-9)


def test_many_responses_are_read_in_turns(labels: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CLASSIFICATIONS["lda, several"]
    at_once = search(GridSearchCV, case, labels, case[0])
    monkeypatch.setattr("linework.selection.served.HELD", 1)
    assert_scores(search(GridSearchCV, case, labels, case[0]).cv_results_, at_once.cv_results_, 0.0)


def test_nested_search_is_that_of_scikit_learn(numbers: Table) -> None:
    inner = GridSearchCV(Ridge(), ALPHAS, cv=KFold(3))
    ours = linework.cross_validate(inner, *numbers, cv=KFold(4), return_estimator=True)
    assert [each.road_ for each in ours["estimator"]] == ["statistics"] * 4
    theirs = model_selection.cross_validate(
        model_selection.GridSearchCV(peer.Ridge(), ALPHAS, cv=KFold(3)), *numbers, cv=KFold(4)
    )
    np.testing.assert_allclose(ours["test_score"], theirs["test_score"], rtol=1e-9)


def test_metadata_are_routed(numbers: Table) -> None:
    import sklearn

    weight = np.arange(240) % 2 + 1.0
    with sklearn.config_context(enable_metadata_routing=True):
        model = Ridge().set_fit_request(sample_weight=True)
        scorer = get_scorer("r2").set_score_request(sample_weight=False)
        found = GridSearchCV(model, ALPHAS, cv=GroupKFold(3), scoring=scorer).fit(
            *numbers, sample_weight=weight, groups=np.arange(240) % 5
        )
    assert found.road_ == "statistics"
    plain = [
        Ridge(alpha=1.0)
        .fit(numbers[0][a], numbers[1][a], weight[a])
        .score(numbers[0][b], numbers[1][b])
        for a, b in GroupKFold(3).split(*numbers, groups=np.arange(240) % 5)
    ]
    assert found.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(plain), rel=1e-9)
