"""The container: a zip file of a description and arrays, uncompressed, and nothing besides.

Members are stored as they are, so that none can be larger than the file. They are read by their
names and never extracted.
"""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from linework.persist.errors import ModelFileError

DESCRIPTION = "model.json"
MAGIC = b"PK\x03\x04"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member: the same model makes the same bytes."""


def array_name(number: int) -> str:
    """The name of the member that holds this array."""
    return f"arrays/{number}.npy"


def write(file: BinaryIO, description: bytes, arrays: list[bytes]) -> None:
    """Write the members."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(DESCRIPTION, EPOCH), description)
        for number, data in enumerate(arrays):
            archive.writestr(zipfile.ZipInfo(array_name(number), EPOCH), data)


def read(file: BinaryIO) -> tuple[bytes, list[bytes]]:
    """The description and the arrays, or a sentence on what is wrong with the container."""
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError("It is no ordinary file: give the path of a model file.")
    if file.read(len(MAGIC)) != MAGIC:
        raise ModelFileError(
            "It does not begin as a model file does: give one that linework.save has written."
        )
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check(members, status.st_size)
        by_name = {member.filename: archive.read(member) for member in members}
    description = by_name.pop(DESCRIPTION)
    return description, [by_name[array_name(number)] for number in range(len(by_name))]


def _check(members: list[zipfile.ZipInfo], size: int) -> None:
    """Refuse members other than those that `write` makes, each once."""
    names = [member.filename for member in members]
    expected = {DESCRIPTION, *(array_name(number) for number in range(len(members) - 1))}
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ModelFileError(f"The file holds {twice[:100]!r} twice: it is damaged, or a trap.")
    if strange := sorted(set(names) ^ expected):
        word = "holds" if strange[0] in names else "lacks"
        raise ModelFileError(
            f"The file {word} {strange[0][:100]!r}, and a model file holds {DESCRIPTION} and "
            "arrays numbered from 0: it is damaged, or no model file."
        )
    for member in members:
        stored = member.compress_type == zipfile.ZIP_STORED
        if not stored or member.compress_size != member.file_size:
            raise ModelFileError(
                f"{member.filename} is compressed, and a model file's members are not: it was not "
                "written by linework."
            )
        if stat.S_ISLNK(member.external_attr >> 16):
            raise ModelFileError(f"{member.filename} is a link, and a model file has none.")
    if sum(member.file_size for member in members) > size:
        raise ModelFileError("The file's members are larger than the file: it is damaged.")


def sync_folder(folder: Path) -> None:
    """Have the folder's entries on disk, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def temporary_beside(path: Path) -> Path:
    """A name in the same folder that nobody uses: a rename to the path is then atomic."""
    return path.with_name(f".{path.name}.{uuid4().hex}")
