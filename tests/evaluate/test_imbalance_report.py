"""The report of cures: its measures are those of the predictions, on the same rows for all."""

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import linework
from linework import EasyEnsembleClassifier, ImbalanceReport, LinearDiscriminantAnalysis

Array = np.ndarray


def problem(n: int = 1500, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.08).astype(int)
    return rng.standard_normal((n, 2)) + y[:, None], y


@pytest.fixture(scope="module")
def report() -> ImbalanceReport:
    return ImbalanceReport(LinearDiscriminantAnalysis(), *problem(), costs=(1, 8), n_resamples=60)


def test_measures_are_those_of_the_predictions_out_of_fold(report: ImbalanceReport) -> None:
    X, y = problem()
    for name, model in {
        "plain": LinearDiscriminantAnalysis(),
        "EasyEnsemble": EasyEnsembleClassifier(),
    }.items():
        p = cross_val_predict(model, X, y, cv=StratifiedKFold(5), method="predict_proba")[:, 1]
        said = p > (0.5 if name == "plain" else 1 / 9)
        at = report.names.index(name)
        assert report.measures["AUC"][at] == pytest.approx(roc_auc_score(y, p))
        assert report.measures["log loss"][at] == pytest.approx(log_loss(y, p))
        assert report.measures["P_D"][at] == pytest.approx(said[y == 1].mean())
        assert report.measures["P_FA"][at] == pytest.approx(said[y == 0].mean())
        cost = (8 * (y & ~said) + (said & (y == 0))).mean()
        assert report.measures["cost"][at] == pytest.approx(cost)
        bound = np.sort(p[y == 0])[::-1][int(0.05 * (y == 0).sum())]
        assert report.measures["P_D at P_FA"][at] == pytest.approx((p[y == 1] > bound).mean())


def test_moving_the_threshold_changes_decisions_only(report: ImbalanceReport) -> None:
    changed = {name for name, values in report.measures.items() if values[0] != values[1]}
    assert changed == {"P_D", "P_FA", "cost"}


def test_posteriors_of_every_cure_are_for_the_shares_in_y(report: ImbalanceReport) -> None:
    loss = report.measures["log loss"]
    np.testing.assert_allclose(loss, loss[0], rtol=0.05)


def test_intervals_hold_the_values_and_differences_are_paired(report: ImbalanceReport) -> None:
    frame, less = report.to_frame(), report.differences()
    for name in report.measures:
        assert (frame[name]["low"] <= frame[name]["value"]).all()
        assert (frame[name]["value"] <= frame[name]["high"]).all()
        assert (less[name].loc["moved threshold"] == 0.0).all()
    width = [(f["AUC"]["high"] - f["AUC"]["low"])["class weights"] for f in (less, frame)]
    assert width[0] < 0.2 * width[1]


def test_the_class_of_fewer_rows_is_positive_whatever_its_name() -> None:
    X, y = problem()
    reports = [
        ImbalanceReport(LinearDiscriminantAnalysis(), X, labels, n_resamples=2)
        for labels in (y, np.where(y == 1, "a", "b"))
    ]
    assert [r.positive for r in reports] == [1, "a"]
    np.testing.assert_allclose(reports[0].measures["AUC"], reports[1].measures["AUC"])


def test_any_number_of_threads_gives_the_same_bits(report: ImbalanceReport) -> None:
    with linework.threads(1):
        again = ImbalanceReport(
            LinearDiscriminantAnalysis(), *problem(), costs=(1, 8), n_resamples=60
        )
    for name, values in report.resampled.items():
        np.testing.assert_array_equal(values, again.resampled[name])


def test_without_weights_there_is_no_line_for_them() -> None:
    report = ImbalanceReport(KNeighborsClassifier(40), *problem(), n_resamples=2)
    assert "class weights" not in report.names
    assert "EasyEnsemble" in repr(report)


def test_picture_has_each_cure_in_each_panel(report: ImbalanceReport) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    figure = report.plot(["AUC", "cost"])
    assert [ax.get_xlabel() for ax in figure.axes] == ["AUC", "cost"]
    drawn = figure.axes[0].lines[-1].get_xdata()
    np.testing.assert_array_equal(drawn, report.measures["AUC"])
    plt.close(figure)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"y": [0, 1, 2] * 500}, "3 classes"), ({"p_fa": 2.0}, "p_fa"), ({"confidence": 1}, "conf")],
)
def test_what_cannot_be_is_refused(change: dict[str, Any], words: str) -> None:
    X, y = problem()
    y = change.pop("y", y)
    with pytest.raises(ValueError, match=words):
        ImbalanceReport(None, X, y, **change)


def test_an_unknown_line_is_refused(report: ImbalanceReport) -> None:
    with pytest.raises(ValueError, match="no line 'x'"):
        report.differences("x")
