"""What R answers for the likelihood models: see tests/reference/README.md."""

import json
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray

R: dict[str, Any] = json.loads(
    (Path(__file__).parent / "reference" / "likelihood.json").read_text(encoding="utf-8")
)


def columns_of(case: dict[str, Any]) -> Array:
    """X (n, d) of a case."""
    return np.column_stack([column(case, name) for name in case["columns"]])


def column(case: dict[str, Any], name: str) -> Array:
    """A column of the case's table."""
    return np.asarray(R["tables"][case["table"]][name], np.float64)


def standardised(case: dict[str, Any]) -> Array:
    """X as the penalised cases have it."""
    X = columns_of(case)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def cases(part: str) -> dict[str, dict[str, Any]]:
    """The cases of a part by name, without its conventions."""
    return {name: case for name, case in R[part].items() if name != "convention"}
