"""Models from statistics: what those know of the rows, and what their rounding hides."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linework import ElasticNetCV, Lasso, LassoCV, LinearRegression, Ridge, RidgeCV
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.stats import ClassMoments, Moments, RFactor

MODELS = [LinearRegression(), Ridge(), RidgeCV(cv="gcv"), Lasso(0.1)]


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3))
    return X, X @ [1.0, 2.0, 3.0] + rng.standard_normal(30)


@pytest.mark.parametrize("model", MODELS, ids=str)
class TestRefused:
    def test_statistics_of_another_kind(self, model: Any, rows: Any) -> None:
        table = as_table(*rows).with_group(np.arange(30) % 2)
        with pytest.raises(TypeError, match="takes Moments or an RFactor, and ClassMoments"):
            model.fit_stats(map_reduce(table, ClassMoments.from_block))

    @pytest.mark.parametrize("statistic", [Moments, RFactor])
    def test_statistics_without_targets(self, model: Any, rows: Any, statistic: Any) -> None:
        with pytest.raises(ValueError, match="30 rows with 0 targets"):
            model.fit_stats(map_reduce(as_table(rows[0]), statistic.from_block))

    def test_a_model_of_no_rows(self, model: Any, rows: Any) -> None:
        model.fit(*rows)
        before = model.coef_.copy()
        with pytest.raises(ValueError, match="0 rows"):
            model.forget(*rows)
        np.testing.assert_array_equal(model.coef_, before)


@pytest.mark.parametrize("model", [LassoCV(), ElasticNetCV()], ids=str)
def test_folds_are_groups(model: Any, rows: Any) -> None:
    with pytest.raises(TypeError, match="takes ClassMoments, whose groups are folds, and Moments"):
        model.fit_stats(map_reduce(as_table(*rows), Moments.from_block))


@given(
    d=st.integers(2, 12),
    left=st.integers(2, 12),
    fit_intercept=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_rows_that_went_leave_no_direction(
    d: int, left: int, fit_intercept: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((60, d)) + 3.0, rng.standard_normal(60)
    build = LinearRegression(fit_intercept=fit_intercept)
    remaining = build.fit(X, y).forget(X[left:], y[left:])
    found = remaining.rank_, remaining.predict(X)
    expected = build.fit(X[:left], y[:left])
    assert found[0] == expected.rank_
    np.testing.assert_allclose(found[1], expected.predict(X), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_rounding_of_single_precision_is_no_direction(seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((40_000, 3)).astype(np.float32)
    X = np.column_stack([X, X[:, 0] + X[:, 1], X[:, 1] + X[:, 2], X[:, 2] + X[:, 0]])
    model = LinearRegression().partial_fit(X, X[:, 0].astype(float))
    assert model.rank_ == 3
    assert model.aliased_ == ("x3", "x4", "x5")
    np.testing.assert_allclose(model.coef_, [0.4, -0.1, -0.1, 0.3, -0.2, 0.3], atol=0.01)
