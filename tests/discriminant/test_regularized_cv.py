"""The grid of α and γ from moments of classes and folds, against refits."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold

from linework import RegularizedDiscriminantAnalysis, RegularizedDiscriminantAnalysisCV
from linework.data.sources import as_table
from linework.discriminant.alpha_scores import AlphaScores, Hits
from linework.discriminant.regularized import ClassCovariances
from linework.engine import map_reduce
from linework.stats import ClassMoments

Array = np.ndarray
Rows = Callable[..., tuple[Array, Array]]
GRID: dict[str, Sequence[float]] = {"alphas": [0.0, 0.3, 0.8, 1.0], "gammas": [0.0, 0.5, 1.0]}


def refitted(X: Array, y: Array, w: Array, splits: Any, scoring: str, **params: Any) -> Array:
    """Scores (alphas, gammas, splits) by as many fits."""
    scores = np.empty((len(GRID["alphas"]), len(GRID["gammas"]), len(splits)))
    for a, alpha in enumerate(GRID["alphas"]):
        for g, gamma in enumerate(GRID["gammas"]):
            for s, (train, test) in enumerate(splits):
                model = RegularizedDiscriminantAnalysis(alpha, gamma, **params)
                model.fit(X[train], y[train], sample_weight=w[train])
                if scoring == "accuracy":
                    told = model.predict(X[test])
                    scores[a, g, s] = accuracy_score(y[test], told, sample_weight=w[test])
                else:
                    logs = model.predict_log_proba(X[test])
                    true = np.searchsorted(model.classes_, y[test])
                    each = logs[np.arange(len(test)), true]
                    scores[a, g, s] = np.average(each, weights=w[test])
    return scores


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
@pytest.mark.parametrize("target", ["diagonal", "identity"])
@pytest.mark.parametrize("unbiased", [True, False])
def test_grid_is_that_of_refits(
    scoring: str, target: str, unbiased: bool, gaussian: Rows, rng: np.random.Generator
) -> None:
    X, y = gaussian()
    X += 1000.0
    w = rng.uniform(0.5, 2.0, len(y))
    shared: Any = {"target": target, "unbiased": unbiased}
    model = RegularizedDiscriminantAnalysisCV(**GRID, cv=4, scoring=scoring, **shared)
    model.fit(X, y, sample_weight=w)
    splits = list(StratifiedKFold(4).split(X, y))
    wanted = refitted(X, y, w, splits, scoring, **shared)
    np.testing.assert_allclose(model.cv_scores_, wanted, rtol=1e-9)
    mean = wanted.mean(axis=-1)
    assert model.best_score_ == pytest.approx(mean.max(), rel=1e-9)
    a, g = np.unravel_index(mean.argmax(), mean.shape)
    assert (model.alpha_, model.gamma_) == (GRID["alphas"][a], GRID["gammas"][g])
    best = RegularizedDiscriminantAnalysis(model.alpha_, model.gamma_, **shared)
    best.fit(X, y, sample_weight=w)
    np.testing.assert_allclose(
        model.predict_log_proba(X), best.predict_log_proba(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("apart", [1e-2, 1e-5, 1e-7, 0.0])
def test_rows_that_single_precision_cannot_tell_are_counted_rightly(
    apart: float, rng: np.random.Generator
) -> None:
    half = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 4))
    y = np.repeat([0, 1, 2], 60)
    X = np.tile(half, (3, 1)) + apart * y[:, None] * rng.standard_normal(4)
    X = (X + 1e3) * np.logspace(-4, 4, 4)
    splits = list(StratifiedKFold(3).split(X, y))
    model = RegularizedDiscriminantAnalysisCV(**GRID, cv=splits).fit(X, y)
    wanted = refitted(X, y, np.ones(len(y)), splits, "accuracy")
    np.testing.assert_allclose(model.cv_scores_, wanted, atol=1e-12)


def test_most_rows_are_told_in_single_precision(
    gaussian: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = gaussian(n=600)
    again = []
    exact = AlphaScores.__call__

    def count(scores: AlphaScores, Z: Array) -> Array:
        again.append(len(Z) if Z.dtype == np.float64 else 0)
        return exact(scores, Z)

    monkeypatch.setattr(AlphaScores, "__call__", count)
    RegularizedDiscriminantAnalysisCV(**GRID, cv=3).fit(X, y)
    assert sum(again) < 0.02 * len(X) * len(GRID["gammas"])


def test_numbers_beyond_single_precision_are_told(gaussian: Rows) -> None:
    X, y = gaussian()
    parts = ClassCovariances.of(
        map_reduce(as_table(X).with_group(y), ClassMoments.from_block), unbiased=True
    )
    scores = AlphaScores.of(
        parts, parts.pooled, np.array([0.0, 0.4]), np.full(3, 1 / 3), np.zeros(4)
    )
    Z = np.column_stack([X * np.resize([1.0, 1e25, 1e60], (len(X), 1)), np.ones(len(X))])
    with np.errstate(over="ignore"):
        single = Z.astype(np.float32)
        length = np.sqrt(np.square(single).sum(axis=1, dtype=float))
    told = Hits.of(scores, np.ones(5))(Z, single, length, y)
    np.testing.assert_array_equal(told, scores(Z).argmax(axis=0) == y)


def test_log_loss_is_scikit_learns(gaussian: Rows) -> None:
    X, y = gaussian()
    splits = list(StratifiedKFold(3).split(X, y))
    model = RegularizedDiscriminantAnalysisCV([0.4], [0.7], cv=splits, scoring="neg_log_loss")
    told = model.fit(X, y).cv_scores_[0, 0]
    for score, (train, test) in zip(told, splits, strict=True):
        part = RegularizedDiscriminantAnalysis(0.4, 0.7).fit(X[train], y[train])
        assert score == pytest.approx(-log_loss(y[test], part.predict_proba(X[test])), rel=1e-9)


def test_given_priors_stay(gaussian: Rows) -> None:
    X, y = gaussian()
    priors = [0.1, 0.2, 0.7]
    splits = list(StratifiedKFold(3).split(X, y))
    model = RegularizedDiscriminantAnalysisCV(
        **GRID, cv=splits, scoring="neg_log_loss", priors=priors
    ).fit(X, y)
    wanted = refitted(X, y, np.ones(len(y)), splits, "neg_log_loss", priors=priors)
    np.testing.assert_allclose(model.cv_scores_, wanted, rtol=1e-9)


def test_splits_that_overlap_are_read_one_by_one(gaussian: Rows) -> None:
    X, y = gaussian()
    splits = list(ShuffleSplit(3, random_state=0).split(X, y))
    twice = [(np.concatenate([train, train[:9]]), test) for train, test in splits]
    for each in (splits, twice):
        model = RegularizedDiscriminantAnalysisCV(**GRID, cv=each, scoring="neg_log_loss")
        wanted = refitted(X, y, np.ones(len(y)), each, "neg_log_loss")
        np.testing.assert_allclose(model.fit(X, y).cv_scores_, wanted, rtol=1e-9)


def test_a_class_that_the_training_rows_lack_is_never_told(gaussian: Rows) -> None:
    X, y = gaussian()
    only = np.flatnonzero(y == 2)
    rest = np.flatnonzero(y != 2)
    splits = [(rest, only)]
    model = RegularizedDiscriminantAnalysisCV([0.3], [1.0], cv=splits).fit(X, y)
    assert model.cv_scores_.ravel() == [0.0]
    model.set_params(scoring="neg_log_loss").fit(X, y)
    assert model.cv_scores_.ravel() == [-np.inf]


def test_a_covariance_without_inverse_scores_least(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((24, 9)), np.arange(24) % 3
    model = RegularizedDiscriminantAnalysisCV([0.0, 1.0], [0.0, 0.5], cv=3).fit(X, y)
    assert np.isfinite(model.cv_scores_[0]).all()
    assert (model.cv_scores_[1] == -np.inf).all()
    assert model.alpha_ == 0.0


def test_first_of_equals_is_chosen(gaussian: Rows) -> None:
    X, y = gaussian(2)
    X[y == 1] += 100.0
    model = RegularizedDiscriminantAnalysisCV([0.2, 0.4], [0.9, 0.3]).fit(X, y)
    assert (model.alpha_, model.gamma_, model.best_score_) == (0.2, 0.9, 1.0)


def test_groups_are_routed(gaussian: Rows) -> None:
    X, y = gaussian()
    groups = np.arange(len(y)) // 9
    splits = list(GroupKFold(3).split(X, y, groups))
    with sklearn.config_context(enable_metadata_routing=True):
        model = RegularizedDiscriminantAnalysisCV(**GRID, cv=GroupKFold(3))
        model.fit(X, y, groups=groups)
    same = RegularizedDiscriminantAnalysisCV(**GRID, cv=splits).fit(X, y)
    np.testing.assert_array_equal(model.cv_scores_, same.cv_scores_)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"alphas": [0.5, 1.5]}, r"alphas\[1\] == 1.5, must be <= 1"),
        ({"gammas": []}, "gammas is empty"),
        ({"scoring": "f1"}, "others use GridSearchCV"),
        ({"target": "circle"}, "'diagonal' and 'identity' are known"),
        ({"priors": [1.0]}, "3 numbers are expected"),
    ],
)
def test_impossible_settings_are_told(params: Any, words: str, gaussian: Rows) -> None:
    model = RegularizedDiscriminantAnalysisCV(**params)
    with pytest.raises(ValueError, match=words):
        model.fit(*gaussian())
    with pytest.raises(NotFittedError):
        model.predict([[0.0] * 4])
