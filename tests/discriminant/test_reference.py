"""R's MASS `lda` and `qda` and mda's `fda`: see tests/reference/README.md."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linework import (
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)

Array = np.ndarray

FILE = Path(__file__).parents[1] / "reference" / "discriminants.json"
R = json.loads(FILE.read_text(encoding="utf-8"))
TABLES = [name for name in R if name != "made_with"]
METHODS = {"moment": True, "mle": False}
CLOSE: dict[str, float] = {"rtol": 1e-9, "atol": 1e-9}


class Case:
    """One table, with what R says of it by one method and choice of priors."""

    def __init__(self, table: str, model: str, method: str, priors: str) -> None:
        case = R[table]
        self.X, self.rows = np.array(case["X"], float), case["rows"]
        self.y = np.array(case["classes"])[case["y"]]
        self.classes = sorted(case["classes"])
        # R orders classes by their levels, we by their names.
        self.order = np.argsort(case["classes"])
        self.rank = np.argsort(self.order)
        given = np.array(case["given"])[self.order]
        self.options = {
            "unbiased": METHODS[method],
            "priors": None if priors == "shares" else given,
        }
        self.answer = case[model] if model == "fda" else case[model][method][priors]

    def by_class(self, name: str) -> Array:
        """Numbers with one entry for each class."""
        return np.array(self.answer[name])[self.order]

    def labels(self, numbers: list[int]) -> Array:
        return np.array(self.classes)[self.rank[numbers]]

    def posterior(self, answer: dict[str, Any]) -> Array:
        return np.array(answer["posterior"])[:, self.order]

    def columns(self, name: str, length: int) -> Array:
        """A matrix of as many rows; R writes one of one column as numbers."""
        return np.reshape(self.answer[name], (length, -1))


def aligned(ours: Array, theirs: Array) -> Array:
    """Ours with the signs of theirs, column by column: a direction's sign is arbitrary."""
    return ours * np.sign((ours * theirs).sum(axis=0))


def check_predictions(model: Any, case: Case) -> None:
    np.testing.assert_array_equal(model.predict(case.X), case.labels(case.answer["class"]))
    found = model.predict_proba(case.X[case.rows])
    np.testing.assert_allclose(found, case.posterior(case.answer), **CLOSE)


def check_left_out(model: Any, case: Case) -> None:
    """R keeps the shares of all rows as priors when it leaves one out; ours would leave it, too."""
    answer = case.answer["left_out"]
    model.set_params(priors=case.by_class("prior")).fit(case.X, case.y)
    np.testing.assert_array_equal(model.leave_one_out(case.X, case.y), case.labels(answer["class"]))
    found = model.leave_one_out(case.X, case.y, method="predict_proba")[case.rows]
    np.testing.assert_allclose(found, case.posterior(answer), **CLOSE)


@pytest.mark.parametrize("priors", ["shares", "given"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("table", TABLES)
class TestMass:
    def test_lda(self, table: str, method: str, priors: str) -> None:
        case = Case(table, "lda", method, priors)
        model = LinearDiscriminantAnalysis(**case.options).fit(case.X, case.y)
        check_predictions(model, case)
        np.testing.assert_allclose(model.priors_, case.by_class("prior"), rtol=1e-14)
        np.testing.assert_allclose(model.means_, case.by_class("means"), rtol=1e-13)
        # wᵀΣw = 1 in both, with Σ by N − K or by N.
        scaling = case.columns("scaling", case.X.shape[1])
        scale = np.abs(scaling).max(axis=0)
        np.testing.assert_allclose(
            aligned(model.scalings_, scaling) / scale, scaling / scale, **CLOSE
        )
        squares = np.square(case.answer["svd"])
        np.testing.assert_allclose(
            model.explained_variance_ratio_, squares / squares.sum(), rtol=1e-9
        )
        x = case.columns("x", len(case.rows))
        np.testing.assert_allclose(aligned(model.transform(case.X[case.rows]), x), x, **CLOSE)

    def test_qda(self, table: str, method: str, priors: str) -> None:
        case = Case(table, "qda", method, priors)
        model = QuadraticDiscriminantAnalysis(**case.options).fit(case.X, case.y)
        check_predictions(model, case)
        np.testing.assert_allclose(model.priors_, case.by_class("prior"), rtol=1e-14)
        np.testing.assert_allclose(model.means_, case.by_class("means"), rtol=1e-13)
        log_det = [np.log(values).sum() for values in model.scalings_]
        np.testing.assert_allclose(log_det, case.by_class("ldet"), **CLOSE)

    def test_lda_leaving_one_out(self, table: str, method: str, priors: str) -> None:
        case = Case(table, "lda", method, priors)
        check_left_out(LinearDiscriminantAnalysis(**case.options), case)

    def test_qda_leaving_one_out(self, table: str, method: str, priors: str) -> None:
        case = Case(table, "qda", method, priors)
        check_left_out(QuadraticDiscriminantAnalysis(**case.options), case)

    @pytest.mark.parametrize(("alpha", "model"), [(0.0, "lda"), (1.0, "qda")])
    def test_rda_at_its_corners(
        self, table: str, method: str, priors: str, alpha: float, model: str
    ) -> None:
        case = Case(table, model, method, priors)
        rda = RegularizedDiscriminantAnalysis(alpha, 1.0, **case.options)
        check_predictions(rda.fit(case.X, case.y), case)
        check_left_out(rda, case)


@pytest.mark.parametrize("table", TABLES)
class TestFlexible:
    """With linear regression, its default, `fda` is LDA with Σ = S_w / N."""

    def test_coordinates_and_shares(self, table: str) -> None:
        case = Case(table, "fda", "mle", "shares")
        model = LinearDiscriminantAnalysis(**case.options).fit(case.X, case.y)
        check_predictions(model, case)
        np.testing.assert_allclose(model.priors_, case.by_class("prior"), rtol=1e-14)
        variates = case.columns("variates", len(case.rows))
        found = model.transform(case.X[case.rows])
        np.testing.assert_allclose(aligned(found, variates), variates, **CLOSE)
        percent = 100.0 * np.cumsum(model.explained_variance_ratio_)
        np.testing.assert_allclose(percent, np.ravel(case.answer["percent_explained"]), rtol=1e-9)

    def test_fisher_criterion(self, table: str) -> None:
        # Optimal scoring's share of variance is that between classes: λ / (1 + λ), λ = J(w).
        case = Case(table, "fda", "mle", "shares")
        J = FisherDiscriminant().fit(case.X, case.y).criterion_
        np.testing.assert_allclose(J / (1.0 + J), np.ravel(case.answer["values"]), rtol=1e-9)
