# SPDX-License-Identifier: Apache-2.0
"""Tables: struct files that are open for reading."""

from __future__ import annotations

import hashlib
import io
import mmap
import os
import stat
import struct
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from ._compressed import CompressedBlocks
from ._crc32c import crc32c
from ._decode import Source, decode, plain
from ._header import DURABILITIES, LAYOUTS, SCHEMA_AT, Header, checksum_error, read_header
from ._nodes import Leaf, Node, UnsupportedField, parts, row_node, walk
from .errors import (
    ClosedTableError,
    CorruptFileError,
    CorruptSchemaError,
    LayoutError,
    NotAStructFileError,
    TruncatedFileError,
    UnknownFieldError,
)
from .schema import (
    Enum,
    Field,
    InvalidSchema,
    Primitive,
    Schema,
    Text,
    Union,
    Value,
    children,
    decode_schema,
    values,
)

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

READ_BYTES = 1 << 20
"""Bytes read at a time by `verify`."""
CALL_BYTES = 0x7FFF_F000
"""The most bytes that Linux reads in one call; macOS refuses 2 GiB."""
BATCH_ROWS = 1024
"""Rows decoded at a time by an iteration."""


class _File:
    """A file that is open for reading. Thread-safe."""

    def __init__(self, path: str) -> None:
        if not stat.S_ISREG(os.stat(path).st_mode):
            cure = ": undercroft.open_folder opens a folder" if os.path.isdir(path) else ""
            raise NotAStructFileError(path, 0, f"not a struct file: it is not a regular file{cure}")
        self.path = path
        self.file = io.open(path, "rb", buffering=0)
        self.lock = threading.Lock()

    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    def read(self, offset: int, count: int) -> bytes:
        """The bytes from `offset` on: `count`, or fewer at the end of the file."""
        chunks = []
        while count > 0:
            chunk = self._read_once(offset, min(count, CALL_BYTES))
            if not chunk:
                break
            chunks.append(chunk)
            offset += len(chunk)
            count -= len(chunk)
        return b"".join(chunks)

    def _read_once(self, offset: int, count: int) -> bytes:
        """Reads without the position of the file where the system can: forked processes share it."""
        if hasattr(os, "pread"):
            return os.pread(self.file.fileno(), count, offset)
        with self.lock:
            self.file.seek(offset)
            return self.file.read(count)

    def map(self, count: int) -> np.ndarray:
        """The first bytes, read-only. The mapping is never closed: it is freed with the last array
        that refers to it. `np.ndarray` does not keep a mapping from being closed, `np.frombuffer` does.
        """
        try:
            return np.frombuffer(mmap.mmap(self.file.fileno(), count, access=mmap.ACCESS_READ), np.uint8)
        except ValueError:
            raise _truncated(self.path, self.size(), count) from None


def _truncated(path: str, size: int, needed: int) -> TruncatedFileError:
    return TruncatedFileError(path, size, f"truncated: it needs {needed} bytes, but has {size}")


def _extent(header: Header, columns: dict[int, int], rows: int) -> int:
    """The end of the first `rows` rows in the file."""
    if rows == 0:
        return header.data_offset
    if not header.is_columns:
        return header.data_offset + rows * header.stride
    ends = (header.capacity * offset + rows * size for offset, size in columns.items())
    return header.data_offset + max(ends, default=0)


