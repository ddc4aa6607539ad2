"""The winner by each rule."""

from typing import Any

import numpy as np
import pytest
import sklearn.linear_model as peer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from linework import (
    ElasticNet,
    GridSearchCV,
    LassoCV,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
)
from linework.selection.rules import simplicity, standard_errors, winner

Table = tuple[np.ndarray, np.ndarray]

MEAN, ERROR = np.array([0.70, 0.80, 0.79, 0.75, 0.50]), np.full(5, 0.02)
LARGER = [(float(m),) for m in range(5)]


def test_the_simplest_within_reach_wins() -> None:
    assert winner("best", MEAN, ERROR, LARGER) == 1
    assert winner("one_se", MEAN, ERROR, LARGER) == 2
    assert winner(7.0, MEAN, ERROR, LARGER) == 3
    assert winner(0.0, MEAN, ERROR, LARGER) == 1
    assert winner(13.0, MEAN, ERROR, [(-m,) for (m,) in LARGER]) == 0


def test_per_cent_are_of_the_absolute_value() -> None:
    losses = np.array([-1.00, -1.04, -1.06])
    assert winner(5.0, losses, ERROR[:3], LARGER[:3]) == 1


def test_equals_are_told_by_their_scores() -> None:
    assert winner("one_se", MEAN, ERROR, [(0.0,)] * 5) == 1


def test_candidates_without_score_lose() -> None:
    mean = np.array([np.nan, 0.4, 0.5])
    assert winner("one_se", mean, np.full(3, 0.2), LARGER[:3]) == 2
    assert winner("best", np.full(3, np.nan), ERROR[:3], None) == 0


def test_standard_errors_are_those_of_a_mean() -> None:
    scores = np.random.default_rng(0).standard_normal((3, 8))
    expected = [np.std(row, ddof=1) / np.sqrt(8) for row in scores]
    np.testing.assert_allclose(standard_errors(scores), expected, rtol=1e-12)
    assert np.isnan(standard_errors(scores[:, :1])).all()


@pytest.mark.parametrize(
    ("estimator", "grid", "order"),
    [
        (Ridge(), [{"alpha": 3.0}, {"alpha": 1.0}], [1, 0]),
        (LogisticRegression(), [{"C": 3.0}, {"C": 1.0}], [0, 1]),
        (LinearDiscriminantAnalysis(), [{"shrinkage": None}, {"shrinkage": 0.1}], [0, 1]),
        (ElasticNet(), [{"alpha": 1.0, "l1_ratio": 0.5}, {"alpha": 1.0, "l1_ratio": 1.0}], [0, 1]),
        (
            make_pipeline(StandardScaler(), Ridge()),
            [{"ridge__alpha": 3.0}, {"ridge__alpha": 1.0}],
            [1, 0],
        ),
    ],
)
def test_estimators_say_what_is_simpler(estimator: Any, grid: Any, order: list[int]) -> None:
    keys = simplicity(estimator, grid, None)
    assert keys is not None
    assert sorted(range(len(grid)), key=keys.__getitem__) == order


def test_rule_and_standard_errors_in_a_search(numbers: Table) -> None:
    grid = {"alpha": np.logspace(-2, 4, 25)}
    best = GridSearchCV(Ridge(), grid).fit(*numbers)
    simple = GridSearchCV(Ridge(), grid, rule="one_se").fit(*numbers)
    results = simple.cv_results_
    top = best.best_index_
    splits = np.array([results[f"split{k}_test_score"][top] for k in range(5)])
    assert results["se_test_score"][top] == pytest.approx(splits.std(ddof=1) / np.sqrt(5))
    within = results["mean_test_score"] >= splits.mean() - results["se_test_score"][top]
    assert simple.best_params_["alpha"] == grid["alpha"][within].max() > best.best_params_["alpha"]
    assert simple.best_estimator_.alpha == simple.best_params_["alpha"]
    assert simple.best_score_ == results["mean_test_score"][simple.best_index_]


def test_rules_on_the_road_of_the_rows(numbers: Table) -> None:
    grid = {"alpha": np.logspace(-2, 4, 9)}
    ours = GridSearchCV(Ridge(), grid, rule=2.0).fit(*numbers)
    other = GridSearchCV(peer.Ridge(), grid, rule=2.0, simpler={"alpha": "larger"}).fit(*numbers)
    assert other.road_.startswith("rows")
    assert other.best_params_ == ours.best_params_
    np.testing.assert_allclose(
        other.cv_results_["se_test_score"], ours.cv_results_["se_test_score"], rtol=1e-9
    )


def test_same_choice_as_the_models_that_choose_by_themselves(numbers: Table, labels: Table) -> None:
    lasso = LassoCV(rule="1se", cv=5).fit(*numbers)
    found = GridSearchCV(
        ElasticNet(l1_ratio=1.0),
        {"alpha": lasso.alphas_},
        cv=5,
        scoring="neg_mean_squared_error",
        rule="one_se",
    ).fit(*numbers)
    assert found.best_params_["alpha"] == pytest.approx(lasso.alpha_)
    logistic = LogisticRegressionCV(Cs=5, cv=4, rule="1se").fit(*labels)
    found = GridSearchCV(
        LogisticRegression(), {"C": logistic.Cs_}, cv=4, scoring="neg_log_loss", rule="one_se"
    ).fit(*labels)
    assert found.best_params_["C"] == pytest.approx(logistic.C_)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rule": "simplest"}, 'rule is \'simplest\'; it is "best", "one_se"'),
        ({"rule": -1.0}, "a number of per cent"),
        ({"rule": "one_se", "simpler": {"beta": "larger"}}, "of the parameters"),
        ({"rule": "one_se", "simpler": {"alpha": "bigger"}}, '"larger"} or "smaller"'),
        ({"rule": "one_se", "cv": [(np.arange(200), np.arange(200, 240))]}, "two splits or more"),
    ],
)
def test_what_cannot_be_is_said(options: Any, sentence: str, numbers: Table) -> None:
    with pytest.raises(ValueError, match=sentence):
        GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, **options).fit(*numbers)


def test_an_order_is_needed(numbers: Table) -> None:
    with pytest.raises(ValueError, match=r'give simpler=\{"name"'):
        GridSearchCV(Ridge(), {"fit_intercept": [True, False]}, rule="one_se").fit(*numbers)
