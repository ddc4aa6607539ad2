"""Fisher's discriminant: its objectives, directions, thresholds and singular choices."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from linework import FisherDiscriminant, LinearDiscriminantAnalysis

Array = np.ndarray
Rows = Callable[..., tuple[Array, Array]]


def scatters(X: Array, y: Array) -> tuple[Array, Array]:
    """S_b and S_w."""
    m = X.mean(axis=0)
    between, within = np.zeros((2, X.shape[1], X.shape[1]))
    for k in np.unique(y):
        rows = X[y == k]
        own = rows.mean(axis=0)
        between += len(rows) * np.outer(own - m, own - m)
        within += (rows - own).T @ (rows - own)
    return between, within


class TestTwoClasses:
    def test_direction_is_that_of_the_formula(self, gaussian: Rows) -> None:
        X, y = gaussian(2)
        model = FisherDiscriminant().fit(X, y)
        between, within = scatters(X, y)
        apart = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
        w = np.linalg.solve(within, apart)
        told = model.scalings_[:, 0]
        np.testing.assert_allclose(told / np.linalg.norm(told), w / np.linalg.norm(w), rtol=1e-10)
        assert told @ within @ told == pytest.approx(len(y) - 2)
        J = w @ between @ w / (w @ within @ w)
        assert model.criterion_ == pytest.approx([J], rel=1e-10)
        assert model.objective_ == pytest.approx(J, rel=1e-10)
        assert model.separation_ratio_ == pytest.approx([1.0])

    def test_no_direction_is_better(self, gaussian: Rows, rng: np.random.Generator) -> None:
        X, y = gaussian(2)
        between, within = scatters(X, y)
        W = rng.standard_normal((4, 500))
        J = np.einsum("ji,jk,ki->i", W, between, W) / np.einsum("ji,jk,ki->i", W, within, W)
        assert FisherDiscriminant().fit(X, y).criterion_[0] > J.max()

    def test_the_second_class_lies_further_along(self, gaussian: Rows) -> None:
        X, y = gaussian(2)
        for labels in (y, 1 - y):
            for criterion in ("ratio-trace", "trace-ratio"):
                along = FisherDiscriminant(criterion=criterion).fit(X, labels).transform(X)[:, 0]
                assert along[labels == 1].mean() > along[labels == 0].mean()

    @pytest.mark.parametrize("threshold", ["midpoint", "prior", "equal-density"])
    def test_rows_are_told_by_the_threshold(self, threshold: str, gaussian: Rows) -> None:
        X, y = gaussian(2)
        model = FisherDiscriminant(threshold=threshold).fit(X, y)
        along = model.transform(X)[:, 0]
        np.testing.assert_array_equal(model.predict(X), along > model.threshold_)
        np.testing.assert_allclose(model.decision_function(X), along - model.threshold_)

    def test_midpoint(self, gaussian: Rows) -> None:
        X, y = gaussian(2)
        y[:15] = 1
        model = FisherDiscriminant().fit(X, y)
        along = model.transform(X)[:, 0]
        middle = (along[y == 0].mean() + along[y == 1].mean()) / 2
        assert model.threshold_ == pytest.approx(middle, rel=1e-10)

    def test_prior_is_linear_discriminant_analysis(self, gaussian: Rows) -> None:
        X, y = gaussian(2)
        y[:15] = 1
        model = FisherDiscriminant(threshold="prior").fit(X, y)
        along = model.transform(X)[:, 0]
        low, high = along[y == 0], along[y == 1]
        pooled = (((low - low.mean()) ** 2).sum() + ((high - high.mean()) ** 2).sum()) / 88
        shift = pooled * np.log(len(low) / len(high)) / (high.mean() - low.mean())
        middle = (low.mean() + high.mean()) / 2
        assert model.threshold_ == pytest.approx(middle + shift, rel=1e-10)
        np.testing.assert_array_equal(
            model.predict(X), LinearDiscriminantAnalysis().fit(X, y).predict(X)
        )

    def test_equal_density(self, gaussian: Rows) -> None:
        X, y = gaussian(2)
        X[y == 1] *= 3.0
        model = FisherDiscriminant(threshold="equal-density").fit(X, y)
        along = model.transform(X)[:, 0]
        classes = [along[y == k] for k in (0, 1)]
        densities = [norm(part.mean(), part.std()).pdf(model.threshold_) for part in classes]
        assert densities[0] == pytest.approx(densities[1], rel=1e-9)
        assert classes[0].mean() < model.threshold_ < classes[1].mean()

    def test_equal_density_of_equal_variances_is_the_midpoint(self) -> None:
        x = np.array([-1.0, 0.0, 1.0])
        X, y = np.concatenate([x, x + 5.0])[:, None], np.repeat([0, 1], 3)
        for threshold in ("midpoint", "equal-density"):
            model = FisherDiscriminant(threshold=threshold).fit(X, y)
            assert model.threshold_ == pytest.approx(0.0, abs=1e-12)


class TestManyClasses:
    def test_directions_solve_the_eigenproblem(self, gaussian: Rows) -> None:
        X, y = gaussian(4, d=5)
        model = FisherDiscriminant().fit(X, y)
        between, within = scatters(X, y)
        W, J = model.scalings_, model.criterion_
        assert W.shape == (5, 3)
        np.testing.assert_allclose(between @ W, within @ W * J, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(W.T @ within @ W, np.eye(3) * (len(y) - 4), atol=1e-8)
        assert (np.diff(J) < 0.0).all()
        np.testing.assert_allclose(model.separation_ratio_, J / J.sum())
        assert model.threshold_ is None

    @pytest.mark.parametrize("n_components", [1, 2, 3])
    def test_rows_are_of_the_nearest_centroid(self, n_components: int, gaussian: Rows) -> None:
        X, y = gaussian(4, d=5)
        model = FisherDiscriminant(n_components).fit(X, y)
        Z = model.transform(X)
        assert Z.shape[1] == n_components
        centroids = np.array([Z[y == k].mean(axis=0) for k in range(4)])
        squares = np.square(Z[:, None] - centroids).sum(axis=2)
        np.testing.assert_array_equal(model.predict(X), squares.argmin(axis=1))
        scores = model.decision_function(X)
        np.testing.assert_allclose(
            scores - scores[:, :1], 0.5 * (squares[:, :1] - squares), rtol=1e-8, atol=1e-9
        )

    @pytest.mark.parametrize(("n_classes", "d", "most"), [(2, 5, 1), (4, 5, 3), (6, 3, 3)])
    def test_no_more_directions_than_classes_less_one(
        self, n_classes: int, d: int, most: int, gaussian: Rows
    ) -> None:
        X, y = gaussian(n_classes, d=d)
        assert FisherDiscriminant().fit(X, y).scalings_.shape == (d, most)
        with pytest.raises(ValueError, match=f"there are {most} directions"):
            FisherDiscriminant(most + 1).fit(X, y)

    def test_means_on_a_line_have_one_direction(self, rng: np.random.Generator) -> None:
        z = rng.standard_normal((30, 3))
        X = np.vstack([z + np.array([start, 0.0, 0.0]) for start in (0.0, 5.0, 9.0)])
        model = FisherDiscriminant().fit(X, np.repeat([0, 1, 2], 30))
        assert model.scalings_.shape == (3, 1)
        assert model.transform(X).shape == (90, 1)

    def test_signs_do_not_depend_on_order_or_units(self, gaussian: Rows) -> None:
        X, y = gaussian(4)
        W = FisherDiscriminant().fit(X, y).scalings_
        back = FisherDiscriminant().fit(X[::-1], 3 - y[::-1]).scalings_
        np.testing.assert_allclose(back, W, rtol=1e-8)
        units = np.array([1e-3, 1.0, 1e2, 1e5])
        scaled = FisherDiscriminant().fit(X * units, y).scalings_
        np.testing.assert_allclose(scaled * units[:, None], W, rtol=1e-8)


class TestObjectives:
    def test_each_is_best_by_its_own(self, gaussian: Rows, rng: np.random.Generator) -> None:
        X, y = gaussian(4, d=6)
        X *= np.logspace(-1, 1, 6)
        between, within = scatters(X, y)

        def ratio_trace(W: Array) -> float:
            return float(np.trace(np.linalg.solve(W.T @ within @ W, W.T @ between @ W)))

        def trace_ratio(W: Array) -> float:
            Q = np.linalg.qr(W)[0]
            return float(np.trace(Q.T @ between @ Q) / np.trace(Q.T @ within @ Q))

        some = [rng.standard_normal((6, 2)) for _ in range(300)]
        best: dict[str, Any] = {}
        for criterion, objective in (("ratio-trace", ratio_trace), ("trace-ratio", trace_ratio)):
            model = FisherDiscriminant(2, criterion=criterion).fit(X, y)
            best[criterion] = model.scalings_
            assert model.objective_ == pytest.approx(objective(model.scalings_), rel=1e-9)
            assert model.objective_ >= max(map(objective, some))
            assert model.criterion_ == pytest.approx(
                [w @ between @ w / (w @ within @ w) for w in model.scalings_.T], rel=1e-9
            )
        W = best["trace-ratio"]
        np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-10)
        assert trace_ratio(W) > 1.01 * trace_ratio(best["ratio-trace"])
        assert ratio_trace(W) < 0.99 * ratio_trace(best["ratio-trace"])

    def test_agree_for_one_direction(self, gaussian: Rows) -> None:
        X, y = gaussian(2)
        one, other = (
            FisherDiscriminant(criterion=c).fit(X, y) for c in ("ratio-trace", "trace-ratio")
        )
        assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)
        np.testing.assert_array_equal(one.predict(X), other.predict(X))


class TestSingular:
    @pytest.fixture
    def wide(self, rng: np.random.Generator) -> tuple[Array, Array]:
        y = np.arange(21) % 3
        return (rng.standard_normal((21, 40)) + y[:, None]) * np.logspace(-2, 2, 40), y

    def test_null_space_has_no_spread_and_tells_training_rows(
        self, wide: tuple[Array, Array]
    ) -> None:
        X, y = wide
        model = FisherDiscriminant(singular="null-space").fit(X, y)
        between, within = scatters(X, y)
        W = model.scalings_
        assert W.shape == (40, 2)
        assert model.rank_ == 18
        assert abs(W.T @ within @ W).max() < 1e-10 * np.trace(within)
        assert (np.diag(W.T @ between @ W) > 0.1).all()
        assert np.isinf(model.criterion_).all()
        assert model.objective_ == np.inf
        assert model.separation_ratio_.sum() == pytest.approx(1.0)
        assert model.score(X, y) == 1.0

    def test_pseudo_inverse_stays_where_there_is_spread(self, wide: tuple[Array, Array]) -> None:
        X, y = wide
        for criterion in ("ratio-trace", "trace-ratio"):
            model = FisherDiscriminant(criterion=criterion).fit(X, y)
            _, within = scatters(X, y)
            assert model.rank_ == 18
            assert (np.diag(model.scalings_.T @ within @ model.scalings_) > 0.0).all()
            assert np.isfinite(model.criterion_).all()

    @pytest.mark.parametrize("share", [0.01, 0.5, 1.0])
    def test_shrink_adds_spread_everywhere(self, share: float, wide: tuple[Array, Array]) -> None:
        X, y = wide
        model = FisherDiscriminant(singular="shrink", shrinkage=share).fit(X, y)
        between, within = scatters(X, y)
        within = (1 - share) * within + share * np.trace(within) / 40 * np.eye(40)
        W = model.scalings_
        np.testing.assert_allclose(between @ W, within @ W * model.criterion_, atol=1e-7)
        assert model.rank_ == 40

    def test_with_an_inverse_pseudo_inverse_and_null_space_are_plain(self, gaussian: Rows) -> None:
        X, y = gaussian()
        one, other = (
            FisherDiscriminant(singular=c).fit(X, y) for c in ("pseudo-inverse", "null-space")
        )
        np.testing.assert_array_equal(one.scalings_, other.scalings_)


def test_weights_move_means_and_scatters(gaussian: Rows, rng: np.random.Generator) -> None:
    X, y = gaussian(4, d=5)
    w = rng.integers(1, 4, len(y))
    between, within = scatters(X.repeat(w, axis=0), y.repeat(w))
    model = FisherDiscriminant().fit(X, y, sample_weight=w)
    W = model.scalings_
    np.testing.assert_allclose(between @ W, within @ W * model.criterion_, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["criterion", "singular", "threshold"])
def test_unknown_choices_are_told(name: str, gaussian: Rows) -> None:
    with pytest.raises(ValueError, match=f"{name} is 'best', and these are known"):
        FisherDiscriminant(**{name: "best"}).fit(*gaussian())
