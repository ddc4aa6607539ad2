"""The command on real tables: results on stdout, the rest on stderr, the same each time."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

import linework
from linework.app.demo import TABLES, demo_table
from linework.app.reading import read_table
from linework.cli import app

SOURCE = str(Path(linework.__file__).parents[1])


def command(*words: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "linework", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": SOURCE},
    )


def run(*words: str | Path) -> Any:
    """The command in this process."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def wine(folder: Path) -> Path:
    """A fifth real table: 178 wines of three growers."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    path = folder / "wine.parquet"
    pq.write_table(pa.Table.from_pandas(X.assign(grower=y)), path)
    return path


def without_times(text: str) -> Any:
    found = json.loads(text)
    for entry in (*found["leaderboard"]["entries"], found["leaderboard"]["baseline"]):
        del entry["seconds"]
    return found


def test_fit_predict_explain_through_the_process(tmp_path: Path) -> None:
    path = demo_table("penguins").path
    fitted = command("fit", path, "--target", "species", folder=tmp_path)
    assert fitted.returncode == 0, fitted.stderr
    assert "Chosen: lda" in fitted.stdout
    assert "344 rows; 'species' is one of 3 classes" in fitted.stderr
    assert "Wrote model.lw." in fitted.stderr

    asked = ("predict", "model.lw", path, "-o", "out.csv", "--keep", "species,year")
    predicted = command(*asked, folder=tmp_path)
    assert (predicted.returncode, predicted.stdout) == (0, "")
    out = pc.read_csv(tmp_path / "out.csv")
    assert out.column_names[:3] == ["species", "year", "prediction"]
    said, truth = (np.array(out[name].to_pylist()) for name in ("prediction", "species"))
    assert np.mean(said == truth) > 0.98
    shares = np.column_stack([out[f"p({name})"] for name in ("Adelie", "Chinstrap", "Gentoo")])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)

    explained = command("explain", "model.lw", folder=tmp_path)
    assert explained.returncode == 0
    assert "lda for 'species' (multiclass), from 344 rows" in explained.stdout
    assert "island=Dream" in explained.stdout


def test_a_mistake_ends_in_a_sentence_through_the_process(tmp_path: Path) -> None:
    (tmp_path / "rubbish.csv").write_bytes(bytes(range(256)) * 4)
    for words, code in [
        (("fit", "no.csv", "--target", "y"), 1),
        (("fit", "rubbish.csv", "--target", "y"), 1),
        (("predict", "rubbish.csv", "rubbish.csv"), 1),
        (("fit", "rubbish.csv"), 2),
        (("fix",), 2),
    ]:
        ended = command(*words, folder=tmp_path)
        assert (ended.returncode, ended.stdout) == (code, "")
        assert "Traceback" not in ended.stderr
        assert ended.stderr.rstrip().endswith(".") or code == 2


def test_help_does_not_load_the_models() -> None:
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "linework", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": SOURCE},
    )
    assert "linework fit houses.csv --target price" in loaded.stdout
    for heavy in ("numpy", "sklearn", "pyarrow", "numba"):
        assert not any(line.endswith(f" {heavy}") for line in loaded.stderr.splitlines())


def test_help_of_every_command_has_an_example() -> None:
    for name in ("fit", "predict", "explain", "demo"):
        assert f"  linework {name}" in run(name, "--help").stdout


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_demo_is_better_than_nothing_and_the_same_each_time(table: Any) -> None:
    result = run("demo", table.name, "--json")
    assert table.origin in result.stderr
    found = without_times(result.stdout)
    board = found["leaderboard"]
    best, baseline = board["entries"][0]["score"], board["baseline"]["score"]
    assert best < 0.3 * baseline if board["metric"] == "log_loss" else best > baseline + 0.4
    assert found == without_times(run("demo", table.name, "--json", "--quiet").stdout)


def test_there_is_no_such_demo() -> None:
    result = run("demo", "sunspots")
    assert result.exit_code == 1
    assert "there are penguins, breast_cancer" in result.stderr


def test_quiet_says_results_only() -> None:
    result = run("demo", "diabetes", "--quiet")
    assert result.stderr == ""
    assert result.stdout.startswith("Leaderboard, 5 folds, by R²")


def test_a_fifth_table_and_what_may_be_asked_for(tmp_path: Path) -> None:
    asked = ("--models", "lda,logistic", "--metric", "accuracy", "--folds", 4, "--seed", 1)
    model = tmp_path / "wine.lw"
    path = wine(tmp_path)
    result = run("fit", path, "-t", "grower", *asked, "--drop", "proline", "-o", model, "--json")
    found = json.loads(result.stdout)
    assert found["findings"]["task"]["kind"] == "multiclass"
    board = found["leaderboard"]
    assert (board["metric"], board["folds"]) == ("accuracy", 4)
    assert {entry["model"] for entry in board["entries"]} == {"lda", "logistic"}
    assert "proline" not in found["coefficients"]
    out = tmp_path / "out.parquet"
    assert run("predict", model, path, "-o", out, "--keep", "").exit_code == 0
    names = ["prediction", "p(0)", "p(1)", "p(2)"]
    assert pq.read_table(out).column_names == names
    card = json.loads(run("explain", model, "--json").stdout)
    assert card["model"] == board["chosen"]
    assert next(iter(card["coefficients"])) == "(Intercept)"


def test_the_model_is_that_of_a_pipeline(tmp_path: Path) -> None:
    table = demo_table("diabetes")
    model = tmp_path / "m.lw"
    run("fit", table.path, "-t", table.target, "--models", "linear", "-o", model)
    rows = pc.read_csv(table.path)
    X, y = rows.drop_columns([table.target]), np.asarray(rows[table.target])
    peer = linework.LinearRegression().fit(linework.Design().fit_transform(X), y)
    expected = peer.predict(linework.Design().fit_transform(X))
    np.testing.assert_allclose(linework.load(model).predict(X), expected)
    said = pc.read_csv(pa.BufferReader(run("predict", model, table.path).stdout.encode()))
    np.testing.assert_allclose(said["prediction"], expected)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.drop_columns(["bmi"]), "lacks 1 of the 10 columns"),
        (lambda t: t.rename_columns([*t.column_names[:-2], "sugar", "p"]), "it has 'sugar', 'p'"),
        (lambda t: t.set_column(2, "bmi", pa.array(["x"] * len(t))), "holds text, and held"),
        (lambda t: t.set_column(2, "bmi", pa.nulls(len(t), pa.float64())), "has a missing value"),
        (lambda t: t.append_column("prediction", t["bmi"]), "'prediction' of its own"),
    ],
)
def test_a_table_of_other_columns_is_refused(change: Any, words: str, tmp_path: Path) -> None:
    table = demo_table("diabetes")
    model = tmp_path / "m.lw"
    run("fit", table.path, "-t", table.target, "--models", "ridge", "-o", model)
    pq.write_table(change(pc.read_csv(table.path)), tmp_path / "new.parquet")
    result = run("predict", model, tmp_path / "new.parquet")
    assert (result.exit_code, result.stdout) == (1, "")
    assert words in result.stderr


def test_gaps_and_strangers_are_taken_where_the_model_was_told_to(tmp_path: Path) -> None:
    path = tmp_path / "penguins.csv"
    text = demo_table("penguins").path.read_text(encoding="utf-8")
    path.write_text(text.replace(",Dream,", ",Dreams,").replace(",2007", ","), encoding="utf-8")
    for words, code in [((), 1), (("--missing", "reference", "--unseen", "ignore"), 0)]:
        fitted = ("fit", demo_table("penguins").path, "-t", "species", "--models", "lda")
        run(*fitted, *words, "-o", tmp_path / "m.lw")
        result = run("predict", tmp_path / "m.lw", path, "--keep", "species")
        assert result.exit_code == code
        assert ("which is none of its 3" in result.stderr) == bool(code)


def test_an_interruption_is_told_by_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("linework.app.reading.read_table", interrupted)
    result = run("demo")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (130, "Interrupted.")


def test_columns_may_stand_in_another_order(tmp_path: Path) -> None:
    table = demo_table("penguins")
    model = tmp_path / "m.lw"
    run("fit", table.path, "-t", table.target, "-o", model)
    rows, _ = read_table(table.path)
    pq.write_table(rows.select(rows.column_names[::-1]), tmp_path / "turned.parquet")
    said = [
        run("predict", model, path, "--keep", "").stdout
        for path in (table.path, tmp_path / "turned.parquet")
    ]
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--target", "specie"), "there are 'species'"),
        (("--target", "species", "--drop", "islands"), "there are 'island'"),
        (("--target", "species", "--models", "ridge"), "no model 'ridge' for multiclass"),
        (("--target", "species", "--metric", "r2"), "no metric 'r2' for multiclass"),
        (("--target", "species", "--folds", "1"), "2 or more are expected"),
        (("--target", "species", "--task", "regression"), "a regression needs numbers"),
        (("--target", "species", "--encoding", "klingon"), "no encoding 'klingon'"),
        (("--target", "species", "-o", "/nowhere/m.lw"), "no folder /nowhere"),
    ],
)
def test_what_is_asked_for_and_cannot_be(words: tuple[str, ...], sentence: str) -> None:
    result = run("fit", demo_table("penguins").path, *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert sentence in result.stderr


@pytest.mark.slow
def test_help_and_demo_are_quick() -> None:
    begun = time.perf_counter()
    command("--help")
    helped = time.perf_counter()
    command("demo")
    assert helped - begun < 2.0
    assert time.perf_counter() - helped < 20.0
