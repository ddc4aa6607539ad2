"""Formulas: what formulaic makes of them, and what it is not left to make of them."""

import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from frames import dense, every_frame
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from linework import Design, LinearRegression, infer

DATA: dict[str, list[Any]] = {
    "age": [31, 45, 28, 60, 39, 52, 47, 33],
    "sex": ["f", "m", "m", "f", "f", "m", "f", "m"],
    "dose mg": [0.5, 1.0, 2.0, 1.5, 0.5, 2.5, 3.0, 1.0],
    "smoker": [True, False, False, True, False, True, False, True],
}


@every_frame
def test_every_frame_gives_the_same_matrix(as_data_frame: Any) -> None:
    formula = "~ sex * np.log(`dose mg`) + poly(age, 2) + smoker"
    expected = Design(formula).fit_transform(pd.DataFrame(DATA))
    for sparse in (False, True):
        Z = Design(formula, sparse=sparse).fit_transform(as_data_frame(DATA))
        np.testing.assert_allclose(dense(Z), dense(expected), rtol=1e-12)


def test_what_was_learned_is_used_for_other_rows() -> None:
    rows = pd.DataFrame(DATA)
    design = Design("~ scale(age) + sex + bs(`dose mg`, df=4)").fit(rows)
    again = pickle.loads(pickle.dumps(design))
    np.testing.assert_array_equal(again.transform(rows[:3]), design.transform(rows)[:3])


def test_a_dot_is_all_columns() -> None:
    design = Design("~ . - age").fit(pd.DataFrame(DATA))
    assert set(design.get_feature_names_out()) == {"sex[T.m]", "dose mg", "smoker"}


def test_origins() -> None:
    design = Design("~ C(age) + sex:smoker + bs(`dose mg`, df=4)").fit(pd.DataFrame(DATA))
    found = {origin.name: (origin.columns, origin.levels) for origin in design.origins()}
    assert list(found) == list(design.get_feature_names_out())
    assert found["C(age)[T.60]"] == (("age",), ("60",))
    assert found["sex[m]:smoker"] == (("sex", "smoker"), ("m", None))
    assert found["bs(`dose mg`, df=4)[1]"] == (("dose mg",), (None,))


def test_search_and_inference() -> None:
    rows = pd.concat([pd.DataFrame(DATA)] * 5, ignore_index=True)
    y = rows["age"] * 0.1 + np.arange(len(rows)) % 3
    model = make_pipeline(Design(), LinearRegression())
    search = GridSearchCV(model, {"design__terms": ["~ age", "~ age + sex"]}, cv=2).fit(rows, y)
    assert "sex[T.m]" in str(
        infer(model.set_params(design__terms="~ age + sex").fit(rows, y), rows, y)
    )
    assert search.best_score_ < 1.0


def test_reference_policies() -> None:
    rows = pd.DataFrame(DATA)
    design = Design("~ age + sex", missing="reference", unseen="reference").fit(rows)
    other = rows.assign(sex="other").assign(age=np.where(rows["age"] < 40, np.nan, rows["age"]))
    Z = design.transform(other)
    np.testing.assert_array_equal(Z[:, 1], 0.0)
    np.testing.assert_allclose(Z[0, 0], rows["age"].mean())


@pytest.mark.parametrize(
    ("formula", "settings", "sentence"),
    [
        ("y ~ age", {}, "has a left side"),
        ("~ age +* (", {}, "cannot be read as a formula"),
        ("~ height", {}, "cannot be evaluated.*height"),
        ("~ 1", {}, "no terms but the intercept"),
        ("~ age", {"missing": "indicator"}, "missing is 'indicator'.*'error' or 'reference'"),
        ("~ age", {"unseen": "ignore"}, "unseen is 'ignore'"),
        ("~ age", {"scale": True}, "has scale"),
        ("~ age", {"reference": False}, "reference is False"),
    ],
)
def test_sentences(formula: str, settings: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Design(formula, **settings).fit(pd.DataFrame(DATA))


def test_rows_that_do_not_fit_are_named() -> None:
    rows = pd.DataFrame(DATA)
    design = Design("~ age + sex").fit(rows)
    with pytest.raises(ValueError, match=r"'sex' has the level 'x'.* row 2"):
        design.transform(rows.assign(sex=["f", "m", "x", *DATA["sex"][3:]]))
    with pytest.raises(ValueError, match=r"'age' has a missing value.* row 0"):
        design.transform(rows.assign(age=[np.nan, *DATA["age"][1:]]))
    with pytest.raises(ValueError, match="a level that was not there when the formula was fitted"):
        Design("~ C(age)").fit(rows).transform(rows.assign(age=99))


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_numbers_that_are_none_are_refused() -> None:
    rows = pd.DataFrame(DATA)
    with pytest.raises(ValueError, match="NaN or infinity"):
        Design("~ np.log(age - 28)").fit_transform(rows)


def test_without_formulaic_a_sentence_says_what_to_install(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ImportError, match=r"pip install 'linework\[formula\]'"):
        Design("~ age").fit(pd.DataFrame(DATA))
