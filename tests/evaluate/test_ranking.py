"""Curves are scikit-learn's, areas are pROC's, and the statistic merges."""

import json
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

from linework import RankedScores, class_rankings, compare_auc, threads

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "evaluation.json").read_text(encoding="utf-8")
)
of = RankedScores.from_predictions


@pytest.fixture
def rows():
    """Scores with ties between and within the classes."""
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    return y, (rng.standard_normal(300) + y).round(1), rng.integers(1, 4, 300)


class TestAsScikitLearn:
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize(
        ("ours", "theirs", "options"),
        [
            ("roc_curve", metrics.roc_curve, {}),
            ("roc_curve", metrics.roc_curve, {"drop_intermediate": False}),
            ("det_curve", metrics.det_curve, {}),
            ("precision_recall_curve", metrics.precision_recall_curve, {}),
        ],
    )
    def test_curves(self, rows, ours, theirs, options, weighted):
        y, score, w = rows
        w = w if weighted else None
        found = getattr(of(y, score, sample_weight=w), ours)(**options)
        expected = theirs(y, score, sample_weight=w, **options)
        for a, b in zip(found, expected, strict=True):
            assert_allclose(a, b, rtol=1e-14)
            assert a.dtype == b.dtype

    @pytest.mark.parametrize("seed", range(20))
    def test_curves_of_few_rows(self, seed):
        rng = np.random.default_rng(seed)
        y, score = np.append([0, 1], rng.integers(0, 2, 4)), rng.integers(0, 5, 6) / 4
        for name in ("roc_curve", "det_curve", "precision_recall_curve"):
            expected = getattr(metrics, name)(y, score)
            for a, b in zip(getattr(of(y, score), name)(), expected, strict=True):
                assert_allclose(a, b, rtol=1e-14, err_msg=name)

    def test_areas(self, rows):
        y, score, w = rows
        ranked = of(y, score, sample_weight=w)
        assert ranked.auc == pytest.approx(metrics.roc_auc_score(y, score, sample_weight=w))
        expected = metrics.average_precision_score(y, score, sample_weight=w)
        assert ranked.average_precision == pytest.approx(expected)

    @pytest.mark.parametrize("scheme", ["ovr", "ovo"])
    def test_more_classes(self, iris, scheme):
        model = LogisticRegression(C=0.01).fit(iris.X, iris.y)
        posterior = model.predict_proba(iris.X)
        ranked = class_rankings(iris.y, posterior, labels=model.classes_, scheme=scheme)
        mean = np.mean([each.auc for each in ranked.values()])
        expected = metrics.roc_auc_score(iris.y, posterior, multi_class=scheme)
        assert mean == pytest.approx(expected, abs=1e-14)
        assert len(ranked) == (3 if scheme == "ovr" else 6)


class TestMerging:
    @pytest.mark.parametrize("cuts", [[1], [150], [2, 3, 200]])
    def test_parts_add_up_to_the_whole(self, rows, cuts):
        y, score, w = rows
        parts = np.split(np.arange(300), cuts)
        merged = reduce(add, (of(y[p], score[p], sample_weight=w[p]) for p in parts))
        whole = of(y, score, sample_weight=w)
        for name in ("scores", "positive", "negative"):
            assert_array_equal(getattr(merged, name), getattr(whole, name))

    def test_weight_is_repetition_and_zero_is_no_row(self, rows):
        y, score, w = rows
        w[:100] = 0
        weighted, repeated = of(y, score, sample_weight=w), of(y.repeat(w), score.repeat(w))
        for name in ("scores", "positive", "negative"):
            assert_array_equal(getattr(weighted, name), getattr(repeated, name))
        assert_allclose(weighted.auc_interval(), repeated.auc_interval())

    def test_order_and_threads_do_not_matter(self, rows):
        y, score, _ = rows
        with threads(1):
            one = of(y[::-1], score[::-1])
        two = of(y, score)
        assert_array_equal(one.positive, two.positive)

    def test_labels_are_of_any_usual_kind(self, rows):
        y, score, _ = rows
        expected = of(y, score).auc
        words = np.array(["well", "ill"])[y]
        for labels, name in ((2 * y - 1, None), (y == 1, None), (y * 1.0, None), (words, "ill")):
            assert of(labels, score, pos_label=name).auc == expected
        assert of(words, -score, pos_label="well").auc == pytest.approx(expected)


class TestGrid:
    def test_points_are_of_the_exact_curve_and_the_area_within_its_bounds(self, rows):
        y, score, w = rows
        grid = np.linspace(-1.0, 2.0, 8)
        coarse = of(y, score, sample_weight=w, grid=grid)
        exact = of(y, score, sample_weight=w)
        assert len(coarse.scores) <= len(grid) + 1
        points = set(zip(*(side.round(12) for side in exact.roc_curve(drop_intermediate=False)[:2]),
                         strict=True))  # fmt: skip
        found = coarse.roc_curve(drop_intermediate=False)[:2]
        assert set(zip(*(side.round(12) for side in found), strict=True)) <= points
        low, high = coarse.auc_bounds
        assert low <= exact.auc <= high
        assert high - low < 0.2

    def test_a_stream_takes_no_more_memory(self):
        rng = np.random.default_rng(0)
        grid = np.linspace(0.0, 1.0, 101)[:-1]
        parts = [of(rng.integers(0, 2, 1000), rng.random(1000), grid=grid) for _ in range(20)]
        merged = reduce(add, parts)
        assert len(merged.scores) == 100
        assert merged.positive.sum() + merged.negative.sum() == 20_000

    def test_a_grid_of_all_scores_is_exact(self, rows):
        y, score, _ = rows
        fine = of(y, score, grid=np.unique(score))
        assert_array_equal(fine.positive, of(y, score).positive)


