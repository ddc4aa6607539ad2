"""What models of classes share: labels, priors, rows that come and go."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning, NotFittedError

from linework import (
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    classifier,
)
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import ClassMoments, PooledMoments

Array = np.ndarray
Rows = Callable[..., tuple[Array, Array]]

LABELS: dict[str, Any] = {
    "words": np.array(["ant", "bee", "cat"]),
    "objects": np.array(["ant", "bee", "cat"], object),
    "negative": np.array([-7, 0, 3]),
    "far apart": np.array([-(2**60), 0, 2**60]),
    "unsigned": np.array([0, 7, 255], np.uint8),
    "bytes": np.array([-128, 0, 127], np.int8),
    "huge": np.array([2**63, 2**63 + 1, 2**63 + 2], np.uint64),
    "floats": np.array([-1.0, 0.0, 1.0]),
    "large floats": np.array([-1e200, 0.0, 1e200]),
}


class TestLabels:
    @pytest.mark.parametrize("kind", LABELS)
    def test_of_any_kind_are_told_back(self, kind: str, gaussian: Rows) -> None:
        X, y = gaussian()
        labels = LABELS[kind]
        told = LinearDiscriminantAnalysis().fit(X, y).predict(X)
        model = LinearDiscriminantAnalysis().fit(X, labels[y])
        assert model.classes_.dtype == labels.dtype
        np.testing.assert_array_equal(model.classes_, labels)
        np.testing.assert_array_equal(model.predict(X), labels[told])

    def test_of_two_kinds(self, gaussian: Rows) -> None:
        X, y = gaussian(2)
        truth = FisherDiscriminant().fit(X, y == 1)
        assert truth.classes_.tolist() == [False, True]
        assert truth.predict(X).dtype == bool
        with pytest.raises(TypeError, match="no common order"):
            FisherDiscriminant().fit(X, np.array(["one", 2], object)[y])
        with pytest.raises(TypeError, match="no common order"):
            FisherDiscriminant().fit(
                X, ["one", *y[1:].astype(str).astype(object).tolist()[:-1], None]
            )

    def test_that_are_measurements_are_refused(self, gaussian: Rows) -> None:
        X, y = gaussian()
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            FisherDiscriminant().fit(X, y + 0.5)

    def test_in_a_column_are_taken_with_a_warning(self, gaussian: Rows) -> None:
        X, y = gaussian()
        with pytest.warns(DataConversionWarning):
            model = LinearDiscriminantAnalysis().fit(X, y[:, None])
        np.testing.assert_array_equal(
            model.predict(X), LinearDiscriminantAnalysis().fit(X, y).predict(X)
        )

    def test_of_removed_rows_make_no_class(self, gaussian: Rows) -> None:
        X, y = gaussian()
        strange = np.where(np.arange(len(y)) % 9 == 0, 77, y)
        w = (strange < 77).astype(float)
        model = LinearDiscriminantAnalysis().fit(X, strange, sample_weight=w)
        assert model.classes_.tolist() == [0, 1, 2]


class TestPriors:
    def test_are_divided_by_their_sum_with_a_warning(self, gaussian: Rows) -> None:
        with pytest.warns(UserWarning, match="The priors sum to 2, not to 1"):
            model = LinearDiscriminantAnalysis(priors=[0.5, 0.5, 1.0]).fit(*gaussian())
        np.testing.assert_allclose(model.priors_, [0.25, 0.25, 0.5])

    @pytest.mark.parametrize(
        ("priors", "words"),
        [
            ([0.5, 0.5], "3 numbers are expected"),
            ([0.5, 0.5, np.nan], "3 numbers are expected"),
            ([0.0, 0.0, 0.0], "3 numbers are expected"),
            ([0.9, 0.2, -0.1], "must be non-negative"),
        ],
    )
    def test_that_are_none_are_refused(self, priors: Any, words: str, gaussian: Rows) -> None:
        with pytest.raises(ValueError, match=words):
            LinearDiscriminantAnalysis(priors=priors).fit(*gaussian())


class TestRowsComeAndGo:
    def test_until_they_determine_a_model_predict_says_why(self, gaussian: Rows) -> None:
        X, y = gaussian()
        X, y = X[np.argsort(y)], np.sort(y)
        model = QuadraticDiscriminantAnalysis().partial_fit(X[:20], y[:20])
        with pytest.raises(NotFittedError, match="The rows are of 1 class"):
            model.predict(X)
        model.partial_fit(X[20:31], y[20:31])
        with pytest.raises(NotFittedError, match="only 1 sample in class 1"):
            model.predict(X)
        model.partial_fit(X[31:], y[31:])
        whole = QuadraticDiscriminantAnalysis().fit(X, y)
        np.testing.assert_allclose(
            model.predict_log_proba(X), whole.predict_log_proba(X), rtol=1e-9, atol=1e-9
        )

    def test_classes_may_come_late_and_out_of_order(self, gaussian: Rows) -> None:
        X, number = gaussian()
        y = np.array(["b", "c", "a"])[number]
        for cls in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
            model = cls()
            for label in ("b", "c", "a"):
                model.partial_fit(X[y == label], y[y == label])
            assert model.classes_.tolist() == ["a", "b", "c"]
            np.testing.assert_allclose(
                model.predict_proba(X), cls().fit(X, y).predict_proba(X), rtol=1e-8, atol=1e-12
            )

    def test_classes_may_be_announced(self, gaussian: Rows) -> None:
        X, y = gaussian()
        model = LinearDiscriminantAnalysis().partial_fit(X, y, classes=[0, 1, 2, 3])
        assert model.classes_.tolist() == [0, 1, 2]
        with pytest.raises(ValueError, match="the label 2, which is not among `classes`"):
            LinearDiscriminantAnalysis().partial_fit(X, y, classes=[0, 1])

    def test_a_class_may_go_entirely(self, gaussian: Rows) -> None:
        X, y = gaussian()
        gone = y == 1
        for cls in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
            model = cls().fit(X, y).forget(X[gone], y[gone])
            assert model.classes_.tolist() == [0, 2]
            without = cls().fit(X[~gone], y[~gone])
            np.testing.assert_allclose(
                model.predict_proba(X), without.predict_proba(X), rtol=1e-6, atol=1e-9
            )

    def test_strange_rows_cannot_go(self, gaussian: Rows) -> None:
        X, y = gaussian()
        with pytest.raises(ValueError, match=r"class 3: none were put in\. .* \[0, 1, 2\]"):
            LinearDiscriminantAnalysis().fit(X, y).forget(X, y + 1)


class TestStatistics:
    def test_numbers_are_the_labels_unless_they_are_given(self, gaussian: Rows) -> None:
        X, y = gaussian()
        for cls, statistic in (
            (LinearDiscriminantAnalysis, PooledMoments),
            (RegularizedDiscriminantAnalysis, ClassMoments),
        ):
            stats = map_reduce(as_table(X).with_group(2 * y + 5), statistic.from_block)
            assert cls().fit_stats(stats).classes_.tolist() == [5, 7, 9]
            stats = map_reduce(as_table(X).with_group(y), statistic.from_block)
            model = cls().fit_stats(stats, ["c", "a", "b"])
            assert set(model.predict(X)) == {"a", "b", "c"}
            told = model.predict(X)
            np.testing.assert_array_equal(
                told, np.array(["c", "a", "b"])[cls().fit(X, y).predict(X)]
            )
            with pytest.raises(ValueError, match="2 classes and a group of number 2"):
                cls().fit_stats(stats, ["a", "b"])

    def test_of_another_kind_are_refused(self, gaussian: Rows) -> None:
        X, y = gaussian()
        stats = map_reduce(as_table(X).with_group(y), PooledMoments.from_block)
        with pytest.raises(TypeError, match="is solved from ClassMoments and was given Pooled"):
            QuadraticDiscriminantAnalysis().fit_stats(stats)


class TestScores:
    def test_of_two_classes_are_a_difference(self, gaussian: Rows) -> None:
        X, y = gaussian(2)
        model = QuadraticDiscriminantAnalysis().fit(X, y)
        scores = model.decision_function(X)
        assert scores.shape == (len(X),)
        odds = np.diff(model.predict_log_proba(X), axis=1)[:, 0]
        np.testing.assert_allclose(scores, odds, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(model.predict(X), (scores > 0).astype(int))

    def test_are_not_held_for_all_rows_at_once(
        self, monkeypatch: pytest.MonkeyPatch, gaussian: Rows
    ) -> None:
        X, y = gaussian()
        model = LinearDiscriminantAnalysis().fit(X, y)
        told = model.predict(X)
        seen = []
        scores = model._scores
        monkeypatch.setattr(model, "_scores", lambda b: seen.append(len(b)) or scores(b))
        monkeypatch.setattr(classifier, "SCORES", 21)
        np.testing.assert_array_equal(model.predict(X), told)
        assert max(seen) == 7

    def test_far_out_do_not_underflow(self, gaussian: Rows) -> None:
        X, y = gaussian()
        model = QuadraticDiscriminantAnalysis().fit(X, y)
        far = X * 1e4
        assert np.isfinite(model.predict_log_proba(far)).all()
        np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1.0)
