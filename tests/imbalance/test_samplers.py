"""Samplers: what they draw and make, of any kind of table, and what they refuse."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from estimators import SAMPLERS
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.estimator_checks import check_parameters_default_constructible

import linework
from linework import SMOTE, SMOTENC, BorderlineSMOTE, RandomOverSampler, RandomUnderSampler
from linework.imbalance import neighbours
from linework.imbalance.neighbours import nearest

Array = np.ndarray
NUMERIC = [RandomUnderSampler(), RandomOverSampler(), SMOTE(), BorderlineSMOTE()]
every_numeric = pytest.mark.parametrize("sampler", NUMERIC, ids=lambda s: type(s).__name__)


def table(seed: int = 0, n: int = 120, d: int = 3) -> tuple[Array, Array]:
    """Three overlapping classes, of about an eighth, a quarter and the rest of the rows."""
    rng = np.random.default_rng(seed)
    y = np.digitize(np.arange(n) / n, [0.12, 0.38])
    return rng.standard_normal((n, d)) + 0.3 * y[:, None], y


def dense(X: Any) -> Array:
    return X.toarray() if sp.issparse(X) else np.asarray(X)


class TestNeighbours:
    @given(st.integers(0, 10_000), st.integers(1, 6), st.integers(7, 700), st.integers(1, 4))
    def test_they_are_the_nearest(self, seed: int, k: int, n: int, d: int) -> None:
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, d)) + 1e3
        distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        np.fill_diagonal(distance, np.inf)
        at = np.take_along_axis(distance, nearest(X, k), axis=1)
        np.testing.assert_allclose(at, np.sort(distance, axis=1)[:, :k], rtol=1e-6)

    @pytest.mark.parametrize("scale", [1e-160, 1.0, 1e150])
    def test_heavy_tails_and_any_scale(self, scale: float) -> None:
        X = np.random.default_rng(0).standard_cauchy((800, 3)) ** 3
        distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        np.fill_diagonal(distance, np.inf)
        at = np.take_along_axis(distance, nearest(X * scale, 4), axis=1)
        # Centring rounds by the largest row, which may be 1e15 times as far as the nearest are.
        np.testing.assert_allclose(
            at, np.sort(distance, axis=1)[:, :4], rtol=1e-6, atol=1e-14 * np.abs(X).max()
        )

    def test_of_equally_near_points_the_first_come_first(self) -> None:
        np.testing.assert_array_equal(
            nearest(np.zeros((4, 2)), 2), [[1, 2], [0, 2], [0, 1], [0, 1]]
        )

    @given(st.integers(0, 1000))
    def test_each_category_that_differs_adds_the_penalty(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        X, codes = rng.standard_normal((90, 2)), rng.integers(0, 3, (90, 4))
        differ = (codes[:, None] != codes[None]).sum(axis=2)
        distance = ((X[:, None] - X[None]) ** 2).sum(axis=2) + 0.7 * differ
        np.fill_diagonal(distance, np.inf)
        found = nearest(X, 5, codes=codes, penalty=0.7)
        np.testing.assert_array_equal(found, np.argsort(distance, axis=1)[:, :5])

    def test_sparse_points_and_some_queries(self) -> None:
        X = sp.random_array((300, 40), density=0.1, format="csr", rng=np.random.default_rng(0))
        some = np.array([7, 250, 3])
        np.testing.assert_array_equal(nearest(X, 4, some), nearest(X.toarray(), 4)[some])

    def test_blocks_do_not_matter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        X, _ = table(n=500)
        whole = nearest(X, 5)
        monkeypatch.setattr(neighbours, "POINTS", 17)
        np.testing.assert_array_equal(nearest(X, 5), whole)


class TestRandomRows:
    @pytest.mark.parametrize("sampler", NUMERIC[:2], ids=["under", "over"])
    def test_classes_get_one_size_and_rows_are_those_named(self, sampler: Any) -> None:
        X, y = table()
        X_new, y_new = sampler.fit_resample(X, y)
        size = (min if isinstance(sampler, RandomUnderSampler) else max)(Counter(y).values())
        assert set(Counter(y_new).values()) == {size}
        np.testing.assert_array_equal(X_new, X[sampler.sample_indices_])
        np.testing.assert_array_equal(y_new, y[sampler.sample_indices_])

    def test_without_replacement_no_row_comes_twice(self) -> None:
        X, y = table()
        sampler = RandomUnderSampler()
        sampler.fit_resample(X, y)
        assert len(set(sampler.sample_indices_)) == len(sampler.sample_indices_)

    def test_oversampling_keeps_all_rows_in_front(self) -> None:
        X, y = table()
        X_new, y_new = RandomOverSampler().fit_resample(X, y)
        np.testing.assert_array_equal(X_new[: len(X)], X)
        np.testing.assert_array_equal(y_new[: len(X)], y)

    def test_rows_of_words_and_gaps_are_drawn_as_they_are(self) -> None:
        X = np.array([["a", 1.0], [None, 2.0], ["c", np.nan]], dtype=object)
        X_new, _ = RandomOverSampler().fit_resample(X, ["x", "x", "y"])
        assert X_new.dtype == object
        assert X_new[3, 0] == "c"


class TestSMOTE:
    @given(st.integers(0, 1000), st.integers(1, 5))
    def test_new_rows_lie_on_segments_between_neighbours_of_a_class(
        self, seed: int, k: int
    ) -> None:
        X, y = table(seed, n=60)
        X_new, y_new = SMOTE(random_state=seed, k_neighbors=k).fit_resample(X, y)
        for row, label in zip(X_new[len(X) :], y_new[len(X) :], strict=True):
            own = X[y == label]
            near = NearestNeighbors(n_neighbors=k + 1).fit(own)
            a = np.repeat(own, k, axis=0)
            b = own[near.kneighbors(own, return_distance=False)[:, 1:].ravel()]
            step = ((row - a) * (b - a)).sum(axis=1) / ((b - a) ** 2).sum(axis=1)
            off = np.abs(a + np.clip(step, 0.0, 1.0)[:, None] * (b - a) - row).max(axis=1)
            assert off.min() < 1e-12

    @pytest.mark.parametrize("sampler", [SMOTE(), BorderlineSMOTE()], ids=["plain", "borderline"])
    def test_all_rows_stay_in_front_and_classes_get_one_size(self, sampler: Any) -> None:
        X, y = table()
        X_new, y_new = sampler.fit_resample(X, y)
        np.testing.assert_array_equal(X_new[: len(X)], X)
        assert len(set(Counter(y_new).values())) == 1

    def test_whole_numbers_stay_whole_and_are_rounded(self) -> None:
        X = np.array([[0], [1], [2], [3], [10], [20]])
        X_new, _ = SMOTE(k_neighbors=1, sampling_strategy={1: 200}).fit_resample(
            X, [0, 0, 0, 0, 1, 1]
        )
        assert X_new.dtype == X.dtype
        assert abs(X_new[6:].mean() - 15.0) < 0.7  # truncated they would be half a unit lower

    def test_a_class_without_enough_rows_is_refused(self) -> None:
        X, y = table()
        with pytest.raises(
            ValueError, match=r"has 3 rows, and k_neighbors=5 needs at least 6.*=2,"
        ):
            SMOTE().fit_resample(np.vstack([X, X[:3]]), np.append(y, [7, 7, 7]))
        with pytest.raises(ValueError, match=r"has 1 rows.*take RandomOverSampler"):
            SMOTE().fit_resample(np.vstack([X, X[:1]]), np.append(y, [7]))

    def test_neighbours_may_be_of_another_metric(self) -> None:
        X, y = table()
        near = NearestNeighbors(n_neighbors=4, metric="manhattan")
        X_new, _ = SMOTE(k_neighbors=near).fit_resample(X, y)
        assert len(X_new) == 3 * max(Counter(y).values())

    def test_gaps_are_named(self) -> None:
        X, y = table()
        X[17, 1] = np.nan
        with pytest.raises(ValueError, match="NaN in column 1, row 17"):
            SMOTE().fit_resample(X, y)


class TestBorderline:
    def test_new_rows_begin_at_rows_in_danger(self) -> None:
        X, y = table()
        sampler = BorderlineSMOTE(m_neighbors=6)
        sampler.fit_resample(X, y)
        around = nearest(X, 6)
        for label, rows in sampler.in_danger_indices.items():
            others = (y[around[y == label]] != label).sum(axis=1)
            expected = np.flatnonzero(y == label)[(others >= 3) & (others < 6)]
            np.testing.assert_array_equal(rows, expected)

    def test_without_a_row_in_danger_it_says_so(self) -> None:
        X, y = table()
        with pytest.warns(UserWarning, match="No row of class 0 is in danger"):
            X_new, _ = BorderlineSMOTE(sampling_strategy="minority").fit_resample(
                X + 100.0 * (y[:, None] == 0), y
            )
        np.testing.assert_array_equal(X_new[: len(X)].shape, X_new.shape)

    def test_the_second_kind_stays_nearer_to_the_class(self) -> None:
        X = np.array([[0.0], [0.2], [0.4], [1.0], [1.1], [1.2], [1.3], [1.4], [1.5]])
        y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0])
        sampler = BorderlineSMOTE(
            k_neighbors=5, m_neighbors=4, kind="borderline-2", sampling_strategy={1: 500}
        )
        X_new, _ = sampler.fit_resample(X, y)
        assert X_new[9:].max() < 0.4 + 0.5 * (1.2 - 0.4) + 1e-12


class TestSMOTENC:
    @staticmethod
    def mixed(seed: int = 0) -> tuple[Any, Array]:
        pd = pytest.importorskip("pandas")
        X, y = table(seed)
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"a": X[:, 0], "word": rng.choice(list("uvw"), len(y)), "b": X[:, 1]})
        frame["kind"] = pd.Categorical(rng.choice(list("xyz"), len(y)))
        frame["count"] = rng.integers(0, 9, len(y))
        return frame, y

    def test_categories_are_those_of_most_neighbours(self) -> None:
        X, y = self.mixed()
        sampler = SMOTENC(sampling_strategy="minority", k_neighbors=5)
        X_new, _ = sampler.fit_resample(X, y)
        own = X[y == 0]
        numbers = own[["a", "b", "count"]].to_numpy(float)
        unit = np.median(numbers.std(axis=0))
        assert sampler.median_std_ == {0: pytest.approx(unit)}
        words = own[["word", "kind"]].to_numpy(str)
        differ = (words[:, None] != words[None]).sum(axis=2)
        distance = ((numbers[:, None] - numbers[None]) ** 2).sum(axis=2) + unit**2 * differ
        np.fill_diagonal(distance, np.inf)
        allowed = set()
        for near in np.argsort(distance, axis=1)[:, :5]:
            votes = [Counter(words[near, c]).most_common() for c in (0, 1)]
            best = [{w for w, count in v if count == v[0][1]} for v in votes]
            allowed |= {(u, v) for u in best[0] for v in best[1]}
        made = X_new.iloc[len(X) :]
        assert set(zip(made["word"], made["kind"], strict=True)) <= allowed

    def test_a_category_is_as_far_as_a_standard_deviation(self) -> None:
        # 0 is nearer to 3 than to 2, which has another category: 9 < 4 + 3.77², and > 4 + 3.77.
        small = np.array([[0.0, 5], [3.0, 5], [2.0, 6], [10.0, 7]])
        large = np.column_stack([np.zeros(40), np.full(40, 6)])
        sampler = SMOTENC([1], k_neighbors=1)
        X_new, _ = sampler.fit_resample(np.vstack([large, small]), np.repeat([0, 1], [40, 4]))
        assert sampler.median_std_ == {1: pytest.approx(3.77, abs=0.01)}
        assert set(X_new[44:, 1]) == {5.0}

    def test_columns_keep_their_types_and_order(self) -> None:
        X, y = self.mixed()
        X_new, _ = SMOTENC().fit_resample(X, y)
        assert list(X_new.columns) == list(X.columns)
        assert (X_new.dtypes == X.dtypes).all()
        assert X_new.iloc[: len(X)].equals(X)

    def test_kinds_of_input_give_the_same_rows(self) -> None:
        pl = pytest.importorskip("polars")
        X, y = self.mixed()
        X["kind"] = X["kind"].astype(str)
        expected, _ = SMOTENC(["word", "kind"]).fit_resample(X, y)
        array, _ = SMOTENC([1, 3]).fit_resample(X.to_numpy(), y)
        other, _ = SMOTENC([False, True, False, True, False]).fit_resample(pl.from_pandas(X), y)
        assert other.to_pandas().equals(expected)
        assert (array[:, [1, 3]] == expected[["word", "kind"]].to_numpy()).all()
        numbers = X.assign(word=X["word"].map(ord), kind=X["kind"].map(ord)).to_numpy(float)
        from_dense, _ = SMOTENC([1, 3]).fit_resample(numbers, y)
        from_sparse, _ = SMOTENC([1, 3]).fit_resample(sp.csc_array(numbers), y)
        np.testing.assert_allclose(from_sparse.toarray(), from_dense)

    def test_columns_may_be_numbered(self) -> None:
        X, y = self.mixed()
        expected, _ = SMOTENC().fit_resample(X, y)
        X.columns = range(5)
        numbered, _ = SMOTENC().fit_resample(X, y)
        assert (numbered.to_numpy() == expected.to_numpy()).all()

    @pytest.mark.parametrize(
        ("columns", "words"),
        [([0, 10], "all features must be in"), (["no"], "'no'"), (range(5), "only with cate")],
    )
    def test_columns_that_cannot_be_are_refused(self, columns: Any, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            SMOTENC(columns).fit_resample(*self.mixed())


class TestEverySampler:
    @every_numeric
    def test_rows_are_of_the_kind_they_came_in(self, sampler: Any, as_input: Any) -> None:
        X, y = table()
        rows = as_input(X)
        X_new, y_new = sampler.fit_resample(rows, y)
        expected, y_expected = sampler.fit_resample(X, y)
        assert type(X_new) is (np.ndarray if as_input.name == "memmap" else type(rows))
        np.testing.assert_allclose(dense(X_new), expected, rtol=as_input.rtol, atol=1e-5)
        np.testing.assert_array_equal(y_new, y_expected)

    @every_numeric
    def test_labels_are_of_the_kind_they_came_in(self, sampler: Any) -> None:
        pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
        X, y = table()
        _, expected = sampler.fit_resample(X, y)
        for labels in (pd.Series(y, name="y"), pl.Series("y", y)):
            _, y_new = sampler.fit_resample(X, labels)
            assert type(y_new) is type(labels)
            assert y_new.name == "y"
            np.testing.assert_array_equal(y_new.to_numpy(), expected)

    @every_numeric
    def test_any_number_of_threads_gives_the_same_bits(self, sampler: Any) -> None:
        X, y = table(n=3000)
        results = []
        for n_threads in (1, 2, 3):
            with linework.threads(n_threads):
                results.append(sampler.fit_resample(X, y)[0])
        assert all(np.array_equal(results[0], other) for other in results[1:])

    @every_numeric
    def test_nothing_that_was_given_is_changed(self, sampler: Any) -> None:
        X, y = table()
        X.flags.writeable = y.flags.writeable = False
        before = X.copy(), str(sampler.get_params())
        X_new, _ = clone(sampler).fit_resample(X, y)
        X_new[:] = 0.0
        np.testing.assert_array_equal(X, before[0])

    @pytest.mark.parametrize("cls", SAMPLERS)
    def test_parameters_are_scikit_learn_s_kind(self, cls: Any) -> None:
        check_parameters_default_constructible(cls.__name__, cls())

    @pytest.mark.parametrize(
        ("strategy", "sizes"),
        [
            ("auto", [75, 75, 75]),
            ("minority", [75, 31, 75]),
            ("not minority", [14, 75, 75]),
            ({0: 20}, [20, 31, 75]),
            (lambda y: {1: 40}, [14, 40, 75]),
        ],
    )
    def test_oversampling_goes_to_these_sizes(self, strategy: Any, sizes: list[int]) -> None:
        X, y = table()
        y = np.repeat([0, 1, 2], [14, 31, 75])
        _, y_new = SMOTE(sampling_strategy=strategy).fit_resample(X, y)
        np.testing.assert_array_equal(np.bincount(y_new), sizes)

    @pytest.mark.parametrize(
        ("strategy", "sizes"),
        [
            ("auto", [14, 14, 14]),
            ("majority", [14, 31, 14]),
            ("not majority", [14, 14, 75]),
            ({2: 20}, [14, 31, 20]),
        ],
    )
    def test_undersampling_goes_to_these_sizes(self, strategy: Any, sizes: list[int]) -> None:
        X, y = table()
        y = np.repeat([0, 1, 2], [14, 31, 75])
        _, y_new = RandomUnderSampler(sampling_strategy=strategy).fit_resample(X, y)
        np.testing.assert_array_equal(np.bincount(y_new), sizes)

    @pytest.mark.parametrize(("ratio", "sizes"), [(0.5, [90, 45]), (1.0, [90, 90])])
    def test_a_ratio_is_of_the_smaller_class_to_the_larger(
        self, ratio: float, sizes: list[int]
    ) -> None:
        X, _ = table()
        y = np.repeat([0, 1], [90, 30])
        _, over = SMOTE(sampling_strategy=ratio).fit_resample(X, y)
        np.testing.assert_array_equal(np.bincount(over), sizes)
        _, under = RandomUnderSampler(sampling_strategy=ratio).fit_resample(X, y)
        np.testing.assert_array_equal(np.bincount(under), [30 / ratio, 30])

    @pytest.mark.parametrize(
        ("sampler", "words"),
        [
            (SMOTE(sampling_strategy="few"), "it needs to be one of"),
            (SMOTE(sampling_strategy={9: 3}), "not present in the data"),
            (SMOTE(sampling_strategy={0: -1}), "cannot be negative"),
            (SMOTE(sampling_strategy={0: 1}), "greater or equal"),
            (RandomUnderSampler(sampling_strategy={0: 500}), "less or equal"),
            (SMOTE(sampling_strategy=0.5), "binary"),
            (SMOTE(sampling_strategy=2.0), "in the range"),
            (SMOTE(sampling_strategy=None), "a word, a number"),
            (SMOTE(k_neighbors=0), "1 or more"),
            (BorderlineSMOTE(kind="other"), "borderline-2"),
        ],
    )
    def test_what_cannot_be_is_refused(self, sampler: Any, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            sampler.fit_resample(*table())

    def test_one_class_is_refused(self) -> None:
        with pytest.raises(ValueError, match="more than 1 class"):
            SMOTE().fit([[1.0], [2.0]], [0, 0])