class _Metadata:
    """A valid header with its schema, and the places that follow from them."""

    def __init__(self, file: _File) -> None:
        self.header = header = read_header(file.path, file.read)
        size = file.size()
        if size < header.data_offset:
            raise _truncated(file.path, size, header.data_offset)
        page = file.read(SCHEMA_AT, header.data_offset - SCHEMA_AT)
        actual = crc32c(page)
        if actual != header.schema_checksum:
            raise checksum_error(file.path, SCHEMA_AT, "the schema", actual, header.schema_checksum)
        encoded = page[: header.schema_bytes]
        digest = hashlib.sha256(encoded).digest()[:8]
        if digest != header.schema_hash:
            raise CorruptSchemaError(
                file.path,
                SCHEMA_AT,
                f"corrupt: the hash of the schema is {digest.hex()} and should be {header.schema_hash.hex()}",
            )
        try:
            self.schema = decode_schema(
                encoded, header.layout, header.byte_order, header.stride, header.version
            )
        except InvalidSchema as error:
            raise CorruptSchemaError(file.path, SCHEMA_AT + error.offset, f"corrupt: {error}") from None
        try:
            self.row = row_node(self.schema.name, self.schema.fields)
        except UnsupportedField as error:
            raise LayoutError(file.path, SCHEMA_AT, str(error)) from None
        self.columns: dict[int, int] = {0: header.stride}
        if header.is_columns:
            self.columns = dict(sorted({v.offset: v.type.size for v in values(self.schema.fields)}.items()))
        self.check_size(file)
        self.compressed: CompressedBlocks | None = None
        if header.is_compressed:
            self.compressed = CompressedBlocks(
                file.path, header, self.schema, self.columns, self.record_bytes(), file.read
            )
        elif header.is_sealed:
            self.check_table(file)

    def end(self) -> int:
        return _extent(self.header, self.columns, self.header.rows)

    def check_size(self, file: _File) -> None:
        size, header = file.size(), self.header
        needed = header.file_bytes if header.is_sealed else self.end()
        if size < needed:
            raise _truncated(file.path, size, needed)
        if header.is_sealed and size > needed:
            raise CorruptFileError(
                file.path, needed, f"corrupt: a sealed file must have {needed} bytes, but has {size}"
            )

    def blocks(self) -> int:
        return -(-self.header.rows // self.header.block_rows)

    def record_bytes(self) -> int:
        numbers = 0
        for field, is_shared in _leaves(self.schema.fields):
            type_ = plain(field.type)
            numbers += not is_shared and isinstance(type_, (Primitive, Enum))
        return -(-4 * len(self.columns) // 8) * 8 + 16 * numbers

    def check_table(self, file: _File) -> None:
        expected = self.blocks() * self.record_bytes()
        if self.header.table_bytes != expected:
            raise CorruptFileError(
                file.path,
                88,
                f"corrupt: the block table must have {expected} bytes, but has {self.header.table_bytes}",
            )


def _leaves(fields: tuple[Field, ...], is_shared: bool = False) -> Iterator[tuple[Value, bool]]:
    """All values, and whether each is part of a union."""
    for field in fields:
        if isinstance(field, Value):
            yield field, is_shared
        else:
            yield from _leaves(children(field), is_shared or isinstance(field, Union))


class Table:
    """A struct file that is open for reading: `len(table)` rows of fields.

    Arrays are read-only views of the memory-mapped file; they stay valid after `refresh` and
    `close`. Reading is thread-safe; `refresh` and `close` must not run beside other calls.

    >>> with undercroft.open(path) as table:
    ...     print(len(table), table["amount"].sum(), table.text("ticker")[0])
    ...     print(table.row(1))
    3 3 T0
    {'price': 0.25, 'amount': 1, 'buy': False, 'ticker': 'T1'}
    """

    def __init__(self, path: str | os.PathLike[str], *, mapped: bool = True, verify: bool = False) -> None:
        self._path = os.fspath(path)
        self._is_mapped = mapped
        self._file: _File | None = _File(self._path)
        try:
            self._metadata = _Metadata(self._file)
            self._buffer: Any = self._load()
            self._fields: dict[str, Node] = {}
            self._ambiguous: set[str] = set()
            for node in walk(parts(self._metadata.row)):
                if self._fields.setdefault(node.path, node) is not node:
                    self._ambiguous.add(node.path)
            if verify:
                self.verify()
        except BaseException:
            self.close()
            raise

    def _load(self) -> Any:
        assert self._file is not None
        if self._metadata.compressed is not None:
            return None
        end = self._metadata.end()
        if self._is_mapped:
            return self._file.map(end)
        data = self._file.read(0, end)
        if len(data) < end:
            raise _truncated(self._path, len(data), end)
        return data

    # Properties

    @property
    def path(self) -> str:
        """The path of the file, as given to `open`."""
        return self._path

    @property
    def schema(self) -> Schema:
        """The fields with their types and offsets; `print(table.schema)` shows them."""
        return self._metadata.schema

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields of a row. A field of a field has a path: `point.x`."""
        return tuple(node.name for node in parts(self._metadata.row))

    @property
    def layout(self) -> str:
        """`rows`, `packed` or `columns`."""
        return LAYOUTS[self._metadata.header.layout]

    @property
    def durability(self) -> str:
        """Of the last commit: `volatile`, `committed` or `sealed`."""
        return DURABILITIES[self._metadata.header.durability]

    @property
    def is_compressed(self) -> bool:
        """Whether its fields are decompressed to memory when they are first read."""
        return self._metadata.header.is_compressed

    @property
    def is_closed(self) -> bool:
        return self._file is None

    @property
    def is_replaced(self) -> bool:
        """Whether the path refers to another file now, as after its writer has sealed it. Then
        `refresh` finds no more rows, and the path must be opened again.
        """
        file = self._open()
        try:
            now, mine = os.stat(self._path), os.fstat(file.file.fileno())
        except FileNotFoundError:
            return True
        return (now.st_dev, now.st_ino) != (mine.st_dev, mine.st_ino)

    def __len__(self) -> int:
        """The committed rows, as of the opening or the last `refresh`."""
        return self._metadata.header.rows

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __repr__(self) -> str:
        form = ", compressed" if self.is_compressed else ""
        state = "closed" if self.is_closed else f"{len(self)} rows, {self.durability}{form}"
        return f"<undercroft.Table {self._path}: {state}>\n{self.schema}"

    # Arrays

    @property
    def array(self) -> np.ndarray:
        """All rows as a structured array, without a copy. Raises LayoutError for columns.

        Nested structs are nested dtypes, inline arrays sub-arrays, text bytes, enums their numbers;
        the members of a union overlap.

        >>> print(undercroft.open(path).array["price"].max())
        0.5
        """
        if self._metadata.header.is_columns:
            raise LayoutError(
                self._path, None, "array needs rows or packed rows, but the layout is columns: use table[name]"
            )
        return self._supported(self._source().rows, self._metadata.row)

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a field in all rows, without a copy.

        The name may be a path, such as `point.x` or `option.isDefined`. Text is bytes, an enum its
        numbers, an inline array a further dimension. In rows a nested struct is a structured array;
        in columns only its values are arrays.

        >>> undercroft.open(path)["price"]
        array([0.  , 0.25, 0.5 ])
        """
        node = self._node(name)
        if isinstance(node, Leaf):
            return self._supported(lambda leaf: self._source(leaf).view(leaf), node)
        if self._metadata.header.is_columns:
            paths = ", ".join(part.path for part in walk([node]) if isinstance(part, Leaf))
            raise LayoutError(self._path, None, f"{name} is no single column, but the columns {paths}")
        return self._supported(self._source(node).records, node)

    def _supported(self, view: Any, node: Node) -> np.ndarray:
        try:
            array: np.ndarray = view(node)
            return array
        except UnsupportedField as error:
            raise LayoutError(self._path, None, str(error)) from None

    # Decoded values

    def text(self, name: str) -> list[str]:
        """The strings of a text field. Invalid UTF-8 is replaced by U+FFFD.

        >>> undercroft.open(path).text("ticker")
        ['T0', 'T1', 'T2']
        """
        node = self._node(name)
        if not isinstance(node, Leaf) or not isinstance(node.type, Text):
            raise LayoutError(self._path, None, f"{name} must be a text field: use decode({name!r})")
        return decode(node, self._source(node))

    def categories(self, name: str) -> tuple[str, ...]:
        """The names of the cases of an enum field, by their numbers."""
        node = self._node(name)
        type_ = plain(node.element) if isinstance(node, Leaf) else None
        if not isinstance(type_, Enum):
            raise LayoutError(self._path, None, f"{name} must be an enum field or a tag")
        return type_.cases

    def decode(self, name: str, start: int = 0, stop: int | None = None) -> list[Any]:
        """The values of any field in the rows `[start, stop)` as Python objects.

        A text is a str, an enum the name of its case, an Option its value or None, a struct a dict,
        a sealed hierarchy a `Case`, an inline array a list.

        >>> undercroft.open(path).decode("buy")
        [True, False, True]
        """
        node = self._node(name)
        return decode(node, self._range(start, stop, node))

    def row(self, index: int) -> Any:
        """One row with all fields decoded, as a dict; a `Case` if the row type is an enum.

        >>> undercroft.open(path).row(-1)["ticker"]
        'T2'
        """
        rows = len(self)
        if not -rows <= index < rows:
            raise IndexError(f"row must be from {-rows} to {rows - 1}, but is {index}")
        index %= rows
        return decode(self._metadata.row, self._range(index, index + 1))[0]

    def rows(self, start: int = 0, stop: int | None = None) -> Iterator[Any]:
        """The rows `[start, stop)`, decoded in batches.

        >>> [row["amount"] for row in undercroft.open(path).rows(1)]
        [1, 2]
        """
        end = self._stop(stop)
        self._range(start, end)
        for first in range(start, end, BATCH_ROWS):
            yield from decode(self._metadata.row, self._range(first, min(first + BATCH_ROWS, end)))

    def __iter__(self) -> Iterator[Any]:
        return self.rows()

    # Conversions

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a DataFrame. Needs pandas.

        Enums are categoricals, Options of numbers nullable columns. A nested struct becomes columns
        with paths such as `point.x`; other nested values are objects, as `decode` returns them.
        """
        from ._convert import to_pandas

        return to_pandas(self._metadata.row, self._source())

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow Table. Needs pyarrow. Numbers of columns are not copied.

        Enums are dictionaries, Options nullable values, structs and sealed hierarchies structs.
        """
        from ._convert import to_arrow

        return to_arrow(self._metadata.row, self._source())

    def to_polars(self) -> polars.DataFrame:
        """The rows as a Polars DataFrame, by way of Arrow. Needs polars and pyarrow."""
        from ._convert import to_polars

        frame: polars.DataFrame = to_polars(self._metadata.row, self._source())
        return frame

    # Life

    def refresh(self) -> int:
        """Makes rows visible that were committed since; returns the count of rows.

        Existing arrays keep their length. If the file was replaced, its rows remain as they are.

        >>> undercroft.open(path).refresh()
        3
        """
        file = self._open()
        before = self._metadata.header
        if before.is_sealed:
            return len(self)
        header = read_header(self._path, file.read)
        if header == before:
            return len(self)
        fixed = ("version", "byte_order", "layout", "stride", "data_offset", "schema_hash")
        for name in fixed:
            if getattr(header, name) != getattr(before, name):
                raise CorruptFileError(
                    self._path, None, f"the {name} was {getattr(before, name)} and is {getattr(header, name)}"
                )
        if header.rows < before.rows or header.is_columns and header.capacity != before.capacity:
            raise CorruptFileError(
                self._path,
                None,
                f"it had {before.rows} rows of {before.capacity}, and now has {header.rows} of {header.capacity}",
            )
        previous = self._metadata, self._buffer
        try:
            metadata = object.__new__(_Metadata)
            metadata.__dict__.update(self._metadata.__dict__, header=header)
            metadata.check_size(file)
            self._metadata = metadata
            if header.rows != before.rows:
                self._buffer = self._load()
        except BaseException:
            self._metadata, self._buffer = previous
            raise
        return len(self)

    def verify(self) -> None:
        """Compares the file with its checksums; raises ChecksumError, or another UndercroftError.

        Of a sealed file all bytes are compared, of others the headers and the schema. Reads the
        file, not the mapping.

        >>> undercroft.open(path).verify()
        """
        file = self._open()
        metadata = _Metadata(file)
        header = metadata.header
        if metadata.compressed is not None:
            metadata.compressed.verify()
            return
        if not header.is_sealed:
            return
        self._compare(file, header.table_offset, header.table_bytes, header.table_checksum, "the block table")
        table = file.read(header.table_offset, header.table_bytes)
        record = metadata.record_bytes()
        for block in range(metadata.blocks()):
            first = block * header.block_rows
            rows = min(header.block_rows, header.rows - first)
            for piece, (offset, size) in enumerate(metadata.columns.items()):
                at = header.data_offset + header.capacity * offset + first * size
                expected = struct.unpack_from("<I", table, block * record + 4 * piece)[0]
                self._compare(file, at, rows * size, expected, f"block {block}")
        last = header.data_offset
        for offset, size in metadata.columns.items():
            start = header.data_offset + header.capacity * offset
            self._zeros(file, last, start)
            last = start + header.rows * size
        self._zeros(file, last, header.table_offset)

    def _chunks(self, file: _File, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
        for at in range(start, stop, READ_BYTES):
            count = min(READ_BYTES, stop - at)
            chunk = file.read(at, count)
            if len(chunk) < count:
                raise _truncated(self._path, at + len(chunk), stop)
            yield at, chunk

    def _compare(self, file: _File, at: int, count: int, expected: int, subject: str) -> None:
        actual = 0
        for _, chunk in self._chunks(file, at, at + count):
            actual = crc32c(chunk, actual)
        if actual != expected:
            raise checksum_error(self._path, at, subject, actual, expected)

    def _zeros(self, file: _File, start: int, stop: int) -> None:
        for at, chunk in self._chunks(file, start, stop):
            rest = chunk.lstrip(b"\0")
            if rest:
                place = at + len(chunk) - len(rest)
                raise CorruptFileError(
                    self._path, place, f"corrupt: a byte outside the blocks must be 0, but is {rest[0]}"
                )

    def close(self) -> None:
        """Closes the file. The mapping is freed when no array refers to it any more."""
        file, self._file = self._file, None
        self._buffer = None
        if file is not None:
            file.file.close()

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles the path: the table is opened again by it, in another process, too."""
        self._open()
        return _reopened, (os.path.abspath(self._path), self._is_mapped)

    def __enter__(self) -> Table:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()

    # Access

    def _open(self) -> _File:
        if self._file is None:
            raise ClosedTableError(self._path, None, "the table was closed")
        return self._file

    def _node(self, name: str) -> Node:
        node = self._fields.get(name) if isinstance(name, str) else None
        if node is None:
            raise UnknownFieldError(
                self._path, None, f"no field {name!r}: the fields are {', '.join(self.names)}"
            )
        if name in self._ambiguous:
            raise UnknownFieldError(
                self._path, None, f"several fields are {name!r}, as a name contains a dot: use to_arrow"
            )
        return node

    def _source(self, node: Node | None = None) -> Source:
        """All rows. Of a compressed file only the columns of the node are defined. Raises if another
        program has truncated the file: mapped pages beyond its end must not be touched.
        """
        file = self._open()
        header = self._metadata.header
        order = "big" if header.byte_order else "little"
        stride = 0 if header.is_columns else header.stride
        compressed = self._metadata.compressed
        if compressed is not None:
            data = compressed.data(self._offsets(node))
            return Source(
                data, self._path, order, 0, stride, header.capacity, 0, header.rows, is_file=False
            )
        if self._is_mapped:
            size, needed = file.size(), self._metadata.end()
            if size < needed:
                raise _truncated(self._path, size, needed)
        return Source(
            self._buffer, self._path, order, header.data_offset, stride, header.capacity, 0, header.rows
        )

    def _offsets(self, node: Node | None) -> set[int]:
        """The offsets of the columns of a node."""
        if node is None or not self._metadata.header.is_columns:
            return set(self._metadata.columns)
        return {part.offset for part in walk([node]) if isinstance(part, Leaf)}

    def _stop(self, stop: int | None) -> int:
        return len(self) if stop is None else stop

    def _range(self, start: int, stop: int | None, node: Node | None = None) -> Source:
        end = self._stop(stop)
        if not 0 <= start <= end <= len(self):
            raise IndexError(f"rows must be within [0, {len(self)}), but are [{start}, {end})")
        return self._source(node).slice(start, end)


def _reopened(path: str, mapped: bool) -> Table:
    return Table(path, mapped=mapped)


def open(path: str | os.PathLike[str], *, mapped: bool = True, verify: bool = False) -> Table:
    """Opens a struct file for reading, in a time that does not depend on its size.

    The columns of a compressed file are read and decompressed when they are first used, and stay in
    memory until the table and its arrays are freed. Rows are decompressed as a whole. Needs Python 3.14
    or the package `zstandard`.

    With `mapped=False` the rows are read into memory instead of mapped: they survive a truncation
    of the file by another program. With `verify=True` the checksums are compared first.

    Raises an UndercroftError if the file is no valid struct file, and an OSError if it cannot be
    read.

    >>> table = undercroft.open(path)
    >>> len(table), table.layout, table.names
    (3, 'rows', ('price', 'amount', 'buy', 'ticker'))
    """
    return Table(path, mapped=mapped, verify=verify)
