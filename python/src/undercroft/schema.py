# SPDX-License-Identifier: Apache-2.0
"""The schema of a struct file: its fields, their types and their offsets.

>>> with undercroft.open(path) as table:
...     print(table.schema)
Trade: rows, little-endian, 24 bytes a row
  price   Double   at 0
  amount  Int      at 8
  buy     Boolean  at 12
  ticker  Text[8]  at 13
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Iterator, Union as Either

from ._header import LAYOUTS, MAX_STRIDE

MAX_DEPTH = 64
"""The deepest nesting of types and fields."""


@dataclass(frozen=True)
class Primitive:
    """A Boolean, a number or a Char, in the byte order of the rows."""

    code: int
    name: str
    size: int

    def __str__(self) -> str:
        return self.name


PRIMITIVES = tuple(
    Primitive(code, name, size)
    for code, name, size in (
        (1, "Boolean", 1),
        (2, "Byte", 1),
        (3, "Short", 2),
        (4, "Char", 2),
        (5, "Int", 4),
        (6, "Long", 8),
        (7, "Float", 4),
        (8, "Double", 8),
    )
)


@dataclass(frozen=True)
class Text:
    """UTF-8 that ends before its first zero byte or after `size` bytes."""

    size: int

    def __str__(self) -> str:
        return f"Text[{self.size}]"


@dataclass(frozen=True)
class Array:
    """`count` values of one type; of several dimensions, an array of arrays."""

    count: int
    of: Type

    @property
    def size(self) -> int:
        return self.count * self.of.size

    def __str__(self) -> str:
        return f"Array[{self.count}] of {self.of}"


@dataclass(frozen=True)
class Enum:
    """The unsigned number of an enum's case."""

    of: Primitive
    cases: tuple[str, ...]

    @property
    def size(self) -> int:
        return self.of.size

    def __str__(self) -> str:
        shown = ", ".join(self.cases[:6]) + (", ..." if len(self.cases) > 6 else "")
        return f"Enum[{shown}]"


@dataclass(frozen=True)
class BigEndian:
    """A big-endian value, whatever the byte order of the rows."""

    of: Either[Primitive, Enum]

    @property
    def size(self) -> int:
        return self.of.size

    def __str__(self) -> str:
        return f"big-endian {self.of}"


@dataclass(frozen=True)
class Struct:
    """A struct in one place; the offsets of its fields count from its beginning."""

    name: str
    size: int
    fields: tuple[Field, ...]

    def __str__(self) -> str:
        names = ", ".join(field.name or "union" for field in self.fields)
        return f"{self.name or 'struct'}({names})"


Type = Either[Primitive, Text, Array, Enum, BigEndian, Struct]

UNITS = ("s", "ms", "us", "ns")
"""The units of times, by their numbers in a file, as NumPy calls them."""


@dataclass(frozen=True)
class LogicalType:
    """The meaning of a stored value: `date`, `time`, `timestamp`, `duration`, `decimal`, `uuid`, or
    the `name` of a type that its users know.

    >>> str(LogicalType("timestamp", unit="ms", is_utc=True))
    'timestamp[ms, UTC]'
    """

    kind: str
    unit: str = ""
    is_utc: bool = False
    precision: int = 0
    scale: int = 0
    name: str = ""

    def __str__(self) -> str:
        if self.kind == "named":
            return self.name
        if self.kind == "decimal":
            return f"decimal({self.precision}, {self.scale})"
        if not self.unit:
            return self.kind
        return f"{self.kind}[{self.unit}{', UTC' if self.is_utc else ''}]"

    def is_stored_as(self, of: Type) -> bool:
        """Whether values of this type can have a stored type."""
        stored = of.of if isinstance(of, BigEndian) else of
        if self.kind == "named":
            return True
        if self.kind == "date":
            return stored == PRIMITIVES[4]
        if self.kind in ("time", "timestamp", "duration"):
            return stored == PRIMITIVES[5]
        if self.kind == "decimal" and self.precision <= 18 and stored == PRIMITIVES[5]:
            return True
        return isinstance(of, Struct) and self.is_stored_in(of.fields)

    def is_stored_in(self, fields: tuple[Field, ...]) -> bool:
        """Whether values of this type can be a record of fields."""
        if self.kind == "named":
            return True
        pair = len(fields) == 2 and all(isinstance(f, Value) and f.type == PRIMITIVES[5] for f in fields)
        return pair and self.kind in ("decimal", "uuid")


@dataclass(frozen=True)
class Value:
    """A value. In columns, `offset` is the start of its column in bytes for each row of capacity."""

    name: str
    offset: int
    type: Type
    logical: LogicalType | None = None
    """The meaning of the value, or of the elements of an array."""


