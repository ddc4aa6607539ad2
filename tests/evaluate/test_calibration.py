"""Calibrated posteriors mean what they say, and the parts of a score are what they are called."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Perceptron
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.naive_bayes import GaussianNB

from linework import (
    CalibratedClassifier,
    LinearDiscriminantAnalysis,
    RankedScores,
    ReliabilityDisplay,
    decompose_score,
)

METHODS = ["sigmoid", "beta", "isotonic", "temperature"]


class Stated(ClassifierMixin, BaseEstimator):
    """Says the posteriors in its columns."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.is_fitted_ = True
        return self

    def predict_proba(self, X):
        return X


def stated(method):
    return CalibratedClassifier(FrozenEstimator(Stated().fit(None, [0, 1])), method)


@pytest.fixture(scope="module")
def drawn():
    """Log-odds z, and classes that follow from them."""
    rng = np.random.default_rng(0)
    z = 2.0 * rng.standard_normal(20_000)
    return z, (rng.random(20_000) < expit(z)).astype(int)


def two(p):
    return np.column_stack([1.0 - p, p])


class TestMaps:
    @pytest.mark.parametrize("method", METHODS)
    def test_calibrated_posteriors_stay_as_they_are(self, drawn, method):
        z, y = drawn
        p = expit(z)
        model = stated(method).fit(two(p), y)
        assert_allclose(model.predict_proba(two(p))[:, 1], p, atol=0.08)
        assert np.abs(model.predict_proba(two(p))[:, 1] - p).mean() < 0.012

    def test_sigmoid_undoes_a_shift_and_a_scale(self, drawn):
        z, y = drawn
        model = stated("sigmoid").fit(two(expit(3.0 * z - 1.0)), y)
        [fitted] = model.maps_
        assert_allclose([fitted.coef[0], fitted.intercept], [1 / 3, 1 / 3], atol=0.03)

    def test_temperature_undoes_a_scale(self, drawn):
        z, y = drawn
        model = stated("temperature").fit(two(expit(3.0 * z)), y)
        assert model.temperature_ == pytest.approx(3.0, rel=0.05)

    def test_beta_bends_both_ends(self, drawn):
        """Of posteriors with ln q = (ln p − c) / 2 at one end only, which no sigmoid mends."""
        z, y = drawn
        p = expit(z)
        q = p**0.5 / (p**0.5 + (1.0 - p) ** 2)
        losses = {}
        for method in ("sigmoid", "beta"):
            said = stated(method).fit(two(q), y).predict_proba(two(q))[:, 1]
            losses[method] = np.abs(said - p).mean()
        assert losses["beta"] < 0.01 < losses["sigmoid"]

    def test_beta_that_would_fall_is_level(self):
        rng = np.random.default_rng(0)
        p = rng.uniform(0.1, 0.9, 500)
        y = (rng.random(500) < 1.0 - p).astype(int)
        model = stated("beta").fit(two(p), y)
        [fitted] = model.maps_
        assert (fitted.coef >= 0.0).all()
        assert_allclose(model.predict_proba(two(p))[:, 1], y.mean(), atol=0.01)

    def test_temperature_is_the_best_there_is(self):
        rng = np.random.default_rng(0)
        Z = rng.standard_normal((2000, 4))
        y = (softmax(Z, axis=1).cumsum(axis=1) > rng.random((2000, 1))).argmax(axis=1)
        model = CalibratedClassifier(FrozenEstimator(Stated().fit(None, range(4))), "temperature")
        model.fit(softmax(2.0 * Z, axis=1), y)
        at = [
            log_loss(y, softmax(2.0 * Z / (model.temperature_ * by), axis=1))
            for by in (0.999, 1.0, 1.001)
        ]
        assert at[1] < min(at[0], at[2])

    def test_classes_that_a_score_parts_keep_finite_log_odds(self):
        p = np.linspace(0.1, 0.9, 40)
        for method in ("sigmoid", "beta"):
            model = stated(method).fit(two(p), (p > 0.5).astype(int))
            said = model.predict_proba(two(p))
            assert ((said > 0.0) & (said < 1.0)).all()


class TestAsScikitLearn:
    """Of a decision function, with ``ensemble=False``: the same scores and the same folds."""

    @pytest.mark.parametrize(
        ("method", "atol"), [("sigmoid", 1e-3), ("isotonic", 1e-12), ("temperature", 5e-3)]
    )
    def test_posteriors(self, method, atol):
        X, y = load_breast_cancer(return_X_y=True)
        X = X[:, :3]
        lda = LinearDiscriminantAnalysis()
        theirs = CalibratedClassifierCV(lda, method=method, ensemble=False).fit(X, y)
        ours = CalibratedClassifier(lda, method).fit(X, y)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=atol)


