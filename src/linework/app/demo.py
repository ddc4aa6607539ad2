"""Small real tables that come along, to try the command on."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from linework.app.errors import UserError


@dataclass(frozen=True, slots=True)
class DemoTable:
    """A table that comes along.

    Attributes
    ----------
    name, target : str
    about : str
        What a row is.
    origin : str
        Where it comes from, and its licence.
    """

    name: str
    target: str
    about: str
    origin: str

    @property
    def path(self) -> Path:
        """Where the table is."""
        return Path(str(files("linework") / "app" / "tables" / f"{self.name}.csv"))


TABLES = (
    DemoTable(
        "penguins",
        "species",
        "344 penguins of three species in the Palmer Archipelago, Antarctica",
        "Gorman, Williams and Fraser (2014), palmerpenguins; CC0",
    ),
    DemoTable(
        "breast_cancer",
        "diagnosis",
        "569 tumours by the shape of their cells' nuclei",
        "Wolberg, Mangasarian, Street and Street (1993), UCI; CC BY 4.0",
    ),
    DemoTable(
        "diabetes",
        "progression",
        "442 patients and how far their disease went in a year",
        "Efron, Hastie, Johnstone and Tibshirani (2004), as in scikit-learn; BSD 3-clause",
    ),
    DemoTable(
        "diamonds",
        "price",
        "1,000 diamonds by weight and quality, drawn from 53,940",
        "ggplot2; MIT",
    ),
)


def demo_table(name: str) -> DemoTable:
    """The table of this name, or a sentence.

    Parameters
    ----------
    name : str

    Returns
    -------
    DemoTable

    Examples
    --------
    >>> from linework.app.demo import demo_table
    >>> demo_table("penguins").target
    'species'
    """
    for table in TABLES:
        if table.name == name:
            return table
    raise UserError(
        f"There is no demo {name!r}: there are {', '.join(table.name for table in TABLES)}."
    )
