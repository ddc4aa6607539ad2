"""The covariances that regularised discriminant analysis tells are those it predicts with."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from linework import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    RegularizedDiscriminantAnalysisCV,
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [20, 30, 40])
    X = rng.normal(size=(90, 4)) @ rng.normal(size=(4, 4)) + 2.0 * (y == "b")[:, None]
    return X * np.where(y == "c", 2.0, 1.0)[:, None], y


def test_corners_are_the_covariances_of_lda_and_qda(rows):
    linear = LinearDiscriminantAnalysis(store_covariance=True).fit(*rows).covariance_
    own = QuadraticDiscriminantAnalysis(store_covariance=True).fit(*rows).covariance_

    def corner(alpha, gamma, target="diagonal"):
        return RegularizedDiscriminantAnalysis(alpha, gamma, target=target).fit(*rows).covariance_

    assert_allclose(corner(0.0, 1.0), [linear] * 3)
    assert_allclose(corner(1.0, 0.3), own)
    assert_allclose(corner(0.0, 0.0), [np.diag(linear.diagonal())] * 3)
    assert_allclose(corner(0.0, 0.0, "identity"), [linear.trace() / 4.0 * np.eye(4)] * 3)


@pytest.mark.parametrize(
    "model",
    [
        RegularizedDiscriminantAnalysis(0.4, 0.7),
        RegularizedDiscriminantAnalysis(0.4, "oas", target="identity", unbiased=False),
        RegularizedDiscriminantAnalysisCV([0.2, 0.6], [0.5]),
    ],
    ids=["numbers", "oas", "cv"],
)
def test_posteriors_follow_from_them(rows, model):
    X, y = rows
    model.fit(X, y)
    parts = zip(model.means_, model.covariance_, strict=True)
    joint = model.priors_ * np.column_stack([multivariate_normal(*each).pdf(X) for each in parts])
    assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), atol=1e-10)


def test_class_of_one_row_has_the_common_one(rows):
    X, y = np.vstack([rows[0], [9.0, 9.0, 9.0, 9.0]]), np.append(rows[1], "d")
    with pytest.warns(UserWarning, match="has a single row"):
        model = RegularizedDiscriminantAnalysis(0.5, 0.8).fit(X, y)
    common = RegularizedDiscriminantAnalysis(0.0, 0.8).fit(X, y).covariance_
    assert_allclose(model.covariance_[3], common[3])
    assert np.abs(model.covariance_[0] - common[0]).max() > 0.1
