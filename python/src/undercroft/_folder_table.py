# SPDX-License-Identifier: Apache-2.0
"""A folder of struct files as one table."""

from __future__ import annotations

import os
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator

import numpy as np

from ._convert import module, to_arrow, to_pandas
from ._folder import FolderFile, files
from ._nodes import Leaf
from ._table import Table
from .errors import EmptyFolderError, LayoutError
from .schema import Text, Type

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Folder:
    """The rows of all files of a folder, and the values of their partitions as columns of texts.

    The files and their counts of rows are those at the opening. Each call opens the files one after
    the other, so a folder may have any number of them; a file that a later commit has deleted is a
    FileNotFoundError. Thread-safe.

    >>> visits = undercroft.open_folder("visits")
    >>> len(visits), visits.names, visits["price"].sum()
    (2, ('price', 'day'), 501)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        where: Callable[[dict[str, str | None]], bool] | None = None,
        mapped: bool = True,
        verify: bool = False,
    ) -> None:
        self._path = os.fspath(path)
        self._is_mapped = mapped
        listed = files(path)
        self._files = [file for file in listed if where is None or where(dict(file.partition))]
        self._listed = len(listed)
        self._counts: list[int] = []
        self._names: tuple[str, ...] = ()
        self._keys = tuple(self._files[0].partition) if self._files else ()
        for file in self._files:
            if tuple(file.partition) != self._keys:
                raise LayoutError(
                    file.path, None, f"its partitions are {tuple(file.partition)}, but {self._keys} in {self._files[0].path}"
                )
            with Table(file.path, mapped=mapped, verify=verify) as table:
                self._counts.append(len(table))
                if not self._names:
                    self._names = table.names
                for key in self._keys:
                    if key in table.names:
                        raise LayoutError(file.path, None, f"{key} is a field of the file and a partition of the folder")

    @property
    def path(self) -> str:
        """The path of the folder, as given to `open_folder`."""
        return self._path

    @property
    def files(self) -> tuple[FolderFile, ...]:
        """The files, in the order of their rows."""
        return tuple(self._files)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields of the first file, and then those of the partitions."""
        return self._names + self._keys

    def __len__(self) -> int:
        return sum(self._counts)

    def __repr__(self) -> str:
        return f"<undercroft.Folder {self._path}: {len(self)} rows in {len(self._files)} files>"

    def _tables(self, needs_columns: bool = True) -> Iterator[tuple[FolderFile, Table, int]]:
        if needs_columns and not self._files:
            fault = f"where selects none of its {self._listed} files" if self._listed else "it has no files"
            raise EmptyFolderError(self._path, None, f"{fault}, so its columns are not known")
        for file, count in zip(self._files, self._counts):
            with Table(file.path, mapped=self._is_mapped) as table:
                yield file, table, count

    def __getitem__(self, name: str) -> np.ndarray:
        """A copy of the values of a field in all rows, as of `Table`; of a partition, an array of objects.

        Raises LayoutError if the field has different types in the files; texts have the longest size.
        """
        if name in self._keys:
            values = np.array([file.partition[name] for file in self._files], object)
            return np.repeat(values, self._counts)
        arrays: list[np.ndarray] = []
        first: tuple[Any, ...] | None = None
        for file, table, count in self._tables():
            array = table[name][:count]
            node = table._fields[name]
            here = (_unsized(node.type), node.dims, node.logical) if isinstance(node, Leaf) else (array.dtype,)
            first = here if first is None else first
            if here != first:
                raise LayoutError(
                    file.path, None, f"{name} is {here[0]}, but {first[0]} in {self._files[0].path}: use decode({name!r})"
                )
            arrays.append(array)
        return np.concatenate(arrays)

    def decode(self, name: str) -> list[Any]:
        """The values of a field in all rows as Python objects, as `Table.decode` returns them."""
        if name in self._keys:
            values: list[Any] = self[name].tolist()
            return values
        return [value for _, table, count in self._tables() for value in table.decode(name, 0, count)]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each row as a dict, with the values of its partitions."""
        for file, table, count in self._tables(needs_columns=False):
            for row in table.rows(0, count):
                yield {**row, **file.partition}

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a pyarrow Table, of a chunk for each file; a field that a file lacks is null."""
        return self._arrow(has_extensions=True)

    def _arrow(self, has_extensions: bool) -> Any:
        pa = module("pyarrow", "to_arrow", "arrow")
        chunks = []
        for file, table, count in self._tables():
            chunk = to_arrow(table._metadata.row, table._range(0, count), has_extensions)
            for key, value in file.partition.items():
                chunk = chunk.append_column(key, pa.array([value] * count, pa.string()))
            chunks.append(chunk)
        return pa.concat_tables(chunks, promote_options="default")

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a DataFrame; an enum whose cases differ among the files becomes objects."""
        pd = module("pandas", "to_pandas", "pandas")
        frames = []
        for file, table, count in self._tables():
            frames.append(to_pandas(table._metadata.row, table._range(0, count)).assign(**file.partition))
        return pd.concat(frames, ignore_index=True)

    def to_polars(self) -> polars.DataFrame:
        """All rows as a Polars DataFrame, by way of Arrow. A UUID is its 16 bytes."""
        frame: polars.DataFrame = module("polars", "to_polars", "polars").from_arrow(self._arrow(has_extensions=False))
        return frame

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Does nothing: no file is open between calls."""


def _unsized(type_: Type) -> Type:
    """A type without the size of a text."""
    return replace(type_, size=0) if isinstance(type_, Text) else type_


def open_folder(
    path: str | os.PathLike[str],
    *,
    where: Callable[[dict[str, str | None]], bool] | None = None,
    mapped: bool = True,
    verify: bool = False,
) -> Folder:
    """Opens a folder that Scala, Spark or Python has written as one table, by its manifest.

    `where` selects files by the texts in the names of their partition folders; the others are not
    opened. `mapped` and `verify` are those of `open`. Takes the time of opening each file.

    >>> undercroft.open_folder("visits", where=lambda partition: partition["day"] >= "2026-11-25")
    <undercroft.Folder visits: 1 rows in 1 files>
    """
    return Folder(path, where=where, mapped=mapped, verify=verify)
