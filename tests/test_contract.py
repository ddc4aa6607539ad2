"""What every estimator of the package owes its users, whatever its model."""

import inspect
import pickle
import re
from typing import Any

import numpy as np
import pytest
from estimators import (
    ESTIMATORS,
    Array,
    answers,
    assert_close,
    assert_identical,
    assert_same,
    coefficients,
    digits,
    draws_rows,
    every_classifier_variant_of_all_rows,
    every_estimator,
    every_updatable_variant,
    every_variant,
    every_variant_of_all_rows,
    held_out_by,
    precise,
    problem,
)
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import linework
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import Moments

ROWS = 60
FOLD = np.arange(ROWS) % 5


def fitted(build: Any, X: Any, y: Array, w: Array | None = None, fold: Array = FOLD) -> Any:
    return held_out_by(precise(build()), fold).fit(X, y, sample_weight=w)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def refused_checks(estimator: BaseEstimator) -> dict[str, str]:
    """Checks that a model cannot pass, and scikit-learn's own class of its kind neither."""
    if draws_rows(estimator):
        reason = "a weighted row is drawn once, its copies are drawn each by itself"
        kinds = ("equivalence_on_dense_data", "equivalence_on_sparse_data")
        return {f"check_sample_weight_{kind}": reason for kind in kinds}
    if not isinstance(estimator, linework.QuadraticDiscriminantAnalysis) or estimator.reg_param:
        return {}
    reason = "a class varies in fewer directions than there are columns, and that is refused"
    weights = ["shape", "not_overwritten"]
    kinds = ["equivalence_on_dense_data", "equivalence_on_sparse_data"]
    names = [*(f"sample_weights_{w}" for w in weights), *(f"sample_weight_{k}" for k in kinds)]
    return {f"check_{name}": reason for name in names}


# What the checks skip needs array libraries that are not among the test requirements.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
# With default settings on the checks' data, the lasso may stop at max_iter.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# The checks' classes have columns without any spread.
@pytest.mark.filterwarnings("ignore:Column .* is constant within every class")
# Without a penalty the checks' classes have no estimates.
@pytest.mark.filterwarnings("ignore::linework.SeparationWarning")
@parametrize_with_checks(
    [*(cls() for cls in ESTIMATORS), linework.QuadraticDiscriminantAnalysis(reg_param=0.1)],
    expected_failed_checks=refused_checks,
)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def test_the_estimators_are_found() -> None:
    assert {"LinearRegression", "Ridge", "LassoCV"} <= {cls.__name__ for cls in ESTIMATORS}


class TestDocstring:
    @staticmethod
    def sections(cls: type) -> dict[str, str]:
        parts = re.split(r"\n(\w[\w ]*)\n-{3,}\n", "\n" + inspect.getdoc(cls))
        return dict(zip(parts[1::2], parts[2::2], strict=True))

    @every_estimator
    def test_describes_every_parameter(self, cls: type) -> None:
        described = re.findall(r"^(\w[\w, ]*?) :", self.sections(cls)["Parameters"], re.MULTILINE)
        assert [name for line in described for name in line.split(", ")] == list(
            inspect.signature(cls).parameters
        )

    @every_estimator
    def test_describes_every_fitted_attribute(self, cls: type) -> None:
        model = cls()
        model.fit(*problem(model))
        public = {name for name in vars(model) if re.fullmatch(r"[a-z]\w*_", name)}
        described = set(re.findall(r"\w+_\b", self.sections(cls)["Attributes"]))
        # These two are the same in all of scikit-learn, and described there.
        assert public - {"n_features_in_", "feature_names_in_"} <= described

    @every_estimator
    def test_has_an_example_that_is_run(self, cls: type) -> None:
        assert f">>> from linework import {cls.__name__}" in self.sections(cls)["Examples"]


class TestNothingIsStored:
    @every_variant
    def test_a_fitted_model_does_not_grow_with_the_rows(self, build: Any) -> None:
        sizes = []
        for n in (100, 400):
            model = build()
            model.fit(*problem(model, n=n))
            sizes.append(len(pickle.dumps(model)))
        # Longer integers and more iterations take some bytes more, 300 rows more than these.
        assert sizes[1] - sizes[0] < 300

    @every_variant
    def test_nothing_stored_has_a_side_as_long_as_the_rows(self, build: Any) -> None:
        model = build()
        model.fit(*problem(model, n=97))
        sides = {
            name: np.shape(value)
            for name, value in vars(model).items()
            if isinstance(value, np.ndarray | list | tuple)
        }
        assert not [name for name, shape in sides.items() if 97 in shape]

    @every_variant
    def test_input_is_neither_changed_nor_needs_to_be_writable(
        self, build: Any, rng: np.random.Generator
    ) -> None:
        X, y = problem(build())
        w = rng.uniform(0.5, 2.0, len(y))
        before = [a.copy() for a in (X, y, w)]
        expected = fitted(build, X.copy(), y.copy(), w.copy())
        for a in (X, y, w):
            a.flags.writeable = False
        model = fitted(build, X, y, w)
        for a, b in zip((X, y, w), before, strict=True):
            np.testing.assert_array_equal(a, b)
        assert_identical(model, expected, X)


