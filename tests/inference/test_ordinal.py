"""`infer` for ordered classes: polr's numbers, and what follows from the likelihood."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from r_likelihood import R, cases, column, columns_of
from scipy import stats

from linework import LogisticRegression, OrdinalRegression, infer

Array = np.ndarray


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def ordered(rng: np.random.Generator, K: int = 4) -> tuple[Array, Array]:
    X = rng.standard_normal((200, 3)) + np.array([0.0, 4.0, -2.0])
    z = X @ [1.0, -0.5, 0.0] + rng.logistic(size=200)
    return X, np.digitize(z, np.quantile(z, np.arange(1, K) / K))


def fitted(X: Any, y: Any, w: Any = None, **settings: Any) -> Any:
    model = OrdinalRegression(**{"tol": 1e-9, **settings}).fit(X, y, w)
    return infer(model, X, y, sample_weight=w)


@pytest.mark.parametrize("name", cases("ordinal"))
def test_polr(name: str) -> None:
    case = R["ordinal"][name]
    X, y, w = columns_of(case), column(case, case["target"]), column(case, case["weights"])
    result = fitted(X, y, w, link={"logistic": "logit"}.get(name, name))
    estimate = [*case["coef"].values(), *case["thresholds"]]
    np.testing.assert_allclose(result.table.estimate, estimate, rtol=1e-10)
    np.testing.assert_allclose(result.table.std_error, case["se"], rtol=1e-9)
    np.testing.assert_allclose(result.table.statistic, estimate / np.array(case["se"]), rtol=1e-9)
    assert result.deviance == pytest.approx(case["deviance"], rel=1e-13)
    assert result.aic == pytest.approx(case["deviance"] + 14.0, rel=1e-13)
    assert (result.n, result.df_residual) == (w.sum(), w.sum() - 7.0)
    assert result.bic == pytest.approx(case["deviance"] + 7.0 * np.log(w.sum()), rel=1e-13)


def test_two_classes_are_logistic_regression(rng: np.random.Generator) -> None:
    X, y = ordered(rng, 2)
    ours = fitted(X, y)
    model = LogisticRegression(C=np.inf, tol=1e-9).fit(X, y)
    theirs = infer(model, X, y)
    np.testing.assert_allclose(ours.table.std_error, theirs.table.std_error[[1, 2, 3, 0]], 1e-8)
    np.testing.assert_allclose(ours.exp()[:3], theirs.exp()[1:], rtol=1e-8)
    shares, upper = ours.predict(X, "confidence"), theirs.predict(X, "confidence")
    np.testing.assert_allclose(1.0 - shares[:, 0, [0, 2, 1]], upper, rtol=1e-7)
    for name in ("deviance", "null_deviance", "aic", "bic", "df_residual"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_far_from_the_origin_the_slopes_are_as_sure(rng: np.random.Generator, kind: Any) -> None:
    X, y = ordered(rng)
    near, far = fitted(X, y), fitted(kind(X * [1.0, 1e3, 1e-3] + 1e4), y, tol=1e-4)
    scale = np.array([1.0, 1e3, 1e-3])
    np.testing.assert_allclose(far.table.std_error[:3] * scale, near.table.std_error[:3], 1e-6)
    np.testing.assert_allclose(far.table.standardised[:3], near.table.standardised[:3], 1e-6)


def test_weight_two_is_the_row_twice(rng: np.random.Generator) -> None:
    X, y = ordered(rng)
    w = rng.integers(0, 4, len(y))
    weighted, repeated = fitted(X, y, w.astype(float)), fitted(X.repeat(w, axis=0), y.repeat(w))
    np.testing.assert_allclose(weighted.table.std_error, repeated.table.std_error, rtol=1e-7)
    assert weighted.n == repeated.n
    assert weighted.bic == pytest.approx(repeated.bic, rel=1e-12)


class TestTests:
    def test_analysis_of_deviance(self, rng: np.random.Generator) -> None:
        X, y = ordered(rng)
        larger, smaller = fitted(X, y), fitted(X[:, :1], y)
        found = larger.compare(smaller)
        assert found.statistic == pytest.approx(smaller.deviance - larger.deviance, rel=1e-12)
        assert found.df == (2.0,)
        assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 2), rel=1e-12)
        with pytest.raises(ValueError, match="not nested"):
            smaller.compare(larger)
        with pytest.raises(ValueError, match="not nested"):
            larger.compare(fitted(X[:, :1], y, link="probit"))
        with pytest.raises(ValueError, match="not nested"):
            larger.compare(fitted(X[:, :1], np.minimum(y, 2)))

    def test_wald_of_one_coefficient_is_its_square(self, rng: np.random.Generator) -> None:
        result = fitted(*ordered(rng))
        for j, z in enumerate(result.table.statistic):
            found = result.wald(np.eye(6)[j])
            assert found.statistic == pytest.approx(z**2, rel=1e-12)
            assert found.p == pytest.approx(result.table.p_value[j], rel=1e-9)

    def test_intervals(self, rng: np.random.Generator) -> None:
        result = fitted(*ordered(rng))
        half = stats.norm.ppf(0.95) * result.table.std_error
        np.testing.assert_allclose(result.confint(0.9)[:, 1], result.table.estimate + half, 1e-12)

    def test_intervals_of_cumulative_shares(self, rng: np.random.Generator) -> None:
        X, y = ordered(rng)
        model = OrdinalRegression(tol=1e-9).fit(X, y)
        result = infer(model, X, y)
        shares = model.predict_proba(X).cumsum(axis=1)[:, :-1]
        np.testing.assert_allclose(result.predict(X), shares, rtol=1e-12)
        found = result.predict(X[:5], "confidence", 0.9)
        for row, x in zip(found, X[:5], strict=True):
            for k, cut in enumerate(np.eye(3)):  # the delta method, in the coordinates of the table
                along = np.append(-x, cut)
                error = np.sqrt(along @ result.covariance_matrix @ along)
                eta = along @ result.table.estimate + stats.norm.ppf(0.95) * error * np.array(
                    [0.0, -1.0, 1.0]
                )
                np.testing.assert_allclose(row[k], 1.0 / (1.0 + np.exp(-eta)), rtol=1e-9)
        with pytest.raises(ValueError, match="interval is 'prediction'"):
            result.predict(X, "prediction")
        with pytest.raises(ValueError, match="offset"):
            result.predict(X, offset=np.ones(200))


def test_names_and_print(rng: np.random.Generator) -> None:
    X, y = ordered(rng, 3)
    words = np.array(["low", "medium", "high"])
    result = fitted(X, words[y], classes=words)
    assert result.table.names == ("x0", "x1", "x2", "low|medium", "medium|high")
    text = repr(result)
    assert "low|medium" in text
    assert f"Residual Deviance: {result.deviance:.4f}" in text
    assert f"AIC: {result.aic:.1f}"[:-2] in text
    assert "| x0 |" in result.to_markdown()
    assert list(result.to_frame().columns) == [
        "estimate", "std_error", "z", "p", "lower", "upper", "standardised"
    ]  # fmt: skip


class TestRefusals:
    def refuse(self, match: str, model: Any, X: Any, y: Any, **request: Any) -> None:
        with pytest.raises(ValueError, match=match):
            infer(model, X, y, **request)

    def test_of_what_the_model_is_not(self, rng: np.random.Generator) -> None:
        X, y = ordered(rng)
        model = OrdinalRegression().fit(X, y)
        self.refuse("has a penalty, alpha=0.1", OrdinalRegression(alpha=0.1).fit(X, y), X, y)
        self.refuse("is not the fit to these rows", model, X[:, ::-1], y)
        self.refuse("is not the fit to these rows", model, X[:150], y[:150] * 0 + y[:150][::-1])
        self.refuse("classes is .* and the classes in y are", model, X, y + 1)
        self.refuse("offset", model, X, y, offset=np.ones(200))
        for request in ({"covariance": "HC0"}, {"weights": "precision"}):
            self.refuse('"classic" and "frequency" are all there is', model, X, y, **request)

    def test_of_columns_that_others_explain(self, rng: np.random.Generator) -> None:
        X, y = ordered(rng)
        more = np.column_stack([X, X[:, 0] + X[:, 1], np.full(200, 5.0)])
        model = OrdinalRegression().fit(more, y)
        self.refuse("The other columns explain 'x3', 'x4'", model, more, y)
