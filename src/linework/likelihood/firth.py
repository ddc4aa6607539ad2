"""Firth's penalised likelihood: finite estimates of less bias, whatever the classes' separation."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cholesky, solve_triangular
from scipy.special import softmax

from linework.data.blocks import Array, Block
from linework.engine import map_reduce
from linework.likelihood.problem import Problem
from linework.solvers.cholesky import EPS, column_scale
from linework.stats.centre import tile_rows


class FirthProblem(Problem):
    """Logistic regression with the penalty −½ ln |I(β)| of Jeffreys's prior (Firth, 1993).

    I is the information of the K − 1 log odds against the first class, Σ w A ⊗ zzᵀ with z = [x, 1]
    and A = diag(P) − PPᵀ; another class to compare with would leave |I| as it is. The score is
    Σ w (1[y = k] − P_k + `tilt`_k) z: for two classes, as if each row had half its leverage of a
    success and half of a failure beside its own.
    """

    def evaluate(self, theta: Array) -> tuple[float, Array]:
        """The objective and its gradient: three passes, with the information and the leverages."""
        value, gradient = super().evaluate(theta)
        k, weight = self.shape[1], self.columns.weight
        m = max(k - 1, 1)  # log odds; of two classes there is but one linear predictor
        moving = np.isfinite(self.scale)
        p = int(moving.sum())
        information = self.information(theta)[moving, -m:][..., moving, -m:] * weight
        information = information.reshape(p * m, p * m)
        coef, intercept = self.coefficients(theta)
        scale = column_scale(information.diagonal())
        try:
            R = cholesky(information / scale / scale[:, None])
            singular = np.square(R.diagonal()).min(initial=np.inf) < 1e2 * EPS * len(R)
        except np.linalg.LinAlgError:
            singular = True
        if singular and not coef.any():  # not for want of curvature
            raise ValueError(
                "separation='firth' needs columns none of which is a combination of others, "
                "because ln |I| is −∞ where one is: leave such columns out."
            )
        if singular:
            return np.inf, gradient
        log_det = 2.0 * float(np.log(R.diagonal()).sum() + np.log(scale).sum())
        half = solve_triangular(R, np.diag(1.0 / scale), trans="T", check_finite=False).T
        half = half.reshape(p, m, p * m)  # I⁻¹ = half halfᵀ
        centre, one = self.centre, int(self.fit_intercept)

        def pull(block: Block) -> Array:
            """Σ w z tiltᵀ, shape (p, k)."""
            block = block.present()
            total = np.zeros((p, k))
            step = max(tile_rows(p) // m**2, 64)
            for start in range(0, len(block), step):
                rows = slice(start, start + step)
                X = block.X[rows]
                X = np.asarray(X.toarray() if sp.issparse(X) else X, np.float64)
                Z = np.column_stack([X - centre, np.ones((len(X), one))])[:, moving]
                Q = np.stack([Z @ half[:, a] for a in range(m)], axis=1)
                extra = tilt(X @ coef + intercept, Q @ Q.transpose(0, 2, 1))[:, -k:]
                total += Z.T @ (extra if block.weight is None else extra * block.weight[rows, None])
            return total

        slope = gradient.copy()
        slope.reshape(-1, k)[moving] -= map_reduce(self.table, pull) / weight
        return value - 0.5 * log_det / weight, slope


def tilt(eta: Array, leverage: Array) -> Array:
    """½ ∂/∂η Σ_kl G_kl A_kl of rows: the score that a row has of ½ ln |I|, shape (n, K).

    With c_k = G_kk − 2 Σ_l G_kl P_l, it is ½ P_k (c_k − Σ_l P_l c_l).

    Parameters
    ----------
    eta : array of shape (n, K), or (n, 1) for the log odds of the second of two classes
    leverage : array of shape (n, K − 1, K − 1)
        G = (zᵀ ⊗ 1) I⁻¹ (z ⊗ 1), of all classes but the first.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.likelihood.firth import tilt
    >>> p, g = 0.8, 2.0
    >>> tilt(np.log([[p / (1.0 - p)]]), np.array([[[g]]])).round(3)  # ± G p (1 − p) (½ − p)
    array([[ 0.096, -0.096]])
    """
    if eta.shape[1] == 1:
        eta = np.column_stack([np.zeros(len(eta)), eta])
    P = softmax(eta, axis=1)
    c = np.zeros_like(P)
    c[:, 1:] = np.einsum("ikk->ik", leverage) - 2.0 * np.einsum("ikl,il->ik", leverage, P[:, 1:])
    return np.asarray(0.5 * P * (c - np.einsum("ij,ij->i", P, c)[:, None]))