class TestCopies:
    @every_variant
    def test_pickled_model_predicts_the_same(self, build: Any) -> None:
        X, y = problem(build())
        model = fitted(build, X, y)
        copy = pickle.loads(pickle.dumps(model))
        assert_identical(copy, model, X)

    @every_variant
    def test_clone_has_the_parameters_and_nothing_else(self, build: Any) -> None:
        X, y = problem(build())
        model = fitted(build, X, y)
        copy = clone(model)
        assert str(copy.get_params()) == str(model.get_params())
        with pytest.raises(NotFittedError):
            copy.predict(X)

    @every_variant
    def test_fitting_again_forgets_the_first_fit(self, build: Any) -> None:
        X, y = problem(build())
        model = precise(build()).fit(*problem(build(), n=30, d=2, seed=5))
        model.fit(X, y)
        once = precise(build()).fit(X, y)
        assert vars(model).keys() == vars(once).keys()
        assert_identical(model, once, X)


class TestKindsOfInput:
    @every_variant
    def test_fit_and_predict_are_as_from_an_array(self, build: Any, as_input: Any) -> None:
        X, y = problem(build())
        model, expected = fitted(build, as_input(X), y), fitted(build, X, y)
        rtol = max(as_input.rtol, digits(model))
        assert_close(coefficients(model), coefficients(expected), rtol)
        assert_close(answers(model, as_input(X)), answers(expected, X), 10 * rtol)

    @every_estimator
    @pytest.mark.parametrize("as_input", ["pandas", "polars", "arrow"], indirect=True)
    def test_names_of_columns_are_kept_and_compared(self, cls: Any, as_input: Any) -> None:
        X, y = problem(cls())
        model = cls().fit(as_input(X), y)
        np.testing.assert_array_equal(model.feature_names_in_, ["x0", "x1", "x2", "x3"])
        rows = as_input(X)
        select = rows.select if hasattr(rows, "select") else rows.__getitem__

        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(select(["x1", "x0", "x2", "x3"]))

    @every_variant
    def test_targets_may_be_a_series(self, build: Any) -> None:
        pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
        X, y = problem(build())
        expected = fitted(build, X, y)
        for series in (pd.Series(y, index=np.arange(len(y))[::-1]), pl.Series(y), list(y)):
            assert_identical(fitted(build, X, series), expected, X)


class TestWeights:
    @every_variant_of_all_rows
    def test_weight_two_is_the_row_twice(self, build: Any, rng: np.random.Generator) -> None:
        X, y = problem(build())
        w = rng.integers(1, 4, ROWS)
        weighted = fitted(build, X, y, w.astype(float))
        repeated = fitted(build, X.repeat(w, axis=0), y.repeat(w), fold=FOLD.repeat(w))
        assert_same(weighted, repeated, X, digits(weighted))

    @every_variant
    @pytest.mark.parametrize("extreme", [1.0, 1e10, 1e200])
    def test_weight_zero_is_no_row(
        self, build: Any, extreme: float, rng: np.random.Generator
    ) -> None:
        X, y = problem(build())
        kept = rng.random(ROWS) < 0.7
        removed = ~kept
        X[removed] *= extreme
        y[removed] *= extreme
        weighted = fitted(build, X, y, kept.astype(float))
        without = fitted(build, X[kept], y[kept], fold=FOLD[kept])
        assert_same(weighted, without, X[kept], digits(weighted))

    @every_variant
    def test_a_number_for_all_rows_is_that_weight_for_each(self, build: Any) -> None:
        X, y = problem(build())
        one = fitted(build, X, y, 2.0)
        each = fitted(build, X, y, np.full(ROWS, 2.0))
        assert_identical(one, each, X)


