"""Side-by-side timing: every contender in turn, several rounds, the best of each, as a table."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

REST = 0.2
"""Seconds between two contenders."""


def best_times(
    contenders: Mapping[str, Callable[[], Any]], rounds: int = 5, warm_up: bool = True
) -> dict[str, float]:
    """Best wall-clock seconds of each; rounds are interleaved, so all see the same machine.

    ``warm_up`` calls each once before, so that compiling and first page faults do not count. Each
    rests first, because OpenBLAS's threads stay busy, waiting, for a while after the call before.
    """
    best = dict.fromkeys(contenders, float("inf"))
    if warm_up:
        for run in contenders.values():
            run()
    for _ in range(rounds):
        for name, run in contenders.items():
            time.sleep(REST)
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def show(title: str, times: Mapping[str, float], asked: str = "") -> None:
    """Print times, and how many times longer than the first contender each other took."""
    first = next(iter(times.values()))
    print(f"\n### {title}" + (f" (asked: {asked})" if asked else ""))
    print("| | seconds | ratio |\n| --- | --- | --- |")
    for name, seconds in times.items():
        print(f"| {name} | {seconds:.4g} | {seconds / first:.3g} |")


def machine(*packages: str) -> None:
    """Print what the numbers were measured on."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next(line.split(":")[1].strip() for line in info if "model name" in line)
    except (OSError, StopIteration):
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    names = ("numpy", "scipy", "scikit-learn", *packages)
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    print(f"{model}, {cores} cores{load}; Python {platform.python_version()}, {versions}")
