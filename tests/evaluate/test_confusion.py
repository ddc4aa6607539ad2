"""The matrix merges, and what is read off it is what the lecture, scikit-learn and R say."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest
from sklearn import metrics
from sklearn.naive_bayes import GaussianNB

from linework import ConfusionMatrix


@pytest.fixture
def example():
    """The worked example of the lecture: TN 38, FP 3, FN 9, TP 25."""
    y = np.repeat([0, 0, 1, 1], [38, 3, 9, 25])
    said = np.repeat([0, 1, 0, 1], [38, 3, 9, 25])
    return ConfusionMatrix.from_predictions(y, said)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    names = np.array(["c", "a", "b"])
    y = rng.choice(3, 200, p=[0.5, 0.3, 0.2])
    said = np.where(rng.random(200) < 0.6, y, rng.integers(0, 3, 200))
    w = rng.integers(0, 4, 200)
    w[[0, 3]] = 1
    return names[y], names[said], w


class TestWorkedExample:
    def test_outcomes(self, example):
        tp, fp, fn, tn = (int(each[1]) for each in example.outcomes)
        assert (tn, fp, fn, tp) == (38, 3, 9, 25)

    @pytest.mark.parametrize(
        ("by", "expected"),
        [
            (None, [[38, 3], [9, 25]]),
            ("true", [[0.93, 0.07], [0.26, 0.74]]),
            ("pred", [[0.81, 0.11], [0.19, 0.89]]),
            ("all", [[0.51, 0.04], [0.12, 0.33]]),
        ],
    )
    def test_normalised(self, example, by, expected):
        assert_array_equal(example.normalised(by).round(2), expected)

    def test_false_alarms_misses_and_detections(self, example):
        assert example.measure("false_alarm", label=1) == 3 / 41
        assert example.measure("miss", label=1) == 9 / 34
        assert example.measure("detection", label=1) == 25 / 34


class TestMerging:
    @pytest.mark.parametrize("cuts", [[1], [100], [3, 4, 150]])
    def test_parts_add_up_to_the_whole(self, rows, cuts):
        y, said, w = rows
        parts = np.split(np.arange(200), cuts)
        of = ConfusionMatrix.from_predictions
        merged = reduce(add, (of(y[p], said[p], sample_weight=w[p]) for p in parts))
        whole = of(y, said, sample_weight=w)
        assert_array_equal(merged.counts, whole.counts)
        assert_array_equal(merged.labels, whole.labels)

    def test_weight_is_repetition_and_zero_is_no_row(self, rows):
        y, said, w = rows
        weighted = ConfusionMatrix.from_predictions(y, said, sample_weight=w)
        repeated = ConfusionMatrix.from_predictions(y.repeat(w), said.repeat(w))
        assert_array_equal(weighted.counts, repeated.counts)
        y, said = np.append(y, "z"), np.append(said, "y")
        gone = ConfusionMatrix.from_predictions(y, said, sample_weight=np.append(w, 0))
        assert_array_equal(gone.labels, weighted.labels)

    def test_labels_in_an_order_of_their_own_are_kept(self, rows):
        y, said, _ = rows
        ordered = ConfusionMatrix.from_predictions(y, said, labels=["c", "b", "d", "a"])
        assert (ordered + ordered).labels.tolist() == ["c", "b", "d", "a"]
        assert_array_equal(
            ordered.counts, metrics.confusion_matrix(y, said, labels=["c", "b", "d", "a"])
        )


class TestMeasures:
    @pytest.mark.parametrize("average", [None, "macro", "weighted", "micro"])
    @pytest.mark.parametrize(
        ("name", "function", "options"),
        [
            ("precision", metrics.precision_score, {}),
            ("recall", metrics.recall_score, {}),
            ("f1", metrics.f1_score, {}),
            ("f2", metrics.fbeta_score, {"beta": 2}),
            ("f0.5", metrics.fbeta_score, {"beta": 0.5}),
        ],
    )
    def test_as_scikit_learn(self, rows, name, function, options, average):
        y, said, w = rows
        matrix = ConfusionMatrix.from_predictions(y, said, sample_weight=w)
        theirs = function(y, said, average=average, sample_weight=w, **options)
        assert_allclose(matrix.measure(name, average=average), theirs)

    def test_a_class_nobody_predicts_has_no_precision(self):
        y, said = ["a", "a", "b"], ["a", "a", "a"]
        matrix = ConfusionMatrix.from_predictions(y, said)
        theirs = {"zero_division": np.nan}
        for average in (None, "macro", "weighted", "micro"):
            assert_allclose(
                matrix.measure("precision", average=average),
                metrics.precision_score(y, said, average=average, **theirs),
            )

    @pytest.mark.parametrize(
        ("name", "function"),
        [
            ("accuracy", metrics.accuracy_score),
            ("balanced_accuracy", metrics.balanced_accuracy_score),
            ("mcc", metrics.matthews_corrcoef),
        ],
    )
    def test_scores_as_scikit_learn(self, rows, name, function):
        y, said, w = rows
        matrix = ConfusionMatrix.from_predictions(y, said, sample_weight=w)
        assert matrix.measure(name) == pytest.approx(function(y, said, sample_weight=w))


class TestIntervals:
    def test_wilson_as_scipy(self, example):
        theirs = binomtest(25, 34).proportion_ci(0.9, "wilson")
        assert_allclose(example.interval("detection", label=1, confidence=0.9), theirs)
        theirs = binomtest(63, 75).proportion_ci(0.95, "wilson")
        assert_allclose(example.interval("accuracy"), theirs)
        assert example.interval("precision").shape == (2, 2)

    def test_wilson_of_nothing_and_of_everything(self):
        matrix = ConfusionMatrix([[5, 0], [0, 0]], [0, 1])
        low, high = matrix.interval("detection", label=0)
        assert (low, high) == (pytest.approx(1 / (1 + 1.959964**2 / 5), rel=1e-6), 1.0)
        assert np.isnan(matrix.interval("detection", label=1)).all()

    def test_bootstrap_is_near_wilson_where_both_are_for(self, example):
        big = ConfusionMatrix(example.counts * 100, example.labels)
        drawn = big.interval("detection", label=1, method="bootstrap", random_state=0)
        assert_allclose(drawn, big.interval("detection", label=1), atol=3e-3)

    def test_bootstrap_covers(self):
        """MCC of a known table lies in 90 of 100 intervals of 90 %, within their noise."""
        rng = np.random.default_rng(1)
        truth = ConfusionMatrix([[0.4, 0.1, 0.0], [0.05, 0.2, 0.05], [0.0, 0.05, 0.15]], [0, 1, 2])
        inside = 0
        for _ in range(200):
            drawn = rng.multinomial(400, truth.counts.ravel()).reshape(3, 3)
            low, high = ConfusionMatrix(drawn, truth.labels).interval(
                "mcc", confidence=0.9, method="bootstrap", n_resamples=300, random_state=rng
            )
            inside += low <= truth.measure("mcc") <= high
        assert 165 <= inside <= 195


def test_text_and_frames_name_labels_and_axes(example):
    named = ConfusionMatrix(example.counts, ["well", "ill"])
    assert str(named).splitlines()[0].split() == ["true", "\\", "predicted", "well", "ill"]
    frame = named.to_frame("true")
    assert (frame.index.name, frame.columns.name) == ("true", "predicted")
    assert frame.loc["ill", "well"] == 9 / 34
    assert named.summary().loc["ill", ["TP", "FP", "FN", "TN"]].tolist() == [25, 3, 9, 38]


def test_picture_has_labels_and_named_axes(example):
    display = ConfusionMatrix(example.counts, ["well", "ill"]).plot("true")
    assert display.ax_.get_xlabel() == "Predicted label"
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["well", "ill"]
    assert [t.get_text() for t in display.text_.ravel()] == ["0.93", "0.07", "0.26", "0.74"]


def test_from_estimator(iris):
    model = GaussianNB().fit(iris.X, iris.y)
    matrix = ConfusionMatrix.from_estimator(model, iris.X, iris.y)
    assert matrix.measure("accuracy") == pytest.approx(model.score(iris.X, iris.y))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.measure("recal"), "There is no measure 'recal'"),
        (lambda m: m.measure("recall", label=7), "There is no label 7"),
        (lambda m: m.measure("mcc", average="macro"), "mcc is of all classes together"),
        (lambda m: m.measure("recall", average="mean"), "average is 'mean'"),
        (lambda m: m.measure("recall", average="macro", label=1), "exclude each other"),
        (lambda m: m.normalised("rows"), "by is 'rows'"),
        (lambda m: m.interval("f1"), "f1 is no proportion of independent rows"),
        (lambda m: m.interval("recall", average="macro"), "A macro average is no proportion"),
        (lambda m: m.interval("recall", confidence=95), "confidence is 95"),
        (lambda m: m.interval("recall", method="exact"), "method is 'exact'"),
        (lambda m: ConfusionMatrix(m.counts, [1]), "counts has shape"),
        (lambda m: ConfusionMatrix(-m.counts, [0, 1]), "below zero"),
        (lambda m: ConfusionMatrix(m.counts, [1, 1]), "hold one twice"),
        (lambda m: m.from_predictions([0, 1], [0, 2], labels=[0, 1]), "hold the label 2"),
        (lambda m: m.from_predictions([], []), "There are no rows"),
        (lambda m: m.from_predictions([0, 1], [0]), "inconsistent numbers"),
        (lambda m: m.from_predictions(["a", "b"], [0, 1]), "of kinds that have no common order"),
    ],
)
def test_bad_input_is_told(example, call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(example)