class TestSymmetries:
    @every_variant_of_all_rows
    def test_order_of_rows_does_not_matter(self, build: Any, rng: np.random.Generator) -> None:
        X, y = problem(build())
        order = rng.permutation(ROWS)
        model = fitted(build, X, y)
        permuted = fitted(build, X[order], y[order], fold=FOLD[order])
        assert_same(permuted, model, X, digits(model))

    @every_variant
    def test_coefficients_follow_their_columns(self, build: Any, rng: np.random.Generator) -> None:
        X, y = problem(build())
        order = rng.permutation(X.shape[1])
        model, permuted = fitted(build, X, y), fitted(build, X[:, order], y)
        assert_close(answers(permuted, X[:, order]), answers(model, X), 10 * digits(model))
        for left, right in zip(coefficients(permuted), coefficients(model), strict=True):
            follows = right[..., order] if np.shape(right)[-1:] == order.shape else right
            assert_close([left], [follows], digits(model))

    @every_classifier_variant_of_all_rows
    def test_names_of_classes_do_not_matter(self, build: Any) -> None:
        X, y = problem(build())
        names = np.array(["c", "a", "b"])
        ordered = "classes" in build().get_params()  # where their order is a part of the model
        named = (lambda: build().set_params(classes=names)) if ordered else build
        model, renamed = fitted(build, X, y), fitted(named, X, names[y.astype(int)])
        order = [0, 1, 2] if ordered else [1, 2, 0]
        assert list(renamed.classes_) == list(names[order])
        np.testing.assert_array_equal(renamed.predict(X), names[model.predict(X).astype(int)])
        scores = model.decision_function(X)[:, order]
        assert_close([renamed.decision_function(X)], [scores], 1e-9)

    @every_variant
    def test_any_number_of_threads_gives_the_same_bits(self, build: Any) -> None:
        X, y = problem(build(), n=70_000, d=16)
        assert len(list(as_table(X).chunks())) >= 2
        results = []
        for n_threads in (1, 2, 3):
            with linework.threads(n_threads):
                model = build().fit(X, y)
                results.append(answers(model, X[:100]))
        for other in results[1:]:
            for a, b in zip(results[0], other, strict=True):
                np.testing.assert_array_equal(a, b)


class TestRowsCanBeAddedAndTakenOut:
    """Of models that are solved from moments."""

    @every_updatable_variant
    @pytest.mark.parametrize("cuts", [[1], [30], [7, 8, 31], [59]])
    def test_parts_give_the_fit_of_the_whole(self, build: Any, cuts: list[int]) -> None:
        X, y = problem(build())
        w = np.arange(ROWS) % 3 + 0.5
        w[4] = 0.0
        model = precise(build())
        for part in np.split(np.arange(ROWS), cuts):
            model.partial_fit(X[part], y[part], sample_weight=w[part])
        assert_same(model, fitted(build, X, y, w), X, digits(model))

    @every_updatable_variant
    def test_merged_statistics_give_the_fit_of_the_rows(self, build: Any) -> None:
        X, y = problem(build())
        model = precise(build())
        if is_classifier(model):
            table, statistic = as_table(X).with_group(y.astype(int)), model._statistic()
        else:
            z = np.log(y) if "mean" in model.get_params() else y
            table, statistic = as_table(X, z), Moments
        model.fit_stats(map_reduce(table, statistic.from_block))
        assert_same(model, fitted(build, X, y), X, digits(model))

    @every_updatable_variant
    def test_forgetting_rows_gives_the_fit_without_them(self, build: Any) -> None:
        X, y = problem(build())
        model = fitted(build, X, y).forget(X[:20], y[:20])
        assert_same(model, fitted(build, X[20:], y[20:]), X, 1e-6)
        model.partial_fit(X[:20], y[:20])
        assert_same(model, fitted(build, X, y), X, 1e-6)

    @every_updatable_variant
    def test_forgetting_what_swamps_the_rest_is_refused(self, build: Any) -> None:
        X, y = problem(build())
        far = X[:30] * 1e9
        model = precise(build()).fit(np.vstack([X, far]), np.append(y, y[:30]))
        with pytest.raises(ArithmeticError, match="digits"):
            model.forget(far, y[:30])

    @every_updatable_variant
    def test_forgetting_more_than_was_fitted_is_refused(self, build: Any) -> None:
        X, y = problem(build())
        model = fitted(build, X[:30], y[:30])
        with pytest.raises(ValueError, match="Cannot take out"):
            model.forget(X, y)

    @every_updatable_variant
    def test_added_rows_need_the_same_columns(self, build: Any) -> None:
        X, y = problem(build())
        model = fitted(build, X, y)
        with pytest.raises(ValueError, match="expecting 4 features"):
            model.partial_fit(X[:, :3], y)
