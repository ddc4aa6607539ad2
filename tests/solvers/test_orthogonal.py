import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linework.solvers.orthogonal import aliased_columns, minimum_norm
from linework.solvers.spectral import Spectrum

Array = np.ndarray


def spectrum_of(X: Array, y: Array | None = None) -> Spectrum:
    return Spectrum.from_factor(X, np.zeros((len(X), 1)) if y is None else y, len(X))


@given(d=st.integers(1, 14), rank=st.integers(0, 14), seed=st.integers(0, 10_000))
def test_aliased_columns_are_those_that_add_no_rank(d: int, rank: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Small whole numbers: dependence between a few columns, not only in general position.
    basis = rng.integers(-2, 3, (20, min(rank, d)))
    X = (basis @ rng.integers(-1, 2, (min(rank, d), d))).astype(float)
    ranks = [np.linalg.matrix_rank(X[:, : j + 1]) for j in range(d)]
    expected = [j for j in range(d) if ranks[j] == (ranks[j - 1] if j else 0)]
    assert list(aliased_columns(spectrum_of(X))) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([[1, 0], [0, 1]], ()),
        ([[1, 0], [1, 0], [0, 1]], (1,)),
        ([[0, 0], [1, 0], [0, 1]], (0,)),
        ([[1, 0], [0, 1], [1, 1], [1, -1]], (2, 3)),
        ([[1, 0], [2, 0], [3, 0], [4, 0]], (1, 2, 3)),
    ],
)
def test_the_first_of_dependent_columns_is_kept(
    columns: list[list[int]], expected: tuple[int, ...]
) -> None:
    assert aliased_columns(spectrum_of(np.array(columns, float).T)) == expected


@given(
    n=st.integers(1, 12),
    d=st.integers(1, 12),
    rank=st.integers(0, 12),
    log_units=st.integers(0, 4),
    seed=st.integers(0, 10_000),
)
def test_minimum_norm_whatever_the_scale(
    n: int, d: int, rank: int, log_units: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    k = min(rank, n, d)
    X = np.linalg.qr(rng.standard_normal((n, n)))[0][:, :k] @ rng.standard_normal((k, d))
    y = rng.standard_normal((n, 2))
    scale = 10.0 ** rng.integers(-log_units, log_units + 1, d)
    coef = minimum_norm(spectrum_of(X, y), scale)  # of the columns X · scale
    solved = X if k == d else X * scale  # one solution only: its scale is taken off exactly
    expected = np.linalg.pinv(solved, rcond=1e-13) @ y
    if k == d:
        expected /= scale[:, None]
    singular = np.linalg.svd(solved, compute_uv=False)[:k]
    if k and singular[0] / singular[-1] < 1e5:
        rounding = max(1e-8, np.finfo(float).eps * scale.max() / scale.min())
        np.testing.assert_allclose(coef, expected, atol=2 * rounding * np.abs(expected).max())
