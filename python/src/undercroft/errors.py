# SPDX-License-Identifier: Apache-2.0
"""Errors. Each message has the file, the offset in it, the fault, and the allowed and actual values."""

from __future__ import annotations

import os


class UndercroftError(Exception):
    """Base class of all errors of this package.

    `path` is the file. `offset` is the place of the fault in bytes from the beginning of the file,
    or None if the error has no place in the file.

    >>> try:
    ...     undercroft.open(__file__)
    ... except undercroft.UndercroftError as error:
    ...     print(type(error).__name__, error.offset)
    NotAStructFileError 0
    """

    def __init__(self, path: str | os.PathLike[str], offset: int | None, reason: str) -> None:
        self.path = os.fspath(path)
        self.offset = offset
        self.reason = reason
        place = "" if offset is None else f"offset {offset}: "
        super().__init__(f"{self.path}: {place}{reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.path, self.offset, self.reason)

    def __str__(self) -> str:
        return str(self.args[0])


class NotAStructFileError(UndercroftError):
    """The file does not begin with the magic of a struct file, or is not a regular file."""


class TruncatedFileError(UndercroftError):
    """The file is shorter than its header states."""


class UnsupportedVersionError(UndercroftError):
    """The file has a later version of the format than this package can read."""


class MissingCodecError(UndercroftError):
    """The file is compressed, and no package that decompresses it is installed."""


class CorruptFileError(UndercroftError):
    """The content of the file contradicts the format."""


class ChecksumError(CorruptFileError):
    """A checksum differs from the bytes that it covers."""


class CorruptSchemaError(CorruptFileError):
    """The schema has a valid checksum, but contradicts the format."""


class UnknownFieldError(UndercroftError, KeyError):
    """The table has no field of this name, or several."""


class LayoutError(UndercroftError, TypeError):
    """The operation does not apply to the layout of the table or to the type of the field."""


class EmptyFolderError(UndercroftError, ValueError):
    """The folder has no files, or `where` selects none of them, so its columns are not known."""


class ClosedTableError(UndercroftError, ValueError):
    """The table was closed."""
