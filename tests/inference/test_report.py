"""The printed summary is R's; the other formats say the same."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_diabetes

from linework import LinearRegression, infer
from linework.inference.formats import Grid
from linework.inference.r_numbers import format_numbers, format_p
from linework.inference.table import CoefficientTable


def in_r(lines):
    """R's lines without the call and without blanks at their ends, in its curly quotes."""
    lines = [line.rstrip() for line in lines[lines.index("Residuals:") :]]
    text = "\n".join(lines).rstrip()
    for mark in ("***", "**", "*", ".", " "):
        text = text.replace(f"'{mark}'", f"‘{mark}’")
    return text


@pytest.mark.parametrize("name", ["ols", "collinear"])
def test_text_is_that_of_r(case, name):
    c = case(name)
    result = infer(c.model, c.X, c.y)
    assert str(result) == repr(result) == in_r(c.r["summary_text"])


def summary(X, y, **options):
    X = pd.DataFrame(X)
    return infer(LinearRegression().fit(X, y, options.get("sample_weight")), X, y, **options)


Y = np.array([1.0, 2.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0])
X = np.arange(1.0, 9.0)

LEGEND = "Signif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1"


def test_text_of_aliased_columns():
    assert (
        str(summary({"z": 2 * X, "x": X}, Y))
        == f"""\
Residuals:
    Min      1Q  Median      3Q     Max
-1.0357 -0.7857 -0.2143  0.9286  1.1786

Coefficients: (1 not defined because of singularities)
            Estimate Std. Error t value Pr(>|t|)
(Intercept)  0.32143    0.76515   0.420 0.689052
z            0.46429    0.07576   6.128 0.000863 ***
x                 NA         NA      NA       NA
---
{LEGEND}

Residual standard error: 0.982 on 6 degrees of freedom
Multiple R-squared:  0.8622,\tAdjusted R-squared:  0.8393
F-statistic: 37.56 on 1 and 6 DF,  p-value: 0.000863"""
    )


def test_text_without_degrees_of_freedom():
    assert (
        str(summary({"x": X[:3], "x2": X[:3] ** 2}, [1.0, 2.0, 4.0]))
        == """\
Residuals:
ALL 3 residuals are 0: no residual degrees of freedom!

Coefficients:
            Estimate Std. Error t value Pr(>|t|)
(Intercept)      1.0        NaN     NaN      NaN
x               -0.5        NaN     NaN      NaN
x2               0.5        NaN     NaN      NaN

Residual standard error: NaN on 0 degrees of freedom
Multiple R-squared:      1,\tAdjusted R-squared:    NaN
F-statistic:   NaN on 2 and 0 DF,  p-value: NA"""
    )


def test_text_of_weights():
    text = str(summary({"x": X}, Y, sample_weight=[3, 1, 2, 1, 2, 1, 2, 1], weights="precision"))
    assert text.startswith("Weighted Residuals:\n")
    equal = str(summary({"x": X}, Y, sample_weight=2.0, weights="precision"))
    assert equal.startswith("Residuals:\n")
    shares = str(summary({"x": X}, Y, sample_weight=np.full(8, 0.125)))
    assert "the weights count 1 rows" in shares
    assert 'weights="precision"' in shares


def test_text_names_the_covariance(case):
    c = case("ols")
    robust = infer(c.model, c.X, c.y, covariance="HC3")
    assert "\n\nStandard errors: HC3\nResidual standard error: 2.578 on" in str(robust)
    groups = c.r["clustered_by_carb"]["cluster"]
    clustered = infer(c.model, c.X, c.y, covariance="cluster", groups=groups)
    assert "\n\nStandard errors: cluster, 6 clusters\n" in str(clustered)


def test_stars_and_legend_only_where_something_is_significant():
    rng = np.random.default_rng(4)
    noise = str(summary({"x": rng.normal(size=30)}, rng.normal(size=30)))
    assert "Signif. codes" not in noise


def test_rounding_errors_of_residuals_are_shown_as_zero():
    quartiles = np.array([-3.5, -1.75, 1e-17, 1.75, 3.5])
    result = replace(summary({"x": X}, Y), residual_quantiles=quartiles)
    assert str(result).splitlines()[2] == " -3.50  -1.75   0.00   1.75   3.50"


