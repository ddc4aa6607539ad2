from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, ShuffleSplit

from linework import ElasticNet, ElasticNetCV, Lasso, LassoCV, RidgeCV
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import ClassMoments

Array = np.ndarray
EXACT: dict[str, Any] = {"tol": 1e-12, "max_iter": 100_000}


@pytest.fixture
def rows(rng: np.random.Generator) -> tuple[Array, Array]:
    X = rng.standard_normal((60, 8)) + 1.0
    return X, 3.0 * X[:, 0] - X[:, 1] + 2.0 * rng.standard_normal(60) + 5.0


def errors_by_hand(
    X: Array, y: Array, w: Array, alpha: float, l1_ratio: float, splits: Any, **params: Any
) -> list[float]:
    """Mean squared errors of models that are fitted to the rows of each training part."""
    errors = []
    for train, test in splits:
        model = ElasticNet(alpha, l1_ratio=l1_ratio, **EXACT, **params)
        model.fit(X[train], y[train], sample_weight=w[train])
        errors.append(np.average((y[test] - model.predict(X[test])) ** 2, weights=w[test]))
    return errors


@pytest.mark.parametrize(
    "cv",
    [KFold(4), KFold(3, shuffle=True, random_state=0), ShuffleSplit(4, random_state=0)],
    ids=["consecutive", "shuffled", "overlapping"],
)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_errors_are_those_of_separate_fits(
    rows: tuple[Array, Array], cv: Any, fit_intercept: bool, weighted: bool
) -> None:
    X, y = rows
    w = np.arange(60) % 3 + 0.5 if weighted else np.ones(60)
    model = ElasticNetCV(
        l1_ratio=[0.4, 1.0], alphas=[1.0, 0.2, 0.01], cv=cv, fit_intercept=fit_intercept, **EXACT
    ).fit(X, y, sample_weight=w)
    splits = list(cv.split(X))
    for i, l1_ratio in enumerate([0.4, 1.0]):
        for k, alpha in enumerate([1.0, 0.2, 0.01]):
            expected = errors_by_hand(X, y, w, alpha, l1_ratio, splits, fit_intercept=fit_intercept)
            np.testing.assert_allclose(model.mse_path_[i, k], expected, rtol=1e-6)
    i, k = np.unravel_index(model.mse_path_.mean(axis=-1).argmin(), (2, 3))
    assert (model.l1_ratio_, model.alpha_) == ([0.4, 1.0][i], [1.0, 0.2, 0.01][k])


def test_the_fit_is_that_of_the_best_penalty(rows: tuple[Array, Array]) -> None:
    model = LassoCV(**EXACT).fit(*rows)
    lasso = Lasso(model.alpha_, **EXACT).fit(*rows)
    np.testing.assert_allclose(model.coef_, lasso.coef_, rtol=1e-7, atol=1e-9)
    assert model.solver_ == lasso.solver_
    assert model.convergence_.converged


def test_against_glmnet(r: Any, columns: Any) -> None:
    case, lasso = r["elastic_net"], r["elastic_net"]["lasso_cv"]
    X, y = columns(case, case["coef_names"]), np.array(case["data"]["mpg"])
    fold = np.array(lasso["fold"])
    model = LassoCV(alphas=lasso["lambda"], cv=PredefinedSplit(fold), **EXACT).fit(X, y)
    np.testing.assert_allclose(model.mse_path_.T, lasso["fold_mse"], rtol=1e-4)
    # glmnet's mean over the folds is weighted by their sizes; scikit-learn's, and ours, is not.
    size = np.bincount(fold)[1:]
    mean = np.average(model.mse_path_, axis=1, weights=size)
    np.testing.assert_allclose(mean, lasso["cvm"], rtol=1e-5)
    assert model.alphas_[mean.argmin()] == lasso["lambda_min"]
    for name in ("lambda_min", "lambda_1se"):
        chosen = Lasso(lasso[name], **EXACT).fit(X, y)
        np.testing.assert_allclose(chosen.coef_, lasso[f"at_{name}"]["coef"], atol=1e-5)


def test_one_standard_error_rule(r: Any, columns: Any) -> None:
    case, lasso = r["elastic_net"], r["elastic_net"]["lasso_cv"]
    X, y = columns(case, case["coef_names"]), np.array(case["data"]["mpg"])
    # Folds of one size, so that weighting them by it changes nothing.
    X, y, fold = X[:30], y[:30], np.array(lasso["fold"])[:30]
    model = LassoCV(alphas=lasso["lambda"], cv=PredefinedSplit(fold), rule="1se", **EXACT)
    model.fit(X, y)
    mse = model.mse_path_
    mean, folds = mse.mean(axis=1), mse.shape[1]
    spread = np.sqrt(((mse - mean[:, None]) ** 2).mean(axis=1) / (folds - 1))
    bound = (mean + spread)[mean.argmin()]
    assert model.alpha_ == model.alphas_[mean <= bound].max()
    assert model.alpha_ > model.alphas_[mean.argmin()]
    assert np.count_nonzero(model.coef_) <= np.count_nonzero(
        Lasso(model.alphas_[mean.argmin()], **EXACT).fit(X, y).coef_
    )


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_it_agrees_with_scikit_learn(
    rows: tuple[Array, Array], positive: bool, weighted: bool
) -> None:
    w = np.arange(60) % 3 + 1.0 if weighted else None
    ours = LassoCV(positive=positive, **EXACT).fit(*rows, sample_weight=w)
    theirs = sklearn.linear_model.LassoCV(positive=positive, tol=1e-10, max_iter=100_000)
    theirs.fit(*rows, sample_weight=w)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-5)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-10)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_moments_by_fold_are_enough(rows: tuple[Array, Array]) -> None:
    fold = np.arange(60) % 5
    stats = map_reduce(as_table(*rows).with_group(fold), ClassMoments.from_block)
    from_stats = LassoCV(**EXACT).fit_stats(stats)
    from_rows = LassoCV(cv=PredefinedSplit(fold), **EXACT).fit(*rows)
    np.testing.assert_allclose(from_stats.mse_path_, from_rows.mse_path_, rtol=1e-7)
    np.testing.assert_allclose(from_stats.coef_, from_rows.coef_, atol=1e-8)


