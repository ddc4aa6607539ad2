"""Separable classes are found, named and handled."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from linework import LogisticRegression, SeparationWarning, linear_separability
from linework.likelihood.firth import FirthProblem


def several(n: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes that overlap, of which a column says something."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, 3))
    utility = X[:, :1] * np.arange(n_classes) + rng.gumbel(size=(n, n_classes))
    return X, utility.argmax(axis=1)


def rows(n: int = 200, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X[:, 0] + rng.logistic(size=n) > 0).astype(int)


@given(seed=st.integers(0, 1000), d=st.integers(1, 5), n=st.integers(3, 60))
def test_a_separating_direction_separates(seed: int, d: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.01, 100.0, d) + 50.0
    y = rng.integers(0, 2, n)
    if len(np.unique(y)) < 2:
        return
    found = linear_separability(X, y)
    scores = found.score(X, y)
    if found.kind == "complete":
        assert scores.min() > 0.0
        assert found.margin == pytest.approx(scores.min() / np.linalg.norm(found.coef))
    elif found.kind == "quasi":
        assert scores.min() > -1e-6 * scores.max()
        assert scores.max() > 0.0
    else:
        assert not found
        np.testing.assert_array_equal(found.coef, 0.0)


@given(seed=st.integers(0, 1000), gap=st.floats(1e-3, 10.0))
def test_rows_apart_are_complete(seed: int, gap: float) -> None:
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((50, 4)), rng.standard_normal(4)
    side = np.sign(X @ w)
    X += gap * side[:, None] * w / (w @ w)
    found = linear_separability(X, side)
    assert found.kind == "complete"
    assert 0.0 < found.margin <= (np.abs(X @ w) / np.linalg.norm(w)).max()


def test_one_row_on_the_wrong_side_ends_it() -> None:
    X = np.arange(2000.0)[:, None]
    y = (X[:, 0] > 999.0).astype(int)
    assert linear_separability(X, y).kind == "complete"
    y[17] = 1
    assert linear_separability(X, y).kind == "none"


def test_quasi_separation_names_the_column() -> None:
    X, y = rows()
    X[:, 2] = np.arange(200) % 10 == 0
    y[X[:, 2] == 1.0] = 1  # a dummy column, all of whose rows are of one class
    found = linear_separability(X, y)
    assert (found.kind, found.columns, found.margin) == ("quasi", ("x2",), 0.0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_few_rows_of_many_are_enough_for_quasi_separation(n_classes: int, kind: Any) -> None:
    X, y = rows(20_000)
    y += (n_classes - 2) * (np.arange(20_000) % 2)
    X[:, 2] = (np.arange(20_000) % 2_000 == 1) & (y == n_classes - 1)
    found = linear_separability(kind(X), y)
    assert 0 < X[:, 2].sum() < 11
    assert found.kind == "quasi"
    assert "x2" in found.columns


def test_a_constant_column_separates_nothing() -> None:
    X = np.column_stack([np.full(6, 3.0), np.arange(6.0)])
    found = linear_separability(X, [0, 0, 0, 1, 1, 1])
    assert (found.kind, found.columns) == ("complete", ("x1",))


def test_rows_of_weight_zero_do_not_count() -> None:
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] > 9.0).astype(int)
    y[3] = 1
    weight = np.ones(20)
    weight[3] = 0.0
    assert linear_separability(X, y).kind == "none"
    assert linear_separability(X, y, weight).kind == "complete"


def test_three_classes() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert linear_separability(X, y).kind == "quasi"  # setosa is apart, the others are not
    two = y > 0
    assert linear_separability(X[two], y[two]).kind == "none"
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    points = np.repeat(corners, 10, axis=0) + np.random.default_rng(0).uniform(-1, 1, (30, 2))
    found = linear_separability(points, np.repeat([5, 6, 7], 10))
    assert found.kind == "complete"
    assert found.score(points, np.repeat([5, 6, 7], 10)).min() > 0.0


def test_a_column_of_constants_and_no_intercept() -> None:
    X, y = rows()
    X[:, 1] = 3.0
    assert linear_separability(X, y).kind == "none"


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="of 1 class"):
        linear_separability(np.ones((3, 1)), [1, 1, 1])


class TestFits:
    X = np.column_stack([np.arange(20.0), np.tile([0.0, 1.0], 10)])
    y = (X[:, 0] > 9.0).astype(int)

    def test_a_warning_names_the_columns(self) -> None:
        with pytest.warns(
            SeparationWarning, match="'x0', 'x1' tells the classes apart for all rows"
        ):
            LogisticRegression(C=np.inf, max_iter=1000).fit(self.X, self.y)

    def test_three_classes_are_told_as_well(self) -> None:
        X, y = load_iris(return_X_y=True, as_frame=True)
        with pytest.warns(SeparationWarning, match="for some rows, and errs in none"):
            LogisticRegression(C=np.inf, max_iter=1000).fit(X, y)

    def test_it_may_be_an_error(self) -> None:
        with pytest.raises(ValueError, match="Use separation='firth'"):
            LogisticRegression(C=np.inf, separation="raise", max_iter=1000).fit(self.X, self.y)

    def test_columns_that_tell_three_classes_apart_are_named(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((300, 3))
        y = np.repeat([0, 1, 2], 100)
        X[:, 1] += 20.0 * y  # all three along one column
        sentence = "'x1' tells the classes apart for all rows"
        with pytest.warns(SeparationWarning, match=sentence):
            LogisticRegression(C=np.inf, max_iter=1000).fit(X[:, [0, 1]], y)
        with pytest.raises(ValueError, match=sentence):
            LogisticRegression(C=np.inf, separation="raise", max_iter=1000).fit(X[:, [0, 1]], y)

    def test_a_dummy_without_one_of_three_classes_is_named(self) -> None:
        """Quasi-separation: the class of no such row has a log odds of −∞ by it."""
        X, y = several(600, 3)
        X[:, 2] = np.arange(600) % 7 == 0
        y[(X[:, 2] == 1.0) & (y == 2)] = 1
        sentence = "'x2' tells the classes apart for some rows, and errs in none"
        with pytest.warns(SeparationWarning, match=sentence):
            LogisticRegression(C=np.inf, max_iter=1000).fit(X, y)
        with pytest.raises(ValueError, match=sentence):
            LogisticRegression(C=np.inf, separation="raise", max_iter=1000).fit(X, y)
        found = linear_separability(X, y)
        assert (found.kind, found.columns, found.margin) == ("quasi", ("x2",), 0.0)
        model = LogisticRegression(C=np.inf, separation="firth").fit(X, y)
        assert np.abs(model.coef_).max() < 10.0

    def test_three_classes_that_overlap_need_no_warning(self) -> None:
        X, y = several(600, 3)
        LogisticRegression(C=np.inf).fit(100.0 * X, y)

    def test_a_penalty_needs_no_warning(self) -> None:
        LogisticRegression().fit(self.X, self.y)

    def test_classes_that_overlap_need_none(self) -> None:
        X, y = rows()
        LogisticRegression(C=np.inf).fit(100.0 * X, y)


# brglm2 0.8.2 of R, type = "AS_mean", epsilon = 1e-12: intercept, then slopes.
FIRTH: dict[str, Any] = {
    "iris": (
        2.532859431499,
        [-0.399062789146, -2.108422776657, 0.971747667005, 4.069176140695],
    ),
}


class TestFirth:
    def test_separable_classes_as_in_r(self) -> None:
        X, y = load_iris(return_X_y=True)
        model = LogisticRegression(C=np.inf, separation="firth").fit(X[:100], y[:100])
        intercept, slopes = FIRTH["iris"]
        np.testing.assert_allclose(model.coef_[0], slopes, rtol=1e-6)
        assert model.intercept_[0] == pytest.approx(intercept, rel=1e-6)

    @pytest.mark.parametrize("n_classes", [2, 3, 4])
    def test_a_saturated_table_adds_half_to_each_cell(self, n_classes: int) -> None:
        """There |I| is the product of all probabilities, and its root half a row of each class."""
        cells = np.array([[7, 0, 2, 1], [3, 5, 0, 0]])[:, :n_classes]
        X = np.repeat([[0.0], [1.0]], cells.sum(axis=1), axis=0)
        y = np.concatenate([np.repeat(np.arange(n_classes), row) for row in cells])
        model = LogisticRegression(C=np.inf, separation="firth").fit(X, y)
        shares = (cells + 0.5) / (cells + 0.5).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]]), shares, rtol=1e-6)

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_weight_two_is_the_row_twice(self, n_classes: int) -> None:
        X, y = several(60, n_classes)
        w = np.arange(60) % 3
        model = LogisticRegression(C=np.inf, separation="firth").fit(X, y, w)
        twice = LogisticRegression(C=np.inf, separation="firth")
        twice.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        np.testing.assert_allclose(model.coef_, twice.coef_, rtol=1e-5, atol=1e-7)

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_units_do_not_matter(self, n_classes: int) -> None:
        X, y = several(60, n_classes)
        scale = np.array([1e-4, 1.0, 1e4])
        plain = LogisticRegression(C=np.inf, separation="firth").fit(X, y)
        scaled = LogisticRegression(C=np.inf, separation="firth").fit((X + 7.0) * scale, y)
        np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-5, atol=1e-7)

    def test_names_of_classes_do_not_matter(self) -> None:
        X, y = several(60, 4)
        order = np.array([2, 0, 3, 1])
        plain = LogisticRegression(C=np.inf, separation="firth").fit(X, y)
        other = LogisticRegression(C=np.inf, separation="firth").fit(X, order[y])
        np.testing.assert_allclose(other.coef_[order], plain.coef_, rtol=1e-5, atol=1e-7)

    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("n_classes", [2, 3, 4])
    def test_gradient_is_that_of_the_objective(self, n_classes: int, fit_intercept: bool) -> None:
        X, y = several(80, n_classes)
        model = LogisticRegression(C=np.inf, fit_intercept=fit_intercept)
        table, classes = model._read_labelled(X + 3.0, y, np.arange(80) % 4, reset=True)
        plain, _ = model._problem(table, classes)
        problem = FirthProblem(*(getattr(plain, f.name) for f in dataclasses.fields(plain)))
        rng = np.random.default_rng(0)
        theta, step = rng.standard_normal((2, np.prod(problem.shape)))
        ends = [problem.evaluate(theta + h * step)[0] for h in (1e-4, -1e-4)]
        slope = problem.evaluate(theta)[1] @ step
        assert (ends[0] - ends[1]) / 2e-4 == pytest.approx(slope, rel=1e-6)

    def test_separable_classes_have_finite_estimates(self) -> None:
        X, y = load_iris(return_X_y=True)
        model = LogisticRegression(C=np.inf, separation="firth").fit(X, y)
        assert model.convergence_.converged
        assert np.abs(model.coef_).max() < 20.0

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_a_column_of_constants_has_no_coefficient(self, n_classes: int) -> None:
        X, y = several(60, n_classes)
        model = LogisticRegression(C=np.inf, separation="firth").fit(X, y)
        more = np.insert(X, 1, 7.0, axis=1)
        constant = LogisticRegression(C=np.inf, separation="firth").fit(more, y)
        np.testing.assert_array_equal(constant.coef_[:, 1], 0.0)
        np.testing.assert_allclose(constant.coef_[:, [0, 2, 3]], model.coef_, rtol=1e-6)

    def test_columns_that_explain_one_another_are_refused(self) -> None:
        X, y = several(60, 3)
        with pytest.raises(ValueError, match="columns none of which is a combination of others"):
            LogisticRegression(C=np.inf, separation="firth").fit(np.column_stack([X, X.sum(1)]), y)

    def test_a_penalty_beside_it_is_refused(self) -> None:
        X, y = rows(60)
        with pytest.raises(ValueError, match=r"a penalty of its own, and C is 1\.0"):
            LogisticRegression(C=1.0, separation="firth").fit(X, y)


def test_no_programme_is_solved_where_curvature_shows_that_classes_overlap(monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError("a linear programme was asked for")

    monkeypatch.setattr("linework.likelihood.logistic.separability_of", refuse)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3)) * 8.0
    y = (rng.random(2000) < 1.0 / (1.0 + np.exp(-X.sum(axis=1)))).astype(int)
    model = LogisticRegression(C=np.inf).fit(X, y)
    assert np.abs(model.decision_function(X)).max() > 12.0  # some rows are all but certain
    with pytest.raises(AssertionError, match="programme"):
        LogisticRegression(C=np.inf).fit(X, (X.sum(axis=1) > 0.0).astype(int))