# R's format() and format.pval(), 4.2.2
@pytest.mark.parametrize(
    ("values", "digits", "text"),
    [
        ([27.61052685820494, 8.4199284, 0.014981168], 4, ["27.61053", " 8.41993", " 0.01498"]),
        ([-3482.2586, 0.0150618, 1.829151], 4, ["-3.482e+03", " 1.506e-02", " 1.829e+00"]),
        ([0.0, 1.0], 7, ["0", "1"]),
        ([100.0, 1e5], 7, ["1e+02", "1e+05"]),
        ([123456.0], 7, ["123456"]),
        ([1e-300, 1.0], 3, ["1e-300", " 1e+00"]),
        ([np.nan, 2.5, np.inf, -np.inf], 4, [" NaN", " 2.5", " Inf", "-Inf"]),
        ([9999.96, 66.71086952386878], 4, [" 9999.96", "   66.71"]),
        ([-0.0, -1.5], 4, [" 0.0", "-1.5"]),
        ([np.nan], 4, ["NaN"]),
    ],
)
def test_numbers_are_those_of_r(values, digits, text):
    assert format_numbers(values, digits) == text


@pytest.mark.parametrize(
    ("values", "digits", "text"),
    [
        ([0.00278, 3.217e-06, 0.24418, 0.25463], 3, ["0.00278", "3.22e-06", "0.24418", "0.25463"]),
        ([0.00356, 0.8631, 0.000944], 3, ["0.003560", "0.863100", "0.000944"]),
        ([1e-20, 3.74e-05], 3, ["< 2e-16", "3.74e-05"]),
        ([1e-20, 1e-30], 3, ["<2e-16", "<2e-16"]),
        ([0.0, 0.589], 3, ["<2e-16", " 0.589"]),
        ([1e-20], 4, ["< 2.2e-16"]),
        ([np.nan, 0.5], 3, ["NaN", "0.5"]),
    ],
)
def test_p_values_are_those_of_r(values, digits, text):
    assert [t.strip() for t in format_p(values, digits)] == [t.strip() for t in text]


# Other formats -------------------------------------------------------------------------------


@pytest.fixture
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    X = X[["bmi", "bp", "s5"]]
    return infer(LinearRegression().fit(X, y), X, y)


def test_markdown(diabetes):
    lines = diabetes.to_markdown().splitlines()
    assert lines[0] == (
        "|  | Estimate | Std. Error | t value | Pr(>\\|t\\|) | 2.5 % | 97.5 % | VIF |"
    )
    assert lines[3] == "| bmi | 6.5001 | 0.6971 | 9.324 | < 2e-16 | 5.1300 | 7.870 | 1.345 |"
    assert lines[-1] == "F-statistic: 134.8 on 3 and 438 DF, p-value: < 2.2e-16"


def test_frame(diabetes):
    frame = diabetes.to_frame()
    assert list(frame.index) == ["(Intercept)", "bmi", "bp", "s5"]
    assert list(frame.columns) == [
        "estimate",
        "std_error",
        "t",
        "p",
        "lower",
        "upper",
        "vif",
        "standardised",
    ]
    assert_array_equal(frame["p"], diabetes.table.p_value)
    assert_array_equal(frame[["lower", "upper"]], diabetes.confint())


def test_frame_without_pandas(diabetes, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas is not installed: install it with"):
        diabetes.to_frame()


def test_html(diabetes):
    text = diabetes.to_html()
    assert diabetes._repr_html_() == text
    assert '<th style="text-align: left">bmi</th><td style="text-align: right">6.5001</td>' in text
    assert "&lt; 2e-16" in text
    assert "<p>Residual standard error: 55.78 on 438 degrees of freedom</p>" in text


def test_latex(diabetes):
    text = diabetes.to_latex()
    assert r"\begin{tabular}{lrrrrrrr}" in text
    assert r"bmi & 6.5001 & 0.6971 & 9.324 & \textless{} 2e-16 & 5.1300 & 7.870 & 1.345 \\" in text
    assert r"2.5 \% & 97.5 \%" in text


def test_marks_in_names_are_escaped():
    grid = Grid(["", "b"], [["a|<b>_%&", "1"]])
    assert "| a\\|<b>_%& | 1 |" in grid.markdown()
    assert "a|&lt;b&gt;_%&amp;" in grid.html()
    assert r"a\textbar{}\textless{}b\textgreater{}\_\%\& & 1 \\" in grid.latex()


def test_normal_distribution_is_called_z():
    none = np.full(2, np.nan)
    table = CoefficientTable(
        ("a", "b"), np.array([1.96, -0.5]), np.array([1.0, 1.0]), np.inf, 0.95, none, none
    )
    np.testing.assert_allclose(table.p_value, [0.04999579029644087, 0.6170750774519738], 1e-13)
    assert "z value Pr(>|z|)" in table.to_text()
    assert "z" in table.to_frame()
    np.testing.assert_allclose(
        table.interval(0.95)[1], -0.5 + np.array([-1, 1]) * 1.959963984540054
    )
