"""Coding matrices: what they promise, and which matrices are none."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linework.multiclass import codes
from linework.multiclass.coding import CodingMatrix, is_dichotomy, oriented
from linework.multiclass.decoding import DECODERS
from linework.multiclass.search import easy, explained, search
from linework.stats import PooledMoments

MAKERS = {
    "random": codes.dense_random,
    "sparse-random": codes.sparse_random,
    "bch": codes.bch,
    "search": search,
}

# The textbook's figure of a binary code: four classes, five learners.
FIGURE = np.array(
    [
        [-1, 1, -1, 1, 1],
        [1, -1, -1, 1, -1],
        [-1, 1, 1, -1, 1],
        [-1, -1, 1, 1, -1],
    ]
)
# And that of a ternary code, of seven.
TERNARY = np.array(
    [
        [-1, -1, 1, 1, -1, 1, 1],
        [-1, 0, 0, 0, 1, -1, 0],
        [1, 1, -1, -1, -1, 1, -1],
        [-1, 1, 0, 1, -1, 0, 1],
    ]
)


def hamming_distances(word: Any, code: Any) -> Any:
    return np.abs(np.asarray(word) - code).sum(axis=1) / 2.0


class TestTheTextbooksFigure:
    def test_the_single_mistake_of_the_second_learner_is_corrected(self) -> None:
        right = np.array([[-1.0, 1.0, 1.0, -1.0, 1.0]])
        np.testing.assert_array_equal(right[0], FIGURE[2])
        mistaken = right * [1, -1, 1, 1, 1]
        np.testing.assert_array_equal(mistaken[0], [-1, -1, 1, -1, 1])
        np.testing.assert_array_equal(hamming_distances(mistaken, FIGURE), [3, 4, 1, 2])
        for name in ("hamming", "euclidean", "attenuated-hamming", "loss"):
            assert DECODERS[name](mistaken, FIGURE, None).argmax() == 2

    def test_distances_are_the_figures(self) -> None:
        word = np.array([[-1.0, -1.0, 1.0, -1.0, 1.0]])
        euclidean = DECODERS["euclidean"](word, FIGURE, None)
        np.testing.assert_allclose(-euclidean[0], [2 * 3**0.5, 4.0, 2.0, 2 * 2**0.5])
        votes = DECODERS["hamming"](word, FIGURE, None)
        np.testing.assert_array_equal(votes.round(), [[2, 1, 4, 3]])  # 5 letters less mistakes

    def test_a_zero_of_the_ternary_code_is_half_an_error(self) -> None:
        word = np.array([[-1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0]])
        np.testing.assert_array_equal(hamming_distances(word, TERNARY), [4, 2, 5, 3])
        scores = DECODERS["hamming"](word, TERNARY, None)
        assert scores.argmax() == 1
        np.testing.assert_array_equal(scores.argsort()[0], [2, 0, 3, 1])

    def test_its_repeated_column_is_told(self) -> None:
        with pytest.warns(UserWarning, match="Columns 1 and 4 .* same dichotomy"):
            code = CodingMatrix.checked(FIGURE, 4)
        assert code.minimum_distance == 2.0
        assert code.n_corrected == 0


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("n_classes", "length"), [(3, 4), (4, 5), (6, 6), (9, 13), (20, 30)])
def test_made_codes_are_codes(name: str, n_classes: int, length: int) -> None:
    code = MAKERS[name](n_classes, length, np.random.default_rng(0))
    assert CodingMatrix.checked(code, n_classes).apart[~np.eye(n_classes, dtype=bool)].min() >= 1
    assert is_dichotomy(code).all()
    assert np.unique(oriented(code), axis=1).shape == code.shape
    possible = 2 ** (n_classes - 1) - 1
    if name in ("random", "search"):
        assert code.shape == (n_classes, min(length, possible))
    if name != "sparse-random":
        assert (code != 0).all()


def test_one_vs_rest_and_one_vs_one() -> None:
    np.testing.assert_array_equal(codes.one_vs_rest(3), 2 * np.eye(3) - 1)
    np.testing.assert_array_equal(codes.one_vs_rest(2), [[-1], [1]])
    np.testing.assert_array_equal(codes.one_vs_one(2), [[-1], [1]])
    code = codes.one_vs_one(5)
    assert [tuple(np.flatnonzero(c)) for c in code.T] == list(combinations(range(5), 2))
    assert (code.sum(axis=0) == 0).all()


@pytest.mark.parametrize("n_classes", [2, 3, 4, 7])
def test_the_exhaustive_code_has_every_dichotomy_once(n_classes: int) -> None:
    code = codes.exhaustive(n_classes)
    assert code.shape == (n_classes, 2 ** (n_classes - 1) - 1)
    assert np.unique(oriented(code), axis=1).shape == code.shape
    assert CodingMatrix.checked(code, n_classes).minimum_distance == 2 ** (n_classes - 2)


@pytest.mark.parametrize(("m", "degrees"), [(3, [3, 3]), (4, [4, 4, 2, 4])])
def test_minimal_polynomials_are_the_factors_of_x_to_the_n_less_one(m: int, degrees: Any) -> None:
    factors = codes._minimal_polynomials(m)
    assert [f.bit_length() - 1 for f in factors] == degrees
    whole = 0b11  # x − 1
    for factor in factors:
        whole = codes._product(whole, factor)
    assert whole == 1 << 2**m - 1 | 1


def test_the_bch_code_of_15_letters_corrects_three_errors() -> None:
    # Its designed distance is 7 with 2⁵ words, as in every table of BCH codes.
    code = codes.bch(20, 15, np.random.default_rng(0))
    assert code.shape[1] == 15
    assert CodingMatrix(code).minimum_distance == 7.0


@pytest.mark.parametrize(("n_classes", "length"), [(4, 3), (4, 5), (5, 5), (5, 7)])
def test_search_among_few_finds_the_best(n_classes: int, length: int) -> None:
    columns = codes.exhaustive(n_classes)
    best = max(
        CodingMatrix(columns[:, list(chosen)]).minimum_distance
        for chosen in combinations(range(columns.shape[1]), length)
    )
    found = search(n_classes, length, np.random.default_rng(0))
    assert CodingMatrix(found).minimum_distance == best


def test_annealing_beats_the_best_of_random_codes_and_repeats_itself() -> None:
    drawn = codes.dense_random(16, 24, np.random.default_rng(0))
    found = [search(16, 24, np.random.default_rng(0)) for _ in range(2)]
    np.testing.assert_array_equal(*found)
    assert CodingMatrix(found[0]).minimum_distance > CodingMatrix(drawn).minimum_distance


class TestErrorCorrection:
    @settings(max_examples=60, deadline=None)
    @given(st.data())
    def test_a_code_of_distance_2t_plus_1_survives_every_pattern_of_t_errors(
        self, data: Any
    ) -> None:
        name = data.draw(st.sampled_from(sorted(MAKERS)))
        n_classes = data.draw(st.integers(3, 8))
        length = data.draw(st.integers(n_classes, 14))
        rng = np.random.default_rng(data.draw(st.integers(0, 1 << 16)))
        code = CodingMatrix(MAKERS[name](n_classes, length, rng))
        k = data.draw(st.integers(0, n_classes - 1))
        used = np.flatnonzero(code.matrix[k])
        for t in range(min(code.n_corrected, 3) + 1):
            assert 2 * t < code.minimum_distance or t == 0
            if code.minimum_distance <= 0:
                continue
            for wrong in combinations(used, t):
                # Learners that have not seen the class may say anything of it.
                word = np.where(code.matrix[k] == 0, rng.choice([-1.0, 1.0], code.matrix.shape[1]),
                                code.matrix[k]).astype(float)  # fmt: skip
                word[list(wrong)] *= -1
                confidence = rng.uniform(0.01, 100.0, word.shape)
                scores = DECODERS["hamming"]((word * confidence)[None], code.matrix, None)
                assert scores.argmax() == k

    def test_one_error_more_may_be_too_many(self) -> None:
        code = CodingMatrix(codes.exhaustive(4))  # of distance 4
        assert code.n_corrected == 1
        lost = 0
        for k, wrong in product(range(4), combinations(range(7), 2)):
            word = code.matrix[k].astype(float)
            word[list(wrong)] *= -1
            scores = DECODERS["hamming"](word[None], code.matrix, None)[0]
            lost += scores.argmax() != k
        assert lost > 0

    def test_distance_with_zeros_is_what_the_worst_answers_leave(self) -> None:
        code = CodingMatrix(codes.sparse_random(5, 9, np.random.default_rng(3)))
        for a, b in product(range(5), repeat=2):
            if a == b:
                continue
            row_a, row_b = code.matrix[a], code.matrix[b]
            worst = np.inf
            for answers in product([-1, 1], repeat=int((row_a == 0).sum())):
                word = row_a.copy()
                word[row_a == 0] = answers
                own, other = hamming_distances(word, code.matrix[[a, b]])
                # A zero counts half, whatever is said.
                own = (row_a == 0).sum() / 2.0
                other = ((row_b == 0) / 2.0 + ((row_b != 0) & (row_b != word))).sum()
                worst = min(worst, other - own)
            assert worst == code.distance[a, b]


class TestEasyCodes:
    @staticmethod
    def moments(rng: Any, n_classes: int = 6, d: int = 3) -> PooledMoments:
        from linework.data.blocks import Block

        means = 2.0 * rng.standard_normal((n_classes, d))
        number = np.repeat(np.arange(n_classes), 30 + 10 * np.arange(n_classes))
        X = means[number] + rng.standard_normal((len(number), d))
        return PooledMoments.from_block(Block(X, group=number)), X, number

    def test_the_share_explained_is_that_of_least_squares(self) -> None:
        from sklearn.linear_model import LinearRegression

        stats, X, number = self.moments(np.random.default_rng(0))
        columns = codes.exhaustive(6)[:, ::7]
        expected = [LinearRegression().fit(X, c[number]).score(X, c[number]) for c in columns.T]
        np.testing.assert_allclose(explained(stats, columns), expected, rtol=1e-10)

    @pytest.mark.parametrize("n_classes", [6, 14])
    def test_its_dichotomies_are_easier_than_those_of_a_random_code(self, n_classes: int) -> None:
        rng = np.random.default_rng(1)
        stats, _, _ = self.moments(rng, n_classes)
        code = easy(stats, n_classes, rng)
        CodingMatrix.checked(code, n_classes)
        drawn = codes.dense_random(n_classes, n_classes, rng)
        assert explained(stats, code).mean() > explained(stats, drawn).mean() + 0.1


class TestRefusals:
    @pytest.mark.parametrize(
        ("matrix", "sentence"),
        [
            ([[1, -1], [-1, 1]], r"shape \(2, 2\), and \(3, M\) is expected"),
            ([[1], [2], [-1]], "holds .*2.*, and its entries are"),
            ([[1, 1], [1, -1], [1, 1]], "Column 0 .* one side only"),
            ([[1, -1], [1, -1], [-1, 1]], "classes 0 and 1 on opposite sides"),
            ([[1, 0], [0, 1], [-1, -1]], "classes 0 and 1 on opposite sides"),
        ],
    )
    def test_what_is_no_code(self, matrix: Any, sentence: str) -> None:
        with pytest.raises(ValueError, match=sentence):
            CodingMatrix.checked(matrix, 3)

    def test_the_complement_of_a_column_is_the_same_dichotomy(self) -> None:
        with pytest.warns(UserWarning, match="Columns 0 and 2 .* same dichotomy"):
            CodingMatrix.checked([[1, -1, -1], [-1, 1, 1], [-1, -1, 1]], 3)

    def test_too_many_classes_for_all_dichotomies(self) -> None:
        with pytest.raises(ValueError, match="at most 15 classes"):
            codes.exhaustive(16)

    def test_too_few_columns(self) -> None:
        with pytest.raises(ValueError, match="10 classes have different rows from 4 columns on"):
            codes.check_length(10, 3)
