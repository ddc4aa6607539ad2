"""From the scores of the dichotomies to scores of the classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linework.data.blocks import Array


def hamming(scores: Array, code: Array, _: Array | None = None) -> Array:
    """Votes: − Σ_m ½ (1 − sign f_m · c_km), so that a zero is half an error.

    A number common to all classes is added so that these are numbers of votes where all classes
    have as many.
    """
    used = np.abs(code).sum(axis=1)
    agreed = signs(scores) @ code.T
    # Distances of classes differ by halves where some have an odd number of zeros.
    room = 3.0 if (used % 2 == used[0] % 2).all() else 6.0
    return np.asarray((agreed + used.mean()) / 2.0 + _confidence(scores, code) / room)


def attenuated_hamming(scores: Array, code: Array, _: Array | None = None) -> Array:
    """The share of a class's own columns that speak for it: zeros have no part."""
    used = np.abs(code).sum(axis=1)
    won = (signs(scores) @ code.T + used) / 2.0
    # Two such shares a/m and b/n differ by at least 1/(mn).
    return np.asarray(won / used + _confidence(scores, code) / (3.0 * used.max() ** 2))


def euclidean(scores: Array, code: Array, _: Array | None = None) -> Array:
    """−‖f − c_k‖."""
    used = np.abs(code).sum(axis=1)
    squares = np.square(scores).sum(axis=1, keepdims=True) - 2.0 * (scores @ code.T) + used
    return np.asarray(-np.sqrt(np.maximum(squares, 0.0)))


def attenuated_euclidean(scores: Array, code: Array, _: Array | None = None) -> Array:
    """−(Σ_m |c_km| (f_m − c_km)² / Σ_m |c_km|)^½: zeros have no part.

    Scores beyond ±1 count as ±1. Else a class would gain by columns of small scores.
    """
    used, scores = np.abs(code), np.clip(scores, -1.0, 1.0)
    squares = np.square(scores) @ used.T - 2.0 * (scores @ code.T) + used.sum(axis=1)
    return np.asarray(-np.sqrt(np.maximum(squares / used.sum(axis=1), 0.0)))


def loss_based(scores: Array, code: Array, _: Array | None = None) -> Array:
    """− Σ_m L(c_km f_m) with L(z) = ln(1 + e^−z) (Allwein, Schapire and Singer, 2000)."""
    zeros = (code == 0).sum(axis=1)
    return np.asarray(_weighted_loss(scores, code, np.abs(code)) - np.log(2.0) * zeros)


def loss_weighted(scores: Array, code: Array, weights: Array | None) -> Array:
    """− Σ_m w_km L(c_km f_m), where a learner counts by how often it is right of the class.

    Weights (K, M) sum to one for each class and are zero where the code is (Escalera, Pujol and
    Radeva, 2010).
    """
    assert weights is not None
    return _weighted_loss(scores, code, weights)


def _weighted_loss(scores: Array, code: Array, weights: Array) -> Array:
    against = np.logaddexp(0.0, scores)  # L(−f)
    losses = against @ np.where(code < 0, weights, 0.0).T
    losses += (against - scores) @ np.where(code > 0, weights, 0.0).T
    return -losses


def signs(scores: Array) -> Array:
    """What the learners say: +1 where f > 0, else −1."""
    return np.where(scores > 0.0, 1.0, -1.0)


def _confidence(scores: Array, code: Array) -> Array:
    """From −1 to 1, the sum of the discriminant values that speak for a class: it breaks ties."""
    total = scores @ code.T
    return np.asarray(total / (np.abs(total) + 1.0))


Decoder = Callable[[Array, Array, Array | None], Array]
"""Scores (n, M), the code (K, M) and weights (K, M) ↦ scores of the classes (n, K)."""

DECODERS: dict[str, Decoder] = {
    "hamming": hamming,
    "attenuated-hamming": attenuated_hamming,
    "euclidean": euclidean,
    "attenuated-euclidean": attenuated_euclidean,
    "loss": loss_based,
    "loss-weighted": loss_weighted,
}
