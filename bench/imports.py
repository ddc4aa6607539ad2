"""The time to import a model from linework beside that from scikit-learn, both fresh."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from harness import best_times, machine, show


def fresh(statement: str) -> None:
    subprocess.run([sys.executable, "-c", statement], check=True)


def main() -> None:
    machine()
    ours, peers = (
        f"from {package} import LinearRegression"
        for package in ("linework", "sklearn.linear_model")
    )
    statements = [ours, peers, "pass"]
    times = best_times({statement: partial(fresh, statement) for statement in statements}, rounds=9)
    start = times.pop("pass")
    show(
        "import, without the interpreter's start", {k: v - start for k, v in times.items()}, "0.83"
    )
    code = f"{ours}; import sys; print('numba' in sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    print(f"numba imported: {loaded.stdout.strip()} (asked: False)")


if __name__ == "__main__":
    main()
