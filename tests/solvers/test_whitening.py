import numpy as np
import pytest

from linework.solvers.trace_ratio import trace_ratio
from linework.solvers.whitening import Whitening, discriminant_directions, signed

RNG = np.random.default_rng(8)
TOL = 1e-4


def covariance(d: int = 5, rank: int | None = None) -> np.ndarray:
    Z = RNG.standard_normal((rank or 3 * d, d)) * np.logspace(-6, 6, d)
    return Z.T @ Z


class TestWhitening:
    def test_makes_the_covariance_the_identity(self) -> None:
        sigma = covariance()
        whitening = Whitening.of(sigma, TOL)
        W = whitening.basis
        assert whitening.is_full
        np.testing.assert_allclose(W.T @ sigma @ W, np.eye(5), atol=1e-9)
        sign, log_det = np.linalg.slogdet(sigma)
        assert sign == 1.0
        assert whitening.log_det == pytest.approx(log_det, rel=1e-9)

    def test_leaves_out_directions_without_spread(self) -> None:
        sigma = covariance(5, rank=3)
        whitening = Whitening.of(sigma, TOL)
        assert (whitening.rank, whitening.is_full) == (3, False)
        np.testing.assert_allclose(
            whitening.basis.T @ sigma @ whitening.basis, np.eye(3), atol=1e-9
        )

    def test_keeps_directions_by_their_correlations(self) -> None:
        for spread, kept in ((1.1e-4, 2), (0.9e-4, 1)):
            r = 1.0 - spread**2  # eigenvalues 2 − spread² and spread²
            sigma = np.array([[1.0, r], [r, 1.0]]) * np.multiply.outer([1.0, 1e8], [1.0, 1e8])
            assert Whitening.of(sigma, TOL).rank == kept

    def test_constant_column_has_no_direction(self) -> None:
        whitening = Whitening.of(np.diag([4.0, 0.0]), TOL)
        np.testing.assert_allclose(abs(whitening.basis), [[0.5], [0.0]])
        assert whitening.log_det == pytest.approx(np.log(4.0))

    def test_another_covariance_is_diagonal_along_it(self) -> None:
        sigma, other = covariance(), covariance()
        basis, values = Whitening.of(sigma, TOL).along(other)
        np.testing.assert_allclose(basis.T @ sigma @ basis, np.eye(5), atol=1e-8)
        found = basis.T @ other @ basis
        np.testing.assert_allclose(found, np.diag(values), atol=1e-8 * values.max())
        assert (np.diff(values) <= 0.0).all()


class TestDirections:
    def test_solve_the_eigenproblem(self) -> None:
        sigma, means, share = covariance(), RNG.standard_normal((4, 5)), np.full(4, 0.25)
        means *= np.sqrt(sigma.diagonal())
        means -= share @ means
        W, values = discriminant_directions(Whitening.of(sigma, TOL), means, share, TOL)
        between = (means.T * share) @ means
        assert W.shape == (5, 3)
        np.testing.assert_allclose(W.T @ sigma @ W, np.eye(3), atol=1e-8)
        np.testing.assert_allclose(W.T @ between @ W, np.diag(values), atol=1e-8 * values.max())

    def test_of_equal_means_are_none(self) -> None:
        whitening = Whitening.of(covariance(), TOL)
        W, values = discriminant_directions(whitening, np.zeros((3, 5)), np.ones(3), TOL)
        assert (W.shape, values.shape) == ((5, 0), (0,))

    def test_signs_make_the_largest_entry_positive(self) -> None:
        W = np.array([[1.0, 3.0], [-2.0, -1.0]])
        np.testing.assert_array_equal(signed(W, np.ones(2)), [[-1.0, 3.0], [2.0, -1.0]])
        np.testing.assert_array_equal(signed(W, np.array([9.0, 1.0])), W)
        assert signed(np.zeros((2, 0)), np.ones(2)).shape == (2, 0)


class TestTraceRatio:
    @pytest.mark.parametrize("r", [1, 2, 4])
    def test_no_orthonormal_directions_are_better(self, r: int) -> None:
        Z = RNG.standard_normal((9, 5))
        within, between = Z.T @ Z, covariance(5, rank=3) * 1e-8
        W = trace_ratio(between, within, r)
        np.testing.assert_allclose(W.T @ W, np.eye(r), atol=1e-12)
        best = np.trace(W.T @ between @ W) / np.trace(W.T @ within @ W)
        for _ in range(300):
            Q = np.linalg.qr(RNG.standard_normal((5, r)))[0]
            assert np.trace(Q.T @ between @ Q) / np.trace(Q.T @ within @ Q) <= best
        # At the best ratio ρ, the sum of the first r eigenvalues of B − ρA is zero.
        values = np.linalg.eigvalsh(between - best * within)
        assert values[-r:].sum() == pytest.approx(0.0, abs=1e-9 * abs(values).max())

    def test_directions_without_spread_end_it(self) -> None:
        W = trace_ratio(np.diag([3.0, 1.0, 2.0]), np.diag([0.0, 1.0, 1.0]), 1)
        np.testing.assert_allclose(abs(W[:, 0]), [1.0, 0.0, 0.0], atol=1e-12)
