"""Binary logistic regression against its peers, on tables of many kinds."""

from __future__ import annotations

import numpy as np
from harness import machine
from same_gradient import Fit, Problem, compare, glum_fit, options, ours, sklearn_fits
from scipy.special import expit


def shape(name: str, shrink: int) -> tuple[np.ndarray, np.ndarray]:
    """One of the dense problems: 500,000 × 100 unless its name says otherwise."""
    rng = np.random.default_rng(0)
    n, d = {"few columns": (2_000_000, 10), "many columns": (60_000, 500)}.get(name, (500_000, 100))
    n //= shrink
    X = rng.standard_normal((n, d))
    w = 3.0 * rng.standard_normal(d) / np.sqrt(d)
    if name == "scaled":
        scale = np.logspace(-4, 4, d)
        X *= scale
        w /= scale
    elif name == "correlated":
        X = 0.1 * X + np.sqrt(0.99) * rng.standard_normal((n, 1))
    elif name == "heavy tails":
        X = rng.standard_t(2.5, (n, d))
    elif name == "rare levels":  # and a column of zeros, and one twice
        level = rng.zipf(1.3, n) % d
        X[:, :50] = level[:, None] == np.arange(50)
        X[:, 50], X[:, 51] = 0.0, X[:, 52]
    eta = X @ w
    if name == "separable":
        return X, (eta > 0).astype(float)
    return X, (rng.random(n) < expit(eta - (8.8 if name == "rare" else 0.0))).astype(float)


SHAPES = (
    "normal",
    "scaled",
    "correlated",
    "rare",
    "separable",
    "few columns",
    "many columns",
    "heavy tails",
    "rare levels",
)


def statsmodels_fit(X: np.ndarray, y: np.ndarray, tol: float) -> Fit:
    import statsmodels.api as sm

    def run() -> tuple[np.ndarray, np.ndarray]:
        model = sm.Logit(y, sm.add_constant(X, has_constant="add"))
        params = model.fit(method="newton", tol=tol, maxiter=100, disp=0).params
        return params[None, 1:], params[:1]

    return run


def binary(shrink: int, rounds: int, names: tuple[str, ...]) -> None:
    fastest, glum, statsmodels = [], [], []
    for name in names:
        X, y = shape(name, shrink)
        n = len(X)
        ratios = compare(
            f"{name}, {n:,} × {X.shape[1]}, L2, {y.mean():.2%} positive",
            Problem(X, y, expit, l2=1 / n),
            {
                "linework": ours(X, y),
                **dict(sklearn_fits(X, y, ("lbfgs", "newton-cholesky", "newton-cg"))),
                "glum": lambda tol, X=X, y=y, n=n: glum_fit(
                    X, y, tol, {"family": "binomial", "alpha": 1 / n}
                ),
            },
            rounds,
        )
        fastest.append(min(r for peer, r in ratios.items() if "scikit" in peer))
        glum.append(ratios["glum"])
        if name in ("separable", "rare levels"):
            continue  # without a penalty they have no single optimum
        ratios = compare(
            f"{name}, no penalty",
            Problem(X, y, expit),
            {
                "linework": ours(X, y, C=np.inf),
                "statsmodels": lambda tol, X=X, y=y: statsmodels_fit(X, y, tol),
            },
            1,
        )
        statsmodels.append(ratios["statsmodels"])
    print("\n### geometric means of the ratios")
    for peer_name, ratios_of, asked in (
        ("fastest of scikit-learn's solvers", fastest, "5, and at least 1 on every shape"),
        ("glum", glum, "5"),
        ("statsmodels", statsmodels, "20"),
    ):
        mean = np.exp(np.mean(np.log(ratios_of))) if ratios_of else np.nan
        print(f"{peer_name}: {mean:.3g}, smallest {min(ratios_of):.3g} (asked: {asked})")


def single(shrink: int, rounds: int) -> None:
    X, y = shape("normal", shrink)
    X32, n = X.astype(np.float32), len(X)
    compare(
        f"float32 and float64, {n:,} × {X.shape[1]}",
        Problem(X, y, expit, l2=1 / n),
        {"linework, float32": ours(X32, y), "linework, float64": ours(X, y)},
        rounds,
        "1.6",
    )


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--shapes", nargs="*", default=SHAPES)
    parser.add_argument("--only", nargs="*", default=("binary", "float32"))
    given = parser.parse_args()
    machine("glum", "statsmodels")
    if "binary" in given.only:
        binary(given.shrink, given.rounds, given.shapes)
    if "float32" in given.only:
        single(given.shrink, given.rounds)


if __name__ == "__main__":
    main()
