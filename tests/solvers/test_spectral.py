import numpy as np
import pytest

from linework.solvers.spectral import Spectrum

Array = np.ndarray
ALPHAS = np.array([1e-6, 0.1, 10.0])


@pytest.fixture(params=[(30, 5), (4, 9)], ids=["tall", "wide"])
def rows(request: pytest.FixtureRequest) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    n, d = request.param
    return rng.standard_normal((n, d)), rng.standard_normal((n, 2))


@pytest.fixture(params=["gram", "factor"])
def spectrum(request: pytest.FixtureRequest, rows: tuple[Array, Array]) -> Spectrum:
    X, Y = rows
    if request.param == "gram":
        return Spectrum.from_gram(X.T @ X, X.T @ Y)
    return Spectrum.from_factor(X, Y, len(X))


def ridge(X: Array, Y: Array, alpha: float) -> Array:
    return np.linalg.solve(X.T @ X + alpha * np.eye(X.shape[1]), X.T @ Y)


def test_it_decomposes_the_gram_matrix(spectrum: Spectrum, rows: tuple[Array, Array]) -> None:
    X, Y = rows
    V = spectrum.vectors
    assert (np.diff(spectrum.values) <= 0.0).all()
    np.testing.assert_allclose(V * spectrum.values @ V.T, X.T @ X, atol=1e-12)
    np.testing.assert_allclose(V.T @ V, np.eye(spectrum.rank), atol=1e-13)
    np.testing.assert_allclose(V @ spectrum.projected, X.T @ Y, atol=1e-12)
    assert spectrum.rank == min(X.shape)
    assert spectrum.condition == pytest.approx(np.linalg.cond(X))


@pytest.mark.parametrize("alpha", ALPHAS[1:])
def test_coefficients_for_any_penalty(
    spectrum: Spectrum, rows: tuple[Array, Array], alpha: float
) -> None:
    coef = spectrum.coef(np.array([alpha]))
    np.testing.assert_allclose(coef, ridge(*rows, alpha), rtol=1e-9, atol=1e-12)


def test_coefficients_for_a_penalty_each(spectrum: Spectrum, rows: tuple[Array, Array]) -> None:
    coef = spectrum.coef(np.array([0.5, 5.0]))
    for k, alpha in enumerate([0.5, 5.0]):
        np.testing.assert_allclose(coef[:, k], ridge(*rows, alpha)[:, k], rtol=1e-9)


def test_without_penalty_the_norm_is_least(spectrum: Spectrum, rows: tuple[Array, Array]) -> None:
    X, Y = rows
    np.testing.assert_allclose(spectrum.coef(np.zeros(1)), np.linalg.pinv(X) @ Y, rtol=1e-10)


def test_explained_squares_and_degrees_of_freedom(
    spectrum: Spectrum, rows: tuple[Array, Array]
) -> None:
    X, Y = rows
    for k, alpha in enumerate(ALPHAS):
        B = X.T @ np.linalg.solve(X @ X.T + alpha * np.eye(len(X)), Y)
        rss = np.square(Y - X @ B).sum(axis=0)
        explained = np.square(Y).sum(axis=0) - rss
        np.testing.assert_allclose(spectrum.explained(ALPHAS)[k], explained, rtol=1e-9)
        hat = np.linalg.solve(X @ X.T + alpha * np.eye(len(X)), X @ X.T)
        assert spectrum.degrees_of_freedom(ALPHAS)[k] == pytest.approx(np.trace(hat), rel=1e-9)


@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_condition_of_the_penalised_problem(
    spectrum: Spectrum, rows: tuple[Array, Array], alpha: float
) -> None:
    X, _ = rows
    penalised = np.vstack([X, np.sqrt(alpha) * np.eye(X.shape[1])])
    assert spectrum.penalised_condition(alpha) == pytest.approx(np.linalg.cond(penalised))


@pytest.mark.parametrize("exponent", [-140, 140])
def test_units_do_not_matter_where_the_penalty_follows(
    rows: tuple[Array, Array], exponent: int
) -> None:
    X, Y = rows
    scale = 10.0**exponent
    plain = Spectrum.from_gram(X.T @ X, X.T @ Y)
    scaled = Spectrum.from_gram(X.T @ X * scale**2, X.T @ Y * scale)
    np.testing.assert_allclose(
        scaled.explained(ALPHAS * scale**2), plain.explained(ALPHAS), rtol=1e-10
    )


def test_a_factor_tells_twice_as_many_digits_from_zero() -> None:
    X = np.diag([1.0, 1e-10])
    assert Spectrum.from_gram(X.T @ X, np.zeros((2, 1))).rank == 1
    assert Spectrum.from_factor(X, np.zeros((2, 1)), 2).rank == 2


def test_nothing_has_no_directions() -> None:
    spectrum = Spectrum.from_gram(np.zeros((3, 3)), np.zeros((3, 1)))
    assert (spectrum.rank, spectrum.condition) == (0, 1.0)
    np.testing.assert_array_equal(spectrum.coef(np.zeros(1)), np.zeros((3, 1)))
    np.testing.assert_array_equal(spectrum.explained(ALPHAS), np.zeros((3, 1)))
