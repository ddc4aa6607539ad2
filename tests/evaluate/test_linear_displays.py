"""Residual panels and effects hold the numbers of `influence` and `infer`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import probplot
from sklearn.datasets import load_diabetes
from sklearn.inspection import permutation_importance

from linework import (
    GLM,
    EffectDisplay,
    ImportanceDisplay,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    LogLinearRegression,
    ResidualPanelDisplay,
    Ridge,
    infer,
    influence,
)

panel = ResidualPanelDisplay.from_estimator
effect = EffectDisplay.from_estimator


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X[["age", "bmi", "bp"]] * 10.0, y.to_numpy()


def fitted(kind, X, y):
    """A model of each kind, and its target."""
    model, target = {
        "least squares": (LinearRegression(), y),
        "of ln y": (LogLinearRegression(), y),
        "poisson": (GLM("poisson", tol=1e-10), y),
        "logistic": (LogisticRegression(C=np.inf, tol=1e-10), np.where(y > 140, "high", "a low")),
    }[kind]
    return model.fit(X, target), target


KINDS = ["least squares", "of ln y", "poisson", "logistic"]


class TestPanel:
    @pytest.mark.parametrize("kind", KINDS)
    def test_numbers_are_those_of_influence(self, diabetes, kind):
        X, y = diabetes
        model, target = fitted(kind, X, y)
        display, rows = panel(model, X, target), influence(model, X, target)
        assert_array_equal(display.leverage, rows.leverage)
        assert_array_equal(display.standardised, rows.standardised)
        assert display.n_coefficients == pytest.approx(4.0)
        # D = r² h / (k (1 − h)), of Pearson's residuals.
        h, r = display.leverage, display.pearson
        assert_allclose(r**2 * h / (4.0 * (1.0 - h)), rows.cooks_distance)
        assert_array_equal(np.sign(r), np.sign(display.standardised))

    def test_residuals(self, diabetes):
        X, y = diabetes
        model, _ = fitted("least squares", X, y)
        assert_allclose(panel(model, X, y).residual, y - model.predict(X))
        model, _ = fitted("of ln y", X, y)
        line = np.log(infer(model, X, y).predict(X))
        assert_allclose(panel(model, X, y).residual, np.log(y) - line, atol=1e-12)
        model, _ = fitted("poisson", X, y)
        display = panel(model, X, y)
        assert_allclose(display.residual, model.residuals(X, y))
        assert_allclose(display.fitted, model.linear_predictor(X))

    def test_four_pictures(self, diabetes):
        X, y = diabetes
        display = panel(fitted("least squares", X, y)[0], X, y)
        assert [ax.get_title() for ax in display.axes_.flat] == [
            "Residuals",
            "Normal Q-Q",
            "Scale-location",
            "Leverage",
        ]
        xy = [points.get_offsets() for points in display.points_]
        assert_allclose(xy[0], np.c_[display.fitted, display.residual])
        assert_allclose(xy[2][:, 1] ** 2, np.abs(display.standardised))
        assert_allclose(xy[3][:, 0], display.leverage)
        assert_allclose(np.sort(xy[1][:, 1]), np.sort(display.standardised))
        # SciPy's plotting positions differ a little at the ends.
        (theirs, _), _ = probplot(display.standardised)
        assert_allclose(np.sort(xy[1][:, 0]), theirs, atol=0.1)
        named = {text.get_text() for text in display.axes_[0, 0].texts}
        assert named == {str(i) for i in np.argsort(-np.abs(display.standardised))[:3]}

    def test_cooks_lines_are_where_the_distance_is_theirs(self):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((30, 1)), rng.standard_normal(30)
        X[0], y[0] = 8.0, -9.0
        display = panel(LinearRegression().fit(X, y), X, y)
        legend = display.axes_[1, 1].get_legend().get_texts()
        assert [text.get_text() for text in legend] == ["Cook's distance 0.5", "Cook's distance 1"]
        for line, level in zip(display.cook_, (0.5, 0.5, 1.0, 1.0), strict=True):
            h, r = line.get_data()
            assert_allclose(r**2 * h / (display.n_coefficients * (1.0 - h)), level)
        assert display.axes_[1, 1].texts[0].get_text() == "0"

    def test_rows_of_weight_zero_are_not_there_and_names_are_the_tables(self, diabetes):
        X, y = diabetes
        named = X.set_index(np.array([f"r{i}" for i in range(len(y))]))
        w = (np.arange(len(y)) % 2).astype(float)
        model = LinearRegression().fit(named, y, sample_weight=w)
        display = panel(model, named, y, sample_weight=w)
        without = panel(LinearRegression().fit(X[1::2], y[1::2]), X[1::2], y[1::2])
        assert_allclose(display.pearson, without.pearson)
        assert display.names[0] == "r1"

    def test_many_rows_are_drawn_in_part_with_those_that_stand_out(self, diabetes):
        X, y = diabetes
        display = panel(fitted("least squares", X, y)[0], X, y, max_points=50)
        assert 50 <= len(display.points_[0].get_offsets()) <= 53
        farthest = np.abs(display.points_[0].get_offsets()[:, 1]).max()
        assert farthest == pytest.approx(np.abs(display.residual).max(), rel=0.05)


class TestEffect:
    @pytest.mark.parametrize("kind", KINDS)
    def test_line_and_band_are_those_of_infer(self, diabetes, kind):
        X, y = diabetes
        model, target = fitted(kind, X, y)
        display = effect(model, X, target, "bmi", covariance="HC0")
        rows = X.iloc[: len(display.x)].copy()
        rows[:] = X.mean().to_numpy()
        rows["bmi"] = display.x
        expected = infer(model, X, target, covariance="HC0").predict(rows, "confidence")
        scale = {"least squares": np.array, "of ln y": np.exp, "poisson": np.exp}.get(
            kind, lambda eta: 1.0 / (1.0 + np.exp(-eta))
        )
        found = np.column_stack([display.effect, display.lower, display.upper])
        assert_allclose(scale(found), expected, rtol=1e-9)

    def test_a_line_through_partial_residuals_has_the_columns_slope(self, diabetes):
        X, y = diabetes
        model, _ = fitted("least squares", X, y)
        display = effect(model, X, y, 1)
        slope, _ = np.polyfit(display.rows_x, display.partial_residuals, 1)
        assert slope == pytest.approx(model.coef_[1])

    def test_working_residuals_give_it_too_by_their_weights(self, diabetes):
        X, y = diabetes
        model, _ = fitted("poisson", X, y)
        display = effect(model, X, y, "bmi")
        rest = X.copy()
        rest["bmi"] = display.partial_residuals
        one = LinearRegression().fit(X, rest["bmi"], sample_weight=model.predict(X))
        assert one.coef_[1] == pytest.approx(model.coef_[1], rel=1e-6)
        assert_allclose(one.coef_[[0, 2]], 0.0, atol=1e-6)

    def test_without_an_intercept(self, diabetes):
        X, y = diabetes
        model = LinearRegression(fit_intercept=False).fit(X, y)
        display = effect(model, X, y, "bp")
        means = X.mean().to_numpy().copy()
        means[2] = display.x[0]
        assert display.effect[0] == pytest.approx(means @ model.coef_)

    def test_picture(self, diabetes, legend):
        X, y = diabetes
        display = effect(fitted("least squares", X, y)[0], X, y, "bmi", max_points=100)
        assert len(display.points_.get_offsets()) == 100
        assert legend(display.ax_) == ["partial residuals", "confidence band", "effect"]
        assert display.ax_.get_xlabel() == "bmi"


def test_importance_by_standard_deviations_and_by_permutation(diabetes):
    """β_j sd(x_j) / sd(y); a column that is shuffled costs about twice its square of R²."""
    X, y = diabetes
    model, _ = fitted("least squares", X, y)
    standardised = infer(model, X, y).table.standardised[1:]
    assert_allclose(standardised, model.coef_ * X.std() / y.std(ddof=1))
    shuffled = permutation_importance(model, X, y, n_repeats=100, random_state=0)
    assert_allclose(shuffled.importances_mean, 2.0 * standardised**2, rtol=0.1, atol=0.01)


class TestImportance:
    @pytest.mark.parametrize("kind", ["least squares", "logistic"])
    def test_is_the_coefficient_of_standardised_columns_with_its_interval(self, diabetes, kind):
        X, y = diabetes
        model, target = fitted(kind, X, y)
        display = ImportanceDisplay.from_inference(infer(model, X, target), level=0.9)
        Z = X / X.std(ddof=0)
        scaled, target = fitted(kind, Z, y / y.std() if kind == "least squares" else y)
        result = infer(scaled, Z, target)
        order = np.argsort(-np.abs(result.table.estimate[1:])) + 1
        assert display.names == tuple(result.table.names[k] for k in order)
        assert_allclose(display.importance, result.table.estimate[order], rtol=1e-6)
        found = np.column_stack([display.lower, display.upper])
        assert_allclose(found, result.confint(0.9)[order], rtol=1e-5)

    def test_picture_has_the_largest_on_top(self, diabetes):
        X, y = diabetes
        aliased = X.assign(twice=2.0 * X["bmi"])
        result = infer(LinearRegression().fit(aliased, y), aliased, y)
        display = ImportanceDisplay.from_inference(result, max_columns=2)
        labels = [text.get_text() for text in display.ax_.get_yticklabels()]
        assert labels == ["bmi", "bp"]
        assert display.ax_.yaxis_inverted()
        assert_allclose(display.points_.lines[0].get_xdata(), display.importance)

    def test_no_columns_are_refused(self, diabetes):
        X, y = diabetes
        result = infer(LinearRegression().fit(X, y), X, y)
        with pytest.raises(ValueError, match="max_columns is 0"):
            ImportanceDisplay.from_inference(result, max_columns=0)


@pytest.mark.parametrize("show", [panel, lambda *rows: effect(*rows, 0)])
def test_models_without_residuals_are_told(diabetes, iris, show):
    X, y = diabetes
    with pytest.raises(TypeError, match="LinearDiscriminantAnalysis has no residuals"):
        show(LinearDiscriminantAnalysis().fit(iris.X, iris.y), iris.X, iris.y)
    with pytest.raises(TypeError, match="Ridge"):
        show(Ridge().fit(X, y), X, y)
    with pytest.raises(ValueError, match="more targets or classes than one line"):
        show(LinearRegression().fit(X, np.c_[y, y]), X, np.c_[y, y])
    with pytest.raises(ValueError, match="There is no column 'weight'"):
        effect(LinearRegression().fit(X, y), X, y, "weight")
