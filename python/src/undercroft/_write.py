# SPDX-License-Identifier: Apache-2.0
"""Writes struct files: NumPy arrays as the columns of a new, sealed file."""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
from dataclasses import dataclass
from typing import Any, Callable, Collection, Mapping, Sequence, Union as Either

import numpy as np

from ._crc32c import crc32c
from ._header import LAYOUTS, MAGIC, MAX_STRIDE, SCHEMA_AT, SLOT
from .schema import (
    PRIMITIVES,
    UNITS,
    Array,
    Enum,
    Field,
    LogicalType,
    Primitive,
    Record,
    Text,
    Type,
    Value,
)

BLOCK_BYTES = 1 << 20
"""The bytes of a block; a longer row is a block of its own."""
MAX_BLOCK_ROWS = 1 << 16
PLAIN_VERSION = 2
LOGICAL_VERSION = 3

_TYPES = {"?": 1, "i1": 2, "i2": 3, "u2": 4, "i4": 5, "i8": 6, "f4": 7, "f8": 8}
_CODES = {code: letters for letters, code in _TYPES.items()}


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A value of each row: little-endian, contiguous."""

    name: str
    type: Type
    logical: LogicalType | None
    data: np.ndarray


@dataclass(frozen=True, eq=False)
class _Group:
    name: str
    type_name: str
    parts: tuple[_Column, ...]


_Column = Either[_Leaf, _Group]


class _Reader:
    """Makes columns of arrays."""

    def __init__(self, cases: Mapping[str, Sequence[str]], utc: Collection[str]) -> None:
        self.cases, self.utc = dict(cases), set(utc)
        self.used: set[str] = set()

    def column(self, path: str, name: str, values: Any) -> _Column:
        if not isinstance(name, str) or not name:
            raise ValueError(f"the name of a column must be a str that is not empty, but is {name!r}")
        array, missing = _present(path, values)
        if missing is None:
            return self.required(path, name, array)
        if missing.ndim != 1:
            raise ValueError(f"column {path}: a whole array may be missing, but not an element of it")
        defined = _Leaf("isDefined", PRIMITIVES[0], None, ~missing)
        return _Group(name, "Option", (defined, self.required(path, "get", array)))

    def required(self, path: str, name: str, array: np.ndarray) -> _Column:
        if array.ndim < 1:
            raise ValueError(f"column {path} must be an array with an element for each row, but is a single value")
        if array.dtype.names is not None:
            if array.ndim > 1:
                raise TypeError(f"column {path} has arrays of structs: write their fields as columns of arrays")
            parts = [self.column(f"{path}.{part}", part, array[part]) for part in array.dtype.names]
            return _Group(name, _type_name(name), tuple(parts))
        kind = array.dtype.kind
        if path in self.cases:
            self.used.add(path)
            return _leaf(name, *_numbers(path, array, tuple(self.cases[path])), None)
        if kind in "US":
            return _leaf(name, *_texts(path, array), None)
        if kind in "Mm":
            return _leaf(name, *self.times(path, array))
        code = _TYPES.get(array.dtype.str.lstrip("<>|=").replace("b1", "?"))
        if code is None:
            raise TypeError(
                f"column {path} must be of bool, int8, int16, uint16, int32, int64, float32, float64, text, datetime64 or"
                f" timedelta64, but is of {array.dtype}: cast it"
            )
        return _leaf(name, PRIMITIVES[code - 1], array, None)

    def times(self, path: str, array: np.ndarray) -> tuple[Type, np.ndarray, LogicalType]:
        unit, step = np.datetime_data(array.dtype)
        numbers = array.view(array.dtype.str.replace(array.dtype.kind, "i", 1).split("[")[0])
        if step == 1 and unit in UNITS:
            if array.dtype.kind == "m":
                return PRIMITIVES[5], numbers, LogicalType("duration", unit)
            is_utc = path in self.utc
            self.used.update({path} if is_utc else ())
            return PRIMITIVES[5], numbers, LogicalType("timestamp", unit, is_utc)
        if step == 1 and unit == "D" and array.dtype.kind == "M":
            if numbers.size and not -(1 << 31) <= numbers.min() <= numbers.max() < 1 << 31:
                raise ValueError(f"column {path} must have dates of at most {(1 << 31) - 1} days from 1970, but has more")
            return PRIMITIVES[4], numbers.astype("<i4"), LogicalType("date")
        raise TypeError(
            f"column {path} must have the unit {', '.join(UNITS)}, or D of a datetime64, but is of {array.dtype}: cast it"
        )


def _present(path: str, values: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """The values, and which of them are missing, if any are: masked, None or NaT."""
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        if mask.dtype.names is not None:
            raise TypeError(f"column {path} masks fields of a struct: write its fields as columns")
        if mask.ndim > 1 and (mask.reshape(len(mask), -1).all(axis=1) == mask.reshape(len(mask), -1).any(axis=1)).all():
            mask = mask.reshape(len(mask), -1).any(axis=1)
        data = np.array(values.data)
        data[mask] = np.zeros((), data.dtype)
        return data, mask
    array = np.asarray(values)
    if array.dtype.kind == "M" or array.dtype.kind == "m":
        mask = np.isnat(array)
        return (np.where(mask, np.zeros((), array.dtype), array), mask) if mask.any() else (array, None)
    if array.dtype != object:
        return array, None
    mask = np.array([value is None for value in array], bool)
    present = np.asarray([value for value in array if value is not None])
    if array.ndim != 1 or present.ndim != 1 or present.dtype == object or not present.size:
        raise TypeError(
            f"column {path} must have values of one type, or None among them, but has objects: make an array of a NumPy type"
        )
    data = np.zeros(len(array), present.dtype)
    data[~mask] = present
    return data, mask if mask.any() else None


def _type_name(name: str) -> str:
    """The name of a struct's type, which must not be that of an Option."""
    capital = name[0].upper() + name[1:]
    return "OptionStruct" if capital == "Option" else capital


