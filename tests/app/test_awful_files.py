"""Files as they come: each ends in results or in a sentence, and none in a traceback."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from linework.cli import app

ROWS = [(i % 7 + 0.5, "ab"[i % 2], 3 * (i % 7) + i % 2 + (i * 37 % 11) / 10) for i in range(40)]


def text(separator: str = ",", mark: str = ".", names: str = "size,colour,price") -> str:
    """A good table of 40 rows."""
    lines = [names.replace(",", separator)]
    for size, colour, price in ROWS:
        cells = [f"{size}".replace(".", mark), colour, f"{price:.1f}".replace(".", mark)]
        lines.append(separator.join(cells))
    return "\n".join(lines) + "\n"


def changed(change: Callable[[list[str]], list[str]]) -> bytes:
    """The good table with its lines changed."""
    return "\n".join(change(text().splitlines())).encode()


def with_column(name: str, value: Callable[[int], object]) -> bytes:
    """The good table and a column more."""
    return changed(
        lambda lines: [f"{lines[0]},{name}", *(f"{x},{value(i)}" for i, x in enumerate(lines[1:]))]
    )


def parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"size": np.arange(50) % 9, "price": np.arange(50.0) ** 2}), sink)
    return sink.getvalue()


def categories() -> bytes:
    """Text as dictionaries and as large strings, and a column of lists."""
    sink = io.BytesIO()
    colour = pa.array(["red", None, "blue", "red", "green"] * 8)
    columns = {
        "colour": colour.dictionary_encode(),
        "shade": colour.cast(pa.large_string()),
        "list": pa.array([[1, 2]] * 40),
        "price": np.arange(40.0) % 5 + np.sqrt(np.arange(40)),
    }
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def wide() -> bytes:
    numbers = np.random.default_rng(0).integers(0, 10, (30, 5000))
    header = ",".join([f"c{j}" for j in range(5000)] + ["price"])
    rows = [",".join(map(str, [*row, row[0] + 0.5 * row[1]])) for row in numbers]
    return "\n".join([header, *rows]).encode()


def late_text() -> bytes:
    """Codes that are numbers for five megabytes, and text after that."""
    note = "-" * 2000
    rows = [f"{i % 9},{i % 9 + i % 2},{note}" for i in range(2500)]
    return "\n".join(["code,price,note", *rows, "x,1,", "x,2,"]).encode()


REFUSED = {
    "empty": (b"", "It is empty."),
    "nothing but space": (b"\n \n", "nothing but white space"),
    "header only": (b"size,colour,price\n", "a header and no rows"),
    "header without an end": (b"size,colour,price", "a header and no rows"),
    "target of numbers and text": (
        changed(lambda lines: [*lines[:9], "1,a,n.a.", *lines[9:]]),
        "all but 1 of its 41 values are numbers; 'n.a.' is none",
    ),
    "one column": (b"price\n" + b"1.5\n2\n3\n5\n" * 5, "'price' is the only column"),
    "target missing": (text(names="size,colour,prize").encode(), "there are 'prize'"),
    "target without values": (
        changed(lambda lines: [lines[0], *(line.rpartition(",")[0] + "," for line in lines[1:])]),
        "has no values",
    ),
    "one row": (b"size,colour,price\n1,a,2\n", "one value, 2"),
    "unique strings only": (
        ("name,price\n" + "".join(f"n{i * 31 % 97},{i * i}\n" for i in range(60))).encode(),
        "'name' is text with 60 different values",
    ),
    "duplicated names": (text(names="size,size,price").encode(), "'size' first: rename"),
    "JSON renamed to CSV": (b'[{"size": 1, "price": 2},\n {"size": 2, "price": 3}]', "It is JSON"),
    "binary rubbish": (bytes(np.random.default_rng(1).integers(0, 256, 999, np.uint8)), "bytes"),
    "rubbish without zeros": (
        bytes(np.random.default_rng(1).integers(128, 256, 999, np.uint8)),
        "bytes that no text has",
    ),
    "truncated Parquet": (parquet()[:-40], "damaged or cut-off Parquet"),
    "rubbish in Parquet": (parquet()[:200] + bytes(200) + parquet()[400:], "Parquet"),
    "CSV called Parquet": (b"PAR1,x\n1,2\n", "Parquet"),
    "ragged lines": (changed(lambda lines: [*lines[:9], "1,a,2,3", *lines[9:]]), "Line 10 has 4"),
    "target constant": (
        changed(lambda lines: [lines[0], *(line.rpartition(",")[0] + ",7" for line in lines[1:])]),
        "has one value, 7",
    ),
    "target of dates": (
        changed(
            lambda lines: [
                lines[0],
                *(
                    f"{line.rpartition(',')[0]},2024-01-{i % 28 + 1:02}"
                    for i, line in enumerate(lines[1:])
                ),
            ]
        ),
        "holds dates",
    ),
    "packed": (b"\x1f\x8b\x08\x00abc", "packed (gzip): unpack it"),
}

ACCEPTED = {
    "good": (text().encode(), "comma-separated"),
    "semicolons": (text(";").encode(), "semicolon-separated"),
    "decimal commas": (text(";", ",").encode(), "decimal commas"),
    "tabs": (text("\t").encode(), "tab-separated"),
    "BOM": (b"\xef\xbb\xbf" + text().encode(), "2 of 2 columns"),
    "UTF-16": (text().encode("utf-16"), "utf-16"),
    "latin-1": (text().replace(",a,", ",gr\xfcn,").encode("latin-1"), "latin-1"),
    "latin-1 far down": (
        (text() + "1,a,2\n" * 20000 + "1,gr\xfcn,2\n").encode("latin-1"),
        "latin-1",
    ),
    "all-missing column": (with_column("gap", lambda i: ""), "left out, has no values: gap"),
    "huge integers": (with_column("huge", lambda i: 10**30 + i * 10**29), "3 of 3 columns"),
    "dates": (with_column("day", lambda i: f"2024-{i % 12 + 1:02}-05"), "1 of dates"),
    "times of day": (with_column("hour", lambda i: f"{i % 24:02}:30:00"), "of another kind: hour"),
    "infinity": (with_column("far", lambda i: "inf" if i == 3 else i), "infinity (inf): far"),
    "constant column": (with_column("one", lambda i: 1), "left out, has one value: one"),
    "row numbers": (with_column("id", lambda i: i), "numbers the rows: an identifier: id"),
    "target told by a column": (
        with_column("sum", lambda i: 2 * ROWS[i][2] + 1),
        "tells the target by itself: sum",
    ),
    "a cell that is no number": (
        with_column("age", lambda i: "?" if i == 7 else i % 5),
        "read as text because of '?': age",
    ),
    "repeated rows": (text().encode() + text().encode().split(b"\n", 1)[1], "40 rows are equal"),
    "text after numbers": (late_text(), "2 of text"),
    "a row longer than a block": (
        (text() + f"1.5,{'a' * 4_300_000},2\n" * 2).encode(),
        "1 of text",
    ),
    "line breaks in quotes": (text().replace(",a,", ',"a\nb",').encode(), "1 of text"),
    "no header": (text().split("\n", 1)[1].encode(), "no header"),
    "5,000 columns": (wide(), "5000 of numbers"),
    "Parquet": (parquet(), "Parquet"),
    "Parquet of categories": (categories(), "2 of text"),
}  # fmt: skip


def run(folder: Path, data: bytes, target: str = "price") -> tuple[int, str, str]:
    path = folder / "table.csv"
    path.write_bytes(data)
    told = ["fit", str(path), "--target", target, "-o", str(folder / "model.lw")]
    result = CliRunner().invoke(app, told)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("name", REFUSED)
def test_a_table_to_learn_nothing_from_ends_in_a_sentence(name: str, tmp_path: Path) -> None:
    data, words = REFUSED[name]
    code, out, err = run(tmp_path, data)
    assert (code, out) == (1, "")
    last = err.splitlines()[-1]
    assert last.startswith("linework: ")
    assert last.endswith(".")
    assert words in last
    assert not (tmp_path / "model.lw").exists()


@pytest.mark.parametrize("name", ACCEPTED)
def test_an_awkward_table_is_learned_from(name: str, tmp_path: Path) -> None:
    data, words = ACCEPTED[name]
    code, out, err = run(tmp_path, data, "x3" if name == "no header" else "price")
    assert code == 0, err
    assert words in err
    assert "Chosen: " in out
    assert max(map(len, (out + err).splitlines())) < 1000
    assert (tmp_path / "model.lw").stat().st_size < 10_000_000


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["fit", str(tmp_path / "no.csv"), "--target", "y"])
    assert result.exit_code == 1
    assert "There is no file" in result.stderr
    assert "is a folder" in CliRunner().invoke(app, ["fit", str(tmp_path), "-t", "y"]).stderr
