"""The compiled loops give what NumPy gives, at any size, weight and type, and in any thread."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linework
from linework.data.blocks import Array, Block
from linework.data.sources import as_table
from linework.engine import map_reduce
from linework.losses import FAMILIES, LINKS, GeneralizedLoss, Loss, SoftmaxLoss
from linework.stats import ColumnMoments, Curvature, Gradient
from linework.stats.centre import in_single

LOSSES: dict[str, Loss] = {
    f"{family} {link}": GeneralizedLoss(FAMILIES[family](), LINKS[link])
    for family, link in (
        ("gaussian", "identity"),
        ("binomial", "logit"),
        ("poisson", "log"),
        ("gamma", "log"),
    )
} | {f"softmax {k}": SoftmaxLoss(k) for k in (2, 5)}
SHAPES = [(1, 1), (3, 2), (1_003, 7), (4_001, 50), (9, 3_000)]


def block(n: int, d: int, k: int, dtype: Any = float, weighted: bool = True) -> Block:
    rng = np.random.default_rng(d)
    y = rng.integers(k, size=(n, 1)).astype(float) if k > 1 else rng.random((n, 1)) + 0.1
    X = rng.standard_normal((n, d)).astype(dtype)
    if not weighted:
        return Block(X, y)
    return Block(X, y, rng.random(n) + 0.1, offset=rng.standard_normal((n, max(k - 1, 1))))


def gradients(b: Block, loss: Loss, size: float = 1.0) -> tuple[Gradient, Gradient]:
    """By NumPy and by the compiled loop, for linear predictors of about this size."""
    d, k = b.X.shape[1], loss.n_scores
    coef = size / np.sqrt(d) * np.random.default_rng(1).standard_normal((d, k))
    assert loss.fused is not None
    by_numpy = Gradient.from_block(b, coef, np.arange(k) / 2.0, loss.evaluate)
    return by_numpy, Gradient.from_block(b, coef, np.arange(k) / 2.0, loss.evaluate, loss.fused)


def assert_same(a: Array, b: Array, rtol: float, beside: float) -> None:
    # What is below 1e-290 may come out as zero, or not.
    np.testing.assert_allclose(a, b, rtol=rtol, atol=max(rtol * beside, 1e-290))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_gradient(loss: Loss, shape: tuple[int, int], weighted: bool, dtype: Any) -> None:
    b = block(*shape, loss.n_scores, dtype, weighted)
    rtol = 1e-5 if in_single(b.X) else 1e-12
    by_numpy, compiled = gradients(b, loss)
    beside = float(np.abs(by_numpy.slope).max() + np.abs(by_numpy.intercept).max())
    assert_same(compiled.slope, by_numpy.slope, rtol, beside)
    assert_same(compiled.intercept, by_numpy.intercept, rtol, beside)
    assert_same(compiled.value, by_numpy.value, rtol, 0.0)
    assert compiled.slope.shape == by_numpy.slope.shape
    assert compiled.value.shape == by_numpy.value.shape


@pytest.mark.parametrize("eta", [-1e4, -800.0, -708.0, -37.0, -1e-9, 0.0, 40.0, 708.9, 1e4])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_extreme_predictors(loss: Loss, eta: float) -> None:
    X = np.ones((3, 1))
    y = np.array([[0.0], [1.0], [1.0]]) if loss.n_scores > 1 else np.ones((3, 1))
    k = loss.n_scores
    at = np.zeros((1, k)), np.append(np.zeros(k - 1), eta)
    with np.errstate(over="ignore"):
        by_numpy = Gradient.from_block(Block(X, y), *at, loss.evaluate)
        compiled = Gradient.from_block(Block(X, y), *at, loss.evaluate, loss.fused)
    if np.isfinite(by_numpy.value):
        assert_same(compiled.value, by_numpy.value, 1e-13, 0.0)
        assert_same(compiled.slope, by_numpy.slope, 1e-13, 0.0)
    else:
        assert compiled.value == np.inf


def test_a_lost_row_keeps_its_likelihood() -> None:
    """Of a row that is all but certain the loss is e^−η, not zero."""
    loss = LOSSES["binomial logit"]
    one = Block(np.ones((1, 1)), np.ones((1, 1)))
    value = Gradient.from_block(one, np.full((1, 1), 100.0), np.zeros(1), loss.evaluate, loss.fused)
    assert value.value == pytest.approx(np.exp(-100.0), rel=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_column_moments(weighted: bool, dtype: Any) -> None:
    b = block(1_003, 7, 1, dtype, weighted)
    X = b.X + np.logspace(0, 6, 7, dtype=dtype)
    X[:, 3] = 7.1
    b = Block(X, b.y, b.weight)
    by_numpy, compiled = ColumnMoments.from_block(b), ColumnMoments.from_block(b, compiled=True)
    np.testing.assert_allclose(compiled.mean, by_numpy.mean, rtol=1e-14)
    np.testing.assert_allclose(compiled.squares, by_numpy.squares, rtol=1e-12)
    assert compiled.squares[3] == 0.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("loss", [LOSSES["binomial logit"], SoftmaxLoss(3)], ids=["1", "3"])
def test_curvature(loss: Loss, dtype: Any) -> None:
    d, k = 7, loss.n_scores
    b = block(1_003, d, k, dtype)
    coef = np.random.default_rng(1).standard_normal((d, k))
    centre = np.linspace(-1.0, 1.0, d)
    both = [
        Curvature.from_block(b, coef, np.zeros(k), centre, loss.curvature, compiled).sums
        for compiled in (False, True)
    ]
    np.testing.assert_allclose(both[1], both[0], rtol=1e-12, atol=1e-12 * np.abs(both[0]).max())


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_curvature_of_either_sign(kind: Any, compiled: bool) -> None:
    b = block(1_003, 7, 1)
    centre, coef = np.linspace(-1.0, 1.0, 7), np.linspace(0.1, 1.0, 7)[:, None]
    h = np.sin(b.X @ coef)
    rows = Block(kind(b.X), b.y, b.weight)
    found = Curvature.from_block(
        rows, coef, np.zeros(1), centre, lambda y, eta: np.sin(eta), compiled
    )
    Z = np.column_stack([b.X - centre, np.ones(len(b))])
    weight = h[:, 0] if b.weight is None else h[:, 0] * b.weight
    assert weight.min() < 0.0 < weight.max()
    np.testing.assert_allclose(found.sums[0], (Z.T * weight) @ Z, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_threads_give_the_same_bits(loss: Loss) -> None:
    b = block(200_000, 12, loss.n_scores, weighted=False)
    table = as_table(b.X, b.targets)
    coef, at = np.full((12, loss.n_scores), 0.1), np.zeros(loss.n_scores)
    assert len(list(table.chunks())) > 1

    def sums() -> Gradient:
        return map_reduce(
            table,
            lambda part: Gradient.from_block(part, coef, at, loss.evaluate, loss.fused),
        )

    results = []
    for n in (1, 3):
        with linework.threads(n):
            results.append(
                (sums(), map_reduce(table, partial(ColumnMoments.from_block, compiled=True)))
            )
    (one, columns), (three, other_columns) = results
    np.testing.assert_array_equal(one.slope, three.slope)
    np.testing.assert_array_equal(one.value, three.value)
    np.testing.assert_array_equal(columns.squares, other_columns.squares)