@dataclass(frozen=True)
class Record:
    """Fields of one type. Without a name they belong to the enclosing type."""

    name: str
    type_name: str
    fields: tuple[Field, ...]
    logical: LogicalType | None = None


@dataclass(frozen=True)
class Union:
    """Members that share their bytes. One of them is active."""

    name: str
    type_name: str
    members: tuple[Field, ...]


Field = Either[Value, Record, Union]


def children(field: Field) -> tuple[Field, ...]:
    """The fields of a record or the members of a union."""
    if isinstance(field, Record):
        return field.fields
    return field.members if isinstance(field, Union) else ()


def values(fields: tuple[Field, ...]) -> Iterator[Value]:
    """All values at any depth, in the order of declaration."""
    for field in fields:
        if isinstance(field, Value):
            yield field
        else:
            yield from values(children(field))


@dataclass(frozen=True)
class Schema:
    """The fields of a table. `str(schema)` is a readable table of them."""

    name: str
    fields: tuple[Field, ...]
    layout: str
    """`rows`, `packed` or `columns`."""
    byte_order: str
    """Of the rows: `little` or `big`."""
    stride: int
    """Bytes of a row, in columns of all columns together."""
    version: int
    """Version of the format."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields at the top."""
        return tuple(field.name for field in self.fields)

    def __str__(self) -> str:
        lines: list[tuple[str, str, str]] = []
        _describe(self.fields, 1, lines)
        width = max((len(line[0]) for line in lines), default=0)
        types = max((len(line[1]) for line in lines), default=0)
        head = f"{self.name}: {self.layout}, {self.byte_order}-endian, {self.stride} bytes a row"
        return "\n".join([head, *(f"{n:{width}}  {t:{types}}  {at}".rstrip() for n, t, at in lines)])

    __repr__ = __str__


def _describe(fields: tuple[Field, ...], depth: int, lines: list[tuple[str, str, str]]) -> None:
    indent = "  " * depth
    for field in fields:
        if isinstance(field, Value):
            meaning = f", {field.logical}" if field.logical else ""
            lines.append((indent + field.name, f"{field.type}{meaning}", f"at {field.offset}"))
            inner: Type = field.type
            while isinstance(inner, Array):
                inner = inner.of
            if isinstance(inner, Struct):
                _describe(inner.fields, depth + 1, lines)
        else:
            kind = "union " if isinstance(field, Union) else ""
            logical = field.logical if isinstance(field, Record) else None
            meaning = f", {logical}" if logical else ""
            lines.append((indent + (field.name or "-"), (kind + field.type_name).strip() + meaning, ""))
            _describe(children(field), depth + 1, lines)


class InvalidSchema(Exception):
    """The reason for which bytes are no schema, and its offset in them."""

    def __init__(self, offset: int, reason: str) -> None:
        self.offset = offset
        super().__init__(reason)


