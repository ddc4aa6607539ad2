"""What the tests and the examples in docstrings and pages share."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def figures_are_drawn_and_closed() -> Iterator[None]:
    """Draw what each test has left open, and close it."""
    yield
    if plt := sys.modules.get("matplotlib.pyplot"):
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()  # what is wrong with an artist shows when it is drawn
        plt.close("all")
