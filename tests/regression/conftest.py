"""Outside truths about the least-squares family."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

REFERENCE = Path(__file__).parents[1] / "reference"


@pytest.fixture(scope="session")
def r() -> dict[str, Any]:
    """What R answers: see tests/reference/README.md."""
    return json.loads((REFERENCE / "least_squares.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def nist() -> dict[str, Any]:
    """NIST's data with certified coefficients."""
    return json.loads((REFERENCE / "nist.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def columns() -> Callable[..., np.ndarray]:
    """``columns(case, names)``: these columns of a case's data, shape (n, d)."""

    def stack(case: dict[str, Any], names: list[str]) -> np.ndarray:
        return np.column_stack([np.asarray(case["data"][name], np.float64) for name in names])

    return stack


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)
