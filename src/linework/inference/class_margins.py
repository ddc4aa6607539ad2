"""Average marginal effects on the probabilities of several classes."""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np
from scipy.special import softmax

from linework.data.blocks import Array, Block
from linework.engine import map_reduce
from linework.inference.line import dense_tiles
from linework.inference.multinomial_fit import MultinomialFit


def class_effects(fit: MultinomialFit, steps: Array, meat: Array) -> tuple[Array, Array]:
    """The effects of the columns of a fit on P(G = k | x), and their variances, (K, d) each.

    With A = diag(P) − PPᵀ, the derivatives of P by the linear predictors, the effect of column j is
    Σ w Aβ_j / Σ w; of the dummies at ``steps``, the mean of the step's difference.
    """
    work, one = fit.work, int(fit.model.fit_intercept)
    back, d = np.argsort(fit.order), len(work.columns)
    beta = np.column_stack([np.zeros(d), work.coef])
    table = dataclasses.replace(work.table, y=fit.eta)
    mean = map_reduce(table, partial(_sums, fit=fit, beta=beta, steps=steps)) / fit.w.sum()
    K = len(fit.order)
    by_class = work.coordinates.to_coef().reshape(K - 1, d + one, -1)[:, one:]
    A, change = mean[:, :K, 0], mean[:, :K, 1:]
    effect = A @ beta.T
    gradient = np.einsum("ka,ajm->kjm", A[:, 1:], by_class) + np.einsum("ja,kam->kjm", beta, change)
    effect[:, steps], gradient[:, steps] = mean[:, K:, 0], mean[:, K:, 1:]
    variance = np.einsum("kjm,kjm->kj", gradient @ meat, gradient)
    return effect[back], variance[back]


def _sums(block: Block, fit: MultinomialFit, beta: Array, steps: Array) -> Array:
    """Σ w A, then Σ w ΔP for each dummy, each beside its derivatives: (K, K + steps, 1 + k)."""
    coordinates, K = fit.work.coordinates, beta.shape[1]
    total = np.zeros((K, K + len(steps), 1 + coordinates.size))
    for rows, X in dense_tiles(block):
        eta = rows.targets
        w = np.ones(len(X)) if rows.weight is None else rows.weight
        P = softmax(eta, axis=1)
        A, dP = _derivatives(P, coordinates.rows(X))
        total[:, :K, 0] += np.einsum("i,ika->ka", w, A)
        mixed = np.einsum("ia,ikm->kam", w[:, None] * P, dP)
        total[:, :K, 1:] -= mixed + mixed.transpose(1, 0, 2)
        each = np.arange(K)
        total[each, each, 1:] += np.einsum("i,ikm->km", w, dP)
        for number, j in enumerate(steps, K):
            for sign, value in ((1.0, 1.0), (-1.0, 0.0)):
                Z = X.copy()
                Z[:, j] = value
                P = softmax(eta + np.multiply.outer(value - X[:, j], beta[j]), axis=1)
                dP = _derivatives(P, coordinates.rows(Z))[1]
                total[:, number, 0] += sign * (w @ P)
                total[:, number, 1:] += sign * np.einsum("i,ikm->km", w, dP)
    return total


def _derivatives(P: Array, rows: Array) -> tuple[Array, Array]:
    """A (n, K, K) of probabilities, and their derivatives by the coefficients (n, K, k)."""
    A = P[:, :, None] * (np.eye(P.shape[1]) - P[:, None, :])
    return A, A[:, :, 1:] @ rows
