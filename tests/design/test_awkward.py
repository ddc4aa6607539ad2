"""Frames as people have them: each becomes numbers, or a sentence says what to do."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames import dense, every_frame

from linework import Dates, Design


def names(design: Design, X: Any) -> list[str]:
    return list(design.fit(X).get_feature_names_out())


class TestLevels:
    @every_frame
    def test_text_is_sorted_and_unicode_stays(self, as_data_frame: Any) -> None:
        X = as_data_frame({"größe": ["ä", "日本", "b", "ä"]})
        assert names(Design(reference=False), X) == ["größe=b", "größe=ä", "größe=日本"]

    @every_frame
    def test_ten_thousand_levels(self, as_data_frame: Any) -> None:
        numbers = np.random.default_rng(0).permutation(np.arange(30_000) % 10_000)
        X = as_data_frame({"shop": [f"shop {k:05d}" for k in numbers]})
        Z = Design(reference=False).fit_transform(X)
        assert Z.format == "csr"
        assert Z.has_canonical_format
        assert Z.shape == (30_000, 10_000)
        np.testing.assert_array_equal(Z.indices, numbers)
        np.testing.assert_array_equal(Z.data, 1.0)

    def test_one_level_is_the_reference(self) -> None:
        X = pd.DataFrame({"a": ["u", "u"], "x": [1.0, 2.0]})
        assert names(Design(), X) == ["x"]
        with pytest.raises(ValueError, match="one level, and that is the reference"):
            Design().fit(X[["a"]])

    @pytest.mark.parametrize(
        "values",
        [
            pd.Series(pd.Categorical(["v", "u"], ["v", "u", "z"])),
            pd.Series(pd.Categorical(["v", "u"], ["v", "u", "z"], ordered=True)),
            pl.Series(["v", "u"], dtype=pl.Enum(["v", "u", "z"])),
            pa.chunked_array(
                [pa.DictionaryArray.from_arrays([k], ["v", "u", "z"], ordered=True) for k in (0, 1)]
            ),
        ],
        ids=["categorical", "ordered", "enum", "dictionary"],
    )
    def test_a_type_may_declare_levels_and_their_order(self, values: Any) -> None:
        table = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(values), pa.table)
        X = table({"a": values})
        assert names(Design(), X) == ["a=u", "a=z"]
        ordinal = Design({"a": "ordinal"}).fit_transform(X)
        np.testing.assert_array_equal(ordinal, [[0.0], [0.5]])

    @pytest.mark.parametrize(
        "X",
        [
            pl.DataFrame({"a": pl.Series(["v", "u"], dtype=pl.Categorical)}),
            pa.table(
                {"a": pa.chunked_array([pa.array([v]).dictionary_encode() for v in ("v", "u")])}
            ),
        ],
        ids=["polars", "arrow"],
    )
    def test_codes_in_the_order_of_the_rows_are_no_order(self, X: Any) -> None:
        assert names(Design(reference=False), X) == ["a=u", "a=v"]

    def test_categories_that_are_no_text_are_levels_by_their_text(self) -> None:
        X = pd.DataFrame({"a": pd.Categorical([3, 1, 3]), "b": pd.cut([1, 5, 9], [0, 4, 10])})
        assert names(Design(), X) == ["a=3", "b=(4, 10]"]

    def test_a_level_that_no_row_has_is_no_reference(self) -> None:
        X = pd.DataFrame({"a": pd.Categorical(["v", "u"], ["z", "u", "v"])})
        assert names(Design(), X) == ["a=z", "a=v"]


class TestNumbers:
    @pytest.mark.parametrize(
        "X",
        [
            pd.DataFrame({"a": [Decimal("1.5"), None]}),
            pl.DataFrame({"a": [Decimal("1.5"), None]}),
            pa.table({"a": [Decimal("1.5"), None]}),
            pd.DataFrame({"a": pd.array([1.5, None], "Float64")}),
            pd.DataFrame({"a": pd.array([1.5, None], "double[pyarrow]")}),
            pl.DataFrame({"a": [1.5, None]}),
            pa.table({"a": [1.5, None]}),
            np.array([[1.5], [np.nan]]),
            np.array([[1.5], [None]], dtype=object),
        ],
        ids=str,
    )
    def test_gaps_are_missing_whatever_the_type(self, X: Any) -> None:
        Z = Design(missing="indicator").fit_transform(X)
        np.testing.assert_array_equal(Z, [[1.5, 0.0], [1.5, 1.0]])

    @pytest.mark.parametrize(
        "X",
        [
            pd.DataFrame({"a": pd.array([1, None], "Int64")}),
            pd.DataFrame({"a": pd.Series([1, None], dtype=object)}),
            pl.DataFrame({"a": [1, None]}),
            pl.DataFrame({"a": pl.Series([1, None], dtype=pl.Int128)}),
            pa.table({"a": [1, None]}),
            pd.DataFrame({"a": pd.Series([True, None], dtype=object)}),
            pl.DataFrame({"a": [True, None]}),
        ],
        ids=str,
    )
    def test_whole_numbers_and_truth_values_may_have_gaps(self, X: Any) -> None:
        Z = Design(missing="ignore").fit_transform(X)
        np.testing.assert_array_equal(Z, [[1.0], [0.0]])

    def test_integers_beyond_int64_are_numbers(self) -> None:
        X = pl.DataFrame({"a": pl.Series([2**63, 1], dtype=pl.UInt64)})
        np.testing.assert_array_equal(Design().fit_transform(X), [[2.0**63], [1.0]])

    def test_sparse_columns_of_pandas_are_numbers(self) -> None:
        X = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 0.0, 1.0])})
        np.testing.assert_array_equal(Design().fit_transform(X), [[0.0], [0.0], [1.0]])

    def test_an_array_passes_through(self) -> None:
        X = np.random.default_rng(0).standard_normal((50, 4))
        design = Design()
        np.testing.assert_array_equal(design.fit_transform(X), X)
        assert list(design.get_feature_names_out()) == ["x0", "x1", "x2", "x3"]
        assert list(design.get_feature_names_out(list("abcd"))) == list("abcd")


ZONED = [
    dt.datetime(2024, 3, 30, 12, tzinfo=dt.timezone(dt.timedelta(hours=1))),
    dt.datetime(2024, 4, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))),
]


class TestDates:
    @pytest.mark.parametrize(
        "X",
        [
            pd.DataFrame({"t": pd.to_datetime(ZONED, utc=True).tz_convert("Europe/Paris")}),
            pl.DataFrame({"t": ZONED}).with_columns(
                pl.col("t").dt.convert_time_zone("Europe/Paris")
            ),
            pa.table({"t": pa.array(ZONED, pa.timestamp("ns", "Europe/Paris"))}),
        ],
        ids=["pandas", "polars", "arrow"],
    )
    def test_zones_count_instants_and_read_their_own_clock(self, X: Any) -> None:
        """Noon to noon over the change to summer time is an hour short of two days."""
        np.testing.assert_array_equal(Design().fit_transform(X), [[0.0], [47.0 / 24.0]])
        design = Design({"t": Dates("hour", "weekday")}, reference=False).fit(X)
        Z = dense(design.transform(X))
        there = [design.get_feature_names_out()[row > 0].tolist() for row in Z]
        assert there == [["t hour=12", "t weekday=6"], ["t hour=12", "t weekday=1"]]

    @every_frame
    def test_days_count_from_the_first_one_fitted(self, as_data_frame: Any) -> None:
        design = Design().fit(as_data_frame({"t": [dt.date(2024, 3, 1), dt.date(2024, 2, 1)]}))
        Z = design.transform(as_data_frame({"t": [dt.date(2024, 2, 29), dt.date(2024, 1, 31)]}))
        np.testing.assert_array_equal(Z, [[28.0], [-1.0]])

    def test_parts_and_what_is_missing_in_them(self) -> None:
        X = pl.DataFrame({"t": [dt.date(2024, 5, 6), None, dt.date(2026, 5, 6)]})
        design = Design({"t": Dates("year", "quarter", missing="indicator")}).fit(X)
        assert list(design.get_feature_names_out()) == [
            *("t year", "t year is missing"),
            *("t quarter=2", "t quarter=3", "t quarter=4", "t quarter is missing"),
        ]
        Z = design.transform(X)
        np.testing.assert_array_equal(Z[0], [2024, 0, 1, 0, 0, 0])
        np.testing.assert_array_equal(Z[1, 1:], [1, 0, 0, 0, 1])
        assert 2024 < Z[1, 0] < 2027
        assert {origin.columns for origin in design.origins()} == {("t",)}

    def test_a_duration_counts_days(self) -> None:
        X = pl.DataFrame({"t": [dt.timedelta(hours=12), dt.timedelta(2)]})
        np.testing.assert_array_equal(Design().fit_transform(X), [[0.5], [2.0]])


UNREADABLE = [
    (pd.DataFrame({"a": [1, "b", 2.5]}), "no one kind"),
    (pd.DataFrame({"a": [10**30, 1]}), "no one kind"),
    (pd.DataFrame({"a": [1 + 2j, 1j]}), "no one kind"),
    (pd.DataFrame({"a": pd.period_range("2020", periods=2, freq="Y")}), "of type extension"),
    (pl.DataFrame({"a": [[1], [2]]}), "of type large_list"),
    (pl.DataFrame({"a": [dt.time(1), dt.time(2)]}), "of type time64"),
    (pa.table({"a": [b"x", b"y"]}), "of type binary"),
    (pd.DataFrame({"a": [None, None]}), "no values"),
    (pd.DataFrame({"a": [np.nan, np.nan]}), "no values"),
    (pd.DataFrame({"a": pd.Categorical([None, None], ["u"])}), "no values"),
    (pd.DataFrame({"a": pd.to_datetime([None, None])}), "no values"),
    (pl.DataFrame({"a": [None, None]}), "no values"),
    (pd.DataFrame({"a": [f"customer {k}" for k in range(50)]}), "text with 50 different values"),
]


@pytest.mark.parametrize(("X", "sentence"), UNREADABLE, ids=[text for _, text in UNREADABLE])
@pytest.mark.parametrize("missing", ["error", "ignore"])
def test_what_can_be_no_numbers_is_refused_unless_dropped(
    X: Any, sentence: str, missing: str
) -> None:
    with pytest.raises(ValueError, match=f"^Column 'a' .*{sentence}.*'a': 'drop'"):
        Design(missing=missing).fit(X)
    rows = len(X)
    both = X.append_column("b", [range(rows)]) if isinstance(X, pa.Table) else None
    if both is None:
        both = X.assign(b=1.0) if isinstance(X, pd.DataFrame) else X.with_columns(b=1.0)
    assert Design({"a": "drop"}).fit_transform(both).shape == (rows, 1)


def test_text_is_levels_where_each_has_two_rows_on_average() -> None:
    for n, refused in ((59, True), (60, False)):
        X = pd.DataFrame({"a": [f"level {k % 30}" for k in range(n)]})
        if refused:
            with pytest.raises(ValueError, match="text with 30 different values in 59 rows"):
                Design().fit(X)
        else:
            assert Design().fit_transform(X).shape == (60, 29)


def test_text_that_is_said_to_be_levels_is_taken() -> None:
    X = pd.DataFrame({"a": [f"customer {k}" for k in range(50)]})
    assert Design({"a": "nominal"}).fit_transform(X).shape == (50, 49)


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (pd.DataFrame({"a": []}), "0 sample"),
        (pl.DataFrame({"a": []}), "0 sample"),
        (pd.DataFrame(index=[0, 1]), "0 feature"),
        (pa.table({}), "0 sample"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "1 column name.*'a' first: rename"),
        (pa.table([[1], [2]], names=["a", "a"]), "1 column name.*'a' first: rename"),
    ],
)
def test_a_table_that_is_none_is_refused(X: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Design().fit(X)


def test_a_lazy_table_is_refused() -> None:
    with pytest.raises(TypeError, match="lazy table"):
        Design().fit(pl.LazyFrame({"a": [1.0]}))
