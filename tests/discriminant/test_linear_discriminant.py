"""Linear discriminant analysis against its formulas and scikit-learn's."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import discriminant_analysis as peer

from linework import LinearDiscriminantAnalysis

Array = np.ndarray
Rows = Callable[..., tuple[Array, Array]]


def formula(X: Array, y: Array, w: Array, priors: Array, sigma: Array) -> Array:
    """Scores xᵀΣ⁻¹m_k − ½ m_kᵀΣ⁻¹m_k + ln π_k."""
    means = np.array([np.average(X[y == k], axis=0, weights=w[y == k]) for k in np.unique(y)])
    inverse = np.linalg.inv(sigma)
    return (
        X @ inverse @ means.T
        - 0.5 * np.einsum("kd,de,ke->k", means, inverse, means)
        + np.log(priors)
    )


def pooled(X: Array, y: Array, w: Array, divisor: float) -> Array:
    scatter = np.zeros((X.shape[1],) * 2)
    for k in np.unique(y):
        Z = X[y == k] - np.average(X[y == k], axis=0, weights=w[y == k])
        scatter += (Z * w[y == k, None]).T @ Z
    return scatter / divisor


class TestFormulas:
    @pytest.mark.parametrize("unbiased", [True, False])
    @pytest.mark.parametrize("shrinkage", [None, 0.0, 0.3, 1.0])
    @pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
    def test_posteriors(
        self, unbiased: bool, shrinkage: Any, priors: Any, gaussian: Rows, rng: Any
    ) -> None:
        X, y = gaussian()
        w = rng.uniform(0.5, 2.0, len(y))
        sigma = pooled(X, y, w, w.sum() - 3 * unbiased)
        s, d = shrinkage or 0.0, X.shape[1]
        sigma = (1 - s) * sigma + s * np.trace(sigma) / d * np.eye(d)
        share = np.bincount(y, w) / w.sum() if priors is None else np.array(priors)
        model = LinearDiscriminantAnalysis(
            shrinkage=shrinkage, unbiased=unbiased, priors=priors, store_covariance=True
        ).fit(X, y, sample_weight=w)
        np.testing.assert_allclose(model.covariance_, sigma, rtol=1e-12)
        np.testing.assert_allclose(model.priors_, share, rtol=1e-12)
        scores = formula(X, y, w, share, sigma)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        wanted = odds / odds.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(X), wanted, rtol=1e-9)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), wanted, rtol=1e-9)
        np.testing.assert_array_equal(model.predict(X), wanted.argmax(axis=1))

    def test_scalings_solve_the_eigenproblem(self, gaussian: Rows) -> None:
        X, y = gaussian(4)
        model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
        W, sigma = model.scalings_, model.covariance_
        centred = model.means_ - model.priors_ @ model.means_
        between = (centred.T * model.priors_) @ centred
        np.testing.assert_allclose(W.T @ sigma @ W, np.eye(3), atol=1e-10)
        values = np.diag(W.T @ between @ W)
        np.testing.assert_allclose(between @ W, sigma @ W * values, atol=1e-10)
        assert (np.diff(values) < 0).all()
        np.testing.assert_allclose(model.explained_variance_ratio_, values / values.sum())
        np.testing.assert_allclose(model.transform(X), (X - model.xbar_) @ W, atol=1e-12)

    def test_a_prior_of_zero_is_never_told(self, gaussian: Rows) -> None:
        X, y = gaussian()
        model = LinearDiscriminantAnalysis(priors=[0.5, 0.0, 0.5]).fit(X, y)
        assert set(model.predict(X)) == {0, 2}
        assert (model.predict_proba(X)[:, 1] == 0.0).all()

    def test_priors_do_not_move_sigma(self, gaussian: Rows) -> None:
        X, y = gaussian()
        one, other = (
            LinearDiscriminantAnalysis(priors=priors, store_covariance=True).fit(X, y)
            for priors in (None, [0.8, 0.1, 0.1])
        )
        np.testing.assert_array_equal(one.covariance_, other.covariance_)


class TestScikitLearn:
    @pytest.mark.parametrize("n_classes", [2, 3, 6])
    @pytest.mark.parametrize("shrinkage", [None, 0.4, "auto"])
    def test_agrees_by_maximum_likelihood(
        self, n_classes: int, shrinkage: Any, gaussian: Rows
    ) -> None:
        X, y = gaussian(n_classes)
        ours = LinearDiscriminantAnalysis(shrinkage=shrinkage, unbiased=False).fit(X, y)
        theirs = peer.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
        for name in ("means_", "priors_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), 1e-8, 1e-250)
        for name in ("coef_", "intercept_"):
            a, b = getattr(ours, name), getattr(theirs, name)
            if n_classes > 2:  # theirs are taken off zero by this solver, ours off x̄
                a, b = np.diff(a, axis=0), np.diff(b, axis=0)
            np.testing.assert_allclose(a, b, rtol=1e-8)

    @pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
    def test_lines_are_those_of_the_svd_solver(self, priors: Any, gaussian: Rows) -> None:
        X, y = gaussian()
        ours = LinearDiscriminantAnalysis(unbiased=False, priors=priors).fit(X, y)
        theirs = peer.LinearDiscriminantAnalysis(priors=priors).fit(X, y)
        for name in ("coef_", "intercept_", "xbar_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8)
        scores = ours.decision_function(X)
        np.testing.assert_allclose(scores, theirs.decision_function(X), rtol=1e-8)
        np.testing.assert_allclose(abs(ours.transform(X)), abs(theirs.transform(X)), rtol=1e-7)
        share = theirs.explained_variance_ratio_
        np.testing.assert_allclose(ours.explained_variance_ratio_, share, rtol=1e-8)

    @pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
    def test_its_conventions_are_those_we_tell_of(self, solver: str, gaussian: Rows) -> None:
        X, y = gaussian()
        n, own = np.bincount(y), [np.cov(X[y == k].T, bias=True) for k in range(3)]
        priors = np.array([0.2, 0.3, 0.5])
        theirs = peer.LinearDiscriminantAnalysis(
            solver=solver, priors=priors, store_covariance=True
        ).fit(X, y)
        mixed = np.tensordot(priors, own, axes=1)
        np.testing.assert_allclose(theirs.covariance_, mixed, rtol=1e-10)
        used = np.tensordot(n / n.sum(), own, axes=1) if solver == "svd" else mixed
        wanted = np.exp(formula(X, y, np.ones(len(y)), priors, used))
        wanted /= wanted.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(theirs.predict_proba(X), wanted, rtol=1e-8)
        if solver != "lsqr":
            theirs.set_params(priors=None).fit(X, y)
            ours = LinearDiscriminantAnalysis().fit(X, y)
            longer = abs(theirs.scalings_[:, :2] / ours.scalings_)
            np.testing.assert_allclose(longer, np.sqrt(len(y) / (len(y) - 3)), rtol=1e-7)


class TestSymmetries:
    def test_affine_maps_of_the_rows_change_nothing(
        self, gaussian: Rows, rng: np.random.Generator
    ) -> None:
        X, y = gaussian()
        A, b = rng.standard_normal((4, 4)) + 2 * np.eye(4), 100.0 * rng.standard_normal(4)
        one, other = (LinearDiscriminantAnalysis().fit(Z, y) for Z in (X, X @ A + b))
        np.testing.assert_allclose(
            other.predict_log_proba(X @ A + b), one.predict_log_proba(X), rtol=1e-8, atol=1e-10
        )
        np.testing.assert_allclose(
            abs(other.transform(X @ A + b)), abs(one.transform(X)), atol=1e-9
        )

    def test_signs_follow_the_largest_entry(self, gaussian: Rows) -> None:
        X, y = gaussian(4)
        model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
        W = model.scalings_ * np.sqrt(np.diag(model.covariance_))[:, None]
        assert (W[abs(W).argmax(axis=0), range(3)] > 0).all()

    def test_a_mean_of_a_thousand_costs_no_digits(self, gaussian: Rows) -> None:
        X, y = gaussian()
        near, far = (LinearDiscriminantAnalysis().fit(Z, y) for Z in (X, X + 1e6))
        np.testing.assert_allclose(
            far.predict_log_proba(X + 1e6), near.predict_log_proba(X), rtol=1e-6, atol=1e-8
        )


class TestSingular:
    def test_a_column_twice_counts_once(self, gaussian: Rows) -> None:
        X, y = gaussian()
        one = LinearDiscriminantAnalysis().fit(X, y)
        twice = LinearDiscriminantAnalysis().fit(X[:, [0, 1, 2, 3, 1]], y)
        assert twice.rank_ == one.rank_ == 4
        np.testing.assert_allclose(
            twice.predict_log_proba(X[:, [0, 1, 2, 3, 1]]), one.predict_log_proba(X), rtol=1e-8
        )

    def test_more_columns_than_rows(self, rng: np.random.Generator) -> None:
        X, y = rng.standard_normal((20, 50)), np.arange(20) % 3
        model = LinearDiscriminantAnalysis().fit(X, y)
        assert model.rank_ == 17
        assert np.isfinite(model.predict_proba(X)).all()

    def test_a_column_that_tells_all_is_named(self, gaussian: Rows) -> None:
        pd = pytest.importorskip("pandas")
        X, y = gaussian()
        X[:, 2] = y == 1
        with pytest.warns(UserWarning, match="Column 'c' is constant within every class"):
            LinearDiscriminantAnalysis().fit(pd.DataFrame(X, columns=list("abcd")), y)


class TestSparse:
    def test_is_as_dense_and_not_densified(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(3)
        X = sp.random_array((400, 30), density=0.05, rng=rng, format="csr")
        y = rng.integers(0, 3, 400)
        dense = LinearDiscriminantAnalysis(shrinkage=0.1).fit(X.toarray(), y)

        def refuse(*_: Any, **__: Any) -> None:
            raise AssertionError("densified")

        # What is K × d or d × d may be dense; rows may not.
        toarray = sp.csr_array.toarray
        monkeypatch.setattr(
            sp.csr_array, "toarray", lambda M: refuse() if M.shape[0] > 60 else toarray(M)
        )
        model = LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, y)
        np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-10)
        told = model.predict_log_proba(X)
        projected = model.transform(X)
        left_out = model.leave_one_out(X, y, method="predict_log_proba")
        monkeypatch.undo()
        np.testing.assert_allclose(told, dense.predict_log_proba(X.toarray()), rtol=1e-9)
        np.testing.assert_allclose(projected, dense.transform(X.toarray()), atol=1e-10)
        wanted = dense.leave_one_out(X.toarray(), y, method="predict_log_proba")
        np.testing.assert_allclose(left_out, wanted, rtol=1e-9)


@pytest.mark.slow
def test_many_classes_take_k_d_and_d_d_numbers() -> None:
    n_classes, d = 20_000, 100
    rng = np.random.default_rng(0)
    y = np.arange(3 * n_classes) % n_classes
    means = 3.0 * rng.standard_normal((n_classes, d))
    X = means[y] + rng.standard_normal((len(y), d))
    LinearDiscriminantAnalysis().fit(X[:100], y[:100] % 3)  # loads what it needs
    tracemalloc.start()
    try:
        model = LinearDiscriminantAnalysis(n_components=5).fit(X, y)
        held, peak = tracemalloc.get_traced_memory()
        assert held < 8 * 10 * n_classes * d
        assert peak < n_classes * d * d * 8 / 5
        told = model.predict(X[:1000])
        assert tracemalloc.get_traced_memory()[1] < n_classes * d * d * 8 / 5
    finally:
        tracemalloc.stop()
    assert (told == y[:1000]).mean() > 0.5
    assert model.transform(X[:10]).shape == (10, 5)
    assert max(a.size for a in vars(model).values() if isinstance(a, np.ndarray)) <= n_classes * d


class TestComponents:
    @pytest.mark.parametrize("wanted", [1, 2, None])
    def test_as_many_as_wanted(self, wanted: int | None, gaussian: Rows) -> None:
        X, y = gaussian()
        model = LinearDiscriminantAnalysis(n_components=wanted).fit(X, y)
        n = wanted or 2
        assert model.transform(X).shape == (90, n)
        assert model.explained_variance_ratio_.shape == (n,)
        names = [f"lineardiscriminantanalysis{j}" for j in range(n)]
        assert list(model.get_feature_names_out()) == names

    def test_no_more_than_there_are(self, gaussian: Rows) -> None:
        X, y = gaussian()
        with pytest.raises(ValueError, match="it is 3, and there are 2 directions"):
            LinearDiscriminantAnalysis(n_components=3).fit(X, y)
