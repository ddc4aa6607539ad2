"""Damaged and hostile files: a sentence each, and nothing else happens."""

import io
import json
import os
import random
import stat
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from estimators import problem
from hostile import Parts, attacked, models, packed, parts_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures

import linework
from linework import ModelFileError, load, save
from linework.persist.archive import DESCRIPTION

X, Y = problem(linework.Ridge())


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Parts]:
    found = []
    for model, rows in models():
        path = tmp_path_factory.mktemp("models") / "model.lw"
        save(model, path, rows)
        found.append(parts_of(path))
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.lw"


@pytest.fixture
def parts(path: Path) -> Parts:
    save(linework.Ridge().fit(X, Y), path)
    return parts_of(path)


def refuse(path: Path, data: bytes, match: str, verify: bool = True) -> None:
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=match) as caught:
        load(path, verify=verify)
    assert str(caught.value).startswith("No model can be read from")


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch") / "model.lw"


@pytest.mark.filterwarnings("default")
@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_any_damage_ends_in_a_model_or_a_sentence(
    sources: list[Parts], scratch: Path, seed: int
) -> None:
    rng = random.Random(seed)
    scratch.write_bytes(attacked(rng.choice(sources), rng))
    with suppress(ModelFileError):
        load(scratch)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=300), magic=st.booleans())
def test_any_bytes(scratch: Path, data: bytes, magic: bool) -> None:
    scratch.write_bytes(b"PK\x03\x04" * magic + data)
    with pytest.raises(ModelFileError):
        load(scratch)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=100, deadline=None)
@given(node=JSON)
def test_any_description(scratch: Path, node: Any) -> None:
    scratch.write_bytes(packed({DESCRIPTION: json.dumps(node).encode()}))
    with pytest.raises(ModelFileError):
        load(scratch)


