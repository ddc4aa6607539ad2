"""Dichotomies from the moments of the classes are those of a fit on their rows."""

from typing import Any

import numpy as np
import pytest

from linework import (
    ElasticNet,
    FisherDiscriminant,
    IndicatorClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    Ridge,
)
from linework.data.sources import as_table
from linework.dichotomies import by_classes_used, from_moments, two_groups
from linework.engine import map_reduce
from linework.multiclass import codes
from linework.stats import ClassMoments, PooledMoments

LEARNERS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(unbiased=False),
    LinearDiscriminantAnalysis(priors=[0.3, 0.7]),
    LinearDiscriminantAnalysis(shrinkage=0.2),
    FisherDiscriminant(),
    FisherDiscriminant(threshold="prior"),
    FisherDiscriminant(threshold="equal-density"),
    IndicatorClassifier(alpha=0.5),
    IndicatorClassifier(fit_intercept=False),
    QuadraticDiscriminantAnalysis(),
    RegularizedDiscriminantAnalysis(alpha=0.4),
    LinearRegression(),
    Ridge(alpha=3.0),
    Ridge(fit_intercept=False),
    ElasticNet(alpha=0.01),
]
CODES = {
    "one-vs-one": codes.one_vs_one(5),
    "one-vs-rest": codes.one_vs_rest(5),
    "exhaustive": codes.exhaustive(5),
    "sparse": codes.sparse_random(5, 9, np.random.default_rng(0)),
}
LINEAR = LEARNERS[:2] + LEARNERS[4:6] + LEARNERS[7:8] + LEARNERS[11:13]


@pytest.fixture
def rows() -> Any:
    rng = np.random.default_rng(0)
    number = rng.choice(5, 400, p=[0.4, 0.25, 0.2, 0.1, 0.05])
    X = rng.standard_normal((400, 4)) @ rng.standard_normal((4, 4)) + 1e3
    X += rng.standard_normal((5, 4))[number]
    X[:, 2] *= 1e-5
    return X, number, rng.uniform(0.5, 2.0, 400)


def score(model: Any, X: Any) -> Any:
    if hasattr(model, "classes_"):
        return model.decision_function(X)
    return 2.0 * model.predict(X) - 1.0


# A pair of unequal classes may be masked: only a fit on rows looks for that.
@pytest.mark.filterwarnings("ignore:No training row is assigned to class")
@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_each_is_the_fit_on_its_rows(learner: Any, name: str, rows: Any) -> None:
    X, number, w = rows
    code = CODES[name]
    together = from_moments(learner, as_table(X, sample_weight=w).with_group(number), code)
    assert len(together) == code.shape[1]
    for m, column in enumerate(code.T):
        mine = np.flatnonzero(column[number])
        target = (column[number][mine] > 0).astype(int)
        alone = type(learner)(**learner.get_params()).fit(X[mine], target, sample_weight=w[mine])
        expected = score(alone, X[:50])
        tolerance = {"rtol": 1e-9, "atol": 1e-9 * np.abs(expected).max()}
        if not isinstance(learner, ElasticNet):  # that one ends at a duality gap
            np.testing.assert_allclose(score(together[m], X[:50]), expected, **tolerance)
        if together.coef is not None and not isinstance(learner, ElasticNet):
            scores = X[:50] @ together.coef[m] + together.intercept[m]
            np.testing.assert_allclose(scores, expected, **tolerance)


@pytest.mark.parametrize("learner", LINEAR, ids=repr)
@pytest.mark.parametrize("name", CODES)
def test_linear_ones_are_solved_at_once(learner: Any, name: str, rows: Any) -> None:
    X, number, _ = rows
    stats = map_reduce(as_table(X).with_group(number), ClassMoments.from_block)
    for _, sides in by_classes_used(stats, CODES[name]):
        assert learner.hyperplanes(sides)[2].all()


def test_one_scatter_does_for_codes_without_zeros(rows: Any) -> None:
    X, number, w = rows
    table = as_table(X, sample_weight=w).with_group(number)
    pooled, by_class = (
        map_reduce(table, kind.from_block) for kind in (PooledMoments, ClassMoments)
    )
    column = codes.exhaustive(5)[:, 6]
    one, other = two_groups(pooled, column), two_groups(by_class, column).pooled()
    for name in ("count", "weight", "mean", "scatter"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("learner", LEARNERS[:8] + LEARNERS[11:14], ids=repr)
def test_a_column_without_spread_in_two_classes(learner: Any, rows: Any) -> None:
    """It has no place in the scatter of that pair, and one in those of others."""
    X, number, _ = rows
    X[number < 2, 1] = 3.0
    code = codes.one_vs_one(5)
    together = from_moments(learner, as_table(X).with_group(number), code)
    for m, column in enumerate(code.T):
        mine = np.flatnonzero(column[number])
        alone = type(learner)(**learner.get_params()).fit(X[mine], number[mine] == column.argmax())
        if together.coef is not None:
            scores = X[mine] @ together.coef[m] + together.intercept[m]
            np.testing.assert_allclose(scores, score(alone, X[mine]), rtol=1e-6, atol=1e-6)


def test_the_rows_are_read_once(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import linework.dichotomies as module

    X, number, _ = rows
    passes: list[Any] = []

    def counted(table: Any, statistic: Any) -> Any:
        passes.append(statistic)
        return map_reduce(table, statistic)

    monkeypatch.setattr(module, "map_reduce", counted)
    for model in (OneVsOneClassifier(), OneVsRestClassifier(), OutputCodeClassifier()):
        passes.clear()
        model.fit(X, number).predict(X)
        assert len(model.estimators_) > 1
        assert len(passes) == 1


def test_shrinkage_that_needs_rows_is_fitted_one_by_one(rows: Any) -> None:
    X, number, _ = rows
    learner = LinearDiscriminantAnalysis(shrinkage="auto")
    assert learner.fit_dichotomies(as_table(X).with_group(number), CODES["one-vs-one"]) is None
    model = OneVsOneClassifier(learner).fit(X, number)
    mine = number < 2
    alone = LinearDiscriminantAnalysis(shrinkage="auto").fit(X[mine], number[mine])
    np.testing.assert_array_equal(model.estimators_[0].coef_, alone.coef_)
