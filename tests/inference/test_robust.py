"""Robust covariances against R and exact arithmetic, and their statistics' merging."""

from fractions import Fraction
from functools import partial, reduce
from operator import add

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import stdtrit

from linework import LinearRegression, infer
from linework.data.blocks import Block
from linework.inference.coordinates import Coordinates
from linework.inference.covariance import ClusterScores, LineScores, Meat
from linework.inference.line import Line
from linework.stats import Moments, RFactor

KINDS = ["HC0", "HC1", "HC2", "HC3"]


# Against R -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "rtol"), [("ols", 2e-12), ("no_intercept", 1e-12)])
def test_r(case, name, rtol, kind):
    c = case(name)
    result = infer(c.model, c.X, c.y, covariance=kind)
    assert_allclose(result.covariance_matrix, c.r["vcov_robust"][kind], rtol)
    assert_array_equal(result.covariance_matrix, result.covariance_matrix.T)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", ["frequency", "precision"])
@pytest.mark.parametrize("name", ["weighted", "weighted_with_zeros"])
def test_r_weights(reference, case, name, weights, kind):
    w = reference[name]["weights"]
    c = case(name, w)
    result = infer(c.model, c.X, c.y, sample_weight=w, weights=weights, covariance=kind)
    assert_allclose(result.covariance_matrix, c.r[weights]["vcov_robust"][kind], 1e-11)


@pytest.mark.parametrize("name", ["clustered_by_cyl", "clustered_by_carb"])
def test_r_clusters(case, name):
    c = case("ols")
    expected = c.r[name]
    groups = np.array([f"group {g}" for g in expected["cluster"]])
    result = infer(c.model, c.X, c.y, covariance="cluster", groups=groups)
    assert result.n_clusters == expected["groups"]
    assert_allclose(result.covariance_matrix, expected["vcov"], 2e-12)
    slopes = list(c.r["coef"].values())[1:]
    if expected["groups"] > len(slopes):
        f = slopes @ np.linalg.solve(np.array(expected["vcov"])[1:, 1:], slopes) / len(slopes)
        assert_allclose(result.f, f, 1e-10)
    else:  # as many clusters as slopes leave the covariance singular
        assert np.isnan(result.f)
        assert np.isnan(result.f_p)


def test_r_tests(case):
    c = case("ols")
    table = infer(c.model, c.X, c.y, covariance="HC3").table
    expected = c.r["test_hc3"]
    assert_allclose(table.std_error, list(expected["se"].values()), 1e-12)
    assert_allclose(table.statistic, list(expected["t"].values()), 1e-12)
    assert_allclose(table.p_value, list(expected["p"].values()), 1e-11)


def test_r_interval_of_the_mean(case):
    """The confidence interval follows the covariance; a prediction adds σ²."""
    c = case("ols")
    result = infer(c.model, c.X, c.y, covariance="HC3")
    Z = np.column_stack([np.ones(len(c.X)), c.X])
    V = np.array(c.r["vcov_robust"]["HC3"])
    assert_allclose(result.se_mean(c.X), np.sqrt(((Z @ V) * Z).sum(axis=1)), 1e-10)
    confidence = np.diff(result.predict(c.X, "confidence")[:, 1:])
    prediction = np.diff(result.predict(c.X, "prediction")[:, 1:])
    added = (prediction**2 - confidence**2)[:, 0]
    assert_allclose(added, (2.0 * stdtrit(28, 0.975) * result.sigma) ** 2, 1e-8)


# Against exact arithmetic --------------------------------------------------------------------


def solve(A, B):
    """A⁻¹B of matrices of fractions."""
    n = len(A)
    rows = [[*a, *b] for a, b in zip(A, B, strict=True)]
    for j in range(n):
        pivot = next(i for i in range(j, n) if rows[i][j])
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [v / rows[j][j] for v in rows[j]]
        for i in range(n):
            if i != j and rows[i][j]:
                rows[i] = [v - rows[i][j] * u for v, u in zip(rows[i], rows[j], strict=True)]
    return [row[n:] for row in rows]


def product(A, B):
    return [
        [sum(a * b for a, b in zip(r, s, strict=True)) for s in zip(*B, strict=True)] for r in A
    ]


@pytest.mark.parametrize("kind", ["HC0", "HC3"])
def test_exact_where_columns_are_nearly_collinear(case, kind):
    """R keeps six digits of these; the coordinates of the design keep all but three."""
    c = case("collinear")
    Z = [[Fraction(1), *map(Fraction, row)] for row in c.X.to_numpy(float).tolist()]
    y = [[Fraction(v)] for v in c.y]
    Zt = list(map(list, zip(*Z, strict=True)))
    gram = product(Zt, Z)
    fitted = product(Z, solve(gram, product(Zt, y)))
    half = solve(gram, Zt)
    h = [sum(row[i] * z for row, z in zip(half, Z[i], strict=True)) for i in range(len(Z))]
    square = [(a - b) ** 2 for [a], [b] in zip(y, fitted, strict=True)]
    if kind == "HC3":
        square = [s / (1 - v) ** 2 for s, v in zip(square, h, strict=True)]
    weighed = [[v * s for v, s in zip(row, square, strict=True)] for row in half]
    exact = np.array(product(weighed, list(map(list, zip(*half, strict=True))))).astype(float)
    result = infer(c.model, c.X, c.y, covariance=kind)
    assert_allclose(result.covariance_matrix, exact, 1e-11)
    assert_allclose(result.covariance_matrix, c.r["vcov_robust"][kind], 5e-7)


