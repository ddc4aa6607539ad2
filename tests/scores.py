"""Results of cross-validation side by side."""

from typing import Any

import numpy as np

Array = np.ndarray


def scores_of(results: dict[str, Any]) -> dict[str, Array]:
    """The numbers that are scores, as floats."""
    found = {k: v for k, v in results.items() if "test_" in k or "train_" in k}
    return {k: np.asarray(v, np.float64) for k, v in found.items() if not k.startswith("rank")}


def assert_scores(ours: dict[str, Any], theirs: dict[str, Any], tol: float) -> None:
    """Every score that scikit-learn gives is among ours, and the same."""
    found, expected = scores_of(ours), scores_of(theirs)
    assert expected
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, rtol=tol, atol=tol, err_msg=key)
