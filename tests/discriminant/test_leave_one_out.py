"""A row left out is told as by a model fitted without it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from linework import (
    FisherDiscriminant,
    IndicatorClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)
from linework.data.blocks import Block
from linework.discriminant import base

Array = np.ndarray
Rows = Callable[..., tuple[Array, Array]]

# Classes of one row, or columns of one value, are told of in each refit.
pytestmark = pytest.mark.filterwarnings("ignore:Class .* has a single row")

UPDATED = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(unbiased=False),
    LinearDiscriminantAnalysis(shrinkage=0.3),
    LinearDiscriminantAnalysis(shrinkage=1.0),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(unbiased=False),
    QuadraticDiscriminantAnalysis(shrinkage=0.2),
    QuadraticDiscriminantAnalysis(reg_param=0.2),
    QuadraticDiscriminantAnalysis(reg_param=0.2, shrinkage=0.4),
    RegularizedDiscriminantAnalysis(0.0),
    RegularizedDiscriminantAnalysis(0.4),
    RegularizedDiscriminantAnalysis(1.0),
    RegularizedDiscriminantAnalysis(0.0, 0.0),
    RegularizedDiscriminantAnalysis(0.4, 0.6),
    RegularizedDiscriminantAnalysis(0.4, 0.6, unbiased=False),
    RegularizedDiscriminantAnalysis(0.4, 0.6, target="identity"),
    RegularizedDiscriminantAnalysis(0.0, 0.6, target="identity"),
    FisherDiscriminant(),
    FisherDiscriminant(threshold="prior"),
    FisherDiscriminant(threshold="equal-density"),
    FisherDiscriminant(singular="shrink", shrinkage=0.2),
    FisherDiscriminant(singular="shrink", shrinkage=0.2, threshold="equal-density"),
    FisherDiscriminant(singular="null-space"),
]
REFITTED = [
    RegularizedDiscriminantAnalysis(0.4, "oas", target="identity"),
    FisherDiscriminant(criterion="trace-ratio"),
    FisherDiscriminant(n_components=1),
    IndicatorClassifier(),
    IndicatorClassifier(2.0, fit_intercept=False),
]
every_model = pytest.mark.parametrize(
    "model", UPDATED + REFITTED, ids=lambda m: " ".join(str(m).split())
)


def method_of(model: Any) -> str:
    return "predict_log_proba" if hasattr(model, "predict_proba") else "decision_function"


def refitted(model: Any, X: Array, y: Array, w: Array | None, method: str) -> Array:
    """Each row told by a model of the others; a class that is gone has −∞."""
    classes = np.unique(y)
    found = []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        kept = np.isin(classes, y[others])
        each = clone(model)
        if each.get_params().get("priors") is not None:
            priors = np.asarray(each.priors)[kept]
            each.set_params(priors=priors / priors.sum())
        each.fit(X[others], y[others], sample_weight=None if w is None else w[others])
        told = getattr(each, method)(X[[i]])
        if told.ndim == 2:
            told, known = np.full((1, len(classes)), -np.inf), told
            told[:, kept] = known
        found.append(told[0])
    return np.array(found)


def assert_left_out(
    model: Any, X: Array, y: Array, w: Array | None = None, rtol: float = 1e-9
) -> None:
    method = method_of(model)
    said = clone(model).fit(X, y, sample_weight=w).leave_one_out(X, y, w, method=method)
    wanted = refitted(model, X, y, w, method)
    np.testing.assert_array_equal(np.isfinite(said), np.isfinite(wanted))
    finite = np.isfinite(wanted)
    np.testing.assert_allclose(said[finite], wanted[finite], rtol=rtol, atol=rtol)


@every_model
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:No training row is assigned")
def test_a_row_is_told_as_by_a_model_without_it(
    model: Any, n_classes: int, weighted: bool, gaussian: Rows, rng: np.random.Generator
) -> None:
    X, y = gaussian(n_classes, n=40)
    w = rng.uniform(0.5, 3.0, len(y)) if weighted else None
    assert_left_out(model, X, y, w)


@pytest.mark.parametrize("model", UPDATED, ids=lambda m: " ".join(str(m).split()))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_ordinary_rows_need_no_refit(model: Any, n_classes: int, gaussian: Rows) -> None:
    X, y = gaussian(n_classes)
    update = clone(model).fit(X, y)._update()
    assert update(Block(X, group=y))[1].all()


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(shrinkage=0.3),
        QuadraticDiscriminantAnalysis(),
        RegularizedDiscriminantAnalysis(0.4),
        RegularizedDiscriminantAnalysis(0.4, 0.6),
    ],
)
def test_given_priors_stay(model: Any, gaussian: Rows, rng: np.random.Generator) -> None:
    X, y = gaussian()
    model = clone(model).set_params(priors=[0.1, 0.2, 0.7])
    assert_left_out(model, X, y)
    assert_left_out(model, X, y, rng.uniform(0.5, 3.0, len(y)))


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(priors=[0.1, 0.2, 0.3, 0.4]),
        RegularizedDiscriminantAnalysis(0.3),
        RegularizedDiscriminantAnalysis(0.3, unbiased=False),
        RegularizedDiscriminantAnalysis(0.3, 0.5),
        RegularizedDiscriminantAnalysis(0.3, 0.5, priors=[0.1, 0.2, 0.3, 0.4]),
        RegularizedDiscriminantAnalysis(0.0, "oas", target="identity", priors=[0.1, 0.2, 0.3, 0.4]),
        FisherDiscriminant(),
        FisherDiscriminant(threshold="prior"),
        FisherDiscriminant(threshold="equal-density"),
        IndicatorClassifier(),
    ],
)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.filterwarnings("ignore:No training row is assigned")
def test_a_class_of_few_rows(model: Any, rows: int, gaussian: Rows) -> None:
    X, y = gaussian()
    y[:rows] = 3
    assert_left_out(model, X, y)
    if rows == 1:
        told = clone(model).fit(X, y).leave_one_out(X, y, method=method_of(model))
        assert told[0, 3] == -np.inf


def test_the_only_row_of_one_of_two_classes_is_refused(gaussian: Rows) -> None:
    X, _ = gaussian()
    y = np.arange(len(X)) == 7
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(ValueError, match=r"Row 7 cannot be left out\. The rows are of 1 class"):
        model.leave_one_out(X, y)


def test_a_class_that_is_not_determined_without_a_row_is_refused(gaussian: Rows) -> None:
    X, y = gaussian(2, n=10)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    with pytest.raises(ValueError, match=r"Row 0 cannot be left out\. .* not full rank"):
        model.leave_one_out(X, y)


TABLES: dict[str, Callable[[Array], Array]] = {
    "constant column": lambda X: np.insert(X, 1, 7.0, axis=1),
    "column twice": lambda X: np.hstack([X, X[:, :1]]),
    "column of one row": lambda X: np.insert(X, 1, np.arange(len(X)) == 4, axis=1),
    "outlier": lambda X: X + 1e3 * (np.arange(len(X)) == 4)[:, None],
    "unequal scales": lambda X: X * np.logspace(-8, 8, X.shape[1]),
    "more columns than rows": lambda X: (
        X @ np.random.default_rng(0).standard_normal((4, 40))
        + 0.1 * np.random.default_rng(1).standard_normal((len(X), 40))
    ),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(shrinkage=0.3),
        QuadraticDiscriminantAnalysis(shrinkage=0.2),
        QuadraticDiscriminantAnalysis(reg_param=0.1),
        RegularizedDiscriminantAnalysis(0.3),
        RegularizedDiscriminantAnalysis(0.3, 0.5),
        RegularizedDiscriminantAnalysis(0.3, 0.5, target="identity"),
        FisherDiscriminant(),
        FisherDiscriminant(singular="shrink"),
        FisherDiscriminant(singular="null-space"),
    ],
    ids=lambda m: " ".join(str(m).split()),
)
def test_hard_tables(model: Any, table: str, gaussian: Rows) -> None:
    X, y = gaussian(n=30)
    # Numbers beside an outlier have lost as many digits as it is larger than they.
    assert_left_out(model, TABLES[table](X), y, rtol=1e-7 if table == "outlier" else 1e-9)


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        RegularizedDiscriminantAnalysis(0.3),
        FisherDiscriminant(),
    ],
)
def test_classes_apart_where_they_have_no_spread(model: Any, gaussian: Rows) -> None:
    X, y = gaussian()
    # The last column less the first two is constant in a class: which inverse is taken matters.
    assert_left_out(model, np.column_stack([X, X[:, 0] + X[:, 1] + y]), y)


@every_model
def test_rows_of_weight_zero_are_told_by_the_fit(model: Any, gaussian: Rows) -> None:
    X, y = gaussian()
    w = 1.0 * (np.arange(len(y)) % 5 > 0)
    method, gone = method_of(model), w == 0.0
    fit = clone(model).fit(X, y, sample_weight=w)
    told = fit.leave_one_out(X, y, w, method=method)
    kept = clone(model).fit(X[~gone], y[~gone])
    np.testing.assert_allclose(told[gone], getattr(fit, method)(X[gone]), rtol=1e-8, atol=1e-9)
    alone = kept.leave_one_out(X[~gone], y[~gone], method=method)
    np.testing.assert_allclose(told[~gone], alone, rtol=1e-9, atol=1e-9)


def test_some_of_the_rows_may_be_given(gaussian: Rows) -> None:
    X, y = gaussian()
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        model.fit(X, y)
        told = model.leave_one_out(X, y, method="predict_proba")
        some = model.leave_one_out(X[7:20], y[7:20], method="predict_proba")
        np.testing.assert_allclose(some, told[7:20], rtol=1e-12)


def test_methods_follow_from_each_other_and_are_scikit_learns(gaussian: Rows) -> None:
    X, number = gaussian()
    y = np.array(["c", "a", "b"])[number]
    for model in (QuadraticDiscriminantAnalysis(), FisherDiscriminant()):
        model.fit(X, y)
        for method in model._left_out_answers():
            told = model.leave_one_out(X, y, method=method)
            wanted = cross_val_predict(clone(model), X, y, cv=LeaveOneOut(), method=method)
            if told.dtype.kind == "f":
                np.testing.assert_allclose(told, wanted, rtol=1e-9, atol=1e-12)
            else:
                np.testing.assert_array_equal(told, wanted)
        np.testing.assert_array_equal(
            model.leave_one_out(X, y), cross_val_predict(clone(model), X, y, cv=LeaveOneOut())
        )


@pytest.mark.parametrize(
    ("kind", "errors", "versicolor"),
    [
        (LinearDiscriminantAnalysis, 3, 1.772726704444015e-01),
        (QuadraticDiscriminantAnalysis, 4, 1.616422506499487e-01),
    ],
)
def test_iris_is_as_in_r(kind: Any, errors: int, versicolor: float) -> None:
    # Of lda(Species ~ ., iris, CV = TRUE) and qda(...), whose priors are those of all rows:
    # sum(class != iris$Species) and posterior[71, "versicolor"], by MASS 7.3.
    X, y = load_iris(return_X_y=True)
    model = kind(priors=np.full(3, 1 / 3)).fit(X, y)
    assert (model.leave_one_out(X, y) != y).sum() == errors
    told = model.leave_one_out(X[70:71], y[70:71], method="predict_proba")
    assert told[0, 1] == pytest.approx(versicolor, rel=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    d=st.integers(1, 4),
    alpha=st.sampled_from([0.0, 0.3, 1.0]),
    gamma=st.sampled_from([0.0, 0.7, 1.0]),
)
def test_regularised_classes_of_any_shape(
    seed: int, n_classes: int, d: int, alpha: float, gamma: float
) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes).repeat(d + 3), rng.integers(0, n_classes, 8)])
    X = (
        rng.standard_normal((len(y), d)) * rng.uniform(0.1, 10.0, d)
        + rng.uniform(0, 9) * y[:, None]
    )
    w = rng.integers(1, 4, len(y)).astype(float)
    assert_left_out(RegularizedDiscriminantAnalysis(alpha, gamma), X, y, w, rtol=1e-8)


@pytest.mark.parametrize("form", ["csr_array", "csc_array"])
def test_sparse_rows_are_told_as_dense_ones(form: str, gaussian: Rows) -> None:
    import scipy.sparse as sp

    X, y = gaussian()
    X[X < 2.0] = 0.0
    for model in (
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(reg_param=0.1),
        RegularizedDiscriminantAnalysis(0.3),
        RegularizedDiscriminantAnalysis(0.3, 0.4),
    ):
        told = model.fit(X, y).leave_one_out(X, y, method="predict_proba")
        sparse = getattr(sp, form)(X)
        np.testing.assert_allclose(
            model.fit(sparse, y).leave_one_out(sparse, y, method="predict_proba"), told, atol=1e-10
        )


def test_many_rows_go_by_tiles(monkeypatch: pytest.MonkeyPatch, gaussian: Rows) -> None:
    X, y = gaussian()
    model = LinearDiscriminantAnalysis().fit(X, y)
    told = model.leave_one_out(X, y, method="predict_proba")
    monkeypatch.setattr(base, "SCORES", 21)
    np.testing.assert_allclose(model.leave_one_out(X, y, method="predict_proba"), told, rtol=1e-12)


class TestRefusals:
    def test_unknown_method(self, gaussian: Rows) -> None:
        X, y = gaussian()
        with pytest.raises(ValueError, match="knows these: predict, decision_function"):
            FisherDiscriminant().fit(X, y).leave_one_out(X, y, method="predict_proba")

    def test_strange_class(self, gaussian: Rows) -> None:
        X, y = gaussian()
        with pytest.raises(ValueError, match="rows of class 3: none were put in"):
            FisherDiscriminant().fit(X, y).leave_one_out(X, y + 1)

    def test_more_weight_than_was_fitted(self, gaussian: Rows) -> None:
        X, y = gaussian()
        with pytest.raises(ValueError, match="Cannot take out 1 rows of total weight 1000"):
            LinearDiscriminantAnalysis().fit(X, y).leave_one_out(X, y, np.full(len(y), 1e3))

    def test_nothing_but_zero_priors_left(self, gaussian: Rows) -> None:
        X, y = gaussian()
        y[y == 2] = 1
        y[4] = 2
        model = LinearDiscriminantAnalysis(priors=[0.0, 0.0, 1.0]).fit(X, y)
        with pytest.raises(ValueError, match="Row 4 cannot be left out: the priors"):
            model.leave_one_out(X, y)

    def test_nan(self, gaussian: Rows) -> None:
        X, y = gaussian()
        for model in (LinearDiscriminantAnalysis(), RegularizedDiscriminantAnalysis(0.3, 0.4)):
            model.fit(X, y)
            spoilt = X.copy()
            spoilt[5, 2] = np.nan
            with pytest.raises(ValueError, match="NaN in column 2, row 5"):
                model.leave_one_out(spoilt, y)

    @pytest.mark.parametrize(
        "model",
        [
            LinearDiscriminantAnalysis(shrinkage="auto"),
            QuadraticDiscriminantAnalysis(shrinkage="auto"),
            RegularizedDiscriminantAnalysis(gamma="auto", target="identity"),
            RegularizedDiscriminantAnalysisCV(),
        ],
    )
    def test_models_that_statistics_do_not_determine_have_none(self, model: Any) -> None:
        assert not hasattr(model, "leave_one_out")
