"""Probabilities of classes from those of dichotomies."""

from __future__ import annotations

import numpy as np

from linework.data.blocks import Array

ROUNDS = 1000
"""Rounds of the iteration for the Bradley–Terry model, at most."""

TOLERANCE = 1e-10


def least_squares(r: Array, code: Array) -> Array:
    """The p that agrees best with all r_m: min Σ_m (r_m P_m⁻ − (1 − r_m) P_m⁺)², Σ p_k = 1.

    P_m⁺ and P_m⁻ are the probabilities of the two sides of dichotomy m, and r_m that of its
    positive side, given that it is one of them. For pairs of classes it is the second method of
    Wu, Lin and Weng (2004), where p ≥ 0 follows; of other codes, entries below zero are set to it.

    Parameters
    ----------
    r : array of shape (n, M)
    code : array of shape (K, M)

    Returns
    -------
    array of shape (n, K)

    Notes
    -----
    Linear equations of K + 1 unknowns for each row: n K³ operations.
    """
    n, K = len(r), len(code)
    plus, minus = (code > 0).astype(np.float64), (code < 0).astype(np.float64)
    # Q = Σ_m a_m a_mᵀ with a_m = r_m 1⁻ − (1 − r_m) 1⁺, multiplied out.
    squares = _moments(r * r, minus, minus) + _moments((1.0 - r) ** 2, plus, plus)
    mixed = _moments(r * (1.0 - r), plus, minus)
    system = np.zeros((n, K + 1, K + 1))
    system[:, :K, :K] = squares - mixed - mixed.transpose(0, 2, 1)
    # A ridge of rounding's size: where some r are 0 or 1, p may not be unique.
    system[:, range(K), range(K)] += 1e-12
    system[:, K, :K] = system[:, :K, K] = 1.0
    right = np.zeros((n, K + 1, 1))
    right[:, K] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :K, 0], 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def _moments(weights: Array, left: Array, right: Array) -> Array:
    """Σ_m w_im left_m right_mᵀ, shape (n, K, K)."""
    K = len(left)
    products = (left[:, None] * right).reshape(K * K, -1)
    return np.asarray(weights @ products.T).reshape(-1, K, K)


def bradley_terry(r: Array, code: Array) -> Array:
    """The most likely p: max Σ_m [r_m ln(P_m⁺ / P_m) + (1 − r_m) ln(P_m⁻ / P_m)].

    With P_m = P_m⁺ + P_m⁻, as in `least_squares`. For pairs of classes it is the coupling of Hastie
    and Tibshirani (1998), for other codes that of Huang, Weng and Lin (2006).

    Parameters
    ----------
    r : array of shape (n, M)
    code : array of shape (K, M)

    Returns
    -------
    array of shape (n, K)

    Notes
    -----
    By minorisation: the likelihood grows in every round, a round takes 6 n K M operations, and p
    stays positive. It ends where no p_k changes by more than 1e-10.
    """
    plus, minus = (code > 0).astype(np.float64), (code < 0).astype(np.float64)
    tiny = np.finfo(np.float64).tiny
    p = np.full((len(r), len(code)), 1.0 / len(code))
    for _ in range(ROUNDS):
        P, N = np.maximum(p @ plus, tiny), np.maximum(p @ minus, tiny)
        gain = (r / P) @ plus.T + ((1.0 - r) / N) @ minus.T
        new = p * gain / ((1.0 / (P + N)) @ (plus + minus).T)
        new /= new.sum(axis=1, keepdims=True)
        change = np.abs(new - p).max(initial=0.0)
        p = new
        if change < TOLERANCE:
            break
    return p


COUPLINGS = {"least-squares": least_squares, "bradley-terry": bradley_terry}
