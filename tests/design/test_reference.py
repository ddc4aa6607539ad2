"""Model matrices are R's, from treatments and from formulas, and from every kind of data frame."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from frames import dense, every_frame

from linework import Design, Nominal, Polynomial

R = json.loads(
    (Path(__file__).parents[1] / "reference" / "design.json").read_text(encoding="utf-8")
)
LEVELS = {name: Nominal(levels=levels) for name, levels in R["levels"].items()}


def columns(*names: str) -> dict[str, list[Any]]:
    return {name: R["data"][name] for name in names}


def r_name(name: str) -> str:
    """Our name of a column as R has it."""
    return name.replace("=", "").replace("treated", "treatedTRUE")


INTERACTIONS = {
    ("size", "treated"): "interaction",
    ("size", "dose"): "interaction",
    ("treated", "dose"): "interaction",
    ("size", "treated", "dose"): "interaction",
}
TREATED = {
    "main": (("size", "colour", "treated", "dose", "count"), {}, {}),
    "every_level": (("size", "colour", "treated", "dose", "count"), {}, {"reference": False}),
    "two_factors": (("size", "colour"), {("size", "colour"): "interaction"}, {}),
    "factor_and_number": (("size", "dose"), {("size", "dose"): "interaction"}, {}),
    "three": (("size", "treated", "dose"), INTERACTIONS, {}),
}


@every_frame
@pytest.mark.parametrize("case", TREATED)
def test_treatments_are_those_of_model_matrix(case: str, as_data_frame: Any) -> None:
    names, terms, settings = TREATED[case]
    levels = {name: LEVELS[name] for name in names if name in LEVELS}
    design = Design({**levels, **terms}, **settings)
    X = dense(design.fit_transform(as_data_frame(columns(*names))))
    assert [r_name(name) for name in design.get_feature_names_out()] == R["cases"][case]["columns"]
    np.testing.assert_array_equal(X, R["cases"][case]["matrix"])


@every_frame
def test_powers_are_those_of_model_matrix(as_data_frame: Any) -> None:
    X = Design({"dose": Polynomial(3)}).fit_transform(as_data_frame(columns("dose")))
    np.testing.assert_allclose(X, R["cases"]["powers"]["matrix"], rtol=1e-15)


FORMULAS = {
    "main": "~ size + colour + treated + dose + count",
    "two_factors": "~ size * colour",
    "factor_and_number": "~ size * dose",
    "three": "~ size * treated * dose",
    "only_interaction": "~ size:dose",
    "cells": "~ 0 + size:colour",
    "no_intercept": "~ 0 + colour + dose",
    "powers": "~ dose + I(dose**2) + I(dose**3)",
    "orthogonal": "~ poly(dose, 3)",
    "b_splines": "~ bs(dose, df=5)",
    "logarithm": "~ np.log(count + 1) + size",
}


def in_one_order(X: Any) -> np.ndarray:
    """Columns in an order of their own: R and formulaic put products in different ones."""
    X = np.round(dense(X), 9) + 0.0
    return X[:, np.lexsort(X[::-1])]


@pytest.mark.parametrize("case", FORMULAS)
def test_formulas_are_those_of_model_matrix(case: str) -> None:
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame(R["data"])
    for name, levels in R["levels"].items():
        rows[name] = pd.Categorical(rows[name], levels)
    X = Design(FORMULAS[case]).fit_transform(rows)
    np.testing.assert_allclose(
        in_one_order(X), in_one_order(np.array(R["cases"][case]["matrix"])), atol=2e-9
    )
