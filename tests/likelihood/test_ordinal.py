"""Regression for ordered classes: the objective, the optimum, the order, and what is refused."""

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from r_likelihood import R, cases, column, columns_of

from linework import GLM, LogisticRegression, OrdinalRegression, SeparationWarning
from linework.data.sources import as_table
from linework.likelihood import solve as solve_module
from linework.likelihood.ordinal import LINKS_OF_PROBABILITIES
from linework.likelihood.parallel import ParallelProblem, WideParallelProblem
from linework.losses import LINKS, CumulativeLoss

Array = np.ndarray

every_link = pytest.mark.parametrize("link", LINKS_OF_PROBABILITIES)


def ordered(rng: np.random.Generator, n: int = 300, d: int = 3, K: int = 4) -> tuple[Array, Array]:
    """Rows off the origin, and where a linear function with logistic errors lies among cuts."""
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 2.0, d) + np.linspace(-3.0, 5.0, d)
    z = X @ np.linspace(-1.0, 1.0, d) + rng.logistic(size=n)
    return X, np.digitize(z, np.quantile(z, np.arange(1, K) / K))


def tight(link: str = "logit", **settings: Any) -> OrdinalRegression:
    return OrdinalRegression(link, tol=1e-9, **settings)


@every_link
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
class TestObjective:
    def problem(
        self, rng: np.random.Generator, link: str, kind: Any
    ) -> tuple[ParallelProblem, Array]:
        X, y = ordered(rng, 60)
        X = np.column_stack([X, np.full(60, 3.0)])  # the last column does not vary
        table = as_table(kind(X), y.astype(float), rng.integers(0, 3, 60).astype(float))
        loss, null = CumulativeLoss(LINKS[link], 3), np.array([-1.0, 0.2, 1.0])
        it = ParallelProblem.of(table, loss, null, True, 0.3, 0.0)
        coef = np.tile(np.append(0.2 * rng.standard_normal(3), 0.0)[:, None], 3)
        return it, it.parameters(coef, null - it.centre @ coef)

    def test_value(self, rng: np.random.Generator, link: str, kind: Any) -> None:
        it, theta = self.problem(rng, link, kind)
        coef, intercept = it.coefficients(theta)
        np.testing.assert_allclose(it.parameters(coef, intercept), theta, rtol=1e-12)
        assert it.table.y is not None
        values = it.loss.evaluate(it.table.y, it.table.rows(slice(0, 60)) @ coef + intercept)[0]
        wanted = np.average(values, weights=it.table.weight) + 0.15 * np.square(coef[:, 0]).sum()
        assert it.evaluate(theta)[0] == pytest.approx(wanted, rel=1e-12)

    def test_derivatives(self, rng: np.random.Generator, link: str, kind: Any) -> None:
        it, theta = self.problem(rng, link, kind)
        (_, gradient), H, h = it.evaluate(theta), it.second_derivatives(theta), 1e-5
        for j, step in enumerate(h * np.eye(len(theta))):
            if j == 3:  # left where it is
                assert gradient[j] == 0.0
                continue
            (up, above), (down, below) = it.evaluate(theta + step), it.evaluate(theta - step)
            assert gradient[j] == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-8)
            wanted = (above - below) / (2 * h)
            np.testing.assert_allclose(H[:, j], wanted, rtol=1e-6, atol=1e-8)
        np.testing.assert_array_equal(H[3], np.eye(len(theta))[3])

    def test_products_and_their_preconditioner(
        self, rng: np.random.Generator, link: str, kind: Any
    ) -> None:
        it, theta = self.problem(rng, link, kind)
        fields = {field.name: getattr(it, field.name) for field in dataclasses.fields(it)}
        wide = WideParallelProblem(**fields)
        s = rng.standard_normal(len(theta))
        wanted = it.second_derivatives(theta) @ s
        np.testing.assert_allclose(wide.product(theta)(s), wanted, rtol=1e-10, atol=1e-13)
        images = np.array([wide.preconditioner(theta)(row) for row in np.eye(len(theta))])
        np.testing.assert_allclose(images, images.T, rtol=1e-10, atol=1e-12)
        assert (np.linalg.eigvalsh(images) > 0.0).all()

    def test_crossed_thresholds_are_outside_the_domain(
        self, rng: np.random.Generator, link: str, kind: Any
    ) -> None:
        it, theta = self.problem(rng, link, kind)
        theta[-2] = theta[-1] + 0.1
        assert it.evaluate(theta)[0] == np.inf


