"""Ridge regression for given penalties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linework.data.blocks import Array
from linework.solvers.cholesky import cholesky
from linework.solvers.least_squares import CHOLESKY_LIMIT, Solution, factors, least_squares
from linework.solvers.spectral import Spectrum
from linework.stats import Moments, RFactor


def ridge(stats: Moments | RFactor, alpha: Array, fit_intercept: bool = True) -> Solution:
    """Minimise ‖Y − XB‖² + Σ_t α_t ‖b_t‖².

    Parameters
    ----------
    stats : Moments or RFactor
    alpha : array of shape (1,) or (t,)
        Penalties ≥ 0; α = 0 is least squares.

    Notes
    -----
    One penalty for all targets: Cholesky of XᵀX + αI, d³/3, while that is well-conditioned;
    otherwise eigenvectors of XᵀX (9d³) or singular vectors of its factor, for every penalty.
    """
    if not alpha.any():
        return least_squares(stats, fit_intercept)
    if isinstance(stats, RFactor):
        spectrum = Spectrum.from_factor(*factors(stats, fit_intercept), stats.count)
        solver = "orthogonal"
    else:
        gram, cross, _ = stats.centred(fit_intercept)
        if (alpha == alpha[0]).all():
            factor = cholesky(gram + alpha[0] * np.eye(len(gram)))
            if factor is not None and factor.condition <= CHOLESKY_LIMIT:
                return Solution(factor.solve(cross), len(gram), factor.condition, "cholesky")
        spectrum, solver = Spectrum.from_gram(gram, cross), "spectral"
    condition = spectrum.penalised_condition(alpha.min())
    return Solution(spectrum.coef(alpha), spectrum.rank, condition, solver)


def ridge_path(
    stats: Moments, alphas: Sequence[Array], fit_intercept: bool, limit: float
) -> Array | None:
    """Coefficients (a, d, t) for several penalties from one decomposition, 9d³ operations.

    None where the condition number of the least penalised problem is above ``limit``: unlike
    Cholesky factors, the eigenvectors depend on the columns' units.
    """
    gram, cross, _ = stats.centred(fit_intercept)
    spectrum = Spectrum.from_gram(gram, cross)
    if not spectrum.penalised_condition(min(float(alpha.min()) for alpha in alphas)) <= limit:
        return None
    if cross.shape[1] == 1:
        return spectrum.coef(np.concatenate(alphas)).T[:, :, None]
    return np.stack([spectrum.coef(alpha) for alpha in alphas])
