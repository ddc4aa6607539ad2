"""The corrected resampled t-test."""

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import KFold, ShuffleSplit

from linework import LinearRegression, Ridge, compare_models, corrected_t_test

Table = tuple[np.ndarray, np.ndarray]


def test_without_test_rows_it_is_student_s() -> None:
    d = np.random.default_rng(0).standard_normal(12) + 0.3
    found = corrected_t_test(d, n_train=1e15, n_test=1)
    expected = stats.ttest_1samp(d, 0.0)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    low, high = expected.confidence_interval(0.95)
    assert found.interval == pytest.approx((low, high), rel=1e-9)


def test_the_formula() -> None:
    d = np.array([0.1, 0.3, 0.2, 0.0])
    found = corrected_t_test(d, n_train=90, n_test=10)
    error = np.sqrt((1 / 4 + 10 / 90) * (d - d.mean()) @ (d - d.mean()) / 3)
    assert found.standard_error == pytest.approx(error)
    assert found.statistic == pytest.approx(0.15 / error)
    assert found.p_value == pytest.approx(2 * stats.t.sf(0.15 / error, 3))


def test_order_turns_the_sign(numbers: Table) -> None:
    one = compare_models(Ridge(alpha=500.0), LinearRegression(), *numbers, cv=KFold(5))
    other = compare_models(LinearRegression(), Ridge(alpha=500.0), *numbers, cv=KFold(5))
    assert one.difference == pytest.approx(-other.difference)
    assert one.p_value == pytest.approx(other.p_value)
    assert one.difference < 0.0
    assert one.p_value < 0.05
    assert one.n_splits == 5
    assert "5 splits" in str(one)


def test_a_model_and_itself_do_not_differ(numbers: Table) -> None:
    found = compare_models(Ridge(), Ridge(), *numbers)
    assert (found.difference, found.p_value, found.n_splits) == (0.0, 1.0, 100)


def test_equal_models_are_seldom_told_apart() -> None:
    """Two models that see a useless column each, on random splits; Student's t errs far oftener."""
    rng = np.random.default_rng(0)
    corrected, plain = [], []
    for _ in range(150):
        y, noise = rng.standard_normal(60), rng.standard_normal((60, 2))
        splits = list(ShuffleSplit(15, test_size=0.2, random_state=0).split(y))
        errors = np.empty((15, 2))
        for k, (train, test) in enumerate(splits):
            for j in range(2):
                slope, level = np.polyfit(noise[train, j], y[train], 1)
                errors[k, j] = np.mean((y[test] - level - slope * noise[test, j]) ** 2)
        d = errors[:, 0] - errors[:, 1]
        corrected.append(corrected_t_test(d, 48, 12).p_value < 0.05)
        plain.append(stats.ttest_1samp(d, 0.0).pvalue < 0.05)
    assert np.mean(corrected) < 0.1 < np.mean(plain)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (([0.1], 10, 5), "two or more finite numbers"),
        (([0.1, np.nan], 10, 5), "two or more finite numbers"),
        (([0.1, 0.2], 0, 5), "above zero"),
    ],
)
def test_what_cannot_be_is_said(args: tuple[list[float], int, int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        corrected_t_test(*args)
