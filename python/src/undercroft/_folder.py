# SPDX-License-Identifier: Apache-2.0
"""Folders of struct files: the files that belong to one, by its manifest."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from ._crc32c import crc32c
from .errors import CorruptFileError

_MANIFEST = re.compile(r"_undercroft\.([0-9]{1,18})")
"""The name of a manifest; the one with the highest number is current."""

_FIRST = ("undercroft folder 1", "undercroft folder 2", "undercroft folder 3")
"""The first lines of manifests; the second may have streams, and the third facts of files, too."""

_ENTRY = re.compile(r"(-|[0-9]{1,18}) (.+)")

_MISSING = "__HIVE_DEFAULT_PARTITION__"
"""The value of a partition whose value is missing."""

_ATTEMPTS = 10
"""How often a manifest is read again that a commit has deleted meanwhile."""

_MOST_BYTES = 1 << 30
"""The most bytes of a manifest."""


@dataclass(frozen=True)
class FolderFile:
    """A file of a folder, and the texts in the names of its partition folders; a missing value is None.

    >>> FolderFile("visits/day=2026-11-24/part-0.rows", {"day": "2026-11-24"}).partition["day"]
    '2026-11-24'
    """

    path: str
    partition: dict[str, str | None]


def files(folder: str | os.PathLike[str]) -> list[FolderFile]:
    """Lists the files that belong to a folder, in the order of its rows.

    These are the files of the current manifest; a file that a failed job has left is not among them.
    A folder without a manifest consists of all its files, those in folders of the form `name=value`
    included. The list is of one commit: later commits are not in it, and delete old files.

    Raises CorruptFileError if the manifest is invalid or a file has another length than in it, and
    OSError if the folder cannot be read.

    >>> undercroft.files("visits")[0].partition
    {'day': '2026-11-24'}
    >>> numpy.concatenate([undercroft.open(file.path)["price"] for file in undercroft.files("visits")])
    array([250, 251])
    """
    root = os.fspath(folder)
    manifest = _manifest(root)
    names = sorted(_walk(root, "")) if manifest is None else manifest
    return [FolderFile(os.path.join(root, *name.split("/")), _partition(name)) for name in names]


def _manifest(root: str) -> list[str] | None:
    for attempt in range(_ATTEMPTS):
        numbers = [int(match[1]) for name in os.listdir(root) if (match := _MANIFEST.fullmatch(name))]
        if not numbers:
            return None
        path = os.path.join(root, f"_undercroft.{max(numbers)}")
        try:
            if os.path.getsize(path) > _MOST_BYTES:
                raise CorruptFileError(path, 0, f"a manifest must have at most {_MOST_BYTES} bytes")
            with open(path, encoding="utf-8", newline="\n") as file:
                text = file.read()
            return _parsed(root, path, text.split("\n"), text[: text.rfind("files ")])
        except FileNotFoundError:
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError


def _parsed(root: str, path: str, lines: list[str], start: str) -> list[str]:
    """The names in the lines of a manifest; `start` is its text before the last line."""
    names: list[str] = []
    is_whole = lines[0] in _FIRST and lines[-1] == ""
    for line in lines[1:-2]:
        if lines[0] == _FIRST[2] and line.startswith(("schema ", "+ ")):
            continue
        entry = _ENTRY.fullmatch(line)
        if entry is None or any(part == "" or part[0] in "_." for part in entry[2].split("/")):
            is_whole = is_whole and lines[0] != _FIRST[0] and line.startswith("stream ")
        else:
            names.append(entry[2])
            size = os.path.getsize(os.path.join(root, *entry[2].split("/")))
            if entry[1] != "-" and size != int(entry[1]):
                raise CorruptFileError(
                    os.path.join(root, entry[2]), 0, f"it has {size} bytes, but {entry[1]} in the manifest"
                )
    last = f"files {len(names)}"
    if lines[0] == _FIRST[2]:
        last += f" {crc32c(start.encode()):08x}"
    if not is_whole or lines[-2] != last:
        raise CorruptFileError(path, 0, "it is not a manifest")
    return names


def _walk(root: str, inside: str) -> list[str]:
    names = []
    for name in os.listdir(os.path.join(root, inside)):
        if name[0] in "_.":
            continue
        if os.path.isdir(os.path.join(root, inside, name)):
            if "=" in name[1:]:
                names += _walk(root, f"{inside}{name}/")
        elif not name.endswith((".lock", ".new")):
            names.append(inside + name)
    return names


def _partition(name: str) -> dict[str, str | None]:
    pairs = (part.split("=", 1) for part in name.split("/")[:-1])
    return {_decoded(key): None if value == _MISSING else _decoded(value) for key, value in pairs}


def _decoded(value: str) -> str:
    return re.sub("%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), value)
