"""The only place where rows are read: map a statistic over blocks, merge the results.

The merge tree is fixed by the chunks' numbers, never by which worker finished first: sums are
made in the same order, and give the same bits, on any number of threads.
"""

from __future__ import annotations

import contextvars
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import chain, islice
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from linework.data.blocks import Array, Block
from linework.data.sources import Chunk, Source
from linework.progress import UNSEEN, progress

B = TypeVar("B", bound=Sized, covariant=True)
K = TypeVar("K", bound=Sized)


class Mergeable(Protocol):
    """A value whose `+` gives the statistic of both parts."""

    def __add__(self, other: Any, /) -> Any: ...


class Readable(Protocol[B]):
    """What a pass can read: numbered chunks of blocks, of numbers or of whatever has rows."""

    @property
    def n_rows(self) -> int | None:
        """Number of rows; None where it is known only after reading."""
        ...

    def chunks(self) -> Iterator[Callable[[], Iterator[B]]]:
        """The parts in order, cut at the same places whenever it is called."""
        ...


S = TypeVar("S", bound=Mergeable)
T = TypeVar("T")
R = TypeVar("R")

_threads: contextvars.ContextVar[int | None] = contextvars.ContextVar("threads", default=None)
_worker = threading.local()


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Read rows with at most ``n`` threads inside this context; the results stay the same bits.

    Without it, the environment variable LINEWORK_THREADS or the number of usable cores decides.

    Examples
    --------
    >>> import linework
    >>> with linework.threads(1):
    ...     model = linework.LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.coef_.round(12)
    array([2.])
    """
    if n < 1:
        raise ValueError(f"The number of threads is {n}, and at least 1 is needed.")
    token = _threads.set(n)
    try:
        yield
    finally:
        _threads.reset(token)


def _thread_count() -> int:
    if getattr(_worker, "busy", False):
        return 1  # a pass inside a worker of another pass runs in that worker
    if chosen := _threads.get():
        return chosen
    if variable := os.environ.get("LINEWORK_THREADS"):
        if not variable.isdecimal() or int(variable) < 1:
            raise ValueError(
                f"The environment variable LINEWORK_THREADS is {variable!r}, and a whole number of "
                "threads, at least 1, is expected: correct it or unset it."
            )
        return int(variable)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class _SingleThreadedBlas:
    """Holds BLAS to one thread while any pass is under way: our threads are the parallelism.

    BLAS's thread count belongs to the whole process, so passes that overlap share one hold: the
    first to come sets it, the last to go restores it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._saved: list[int] = []

    @staticmethod
    @cache
    def _libraries() -> list[Any]:
        return list(ThreadpoolController().select(user_api="blas").lib_controllers)

    def __enter__(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._saved = [library.get_num_threads() for library in self._libraries()]
                for library in self._libraries():
                    library.set_num_threads(1)
            self._holders += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                for library, count in zip(self._libraries(), self._saved, strict=True):
                    library.set_num_threads(count)


single_threaded_blas = _SingleThreadedBlas()
"""``with single_threaded_blas:`` keeps BLAS from waiting for its own threads on a busy machine."""

SHARED_COLUMNS = 512
"""Columns from which a d × d decomposition gains by a second BLAS thread; below, it loses."""


def blas_for(d: int) -> AbstractContextManager[object]:
    """BLAS as fits a d × d problem: on one thread where it is small.

    Threads that a small problem wakes cost more than they bring, and their waiting for more work
    slows the next pass down. A large one may take long enough to be watched.
    """
    return single_threaded_blas if d < SHARED_COLUMNS else progress(f"Solving {d:,} × {d:,}")


def _merge(left: S | None, right: S | None) -> S | None:
    """The sum of two values, either of which may be missing."""
    if left is None or right is None:
        return right if left is None else left
    merged: S = left + right
    return merged


class _MergeTree(Generic[S]):
    """Adds numbered values as a binary tree over their numbers, in whatever order they arrive.

    Node (level, i) covers the values i·2^level … (i+1)·2^level − 1. A value waits for its sibling
    only, so about log2(n) values are held at a time; how many there will be need not be known.
    A number without a value, None, has its place in the tree too.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[tuple[int, int], S | None] = {}

    def add(self, number: int, value: S | None) -> None:
        level = 0
        while True:
            with self._lock:
                if (level, number ^ 1) not in self._waiting:
                    self._waiting[level, number] = value
                    return
                sibling = self._waiting.pop((level, number ^ 1))
            value = _merge(sibling, value) if number & 1 else _merge(value, sibling)
            level, number = level + 1, number >> 1

    def total(self) -> S:
        """The sum of all values: the complete subtrees left over, joined from the right."""
        total: S | None = None
        for key in sorted(self._waiting):
            total = _merge(self._waiting[key], total)
        if total is None:
            raise ValueError("The source gave no rows: give it at least one.")
        return total


def map_reduce(source: Readable[K], statistic: Callable[[K], S]) -> S:
    """The merged statistic of all rows of a source.

    Parameters
    ----------
    source : Source
        Or whatever else gives chunks of blocks, such as a data frame.
    statistic : callable
        A statistic's ``from_block`` (or any function of a block whose results have a pure ``+``).

    Returns
    -------
    The sum of ``statistic(block)`` over all blocks: the same bits for any number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from linework.data.sources import as_table
    >>> from linework.engine import map_reduce
    >>> from linework.stats import Moments
    >>> moments = map_reduce(as_table(np.arange(6.0).reshape(3, 2)), Moments.from_block)
    >>> moments.mean
    array([2., 3.])
    """
    tree: _MergeTree[S] = _MergeTree()

    def work(number: int, chunk: Callable[[], Iterator[K]]) -> int:
        total: S | None = None
        n_rows = 0
        for block in chunk():
            total = _merge(total, statistic(block))
            n_rows += len(block)
        tree.add(number, total)
        return n_rows

    _for_each(source.chunks(), work, "Rows read", source.n_rows)
    return tree.total()


def map_rows(source: Source, function: Callable[[Block], Array]) -> Array:
    """``function(block)``, an array with one entry per row, for all rows in their order."""
    parts: dict[int, list[Array]] = {}

    def work(number: int, chunk: Chunk) -> int:
        parts[number] = list(map(function, chunk()))
        return sum(map(len, parts[number]))

    _for_each(source.chunks(), work, "Rows read", source.n_rows)
    pieces = [piece for number in sorted(parts) for piece in parts[number]]
    if not pieces:
        raise ValueError("The source gave no rows: give it at least one.")
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def map_each(
    items: Iterable[T], function: Callable[[T], R], what: str = "Parts", count: int | None = None
) -> list[R]:
    """``function(item)`` for each, in their order; a pass inside it runs in the item's thread.

    ``what`` the items are and their ``count`` are for a person who watches.
    """
    results: dict[int, R] = {}

    def work(number: int, item: T) -> int:
        results[number] = function(item)
        return 1

    _for_each(items, work, what, count)
    return [results[number] for number in sorted(results)]


def _for_each(
    items: Iterable[T], work: Callable[[int, T], int], what: str, total: int | None
) -> None:
    """Call ``work(number, item)`` for every item, from several threads where there are several.

    It gives how much of the ``total`` it has done, for a person who watches.

    The first failing item's error is raised, whatever the threads: items are handed out in order,
    so every item before it has been begun and is let finish.
    """
    numbered = enumerate(items)
    first = list(islice(numbered, 2))
    n_threads = _thread_count() if len(first) == 2 else 1  # one item pays for nothing
    first += islice(numbered, max(n_threads - 2, 0))  # no more threads than items
    queue = chain(first, numbered)
    task = progress(what, total) if len(first) > 1 else UNSEEN
    if n_threads == 1:
        with single_threaded_blas, task as advance:
            for number, item in queue:
                advance(work(number, item))
        return

    lock = threading.Lock()
    stop = threading.Event()
    errors: dict[float, Exception] = {}

    def run() -> None:
        busy, _worker.busy = getattr(_worker, "busy", False), True
        number: float = math.inf  # where it is not an item that fails, but what gives them
        try:
            while not stop.is_set():
                number = math.inf
                with lock:
                    entry = next(queue, None)
                if entry is None:
                    return
                number, item = entry
                advance(work(number, item))
        except Exception as error:
            errors[number] = error
            stop.set()
        finally:
            _worker.busy = busy

    with single_threaded_blas, task as advance, ThreadPoolExecutor(len(first) - 1) as pool:
        try:
            copies = [contextvars.copy_context() for _ in first[1:]]
            others = [pool.submit(copy.run, run) for copy in copies]
            run()
            for other in others:
                other.result()
        except BaseException:  # Ctrl-C: the other threads end after their item
            stop.set()
            raise
    if errors:
        raise errors[min(errors)]