def _leaf(name: str, of: Type, array: np.ndarray, logical: LogicalType | None) -> _Leaf:
    type_ = of
    for count in reversed(array.shape[1:]):
        type_ = Array(count, type_)
    dtype = f"S{of.size}" if isinstance(of, Text) else "<" + _CODES[of.of.code if isinstance(of, Enum) else _code(of)]
    if isinstance(of, Enum):
        dtype = f"<u{of.size}"
    return _Leaf(name, type_, logical, np.ascontiguousarray(array, dtype))


def _code(of: Type) -> int:
    assert isinstance(of, Primitive)
    return of.code


def _texts(path: str, array: np.ndarray) -> tuple[Type, np.ndarray]:
    data = np.char.encode(array, "utf-8") if array.dtype.kind == "U" else array
    size = max(1, data.dtype.itemsize)
    data = np.ascontiguousarray(data, f"S{size}")
    zeros = data.view(np.uint8).reshape(-1, size) == 0
    if (zeros[:, :-1] & ~zeros[:, 1:]).any():
        raise ValueError(f"column {path} must have texts without a zero character, which ends a text in the file")
    return Text(size), data


def _numbers(path: str, array: np.ndarray, cases: tuple[str, ...]) -> tuple[Type, np.ndarray]:
    """The numbers of cases, from their names or from numbers."""
    if not 1 <= len(cases) <= 1 << 16 or len(set(cases)) < len(cases):
        raise ValueError(f"column {path} must have from 1 to {1 << 16} distinct cases, but has {cases}")
    of = Enum(PRIMITIVES[1 if len(cases) <= 1 << 8 else 2], cases)
    if array.dtype.kind in "US":
        names, inverse = np.unique(array, return_inverse=True)
        known = {case: number for number, case in enumerate(cases)}
        found = [known.get(name.decode() if isinstance(name, bytes) else str(name), -1) for name in names.tolist()]
        # A missing value is an empty text, whose number is not read.
        if any(number < 0 and name not in ("", b"") for name, number in zip(names.tolist(), found)):
            wrong = next(name for name, number in zip(names.tolist(), found) if number < 0 and name not in ("", b""))
            raise ValueError(f"column {path} must have the cases {', '.join(cases)}, but has {wrong!r}")
        return of, np.maximum(np.array(found, np.int64), 0)[inverse].reshape(array.shape)
    if array.dtype.kind not in "iu":
        raise TypeError(f"column {path} must have names or numbers of cases, but is of {array.dtype}")
    if array.size and not 0 <= array.min() <= array.max() < len(cases):
        raise ValueError(
            f"column {path} must have numbers of cases from 0 to {len(cases) - 1}, but has {array.min()} to {array.max()}"
        )
    return of, array