def test_scaled_gradient_of_thresholds_alone_is_at_most_one(rng: np.random.Generator) -> None:
    X, y = ordered(rng)
    loss, null = CumulativeLoss(LINKS["logit"], 3), LINKS["logit"].link(np.arange(1, 4) / 4)
    along = loss.evaluate(y[:, None], np.tile(null, (len(y), 1)))[1].sum(axis=1)
    for scale in (1e-4, 1e6):
        X[:, 0] = scale * along  # as much as a column can say
        it = ParallelProblem.of(as_table(X, y.astype(float)), loss, null, True, 0.0, 0.0)
        gradient = it.evaluate(it.parameters(np.zeros((3, 3)), null))[1]
        assert it.scaled(gradient) == pytest.approx(1.0, rel=1e-12)


def test_an_indefinite_hessian_is_replaced_by_squares_of_scores(rng: np.random.Generator) -> None:
    X, y = ordered(rng, 40)
    loss, null = CumulativeLoss(LINKS["cauchit"], 3), np.array([-1.0, 0.0, 1.0])
    it = ParallelProblem.of(as_table(X, y.astype(float)), loss, null, True, 0.0, 0.0)
    theta = np.append([3.0, -2.0, 4.0], null)  # far from where the likelihood is concave
    assert np.linalg.eigvalsh(it.second_derivatives(theta))[0] < -1e-4
    coef, intercept = it.coefficients(theta)
    r = loss.evaluate(y[:, None], X @ coef + intercept)[1]
    scores = np.column_stack([(X - it.centre) * r.sum(axis=1)[:, None], r])
    np.testing.assert_allclose(it.hessian(theta), scores.T @ scores / 40, rtol=1e-9, atol=1e-12)


def test_rows_drawn_by_curvature_of_either_sign_estimate_the_hessian(
    rng: np.random.Generator,
) -> None:
    """Rows of negative curvature are drawn by its size, and keep its sign."""
    X, y = ordered(rng, 4_000)
    loss, null = CumulativeLoss(LINKS["cauchit"], 3), np.array([-1.0, 0.0, 1.0])
    whole = ParallelProblem.of(as_table(X, y.astype(float)), loss, null, True, 0.0, 0.0)
    theta = np.append([0.5, 0.0, -0.5], null)
    part = whole.focused(theta, 400)
    assert part.table.n_rows <= 400
    exact, estimate = whole.second_derivatives(theta), part.second_derivatives(theta)
    root = np.sqrt(exact.diagonal())
    assert np.abs((estimate - exact) / np.outer(root, root)).max() < 0.3


