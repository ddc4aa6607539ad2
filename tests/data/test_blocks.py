"""A block keeps its parts together, and names the user's row when a number is not one."""

import numpy as np
import pytest
import scipy.sparse as sp

from linework.data.blocks import Block


@pytest.fixture
def block() -> Block:
    X = np.arange(12.0).reshape(6, 2)
    return Block(
        X, y=X[:, :1], weight=np.array([1.0, 0, 2, 0, 0, 3]), group=np.arange(6), start=100
    )


@pytest.mark.parametrize(
    "rows", [np.array([5, 0]), np.array([2, 3]), np.array([True, False, False] * 2)]
)
def test_take_cuts_every_part_alike(block: Block, rows: np.ndarray) -> None:
    part = block.take(rows)
    np.testing.assert_array_equal(part.X, block.X[rows])
    np.testing.assert_array_equal(part.y, block.y[rows])
    np.testing.assert_array_equal(part.weight, block.weight[rows])
    np.testing.assert_array_equal(part.group, block.group[rows])
    np.testing.assert_array_equal(part.numbers, 100 + np.arange(6)[rows])


def test_a_run_of_rows_is_a_view(block: Block) -> None:
    assert block.take(np.array([2, 3, 4])).X.base is block.X.base
    for rows in ([4, 3, 2], [2, 2, 4], [2, 4]):
        part = block.take(np.array(rows))
        assert part.X.base is not block.X.base
        np.testing.assert_array_equal(part.X, block.X[rows])


def test_rows_keep_their_numbers_when_taken_twice(block: Block) -> None:
    part = block.take(np.array([1, 3, 5])).take(np.array([False, True, True]))
    np.testing.assert_array_equal(part.numbers, [103, 105])


def test_present_leaves_out_rows_without_weight(block: Block) -> None:
    np.testing.assert_array_equal(block.present().group, [0, 2, 5])


def test_present_is_the_same_block_where_all_rows_count(block: Block) -> None:
    rows = block.present()
    assert rows.present() is rows
    unweighted = Block(block.X)
    assert unweighted.present() is unweighted


def test_targets_of_a_block_without_y_have_no_columns() -> None:
    assert Block(np.ones((3, 2))).targets.shape == (3, 0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, bool, np.float16, np.longdouble])
def test_numbers_of_another_type_become_float64(dtype: type) -> None:
    X = np.array([[1, 0], [1, 1]]).astype(dtype)
    assert Block(X).X.dtype == np.float64
    assert Block(sp.csr_array(X.astype(int))).X.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_not_copied(dtype: type) -> None:
    X = np.ones((3, 2), dtype)
    assert Block(X).X is X


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "inf")]
)
def test_first_bad_number_is_named(form: type, value: float, word: str) -> None:
    X = np.ones((4, 3))
    X[2, 1] = X[3, 0] = value
    block = Block(form(X), start=10, names=("a", "b", "c"))
    with pytest.raises(
        ValueError, match=rf"X contains {word}.*column 'b', row 12.*remove such rows"
    ):
        block.reject_nonfinite()
    with pytest.raises(ValueError, match="column 1, row 2"):
        Block(form(X)).reject_nonfinite()
    with pytest.raises(ValueError, match="column 'b', row 12"):
        block.take(np.array([0, 2])).reject_nonfinite()


def test_bad_target_is_named() -> None:
    y = np.array([[1.0, 2.0], [3.0, np.inf]])
    with pytest.raises(ValueError, match=r"Input y contains infinity.*row 1"):
        Block(np.ones((2, 1)), y).reject_nonfinite()


def test_finite_numbers_pass(block: Block) -> None:
    block.reject_nonfinite()
    Block(sp.csr_array(block.X)).reject_nonfinite()
