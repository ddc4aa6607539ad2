"""Numbers as R prints them: as many digits as needed, shared by the numbers of a column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

SMALLEST_P = 2.0**-52
"""p-values below this are printed as less than it."""


def format_numbers(values: Iterable[float], digits: int) -> list[str]:
    """What R's ``format(x, digits=)`` gives: equally wide, with equally many decimals.

    The least number of decimals is taken that shows every number to ``digits`` significant digits;
    powers of ten, where they are shorter.

    Examples
    --------
    >>> from linework.inference.r_numbers import format_numbers
    >>> format_numbers([27.6105, 0.0178], digits=3)
    ['27.6105', ' 0.0178']
    >>> format_numbers([1234567.0, 0.00012], digits=3)
    ['1.23e+06', '1.20e-04']
    """
    values = [float(v) for v in values]
    finite = [v for v in values if math.isfinite(v)]
    width, style = _layout(finite, digits) if finite else (0, "")
    texts = [_special(v) or f"{v + 0.0:{style}}" for v in values]
    width = max([width, *map(len, texts)])
    return [text.rjust(width) for text in texts]


def _layout(values: Sequence[float], digits: int) -> tuple[int, str]:
    """Width and style: fixed, or powers of ten where those take less room."""
    before, after, significant, powers = 1, 0, 1, []
    for value in values:
        power, needed = _parts(value, digits)
        powers.append(power)
        before = max(before, max(power + 1, 1) + (value < 0))
        after = max(after, needed - power - 1)
        significant = max(significant, needed)
    fixed = before + after + (after > 0)
    exponent = 3 if max(map(abs, powers)) >= 100 else 2
    scientific = any(v < 0 for v in values) + significant + (significant > 1) + 2 + exponent
    return (fixed, f".{after}f") if fixed <= scientific else (scientific, f".{significant - 1}e")


def _parts(value: float, digits: int) -> tuple[int, int]:
    """Power of ten, and the significant digits that are no trailing zeros."""
    if value == 0.0:
        return 0, 1
    mantissa, power = f"{abs(value):.{digits - 1}e}".split("e")
    return int(power), max(len(mantissa.replace(".", "").rstrip("0")), 1)


def _special(value: float) -> str:
    """NaN and infinity in R's words; nothing for any other number."""
    if math.isfinite(value):
        return ""
    return "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"


def format_one(value: float, digits: int = 4) -> str:
    """What R's ``formatC(x, digits=)`` gives: at least one wider than the digits."""
    return (_special(value) or f"{value:.{digits}g}").rjust(digits + 1)


def round_to(value: float, decimals: int) -> float:
    """The value rounded; infinity and NaN stay."""
    return round(value, decimals) if math.isfinite(value) else value


def zap_small(values: Sequence[float], digits: int) -> list[float]:
    """Values rounded to the digits that the largest of them shows."""
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    if largest > 0.0:
        digits = max(0, math.floor(digits - math.log10(largest) + 0.5))
    return [round_to(v, digits) for v in values]


def format_coefficients(
    estimate: Sequence[float], std_error: Sequence[float], digits: int = 4
) -> tuple[list[str], list[str]]:
    """Estimates and standard errors with equally many decimals, enough for the smallest."""
    values = [*estimate, *std_error]
    sizes = [abs(v) for v in values if math.isfinite(v) and v != 0.0]
    decimals = max([1] + [digits - 1 - math.floor(math.log10(s)) for s in sizes])
    texts = format_numbers([round_to(v, decimals) for v in values], digits)
    return texts[: len(estimate)], texts[len(estimate) :]


def format_p(values: Sequence[float], digits: int = 3) -> list[str]:
    """p-values, those below 1e-4 by themselves, and below 2.2e-16 only as less than that."""
    texts = ["NaN" if math.isnan(p) else "" for p in values]

    def fill(rows: list[int]) -> None:
        for i, text in zip(rows, format_numbers([values[i] for i in rows], digits), strict=True):
            texts[i] = text

    shown = [i for i, p in enumerate(values) if p >= SMALLEST_P]
    large = [i for i in shown if math.floor(math.log10(values[i])) >= (-4 if digits > 1 else -3)]
    fill(large)
    fill([i for i in shown if i not in large])
    width = max((len(texts[i]) for i in shown), default=0)
    digits = max(1, digits - 2)
    if shown and digits > 1 and digits + 6 > width:
        digits = max(1, width - 7)
    tight = digits == 1 and (not shown or width <= 6)
    [bound] = format_numbers([SMALLEST_P], digits)
    for i, p in enumerate(values):
        if p < SMALLEST_P:
            texts[i] = f"<{bound}" if tight else f"< {bound}"
    return texts


def stars(p: float) -> str:
    """R's mark of significance."""
    marks = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.1, "."))
    return next((mark for bound, mark in marks if p <= bound), "")
