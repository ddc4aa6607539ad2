from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit

from linework import Ridge, RidgeCV

Array = np.ndarray
ALPHAS = [0.01, 0.3, 5.0, 100.0]


@pytest.fixture(params=[(30, 4), (12, 20)], ids=["tall", "wide"])
def rows(request: pytest.FixtureRequest, rng: np.random.Generator) -> tuple[Array, Array]:
    n, d = request.param
    X = rng.standard_normal((n, d)) + 2.0
    Y = np.column_stack([X[:, 0] + rng.standard_normal(n), 5.0 * rng.standard_normal(n)])
    return X, Y + 10.0


@pytest.fixture(params=["unweighted", "weighted", "with zeros"])
def weight(request: pytest.FixtureRequest, rows: tuple[Array, Array]) -> Array | None:
    n = len(rows[0])
    w = np.random.default_rng(2).uniform(0.5, 3.0, n)
    w[::4] *= request.param != "with zeros"
    return None if request.param == "unweighted" else w


def left_out(X: Array, Y: Array, w: Array | None, alpha: float, fit_intercept: bool) -> Array:
    """Each row predicted by a model of the others, in the shape of Y."""
    predictions = []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        model = Ridge(alpha, fit_intercept=fit_intercept)
        model.fit(X[others], Y[others], sample_weight=None if w is None else w[others])
        predictions.append(model.predict(X[[i]])[0])
    return np.array(predictions)


