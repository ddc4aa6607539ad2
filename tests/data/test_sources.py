"""Tables of every kind give the same rows; what is no table of numbers gets a sentence."""

import dataclasses
import datetime
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from linework.data.sources import DENSE_BLOCK, Source, Table, as_table, check_weight
from linework.engine import map_reduce
from linework.stats import Moments

X = np.array([[1.0, 0.0, 7.0], [0.0, 2.0, -1.0], [3.0, 0.0, 0.5], [4.0, 5.0, 6.0]])


def blocks(source: Source) -> list:
    return [block for chunk in source.chunks() for block in chunk()]


def dense(source: Source) -> np.ndarray:
    parts = [block.X for block in blocks(source)]
    return np.concatenate([part.toarray() if sp.issparse(part) else part for part in parts])


def with_step(table: Table, step: int) -> Table:
    return dataclasses.replace(table, step=step)


def test_every_kind_gives_the_same_rows(as_input: Any) -> None:
    table = with_step(as_table(as_input(X), X[:, 0], [1, 2, 3, 4]), 3)
    assert (table.n_rows, table.n_columns, table.n_targets) == (4, 3, 1)
    assert table.sparse == as_input.sparse
    assert table.names == (("x0", "x1", "x2") if as_input.named else None)
    np.testing.assert_array_equal(dense(table), X)
    np.testing.assert_array_equal(dense(table), X)  # a second reading
    first, second = blocks(table)
    assert (first.start, second.start) == (0, 2)
    assert first.X.dtype == table.dtype
    np.testing.assert_array_equal(second.y, X[2:, :1])
    np.testing.assert_array_equal(second.weight, [3.0, 4.0])


def test_rows_and_columns_can_be_taken_from_every_kind(as_input: Any) -> None:
    table = with_step(as_table(as_input(X), np.arange(4), np.arange(1, 5)), 2)
    table = table.with_group(np.array([7, 8, 9, 10]))
    for rows in ([3, 1, 1, 0, 2], [-1, 0], [True, False, False, True]):
        taken = table.take(np.array(rows))
        np.testing.assert_array_equal(dense(taken), X[rows])
        for name in ("y", "weight", "group"):
            values = np.concatenate([getattr(block, name) for block in blocks(taken)])
            np.testing.assert_array_equal(values, getattr(table, name)[rows])
    for columns in ([2, 0], [-1], [False, True, True]):
        part = table.columns(np.array(columns))
        np.testing.assert_array_equal(dense(part), X[:, columns])
        assert part.n_columns == dense(part).shape[1]
        if as_input.named:
            assert part.names == tuple(np.array(table.names)[columns])


def test_taking_from_taken_rows_keeps_their_numbers() -> None:
    broken = X.copy()
    broken[2, 1] = np.nan
    table = as_table(broken).take(np.array([3, 2, 1])).take(np.array([1, 2]))
    with pytest.raises(ValueError, match="column 1, row 2"):
        map_reduce(table, Moments.from_block)


def test_taking_no_rows_gives_no_chunks() -> None:
    assert list(as_table(X).take(np.zeros(4, bool)).chunks()) == []


def test_taking_rows_that_are_not_there_fails_at_once() -> None:
    with pytest.raises(IndexError):
        as_table(X).take(np.array([4]))


def test_group_numbers_come_one_per_row() -> None:
    with pytest.raises(ValueError, match="There are 3 group numbers for 4 rows"):
        as_table(X).with_group(np.arange(3))


