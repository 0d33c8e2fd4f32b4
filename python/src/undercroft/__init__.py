# SPDX-License-Identifier: Apache-2.0
"""Reads and writes Undercroft's struct files: memory-mapped tables as NumPy arrays.

>>> import undercroft
>>> with undercroft.open(path) as table:
...     print((table["price"] * table["amount"]).sum())
1.25
"""

from ._decode import Case, Some
from ._folder import FolderFile, files
from ._folder_table import Folder, open_folder
from ._table import Table, open
from ._write import write
from .errors import (
    ChecksumError,
    ClosedTableError,
    CorruptFileError,
    CorruptSchemaError,
    EmptyFolderError,
    LayoutError,
    MissingCodecError,
    NotAStructFileError,
    TruncatedFileError,
    UndercroftError,
    UnknownFieldError,
    UnsupportedVersionError,
)
from .schema import Schema

__version__ = "0.1.0.dev0"

__all__ = [
    "Case",
    "ChecksumError",
    "ClosedTableError",
    "CorruptFileError",
    "CorruptSchemaError",
    "EmptyFolderError",
    "Folder",
    "FolderFile",
    "LayoutError",
    "MissingCodecError",
    "NotAStructFileError",
    "Schema",
    "Some",
    "Table",
    "TruncatedFileError",
    "UndercroftError",
    "UnknownFieldError",
    "UnsupportedVersionError",
    "files",
    "open",
    "open_folder",
    "write",
]
