"""How a text file is a table: encoding, delimiter, decimal mark and header, told or detected."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from linework.app.errors import UserError

SAMPLE = 1 << 16
"""Bytes from which a layout is detected."""

LINES = 50
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True, slots=True)
class Layout:
    """How the text of a table is to be read.

    Attributes
    ----------
    delimiter, encoding : str
    header : bool
        Whether the first line names the columns.
    decimal : str
        The mark between whole numbers and fractions.
    names : tuple of str
        Of the columns; x1, x2, … where there is no header.
    skip : int
        Lines above the first row.
    """

    delimiter: str
    encoding: str
    header: bool
    decimal: str
    names: tuple[str, ...]
    skip: int

    def __str__(self) -> str:
        parts = [DELIMITERS.get(self.delimiter, repr(self.delimiter)) + "-separated"]
        parts += [self.encoding] if self.encoding != "utf-8" else []
        parts += ["decimal commas"] if self.decimal == "," else []
        parts += [] if self.header else [f"no header, so columns are called {self.names[0]}, …"]
        return ", ".join(parts)


def detect(
    data: bytes,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Layout:
    r"""The layout of a file that begins with these bytes; what is told is taken as it is.

    Parameters
    ----------
    data : bytes
    delimiter, encoding : str, optional
    header : bool, optional

    Returns
    -------
    Layout

    Examples
    --------
    >>> from linework.app.layout import detect
    >>> layout = detect(b"size;price\n1,5;20\n2,5;30\n")
    >>> print(layout)
    semicolon-separated, decimal commas
    >>> layout.names
    ('size', 'price')
    """
    text, encoding = _decoded(data, encoding)
    # The last line may have been cut off with the sample.
    lines = text.splitlines()[:-1] if len(data) >= SAMPLE else text.splitlines()
    blank = next((i for i, line in enumerate(lines) if line.strip()), 0)
    lines = [line for line in lines if line.strip()][:LINES]
    if not lines:
        raise UserError("It holds nothing but white space.")
    _reject_json(lines)
    delimiter = delimiter or _delimiter(lines)
    rows = _rows(lines, delimiter)
    if header is None:
        header = _has_header(rows)
    first = rows[0]
    names = tuple(
        name.strip() or f"unnamed {j}" if header else f"x{j}" for j, name in enumerate(first, 1)
    )
    body = [cell for row in rows[header:] for cell in row]
    commas = sum(bool(re.fullmatch(r"-?\d+,\d+", cell)) for cell in body)
    points = sum(bool(re.fullmatch(r"-?\d*\.\d+", cell)) for cell in body)
    decimal = "," if delimiter != "," and commas > points else "."
    return Layout(delimiter, encoding, header, decimal, names, blank + header)


def _decoded(data: bytes, encoding: str | None) -> tuple[str, str]:
    """The text, and the name of its encoding."""
    marked = next((name for mark, name in MARKS.items() if data.startswith(mark)), None)
    encoding = encoding or marked
    if encoding != "utf-16" and b"\0" in data:
        raise UserError("It holds bytes that no text has: give a CSV or a Parquet file.")
    try:
        if encoding is not None:
            codec = codecs.lookup(encoding)
            text = codec.incrementaldecoder().decode(data)
            return text.removeprefix("\ufeff"), codec.name
        return codecs.getincrementaldecoder("utf-8")().decode(data), "utf-8"
    except LookupError:
        raise UserError(
            f"There is no encoding {encoding!r}: 'utf-8', 'latin-1' and 'utf-16' are usual."
        ) from None
    except UnicodeDecodeError:
        if encoding is not None:
            raise UserError(
                f"It is not {encoding} text: leave the encoding out to have it detected."
            ) from None
    text = data.decode("latin-1")
    strange = len(re.findall(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]", text))
    if 20 * strange > len(text):
        raise UserError("It holds bytes that no text has: give a CSV or a Parquet file.")
    return text, "latin-1"


def _reject_json(lines: Sequence[str]) -> None:
    start = lines[0].lstrip()
    if start.startswith(("{", "[")):
        try:
            json.JSONDecoder().raw_decode("\n".join(lines).lstrip())
        except json.JSONDecodeError:
            if not re.match(r'[\[{]\s*([\[{"]|$)', start):
                return
        raise UserError("It is JSON, whatever its name says: give a CSV or a Parquet file.")


def _rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except (csv.Error, TypeError) as error:
        raise UserError(f"It cannot be split into columns ({error}).") from None


def _delimiter(lines: Sequence[str]) -> str:
    """The one that gives most lines the same number of columns, and more than one."""

    def quality(delimiter: str) -> tuple[int, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(widths), key=lambda width: (widths.count(width), width))
        return (widths.count(usual), usual) if usual > 1 else (0, 1)

    try:
        return max(DELIMITERS, key=quality)
    except csv.Error:
        return ","


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Unless most of the first line's cells are numbers."""
    first = [cell for cell in rows[0] if cell.strip()]
    return 2 * sum(map(_is_number, first)) < max(len(first), 1)


def _is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?\s*", cell))