def test_dense_blocks_are_views(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    X.tofile(file)
    mapped = np.memmap(file, np.float64, mode="r", shape=X.shape)
    for rows in (X, X[::-1, ::2], np.asfortranarray(X), mapped):
        for block in blocks(with_step(as_table(rows), 2)):
            assert np.shares_memory(block.X, rows)
    frame = pd.DataFrame(X)
    [block] = blocks(as_table(frame))
    assert np.shares_memory(block.X, frame.to_numpy())


def test_blocks_of_a_long_table_are_bounded() -> None:
    for d in (1, 10, 100):
        table = as_table(np.broadcast_to(1.0, (10_000_000, d)))
        assert table.step * d <= DENSE_BLOCK
    sparse = as_table(sp.csr_array((1_000_000, 20)))
    assert sum(len(block) for block in blocks(sparse)) == 1_000_000


@pytest.mark.parametrize("code", "?bBhHiIlLqQefdg")
def test_every_type_of_number_is_read(code: str) -> None:
    table = as_table(np.array([[0, 1], [1, 1], [1, 0]]).astype(code))
    [block] = blocks(table)
    assert block.X.dtype == table.dtype == (np.float32 if code in "ef" else np.float64)
    np.testing.assert_array_equal(block.X, [[0, 1], [1, 1], [1, 0]])


D = decimal.Decimal
FRAMES = {
    "pandas integers": pd.DataFrame({"a": [1, 2], "b": [3, 4]}),
    "pandas mixed": pd.DataFrame({"a": [1, 2], "b": np.array([3, 4], np.float32)}),
    "pandas nullable": pd.DataFrame({"a": pd.array([1, 2], "Int64"), "b": [3.0, 4.0]}),
    "pandas arrow": pd.DataFrame({"a": [1, 2], "b": [3, 4]}, dtype="int64[pyarrow]"),
    "pandas float16": pd.DataFrame({"a": [1, 2], "b": [3, 4]}, dtype=np.float16),
    "pandas objects": pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]}, dtype=object),
    "pandas decimals": pd.DataFrame({"a": [D(1), D(2)], "b": [3.0, 4.0]}),
    "pandas sparse": pd.DataFrame.sparse.from_spmatrix(sp.csr_array([[1.0, 3], [2, 4]])),
    "polars mixed": pl.DataFrame(
        {"a": [1, 2], "b": [3.0, 4.0]}, schema_overrides={"b": pl.Float32}
    ),
    "polars decimals": pl.DataFrame({"a": [D(1), D(2)], "b": [3.0, 4.0]}),
    "arrow batch": pa.record_batch({"a": [1, 2], "b": [3.0, 4.0]}),
    "arrow decimals": pa.table({"a": [D(1), D(2)], "b": [3, 4]}),
    "arrow float16": pa.table({"a": np.array([1, 2], np.float16), "b": [3, 4]}),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_every_type_of_column_is_read(frame: Any) -> None:
    np.testing.assert_array_equal(dense(as_table(frame)), [[1, 3], [2, 4]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [True, False], "b": [3.0, 4.0]}),
        pd.DataFrame({"a": pd.array([True, False], "boolean"), "b": [3.0, 4.0]}),
        pl.DataFrame({"a": [True, False], "b": [3.0, 4.0]}),
        pa.table({"a": [True, False], "b": [3.0, 4.0]}),
    ],
    ids=["pandas", "pandas nullable", "polars", "arrow"],
)
def test_truth_values_are_one_and_zero(frame: Any) -> None:
    np.testing.assert_array_equal(dense(as_table(frame)), [[1, 3], [0, 4]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, np.nan]}),
        pd.DataFrame({"a": pd.array([1, None], "Int64")}),
        pd.DataFrame({"a": pd.array([True, None], "boolean")}),
        pd.DataFrame({"a": pd.array([1, None], "int64[pyarrow]")}),
        pl.DataFrame({"a": [1, None]}),
        pl.DataFrame({"a": [True, None]}),
        pl.DataFrame({"a": [D(1), None]}),
        pa.table({"a": [1, None]}),
        pa.table({"a": [True, None]}),
    ],
)
def test_gap_in_a_column_is_named(frame: Any) -> None:
    with pytest.raises(ValueError, match="NaN in column 'a', row 1"):
        map_reduce(as_table(frame), Moments.from_block)


@pytest.mark.parametrize("columns", [[0, 1], ["a", 1], [("a", 1), ("a", 2)]])
def test_names_need_not_be_strings(columns: list) -> None:
    frame = pd.DataFrame(X[:, :2], columns=pd.Index(columns, tupleize_cols=False))
    table = as_table(frame)
    assert table.names == tuple(str(name) for name in columns)
    np.testing.assert_array_equal(dense(table), X[:, :2])


@pytest.mark.parametrize("form", [sp.coo_array, sp.csc_matrix, sp.lil_array, sp.dok_array])
def test_sparse_formats_become_csr(form: type) -> None:
    [block] = blocks(as_table(form(X)))
    assert block.X.format == "csr"
    np.testing.assert_array_equal(block.X.toarray(), X)


def test_number_stored_in_two_parts_is_one_number() -> None:
    parts = sp.csr_array(([3.0, 4.0, 5.0], [0, 0, 0], [0, 2, 3, 3]), shape=(3, 40))
    [block] = blocks(as_table(parts))
    assert block.X.nnz == 2
    assert parts.nnz == 3  # the user's matrix stays as it is
    moments = map_reduce(as_table(parts), Moments.from_block)
    assert moments.scatter[0, 0] == pytest.approx(26.0)


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        (np.zeros((0, 3)), ValueError, "0 sample"),
        (np.zeros((3, 0)), ValueError, "0 feature"),
        (pd.DataFrame({"a": []}), ValueError, "0 sample.*at least one row"),
        (pd.DataFrame(index=range(3)), ValueError, "0 feature.*at least one column"),
        (np.ones(3), ValueError, "Expected 2D array, got 1D"),
        (np.ones((2, 2, 2)), ValueError, "dim 3"),
        (None, ValueError, "Expected 2D array"),
        (pd.Series([1.0, 2.0]), ValueError, "Expected 2D array"),
        ([[1, 2], [3]], ValueError, "inhomogeneous"),
        ([["a", "b"]], ValueError, "dtype <U1.*needs numbers: encode"),
        (np.array([[b"a"]]), ValueError, "needs numbers"),
        (np.array([[1, "a"]], object), ValueError, "not a number.*'a'.*encode categories"),
        (np.array([[1, {}]], object), TypeError, "not a number.*dict"),
        (np.array([["2020"]], "M8[D]"), ValueError, "datetime64.*needs numbers"),
        (np.ones((2, 2), complex), ValueError, "Complex data not supported"),
        (sp.csr_array(np.ones((2, 2), complex)), ValueError, "Complex data not supported"),
        (pd.DataFrame({"a": [1j]}), ValueError, "Complex data not supported"),
        (pd.DataFrame({"a": ["x"]}), ValueError, "Column 'a' holds String.*linework.Design"),
        (pd.DataFrame({"a": pd.Categorical(["x"])}), ValueError, "Column 'a' holds Categorical"),
        (pl.DataFrame({"a": [datetime.date(2020, 1, 1)]}), ValueError, "Column 'a' holds Date"),
        (pa.table({"a": ["x"]}), ValueError, "Column 'a' holds String"),
        (pd.DataFrame(X, columns=["a", "a", "b"]), ValueError, "unique column names"),
        (pl.LazyFrame({"a": [1.0]}), TypeError, "lazy table.*collect"),
    ],
)
def test_what_is_no_table_of_numbers_gets_a_sentence(
    given: Any, error: type, sentence: str
) -> None:
    with pytest.raises(error, match=f"(?s){sentence}"):
        as_table(given)


