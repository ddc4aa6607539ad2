"""Decoders: formulas written out, ties, and zeros."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from linework.multiclass import codes
from linework.multiclass.decoding import DECODERS, signs

CODES = [
    codes.one_vs_one(4),
    codes.exhaustive(4),
    codes.sparse_random(6, 10, np.random.default_rng(1)),
]


def by_hand(name: str, f: Any, c: Any, w: Any) -> float:
    s, used = np.where(f > 0, 1.0, -1.0), np.abs(c)
    loss = np.log1p(np.exp(-c * f))
    match name:
        case "hamming":
            return -float((1.0 - s * c).sum()) / 2.0
        case "attenuated-hamming":
            return -float((used * (1.0 - s * c)).sum()) / 2.0 / used.sum()
        case "euclidean":
            return -float(np.square(f - c).sum() ** 0.5)
        case "attenuated-euclidean":
            return -(float((used * np.square(f.clip(-1.0, 1.0) - c)).sum() / used.sum()) ** 0.5)
        case "loss":
            return -float(loss.sum())
    return -float((w * loss).sum())


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("code", CODES, ids=["one-vs-one", "exhaustive", "sparse"])
def test_scores_are_the_formulas_up_to_a_constant_and_ties(name: str, code: Any) -> None:
    rng = np.random.default_rng(0)
    f = rng.standard_normal((50, code.shape[1]))
    weights = np.where(code != 0, rng.random(code.shape), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    scores = DECODERS[name](f, code, weights)
    expected = np.array(
        [[by_hand(name, row, c, w) for c, w in zip(code, weights, strict=True)] for row in f]
    )
    if "hamming" not in name:
        np.testing.assert_allclose(scores, expected, rtol=1e-12)
        return
    for a, b in product(range(len(code)), repeat=2):  # ties are broken, and nothing else
        ahead = expected[:, a] > expected[:, b] + 1e-12
        assert (scores[ahead, a] > scores[ahead, b]).all()
        tied = np.abs(expected[:, a] - expected[:, b]) < 1e-12
        surer = f @ code[a] > f @ code[b]
        assert (scores[tied & surer, a] > scores[tied & surer, b]).all()


def test_votes_are_counted_where_all_classes_have_as_many_columns() -> None:
    f = np.random.default_rng(0).standard_normal((30, 6))
    votes = DECODERS["hamming"](f, codes.one_vs_one(4), None)
    np.testing.assert_array_equal(votes.round().sum(axis=1), 6.0)
    won = (signs(f)[:, None] == codes.one_vs_one(4)).sum(axis=2)
    np.testing.assert_array_equal(votes.round(), won)


def test_losses_of_sure_scores_are_finite() -> None:
    f = np.full((1, 6), 1e4)
    assert np.isfinite(DECODERS["loss"](f, codes.one_vs_one(4), None)).all()
