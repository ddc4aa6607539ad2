"""Softmax regression against scikit-learn, on tables of few and of many parameters."""

from __future__ import annotations

from functools import partial

import numpy as np
from harness import machine
from same_gradient import Problem, compare, options, ours, sklearn_fits
from scipy.special import softmax
from sklearn.datasets import load_digits

Labelled = tuple[np.ndarray, np.ndarray]


def normal(shrink: int) -> Labelled:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300_000 // shrink, 100))
    eta = X @ rng.standard_normal((100, 5)) * 0.3
    return X, (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)


def images(shrink: int) -> Labelled:
    """In place of MNIST: 28 × 28 pixels from 0 to 1, most of them dark, some of them always.

    Each class is a few strokes, smooth blobs along lines, moved and blurred from image to image.
    """
    rng = np.random.default_rng(0)
    n, side, K = 60_000 // shrink, 28, 10
    y = rng.integers(0, K, n)
    strokes = rng.uniform(7.0, 21.0, (K, 4, 2, 2))
    grid = np.arange(side)
    X = np.zeros((n, side, side))
    moved = strokes[y] + rng.normal(0.0, 1.2, (n, 1, 1, 2)) + rng.normal(0.0, 0.9, (n, 4, 2, 2))
    for stroke in range(4):
        for t in np.linspace(0.0, 1.0, 6):
            point = (1.0 - t) * moved[:, stroke, 0] + t * moved[:, stroke, 1]
            row = np.exp(-((grid - point[:, :1]) ** 2) / 2.0)
            column = np.exp(-((grid - point[:, 1:]) ** 2) / 2.0)
            np.maximum(X, row[:, :, None] * column[:, None, :], out=X)
    X[X < 0.1] = 0.0
    return np.round(255.0 * X.reshape(n, -1)) / 255.0, y


def main() -> None:
    parser = options(__doc__)
    cases = {
        "normal": ("normal", normal),
        "digits": ("digits", lambda shrink: load_digits(return_X_y=True)),
        "images": ("in place of MNIST", images),
    }
    parser.add_argument("--only", nargs="*", default=tuple(cases))
    given = parser.parse_args()
    machine()
    for title, make in (cases[name] for name in given.only):
        X, y = make(given.shrink)
        one_hot = (y[:, None] == np.unique(y)).astype(float)
        problem = Problem(X, one_hot, partial(softmax, axis=1), l2=1 / len(X))
        wide = X.shape[1] * one_hot.shape[1] > 5_000  # a matrix of which takes newton-cholesky days
        solvers = ("lbfgs", "newton-cg") if wide else ("lbfgs", "newton-cg", "newton-cholesky")
        compare(
            f"{title}, {len(X):,} × {X.shape[1]}, {one_hot.shape[1]} classes",
            problem,
            {"linework": ours(X, y), **dict(sklearn_fits(X, y, solvers))},
            given.rounds,
            "5",
        )


if __name__ == "__main__":
    main()