def test_masked_numbers_are_missing() -> None:
    masked = np.ma.array(X, mask=X == 2)
    with pytest.raises(ValueError, match="NaN in column 1, row 1"):
        map_reduce(as_table(masked), Moments.from_block)


@pytest.mark.parametrize(
    "y",
    [
        [1, 2, 3, 4],
        np.array([1, 2, 3, 4], np.float32),
        pd.Series([1, 2, 3, 4], index=[9, 8, 7, 6]),
        pl.Series([1, 2, 3, 4]),
        pa.chunked_array([[1, 2], [3, 4]]),
        pd.DataFrame({"y": [1, 2, 3, 4]}),
        [D(1), D(2), D(3), D(4)],
    ],
)
def test_target_of_any_kind_has_a_row_per_row(y: Any) -> None:
    table = as_table(X, y)
    assert table.n_targets == 1
    assert table.y.dtype == np.float64
    np.testing.assert_array_equal(table.y, [[1], [2], [3], [4]])


def test_several_targets_stay_columns() -> None:
    assert as_table(X, X[:, :2]).n_targets == 2


@pytest.mark.parametrize(
    ("y", "error", "sentence"),
    [
        ([1, 2, 3], ValueError, "inconsistent numbers of samples.*X has 4 rows and y has 3"),
        (np.ones((4, 2, 2)), ValueError, r"shape \(4, 2, 2\).*give one number"),
        (np.ones((4, 0)), ValueError, r"shape \(4, 0\)"),
        (3.0, ValueError, r"shape \(\)"),
        (["a", "b", "c", "d"], ValueError, "y has dtype <U1, and a linear model needs numbers"),
        (pd.Categorical(["a", "b", "c", "d"]), ValueError, "y holds something.*'a'"),
        (np.array(["2020"] * 4, "M8[D]"), ValueError, "y has dtype datetime64"),
        ([1j] * 4, ValueError, "Complex data not supported: y"),
        (sp.csr_array(np.eye(4)), TypeError, "y is a sparse matrix.*toarray"),
    ],
)
def test_what_is_no_target_gets_a_sentence(y: Any, error: type, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        as_table(X, y)


@pytest.mark.parametrize("y", [[1, np.inf, 2, 3], [1, None, 2, 3], pl.Series([1, None, 2, 3])])
def test_bad_number_in_a_target_is_named(y: Any) -> None:
    with pytest.raises(ValueError, match=r"Input y contains (NaN|infinity).*row 1"):
        map_reduce(as_table(X, y), Moments.from_block)


@pytest.mark.parametrize("given", [2, 2.0, np.float32(2), np.array(2), [2, 2, 2], np.full(3, 2)])
def test_weight_is_a_number_per_row(given: Any) -> None:
    weight = check_weight(given, 3)
    assert weight.dtype == np.float64
    np.testing.assert_array_equal(weight, [2.0, 2.0, 2.0])


def test_no_weight_is_none() -> None:
    assert check_weight(None, 3) is None


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        ("balanced", "sample_weight has dtype <U8.*needs numbers"),
        ([[1, 1, 1]], r"1D array or scalar.*\(1, 3\): give one number per row"),
        ([1, 1], r"expected \(3,\): there are 2 weights for 3 rows"),
        ([1, np.nan, 1], "contains NaN in row 1: weights are finite"),
        ([1, None, 1], "contains NaN in row 1: weights are finite"),
        ([1, 1, np.inf], r"contains infinity \(inf\) in row 2"),
        ([1, -2, 1], "row 1 has weight -2.0, and weights are zero or more"),
        ([0, 0, 0], "at least one non-zero number"),
        (0, "at least one non-zero number"),
        ([1j, 1, 1], "Complex data not supported: sample_weight"),
    ],
)
def test_what_is_no_weight_gets_a_sentence(weight: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_weight(weight, 3)
