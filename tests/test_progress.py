"""A bar for a person at a terminal, after two seconds; nothing in a pipe, nor for short tasks."""

import dataclasses
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr

import numpy as np
import pytest

import linework
from linework import engine
from linework import progress as module
from linework.data.blocks import Block
from linework.data.sources import Table, as_table
from linework.engine import map_each, map_reduce, map_rows, threads
from linework.progress import UNSEEN, progress, shown
from linework.regression import lasso_cv

pty = pytest.importorskip("pty")
pytest.importorskip("rich")

ERASE = "\x1b[2K"


class Terminal:
    """The far end of a pseudo terminal: what a person sees there."""

    def __init__(self) -> None:
        self._reader, self.writer = pty.openpty()
        self.text = ""
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while True:
            try:
                part = os.read(self._reader, 4096).decode(errors="replace")
            except OSError:  # Linux's way to say that nobody will write any more
                part = ""
            if not part:
                return
            with self._changed:
                self.text += part
                self._changed.notify_all()

    def await_text(self, words: str) -> None:
        with self._changed:
            seen = self._changed.wait_for(lambda: words in self.text, timeout=20.0)
        assert seen, f"{words!r} is not in {self.text!r}"

    def read_to_the_end(self) -> str:
        """All that was written, once every writer has closed its end."""
        self._thread.join()
        os.close(self._reader)
        return self.text


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task is shown at once."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(module, "DELAY", 0.0)
    monkeypatch.setattr(module, "TICK", 0.002)


@contextmanager
def terminal_as_stderr() -> Iterator[Terminal]:
    # Not in a fixture: pytest sets stderr anew between a test's fixtures and the test.
    there = Terminal()
    with os.fdopen(there.writer, "w") as stderr, redirect_stderr(stderr):
        yield there
        assert module._watcher._tasks == []
        assert module._watcher._bars is None
    there.read_to_the_end()


@pytest.fixture
def table() -> Table:
    """A table of three chunks, of ten rows each."""
    return dataclasses.replace(as_table(np.zeros((30, 2))), step=10)


def test_a_task_is_shown_with_what_is_done_and_erased_at_its_end(soon: None) -> None:
    with terminal_as_stderr() as terminal:
        with progress("Folds", 5) as advance:
            terminal.await_text("0 of 5")
            advance(2)
            terminal.await_text("2 of 5")
            terminal.await_text("Folds")
            shown_so_far = len(terminal.text)
        with progress("Other") as advance:
            advance(3)
            terminal.await_text("Other")
            terminal.await_text("3,")
        assert ERASE in terminal.text[shown_so_far:]
        assert "Folds" not in terminal.text[terminal.text.index("Other") :]


def test_tasks_inside_a_task_have_lines_of_their_own(soon: None) -> None:
    with terminal_as_stderr() as terminal:
        with progress("Folds", 2):
            terminal.await_text("Folds")
            with progress("Penalties", 7):
                terminal.await_text("0 of 7")
            assert module._watcher._bars is not None
        assert module._watcher._bars is None


@pytest.mark.parametrize("n_threads", [1, 2])
def test_passes_tell_their_rows(soon: None, table: Table, n_threads: int) -> None:
    with terminal_as_stderr() as terminal:

        def wait_at_the_last(block: Block) -> np.ndarray:
            if block.start == 20:
                terminal.await_text("20 of 30")
            return np.ones(len(block))

        with threads(n_threads):
            assert map_reduce(table, wait_at_the_last).sum() == 30
            terminal.text = ""
            assert map_rows(table, wait_at_the_last).sum() == 30


def test_items_are_counted(soon: None) -> None:
    with terminal_as_stderr() as terminal:

        def wait_at_the_last(item: int) -> None:
            if item == 2:
                terminal.await_text("2 of 3")

        map_each(range(3), wait_at_the_last, "Splits", 3)
        assert "Splits" in terminal.text


def test_folds_are_counted(soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal_as_stderr() as terminal:
        errors = iter(range(3))
        original: Callable = lasso_cv._mean_squared_errors

        def wait_at_the_last(*args: object) -> np.ndarray:
            if next(errors) == 2:
                terminal.await_text("2 of 3")
            return original(*args)

        monkeypatch.setattr(lasso_cv, "_mean_squared_errors", wait_at_the_last)
        X = np.random.default_rng(0).standard_normal((60, 3))
        linework.LassoCV(cv=3).fit(X, X[:, 0])


def test_an_error_ends_the_task(soon: None) -> None:
    with terminal_as_stderr() as terminal:

        @shown("Trouble")
        def fail() -> None:
            terminal.await_text("Trouble")
            raise KeyError("told as it is")

        with pytest.raises(KeyError, match="told as it is"):
            fail()


def test_one_chunk_is_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "progress", lambda *_: pytest.fail("a task for one chunk"))
    map_reduce(as_table(np.zeros((30, 2))), lambda block: block.X.sum())


def test_what_another_thread_prints_goes_where_it_belongs(
    soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with terminal_as_stderr() as terminal:
        printed = io.StringIO()
        monkeypatch.setattr(sys, "stdout", printed)
        with progress("Folds"):
            terminal.await_text("Folds")
            print("a result")
        assert printed.getvalue() == "a result\n"


def test_nobody_watches_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for stderr in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stderr)
        assert progress("Folds", 5) is UNSEEN


def test_without_rich_there_is_nothing_to_draw_with(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal_as_stderr():
        monkeypatch.setitem(sys.modules, "rich", None)
        module._can_draw.cache_clear()
        assert progress("Folds", 5) is UNSEEN
        monkeypatch.undo()
        module._can_draw.cache_clear()
        assert progress("Folds", 5) is not UNSEEN


def test_a_short_fit_shows_nothing() -> None:
    with terminal_as_stderr() as terminal:
        X = np.zeros((300_000, 20))
        X[::2, 0] = 1.0
        linework.LinearRegression().fit(X, X[:, 0])
        assert module._watcher._thread is not None
    assert terminal.text == ""