class TestClassifier:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("inner", [GaussianNB(), RandomForestClassifier(20, random_state=0)])
    def test_of_more_classes(self, wine, inner, method):
        X, y = wine.X, wine.y
        model = CalibratedClassifier(inner, method).fit(X, y)
        P = model.predict_proba(X)
        assert_allclose(P.sum(axis=1), 1.0)
        assert model.score(X, y) > 0.9
        if method != "isotonic":
            assert_allclose(softmax(model.decision_function(X), axis=1), P, atol=1e-12)

    def test_naive_bayes_loses_its_conceit(self):
        X, y = load_breast_cancer(return_X_y=True)
        train, test = np.arange(0, 569, 2), np.arange(1, 569, 2)
        plain = GaussianNB().fit(X[train], y[train])
        before = log_loss(y[test], plain.predict_proba(X[test]))
        for method in ("sigmoid", "beta", "temperature"):
            model = CalibratedClassifier(GaussianNB(), method).fit(X[train], y[train])
            assert log_loss(y[test], model.predict_proba(X[test])) < 0.6 * before

    def test_of_scores_without_posteriors(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = CalibratedClassifier(Perceptron(), cv=3).fit(X, y)
        assert model.predict_proba(X).shape == (569, 2)
        assert model.score(X, y) > 0.7

    def test_rows_held_out(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = CalibratedClassifier(GaussianNB(), cv=0.4).fit(X, y)
        assert model.estimator_.class_count_.sum() == pytest.approx(0.6 * 569, abs=1)


class TestDecomposition:
    @pytest.mark.parametrize(
        ("score", "function"), [("brier", brier_score_loss), ("log", log_loss)]
    )
    def test_parts_make_the_score(self, drawn, score, function):
        z, y = drawn
        p, w = expit(2.0 * z + 0.5), np.arange(20_000) % 3
        parts = decompose_score(RankedScores.from_predictions(y, p, sample_weight=w), score)
        assert parts.score == pytest.approx(function(y, p, sample_weight=w))
        made = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert made == pytest.approx(parts.score)
        share = np.average(y, weights=w)
        constant = function(y, np.full(20_000, share), sample_weight=w)
        assert parts.uncertainty == pytest.approx(constant)
        assert parts.miscalibration > 0.0
        assert parts.discrimination > 0.0

    @pytest.mark.parametrize("score", ["brier", "log"])
    def test_calibrated_posteriors_have_no_miscalibration(self, score):
        y, p = [0, 1, 0, 0, 1, 1, 1, 0], np.repeat([1 / 4, 3 / 4], 4)
        parts = decompose_score(RankedScores.from_predictions(y, p), score)
        assert parts.miscalibration == pytest.approx(0.0, abs=1e-15)
        assert parts.discrimination > 0.05

    def test_one_posterior_for_all_does_not_discriminate(self):
        parts = decompose_score(RankedScores.from_predictions([0, 1, 1, 1], [0.5] * 4))
        assert parts.discrimination == pytest.approx(0.0, abs=1e-15)
        assert parts.miscalibration == pytest.approx(1 / 16)

    def test_certainty_that_is_wrong_is_infinitely_bad(self):
        ranked = RankedScores.from_predictions([1, 0], [0.0, 0.5])
        assert decompose_score(ranked, "log").score == np.inf


class TestReliability:
    @pytest.mark.parametrize("strategy", ["uniform", "quantile"])
    def test_as_scikit_learn(self, drawn, strategy):
        z, y = drawn
        p = expit(z)
        ranked = RankedScores.from_predictions(y, p)
        display = ReliabilityDisplay.from_ranked(ranked, strategy=strategy, n_bins=8)
        observed, predicted = calibration_curve(y, p, n_bins=8, strategy=strategy)
        assert_allclose(display.observed, observed, atol=1e-3)
        assert_allclose(display.predicted, predicted, atol=1e-3)

    def test_intervals_are_wilsons(self):
        ranked = RankedScores.from_predictions([0, 1, 0, 1, 1, 1], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
        display = ReliabilityDisplay.from_ranked(ranked, n_bins=2, confidence=0.9)
        assert_array_equal(display.weight, [3, 3])
        expected = [binomtest(k, 3).proportion_ci(0.9, "wilson") for k in (1, 3)]
        assert_allclose(display.interval, expected)

    def test_intervals_of_calibrated_posteriors_cover_the_diagonal(self, drawn):
        z, y = drawn
        ranked = RankedScores.from_predictions(y, expit(z))
        display = ReliabilityDisplay.from_ranked(ranked, n_bins=100)
        low, high = display.interval.T
        inside = (low <= display.predicted) & (display.predicted <= high)
        assert 88 <= inside.sum() <= 99

    def test_picture(self, legend):
        X, y = load_breast_cancer(return_X_y=True)
        model = LinearDiscriminantAnalysis().fit(X[:, :2], y)
        display = ReliabilityDisplay.from_estimator(model, X[:, :2], y, n_bins=6, name="LDA")
        assert legend(display.ax_) == ["calibrated", "LDA"]
        assert display.ax_.get_xlabel() == "mean posterior"
        assert sum(bar.get_height() for bar in display.bars_) == pytest.approx(1.0)
        assert_allclose(display.points_.lines[0].get_ydata(), display.observed)
        assert len(display.observed) == 6


RANKED = RankedScores.from_predictions([0, 1], [0.1, 0.2])
ROWS = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
THREE = [0, 0, 0, 2, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: decompose_score(RankedScores.from_predictions([0, 1], [-1, 2])), "from -1 to 2"),
        (lambda: decompose_score(RANKED, "auc"), "score is 'auc'"),
        (lambda: ReliabilityDisplay.from_ranked(RANKED, strategy="width"), "strategy is 'width'"),
        (lambda: ReliabilityDisplay.from_ranked(RANKED, n_bins=0), "n_bins is 0"),
        (lambda: CalibratedClassifier(method="platt").fit(*ROWS), "method is 'platt'"),
        (lambda: CalibratedClassifier(cv=None).fit(*ROWS), "cv is None"),
        (lambda: CalibratedClassifier(Perceptron(), "beta").fit(*ROWS), "has no predict_proba"),
        (
            lambda: CalibratedClassifier(cv=[([0, 1, 4, 5], [2, 6])]).fit(*ROWS),
            "cv leaves rows out",
        ),
        (
            lambda: CalibratedClassifier(cv=[([0, 1, 4], [2, 6])]).fit(
                ROWS[0], [0, 0, 0, 2, 1, 1, 1, 2]
            ),
            "A fold leaves a class",
        ),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_three_classes_have_no_one_reliability_curve(iris):
    model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    with pytest.raises(ValueError, match="has 3 classes"):
        ReliabilityDisplay.from_estimator(model, iris.X, iris.y)