def test_groups_are_routed_to_the_splitter(rows: tuple[Array, Array]) -> None:
    groups = np.arange(60) % 4
    splits = list(GroupKFold(4).split(*rows, groups))
    with sklearn.config_context(enable_metadata_routing=True):
        model = LassoCV(cv=GroupKFold(4)).fit(*rows, groups=groups)
    np.testing.assert_array_equal(model.mse_path_, LassoCV(cv=splits).fit(*rows).mse_path_)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_many_columns_are_read_by_passes(rng: np.random.Generator, kind: Any) -> None:
    X = rng.standard_normal((40, 4200)) * (rng.random((40, 4200)) < 0.1)
    y = 2.0 * X[:, :4].sum(axis=1) + 0.1 * rng.standard_normal(40)
    w = np.arange(40) % 2 + 1.0
    cv = KFold(3)
    model = LassoCV(alphas=[0.2, 0.1], cv=cv, **EXACT).fit(kind(X), y, sample_weight=w)
    assert model.solver_ == "working set"
    for k, alpha in enumerate([0.2, 0.1]):
        expected = errors_by_hand(X, y, w, alpha, 1.0, cv.split(X))
        np.testing.assert_allclose(model.mse_path_[k], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"rule": "best"}, 'rule is .best.; it is "min" or "1se"'),
        ({"l1_ratio": 2.0}, "from 0 .ridge. to 1 .lasso."),
        ({"l1_ratio": 0.0}, "give the alphas themselves"),
        ({"l1_ratio": []}, "at least one share"),
        ({"alphas": [1.0, -1.0]}, r"alphas\[1\]"),
        ({"alphas": [1.0, np.nan]}, "penalties are finite numbers"),
        ({"alphas": []}, "at least one penalty"),
        ({"alphas": 0}, "how many penalties, at least 1"),
        ({"eps": 0.0}, "above 0 and up to 1"),
        ({"eps": np.nan}, "above 0 and up to 1"),
        ({"tol": np.nan}, "tol is nan"),
        ({"max_iter": 0}, "max_iter is 0"),
    ],
)
def test_impossible_settings_are_told(
    rows: tuple[Array, Array], params: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        ElasticNetCV(**params).fit(*rows)


def test_fits_of_folds_that_end_too_early_are_told(rows: tuple[Array, Array]) -> None:
    with pytest.warns(ConvergenceWarning) as told:
        LassoCV(alphas=[1e-3], max_iter=1, tol=1e-9).fit(*rows)
    messages = [str(warning.message) for warning in told]
    assert any("of the 5 fits along the penalties" in message for message in messages)
    assert any("LassoCV did not converge" in message for message in messages)


def test_one_target_is_taken(rows: tuple[Array, Array]) -> None:
    X, y = rows
    with pytest.raises(ValueError, match="takes one target"):
        LassoCV().fit(X, np.column_stack([y, y]))


class TestSplitsAsGiven:
    """Of both estimators that cross-validate, tall and wide."""

    @pytest.fixture(params=[(30, 3), (30, 40), (30, 4100)], ids=["tall", "wide", "very wide"])
    def table(self, request: pytest.FixtureRequest, rng: np.random.Generator) -> Any:
        X = rng.standard_normal(request.param)
        return X, X[:, 0] + 0.1 * rng.standard_normal(30)

    @pytest.fixture(params=[LassoCV, RidgeCV])
    def build(self, request: pytest.FixtureRequest) -> Any:
        return lambda cv: request.param(alphas=[0.1, 0.5], cv=cv)

    def test_masks_are_positions(self, table: Any, build: Any) -> None:
        fold = np.arange(30) % 3
        masks = [(fold != k, fold == k) for k in range(3)]
        positions = [tuple(map(np.flatnonzero, pair)) for pair in masks]
        by_mask, by_position = build(masks).fit(*table), build(positions).fit(*table)
        np.testing.assert_array_equal(by_mask.coef_, by_position.coef_)
        assert by_mask.alpha_ == by_position.alpha_

    @pytest.mark.parametrize("part", ["training", "test"])
    def test_a_part_without_weight_is_told(self, table: Any, build: Any, part: str) -> None:
        rows = np.arange(10), np.arange(10, 30)
        w = np.ones(30)
        w[rows[part == "test"]] = 0.0
        with pytest.raises(ValueError, match=f"{part} part of split 0 has no rows of positive"):
            build([rows]).fit(*table, sample_weight=w)


def test_rows_may_be_in_both_parts_or_twice(rows: tuple[Array, Array]) -> None:
    X, y = rows
    splits = [(np.arange(60), np.arange(60)), (np.repeat(np.arange(40), 2), np.arange(30, 60))]
    model = LassoCV(alphas=[0.5, 0.1], cv=splits, **EXACT).fit(X, y)
    for k, alpha in enumerate([0.5, 0.1]):
        expected = errors_by_hand(X, y, np.ones(60), alpha, 1.0, splits)
        np.testing.assert_allclose(model.mse_path_[k], expected, rtol=1e-6)
