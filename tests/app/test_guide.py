"""What the guide shows of the command is what it prints."""

import re
import shutil
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest
from typer.testing import CliRunner

from linework.app.demo import TABLES
from linework.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "command.md"
# The demo itself shows a command line, and an empty line below it.
SESSION = re.compile(
    r"^\$ linework ([^\n]*)\n(?!\n)(.*?)(?=^\$ linework [^\n]*\n(?!\n)|\Z)", re.M | re.S
)


def test_the_page_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in TABLES:
        shutil.copy(table.path, tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    shown = [session for block in blocks for session in SESSION.findall(block)]
    assert [words.split()[0] for words, _ in shown] == ["demo", "fit", "predict", "explain"]
    for words, expected in shown:
        printed = CliRunner().invoke(app, words.split()).output
        same = OutputChecker().check_output(expected, printed, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert same, f"{words}\n{printed}"