class TestContainer:
    """What is wrong before anything of the model is read."""

    def test_no_file(self, path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            load(path)

    @pytest.mark.parametrize("data", [b"", b"PK", b"\x80\x05pickle", b'{"a": 1}'])
    def test_wrong_beginning(self, path: Path, data: bytes) -> None:
        refuse(path, data, "does not begin as a model file")

    def test_a_device(self) -> None:
        with pytest.raises(ModelFileError, match="no ordinary file"):
            load(os.devnull)

    def test_cut_off_anywhere(self, path: Path, parts: Parts) -> None:
        data = packed(parts)
        for end in range(4, len(data), 97):
            refuse(path, data[:end], "damaged or cut off")

    def test_a_changed_number(self, path: Path, parts: Parts) -> None:
        data = packed(parts)
        at = data.index(b'"alpha": 1.0')
        refuse(path, data[:at] + b'"alpha": 2.0' + data[at + 12 :], "Bad CRC-32")

    @pytest.mark.parametrize(
        "name", ["note.txt", "../outside", "/etc/passwd", "arrays/", "arrays/00.npy", "C:\\x", "é"]
    )
    def test_another_member(self, path: Path, parts: Parts, name: str) -> None:
        refuse(path, packed(parts | {name: b"x"}), "arrays numbered from 0")
        assert list(path.parent.iterdir()) == [path]

    def test_a_member_less(self, path: Path, parts: Parts) -> None:
        for name in parts:
            less = {other: data for other, data in parts.items() if other != name}
            refuse(path, packed(less), "lacks|arrays numbered|has no array")

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_a_member_twice(self, path: Path, parts: Parts) -> None:
        file = io.BytesIO(packed(parts))
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(DESCRIPTION, b"{}")
        refuse(path, file.getvalue(), f"'{DESCRIPTION}' twice")

    def test_a_link(self, path: Path, parts: Parts) -> None:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name in parts:
                info = zipfile.ZipInfo(name)
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(info, "/etc/passwd")
        refuse(path, file.getvalue(), "is a link")

    @pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_a_bomb(self, path: Path, parts: Parts, method: int) -> None:
        bomb = parts | {"arrays/0.npy": parts["arrays/0.npy"] + bytes(10_000_000)}
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            for name, data in bomb.items():
                archive.writestr(name, data)
        refuse(path, file.getvalue(), "is compressed")


def changed(parts: Parts, change: Callable[[Any], Any]) -> bytes:
    """The file with its description changed, and its checksums right."""
    node = json.loads(parts[DESCRIPTION])
    change(node)
    return packed(parts | {DESCRIPTION: json.dumps(node).encode()})


def with_state(name: str, value: Any) -> Callable[[Any], None]:
    return lambda node: node["model"]["object"][1].__setitem__(name, value)


class TestDescription:
    """What is wrong with the model, in a file whose checksums are right."""

    def test_a_later_schema(self, path: Path, parts: Parts) -> None:
        data = changed(parts, lambda node: node.update(schema=2, versions={"linework": "9.9"}))
        refuse(path, data, "schema 2, .* update linework. .* by version 9.9")

    @pytest.mark.parametrize("schema", [0, "1", None, True, 1.0])
    def test_no_schema(self, path: Path, parts: Parts, schema: Any) -> None:
        refuse(path, changed(parts, lambda node: node.update(schema=schema)), "and 1 is expected")

    @pytest.mark.parametrize(
        "name",
        [
            "os:system",
            "subprocess:Popen",
            "builtins:eval",
            "sklearn.linear_model:Ridge",
            "sklearn.preprocessing:os",
            "linework:Nothing",
            "linework:save",
            "linework.nothing:Ridge",
            "linework.persist.encoder:Encoder",
            "linework.persist.model_file:BaseEstimator",
            "linework.__main__:Ridge",
            "linework..os:system",
            "linework",
            "",
            None,
            7,
            ["linework:Ridge"],
        ],
    )
    def test_an_unknown_class(self, path: Path, parts: Parts, name: Any) -> None:
        data = changed(parts, with_state("solver_", {"object": [name, {}]}))
        refuse(path, data, "holds classes of linework and some of scikit-learn's only")

    def test_nothing_is_imported(self, path: Path, parts: Parts) -> None:
        path.with_name("evil.py").write_text("raise SystemExit", encoding="utf-8")
        data = changed(parts, with_state("solver_", {"object": ["evil:Ridge", {}]}))
        refuse(path, data, "evil:Ridge")

    def test_no_estimator(self, path: Path, parts: Parts) -> None:
        refuse(path, changed(parts, lambda node: node.update(model=[1])), "not that of a linework")

    @pytest.mark.parametrize("depth", [500, 100_000])
    def test_too_deep(self, path: Path, parts: Parts, depth: int) -> None:
        text = b'{"format": "linework model", "schema": 1, "model": %b}' % (
            b"[" * depth + b"]" * depth
        )
        refuse(path, packed(parts | {DESCRIPTION: text}), "damaged or cut off")

    def test_a_field_less(self, path: Path, parts: Parts) -> None:
        data = changed(
            parts, lambda node: node["model"]["object"][1]["stats_"]["object"][1].pop("scatter")
        )
        refuse(path, data, "Moments in the file lacks its scatter")

    def test_a_field_more(self, path: Path, parts: Parts) -> None:
        data = changed(
            parts, lambda node: node["model"]["object"][1]["stats_"]["object"][1].update(x=1)
        )
        refuse(path, data, "Moments in the file has an unknown 'x'")

    def test_other_golden_rows(self, path: Path, parts: Parts) -> None:
        data = changed(parts, with_state("intercept_", {"scalar": ["float64", 0.5]}))
        refuse(path, data, "golden rows is not what it was")
        path.write_bytes(data)
        assert load(path, verify=False).intercept_ == 0.5

    def test_no_golden_rows(self, path: Path, parts: Parts) -> None:
        data = changed(parts, lambda node: node["golden"]["object"][1].update(outputs={"dict": []}))
        refuse(path, data, "golden rows is not what it was")

    def test_an_attribute_in_place_of_a_method(self, path: Path, parts: Parts) -> None:
        refuse(path, changed(parts, with_state("predict", 1)), "not callable")

    def test_too_many_columns(self, path: Path) -> None:
        save(make_pipeline(PolynomialFeatures(2), linework.Ridge()).fit(X, Y), path)
        text = parts_of(path)[DESCRIPTION].replace(b'"_n_out_full": 15', b'"_n_out_full": 10000000')
        refuse(path, packed(parts_of(path) | {DESCRIPTION: text}), "more than 1,000,000 columns")

    def test_a_cache(self, path: Path) -> None:
        save(make_pipeline(OneHotEncoder(), linework.Ridge()).fit(X, Y), path, X)
        text = parts_of(path)[DESCRIPTION].replace(b'"memory": null', b'"memory": "/tmp"')
        refuse(path, packed(parts_of(path) | {DESCRIPTION: text}), "reads pickles there")


def npy(header: bytes, body: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body


def header(descr: str = "<f8", shape: str = "(4,)", order: str = "False") -> bytes:
    return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()


class TestArrays:
    """What is wrong with an array, in a file whose checksums are right."""

    @pytest.mark.parametrize(
        ("data", "match"),
        [
            (b"", "no header"),
            (npy(b""), "no header"),
            (npy(b"[" * 60_000), "no header"),
            (npy(header("|O"), bytes(32)), "no header"),
            (npy(header("|V8"), bytes(32)), "no header"),
            (npy(header("<f8", "(2, 3)"), bytes(32)), "not what its 32 bytes are"),
            (npy(header(shape="(4,)")), "not what its 0 bytes are"),
            (npy(header(shape="(1000000000000,)")), "not what its 0 bytes are"),
            (npy(header(shape="(1000000000000, 0)")), "not what its 0 bytes are"),
            (npy(header(shape="(-4,)"), bytes(32)), "no header"),
            (npy(header(shape="4"), bytes(32)), "no header"),
            (npy(header("<f3"), bytes(12)), "which is none"),
            (npy(header("|b1"), b"\x00\x01\x02\x00"), "others than 0 and 1"),
            (npy(header("<U1"), b"\xff" * 16), "no character"),
            (npy(header("<i8"), bytes(32)), "golden rows|damaged"),
            (npy(header(order="True", shape="(2, 2)"), bytes(32)), "golden rows|damaged"),
        ],
    )
    def test_each_is_refused(self, path: Path, parts: Parts, data: bytes, match: str) -> None:
        refuse(path, packed(parts | {"arrays/3.npy": data}), match)  # the coefficients

    @pytest.mark.parametrize("number", [-1, 99, True, 0.0, "0", None])
    def test_a_number_of_none(self, path: Path, parts: Parts, number: Any) -> None:
        data = changed(parts, with_state("coef_", {"array": number}))
        refuse(path, data, "has no array of the number")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize(
    "node",
    [
        {"sparse": ["csr_array", [1, 10**6], {"array": 99}, {"array": 99}, {"array": 99}]},
        {"masked": [{"array": 99}, {"array": 99}]},
        {"spline": [{"tuple": [{"array": 99}]}, 1, 3, True, 0]},
        {"object": ["sklearn.isotonic:IsotonicRegression", {"X_thresholds_": {"array": 99}}]},
    ],
    ids=lambda node: next(iter(node)),
)
def test_a_file_takes_memory_of_its_size(path: Path, parts: Parts, node: Any) -> None:
    """One array of a megabyte, and thousand values that would each hold a copy of it."""
    file = io.BytesIO()
    np.save(file, np.arange(1_000_000, dtype=np.int8))
    number = len(parts) - 1
    text = json.dumps([node] * 1000).replace("99", str(number))
    parts = parts | {f"arrays/{number}.npy": file.getvalue()}
    data = changed(parts, with_state("aliased_", json.loads(text)))
    path.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(ModelFileError):
        load(path, verify=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * len(data)