class _Decoder:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def fail(self, reason: str) -> InvalidSchema:
        return InvalidSchema(self.at, reason)

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise self.fail(f"{count} bytes must follow, but {len(self.data) - self.at} remain")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        return int(struct.unpack("<I", self.take(4))[0])

    def count(self) -> int:
        """A count of following items, each of at least one byte."""
        count, remaining = self.number(), len(self.data) - self.at
        if count > remaining:
            raise self.fail(f"a count must be from 0 to the {remaining} remaining bytes, but is {count}")
        return count

    def text(self) -> str:
        try:
            return self.take(self.count()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.fail(f"a text must be UTF-8: {error}") from None

    def size(self, size: int) -> int:
        if not 1 <= size <= MAX_STRIDE:
            raise self.fail(f"a value must have from 1 to {MAX_STRIDE} bytes or elements, but has {size}")
        return size

    def nested(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self.fail(f"fields and types must nest at most {MAX_DEPTH} deep")

    def fields(self, depth: int) -> tuple[Field, ...]:
        self.nested(depth)
        return tuple([self.field(depth) for _ in range(self.count())])

    def field(self, depth: int) -> Field:
        kind = self.byte()
        name = self.text()
        if kind == 0:
            offset = self.number()
            return Value(name, offset, *self.meant(depth))
        if kind == 1:
            return Record(name, self.text(), self.fields(depth + 1))
        if kind == 2:
            return Union(name, self.text(), self.fields(depth + 1))
        if kind == 3:
            logical = self.logical()
            record = Record(name, self.text(), self.fields(depth + 1), logical)
            if not logical.is_stored_in(record.fields):
                raise self.fail(f"{logical} must not be a record of {len(record.fields)} fields")
            return record
        raise self.fail(f"the kind of a field must be from 0 to 3, but is {kind}")

    def meant(self, depth: int) -> tuple[Type, LogicalType | None]:
        """A type with its logical type; of an array, with that of its elements."""
        self.nested(depth)
        if self.data[self.at : self.at + 1] == b"\x0e":
            self.at += 1
            logical = self.logical()
            of = self.type(depth + 1)
            if not logical.is_stored_as(of):
                raise self.fail(f"{logical} must not be stored as {of}")
            return of, logical
        if self.data[self.at : self.at + 1] == b"\x0a":
            self.at += 1
            count = self.size(self.number())
            inner, logical_of = self.meant(depth + 1)
            array = Array(count, inner)
            self.size(array.size)
            return array, logical_of
        return self.type(depth), None

    def logical(self) -> LogicalType:
        code = self.byte()
        if code == 1:
            return LogicalType("date")
        if code == 2:
            return LogicalType("time", self.unit())
        if code == 3:
            unit, zone = self.unit(), self.byte()
            if zone > 1:
                raise self.fail(f"a time zone must be 0 or 1, but is {zone}")
            return LogicalType("timestamp", unit, zone == 1)
        if code == 4:
            return LogicalType("duration", self.unit())
        if code == 5:
            precision, scale = self.byte(), self.byte()
            if not 1 <= precision <= 38 or scale > precision:
                raise self.fail(f"a decimal must not have {precision} digits, {scale} after the point")
            return LogicalType("decimal", precision=precision, scale=scale)
        if code == 6:
            return LogicalType("uuid")
        if code == 7:
            name = self.text()
            if not 1 <= len(name.encode()) <= 255:
                raise self.fail("the name of a logical type must have from 1 to 255 bytes")
            return LogicalType("named", name=name)
        raise self.fail(f"the code of a logical type must be from 1 to 7, but is {code}")

    def unit(self) -> str:
        unit = self.byte()
        if unit >= len(UNITS):
            raise self.fail(f"a unit of time must be from 0 to 3, but is {unit}")
        return UNITS[unit]

    def type(self, depth: int) -> Type:
        self.nested(depth)
        code = self.byte()
        if 1 <= code <= 8:
            return PRIMITIVES[code - 1]
        if code == 9:
            return Text(self.size(self.number()))
        if code == 10:
            self.at -= 1
            return self.meant(depth)[0]
        if code == 11:
            stored = self.type(depth + 1)
            if not isinstance(stored, Primitive) or not 2 <= stored.code <= 6:
                raise self.fail(f"the number of a case must be of type 2 to 6, but is a {stored}")
            cases = tuple([self.text() for _ in range(self.count())])
            if stored.size < 4 and len(cases) > 1 << 8 * stored.size:
                raise self.fail(f"{len(cases)} cases must fit in {stored.size} bytes")
            return Enum(stored, cases)
        if code == 12:
            of = self.type(depth + 1)
            if not isinstance(of, (Primitive, Enum)):
                raise self.fail(f"a big-endian value must be of type 1 to 8 or 11, but is {of}")
            return BigEndian(of)
        if code == 13:
            name, size = self.text(), self.size(self.number())
            fields = self.fields(depth + 1)
            self.places(fields, size, f"the struct {name}")
            return Struct(name, size, fields)
        if code == 14:
            raise self.fail("a value must have at most one logical type, and outside of its stored type")
        raise self.fail(f"the code of a type must be from 1 to 14, but is {code}")

    def places(self, fields: tuple[Field, ...], size: int, subject: str) -> None:
        for value in values(fields):
            end = value.offset + value.type.size
            if end > size:
                raise self.fail(f"{value.name} must end within the {size} bytes of {subject}, but ends at {end}")

    def columns(self, fields: tuple[Field, ...]) -> None:
        """Raises if columns overlap. Members of a union may share a whole column."""
        ordered = sorted(values(fields), key=lambda value: value.offset)
        for before, value in zip(ordered, ordered[1:]):
            is_same = before.offset == value.offset and before.type.size == value.type.size
            if not is_same and value.offset < before.offset + before.type.size:
                raise self.fail(f"the columns of {before.name} and {value.name} overlap at {value.offset}")


def decode_schema(data: bytes, layout: int, byte_order: int, stride: int, version: int) -> Schema:
    """The schema in `data`; raises InvalidSchema."""
    decoder = _Decoder(data)
    name = decoder.text()
    fields = decoder.fields(0)
    if decoder.at != len(data):
        raise decoder.fail(f"{len(data) - decoder.at} bytes follow the schema")
    decoder.places(fields, stride, "the row")
    if layout == 2:
        decoder.columns(fields)
    return Schema(name, fields, LAYOUTS[layout], ("little", "big")[byte_order], stride, version)