# Whatever the data ---------------------------------------------------------------------------


def sample(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + np.array([5.0, 0.0, -100.0])
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=n) * (1.0 + abs(X[:, 1]))
    return X, y


def test_clusters_of_one_row_are_hc1():
    X, y = sample()
    model = LinearRegression().fit(X, y)
    clusters = infer(model, X, y, covariance="cluster", groups=np.arange(len(y)))
    assert_allclose(
        clusters.covariance_matrix, infer(model, X, y, covariance="HC1").covariance_matrix, 1e-12
    )
    assert clusters.n_clusters == len(y)


def test_repeated_rows_are_clusters():
    X, y = sample(50)
    w = np.arange(50) % 4
    model = LinearRegression().fit(X, y, w)
    groups = np.arange(50) // 4
    weighted = infer(model, X, y, covariance="cluster", groups=groups, sample_weight=w)
    Z, v = np.repeat(X, w, axis=0), np.repeat(y, w)
    repeated = infer(
        LinearRegression().fit(Z, v), Z, v, covariance="cluster", groups=np.repeat(groups, w)
    )
    assert_allclose(weighted.covariance_matrix, repeated.covariance_matrix, 1e-11)


def test_cluster_without_weight_is_none():
    X, y = sample(50)
    groups, w = np.arange(50) % 5, np.ones(50)
    w[groups == 3] = 0.0
    options = {"covariance": "cluster", "weights": "precision"}
    result = infer(LinearRegression().fit(X, y, w), X, y, groups=groups, sample_weight=w, **options)
    assert result.n_clusters == 4
    rest = groups != 3
    X, y, groups = X[rest], y[rest], groups[rest]
    alone = infer(LinearRegression().fit(X, y), X, y, groups=groups, **options)
    assert_allclose(result.covariance_matrix, alone.covariance_matrix, 1e-11)


def test_full_leverage_is_a_sentence():
    X, y = sample(50)
    X[:, 1] = 0.0
    X[17, 1] = 1.0
    model = LinearRegression().fit(X, y)
    for kind in ("HC2", "HC3"):
        with pytest.raises(ValueError, match=f"{kind} is not defined: row 17 has leverage 1"):
            infer(model, X, y, covariance=kind)
    assert np.isfinite(infer(model, X, y, covariance="HC1").covariance_matrix).all()


@pytest.fixture(params=[Moments, RFactor])
def parts(request):
    """Coordinates and a line, from either statistic, with a block of their rows."""
    X, y = sample()
    w = np.arange(1.0, 201.0) % 3
    block = Block(X, y[:, None], w, group=np.arange(200) % 7)
    stats = request.param.from_block(block)
    line = Line(np.array([1.0, 2.0, 3.0]), stats.x_mean, float(stats.y_mean[0]))
    return Coordinates.of(stats, np.arange(3), True), line, block


def pieces(block):
    return [block.take(part) for part in np.split(np.arange(len(block)), [1, 30, 31, 150])]


def test_coordinates_are_orthonormal(parts):
    coordinates, _, block = parts
    Q = coordinates.rows(block.X)
    assert_allclose(Q.T @ (block.weight[:, None] * Q), np.eye(4), atol=1e-12)
    slopes = np.array([0.5, -1.0, 2.0])
    back = coordinates.to_coef() @ np.concatenate([[0.0], coordinates.of_coef(slopes)])
    assert_allclose(back[1:], slopes, 1e-12)


@pytest.mark.parametrize("weights", ["frequency", "precision"])
@pytest.mark.parametrize("kind", KINDS)
def test_meat_merges(parts, kind, weights):
    coordinates, line, block = parts
    of = partial(
        Meat.from_block, coordinates=coordinates, scores=LineScores(line, weights), kind=kind
    )
    merged = reduce(add, map(of, pieces(block)))
    assert_allclose(merged.matrix, of(block).matrix, 1e-12)


def test_cluster_scores_merge(parts):
    coordinates, line, block = parts
    of = partial(
        ClusterScores.from_block, coordinates=coordinates, scores=LineScores(line, "frequency")
    )
    merged = reduce(add, map(of, pieces(block)))
    assert_array_equal(merged.groups, np.arange(7))
    assert_allclose(merged.sums, of(block).sums, 1e-12)
    direct = coordinates.rows(block.X) * (block.weight * line.residuals(block))[:, None]
    assert_allclose(merged.sums[3], direct[block.group == 3].sum(axis=0), 1e-12)
