"""What R prints around a table of coefficients: residuals above it, the fit as a whole below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linework.inference.r_numbers import format_numbers, format_one, format_p, zap_small

if TYPE_CHECKING:
    from linework.inference.result import Inference


def head(result: Inference) -> list[str]:
    """Lines from the residuals to the title of the coefficients."""
    return [
        "Weighted Residuals:" if result._weighted else "Residuals:",
        *_residuals(result),
        "",
        "Coefficients:" + _singularities(result),
    ]


def foot(result: Inference) -> list[str]:
    """Lines below the table."""
    sigma = result.sigma if np.isnan(result.sigma) else float(f"{result.sigma:.4g}")
    [error] = format_numbers([sigma], 7)
    lines = [f"Residual standard error: {error} on {count(result.df_residual)} degrees of freedom"]
    if result.covariance != "classic":
        clusters = "" if result.n_clusters is None else f", {result.n_clusters} clusters"
        lines.insert(0, f"Standard errors: {result.covariance}{clusters}")
    if result.f_df[0]:
        q, df = map(count, result.f_df)
        p = "NA" if np.isnan(result.f_p) else format_p([result.f_p], 4)[0]
        lines += [
            f"Multiple R-squared:  {format_one(result.r2)},\t"
            f"Adjusted R-squared:  {format_one(result.adj_r2)}",
            f"F-statistic: {format_one(result.f)} on {q} and {df} DF,  p-value: {p}",
        ]
    if result._perfect:
        lines.append(
            "Essentially perfect fit: the residuals are rounding errors, and so are tests."
        )
    return lines


def notes(result: Inference) -> list[str]:
    """The same for below a table in another format, one space between words."""
    singular = _singularities(result).strip(" ()")
    return [" ".join(line.split()) for line in [singular, *foot(result)] if line]


def count(number: float) -> str:
    """A number of rows or degrees of freedom, which weights may make a fraction."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.7g}"


def _residuals(result: Inference) -> list[str]:
    if result.df_residual < 0:
        return [
            f"no residual degrees of freedom: the weights count {count(result.n)} rows, fewer than "
            'there are coefficients; are they meant as weights="precision"?'
        ]
    if result.df_residual == 0:
        return [f"ALL {count(result.n)} residuals are 0: no residual degrees of freedom!"]
    names = ["Min", "1Q", "Median", "3Q", "Max"]
    numbers = format_numbers(zap_small(list(result.residual_quantiles), 5), 4)
    width = max(map(len, [*names, *numbers]))
    return [" ".join(cell.rjust(width) for cell in line) for line in (names, numbers)]


def _singularities(result: Inference) -> str:
    missing = int(np.isnan(result.table.estimate).sum())
    return f" ({missing} not defined because of singularities)" if missing else ""