class TestDeLong:
    @pytest.mark.parametrize("case", REFERENCE.values(), ids=REFERENCE.keys())
    def test_as_proc(self, case):
        y, scores = case["outcome"], case["scores"]
        for k, score in enumerate(scores):
            ranked = of(y, score)
            assert ranked.auc == pytest.approx(case["auc"][k], rel=1e-12)
            assert_allclose(ranked.auc_interval(), case["interval"][k], rtol=1e-12)
        test = compare_auc(y, *scores[:2])
        assert_allclose(test.auc, case["auc"][:2], rtol=1e-12)
        assert test.statistic == pytest.approx(case["test"]["statistic"], rel=1e-11)
        assert test.p_value == pytest.approx(case["test"]["p_value"], rel=1e-11)
        assert_allclose(test.interval(), case["test"]["interval"], rtol=1e-10)

    def test_as_published(self):
        """Robin et al. (2011): Z = 2.209, p = 0.02718; the areas of 1988 as SAS prints them."""
        case = REFERENCE["haemorrhage"]
        test = compare_auc(case["outcome"], *case["scores"])
        assert (round(test.statistic, 3), round(test.p_value, 5)) == (2.209, 0.02718)
        case = REFERENCE["ovarian"]
        areas = [round(of(case["outcome"], score).auc, 4) for score in case["scores"]]
        assert areas == [0.7258, 0.7366, 0.6478]

    def test_weights_are_repetition(self, rows):
        y, score, w = rows
        other = np.roll(score, 1) + y
        weighted = compare_auc(y, score, other, sample_weight=w)
        repeated = compare_auc(y.repeat(w), score.repeat(w), other.repeat(w))
        assert weighted.p_value == pytest.approx(repeated.p_value)

    def test_equal_scores_do_not_differ_and_certain_ones_do(self, rows):
        y, score, _ = rows
        same = compare_auc(y, score, 2.0 * score)
        assert (same.statistic, same.p_value) == (0.0, 1.0)
        certain = compare_auc(y, y, 1 - y)
        assert (certain.statistic, certain.p_value) == (np.inf, 0.0)

    def test_intervals_cover(self):
        """Φ(d / √2) is the area of Gaussians at a distance d."""
        rng, area, inside = np.random.default_rng(0), norm.cdf(1.0 / np.sqrt(2.0)), 0
        y = np.repeat([0, 1], [60, 40])
        for _ in range(400):
            low, high = of(y, rng.standard_normal(100) + y).auc_interval(0.9)
            inside += low <= area <= high
        assert 340 <= inside <= 380


class TestDisplays:
    def test_roc(self, rows, legend):
        display = of(*rows[:2]).plot(name="the model")
        assert isinstance(display, metrics.RocCurveDisplay)
        assert legend(display.ax_)[0].startswith("the model (AUC = 0.7")
        assert "Chance" in legend(display.ax_)[1]

    def test_det_has_axes_of_normal_deviates(self, rows):
        ranked = of(*rows[:2])
        display = ranked.plot("det")
        x, y = display.line_.get_data()
        fpr, fnr, _ = ranked.det_curve()
        assert_allclose(norm.cdf(x), fpr, atol=1e-12)
        assert_allclose(norm.cdf(y), fnr, atol=1e-12)

    def test_precision_recall(self, rows):
        display = of(*rows[:2]).plot("precision_recall")
        assert isinstance(display, metrics.PrecisionRecallDisplay)
        assert_allclose(display.chance_level_.get_ydata(), rows[0].mean())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: of([], []), "There are no rows"),
        (lambda: of([1, 2], [0.1, 0.2]), "name it by pos_label"),
        (lambda: of(["a", "b"], [0.1, 0.2]), "name it by pos_label"),
        (lambda: of([0, 1], [0.1, np.nan]), "y_score holds nan in row 1"),
        (lambda: of([0, 1], [[0.1, 0.9]] * 2), "y_score has shape"),
        (lambda: of([0, 1, 1], [0.1, 0.2]), "inconsistent numbers"),
        (lambda: of([0, 1], [0.1, 0.2], grid=[1.0, 0.0]), "grid does not ascend"),
        (lambda: of([1, 1], [0.1, 0.2]).auc, "There are no negative rows"),
        (lambda: of([0, 1], [0.1, 0.2]).auc_interval(), "A class has one row"),
        (lambda: of([0, 1], [0.1, 0.2]).plot("lift"), "kind is 'lift'"),
        (lambda: compare_auc([0, 1, 1], [0.1, 0.2, 0.3], [1, 2, 3]), "A class has one row"),
        (lambda: class_rankings([0, 1, 2], np.eye(2)), "y_score has shape"),
        (lambda: class_rankings([0, 1], np.eye(2), scheme="all"), "scheme is 'all'"),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()
