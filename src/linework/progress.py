"""What is under way, for a person at a terminal; for anybody else, nothing at all.

A task that lasts two seconds gets a bar on stderr, which is erased when the task is over: at a
terminal, and where rich is installed. Otherwise a task costs a look at stderr.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache, wraps
from importlib.util import find_spec
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Advance = Callable[[int], None]

DELAY = 2.0
"""Seconds that a task lasts before it is shown."""

TICK = 0.1
"""Seconds from one picture to the next."""


def _ignore(amount: int) -> None:
    pass


UNSEEN: AbstractContextManager[Advance] = nullcontext(_ignore)
"""A task that nobody watches."""


def progress(what: str, total: int | None = None) -> AbstractContextManager[Advance]:
    """A task to run inside; it gives a function to be told how much more is done.

    Parameters
    ----------
    what : str
        A word or two for the person who waits.
    total : int, optional
        How much there is to do, where that is known.

    Examples
    --------
    >>> from linework.progress import progress
    >>> with progress("Folds", 5) as advance:
    ...     for _ in range(5):
    ...         advance(1)
    """
    watched = sys.stderr is not None and sys.stderr.isatty() and _can_draw()
    return _Task(what, total) if watched else UNSEEN


def shown(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make every call of a function a task, of which nothing is told but how long it has lasted."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            with progress(what):
                return function(*args, **kwargs)

        return run

    return decorate


@cache
def _can_draw() -> bool:
    return find_spec("rich") is not None


class _Task:
    """Something under way. Tasks may be nested and may run in several threads."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total = what, total
        self.done = 0
        self.bar: Any = None  # rich's number of it, once it is shown

    def __enter__(self) -> Advance:
        self.start = time.monotonic()
        _watcher.add(self)
        return self.advance

    def __exit__(self, *_: object) -> None:
        _watcher.remove(self)

    def advance(self, amount: int) -> None:
        with _watcher.lock:
            self.done += amount

    @property
    def counts(self) -> str:
        if self.total is not None:
            return f"{self.done:,} of {self.total:,},"
        return f"{self.done:,}," if self.done else ""


class _Watcher:
    """A thread that draws the tasks; it is there while there are some, and a moment longer."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._tasks: list[_Task] = []
        self._thread: threading.Thread | None = None
        self._bars: Any = None

    def add(self, task: _Task) -> None:
        with self.lock:
            self._tasks.append(task)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def remove(self, task: _Task) -> None:
        with self.lock:
            self._tasks.remove(task)
            if task.bar is not None:
                self._bars.remove_task(task.bar)
            if self._bars is not None and not self._tasks:
                self._bars.stop()
                self._bars = None

    def _run(self) -> None:
        while True:
            time.sleep(TICK)
            with self.lock:
                if not self._tasks:
                    self._thread = None
                    return
                self._draw()

    def _draw(self) -> None:
        now = time.monotonic()
        due = [task for task in self._tasks if now - task.start >= DELAY]
        if not due:
            return
        if self._bars is None:
            self._bars = _new_bars()
            self._bars.start()
        for task in due:
            state = f"{task.counts} {now - task.start:.0f} s"
            if task.bar is None:
                task.bar = self._bars.add_task(task.what, total=task.total, state=state)
            self._bars.update(task.bar, completed=task.done, state=state)
        self._bars.refresh()


_watcher = _Watcher()


def _new_bars() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,  # rich would print to stderr what another thread prints meanwhile
    )
