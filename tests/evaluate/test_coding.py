"""The coding matrix as a picture: its cells are the code, its rings the learners' errors."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from linework import (
    CodingMatrixDisplay,
    LinearDiscriminantAnalysis,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
)

show = CodingMatrixDisplay.from_estimator


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900], y[:900], X[900:], y[900:]


@pytest.fixture(scope="module")
def model(digits):
    model = OutputCodeClassifier(code="search", decoder="hamming", random_state=0)
    return model.fit(*digits[:2])


def test_cells_are_the_code(model, legend):
    display = show(model)
    assert_array_equal(display.image_.get_array(), model.code_book_)
    assert display.ax_.get_title() == "smallest distance 8: any 3 errors are corrected"
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == list("0123456789")
    assert display.ax_.get_xticklabels()[-1].get_text() == "15"
    assert legend(display.ax_) == ["positive side", "negative side"]
    assert display.counts_ax_ is None


def test_rings_are_how_often_a_learner_errs_and_discs_what_is_not_corrected(model, digits):
    _, _, X, y = digits
    display = show(model, X, y)
    k, m = 8, 4
    mine = y == k
    said = model.estimators_[m].predict(X[mine])
    wrong = said != (model.code_book_[k, m] > 0)
    assert display.errors[k, m] == pytest.approx(wrong.mean())
    lost = model.predict(X[mine]) != k
    assert display.uncorrected[k, m] == pytest.approx((wrong & lost).mean())
    assert (display.uncorrected <= display.errors).all()
    assert len(display.rings_.get_offsets()) == np.count_nonzero(display.errors)
    rings, discs = display.rings_.get_sizes(), display.discs_.get_sizes()
    at = np.nonzero(display.errors)
    assert_allclose(discs / rings, display.uncorrected[at] / display.errors[at])


def test_rows_are_counted_by_the_number_of_errors(model, digits):
    _, _, X, y = digits
    display = show(model, X, y)
    wrong, right = display.counts
    assert display.counts.sum() == len(y)
    assert right.sum() == (model.predict(X) == y).sum()
    assert wrong[: model.n_corrected_ + 1].sum() == 0  # what the code promises
    erred = (model.answers(X) != model.code_book_[y]).sum(axis=1)
    assert_array_equal(display.counts.sum(axis=0), np.bincount(erred, minlength=16))
    heights = [bar.get_height() for bar in display.bars_[0]]
    assert_array_equal(heights, right[: len(heights)])
    corrected = right[1:].sum()
    assert f"{corrected} of 589 rows with errors" in display.counts_ax_.get_title()


def test_what_is_not_used_is_no_error(digits, legend):
    X, y, X_new, y_new = digits
    model = OneVsOneClassifier().fit(X, y)
    display = show(model, X_new, y_new)
    assert (display.errors[model.code_book_ == 0] == 0.0).all()
    assert "not used" in legend(display.ax_)
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["10", "20", "30", "40"]


def test_only_hamming_decoding_promises(digits, legend):
    X, y, _, _ = digits
    display = show(OneVsRestClassifier().fit(X, y), X, y)
    assert display.ax_.get_title() == "smallest distance 2"
    assert legend(display.counts_ax_) == ["told right", "told wrong"]


def test_learners_without_errors(legend):
    X, y = np.arange(30.0)[:, None], np.repeat([0, 1], 15)
    display = show(OneVsOneClassifier().fit(X, y), X, y)
    assert "learner errs\n(none)" in legend(display.ax_)
    assert display.counts[1, 0] == 30


def test_given_axes_show_the_matrix_alone(model, digits):
    _, ax = plt.subplots()
    display = show(model, *digits[2:], ax=ax)
    assert display.ax_ is ax
    assert display.counts_ax_ is None
    assert len(display.figure_.axes) == 1


def test_what_has_no_code_is_refused(digits):
    X, y, _, _ = digits
    with pytest.raises(TypeError, match="LinearDiscriminantAnalysis has no code"):
        show(LinearDiscriminantAnalysis().fit(X, y))
    labels = np.column_stack([y > 4, y % 2])
    with pytest.raises(TypeError, match="OneVsRestClassifier has no code with a row for each"):
        show(OneVsRestClassifier().fit(X, labels))


def test_strange_labels_are_refused(model, digits):
    with pytest.raises(ValueError, match="y holds the label 11"):
        show(model, digits[2][:3], [1, 2, 11])