class _Placement:
    """Assigns offsets in the order of the values: aligned as in C, or without padding."""

    def __init__(self, is_aligned: bool) -> None:
        self.is_aligned, self.end = is_aligned, 0
        self.leaves: list[tuple[int, _Leaf]] = []

    def align(self, alignment: int) -> None:
        if self.is_aligned:
            self.end = -(-self.end // alignment) * alignment

    def field(self, column: _Column) -> Field:
        alignment = _alignment(column)
        self.align(alignment)
        if isinstance(column, _Leaf):
            self.leaves.append((self.end, column))
            value = Value(column.name, self.end, column.type, column.logical)
            self.end += column.type.size
            if self.end > MAX_STRIDE:
                raise ValueError(f"a row must have at most {MAX_STRIDE} bytes, but has more up to {column.name}")
            return value
        fields = tuple([self.field(part) for part in column.parts])
        self.align(alignment)
        return Record(column.name, column.type_name, fields)


def _alignment(column: _Column) -> int:
    if isinstance(column, _Group):
        return max(map(_alignment, column.parts))
    inner = column.type
    while isinstance(inner, Array):
        inner = inner.of
    return 1 if isinstance(inner, Text) else inner.size


def _u32(value: int) -> bytes:
    return struct.pack("<I", value)


def _text(value: str) -> bytes:
    data = value.encode()
    return _u32(len(data)) + data


def _fields(fields: Sequence[Field]) -> bytes:
    return _u32(len(fields)) + b"".join(map(_field, fields))


def _field(field: Field) -> bytes:
    if isinstance(field, Value):
        return b"\0" + _text(field.name) + _u32(field.offset) + _type(field.type, field.logical)
    assert isinstance(field, Record)
    return b"\1" + _text(field.name) + _text(field.type_name) + _fields(field.fields)


def _type(type_: Type, logical: LogicalType | None) -> bytes:
    """A type; the elements of an array have the logical type."""
    if isinstance(type_, Array):
        return b"\x0a" + _u32(type_.count) + _type(type_.of, logical)
    if logical is not None:
        meant = {"date": b"\1", "timestamp": b"\3", "duration": b"\4"}[logical.kind]
        unit = bytes([UNITS.index(logical.unit)]) if logical.unit else b""
        zone = bytes([logical.is_utc]) if logical.kind == "timestamp" else b""
        return b"\x0e" + meant + unit + zone + _type(type_, None)
    if isinstance(type_, Text):
        return b"\x09" + _u32(type_.size)
    if isinstance(type_, Enum):
        return b"\x0b" + _type(type_.of, None) + _u32(len(type_.cases)) + b"".join(map(_text, type_.cases))
    return bytes([_code(type_)])


def _range(leaf: _Leaf, start: int, stop: int) -> bytes:
    """The smallest and the largest of the stored numbers."""
    numbers = leaf.data[start:stop]
    if numbers.dtype.kind != "f":
        as_numbers = numbers.view(np.int8) if numbers.dtype.kind == "b" else numbers
        return struct.pack("<qq", int(as_numbers.min()), int(as_numbers.max()))
    real = numbers[~np.isnan(numbers)].astype(np.float64)
    if not real.size:
        return struct.pack("<dd", np.inf, -np.inf)
    low, high = float(real.min()), float(real.max())
    zeros = np.signbit(real[real == 0])
    if low == 0:
        low = -0.0 if zeros.any() else 0.0
    if high == 0:
        high = -0.0 if zeros.all() else 0.0
    return struct.pack("<dd", low, high)


def _has_range(leaf: _Leaf) -> bool:
    return isinstance(leaf.type, (Primitive, Enum))


class _Writer:
    def __init__(self, schema: bytes, layout: str, version: int, placed: _Placement, rows: int) -> None:
        self.schema, self.layout, self.version, self.rows = schema, LAYOUTS.index(layout), version, rows
        self.leaves, self.stride = placed.leaves, placed.end
        self.is_columns = layout == "columns"
        self.capacity = -(-rows // 64) * 64 if self.is_columns else rows
        self.data_offset = SCHEMA_AT + -(-len(schema) // SLOT) * SLOT
        self.block_rows = min(max(BLOCK_BYTES // self.stride, 1), MAX_BLOCK_ROWS)

    def pieces(self, start: int, stop: int) -> list[tuple[int, np.ndarray]]:
        """The places and the bytes of the pieces of a block."""
        if self.is_columns:
            return [
                (self.data_offset + self.capacity * offset + start * leaf.type.size, _bytes(leaf, start, stop))
                for offset, leaf in self.leaves
            ]
        block = np.zeros((stop - start, self.stride), np.uint8)
        for offset, leaf in self.leaves:
            size = leaf.type.size
            block[:, offset : offset + size] = _bytes(leaf, start, stop).reshape(stop - start, size)
        return [(self.data_offset + start * self.stride, block.reshape(-1))]

    def write(self, file: Any) -> None:
        table = bytearray()
        for start in range(0, self.rows, self.block_rows):
            stop = min(start + self.block_rows, self.rows)
            sums = bytearray()
            for place, data in self.pieces(start, stop):
                file.seek(place)
                file.write(data)
                sums += _u32(crc32c(memoryview(data)))
            table += sums + bytes(-len(sums) % 8)
            for _, leaf in self.leaves:
                if _has_range(leaf):
                    table += _range(leaf, start, stop)
        end = self.data_offset + self.capacity * self.stride
        table_offset = -(-end // 8) * 8
        page = self.schema + bytes(self.data_offset - SCHEMA_AT - len(self.schema))
        slot = struct.pack(
            "<8sHBBB3xQQQQQII8sQQQIIQQQ",
            MAGIC, self.version, 0, 2, self.layout, 0, self.capacity, self.stride, self.data_offset, len(self.schema),
            crc32c(page), 0, hashlib.sha256(self.schema).digest()[:8], self.block_rows, table_offset, len(table),
            crc32c(bytes(table)), 0, table_offset + len(table), self.rows, 0,
        )  # fmt: skip
        slot += bytes(SLOT - 4 - len(slot))
        slot += _u32(crc32c(slot))
        file.truncate(table_offset + len(table))
        file.seek(table_offset)
        file.write(table)
        file.seek(0)
        file.write(slot + slot + page)


def _bytes(leaf: _Leaf, start: int, stop: int) -> np.ndarray:
    return leaf.data[start:stop].reshape(-1).view(np.uint8)


def _publish(path: str, overwrite: bool, write: Callable[[Any], None]) -> None:
    """Writes a temporary file, forces it to the disk, and gives it its name."""
    target = os.path.realpath(path) if overwrite else path
    if not overwrite and os.path.lexists(path):
        raise FileExistsError(f"{path} exists: overwrite=True replaces it")
    draft = f"{target}.{secrets.token_hex(8)}.new"
    try:
        with open(draft, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            os.replace(draft, target)
        else:
            _name(draft, path)
        if os.name == "posix":
            folder = os.open(os.path.dirname(os.path.abspath(target)), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    finally:
        if os.path.lexists(draft):
            os.remove(draft)


def _name(draft: str, path: str) -> None:
    """Renames a file to a name that is free: by a hard link, which replaces no file, if there are any."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise FileExistsError(f"{path} exists: overwrite=True replaces it") from None
    except (OSError, NotImplementedError):
        os.rename(draft, path)


def write(
    path: str | os.PathLike[str],
    columns: Mapping[str, Any] | np.ndarray,
    *,
    layout: str = "columns",
    name: str = "Row",
    cases: Mapping[str, Sequence[str]] | None = None,
    utc: Collection[str] = (),
    overwrite: bool = False,
) -> None:
    """Writes a new, sealed struct file: arrays of equal length by their names, or a structured array.

    NumPy's types become those that `open` reads as them: bool, int8, int16, int32, int64, float32,
    float64, and uint16 as Char. Texts, str or bytes, are as long as the longest one. datetime64[D] is
    a date, another datetime64 a timestamp without a time zone, or in UTC if its column is in `utc`;
    timedelta64 is a duration. Further dimensions are an array, a structured dtype a struct. A column
    of which values are masked, None or NaT is an Option. `cases` names the cases of enum columns,
    whose values are names or numbers of cases. A field of a struct is named `point.x`.

    `layout` is `columns`, `rows` (as in C) or `packed`; `name` is the name of the rows' type. The file
    has checksums and statistics, is forced to the disk, and appears when it is complete; needs 1 MiB
    beside the arrays. Raises TypeError or ValueError with the column if it cannot be stored exactly,
    FileExistsError unless `overwrite`, and OSError if it cannot be written; then there is no new file.

    >>> import os, tempfile
    >>> new = os.path.join(tempfile.mkdtemp(), "quotes.struct")
    >>> undercroft.write(new, {"price": [1.5, 2.5], "venue": ["XLON", None]}, name="Quote")
    >>> undercroft.open(new, verify=True).decode("venue")
    ['XLON', None]
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be {', '.join(LAYOUTS)}, but is {layout!r}")
    named = columns if isinstance(columns, Mapping) else {part: columns[part] for part in columns.dtype.names or ()}
    if not named:
        raise ValueError("there must be a column at least, but there is none")
    reader = _Reader(cases or {}, utc)
    parts = [reader.column(part, part, values) for part, values in named.items()]
    unused = (set(cases or {}) | set(utc)) - reader.used
    if unused:
        raise ValueError(f"cases and utc must name columns of enums and timestamps, but name {', '.join(sorted(unused))}")
    placed = _Placement(layout == "rows")
    fields = [placed.field(part) for part in parts]
    placed.align(max(map(_alignment, parts)))
    lengths = {leaf.name: len(leaf.data) for _, leaf in placed.leaves}
    if len({len(leaf.data) for _, leaf in placed.leaves}) > 1:
        raise ValueError(f"the columns must have equal lengths, but have {lengths}")
    schema = _text(name) + _fields(fields)
    is_logical = any(leaf.logical is not None for _, leaf in placed.leaves)
    version = LOGICAL_VERSION if is_logical else PLAIN_VERSION
    writer = _Writer(schema, layout, version, placed, len(placed.leaves[0][1].data))
    _publish(os.fspath(path), overwrite, writer.write)
