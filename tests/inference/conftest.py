"""R's numbers, and linework's models of the same data."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from linework import GLM, Inference, LinearRegression, LogLinearRegression

REFERENCE = Path(__file__).parents[1] / "reference"


@dataclass(frozen=True)
class Case:
    """A case of the reference with its data as a frame, and a model fitted to them."""

    r: dict[str, Any]
    X: pd.DataFrame
    y: Any
    model: LinearRegression


@dataclass(frozen=True)
class LikelihoodCase:
    """A likelihood model of the reference, with what infer and its kin take beside it."""

    r: dict[str, Any]
    X: pd.DataFrame
    y: Any
    model: GLM
    options: dict[str, Any]

    @property
    def rows(self) -> tuple[GLM, pd.DataFrame, Any]:
        return self.model, self.X, self.y

    def of_columns(self, columns: list[str]) -> "LikelihoodCase":
        """The same with some of the columns."""
        model = GLM(self.model.family, self.model.link)
        X = self.X[columns]
        model.fit(X, self.y, self.options["sample_weight"], self.options["offset"])
        return LikelihoodCase(self.r, X, self.y, model, self.options)


def columns_of(formula: str) -> list[str]:
    """The columns that an R formula names on its right, in its order; none for a dot."""
    terms = formula.split("~")[1].replace("- 1", "").split("+")
    return [term.strip() for term in terms if term.strip() != "."]


@pytest.fixture(scope="session")
def reference() -> dict[str, Any]:
    return json.loads((REFERENCE / "least_squares.json").read_text())


@pytest.fixture(scope="session")
def nist() -> dict[str, Any]:
    return json.loads((REFERENCE / "nist.json").read_text())


@pytest.fixture(scope="session")
def case(reference):
    """``case(name, sample_weight=None)``: a `Case` of the reference."""

    def get(name: str, sample_weight: Any = None) -> Case:
        r = reference[name]
        data = pd.DataFrame(r["data"])
        target = {"collinear": "Employed", "targets": ["mpg", "disp"]}.get(name, "mpg")
        X, y = data[columns_of(r["formula"]) or data.columns.drop(target)], data[target]
        kind = LogLinearRegression if name == "log_linear" else LinearRegression
        model = kind(fit_intercept="- 1" not in r["formula"])
        return Case(r, X, y, model.fit(X, y, sample_weight))

    return get


@pytest.fixture(scope="session")
def likelihood_case():
    """``likelihood_case(name)``: a `LikelihoodCase` of R's numbers; its weights are precisions."""
    reference = json.loads((REFERENCE / "inference.json").read_text())

    def get(name: str) -> LikelihoodCase:
        r = reference[name]
        data = pd.DataFrame(r["data"])
        X, y = data[r["columns"]], data[r["target"]].astype(float)
        weight, offset = r.get("weights"), None
        if "trials" in r:
            weight = data[r["trials"]]
            y = y / weight
        if "exposure" in r:
            offset = np.log(data[r["exposure"]])
        family = r["family"].lower().replace(".", "_")
        model = GLM(family, r["link"]).fit(X, y, weight, offset)
        options = {"sample_weight": weight, "offset": offset, "weights": "precision"}
        return LikelihoodCase(r, X, y, model, options)

    return get


@pytest.fixture(scope="session")
def numbers() -> Callable[[Inference], dict[str, Any]]:
    """``numbers(result)``: what a result says, by the names of the reference."""

    def of(result: Inference) -> dict[str, Any]:
        table = result.table
        return {
            "coef": table.estimate,
            "se": table.std_error,
            "t": table.statistic,
            "p": table.p_value,
            "confint_95": result.confint(0.95),
            "vcov": result.covariance_matrix,
            "vif": table.vif[~np.isnan(table.vif)],
            "sigma": result.sigma,
            "rss": result.rss,
            "df_residual": result.df_residual,
            "r2": result.r2,
            "adj_r2": result.adj_r2,
            "f": result.f,
            "f_df1": result.f_df[0],
            "f_df2": result.f_df[1],
            "f_p": result.f_p,
            "loglik": result.loglik,
            "aic": result.aic,
            "bic": result.bic,
            "residual_quantiles": result.residual_quantiles,
        }

    return of