class TestOptimum:
    @pytest.mark.parametrize("name", cases("ordinal"))
    def test_is_that_of_polr(self, name: str) -> None:
        case = R["ordinal"][name]
        model = tight({"logistic": "logit"}.get(name, name))
        X, y, w = columns_of(case), column(case, case["target"]), column(case, case["weights"])
        model.fit(X, y, sample_weight=w)
        np.testing.assert_allclose(model.coef_, list(case["coef"].values()), rtol=1e-10)
        np.testing.assert_allclose(model.thresholds_, case["thresholds"], rtol=1e-10)
        assert model.deviance_ == pytest.approx(case["deviance"], rel=1e-13)

    @every_link
    def test_two_classes_are_a_binomial_model_of_the_lower(
        self, rng: np.random.Generator, link: str
    ) -> None:
        X, y = ordered(rng, K=2)
        model, glm = tight(link).fit(X, y), GLM("binomial", link, tol=1e-9).fit(X, y == 0)
        np.testing.assert_allclose(model.coef_, -glm.coef_, rtol=1e-8)
        np.testing.assert_allclose(model.thresholds_, [glm.intercept_], rtol=1e-8)
        assert model.deviance_ == pytest.approx(glm.deviance_, rel=1e-12)
        assert model.null_deviance_ == pytest.approx(glm.null_deviance_, rel=1e-12)

    def test_two_classes_are_logistic_regression(self, rng: np.random.Generator) -> None:
        X, y = ordered(rng, K=2)
        model, logistic = tight().fit(X, y), LogisticRegression(C=np.inf, tol=1e-9).fit(X, y)
        np.testing.assert_allclose(model.coef_, logistic.coef_[0], rtol=1e-8)
        for method in ("predict", "predict_log_proba", "decision_function"):
            ours, theirs = getattr(model, method)(X), getattr(logistic, method)(X)
            np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9)
        penalised = tight(alpha=0.1).fit(X, y)
        ridge = LogisticRegression(C=1.0 / (0.1 * len(X)), tol=1e-9).fit(X, y)
        np.testing.assert_allclose(penalised.coef_, ridge.coef_[0], rtol=1e-8)

    @pytest.mark.parametrize("link", ["logit", "probit", "cauchit", "cloglog"])
    def test_the_order_seen_from_above(self, rng: np.random.Generator, link: str) -> None:
        X, y = ordered(rng)
        model = tight(link).fit(X, y)
        mirrored = "loglog" if link == "cloglog" else link
        from_above = tight(mirrored, classes=[3, 2, 1, 0]).fit(X, y)
        assert from_above.classes_.tolist() == [3, 2, 1, 0]
        np.testing.assert_allclose(from_above.coef_, -model.coef_, rtol=1e-7)
        np.testing.assert_allclose(from_above.thresholds_, -model.thresholds_[::-1], rtol=1e-7)
        shares = from_above.predict_proba(X)[:, ::-1]
        np.testing.assert_allclose(shares, model.predict_proba(X), rtol=1e-7)

    @every_link
    def test_is_reached_whatever_the_columns(self, rng: np.random.Generator, link: str) -> None:
        X, y = ordered(rng, 2_000, 6)
        X[:, 1] += 7.0 * X[:, 0]  # correlation 0.99
        scale = np.logspace(-4, 4, 6)
        model, scaled = tight(link).fit(X, y), tight(link).fit(X * scale + 10 * scale, y)
        for it in (model, scaled):
            assert it.convergence_.value < 1e-8
        np.testing.assert_allclose(scaled.coef_ * scale, model.coef_, rtol=1e-7)
        moved = model.thresholds_ + 10.0 * model.coef_.sum()
        np.testing.assert_allclose(scaled.thresholds_, moved, rtol=1e-7)

    def test_a_sample_leads_to_the_same(self, rng: np.random.Generator) -> None:
        """Many rows, of a rare class in the middle that a sample may miss."""
        X, _ = ordered(rng, 60_000)
        z = X @ [1.0, -0.5, 0.3] + rng.logistic(size=60_000)
        y = np.digitize(z, [-4.0, -3.999, 0.0])
        model = OrdinalRegression().fit(X, y)
        assert model.convergence_.value < 1e-8
        counts = np.bincount(y)
        assert counts[1] < 20
        # At the maximum of a logit model the mean residual of every threshold is zero.
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=0), counts, rtol=0.02)

    def test_no_matrix_gives_the_same(
        self, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        X = sp.random_array((400, 30), density=0.2, format="csr", random_state=rng)
        y = np.digitize(X @ rng.standard_normal(30) + rng.logistic(size=400), [-1.0, 1.0])
        model = tight(alpha=0.01).fit(X, y)
        monkeypatch.setattr(solve_module, "WIDE", 8)
        wide = tight(alpha=0.01).fit(X, y)
        assert wide.convergence_.passes != model.convergence_.passes
        np.testing.assert_allclose(wide.coef_, model.coef_, rtol=1e-8)
        np.testing.assert_allclose(wide.thresholds_, model.thresholds_, rtol=1e-8)

    def test_columns_that_say_nothing_new_change_no_prediction(
        self, rng: np.random.Generator
    ) -> None:
        X, y = ordered(rng)
        more = np.column_stack([X, X[:, 0], np.full(len(X), 7.0), np.zeros(len(X))])
        model, other = tight().fit(X, y), tight().fit(more, y)
        np.testing.assert_allclose(other.predict_proba(more), model.predict_proba(X), rtol=1e-7)
        np.testing.assert_allclose(other.coef_[-2:], 0.0, atol=1e-15)
        assert other.coef_[0] == pytest.approx(other.coef_[3], rel=1e-6)  # of least norm


class TestAnswers:
    @every_link
    def test_deviance_is_that_of_the_probabilities(
        self, rng: np.random.Generator, link: str
    ) -> None:
        X, y = ordered(rng)
        w = rng.integers(0, 3, len(y)).astype(float)
        model = tight(link, alpha=0.1).fit(X, y, w)
        own = model.predict_log_proba(X)[np.arange(len(y)), y]
        assert model.deviance_ == pytest.approx(-2.0 * w @ own, rel=1e-12)
        share = np.bincount(y, w) / w.sum()
        assert model.null_deviance_ == pytest.approx(-2.0 * w @ np.log(share[y]), rel=1e-12)
        flat = tight(link).fit(np.ones((len(y), 1)), y, w)
        assert flat.deviance_ == pytest.approx(model.null_deviance_, rel=1e-12)

    def test_probabilities_are_steps_of_the_cumulative_ones(self, rng: np.random.Generator) -> None:
        X, y = ordered(rng)
        model = tight().fit(X, y)
        eta = model.thresholds_ - model.linear_predictor(X)[:, None]
        cumulative = np.cumsum(model.predict_proba(X), axis=1)[:, :-1]
        np.testing.assert_allclose(cumulative, LINKS["logit"].mean(eta), rtol=1e-12)
        np.testing.assert_allclose(model.linear_predictor(X), X @ model.coef_, rtol=1e-13)
        assert (np.diff(model.thresholds_) > 0.0).all()
        best = model.predict_proba(X).argmax(axis=1)
        np.testing.assert_array_equal(model.predict(X), best)

    def test_classes_in_a_given_order(self, rng: np.random.Generator) -> None:
        X, y = ordered(rng, K=3)
        words = np.array(["low", "medium", "high"])
        model, named = tight().fit(X, y), tight(classes=words).fit(X, words[y])
        assert named.classes_.tolist() == ["low", "medium", "high"]
        np.testing.assert_array_equal(named.coef_, model.coef_)
        np.testing.assert_array_equal(named.predict(X), words[model.predict(X)])

    def test_an_ordered_categorical_tells_the_order(self, rng: np.random.Generator) -> None:
        pd = pytest.importorskip("pandas")
        X, y = ordered(rng, K=3)
        words = ["low", "medium", "high"]
        kind = pd.CategoricalDtype(["none", *words], ordered=True)  # a category without rows
        labels = pd.Series(np.array(words)[y]).astype(kind)
        model = tight().fit(X, labels)
        assert model.classes_.tolist() == words
        np.testing.assert_array_equal(model.coef_, tight().fit(X, y).coef_)


class TestSeparation:
    @every_link
    @pytest.mark.parametrize("y", [[0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 1, 2]])
    def test_is_warned_of_with_its_columns(self, link: str, y: list[int]) -> None:
        X = np.column_stack([np.arange(6.0), np.ones(6)])
        with pytest.warns(SeparationWarning, match="function of 'x0' tells ordered"):
            OrdinalRegression(link).fit(X, y)

    @every_link
    @pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
    def test_of_one_end_is_enough(self, rng: np.random.Generator, link: str, kind: Any) -> None:
        """Where rows of a rare level are all of the highest class, its slope is infinite."""
        X, y = ordered(rng)
        rare = (np.arange(len(y)) % 50 == 0) & (y == 3)
        with pytest.warns(SeparationWarning, match="function of 'x3' tells"):
            OrdinalRegression(link).fit(kind(np.column_stack([X, rare])), y)

    def test_is_not_seen_where_there_is_none(self, rng: np.random.Generator) -> None:
        X, y = ordered(rng)
        X = 100.0 * X[:, :1]
        X[:2] = [[-5e4], [5e4]]  # certain of two rows, which says nothing of the others
        y[:2] = (3, 0) if np.corrcoef(X[2:, 0], y[2:])[0, 1] < 0 else (0, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            OrdinalRegression().fit(X, y)

    def test_with_a_penalty_there_is_an_answer(self) -> None:
        model = OrdinalRegression(alpha=1e-3).fit(np.arange(6.0)[:, None], [0, 0, 1, 1, 2, 2])
        assert model.convergence_.converged


class TestRefusals:
    X = np.arange(6.0)[:, None]
    y = ("a", "c", "b", "b", "a", "c")

    @pytest.mark.parametrize("classes", [["a", "b"], ["a", "b", "c", "d"], ["a", "b", "c", "c"]])
    def test_of_classes_that_are_not_those_of_y(self, classes: list[str]) -> None:
        with pytest.raises(ValueError, match=r"classes is .* and the classes in y are"):
            OrdinalRegression(classes=classes).fit(self.X, self.y)

    @pytest.mark.parametrize("link", ["log", "identity", "logistic"])
    def test_of_links_that_are_no_distribution(self, link: str) -> None:
        with pytest.raises(ValueError, match="logit, probit, cloglog, loglog, cauchit are known"):
            OrdinalRegression(link).fit(self.X, self.y)

    def test_of_one_class(self) -> None:
        with pytest.raises(ValueError, match="of 1 class, and OrdinalRegression orders two"):
            OrdinalRegression().fit(self.X, ["a"] * 6)

    def test_of_a_negative_penalty(self) -> None:
        with pytest.raises(ValueError, match="alpha"):
            OrdinalRegression(alpha=-1.0).fit(self.X, self.y)


def test_float32_rows_give_the_answer_within_their_reach(rng: np.random.Generator) -> None:
    X, y = ordered(rng)
    single, double = OrdinalRegression().fit(X.astype(np.float32), y), tight().fit(X, y)
    assert single.coef_.dtype == single.thresholds_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4)
