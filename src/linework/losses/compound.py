"""Poisson sums of gamma amounts: the Tweedie distributions of powers between 1 and 2."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize, root
from scipy.special import digamma, gammaln

from linework.data.blocks import Array

POWERS = np.concatenate([[1.01], np.linspace(1.1, 1.9, 9), [1.99]])
"""Powers at which the search for the likeliest one begins, and its ends."""

NEGLIGIBLE = 40.0
"""Terms below the largest by this factor's logarithm are less than its rounding error."""

CELLS = 1 << 18
"""Terms held at once."""

SAMPLE = 2_000
"""Rows on which the likeliest power is looked for before it is found on all."""

DISPERSIONS = 1e-4, 1e4
"""Those tried, for a mean of one: with less y is within a hundredth of its mean, with more it is
nearly always zero, and no power is told from another."""


def loglik(y: Array, mu: Array, power: float, phi: Array | float) -> tuple[Array, Array]:
    """Log densities (n,), and their derivatives by the power and by ln φ (n, 2).

    y is the sum of N amounts, N Poisson of mean λ, an amount gamma of shape a and scale τ::

        λ = μ^(2−p) / (φ (2 − p)),    a = (2 − p) / (p − 1),    τ = φ (p − 1) μ^(p−1)
        f(0) = exp(−λ),    f(y) = exp(−λ − y/τ) / y · Σ_j z^j / (j! Γ(j a)),    z = λ (y/τ)^a

    The terms of the sum rise up to j = y^(2−p) / (φ (2 − p)) and fall from there; those that count
    are some 10 √(j / (1 + a)) on either side (Dunn and Smyth 2005).
    """
    p, a = power, (2.0 - power) / (power - 1.0)
    log_mu, phi = np.log(mu), np.broadcast_to(np.asarray(phi, np.float64), np.shape(y))
    mean = np.exp((2.0 - p) * log_mu) / (phi * (2.0 - p))
    value = -mean
    slopes = np.stack([mean * (log_mu - 1.0 / (2.0 - p)), mean], axis=-1)
    rows = y > 0.0
    y, log_mu, phi = y[rows], log_mu[rows], phi[rows]
    units = y * np.exp((1.0 - p) * log_mu) / (phi * (p - 1.0))  # y / τ
    log_sum, count, weighed = _series(y, phi, p, a)
    bend = -1.0 / (p - 1.0) ** 2  # da/dp
    by_power = bend * (np.log(y / phi) - np.log(p - 1.0)) - a / (p - 1.0) + 1.0 / (2.0 - p)
    value[rows] += log_sum - units - np.log(y)
    slopes[rows, 0] += count * by_power - bend * weighed + units * (log_mu + 1.0 / (p - 1.0))
    slopes[rows, 1] += units - (1.0 + a) * count
    return value, slopes


def _series(y: Array, phi: Array, p: float, a: float) -> tuple[Array, Array, Array]:
    """Ln Σ_j z^j / (j! Γ(j a)), and the means of j and of j ψ(j a) with its terms as weights."""
    log_z = a * np.log(y / (p - 1.0)) - (1.0 + a) * np.log(phi) - np.log(2.0 - p)
    peak = y ** (2.0 - p) / (phi * (2.0 - p))
    # Terms are about exp −(1 + a) peak (r ln r − r + 1) at j = r · peak; with C as below, they are
    # negligible outside these bounds, for r ln r − r + 1 is at least (r − 1)² / (2 + (r − 1) ⅔),
    # and where r < 1 at least (1 − r)² / 2.
    C = NEGLIGIBLE / (1.0 + a)
    half = np.sqrt(2.0 * C * peak)
    first = np.maximum(np.floor(peak - half) - 2.0, 1.0)
    width = np.ceil(peak + half + C) + 3.0 - first
    result = np.empty((3, len(y)))
    order = np.argsort(width, kind="stable")
    while len(order):
        many = max(CELLS // int(width[order[-1]]), 1)
        part, order = order[-many:], order[:-many]
        j = first[part, None] + np.arange(width[part[-1]])
        terms = j * log_z[part, None] - gammaln(j + 1.0) - gammaln(j * a)
        largest = terms.max(axis=1, keepdims=True)
        share = np.exp(terms - largest)
        total = share.sum(axis=1)
        result[0, part] = largest[:, 0] + np.log(total)
        result[1, part] = (share * j).sum(axis=1) / total
        result[2, part] = (share * j * digamma(j * a)).sum(axis=1) / total
    return result[0], result[1], result[2]


def most_likely_power(y: Array, mu: Array, weight: Array) -> float:
    """The p of the largest Σ w ln f(y; μ, p, φ), with the likeliest φ, for given means.

    Looked for between bounds, on some of the rows and then on all, and brought to the last digits
    as the root of the derivatives. A sentence, where the likelihood still grows at the bounds.
    """
    unit = float(weight @ mu / weight.sum())  # p is the same in any
    y, mu = y / unit, mu / unit

    def mean_loss(point: Array, rows: slice) -> tuple[float, Array]:  # at p and ln φ
        value, slopes = loglik(y[rows], mu[rows], float(point[0]), np.exp(point[1]))
        w = weight[rows] / weight[rows].sum()
        return -float(w @ value), -np.asarray(w @ slopes)

    few = slice(None, None, max(len(y) // SAMPLE, 1))
    spread = np.array([weight @ ((y - mu) ** 2 / mu**p) for p in POWERS]) / weight.sum()
    starts = np.column_stack([POWERS, np.log(np.clip(spread, *DISPERSIONS))])
    point = min(starts, key=lambda start: mean_loss(start, few)[0])
    bounds = [(POWERS[0], POWERS[-1]), tuple(np.log(DISPERSIONS))]
    for rows in (few, slice(None)):
        point = minimize(
            mean_loss, point, (rows,), method="L-BFGS-B", jac=True, bounds=bounds, tol=1e-10
        ).x
    if all(low < value < high for value, (low, high) in zip(point, bounds, strict=True)):
        found = root(lambda point: mean_loss(point, slice(None))[1], point, tol=1e-13).x
        if np.allclose(found, point, rtol=0.0, atol=1e-3):
            return float(found[0])
    raise ValueError(
        f"No power of a Tweedie family from {POWERS[0]} to {POWERS[-1]} is the most likely: y is "
        "hardly a Poisson number of gamma amounts, such as zeros beside a continuum of positive "
        'numbers. Give a power, or use family="gamma" or family="poisson".'
    )
