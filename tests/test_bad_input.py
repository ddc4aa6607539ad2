"""Bad input gives a sentence, and hard input the right answer or a sentence; never silent NaN."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from estimators import (
    ESTIMATORS,
    Array,
    answers,
    assert_close,
    coefficients,
    digits,
    every_estimator,
    every_variant,
    every_variant_with_intercept,
    in_units,
    precise,
    problem,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

pytestmark = [
    # Where a penalty is far below the rounding errors of the gradient, no duality gap can be shown.
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    # Classes of one row, without spread, between others, or apart: true of the tables below.
    pytest.mark.filterwarnings("ignore:Class .* has a single row"),
    pytest.mark.filterwarnings("ignore:Column .* is constant within every class"),
    pytest.mark.filterwarnings("ignore:No training row is assigned"),
    pytest.mark.filterwarnings("ignore::linework.SeparationWarning"),
]

Rows = tuple[Any, Any, Any]
"""X, y and weights."""


def assert_sentence(error: BaseException, words: str = "") -> None:
    text = str(error)
    assert text.endswith(".") or len(text.split()) >= 5, f"not a sentence: {text!r}"
    assert re.search(words, text), f"nothing of {words!r} in {text!r}"


def assert_finite(model: Any, X: Any) -> None:
    for value in answers(model, X):
        assert np.isfinite(value).all()


def spoilt(place: str, value: float) -> Callable[[Array, Array, Array], Rows]:
    def spoil(X: Array, y: Array, w: Array) -> Rows:
        {"X": X[:, 1], "y": y, "w": w}[place][17] = value
        return X, y, w

    return spoil


# Name -> (what makes it bad, what the sentence says).
REFUSED: dict[str, tuple[Callable[[Array, Array, Array], Rows], str]] = {
    "NaN in X": (spoilt("X", np.nan), "Input X contains NaN in column 1, row 17"),
    "infinity in X": (spoilt("X", np.inf), "Input X contains infinity .* in column 1, row 17"),
    "NaN in y": (spoilt("y", np.nan), "Input y contains NaN in row 17"),
    "infinity in y": (spoilt("y", np.inf), "Input y contains infinity .* in row 17"),
    "NaN weight": (spoilt("w", np.nan), "sample_weight contains NaN in row 17"),
    "infinite weight": (spoilt("w", np.inf), "sample_weight contains infinity .* in row 17"),
    "negative weight": (spoilt("w", -1.0), "row 17 has weight -1.0"),
    "only zero weights": (lambda X, y, w: (X, y, 0 * w), "at least one non-zero number"),
    "weights of another length": (lambda X, y, w: (X, y, w[:-1]), "59 weights for 60 rows"),
    "weights in a table": (lambda X, y, w: (X, y, w[:, None]), "must be 1D array"),
    "no rows": (lambda X, y, w: (X[:0], y[:0], None), "0 sample"),
    "no columns": (lambda X, y, w: (X[:, :0], y, w), "0 feature"),
    "one dimension": (lambda X, y, w: (X[:, 0], y, w), "Expected 2D array, got 1D array"),
    "y missing": (lambda X, y, w: (X, None, w), "requires y to be passed"),
    "y of another length": (lambda X, y, w: (X, y[:-1], w), "60 rows and y has 59"),
    "y of three dimensions": (
        lambda X, y, w: (X, y[:, None, None], w),
        "y has shape",
    ),
    "words in X": (lambda X, y, w: (np.full(X.shape, "red", object), y, w), "not a number|float"),
    "words in y": (
        lambda X, y, w: (X, np.full(len(y), "red", object), w),
        "y holds something|1 class",
    ),
    "complex X": (lambda X, y, w: (X + 1j, y, w), "Complex data not supported"),
}


@every_variant
@pytest.mark.parametrize("case", REFUSED)
def test_refusal_is_a_sentence(build: Any, case: str) -> None:
    spoil, words = REFUSED[case]
    X, y = problem(build())
    X, y, w = spoil(X, y, np.ones(len(y)))
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        build().fit(X, y, sample_weight=w)
    assert_sentence(caught.value)


@every_estimator
def test_refusal_names_the_column_of_a_frame(cls: Any) -> None:
    pd = pytest.importorskip("pandas")
    X, y = problem(cls())
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN in column 'height', row 3"):
        cls().fit(pd.DataFrame(X, columns=["a", "b", "height", "d"]), y)


@every_estimator
@pytest.mark.parametrize("method", ["fit", "predict"])
def test_words_in_a_frame_are_told_by_column(cls: Any, method: str) -> None:
    pd = pytest.importorskip("pandas")
    X, y = problem(cls())
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = cls().fit(frame, y)
    frame["b"] = "red"
    with pytest.raises(ValueError, match="'b' holds"):
        model.fit(frame, y) if method == "fit" else model.predict(frame)


class TestPredict:
    @every_estimator
    def test_wants_the_columns_of_the_fit(self, cls: Any) -> None:
        X, y = problem(cls())
        model = cls().fit(X, y)
        with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4"):
            model.predict(X[:, :3])

    @every_estimator
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_wants_finite_numbers(self, cls: Any, value: float) -> None:
        X, y = problem(cls())
        model = cls().fit(X, y)
        X[5, 2] = value
        with pytest.raises(ValueError, match="column 2, row 5"):
            model.predict(X)


def quality(model: Any, X: Array, y: Array) -> float:
    """The share of right answers, or R²."""
    return float((model.predict(X) == y).mean() if is_classifier(model) else model.score(X, y))


class TestHardTables:
    """Tables without anything wrong, which ask more of a solver than they seem to."""

    @every_variant_with_intercept
    def test_constant_column_gets_no_coefficient(self, build: Any) -> None:
        X, y = problem(build())
        model = precise(build()).fit(np.insert(X, 2, 7.3, axis=1), y)
        expected = precise(build()).fit(X, y)
        assert abs(model.coef_[2]) < 1e-12
        np.testing.assert_allclose(
            np.delete(model.coef_, 2), expected.coef_, rtol=1e2 * digits(model)
        )

    @every_variant_with_intercept
    def test_nothing_but_constant_columns_predicts_the_mean(self, build: Any) -> None:
        _, y = problem(build())
        X = np.full((len(y), 2), 7.3)
        model = build().fit(X, y)
        np.testing.assert_array_equal(model.coef_, 0.0)
        assert np.ptp(model.predict(X)) == 0.0

    @every_variant
    def test_zeros_alone_are_fitted_or_refused(self, build: Any) -> None:
        _, y = problem(build())
        X = np.zeros((len(y), 3))
        try:
            model = build().fit(X, y)
        except ValueError as error:
            assert_sentence(error, "not full rank")
        else:
            assert_finite(model, X)
            for coef in coefficients(model)[:1]:
                np.testing.assert_array_equal(coef, 0.0)
            assert len(np.unique(model.predict(X))) == 1

    @every_variant_with_intercept
    def test_constant_target_is_its_own_prediction(self, build: Any) -> None:
        X, _ = problem(build())
        model = build().fit(X, np.full(len(X), 2.5))
        np.testing.assert_allclose(model.predict(X), 2.5, rtol=1e-14)

    @every_variant
    def test_column_twice_predicts_as_once_or_is_refused(self, build: Any) -> None:
        X, y = problem(build())
        twice = np.hstack([X, X])
        try:
            model = build().fit(twice, y)
        except ValueError as error:
            assert_sentence(error, "not full rank")
        else:
            assert_finite(model, twice)
            # A classifier that shrinks to a multiple of the identity may tell one row otherwise.
            assert quality(model, twice, y) > quality(build().fit(X, y), X, y) - 0.02

    @every_variant
    @pytest.mark.parametrize("rows", [1, 2, 3])
    def test_few_rows_are_fitted_or_refused(self, build: Any, rows: int) -> None:
        X, y = problem(build())
        try:
            model = build().fit(X[:rows], y[:rows])
        except ValueError as error:
            assert_sentence(error, "n_samples|class")
        else:
            assert_finite(model, X)

    @every_variant
    @pytest.mark.parametrize("exponent", [-300, -160, -150, -100, 100, 150, 160, 300])
    @pytest.mark.parametrize("where", ["column", "X", "y"])
    def test_any_scale_is_fitted_or_refused(self, build: Any, exponent: int, where: str) -> None:
        X, y = problem(build())
        scale = 10.0**exponent
        if where == "y":
            y = y * scale
        elif where == "X":
            X = X * scale
        else:
            X[:, 1] *= scale
        try:
            model = build().fit(X, y)
        except ValueError as error:
            assert_sentence(error, "power of ten|Unknown label type")
        else:
            assert_finite(model, X)

    # The 1-norm and the 2-norm of an elastic net's penalty follow the units by different powers.
    @pytest.mark.parametrize(
        "cls",
        [
            cls
            for cls in ESTIMATORS
            if is_classifier(cls()) or not {"alpha", "l1_ratio"} & set(cls().get_params())
        ],
    )
    @pytest.mark.parametrize("exponent", [-120, 120])
    def test_units_do_not_matter_where_the_penalty_follows(self, cls: Any, exponent: int) -> None:
        scale = 10.0**exponent
        X, y = problem(cls())
        expected = precise(cls()).fit(X, y)
        model = in_units(precise(cls()), scale).fit(X * scale, y)
        assert_close(answers(model, X * scale), answers(expected, X), digits(expected))
        for left, right in zip(coefficients(model)[:1], coefficients(expected)[:1], strict=True):
            assert_close([left * scale], [right], digits(expected))


MIXTURE = {
    "huge column": lambda X, y, w: (X * [1, 1e140, 1, 1], y, w),
    "tiny column": lambda X, y, w: (X * [1, 1, 1e-130, 1], y, w),
    "far from zero": lambda X, y, w: (X + 1e12, y, w),
    "constant column": lambda X, y, w: (X * [0, 1, 1, 1] + [3, 0, 0, 0], y, w),
    "column twice": lambda X, y, w: (X[:, [0, 1, 1, 3]], y, w),
    "zeros": lambda X, y, w: (np.where(X > 0.5, X, 0.0), y, w),
    "large y": lambda X, y, w: (X, y * 1e120, w),
    "few rows": lambda X, y, w: (X[:3], y[:3], w[:3]),
    "zero weights": lambda X, y, w: (X, y, w * (np.arange(len(w)) % 3 > 0)),
    "large weights": lambda X, y, w: (X, y, w * 1e9),
    "small weights": lambda X, y, w: (X, y, w * 1e-9),
    "float32": lambda X, y, w: (np.clip(X, -1e30, 1e30).astype(np.float32), y, w),
    "NaN": lambda X, y, w: (np.where(np.arange(X.size).reshape(X.shape) == 5, np.nan, X), y, w),
    "negative weight": lambda X, y, w: (X, y, w - 2.0 * (np.arange(len(w)) == 1)),
    "no rows": lambda X, y, w: (X[:0], y[:0], w[:0]),
    "one column": lambda X, y, w: (X[:, 0], y, w),
}


@given(
    cls=st.sampled_from(ESTIMATORS),
    names=st.lists(st.sampled_from(sorted(MIXTURE)), min_size=1, max_size=4, unique=True),
    seed=st.integers(0, 1000),
)
@settings(max_examples=300)
def test_any_mixture_is_fitted_or_refused(cls: Any, names: list[str], seed: int) -> None:
    X, y = problem(cls(), n=20, seed=seed)
    w = np.ones(len(y))
    for name in names:
        if X.ndim == 2:
            X, y, w = MIXTURE[name](X, y, w)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model = cls().fit(X, y, sample_weight=w)
        except (ValueError, TypeError) as error:
            assert_sentence(error)
        else:
            assert_finite(model, X)
