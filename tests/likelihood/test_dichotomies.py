"""Logistic regressions of the columns of a code, fitted by passes that all share."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from linework import LogisticRegression, OneVsRestClassifier, threads
from linework.data.blocks import Block
from linework.data.sources import as_table
from linework.likelihood.dichotomies import DichotomyLoss, fit_together
from linework.multiclass import codes
from linework.solvers.newton_each import minimise_each
from linework.stats import Curvature

CODES = {"one-vs-rest": codes.one_vs_rest(4), "exhaustive": codes.exhaustive(4)}


@pytest.fixture
def rows() -> Any:
    rng = np.random.default_rng(0)
    number = rng.choice(4, 900, p=[0.5, 0.3, 0.17, 0.03])
    X = rng.standard_normal((900, 5)) + rng.standard_normal((4, 5))[number]
    return X * [1.0, 1e4, 1e-4, 1.0, 1.0] + [0.0, 1e6, 0.0, 3.0, 0.0], number, rng


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("settings", [{}, {"C": 1e-3}, {"C": 1e4}, {"fit_intercept": False}])
@pytest.mark.parametrize("weighted", [False, True])
def test_each_is_the_fit_on_its_own(name: str, settings: Any, weighted: bool, rows: Any) -> None:
    X, number, rng = rows
    w = rng.integers(0, 3, len(X)).astype(float) if weighted else None
    learner = LogisticRegression(tol=1e-6, **settings)
    table = as_table(X, sample_weight=w).with_group(number)
    together = learner.fit_dichotomies(table, CODES[name])
    assert together is not None
    for m, column in enumerate(CODES[name].T):
        alone = LogisticRegression(tol=1e-6, **settings).fit(X, column[number], sample_weight=w)
        expected = alone.decision_function(X)
        scores = X @ together.coef[m] + together.intercept[m]
        np.testing.assert_allclose(scores, expected, atol=1e-6 * np.abs(expected).max())
        assert together[m].convergence_.converged
        np.testing.assert_array_equal(together[m].decision_function(X) > 0, scores > 0)


def test_by_way_of_a_sample(rows: Any) -> None:
    rng = np.random.default_rng(1)
    number = rng.choice(4, 30_000, p=[0.6, 0.3, 0.0995, 0.0005])
    X = rng.standard_normal((30_000, 5)) + rng.standard_normal((4, 5))[number]
    learner = LogisticRegression(tol=1e-6)
    together = learner.fit_dichotomies(as_table(X).with_group(number), CODES["one-vs-rest"])
    for m in range(4):
        alone = LogisticRegression(tol=1e-6).fit(X, number == m)
        np.testing.assert_allclose(together.coef[m], alone.coef_[0], rtol=1e-6, atol=1e-7)
    few, passes = together[0].convergence_, together[0].convergence_.passes
    assert few.converged
    assert passes < 30


@pytest.mark.parametrize("kind", ["sparse", "float32", "constant column"])
def test_kinds_of_rows(kind: str, rows: Any) -> None:
    X, number, _ = rows
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    given: Any = {"sparse": sp.csr_array, "float32": np.float32}.get(kind, np.array)(X)
    if kind == "constant column":
        given[:, 3] = 7.0
        X = given
    model = OneVsRestClassifier(LogisticRegression()).fit(given, number)
    expected = [LogisticRegression().fit(X, number == k) for k in range(4)]
    rtol = 2e-3 if kind == "float32" else 1e-6
    for learner, alone in zip(model.estimators_, expected, strict=True):
        np.testing.assert_allclose(learner.coef_, alone.coef_, rtol=rtol, atol=rtol)
        np.testing.assert_allclose(learner.intercept_, alone.intercept_, rtol=rtol, atol=rtol)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    X, number = rng.standard_normal((70_000, 16)), rng.integers(0, 4, 70_000)
    results = []
    for n in (1, 2, 3):
        with threads(n):
            model = OneVsRestClassifier(LogisticRegression()).fit(X, number)
            results.append(model.decision_function(X[:100]))
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize("settings", [
    {"C": np.inf}, {"l1_ratio": 0.5}, {"class_weight": "balanced"}, {"solver": "newton"},
])  # fmt: skip
def test_other_settings_are_fitted_one_by_one(settings: Any, rows: Any) -> None:
    X, number, _ = rows
    table = as_table(X).with_group(number)
    learner = LogisticRegression(**settings)
    assert learner.fit_dichotomies(table, CODES["one-vs-rest"]) is None


def test_so_are_codes_with_zeros(rows: Any) -> None:
    X, number, _ = rows
    table = as_table(X).with_group(number)
    assert LogisticRegression().fit_dichotomies(table, codes.one_vs_one(4)) is None


def test_too_few_iterations_are_told(rows: Any) -> None:
    X, number, _ = rows
    with pytest.warns(ConvergenceWarning, match="LogisticRegression did not converge: after 1"):
        OneVsRestClassifier(LogisticRegression(max_iter=1)).fit(X, number)


def test_the_loss_is_the_derivatives_of_its_value() -> None:
    rng = np.random.default_rng(0)
    loss = DichotomyLoss(CODES["exhaustive"].astype(float))
    y, eta = rng.integers(0, 4, (20, 1)).astype(float), 3.0 * rng.standard_normal((20, 7))
    h = 1e-5
    up, down = loss.evaluate(y, eta + h), loss.evaluate(y, eta - h)
    np.testing.assert_allclose(loss.evaluate(y, eta)[1], (down[0] - up[0]) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(loss.curvature(y, eta), (down[1] - up[1]) / (2 * h), atol=1e-8)
    far = np.full((1, 7), 800.0)
    value, score = loss.evaluate(np.zeros((1, 1)), far)
    assert np.isfinite(value).all()
    assert np.isfinite(score).all()


def test_the_compiled_loss_is_the_same() -> None:
    rng = np.random.default_rng(0)
    code = CODES["exhaustive"].astype(float)
    y = rng.integers(0, 4, (200, 1)).astype(float)
    eta = rng.standard_normal((200, 7)) * np.logspace(-3, 2.5, 7)
    plain, compiled = (DichotomyLoss(code, c).evaluate(y, eta) for c in (False, True))
    np.testing.assert_allclose(compiled[0], plain[0], rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(compiled[1], plain[1], rtol=1e-13, atol=1e-300)


def test_hessians_are_those_on_the_diagonal() -> None:
    rng = np.random.default_rng(0)
    block = Block(rng.standard_normal((50, 3)), y=rng.integers(0, 4, (50, 1)).astype(float))
    coef, centre = rng.standard_normal((3, 7)), np.ones(3)
    loss = DichotomyLoss(CODES["exhaustive"].astype(float))
    at = coef, np.zeros(7), centre, loss.curvature
    for compiled in (False, True):
        sums = Curvature.from_block(block, *at, compiled=compiled, diagonal=True).sums
        Z = np.column_stack([block.X - centre, np.ones(50)])
        h = loss.curvature(block.targets, block.X @ coef)
        expected = np.einsum("nk,ni,nj->kij", h, Z, Z)
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-12)


class Quartics:
    """f_m = Σ_j (θ_j − a_m)⁴ + (θ_j − a_m)², far from quadratic."""

    hessian_cost = 3.0

    def __init__(self, at: Any) -> None:
        self.at = np.asarray(at, float)

    def part(self, index: Any) -> "Quartics":
        return Quartics(self.at[index])

    def evaluate(self, theta: Any) -> Any:
        z = theta - self.at[:, None]
        return (z**4 + z**2).sum(axis=1), 4.0 * z**3 + 2.0 * z

    def hessians(self, theta: Any, exact: bool = False) -> Any:
        z = theta - self.at[:, None]
        return np.array([np.diag(row) for row in 12.0 * z**2 + 2.0])

    def sizes(self, gradient: Any) -> Any:
        return np.abs(gradient).max(axis=1)


def test_each_goes_its_own_way_to_its_minimum() -> None:
    problems = Quartics([0.0, 3.0, -100.0])
    bad = np.array([np.eye(2) * s for s in (2.0, 1e-3, 1e3)])  # none of them the Hessian
    found = minimise_each(problems, np.zeros((3, 2)), bad, 1e-9, 100)
    np.testing.assert_allclose(found.theta, np.repeat(problems.at[:, None], 2, axis=1), atol=1e-9)
    assert len(found.traces[0]) == 1
    for trace in found.traces:
        assert (np.diff([step.objective for step in trace]) <= 0.0).all()


def test_rounding_errors_end_it() -> None:
    found = minimise_each(Quartics([1.0]), np.zeros((1, 2)), np.eye(2)[None], 1e-300, 100)
    np.testing.assert_allclose(found.theta, 1.0, rtol=1e-12)
    assert found.passes < 100


def test_the_problem_is_that_of_the_docstring(rows: Any) -> None:
    X, number, rng = rows
    X, w = X / np.abs(X).max(axis=0), rng.uniform(0.5, 2.0, len(X))
    code = CODES["one-vs-rest"]
    table = as_table(X, sample_weight=w).with_group(number)
    coef, intercept, _ = fit_together(table, code, True, 2.0, 1e-10, 100)
    side = code[number]

    def objective(W: Any, b: Any) -> Any:
        loss = np.logaddexp(0.0, -side * (X @ W.T + b))
        return 2.0 * (w @ loss) + 0.5 * np.square(W).sum(axis=1)

    best = objective(coef, intercept)
    for _ in range(10):
        moved = objective(coef + 1e-3 * rng.standard_normal(coef.shape), intercept + 1e-3)
        assert (moved > best).all()
