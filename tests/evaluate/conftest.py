import matplotlib

matplotlib.use("Agg")

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine


@dataclass(frozen=True)
class Labelled:
    X: object
    y: np.ndarray


@pytest.fixture(scope="session")
def iris():
    data = load_iris(as_frame=True)
    return Labelled(data.data, data.target_names[data.target])


@pytest.fixture(scope="session")
def wine():
    data = load_wine(as_frame=True)
    return Labelled(data.data, data.target.to_numpy())


@pytest.fixture(scope="session")
def legend():
    """The words of the legend of axes."""
    return lambda ax: [text.get_text() for text in ax.get_legend().get_texts()]
