"""One reading of rows: the same bits on any number of threads, and safe to stop and to nest."""

import dataclasses
import itertools
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from linework import engine
from linework.data.blocks import Block
from linework.data.sources import Chunk, Source, Table, as_table
from linework.engine import map_each, map_reduce, map_rows, threads
from linework.stats import ClassMoments, Moments, PooledMoments, RFactor


@dataclasses.dataclass
class Pieces:
    """A source that does not know how many rows it has: each chunk yields any number of blocks."""

    pieces: Sequence[Sequence[np.ndarray]]
    n_rows: None = None
    n_columns: int = 2
    n_targets: int = 0
    dtype: np.dtype = dataclasses.field(default_factory=lambda: np.dtype(np.float64))
    sparse: bool = False
    names: None = None

    def chunks(self) -> Iterator[Chunk]:
        for piece in self.pieces:
            yield lambda piece=piece: (Block(X) for X in piece)


@pytest.fixture
def table() -> Table:
    """A table of 37 chunks."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3700, 5)) * [1, 10, 0.1, 1, 1] + [0, 1e8, 3, 0, 0]
    table = as_table(X, rng.normal(size=3700), rng.uniform(0, 2, 3700))
    return dataclasses.replace(table, step=100).with_group(rng.integers(0, 3, 3700))


@pytest.fixture
def two_blas_threads() -> Iterator[None]:
    libraries = engine._SingleThreadedBlas._libraries()
    before = [library.get_num_threads() for library in libraries]
    for library in libraries:
        library.set_num_threads(2)
    yield
    for library, count in zip(libraries, before, strict=True):
        library.set_num_threads(count)


def blas_threads() -> list[int]:
    return [p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"]


def bits(value: Any) -> bytes:
    """Every byte of a statistic."""
    if isinstance(value, ClassMoments):
        return b"".join(bits(value.groups[k]) for k in sorted(value.groups))
    fields = (np.asarray(getattr(value, f.name)) for f in dataclasses.fields(value))
    return b"".join(field.tobytes() for field in fields)


def ask(n: int) -> Source:
    """A source of n one-row chunks that hold their number."""
    return Pieces([[np.full((1, 2), float(i))] for i in range(n)])


def number(block: Block) -> int:
    return int(block.X[0, 0])


@pytest.mark.parametrize("statistic", [Moments, ClassMoments, PooledMoments, RFactor])
def test_any_number_of_threads_gives_the_same_bits(table: Table, statistic: Any) -> None:
    results = []
    for n in (1, 2, 2, 3, 7, 64):
        with threads(n):
            results.append(bits(map_reduce(table, statistic.from_block)))
    assert len(set(results)) == 1


def test_order_of_finishing_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    source = Pieces([[rng.normal(size=(3, 2))] for _ in range(13)])

    def late(block: Block) -> Moments:
        time.sleep(0.003 * (block.X[0, 0] > 0))
        return Moments.from_block(block)

    with threads(1):
        expected = bits(map_reduce(source, Moments.from_block))
    with threads(4):
        assert {bits(map_reduce(source, late)) for _ in range(3)} == {expected}


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_chunks", [1, 2, 3, 4, 7, 8, 9, 31])
def test_every_chunk_is_read_once_and_added_in_order(n_chunks: int, n_threads: int) -> None:
    with threads(n_threads):
        assert map_reduce(ask(n_chunks), lambda block: [number(block)]) == list(range(n_chunks))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_number_of_rows_need_not_be_known_nor_every_chunk_have_some(n_threads: int) -> None:
    rows = np.random.default_rng(0).normal(size=(100, 2))
    cuts = [[], [rows[:7], rows[7:8]], [], [], [rows[8:60]], [rows[60:99], rows[99:]], []]
    whole = Moments.from_block(Block(rows))
    with threads(n_threads):
        moments = map_reduce(Pieces(cuts), Moments.from_block)
        order = map_reduce(Pieces(cuts), lambda block: block.X.tolist())
        np.testing.assert_array_equal(map_rows(Pieces(cuts), lambda block: block.X), rows)
    assert moments.count == 100
    np.testing.assert_allclose(moments.mean, whole.mean, atol=1e-15)
    np.testing.assert_allclose(moments.scatter, whole.scatter, rtol=1e-12, atol=1e-12)
    assert order == rows.tolist()


@pytest.mark.parametrize("pieces", [[], [[]], [[], [], []]])
@pytest.mark.parametrize("reading", [map_reduce, map_rows])
def test_source_without_rows_gets_a_sentence(pieces: list, reading: Any) -> None:
    with pytest.raises(ValueError, match="The source gave no rows: give it at least one"):
        reading(Pieces(pieces), lambda block: block.X)


@pytest.mark.parametrize("n_threads", [1, 4])
def test_map_rows_keeps_the_order_of_rows(table: Table, n_threads: int) -> None:

    def read(block: Block) -> np.ndarray:
        time.sleep(0.001 * (block.start % 300 == 0))  # some chunks finish after later ones
        return block.y[:, 0]

    with threads(n_threads):
        y = map_rows(table, read)
    np.testing.assert_array_equal(y, table.y[:, 0])


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_error_of_the_first_failing_chunk_is_raised(n_threads: int) -> None:
    fifth = threading.Event()

    def fail(block: Block) -> list:
        i = number(block)
        if i == 3:
            fifth.wait(0.05)  # with several threads, the fifth fails before the third
            raise ValueError("chunk 3")
        if i == 5:
            fifth.set()
            raise KeyError("chunk 5")
        return [i]

    with threads(n_threads), pytest.raises(ValueError, match="chunk 3"):
        map_reduce(ask(20), fail)


def test_source_gives_one_chunk_at_a_time() -> None:
    class Slow(Pieces):
        def chunks(self) -> Iterator[Chunk]:
            for chunk in super().chunks():
                time.sleep(0.001)
                yield chunk

    source = Slow([[np.full((1, 2), float(i))] for i in range(20)])
    with threads(4):
        assert map_reduce(source, lambda block: [number(block)]) == list(range(20))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_error_of_the_source_is_raised(n_threads: int) -> None:
    class Broken(Pieces):
        def chunks(self) -> Iterator[Chunk]:
            yield from itertools.islice(super().chunks(), 5)
            raise OSError("the file ends here")

    with threads(n_threads), pytest.raises(OSError, match="the file ends here"):
        map_reduce(Broken([[np.ones((1, 2))]] * 9), Moments.from_block)


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_ends_the_pass(n_threads: int) -> None:
    begun = []

    def interrupt(block: Block) -> list:
        begun.append(number(block))
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)
        time.sleep(0.001)
        return [0]

    with threads(n_threads), pytest.raises(KeyboardInterrupt):
        map_reduce(ask(1000), interrupt)
    assert len(begun) < 500
    assert set(blas_threads()) == {2}
    assert map_reduce(ask(3), lambda block: [number(block)]) == [0, 1, 2]


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_blas_has_one_thread_inside_and_its_own_again_afterwards(n_threads: int) -> None:
    def look(block: Block) -> list:
        return blas_threads()

    def fail(block: Block) -> list:
        raise ValueError("no")

    with threads(n_threads):
        assert set(map_reduce(ask(5), look)) == {1}
        assert set(blas_threads()) == {2}
        with pytest.raises(ValueError, match="no"):
            map_reduce(ask(5), fail)
        assert set(blas_threads()) == {2}


@pytest.mark.usefixtures("two_blas_threads")
def test_pass_inside_a_pass(table: Table) -> None:
    inner = bits(map_reduce(table, Moments.from_block))
    seen = []

    def outer(block: Block) -> list:
        seen.append(engine._thread_count())
        return [bits(map_reduce(table, Moments.from_block))]

    with threads(3):
        assert set(map_reduce(ask(8), outer)) == {inner}
        assert engine._thread_count() == 3  # of the calling thread, which was a worker too
    assert set(seen) == {1}
    assert set(blas_threads()) == {2}


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_items_keep_their_order_and_passes_inside_them_their_bits(
    table: Table, n_threads: int
) -> None:
    alone = bits(map_reduce(table, Moments.from_block))
    ran: set[int] = set()

    def work(item: int) -> tuple[int, bytes]:
        ran.add(threading.get_ident())
        time.sleep(0.01 * (3 - item % 3))
        return item, bits(map_reduce(table, Moments.from_block))

    with threads(n_threads):
        assert map_each(range(7), work) == [(item, alone) for item in range(7)]
        assert map_each([], work) == []
    assert len(ran) == n_threads


@pytest.mark.usefixtures("two_blas_threads")
def test_passes_from_several_threads_at_once(table: Table) -> None:
    expected = bits(map_reduce(table, Moments.from_block))
    begin = threading.Barrier(4)

    def call(_: int) -> bytes:
        begin.wait()
        with threads(2):
            return bits(map_reduce(table, Moments.from_block))

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(call, range(4))) == {expected}
    assert set(blas_threads()) == {2}


def test_one_chunk_needs_no_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a pool is made")

    monkeypatch.setattr(engine, "ThreadPoolExecutor", refuse)
    with threads(4):
        assert map_reduce(ask(1), lambda block: [number(block)]) == [0]
        with pytest.raises(AssertionError, match="a pool is made"):
            map_reduce(ask(2), lambda block: [number(block)])
    with threads(1):
        assert map_reduce(ask(2), lambda block: [number(block)]) == [0, 1]


def test_no_more_threads_than_chunks() -> None:
    names = set()
    together = threading.Barrier(3)

    def note(block: Block) -> list:
        together.wait(5)
        names.update(thread.name for thread in threading.enumerate())
        return [0]

    alone = threading.active_count()
    with threads(50):
        map_reduce(ask(3), note)
    assert len(names) <= alone + 2


def test_number_of_threads_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEWORK_THREADS", "3")
    assert engine._thread_count() == 3
    with threads(2):
        assert engine._thread_count() == 2
    assert engine._thread_count() == 3
    monkeypatch.delenv("LINEWORK_THREADS")
    assert engine._thread_count() >= 1


@pytest.mark.parametrize("value", ["many", "0", "-1", "1.5"])
def test_environment_that_is_no_number_of_threads(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEWORK_THREADS", value)
    with pytest.raises(ValueError, match=f"LINEWORK_THREADS is '{value}'.*at least 1"):
        map_reduce(ask(3), Moments.from_block)


def test_no_threads_are_too_few() -> None:
    with (
        pytest.raises(ValueError, match="The number of threads is 0, and at least 1 is needed"),
        threads(0),
    ):
        pass


def test_items_of_any_value_are_worked_on() -> None:
    with threads(2):
        assert map_each([None, 0, None, ""], lambda item: (item,)) == [
            (None,),
            (0,),
            (None,),
            ("",),
        ]
