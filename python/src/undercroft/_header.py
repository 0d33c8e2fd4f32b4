# SPDX-License-Identifier: Apache-2.0
"""The two header slots of a struct file."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Callable

from ._crc32c import crc32c
from .errors import (
    ChecksumError,
    CorruptFileError,
    NotAStructFileError,
    TruncatedFileError,
    UnsupportedVersionError,
)

MAGIC = bytes.fromhex("895543520d0a1a0a")
SLOT = 4096
SCHEMA_AT = 2 * SLOT
LATEST_VERSION = 4
COMPRESSED_VERSION = 4
MAX_STRIDE = 1 << 30
"""The most bytes of a row, of a value and of the schema."""
MAX_DATA_BYTES = (1 << 61) - 1
MAX_FILE_BYTES = (1 << 63) - 1
MAX_BLOCK_ROWS = (1 << 31) - 1
ATTEMPTS = 1000
"""How often the slots are read again while a writer changes them."""

LAYOUTS = ("rows", "packed", "columns")
DURABILITIES = ("volatile", "committed", "sealed")

_NUMBERS = struct.Struct("<HBBB3xQQQQQII8sQQQIIQQQ")


@dataclass(frozen=True)
class Header:
    """The numbers of a header slot, named as in the description of the format."""

    version: int
    byte_order: int
    durability: int
    layout: int
    generation: int
    capacity: int
    stride: int
    data_offset: int
    schema_bytes: int
    schema_checksum: int
    schema_hash: bytes
    block_rows: int
    table_offset: int
    table_bytes: int
    table_checksum: int
    file_bytes: int
    rows: int
    writer: int

    @property
    def is_sealed(self) -> bool:
        return self.durability == 2

    @property
    def is_compressed(self) -> bool:
        return self.version == COMPRESSED_VERSION

    @property
    def is_columns(self) -> bool:
        return self.layout == 2


def _holds(slot: bytes) -> bool:
    return (
        len(slot) == SLOT
        and slot[:8] == MAGIC
        and struct.unpack_from("<I", slot, SLOT - 4)[0] == crc32c(slot[: SLOT - 4])
    )


def _decode(path: str, at: int, slot: bytes) -> Header:
    values = list(_NUMBERS.unpack_from(slot, 8))
    del values[16], values[10]  # the fields called zero
    header = Header(*values)
    _check(path, at, header)
    return header


def _check(path: str, at: int, header: Header) -> None:
    """Raises if a number is out of its range, which a valid checksum does not exclude."""

    def need(offset: int, name: str, value: int, low: int, high: int) -> None:
        if not low <= value <= high:
            raise CorruptFileError(path, at + offset, f"{name} must be from {low} to {high}, but is {value}")

    need(10, "the byte order", header.byte_order, 0, 1)
    need(11, "the durability", header.durability, 0, 2)
    need(12, "the layout", header.layout, 0, 2)
    need(32, "the stride", header.stride, 1, MAX_STRIDE)
    need(24, "the capacity", header.capacity, 0, MAX_DATA_BYTES // header.stride)
    need(40, "the data offset", header.data_offset, SCHEMA_AT, SLOT + MAX_STRIDE)
    if header.data_offset % SLOT != 0:
        raise CorruptFileError(
            path, at + 40, f"the data offset must be a multiple of {SLOT}, but is {header.data_offset}"
        )
    need(48, "the bytes of the schema", header.schema_bytes, 1, header.data_offset - SCHEMA_AT)
    need(112, "the count of rows", header.rows, 0, header.capacity)
    if header.is_columns and header.capacity % 64 != 0:
        raise CorruptFileError(
            path, at + 24, f"the capacity of columns must be a multiple of 64, but is {header.capacity}"
        )
    if header.is_compressed:
        need(11, "the durability of a compressed file", header.durability, 2, 2)
    if header.is_sealed:
        data_end = header.data_offset + header.capacity * header.stride
        need(72, "the rows of a block", header.block_rows, 1, MAX_BLOCK_ROWS)
        table = -(-data_end // 8) * 8
        least, most = (header.data_offset, MAX_FILE_BYTES) if header.is_compressed else (table, table)
        need(80, "the block table offset", header.table_offset, least, most)
        file_bytes = header.table_offset + header.table_bytes
        need(104, "the bytes of the file", header.file_bytes, file_bytes, file_bytes)


def _choose(path: str, slots: bytes) -> tuple[Header, bool]:
    """The current header, and whether both slots hold."""
    parts = (slots[:SLOT], slots[SLOT : 2 * SLOT])
    if not any(part[:8] == MAGIC for part in parts):
        reason = "it is empty" if not slots else f"it begins with {slots[:8].hex(' ')}"
        raise NotAStructFileError(
            path, 0, f"not a struct file: it must begin with {MAGIC.hex(' ')}, but {reason}"
        )
    if len(slots) < 2 * SLOT:
        raise TruncatedFileError(
            path, len(slots), f"truncated: the headers need {2 * SLOT} bytes, but it has {len(slots)}"
        )
    held = [i for i in (0, 1) if _holds(parts[i])]
    if not held:
        raise CorruptFileError(path, 0, "corrupt: neither header slot has its checksum")
    for i in held:
        version = struct.unpack_from("<H", parts[i], 8)[0]
        if version > LATEST_VERSION:
            raise UnsupportedVersionError(
                path,
                i * SLOT + 8,
                f"version {version} of the format: versions 1 to {LATEST_VERSION} can be read",
            )
        if version < 1:
            raise CorruptFileError(path, i * SLOT + 8, f"the version must be at least 1, but is {version}")
    generations = {i: struct.unpack_from("<Q", parts[i], 16)[0] for i in held}
    best = max(held, key=lambda i: (generations[i], -i))
    if any(parts[i][11] == 2 for i in held) and parts[0] != parts[1]:
        place = next(i for i, (a, b) in enumerate(zip(*parts)) if a != b)
        raise CorruptFileError(
            path, place, "corrupt: the two headers of a sealed file must be equal, but differ from there"
        )
    return _decode(path, best * SLOT, parts[best]), len(held) == 2


def read_header(path: str, read: Callable[[int, int], bytes]) -> Header:
    """The current header, with `read(offset, count)`. A writer may change the slots meanwhile: they
    are read again until both hold or two readings are equal.
    """
    before = None
    for attempt in range(ATTEMPTS):
        slots = read(0, 2 * SLOT)
        try:
            header, both = _choose(path, slots)
            if both or slots == before:
                return header
        except CorruptFileError:
            if slots == before or attempt == ATTEMPTS - 1:
                raise
        before = slots
    return header


def checksum_error(path: str, at: int, subject: str, actual: int, expected: int) -> ChecksumError:
    return ChecksumError(
        path, at, f"corrupt: the checksum of {subject} is 0x{actual:08x} and should be 0x{expected:08x}"
    )
