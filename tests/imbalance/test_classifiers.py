"""Classifiers of resampled rows: what they are fitted to, and what their posteriors are for."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import linework
from linework import (
    SMOTE,
    DecisionClassifier,
    DecisionRule,
    EasyEnsembleClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    LogitAdjustment,
    RandomOverSampler,
    RandomUnderSampler,
    ResampledClassifier,
)

Array = np.ndarray


def problem(n: int = 4000, share: float = 0.06, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.standard_normal((n, 2)) + 1.2 * y[:, None], y


class Remembering(ClassifierMixin, BaseEstimator):
    """A classifier that keeps the rows it was fitted to, and says the same of every row."""

    seen: list[Any] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Remembering":
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        self.n_features_in_ = X.shape[1]
        self.seen.append((X, y, sample_weight))
        return self

    def predict_proba(self, X: Any) -> Array:
        self.seen.append((X, None, None))
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X: Any) -> Array:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture
def seen() -> list[Any]:
    Remembering.seen.clear()
    return Remembering.seen


class TestResampledClassifier:
    def test_the_estimator_is_fitted_to_what_the_sampler_makes(self) -> None:
        X, y = problem()
        model = ResampledClassifier(SMOTE(), LogisticRegression()).fit(X, y)
        expected = LogisticRegression().fit(*SMOTE().fit_resample(X, y))
        np.testing.assert_array_equal(model.estimator_.coef_, expected.coef_)

    def test_rows_held_out_are_never_resampled_nor_neighbours(self, seen: list[Any]) -> None:
        X, y = problem(400)
        model = ResampledClassifier(SMOTE(k_neighbors=2), Remembering())
        folds = [(np.flatnonzero(np.arange(400) % 4 != k), np.arange(k, 400, 4)) for k in range(4)]
        cross_val_predict(model, X, y, cv=folds, method="predict_proba")
        for (train, test), (fitted, _, _), (asked, _, _) in zip(
            folds, seen[::2], seen[1::2], strict=True
        ):
            np.testing.assert_array_equal(asked, X[test])  # as they are, none added
            expected, _ = SMOTE(k_neighbors=2).fit_resample(X[train], y[train])
            np.testing.assert_array_equal(fitted, expected)

    @pytest.mark.parametrize("sampler", [RandomUnderSampler(), RandomOverSampler()])
    def test_posteriors_are_for_the_shares_of_the_rows(self, sampler: Any) -> None:
        X, y = problem()
        model = ResampledClassifier(sampler, Remembering()).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X[:1]), [[1 - y.mean(), y.mean()]])
        np.testing.assert_allclose(
            model.predict_log_proba(X[:1]), np.log(model.predict_proba(X[:1]))
        )
        off = clone(model).set_params(correct_prior=False).fit(X, y)
        np.testing.assert_allclose(off.predict_proba(X[:1]), [[0.5, 0.5]])

    def test_the_correction_is_that_of_decision_rule(self) -> None:
        X, y = problem()
        model = ResampledClassifier(SMOTE(), LogisticRegression(), correct_prior=False)
        shares = [1.0 - y.mean(), y.mean()]
        rule = DecisionRule(priors=shares, training_priors=[0.5, 0.5])
        moved = DecisionClassifier(model, rule).fit(X, y).predict_proba(X)
        corrected = clone(model).set_params(correct_prior=True).fit(X, y)
        np.testing.assert_allclose(corrected.predict_proba(X), moved, rtol=1e-12)

    def test_corrected_posteriors_mean_what_they_say(self) -> None:
        X, y = problem(40_000)
        for sampler in (SMOTE(), RandomUnderSampler(), RandomOverSampler()):
            p = ResampledClassifier(sampler, LogisticRegression()).fit(X, y).predict_proba(X)
            assert abs(p[:, 1].mean() / y.mean() - 1.0) < 0.05

    def test_balanced_decisions_come_from_the_rule(self) -> None:
        X, y = problem()
        model = ResampledClassifier(RandomOverSampler(), LinearDiscriminantAnalysis())
        balanced = DecisionClassifier(model, DecisionRule(priors="equal")).fit(X, y)
        as_fitted = clone(model).set_params(correct_prior=False).fit(X, y)
        np.testing.assert_array_equal(balanced.predict(X), as_fitted.predict(X))

    def test_weights_go_with_the_rows(self, seen: list[Any]) -> None:
        X, y = problem(300)
        X[:, 0] = w = np.random.default_rng(1).integers(0, 4, 300).astype(float)
        ResampledClassifier(RandomOverSampler(), Remembering()).fit(X, y, sample_weight=w)
        fitted, _, weight = seen[0]
        np.testing.assert_array_equal(fitted[:, 0], weight)
        assert weight.all()

    def test_rows_that_are_made_have_no_weight(self) -> None:
        X, y = problem(300)
        with pytest.raises(ValueError, match="SMOTE makes rows, which have no weight"):
            ResampledClassifier(SMOTE()).fit(X, y, sample_weight=np.ones(300))

    def test_scores_cannot_be_corrected_and_that_is_said(self) -> None:
        X, y = problem(300)
        model = ResampledClassifier(SMOTE(), RidgeClassifier())
        with pytest.raises(TypeError, match=r"RidgeClassifier has no predict_proba.*correct_prior"):
            model.fit(X, y)
        model.set_params(correct_prior=False).fit(X, y)
        assert not hasattr(model, "predict_proba")
        assert set(model.predict(X)) == {0, 1}

    def test_a_class_that_is_left_out_is_refused(self) -> None:
        sampler = RandomUnderSampler(sampling_strategy={0: 0})
        with pytest.raises(ValueError, match="no rows of class 0"):
            ResampledClassifier(sampler).fit(*problem(300))

    def test_in_a_pipeline_and_around_one(self) -> None:
        pd = pytest.importorskip("pandas")
        X, y = problem(500)
        inside = make_pipeline(StandardScaler(), ResampledClassifier(SMOTE())).fit(X, y)
        assert inside.predict_proba(X).shape == (500, 2)
        words = pd.DataFrame({"word": np.where(X[:, 0] > 1.0, "high", "low")})
        encoded = make_pipeline(OneHotEncoder(), LogisticRegression())
        around = ResampledClassifier(RandomOverSampler(), encoded).fit(words, y)
        assert around.predict_proba(words).shape == (500, 2)

    def test_works_in_the_pipelines_of_imbalanced_learn(self) -> None:
        pipeline = pytest.importorskip("imblearn.pipeline")
        X, y = problem(500)
        model = pipeline.make_pipeline(StandardScaler(), SMOTE(), LogisticRegression()).fit(X, y)
        scaled = StandardScaler().fit_transform(X)
        expected = LogisticRegression().fit(*SMOTE().fit_resample(scaled, y))
        np.testing.assert_allclose(model[-1].coef_, expected.coef_)


class TestEasyEnsemble:
    def test_it_is_the_mean_of_its_members(self) -> None:
        X, y = problem()
        model = EasyEnsembleClassifier(4, LogisticRegression()).fit(X, y)
        mean = np.mean([member.predict_proba(X) for member in model.estimators_], axis=0)
        np.testing.assert_allclose(model.predict_proba(X), mean, rtol=1e-12)
        np.testing.assert_allclose(
            model.decision_function(X), np.log(mean[:, 1] / mean[:, 0]), atol=1e-10
        )
        assert len(model) == 4

    def test_each_subset_has_the_small_class_and_as_many_others(self, seen: list[Any]) -> None:
        X, y = problem(500)
        with linework.threads(1):
            EasyEnsembleClassifier(3, Remembering()).fit(X, y)
        majority = [frozenset(rows[labels == 0][:, 0]) for rows, labels, _ in seen]
        assert len(set(majority)) == 3
        for rows, labels, _ in seen:
            np.testing.assert_array_equal(np.bincount(labels), [y.sum(), y.sum()])
            assert set(rows[labels == 1][:, 0]) == set(X[y == 1][:, 0])

    def test_balanced_bagging_draws_the_small_class_again_too(self, seen: list[Any]) -> None:
        X, y = problem(500)
        EasyEnsembleClassifier(1, Remembering(), sampling_strategy="all", replacement=True).fit(
            X, y
        )
        rows, labels, _ = seen[0]
        assert len(set(rows[labels == 1][:, 0])) < y.sum()
        np.testing.assert_array_equal(np.bincount(labels), [y.sum(), y.sum()])

    def test_any_number_of_threads_gives_the_same_bits(self) -> None:
        X, y = problem()
        results = []
        for n_threads in (1, 2, 3):
            with linework.threads(n_threads):
                results.append(EasyEnsembleClassifier(5).fit(X, y).predict_proba(X))
        assert all(np.array_equal(results[0], other) for other in results[1:])

    @pytest.mark.parametrize("n_estimators", [0, 2.5])
    def test_a_number_of_subsets_is_expected(self, n_estimators: Any) -> None:
        with pytest.raises(ValueError, match="number of subsets"):
            EasyEnsembleClassifier(n_estimators).fit(*problem(300))

    def test_posteriors_are_needed(self) -> None:
        with pytest.raises(TypeError, match="posteriors are averaged"):
            EasyEnsembleClassifier(estimator=RidgeClassifier()).fit(*problem(300))


class TestLogitAdjustment:
    def test_tau_one_is_equal_priors_and_zero_is_nothing(self) -> None:
        X, y = problem()
        decide = {
            name: DecisionClassifier(LogisticRegression(), rule).fit(X, y)
            for name, rule in {
                "one": LogitAdjustment(),
                "equal": DecisionRule(priors="equal"),
                "zero": LogitAdjustment(0.0),
                "none": DecisionRule(),
            }.items()
        }
        for a, b in (("one", "equal"), ("zero", "none")):
            np.testing.assert_allclose(decide[a].predict_proba(X), decide[b].predict_proba(X))

    def test_scores_lose_tau_times_the_logarithm_of_the_prior(self) -> None:
        rng = np.random.default_rng(0)
        y = rng.choice(4, 500, p=[0.7, 0.2, 0.08, 0.02])
        p = rng.dirichlet(np.ones(4), 500)
        decide = LogitAdjustment(0.4).learn(None, y, np.ones(500), np.arange(4))
        adjusted = np.log(p) - 0.4 * np.log(np.bincount(y) / 500)
        np.testing.assert_array_equal(decide(p), adjusted.argmax(axis=1))

    def test_training_with_adjusted_scores_moves_intercepts_only(self) -> None:
        X, y = problem(3000, share=0.2)
        plain = linework.GLM("binomial", alpha=0.01).fit(X, y)
        offset = np.full(3000, np.log(y.mean() / (1.0 - y.mean())))
        trained = linework.GLM("binomial", alpha=0.01).fit(X, y, offset=offset)
        np.testing.assert_allclose(trained.coef_, plain.coef_, rtol=1e-4)
        np.testing.assert_allclose(trained.intercept_, plain.intercept_ - offset[0], rtol=1e-4)

    def test_tau_is_not_negative(self) -> None:
        with pytest.raises(ValueError, match="tau is -1"):
            LogitAdjustment(-1).learn(None, np.array([0, 1]), np.ones(2), np.arange(2))
