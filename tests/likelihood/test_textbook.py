"""The textbook's algorithms come to the same optimum, each in its own way."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler

from linework import LogisticRegression


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:, :6], y


@pytest.mark.parametrize("solver", ["newton", "irls", "gradient"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_they_agree(solver: str, fit_intercept: bool) -> None:
    X, y = cancer()
    settings = {"fit_intercept": fit_intercept, "max_iter": 5000, "tol": 1e-2}
    expected = LogisticRegression(**settings).fit(X, y)
    model = LogisticRegression(solver=solver, **settings).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-3)
    trace = [step.objective for step in model.convergence_.trace]
    assert (np.diff(trace) <= 1e-12).all()
    assert len(trace) == model.n_iter_[0] + 1


def test_newton_and_reweighting_take_the_same_steps() -> None:
    X, y = cancer()
    newton, irls = (
        [step.objective for step in LogisticRegression(solver=s).fit(X, y).convergence_.trace]
        for s in ("newton", "irls")
    )
    np.testing.assert_allclose(newton, irls, rtol=1e-12)


def test_newton_doubles_the_digits_and_descent_does_not() -> None:
    X, y = cancer()
    newton = LogisticRegression(solver="newton").fit(X, y).convergence_.trace
    assert newton[-1].gradient < 100.0 * newton[-2].gradient ** 2
    descent = (
        LogisticRegression(solver="gradient", tol=1e-2, max_iter=5000).fit(X, y).convergence_.trace
    )
    assert len(descent) > 5 * len(newton)


def test_three_classes_by_newton_and_descent() -> None:
    X, y = load_iris(return_X_y=True)
    expected = LogisticRegression().fit(X, y)
    for solver in ("newton", "gradient"):
        model = LogisticRegression(solver=solver, max_iter=5000, tol=1e-2).fit(X, y)
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="'irls' is for two classes"):
        LogisticRegression(solver="irls").fit(X, y)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"solver": "lbfgs"}, "solver is 'lbfgs'; auto, newton, irls, gradient are known"),
        ({"solver": "newton", "l1_ratio": 1.0}, "needs a smooth penalty"),
        ({"separation": "stop"}, "separation is 'stop'"),
    ],
)
def test_what_is_refused(settings: dict[str, object], words: str) -> None:
    X, y = cancer()
    with pytest.raises(ValueError, match=words):
        LogisticRegression(**settings).fit(X, y)
