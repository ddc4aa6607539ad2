"""Regression on the indicator matrix: its fitted values, its rules, and masked classes."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from linework import IndicatorClassifier, LinearDiscriminantAnalysis
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import Moments, PooledMoments
from linework.stats.indicator import indicator_moments

Array = np.ndarray
Rows = Callable[..., tuple[Array, Array]]


@pytest.fixture
def row_of_classes(rng: np.random.Generator) -> tuple[Array, Array]:
    """Three classes side by side in one dimension."""
    y = np.repeat(["left", "middle", "right"], 50)
    return np.repeat([0.0, 5.0, 10.0], 50)[:, None] + rng.standard_normal((150, 1)), y


@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_is_a_regression_on_indicators(
    alpha: float, fit_intercept: bool, gaussian: Rows, rng: np.random.Generator
) -> None:
    X, y = gaussian()
    w = rng.uniform(0.5, 2.0, len(y))
    model = IndicatorClassifier(alpha, fit_intercept=fit_intercept).fit(X, y, sample_weight=w)
    ridge = Ridge(alpha, fit_intercept=fit_intercept).fit(X, np.eye(3)[y], sample_weight=w)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.fitted_values(X), ridge.predict(X), rtol=1e-8, atol=1e-10)


def test_moments_are_those_of_the_indicator_matrix(
    gaussian: Rows, rng: np.random.Generator
) -> None:
    X, y = gaussian()
    w = rng.uniform(0.5, 2.0, len(y))
    stats = map_reduce(as_table(X, None, w).with_group(y), PooledMoments.from_block)
    told, wanted = (
        indicator_moments(stats),
        map_reduce(as_table(X, np.eye(3)[y], w), Moments.from_block),
    )
    assert (told.count, told.n_targets) == (wanted.count, 3)
    assert told.weight == pytest.approx(wanted.weight)
    np.testing.assert_allclose(told.mean, wanted.mean, rtol=1e-12)
    np.testing.assert_allclose(told.scatter, wanted.scatter, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_argmax_is_the_nearest_target_and_values_sum_to_one(
    alpha: float, n_classes: int, gaussian: Rows
) -> None:
    X, y = gaussian(n_classes)
    model = IndicatorClassifier(alpha)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y)
        near = IndicatorClassifier(alpha, rule="nearest").fit(X, y)
    values = model.fitted_values(X)
    np.testing.assert_allclose(values.sum(axis=1), 1.0, rtol=1e-12)
    targets = np.square(values[:, None] - np.eye(n_classes)).sum(axis=2)
    np.testing.assert_array_equal(model.predict(X), targets.argmin(axis=1))
    np.testing.assert_array_equal(near.predict(X), model.predict(X))
    assert n_classes == 2 or values.min() < 0.0  # they are no probabilities


class TestMasking:
    def test_three_in_a_row_mask_the_middle(self, row_of_classes: tuple[Array, Array]) -> None:
        X, y = row_of_classes
        with pytest.warns(UserWarning, match=r"assigned to class 'middle'.*PolynomialFeatures"):
            model = IndicatorClassifier().fit(X, y)
        assert list(model.masked_classes_) == ["middle"]
        assert "middle" not in model.predict(X)

    def test_degree_two_is_the_cure(self, row_of_classes: tuple[Array, Array]) -> None:
        X, y = row_of_classes
        squares = PolynomialFeatures(2, include_bias=False)
        pipeline = make_pipeline(squares, IndicatorClassifier()).fit(X, y)
        assert list(pipeline[-1].masked_classes_) == []
        assert pipeline.score(X, y) > 0.95

    def test_lda_does_not_mask(self, row_of_classes: tuple[Array, Array]) -> None:
        X, y = row_of_classes
        assert LinearDiscriminantAnalysis().fit(X, y).score(X, y) > 0.95

    def test_removed_rows_unmask_nothing(
        self, row_of_classes: tuple[Array, Array], rng: np.random.Generator
    ) -> None:
        X, y = row_of_classes
        X = np.column_stack([X, np.tile(rng.standard_normal(50), 3) + 1e-4 * (y == "middle")])
        with pytest.warns(UserWarning, match="'middle'"):
            model = IndicatorClassifier().fit(X, y)
        # Where the values of the others fall alike, that of the middle rises.
        falling = np.linalg.solve(model.coef_[[0, 2]], [-1.0, -1.0])
        far = X.mean(axis=0, keepdims=True) + 10.0 * falling
        assert model.predict(far) == ["middle"]
        w = np.append(np.ones(150), 0.0)
        with pytest.warns(UserWarning, match="'middle'"):
            IndicatorClassifier().fit(np.vstack([X, far]), np.append(y, "middle"), sample_weight=w)

    def test_without_rows_it_is_not_known(self, row_of_classes: tuple[Array, Array]) -> None:
        X, y = row_of_classes
        number = np.unique(y, return_inverse=True)[1]
        stats = map_reduce(as_table(X).with_group(number), PooledMoments.from_block)
        assert IndicatorClassifier().fit_stats(stats).masked_classes_ is None
        assert IndicatorClassifier().partial_fit(X, y).masked_classes_ is None


@pytest.mark.parametrize(
    ("params", "words"),
    [({"alpha": -1.0}, "alpha == -1.0, must be >= 0"), ({"rule": "vote"}, "rule is 'vote'")],
)
def test_impossible_settings_are_told(params: dict, words: str, gaussian: Rows) -> None:
    with pytest.raises(ValueError, match=words):
        IndicatorClassifier(**params).fit(*gaussian())
