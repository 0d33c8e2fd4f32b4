# SPDX-License-Identifier: Apache-2.0
"""Writes struct files byte by byte, also ones that no writer writes."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from undercroft._crc32c import crc32c

PAGE = 4096
MAGIC = bytes.fromhex("895543520d0a1a0a")


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


def text(value: str | bytes) -> bytes:
    data = value if isinstance(value, bytes) else value.encode()
    return u32(len(data)) + data


def fields(*parts: bytes) -> bytes:
    return u32(len(parts)) + b"".join(parts)


def value(name: str, offset: int, kind: bytes) -> bytes:
    return b"\0" + text(name) + u32(offset) + kind


def record(name: str, type_name: str, *parts: bytes) -> bytes:
    return b"\1" + text(name) + text(type_name) + fields(*parts)


def union(name: str, type_name: str, *members: bytes) -> bytes:
    return b"\2" + text(name) + text(type_name) + fields(*members)


BOOLEAN, BYTE, SHORT, CHAR, INT, LONG, FLOAT, DOUBLE = (bytes([code]) for code in range(1, 9))


def text_type(size: int) -> bytes:
    return b"\x09" + u32(size)


def array(count: int, of: bytes) -> bytes:
    return b"\x0a" + u32(count) + of


def enum(of: bytes, *cases: str) -> bytes:
    return b"\x0b" + of + u32(len(cases)) + b"".join(map(text, cases))


def big(of: bytes) -> bytes:
    return b"\x0c" + of


def struct_type(name: str, size: int, *parts: bytes) -> bytes:
    return b"\x0d" + text(name) + u32(size) + fields(*parts)


def schema(name: str, *parts: bytes) -> bytes:
    return text(name) + fields(*parts)


NUMBERS: dict[str, tuple[int, str]] = {
    "version": (8, "<H"),
    "byte_order": (10, "<B"),
    "durability": (11, "<B"),
    "layout": (12, "<B"),
    "generation": (16, "<Q"),
    "capacity": (24, "<Q"),
    "stride": (32, "<Q"),
    "data_offset": (40, "<Q"),
    "schema_bytes": (48, "<Q"),
    "schema_checksum": (56, "<I"),
    "schema_hash": (64, "<8s"),
    "block_rows": (72, "<Q"),
    "table_offset": (80, "<Q"),
    "table_bytes": (88, "<Q"),
    "table_checksum": (96, "<I"),
    "file_bytes": (104, "<Q"),
    "rows": (112, "<Q"),
    "writer": (120, "<Q"),
}


def slot(**numbers: Any) -> bytes:
    data = bytearray(PAGE)
    data[:8] = MAGIC
    for name, number in numbers.items():
        place, form = NUMBERS[name]
        struct.pack_into(form, data, place, number)
    return signed(bytes(data))


def signed(data: bytes) -> bytes:
    """A slot with its checksum."""
    return data[: PAGE - 4] + u32(crc32c(data[: PAGE - 4]))


def file(encoded: bytes, data: bytes, stride: int, rows: int, /, **numbers: Any) -> bytes:
    """A live file; `numbers` replace those of the header. `second` is the content of the other slot."""
    page = encoded + bytes(-len(encoded) % PAGE)
    second = numbers.pop("second", None)
    header = {
        "version": 2,
        "durability": 1,
        "generation": 1,
        "capacity": rows,
        "stride": stride,
        "data_offset": 2 * PAGE + len(page),
        "schema_bytes": len(encoded),
        "schema_checksum": crc32c(page),
        "schema_hash": hashlib.sha256(encoded).digest()[:8],
        "rows": rows,
        "writer": 7,
    } | numbers
    first = slot(**header)
    return (first if second is None else second) + first + page + data


TRADE = schema(
    "Trade",
    value("price", 0, DOUBLE),
    value("amount", 8, INT),
    value("buy", 12, BOOLEAN),
    value("ticker", 13, text_type(8)),
)


def trades(count: int = 3, /, **numbers: Any) -> bytes:
    """A file of rows: price i / 4, amount i, buy if i is even, ticker Ti."""
    rows = [struct.pack("<di?8s3x", i / 4, i, i % 2 == 0, b"T%d" % i) for i in range(count)]
    return file(TRADE, b"".join(rows), 24, count, **numbers)


def repaired(data: bytes) -> bytes:
    """The file with the checksums of its slots, its schema and its block table recomputed, so that a
    mutation is not found by them. A reader has to find it by the numbers."""
    if len(data) < 3 * PAGE:
        return data
    parts = bytearray(data)
    for at in (0, PAGE):
        (data_offset, schema_bytes) = struct.unpack_from("<QQ", parts, at + 40)
        (table, table_bytes) = struct.unpack_from("<QQ", parts, at + 80)
        if 2 * PAGE <= data_offset <= len(parts):
            struct.pack_into("<I", parts, at + 56, crc32c(bytes(parts[2 * PAGE : data_offset])))
            encoded = bytes(parts[2 * PAGE : 2 * PAGE + min(schema_bytes, len(parts))])
            parts[at + 64 : at + 72] = hashlib.sha256(encoded).digest()[:8]
        if parts[at + 11] == 2 and table + table_bytes <= len(parts):
            struct.pack_into("<I", parts, at + 96, crc32c(bytes(parts[table : table + table_bytes])))
        parts[at : at + PAGE] = signed(bytes(parts[at : at + PAGE]))
    return bytes(parts)


def bills(count: int = 100) -> bytes:
    """The file of the guide: `Bill(ticket: Int, amount: Int, price: Int)`."""
    encoded = schema("Bill", *(value(name, 4 * i, INT) for i, name in enumerate(("ticket", "amount", "price"))))
    return file(encoded, b"".join(struct.pack("<3i", i, i % 10, 250) for i in range(count)), 12, count)


def compressed(
    encoded: bytes, pieces: list[list[bytes]], stored: list[list[bytes]], stride: int, rows: int, /, **numbers: Any
) -> bytes:
    """A compressed file: for each block the uncompressed bytes of its pieces, and the stored ones. The
    fields must have no statistics, as texts and arrays have none. `codec`, `at` and `gap` replace the name
    of the codec, a position, and the zeros before the block table.
    """
    codec, at, gap = numbers.pop("codec", b"zstd"), numbers.pop("at", {}), numbers.pop("gap", None)
    page = encoded + bytes(-len(encoded) % PAGE)
    start = place = 2 * PAGE + len(page)
    table, data = codec.ljust(16, b"\0"), b""
    for block, (whole, parts) in enumerate(zip(pieces, stored)):
        for number, part in enumerate(parts):
            table += struct.pack("<QII", at.get((block, number), place), len(part), crc32c(part))
            data += part
            place += len(part)
        sums = b"".join(u32(crc32c(piece)) for piece in whole)
        table += sums + bytes(-len(sums) % 8)
    data += bytes(-len(data) % 8) if gap is None else gap
    seal = {
        "version": 4,
        "durability": 2,
        "block_rows": max(1, -(-rows // max(1, len(pieces)))),
        "table_offset": start + len(data),
        "table_bytes": len(table),
        "table_checksum": crc32c(table),
        "file_bytes": start + len(data) + len(table),
    }
    return file(encoded, data + table, stride, rows, **(seal | numbers))


def archive(count: int = 64) -> bytes:
    """A compressed file of the README: columns of prices and amounts, in a block that is stored as it is."""
    encoded = schema("Trade", value("price", 0, array(1, DOUBLE)), value("amount", 8, array(1, INT)))
    columns = [struct.pack(f"<{count}d", *(i / 4 for i in range(count))), struct.pack(f"<{count}i", *range(count))]
    return compressed(encoded, [columns], [columns], 12, count, layout=2)
