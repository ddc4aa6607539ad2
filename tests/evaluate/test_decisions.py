"""Rules do what they promise: least cost, bounded false alarms, the best thresholds."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, norm
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Perceptron
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import linework
from linework import (
    ConfusionMatrix,
    DecisionClassifier,
    DecisionRule,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    NeymanPearsonRule,
    TunedThresholds,
)

CLASSES = np.array(["a", "b", "c"])


def learn(rule, scores, numbers, weight=None, K=None):
    weight = np.ones(len(numbers)) if weight is None else weight
    classes = np.arange(scores.shape[1] if K is None else K)
    return rule.learn(scores, np.asarray(numbers), weight, classes)


def gaussians(n, share, distance=2.0, seed=0):
    """Two classes of variance 1, the second with this share of the rows."""
    rng = np.random.default_rng(seed)
    y = np.zeros(n, int)
    y[: round(n * share)] = 1
    return rng.standard_normal((n, 1)) + distance * y[:, None], y


class TestBayes:
    @settings(max_examples=60, deadline=None)
    @given(st.integers(2, 5), st.integers(0, 10_000), st.booleans())
    def test_no_decision_has_a_lower_expected_cost(self, K, seed, reject):
        """With the true posteriors the cost of what is decided is least, row by row."""
        rng = np.random.default_rng(seed)
        P, C = rng.dirichlet(np.ones(K), 50), rng.uniform(0.0, 5.0, (K, K))
        rule = DecisionRule(costs=C, reject=1.0 if reject else None)
        said = learn(rule, P, np.arange(K))(P)
        cost = np.column_stack([P @ C, np.ones(50)])
        chosen = cost[np.arange(50), said]
        assert (said < K + reject).all()
        for other in range(K + reject):
            assert (chosen <= cost[:, other] + 1e-12).all()

    def test_on_rows_drawn_it_costs_least(self):
        rng = np.random.default_rng(0)
        P, C = rng.dirichlet(np.ones(3), 20_000), np.array([[0, 1, 4], [2, 0, 1], [9, 3, 0.0]])
        y = (rng.random(20_000)[:, None] > P.cumsum(axis=1)).sum(axis=1)
        costs = {
            name: C[y, learn(rule, P, y)(P)].mean()
            for name, rule in {
                "bayes": DecisionRule(costs=C),
                "likeliest": DecisionRule(),
                "by class": DecisionRule(costs=C.max(axis=1)),
                "of other priors": DecisionRule(costs=C, priors=[0.6, 0.3, 0.1]),
            }.items()
        }
        assert min(costs, key=costs.get) == "bayes"
        assert costs["bayes"] < 0.95 * min(v for k, v in costs.items() if k != "bayes")

    def test_rescaling_is_that_of_the_book(self):
        """y'/(1 − y') = y/(1 − y) · m⁻/m⁺, equation 3.48."""
        y = np.repeat([0, 1], [30, 10])
        p = np.linspace(0.01, 0.99, 99)
        rescaled = learn(DecisionRule(priors="equal"), np.c_[1 - p, p], y).posterior(
            np.c_[1 - p, p]
        )
        assert_allclose(rescaled[:, 1] / rescaled[:, 0], p / (1 - p) * 30 / 10)

    def test_shifted_posteriors_are_those_of_a_model_with_these_priors(self, iris):
        rows = np.r_[:50, 50:75, 100:110]
        X, y, priors = iris.X.iloc[rows], iris.y[rows], [0.2, 0.5, 0.3]
        shifted = DecisionClassifier(LinearDiscriminantAnalysis(), DecisionRule(priors=priors))
        given = LinearDiscriminantAnalysis(priors=priors).fit(X, y)
        assert_allclose(shifted.fit(X, y).predict_proba(X), given.predict_proba(X), atol=1e-12)
        back = DecisionRule(priors=np.array([50, 25, 10]) / 85, training_priors=priors)
        plain = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
        back = DecisionClassifier(LinearDiscriminantAnalysis(priors=priors), back).fit(X, y)
        assert_allclose(back.predict_proba(X), plain, atol=1e-12)

    def test_costs_of_two_classes_move_the_threshold(self):
        """Positive from y/(1 − y) > cost⁻/cost⁺ on."""
        p = np.linspace(0.001, 0.999, 999)
        said = learn(DecisionRule(costs=[1.0, 4.0]), np.c_[1 - p, p], [0, 1])(np.c_[1 - p, p])
        assert_array_equal(said == 1, p / (1 - p) > 1 / 4)

    def test_costs_of_each_row(self):
        rng = np.random.default_rng(0)
        P, each = rng.dirichlet(np.ones(3), 40), rng.uniform(0.0, 9.0, (40, 3))
        decide = learn(DecisionRule(), P, [0, 1, 2])
        by_row = [learn(DecisionRule(costs=c), P[:1], [0, 1, 2])(p[None])[0]
                  for c, p in zip(each, P, strict=True)]  # fmt: skip
        assert_array_equal(decide(P, each), by_row)
        full = each[:, :, None] * (1.0 - np.eye(3))
        assert_array_equal(decide(P, full), by_row)

    def test_doubtful_rows_are_rejected(self, iris):
        model = DecisionClassifier(rule=DecisionRule(reject=0.2), reject_label="ask")
        said = model.fit(iris.X, iris.y).predict(iris.X)
        sure = model.predict_proba(iris.X).max(axis=1) >= 0.8
        assert_array_equal(said != "ask", sure)
        assert 0 < (said == "ask").sum() < 30

    def test_threshold_moving_on_998_to_2(self):
        """Where a plain model never says positive, a moved threshold finds most of them."""
        X, y = gaussians(50_000, 0.002)
        new, truth = gaussians(50_000, 0.002, seed=1)
        plain = LogisticRegression(C=np.inf).fit(X, y)
        moved = DecisionClassifier(plain, DecisionRule(priors="equal")).fit(X, y)
        before = ConfusionMatrix.from_predictions(truth, plain.predict(new))
        after = ConfusionMatrix.from_predictions(truth, moved.predict(new))
        assert before.measure("detection", label=1) < 0.1
        # Equal priors cut in the middle between the means, at 1.
        assert after.measure("detection", label=1) == pytest.approx(norm.cdf(1.0), abs=0.06)
        assert after.measure("false_alarm", label=1) == pytest.approx(norm.sf(1.0), abs=0.02)
        assert after.measure("balanced_accuracy") > before.measure("balanced_accuracy") + 0.25


class TestNeymanPearson:
    @pytest.mark.parametrize(("alpha", "confidence"), [(0.05, 0.95), (0.1, 0.8)])
    def test_bound_holds_on_fresh_rows_as_often_as_stated(self, alpha, confidence):
        """The false alarm rate of a threshold t on Gaussian negatives is known: P(Z > t)."""
        rng, n, trials = np.random.default_rng(0), 200, 2000
        rule, broken = NeymanPearsonRule(alpha, confidence), 0
        for _ in range(trials):
            z = rng.standard_normal(n)
            broken += norm.sf(learn(rule, np.c_[-z, z], np.zeros(n, int)).threshold) > alpha
        rank = int(binom.ppf(confidence, n, 1 - alpha)) + 1
        exact = binom.sf(rank - 1, n, 1 - alpha)
        assert exact <= 1 - confidence
        assert abs(broken / trials - exact) < 4 * np.sqrt(exact * (1 - exact) / trials)

    def test_bound_holds_for_a_fitted_classifier(self):
        alpha, broken = 0.1, 0
        fresh, truth = gaussians(40_000, 0.5, seed=99)
        for seed in range(40):
            X, y = gaussians(600, 0.5, seed=seed)
            model = DecisionClassifier(rule=NeymanPearsonRule(alpha, 0.9), random_state=seed)
            matrix = ConfusionMatrix.from_estimator(model.fit(X, y), fresh, truth)
            broken += matrix.measure("false_alarm", label=1) > alpha
            assert matrix.measure("detection", label=1) > 0.4
        assert broken <= binom.ppf(0.999, 40, 0.1)

    def test_no_lower_threshold_keeps_it(self):
        z = np.random.default_rng(0).standard_normal(300)
        threshold = learn(NeymanPearsonRule(), np.c_[-z, z], np.zeros(300, int)).threshold
        above = (z > threshold).sum()
        assert binom.cdf(above, 300, 0.05) <= 0.05 < binom.cdf(above + 1, 300, 0.05)

    def test_without_confidence_the_bound_is_met_on_the_rows_given(self):
        z = np.random.default_rng(0).standard_normal(300)
        rule = NeymanPearsonRule(0.05, confidence=None)
        threshold = learn(rule, np.c_[-z, z], np.zeros(300, int)).threshold
        assert (z > threshold).sum() == 15

    def test_weights_are_repetition(self):
        rng = np.random.default_rng(0)
        z, w = rng.standard_normal(100), rng.integers(0, 4, 100)
        rule, P = NeymanPearsonRule(), np.c_[-z, z]
        kept = w > 0
        weighted = learn(rule, P[kept], np.zeros(kept.sum(), int), w[kept].astype(float))
        assert weighted == learn(rule, P.repeat(w, axis=0), np.zeros(w.sum(), int))

    def test_one_class_of_three(self, iris):
        rule = NeymanPearsonRule(0.2, 0.5, positive="virginica")
        model = DecisionClassifier(GaussianNB(), rule).fit(iris.X, iris.y)
        matrix = ConfusionMatrix.from_estimator(model, iris.X, iris.y)
        assert matrix.measure("detection", label="virginica") > 0.9
        assert matrix.measure("detection", label="setosa") > 0.9

    def test_scores_need_not_be_posteriors(self):
        X, y = gaussians(1000, 0.5)
        model = DecisionClassifier(Perceptron(), NeymanPearsonRule(0.05)).fit(X, y)
        matrix = ConfusionMatrix.from_estimator(model, X, y)
        assert matrix.measure("false_alarm", label=1) < 0.05


class TestThresholds:
    def test_two_classes_have_the_best_of_all_thresholds(self):
        rng = np.random.default_rng(0)
        p = rng.random(100)
        y = (rng.random(100) < p**2).astype(int)
        w = rng.integers(1, 4, 100).astype(float)
        P = np.c_[1 - p, p]

        def value(said):
            matrix = ConfusionMatrix.from_predictions(y, said, sample_weight=w, labels=[0, 1])
            return matrix.measure("f1", label=1)

        decide = learn(TunedThresholds("f1", positive=1), P, y, w)
        best = max(value((p > t).astype(int)) for t in np.append(0.0, np.sort(p)[:-1]))
        assert value(decide(P)) == pytest.approx(best)
        assert decide.thresholds.sum() == pytest.approx(1.0)
        assert_array_equal(decide(P) == 1, p > decide.thresholds[1])

    def test_as_well_as_scikit_learn(self):
        X, y = gaussians(2000, 0.1)
        new, truth = gaussians(20_000, 0.1, seed=1)
        theirs = TunedThresholdClassifierCV(GaussianNB(), scoring="balanced_accuracy").fit(X, y)
        ours = DecisionClassifier(GaussianNB(), TunedThresholds()).fit(X, y)
        value = [
            ConfusionMatrix.from_estimator(model, new, truth).measure("balanced_accuracy")
            for model in (ours, theirs)
        ]
        assert value[0] > value[1] - 0.01

    def test_three_classes_gain(self):
        rng = np.random.default_rng(0)
        y = rng.choice(3, 3000, p=[0.9, 0.07, 0.03])
        X = rng.standard_normal((3000, 2)) + 1.5 * np.eye(3)[y][:, :2]
        plain = LinearDiscriminantAnalysis().fit(X, y)
        tuned = DecisionClassifier(plain, TunedThresholds()).fit(X, y)
        value = [
            ConfusionMatrix.from_estimator(model, X, y).measure("balanced_accuracy")
            for model in (plain, tuned)
        ]
        assert value[1] > value[0] + 0.15

    def test_a_measure_of_ones_own(self):
        X, y = gaussians(500, 0.3)
        model = DecisionClassifier(rule=TunedThresholds(least_false_alarm)).fit(X, y)
        matrix = ConfusionMatrix.from_estimator(model, X, y)
        assert matrix.measure("false_alarm", label=1) == pytest.approx(0.02, abs=0.02)


def least_false_alarm(matrix):
    return -abs(matrix.measure("false_alarm", label=1) - 0.02)


class TestComposition:
    @pytest.mark.parametrize(
        "inner",
        [
            DecisionTreeClassifier(max_depth=3),
            RandomForestClassifier(10, random_state=0),
            make_pipeline(StandardScaler(), GaussianNB()),
            *(
                getattr(linework, name)()
                for name in (
                    "LinearDiscriminantAnalysis",
                    "QuadraticDiscriminantAnalysis",
                    "RegularizedDiscriminantAnalysis",
                    "LogisticRegression",
                )
            ),
        ],
        ids=lambda model: type(model).__name__,
    )
    @pytest.mark.parametrize(
        "rule",
        [DecisionRule(costs=[1, 2, 3]), TunedThresholds(), NeymanPearsonRule(0.2, 0.5, "c")],
        ids=lambda rule: type(rule).__name__,
    )
    def test_with_every_classifier(self, inner, rule):
        rng = np.random.default_rng(0)
        y = rng.choice(3, 300)
        X = rng.standard_normal((300, 4)) + 2.0 * np.eye(4)[y]
        w = rng.integers(0, 3, 300)
        model = DecisionClassifier(inner, rule)
        model.fit(X, CLASSES[y]) if hasattr(inner, "steps") else model.fit(X, CLASSES[y], w)
        assert model.score(X, CLASSES[y]) > 0.5
        copy = pickle.loads(pickle.dumps(model))
        assert_array_equal(copy.predict(X), model.predict(X))
        assert_array_equal(clone(model).fit(X, CLASSES[y]).classes_, CLASSES)

    def test_a_fitted_model_learns_its_rule_from_all_rows(self):
        X, y = gaussians(400, 0.5)
        model = GaussianNB().fit(X, y)
        for rule in (NeymanPearsonRule(0.1), TunedThresholds(), DecisionRule(priors="equal")):
            frozen = DecisionClassifier(FrozenEstimator(model), rule).fit(X, y)
            assert frozen.estimator_ is model
            weight = np.ones(400)
            expected = rule.learn(model.predict_proba(X), y, weight, model.classes_)
            found = frozen.decision_(model.predict_proba(X))
            assert_array_equal(found, expected(model.predict_proba(X)))

    def test_in_a_grid_search(self):
        X, y = gaussians(300, 0.2)
        grid = {"rule": [DecisionRule(priors="equal"), DecisionRule()]}
        search = GridSearchCV(DecisionClassifier(), grid, scoring="balanced_accuracy").fit(X, y)
        assert search.best_params_["rule"] is grid["rule"][0]


P3 = np.full((4, 3), 1 / 3)
ROWS = gaussians(60, 0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: learn(DecisionRule(costs=[1, 2]), P3, [0, 1, 2]), r"costs has shape \(2,\)"),
        (lambda: learn(DecisionRule(costs=[1, 2, np.nan]), P3, [0, 1, 2]), "costs holds NaN"),
        (lambda: learn(DecisionRule(priors=[1, 2, 3]), P3, [0, 1, 2]), "priors is"),
        (lambda: learn(DecisionRule(priors="even"), P3, [0, 1, 2]), "priors is 'even'"),
        (lambda: learn(DecisionRule(reject=-1.0), P3, [0, 1, 2]), "reject is -1.0"),
        (lambda: learn(DecisionRule(), P3, [0, 1, 2])(P3, np.ones(4)), "for each row"),
        (lambda: learn(NeymanPearsonRule(), P3, [0, 1, 2, 0]), "name the one to detect"),
        (lambda: learn(NeymanPearsonRule(0.01), P3[:, :2], [0] * 4), "299 negative rows"),
        (lambda: learn(NeymanPearsonRule(2.0), P3[:, :2], [0] * 4), "max_false_alarm is 2.0"),
        (lambda: learn(NeymanPearsonRule(), P3[:, :2], [1] * 4), "no rows of other classes"),
        (lambda: learn(TunedThresholds("f"), P3, [0, 1, 2, 0]), "There is no measure 'f'"),
        (lambda: learn(TunedThresholds(), P3, [0, 1, 2, 0])(P3, P3), "has no costs"),
        (
            lambda: learn(NeymanPearsonRule(0.5, None), P3[:, :2], [0] * 4)(P3, P3),
            "has no costs",
        ),
        (lambda: DecisionClassifier(Perceptron()).fit(*ROWS), "no predict_proba"),
        (
            lambda: (
                DecisionClassifier(rule=DecisionRule(reject=0.1), reject_label=1)
                .fit(*ROWS)
                .predict(ROWS[0])
            ),
            "reject_label is 1, which is a class",
        ),
        (
            lambda: DecisionClassifier(FrozenEstimator(GaussianNB().fit(*ROWS))).fit(
                ROWS[0], ROWS[1] + 1
            ),
            "y holds the label 2",
        ),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
