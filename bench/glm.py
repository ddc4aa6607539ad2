"""Poisson and gamma regression with offsets against glum."""

from __future__ import annotations

import numpy as np
from harness import machine
from same_gradient import Problem, compare, glum_fit, model_fit, options

import linework


def glm(shrink: int, rounds: int) -> None:
    rng = np.random.default_rng(0)
    n, d = 1_000_000 // shrink, 50
    X, offset = rng.standard_normal((n, d)), 0.5 * rng.standard_normal(n)
    eta = X @ (0.5 * rng.standard_normal(d) / np.sqrt(d)) + offset
    for family, y, slope in (
        ("poisson", rng.poisson(np.exp(eta)).astype(float), lambda eta: 1.0),
        ("gamma", rng.gamma(2.0, np.exp(eta) / 2.0), lambda eta: np.exp(-eta)),
    ):
        problem = Problem(X, y, np.exp, offset=offset, slope=slope)
        params = {"family": family, "link": "log", "alpha": 0.0}
        compare(
            f"{family}, log link, offset, {n:,} × {d}",
            problem,
            {
                "linework": lambda tol, params=params, y=y: model_fit(
                    linework.GLM(**params), X, y, offset=offset
                ),
                "glum": lambda tol, params=params, y=y: glum_fit(X, y, tol, params, offset=offset),
            },
            rounds,
            "3",
        )


if __name__ == "__main__":
    given = options(__doc__).parse_args()
    machine("glum")
    glm(given.shrink, given.rounds)