class TestLeaveOneOut:
    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_every_row_is_predicted_without_itself(
        self, rows: tuple[Array, Array], weight: Array | None, fit_intercept: bool
    ) -> None:
        X, Y = rows
        model = RidgeCV(ALPHAS, fit_intercept=fit_intercept, store_cv_results=True)
        model.fit(X, Y, sample_weight=weight)
        w = np.ones(len(X)) if weight is None else weight
        brute = np.stack([left_out(X, Y, weight, a, fit_intercept) for a in ALPHAS], axis=-1)
        errors = w[:, None, None] * (Y[:, :, None] - brute) ** 2
        np.testing.assert_allclose(model.cv_results_, errors, rtol=1e-8, atol=1e-10)
        score = -errors.sum(axis=0).mean(axis=0) / w.sum()
        assert model.alpha_ == ALPHAS[score.argmax()]
        assert model.best_score_ == pytest.approx(score.max(), rel=1e-9)

    def test_the_fit_is_that_of_the_best_penalty(
        self, rows: tuple[Array, Array], weight: Array | None
    ) -> None:
        model = RidgeCV(ALPHAS).fit(*rows, sample_weight=weight)
        ridge = Ridge(model.alpha_).fit(*rows, sample_weight=weight)
        np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)
        np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-9)
        assert model.solver_ == ridge.solver_

    def test_each_target_may_have_its_own_penalty(
        self, rows: tuple[Array, Array], weight: Array | None
    ) -> None:
        X, Y = rows
        model = RidgeCV(ALPHAS, alpha_per_target=True).fit(X, Y, sample_weight=weight)
        alone = [RidgeCV(ALPHAS).fit(X, y, sample_weight=weight) for y in Y.T]
        np.testing.assert_array_equal(model.alpha_, [m.alpha_ for m in alone])
        np.testing.assert_allclose(model.best_score_, [m.best_score_ for m in alone], rtol=1e-9)
        np.testing.assert_allclose(model.coef_, [m.coef_ for m in alone], rtol=1e-8)

    def test_any_score_of_the_predictions_may_choose(
        self, rows: tuple[Array, Array], weight: Array | None
    ) -> None:
        X, Y = rows
        model = RidgeCV(ALPHAS, scoring="r2", store_cv_results=True)
        model.fit(X, Y[:, 0], sample_weight=weight)
        brute = [left_out(X, Y[:, 0], weight, a, True) for a in ALPHAS]
        scores = [r2_score(Y[:, 0], p, sample_weight=weight) for p in brute]
        np.testing.assert_allclose(model.cv_results_, np.transpose(brute), rtol=1e-8)
        assert model.alpha_ == ALPHAS[int(np.argmax(scores))]
        assert model.best_score_ == pytest.approx(max(scores), rel=1e-8)

    def test_removed_rows_may_hold_anything(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((30, 3)), rng.standard_normal(30)
        w = (np.arange(30) % 3 > 0).astype(float)
        expected = RidgeCV(ALPHAS).fit(X[w > 0], y[w > 0])
        X[w == 0], y[w == 0] = 1e200, -1e200
        model = RidgeCV(ALPHAS).fit(X, y, sample_weight=w)
        assert (model.alpha_, model.best_score_) == pytest.approx(
            (expected.alpha_, expected.best_score_), rel=1e-12
        )

    def test_collinear_columns_lose_no_digits(self, rng: np.random.Generator) -> None:
        x = rng.standard_normal((40, 1))
        X = np.hstack([x, x + 1e-7 * rng.standard_normal((40, 1))]) + 100.0
        y = X[:, 0] + 1e-3 * rng.standard_normal(40)
        alphas = [1e-13, 1e-10]
        model = RidgeCV(alphas, store_cv_results=True).fit(X, y)
        brute = np.stack([left_out(X, y, None, a, True) for a in alphas], axis=1)
        np.testing.assert_allclose(model.cv_results_, (y[:, None] - brute) ** 2, rtol=1e-4)

    def test_a_column_of_one_row_leaves_that_row_unpredicted(self) -> None:
        X = np.zeros((5, 1))
        X[0] = 1e30
        model = RidgeCV(ALPHAS).fit(X, np.arange(5.0))
        assert model.best_score_ == -np.inf
        assert np.isfinite(model.coef_).all()


class TestGeneralisedCrossValidation:
    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("alpha", ALPHAS)
    def test_it_is_its_definition(
        self, rows: tuple[Array, Array], alpha: float, fit_intercept: bool
    ) -> None:
        X, y = rows[0], rows[1][:, 0]
        n = len(X)
        Z = X - X.mean(axis=0) if fit_intercept else X
        H = Z @ np.linalg.solve(Z.T @ Z + alpha * np.eye(Z.shape[1]), Z.T) + fit_intercept / n
        gcv = np.mean((y - H @ y) ** 2) / (1.0 - np.trace(H) / n) ** 2
        model = RidgeCV([alpha], cv="gcv", fit_intercept=fit_intercept).fit(X, y)
        assert model.best_score_ == pytest.approx(-gcv, rel=1e-8)

    def test_against_r(self, r: Any, columns: Any) -> None:
        case = r["ridge"]
        path = case["fine"]
        X = columns(case, list(path["scales"])) / list(path["scales"].values())
        y = np.array(case["data"]["Employed"])
        X, y = X - X.mean(axis=0), y - y.mean()
        found = [
            -RidgeCV([a], cv="gcv", fit_intercept=False).fit(X, y).best_score_ / len(y)
            for a in path["lambda"][1:]
        ]
        np.testing.assert_allclose(found, path["gcv"][1:], rtol=1e-7)

    def test_statistics_choose_as_rows_do(self, rows: tuple[Array, Array]) -> None:
        X, y = rows[0], rows[1][:, 0]
        whole = RidgeCV(ALPHAS, cv="gcv").fit(X, y)
        parts = RidgeCV(ALPHAS, cv="gcv").partial_fit(X[:5], y[:5]).partial_fit(X[5:], y[5:])
        assert parts.alpha_ == whole.alpha_
        assert parts.best_score_ == pytest.approx(whole.best_score_, rel=1e-9)

    @pytest.mark.parametrize("cv", [None, 3])
    def test_what_needs_rows_is_not_offered(self, cv: Any) -> None:
        assert not hasattr(RidgeCV(cv=cv), "partial_fit")
        assert not hasattr(RidgeCV(cv=cv), "fit_stats")

    def test_one_row_scores_nothing(self) -> None:
        model = RidgeCV(cv="gcv").fit([[1.0, 2.0]], [3.0])
        assert (model.best_score_, model.intercept_) == (0.0, 3.0)


class TestFolds:
    @pytest.mark.parametrize(
        "scoring", [None, "neg_mean_squared_error", "neg_median_absolute_error"]
    )
    @pytest.mark.parametrize(
        "cv", [3, KFold(4, shuffle=True, random_state=0), ShuffleSplit(5, random_state=0)], ids=str
    )
    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_it_is_a_grid_search(
        self, rows: tuple[Array, Array], cv: Any, scoring: Any, fit_intercept: bool
    ) -> None:
        model = RidgeCV(ALPHAS, cv=cv, scoring=scoring, fit_intercept=fit_intercept).fit(*rows)
        search = GridSearchCV(
            Ridge(fit_intercept=fit_intercept), {"alpha": ALPHAS}, cv=cv, scoring=scoring
        ).fit(*rows)
        assert model.alpha_ == search.best_params_["alpha"]
        assert model.best_score_ == pytest.approx(search.best_score_, rel=1e-8)
        np.testing.assert_allclose(model.coef_, search.best_estimator_.coef_, rtol=1e-8)

    def test_weights_count_in_training_and_in_scores(
        self, rows: tuple[Array, Array], weight: Array | None
    ) -> None:
        X, y = rows[0], rows[1][:, 0]
        w = np.ones(len(X)) if weight is None else weight
        scores = []
        for train, test in KFold(3).split(X):
            models = [Ridge(a).fit(X[train], y[train], sample_weight=w[train]) for a in ALPHAS]
            predictions = [m.predict(X[test]) for m in models]
            scores.append([r2_score(y[test], p, sample_weight=w[test]) for p in predictions])
        expected = np.mean(scores, axis=0)
        model = RidgeCV(ALPHAS, cv=3).fit(X, y, sample_weight=weight)
        assert model.alpha_ == ALPHAS[expected.argmax()]
        assert model.best_score_ == pytest.approx(expected.max(), rel=1e-8)

    def test_groups_are_routed_to_the_splitter(self, rows: tuple[Array, Array]) -> None:
        groups = np.arange(len(rows[0])) % 4
        splits = list(GroupKFold(4).split(*rows, groups))
        with sklearn.config_context(enable_metadata_routing=True):
            model = RidgeCV(ALPHAS, cv=GroupKFold(4)).fit(*rows, groups=groups)
        assert model.best_score_ == RidgeCV(ALPHAS, cv=splits).fit(*rows).best_score_

    def test_groups_need_routing(self, rows: tuple[Array, Array]) -> None:
        with pytest.raises(ValueError, match="enable_metadata_routing"):
            RidgeCV(cv=GroupKFold(2)).fit(*rows, groups=np.arange(len(rows[0])))

    def test_one_row_in_a_fold_has_no_r2(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((5, 2)), rng.standard_normal(5)
        with pytest.warns(UserWarning, match="not numbers"):
            RidgeCV(cv=5).fit(X, y)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"alphas": [1.0, -1.0]}, r"alphas\[1\] == -1.0, must be > 0"),
        ({"alphas": [0.0, 1.0]}, r"alphas\[0\] == 0.0, must be > 0"),
        ({"alphas": []}, "at least one penalty"),
        ({"alphas": [np.inf]}, "penalties are finite numbers"),
        ({"cv": "loo"}, "Got loo"),
        ({"cv": 3, "store_cv_results": True}, "do not go together"),
    ],
)
def test_impossible_settings_are_told(
    rows: tuple[Array, Array], params: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        RidgeCV(**params).fit(*rows)


def test_too_many_sparse_columns_are_told() -> None:
    with pytest.raises(ValueError, match="Use Ridge with a fixed alpha"):
        RidgeCV().fit(sp.eye_array(5000, format="csr"), np.ones(5000))
