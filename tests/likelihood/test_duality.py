"""The duality gap: what it promises of the objective, without and with the optimum at hand."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from linework import GLM, LogisticRegression
from linework.data.sources import as_table
from linework.likelihood.beginnings import null_model
from linework.likelihood.duality import duality_gap
from linework.likelihood.problem import Problem
from linework.losses import SoftmaxLoss, loss_of

Array = np.ndarray


def data(family: str, n: int = 90) -> tuple[Array, Array, Array, Array]:
    """Rows, targets, weights with zeros, and offsets."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, 7)) * np.geomspace(0.3, 3.0, 7) + 1.0
    offset = 0.2 * rng.standard_normal(n)
    mu = np.exp(X @ [0.5, 0.0, 0.2, 0.0, 0.0, -0.1, 0.05] - 0.3 + offset)
    y = {
        "gaussian": mu,
        "poisson": rng.poisson(mu),
        "negative_binomial": rng.poisson(mu),
        "binomial": rng.random(n) < mu / (1.0 + mu),
    }.get(family, rng.gamma(2.0, mu / 2.0))
    return X, np.asarray(y, np.float64), rng.integers(0, 3, n).astype(float), offset


FAMILIES = {
    "gaussian": "identity",
    "binomial": "logit",
    "poisson": "log",
    "gamma": "log",
    "tweedie": "log",
    "negative_binomial": "log",
}


@pytest.mark.parametrize("l1_ratio", [1.0, 0.6])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_bounds_what_the_objective_lacks(
    family: str, fit_intercept: bool, l1_ratio: float
) -> None:
    X, y, w, offset = data(family)
    params: dict[str, Any] = {
        "alpha": 0.03,
        "l1_ratio": l1_ratio,
        "fit_intercept": fit_intercept,
    }
    fits = [
        GLM(family, FAMILIES[family], max_iter=steps, **params).fit(X, y, w, offset).convergence_
        for steps in (1, 2, 3, 100)
    ]
    best = GLM(family, FAMILIES[family], tol=1e-7, **params).fit(X, y, w, offset).convergence_
    size = 1.0 + abs(best.objective)
    for fit in fits:
        assert fit.gap is not None
        assert fit.gap >= fit.objective - best.objective - 1e-14 * size
    assert fits[-1].gap < 1e-6 * size
    assert best.gap < 1e-9 * size


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_of_classes(classes: int, fit_intercept: bool, l1_ratio: float) -> None:
    X, z, w, _ = data("gaussian", 150)
    y = np.digitize(z, np.quantile(z, [0.3, 0.8])[: classes - 1])
    params: dict[str, Any] = {"C": 0.3, "l1_ratio": l1_ratio, "fit_intercept": fit_intercept}
    rough, fine = (
        LogisticRegression(tol=1e-7, max_iter=steps, **params).fit(X, y, w).convergence_
        for steps in (2, 100)
    )
    assert fine.gap < 1e-9
    assert rough.gap >= rough.objective - fine.objective > 0.0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_squares_have_it_in_closed_form(fit_intercept: bool) -> None:
    """The gap that a lasso's own dual point gives, the residuals scaled into reach."""
    X, y, _, _ = data("gaussian")
    X, y = X - X.mean(axis=0), y - y.mean()
    table, loss = as_table(X, y), loss_of("gaussian", "identity")
    problem = Problem.of(table, loss, np.zeros(1), fit_intercept, 0.0, 0.05)
    coef = np.array([0.1, 0.0, 0.3, 0.0, 0.0, -0.2, 0.1])
    r, n = y - X @ coef, len(y)
    share = min(1.0, 0.05 / (np.abs(X.T @ r).max() / n))
    primal = r @ r / (2 * n) + 0.05 * np.abs(coef).sum()
    best = max((s * r) @ y / n - (s * r) @ (s * r) / (2 * n) for s in np.linspace(0, share, 50))
    gap = duality_gap(problem, problem.parameters(coef[:, None], np.zeros(1)))
    assert gap >= primal - best - 1e-12  # which may choose its share, and knows the conjugate
    assert gap < 5.0 * (primal - best)


def test_columns_far_from_the_origin_and_of_every_kind() -> None:
    X, y, w, _ = data("poisson")
    for rows in (sp.csr_array(X), X.astype(np.float32), np.asfortranarray(X)):
        fit = GLM("poisson", alpha=0.05, l1_ratio=1.0).fit(rows, y, w).convergence_
        assert fit.gap < (1e-3 if rows.dtype == np.float32 else 1e-6)
    far = np.column_stack([X + 1e5, np.full(len(y), 3.0), X[:, 0] + 1e5])
    assert GLM("poisson", alpha=0.05, l1_ratio=1.0).fit(far, y, w).convergence_.gap < 1e-6


def test_no_gap_without_a_1_norm_or_convexity() -> None:
    X, y, _, _ = data("gamma")
    assert GLM("gamma", "log").fit(X, y).convergence_.gap is None
    assert GLM("gamma", "log", alpha=0.1).fit(X, y).convergence_.gap is None
    assert GLM("gamma", "identity", alpha=0.01, l1_ratio=1.0).fit(X, y).convergence_.gap is None


def test_far_from_the_optimum_it_may_know_no_bound() -> None:
    X, z, _, _ = data("gaussian")
    y = np.digitize(z, np.quantile(z, [0.3, 0.8])).astype(float)
    table, loss = as_table(X, y), SoftmaxLoss(3)
    problem = Problem.of(table, loss, np.zeros(3), True, 0.0, 0.05)
    theta = np.zeros(problem.shape)
    theta[-1] = [50.0, 0.0, 0.0]  # all rows of two classes are wrong: no shares make up for it
    assert duality_gap(problem, theta.ravel()) >= problem.evaluate(theta.ravel())[0] - np.log(3.0)


def test_the_reported_gap_is_that_of_the_answer() -> None:
    X, y, w, offset = data("poisson")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GLM("poisson", alpha=0.05, l1_ratio=0.7, max_iter=2).fit(X, y, w, offset)
    table = model._read_training(X, y, w, offset, reset=False)
    loss = loss_of("poisson", None)
    problem = Problem.of(table, loss, null_model(table, loss)[0], True, 0.015, 0.035)
    theta = problem.parameters(model.coef_[:, None], np.array([model.intercept_]))
    assert duality_gap(problem, theta) == pytest.approx(model.convergence_.gap, rel=1e-6)
