"""A CSV or Parquet file as an Arrow table, or a sentence on why it is none."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from pathlib import Path
from typing import Any

from linework.app.errors import UserError
from linework.app.layout import SAMPLE, Layout, detect

PARQUET = b"PAR1"
PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\xfd7zXZ": "xz", b"BZh": "bzip2"}


def read_table(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> tuple[Any, str]:
    r"""Read a table, and say how it was read.

    Parameters
    ----------
    path : str or path
    delimiter, encoding : str, optional
        Of a CSV file; detected where they are left out.
    header : bool, optional
        Whether the first line names the columns; detected where it is left out.

    Returns
    -------
    pyarrow.Table, str

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from linework.app.reading import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "prices.csv"
    ...     _ = path.write_text("size;price\n1,5;20\n2,5;30\n")
    ...     table, how = read_table(path)
    >>> table.to_pylist()[0], how
    ({'size': 1.5, 'price': 20}, 'semicolon-separated, decimal commas')
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            start = file.read(SAMPLE)
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise UserError(f"{path} is a folder: give a CSV or a Parquet file.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        if not start:
            raise UserError("It is empty.")
        if start.startswith(PARQUET) or path.suffix in (".parquet", ".pq"):
            table, how = _read_parquet(path), "Parquet"
        else:
            _reject_packed(start)
            layout = detect(start, delimiter=delimiter, encoding=encoding, header=header)
            table, how = _read_csv(path, layout, encoding is not None)
        _reject_useless(table)
    except UserError as error:
        raise UserError(f"{path} is no table to learn from. {error}") from None
    return table, how


def _read_parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UserError(
            f"It is a damaged or cut-off Parquet file, or none at all ({_first_line(error)})."
        ) from None


def _read_csv(path: Path, layout: Layout, told: bool) -> tuple[Any, str]:
    """The table, in latin-1 where text beyond the sample turns out not to be UTF-8."""
    import pyarrow as pa

    table = _parsed(path, layout)
    if layout.encoding == "utf-8" and any(pa.types.is_binary(kind) for kind in table.schema.types):
        if told:
            raise UserError("It is not utf-8 text: leave the encoding out to have it detected.")
        layout = dataclasses.replace(layout, encoding="latin-1")
        table = _parsed(path, layout)
    return table, str(layout)


def _parsed(path: Path, layout: Layout) -> Any:
    """What Arrow reads: in parallel where that will do, else line by line.

    Blocks in parallel end at line breaks, within quotes too, and must hold a row each. A file for
    which this goes wrong is read again as one block.
    """
    import pyarrow as pa

    try:
        return _arrow(path, layout, careful=False)
    except pa.ArrowInvalid:
        try:
            return _arrow(path, layout, careful=True)
        except pa.ArrowInvalid as error:
            raise UserError(_explained(error, layout)) from None
    except (UnicodeDecodeError, UnicodeError) as error:
        raise UserError(f"It is not {layout.encoding} text ({error}).") from None


def _arrow(path: Path, layout: Layout, *, careful: bool) -> Any:
    from pyarrow import csv

    size = path.stat().st_size
    return csv.read_csv(
        path,
        read_options=csv.ReadOptions(
            column_names=list(layout.names),
            skip_rows=layout.skip,
            encoding=layout.encoding,
            use_threads=not careful,
            block_size=min(max(4 * size, 1 << 16), (1 << 31) - 1) if careful else 1 << 22,
        ),
        parse_options=csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=careful),
        convert_options=csv.ConvertOptions(strings_can_be_null=True, decimal_point=layout.decimal),
    )


def _explained(error: Exception, layout: Layout) -> str:
    """Arrow's message as a sentence."""
    text = _first_line(error)
    if text.startswith("Could not skip"):
        return "It has a header and no rows below it."
    ragged = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): ?(.*)", text)
    if ragged is None:
        return f"It cannot be read as CSV: {text}"
    row, expected, found, line = ragged.groups()
    shown = line if len(line) <= 60 else line[:60] + "…"
    place = f"Line {row}" if row else "A line"
    return (
        f"{place} has {found} fields, and the first line has {expected}: {shown!r}. Put quotes "
        f"around text that holds {layout.delimiter!r}, or correct the line."
    )


def _reject_packed(start: bytes) -> None:
    for mark, name in PACKED.items():
        if start.startswith(mark):
            raise UserError(f"It is packed ({name}): unpack it first.")


def _reject_useless(table: Any) -> None:
    if not table.num_columns:
        raise UserError("It has no columns.")
    repeated = [name for name, count in Counter(table.column_names).items() if count > 1]
    if repeated:
        raise UserError(
            f"{len(repeated)} column name(s) stand for several columns, {repeated[0]!r} first: "
            "rename the columns."
        )
    if not table.num_rows:
        raise UserError("It has a header and no rows below it.")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
