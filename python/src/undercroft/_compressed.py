# SPDX-License-Identifier: Apache-2.0
"""The blocks of a compressed file."""

from __future__ import annotations

import struct
import threading
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator

import numpy as np

from ._crc32c import crc32c
from ._decode import plain
from ._header import Header, checksum_error
from .errors import CorruptFileError, MissingCodecError
from .schema import Enum, Primitive, Schema, values

MAX_BLOCK_BYTES = 1 << 26
NAME_BYTES = 16
ENTRY = struct.Struct("<QII")
"""Of a piece: its position, the count of its stored bytes, and their checksum."""

Read = Callable[[int, int], bytes]
Decoder = Callable[[bytes, int], bytes]
"""Decompresses bytes, and stops after `count + 1` bytes."""


@dataclass(frozen=True)
class _Column:
    """A piece of every block: a column, or the rows."""

    offset: int
    size: int
    is_split: bool
    """Whether the first bytes of all values precede their second bytes, and so on."""


def _is_split(schema: Schema, offset: int) -> bool:
    if schema.layout != "columns":
        return False
    first = next(value for value in values(schema.fields) if value.offset == offset)
    type_ = plain(first.type)
    return isinstance(type_, (Primitive, Enum)) and type_.size > 1


class CompressedBlocks:
    """The table of the blocks, read and compared with its checksum, and the data of the columns that
    were decompressed so far. Thread-safe.
    """

    def __init__(
        self, path: str, header: Header, schema: Schema, columns: dict[int, int], record_bytes: int, read: Read
    ) -> None:
        self.path = path
        self.header = header
        self.read = read
        self.columns = [_Column(at, size, _is_split(schema, at)) for at, size in columns.items()]
        self.record_bytes = ENTRY.size * len(self.columns) + record_bytes
        self._check_header()
        self.table = read(header.table_offset, header.table_bytes)
        actual = crc32c(self.table)
        if actual != header.table_checksum:
            raise checksum_error(path, header.table_offset, "the block table", actual, header.table_checksum)
        self._check_places()
        self.codec = self.table[:NAME_BYTES].rstrip(b"\0").decode("latin-1")
        self.lock = threading.Lock()
        self.loaded: set[int] = set()
        self.target: np.ndarray | None = None

    @property
    def blocks(self) -> int:
        return -(-self.header.rows // self.header.block_rows)

    def rows(self, block: int) -> int:
        return min(self.header.block_rows, self.header.rows - block * self.header.block_rows)

    def _check_header(self) -> None:
        header = self.header
        if header.block_rows > MAX_BLOCK_BYTES // header.stride:
            raise CorruptFileError(
                self.path,
                72,
                f"corrupt: a block must have at most {MAX_BLOCK_BYTES} bytes, but has {header.block_rows} "
                f"rows of {header.stride}",
            )
        capacity = -(-header.rows // 64) * 64 if header.is_columns else header.rows
        if header.capacity != capacity:
            raise CorruptFileError(
                self.path, 24, f"corrupt: the capacity must be {capacity}, but is {header.capacity}"
            )
        expected = NAME_BYTES + self.blocks * self.record_bytes
        if header.table_bytes != expected:
            raise CorruptFileError(
                self.path,
                88,
                f"corrupt: the block table must have {expected} bytes, but has {header.table_bytes}",
            )

    def _entry(self, block: int, piece: int) -> int:
        return NAME_BYTES + block * self.record_bytes + ENTRY.size * piece

    def _check_places(self) -> None:
        following = self.header.data_offset
        for block in range(self.blocks):
            for piece, column in enumerate(self.columns):
                entry = self._entry(block, piece)
                position, stored, _ = ENTRY.unpack_from(self.table, entry)
                most = self.rows(block) * column.size
                if position != following or not 1 <= stored <= most:
                    raise CorruptFileError(
                        self.path,
                        self.header.table_offset + entry,
                        f"corrupt: piece {piece} of block {block} must be at {following} with 1 to {most} "
                        f"bytes, but is at {position} with {stored}",
                    )
                following += stored
        self.end = following
        table = -(-following // 8) * 8
        if table != self.header.table_offset:
            raise CorruptFileError(
                self.path, 80, f"corrupt: the block table must be at {table}, but is at {self.header.table_offset}"
            )

    def checksum(self, block: int, piece: int) -> int:
        """The checksum of a piece's uncompressed bytes."""
        place = self._entry(block, len(self.columns)) + 4 * piece
        number: int = struct.unpack_from("<I", self.table, place)[0]
        return number

    def piece(self, decoder: Decoder, block: int, piece: int) -> np.ndarray:
        """The uncompressed bytes of a piece."""
        column = self.columns[piece]
        position, stored, checksum = ENTRY.unpack_from(self.table, self._entry(block, piece))
        content = self.read(position, stored)
        actual = crc32c(content)
        if len(content) != stored or actual != checksum:
            raise checksum_error(self.path, position, f"block {block}", actual, checksum)
        rows = self.rows(block)
        size = rows * column.size
        if stored == size:
            return np.frombuffer(content, np.uint8)
        try:
            decoded = decoder(content, size)
        except Exception as error:  # each library has errors of its own
            raise self._undecodable(position, block, size, str(error)) from error
        if len(decoded) != size:
            found = f"more than {size}" if len(decoded) > size else str(len(decoded))
            raise self._undecodable(position, block, size, f"it has {found} bytes")
        result = np.frombuffer(decoded, np.uint8)
        return result.reshape(column.size, rows).T.reshape(-1) if column.is_split else result

    def _undecodable(self, position: int, block: int, size: int, reason: str) -> CorruptFileError:
        return CorruptFileError(
            self.path, position, f"corrupt: block {block} is not {size} bytes of {self.codec}: {reason}"
        )

    def decoder(self) -> Decoder:
        if self.codec != "zstd":
            raise MissingCodecError(
                self.path,
                self.header.table_offset,
                f"compressed by the codec {self.codec!r}: this package reads 'zstd'",
            )
        decoder = _zstd()
        if decoder is None:
            raise MissingCodecError(
                self.path,
                self.header.table_offset,
                "compressed by Zstandard: pip install 'undercroft[zstd]', or use Python 3.14",
            )
        return decoder

    def data(self, offsets: Iterable[int]) -> np.ndarray:
        """The data of the sealed file, read-only, with the bytes of these columns. The bytes of the
        columns that were never requested are zero, and take no memory where the system commits it late.
        """
        with self.lock:
            header = self.header
            if self.target is None:
                self.target = np.zeros(header.capacity * header.stride, np.uint8)
            for piece, column in enumerate(self.columns):
                if column.offset in self.loaded or column.offset not in offsets:
                    continue
                decoder = self.decoder()
                at = header.capacity * column.offset
                for block in range(self.blocks):
                    part = self.piece(decoder, block, piece)
                    self.target[at : at + part.size] = part
                    at += part.size
                self.loaded.add(column.offset)
            view = self.target.view()
            view.flags.writeable = False
            return view

    def pieces(self) -> Iterator[tuple[int, int]]:
        return ((block, piece) for block in range(self.blocks) for piece in range(len(self.columns)))

    def verify(self) -> None:
        """Decompresses all blocks, and compares all checksums."""
        decoder: Decoder | None = None
        for block, piece in self.pieces():
            decoder = decoder or self.decoder()
            actual, expected = crc32c(self.piece(decoder, block, piece).tobytes()), self.checksum(block, piece)
            if actual != expected:
                position = ENTRY.unpack_from(self.table, self._entry(block, piece))[0]
                raise checksum_error(self.path, position, f"block {block}", actual, expected)
        rest = self.read(self.end, self.header.table_offset - self.end)
        if rest.strip(b"\0"):
            raise CorruptFileError(
                self.path, self.end, "corrupt: the bytes between the blocks and their table must be 0"
            )


def _zstd() -> Decoder | None:
    """Zstandard of Python 3.14 or of the package `zstandard`, or None."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        def by_python(content: bytes, count: int) -> bytes:
            decompressor = zstd.ZstdDecompressor()
            result: bytes = decompressor.decompress(content, count + 1)
            if not decompressor.eof and len(result) <= count:
                raise EOFError("its frame is not complete")
            return result

        return by_python
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None

    def by_package(content: bytes, count: int) -> bytes:
        with zstandard.ZstdDecompressor().stream_reader(content) as reader:
            result: bytes = reader.read(count + 1)
        return result

    return by_package
