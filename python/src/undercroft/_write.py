# SPDX-License-Identifier: Apache-2.0
"""Writes struct files: NumPy arrays as the columns of a new, sealed file."""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any, Callable, Collection, Mapping, Sequence, Union as Either
from uuid import UUID

import numpy as np

from ._crc32c import crc32c
from ._decode import Case, Some
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
    Struct,
    Text,
    Type,
    Union,
    Value,
    children,
)
from .schema import values as values_of

BLOCK_BYTES = 1 << 20
"""The bytes of a block; a longer row is a block of its own."""
MAX_BLOCK_ROWS = 1 << 16
PLAIN_VERSION = 2
LOGICAL_VERSION = 3

_TYPES = {"?": 1, "i1": 2, "i2": 3, "u2": 4, "i4": 5, "i8": 6, "f4": 7, "f8": 8}
_CODES = {code: letters for letters, code in _TYPES.items()}

WRITABLE = (
    "bool, int8, int16, uint16, int32, int64, float32, float64, text, datetime64, timedelta64, a structured dtype, or"
    " objects that are Decimal, UUID, date, time, datetime, timedelta, dict, Case, lists of equal lengths of these, or None"
)
"""The types of values that are written, in errors."""


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A value of each row: little-endian, contiguous. `is_shared` in a case of an enum, whose bytes are
    zero in the rows of other cases.
    """

    name: str
    type: Type
    logical: LogicalType | None
    data: np.ndarray
    is_shared: bool = False


@dataclass(frozen=True, eq=False)
class _Group:
    name: str
    type_name: str
    parts: tuple[_Column, ...]
    logical: LogicalType | None = None


@dataclass(frozen=True, eq=False)
class _Cases:
    """An enum whose cases have fields."""

    name: str
    type_name: str
    tag: _Leaf
    cases: tuple[_Group, ...]


_Column = Either[_Leaf, _Group, _Cases]


def _parts(column: _Column) -> tuple[_Column, ...]:
    if isinstance(column, _Cases):
        return (column.tag, *column.cases)
    return column.parts if isinstance(column, _Group) else ()


def _spread(column: _Column, places: np.ndarray, rows: int, is_shared: bool) -> _Column:
    """The values of a column at the places of more rows, and zeros in the others."""
    if isinstance(column, _Cases):
        tag = _spread(column.tag, places, rows, is_shared)
        assert isinstance(tag, _Leaf)
        return replace(column, tag=tag, cases=tuple([_group(c, places, rows, is_shared) for c in column.cases]))
    if isinstance(column, _Group):
        return _group(column, places, rows, is_shared)
    data = np.zeros((rows, *column.data.shape[1:]), column.data.dtype)
    data[places] = column.data
    return replace(column, data=data, is_shared=column.is_shared or is_shared)


def _group(group: _Group, places: np.ndarray, rows: int, is_shared: bool) -> _Group:
    return replace(group, parts=tuple([_spread(part, places, rows, is_shared) for part in group.parts]))


@dataclass(frozen=True)
class _Options:
    """What a caller says of columns, by their paths."""

    layout: str
    cases: dict[str, Sequence[str]]
    utc: set[str]
    times: set[str]
    decimals: dict[str, tuple[int, int]]

    def names(self) -> set[str]:
        return {*self.cases, *self.utc, *self.times, *self.decimals}


class _Reader:
    """Makes columns of arrays."""

    def __init__(self, options: _Options) -> None:
        self.options = options
        self.used: set[str] = set()

    def column(self, path: str, name: str, values: Any) -> _Column:
        if not isinstance(name, str) or not name:
            raise ValueError(f"the name of a column must be a str that is not empty, but is {name!r}")
        array, missing = _present(path, values)
        if array.ndim < 1:
            raise ValueError(f"column {path} must be an array with an element for each row, but is a single value")
        if missing is None:
            return self.required(path, name, array)
        places = np.flatnonzero(~missing)
        if missing.ndim > 1:
            return self.elements(name, array.shape, self.option(path, "get", array.reshape(-1)[places], places, missing.size))
        return self.option(path, name, array[places], places, len(missing))

    def option(self, path: str, name: str, present: np.ndarray, places: np.ndarray, rows: int) -> _Group:
        """An Option, whose value is present at some places."""
        if not len(present) and present.dtype == object:
            raise TypeError(f"column {path} must have a value, or its type is not known: make a masked array of a NumPy type")
        defined = np.zeros(rows, bool)
        defined[places] = True
        value = _spread(self.required(path, "get", present), places, rows, False)
        return _Group(name, "Option", (_Leaf("isDefined", PRIMITIVES[0], None, defined), value))

    def required(self, path: str, name: str, array: np.ndarray) -> _Column:
        if array.dtype == object:
            return self.elements(name, array.shape, self.objects(path, name, array.reshape(-1)))
        if array.dtype.names is not None:
            flat = array.reshape(-1)
            parts = [self.column(f"{path}.{part}", part, flat[part]) for part in array.dtype.names]
            return self.elements(name, array.shape, _Group(name, _type_name(name), tuple(parts)))
        kind = array.dtype.kind
        if path in self.options.cases:
            self.used.add(path)
            return _leaf(name, *_numbers(path, array, tuple(self.options.cases[path])), None)
        if kind in "US":
            return _leaf(name, *_texts(path, array), None)
        if kind in "Mm":
            return _leaf(name, *self.times(path, array))
        code = _TYPES.get(array.dtype.str.lstrip("<>|=").replace("b1", "?"))
        if code is None:
            raise TypeError(f"column {path} must be of {WRITABLE}, but is of {array.dtype}: cast it")
        return _leaf(name, PRIMITIVES[code - 1], array, None)

    def elements(self, name: str, shape: tuple[int, ...], column: _Column) -> _Column:
        """A column of one value in each row, or the elements of arrays of this shape."""
        if len(shape) == 1:
            return column
        if isinstance(column, _Leaf):
            return _leaf(name, column.type, column.data.reshape(*shape, *column.data.shape[1:]), column.logical)
        placed = _Placement(self.options.layout != "packed")
        alignment = _alignment(column)
        fields = placed.parts(column)
        placed.align(alignment)
        rows = int(np.prod(shape))
        of = Struct(column.type_name, placed.end, fields)
        data = placed.rows(0, rows, placed.end).view(f"V{placed.end}").reshape(shape)
        return _Leaf(name, _arrays(shape[1:], of), column.logical if isinstance(column, _Group) else None, data)

    def objects(self, path: str, name: str, array: np.ndarray) -> _Column:
        """A column of Python's objects, of which none is None."""
        values = array.tolist()
        kinds = {type(value) for value in values}
        if kinds == {Decimal}:
            return self.decimals(path, name, values)
        if kinds == {UUID}:
            return _pair(name, [value.int for value in values], LogicalType("uuid"))
        if kinds == {dict}:
            return self.dicts(path, name, values)
        if kinds == {Case}:
            return self.enum(path, name, values)
        if kinds == {Some}:
            return self.column(path, name, _objects([value.value for value in values]))
        if kinds == {time}:
            micros = [((t.hour * 60 + t.minute) * 60 + t.second) * 1_000_000 + t.microsecond for t in values]
            return _leaf(name, PRIMITIVES[5], np.array(micros, "i8"), LogicalType("time", "us"))
        if kinds <= {date} or kinds <= {timedelta}:
            return self.required(path, name, np.array(values, "M8[D]" if kinds == {date} else "m8[us]"))
        if kinds == {datetime}:
            return self.moments(path, name, values)
        if kinds <= {list, tuple, np.ndarray}:
            return self.column(path, name, _stacked(path, values))
        plain = _same(path, values)
        if plain.dtype == object or plain.ndim != 1:
            shown = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise TypeError(f"column {path} must have values of one type of {WRITABLE}, but has {shown}")
        return self.required(path, name, plain)

    def dicts(self, path: str, name: str, values: list[dict[Any, Any]]) -> _Group:
        names = list(values[0])
        for value in values:
            if list(value) != names:
                raise ValueError(f"column {path} must have dicts with the keys {names}, but has one with {list(value)}")
        if not names:
            raise ValueError(f"column {path} must have dicts with a key at least")
        parts = [self.column(f"{path}.{part}", part, _objects([value[part] for value in values])) for part in names]
        return _Group(name, _type_name(name), tuple(parts))

    def enum(self, path: str, name: str, values: list[Case]) -> _Cases:
        if path not in self.options.cases:
            raise ValueError(f"column {path} has Cases: cases must name all cases of the enum, in their order")
        self.used.add(path)
        cases = tuple(self.options.cases[path])
        of, numbers = _numbers(path, np.array([value.case for value in values]), cases)
        members = []
        for number, case in enumerate(cases):
            places = np.flatnonzero(numbers == number)
            fields = [values[place].fields for place in places]
            parts = self.dicts(f"{path}.{case}", case, fields).parts if fields and fields[0] else ()
            if any(field and not parts for field in fields):
                raise ValueError(f"column {path} must have the same fields in each Case {case}")
            members.append(_group(_Group(case, _type_name(case), parts), places, len(values), True))
        tag = _leaf("tag", of, numbers, None)
        return _Cases(name, _type_name(name), tag, tuple(members))

    def decimals(self, path: str, name: str, values: list[Decimal]) -> _Column:
        numbers, places = [], []
        for value in values:
            sign, digits, exponent = value.as_tuple()
            if not isinstance(exponent, int):
                raise ValueError(f"column {path} must have decimals that are finite, but has {value}")
            number = int("".join(map(str, digits)))
            while number and number % 10 == 0 and exponent < 0:
                number, exponent = number // 10, exponent + 1
            numbers.append(-number if sign else number)
            places.append(exponent if number else 0)
        scale = max([0, *(-place for place in places)])
        if path in self.options.decimals:
            self.used.add(path)
            precision, wanted = self.options.decimals[path]
            if not 1 <= precision <= 38 or not 0 <= wanted <= precision:
                raise ValueError(
                    f"decimals of {path} must be from 1 to 38 digits, and as many after the point at most, but are"
                    f" {precision}, {wanted}"
                )
            if scale > wanted:
                raise ValueError(f"column {path} must have at most {wanted} digits after the point, but has {scale}")
            scale = wanted
        whole = [number * 10 ** (place + scale) for number, place in zip(numbers, places)]
        digits_ = max(len(str(abs(number))) for number in whole)
        if path not in self.options.decimals:
            precision = 18 if digits_ <= 18 and scale <= 18 else 38
        if digits_ > precision or scale > precision:
            raise ValueError(f"column {path} must have decimals of at most {precision} digits, but has {max(digits_, scale)}")
        logical = LogicalType("decimal", precision=precision, scale=scale)
        if precision <= 18:
            return _leaf(name, PRIMITIVES[5], np.array(whole, "i8"), logical)
        return _pair(name, whole, logical)

    def moments(self, path: str, name: str, values: list[datetime]) -> _Column:
        zones = {value.tzinfo is not None for value in values}
        if len(zones) > 1:
            raise ValueError(f"column {path} must have datetimes with a time zone, or without, but has both")
        if not zones.pop():
            return self.required(path, name, np.array(values, "M8[us]"))
        self.used.update({path} & self.options.utc)
        utc = np.array([value.astimezone(timezone.utc).replace(tzinfo=None) for value in values], "M8[us]")
        return _leaf(name, PRIMITIVES[5], utc.view("i8"), LogicalType("timestamp", "us", True))

    def times(self, path: str, array: np.ndarray) -> tuple[Type, np.ndarray, LogicalType]:
        unit, step = np.datetime_data(array.dtype)
        numbers = array.view(array.dtype.str.replace(array.dtype.kind, "i", 1).split("[")[0])
        if step == 1 and unit in UNITS:
            if array.dtype.kind == "m":
                self.used.update({path} & self.options.times)
                return PRIMITIVES[5], numbers, LogicalType("time" if path in self.options.times else "duration", unit)
            is_utc = path in self.options.utc
            self.used.update({path} if is_utc else ())
            return PRIMITIVES[5], numbers, LogicalType("timestamp", unit, is_utc)
        if step == 1 and unit == "D" and array.dtype.kind == "M":
            if numbers.size and not -(1 << 31) <= numbers.min() <= numbers.max() < 1 << 31:
                raise ValueError(f"column {path} must have dates of at most {(1 << 31) - 1} days from 1970, but has more")
            return PRIMITIVES[4], numbers.astype("<i4"), LogicalType("date")
        raise TypeError(
            f"column {path} must have the unit {', '.join(UNITS)}, or D of a datetime64, but is of {array.dtype}: cast it"
        )


def _objects(values: list[Any]) -> np.ndarray:
    """An array of these values, whatever they are."""
    array = np.empty(len(values), object)
    array[:] = np.fromiter(values, object, len(values))
    return array


def _same(path: str, values: Any) -> np.ndarray:
    """The array of values, unless NumPy would make texts of other values."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise TypeError(f"column {path} must have lists of equal lengths, but has others") from None
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        flat = np.asarray(values, object).reshape(-1).tolist()
        if not all(isinstance(value, (str, bytes)) for value in flat) or len({isinstance(v, str) for v in flat}) > 1:
            raise TypeError(f"column {path} must have values of one type of {WRITABLE}, but has texts among others")
    return array


def _stacked(path: str, values: list[Any]) -> np.ndarray:
    """Lists of equal lengths as an array with one more dimension."""
    length = len(values[0])
    for value in values:
        if len(value) != length:
            raise TypeError(f"column {path} must have lists of equal lengths, but has one of {length} and one of {len(value)}")
    if not length:
        raise TypeError(f"column {path} must have lists of one element at least")
    if any(isinstance(item, (dict, Case, Some)) or item is None for value in values for item in value):
        array = np.empty((len(values), length), object)
        for place, value in enumerate(values):
            array[place, :] = _objects(list(value))
        return array
    return _same(path, values)


def _pair(name: str, numbers: list[int], logical: LogicalType) -> _Group:
    """Numbers of 128 bits as two Longs."""
    mask = (1 << 64) - 1
    halves = [
        _Leaf(half, PRIMITIVES[5], None, np.array([number >> shift & mask for number in numbers], np.uint64).view("<i8"))
        for half, shift in (("high", 64), ("low", 0))
    ]
    return _Group(name, "Bits128", tuple(halves), logical)


def _present(path: str, values: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """The values, and which of them are missing, if any are: masked, None or NaT."""
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        if mask.dtype.names is not None:
            raise TypeError(f"column {path} masks fields of a struct: write its fields as columns")
        if mask.ndim > 1 and (mask.reshape(len(mask), -1).all(axis=1) == mask.reshape(len(mask), -1).any(axis=1)).all():
            mask = mask.reshape(len(mask), -1).any(axis=1)
        return np.asarray(values.data), mask
    if isinstance(values, (list, tuple)) and any(isinstance(value, (list, tuple, dict, Case, Some)) for value in values):
        are_lists = all(isinstance(value, (list, tuple)) for value in values)
        values = _stacked(path, list(values)) if are_lists else _objects(list(values))
    array = _same(path, values)
    if array.dtype.kind == "M" or array.dtype.kind == "m":
        mask = np.isnat(array)
        return array, mask if mask.any() else None
    if array.dtype != object:
        return array, None
    mask = np.array([value is None for value in array.reshape(-1).tolist()], bool).reshape(array.shape)
    return array, mask if mask.any() else None


def _type_name(name: str) -> str:
    """The name of a struct's type, which must not be that of an Option."""
    capital = name[0].upper() + name[1:]
    return "OptionStruct" if capital == "Option" else capital


def _arrays(dims: tuple[int, ...], of: Type) -> Type:
    for count in reversed(dims):
        of = Array(count, of)
    return of


def _leaf(name: str, of: Type, array: np.ndarray, logical: LogicalType | None) -> _Leaf:
    type_ = _arrays(array.shape[1:], of)
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
    """Assigns offsets in the order of the values: aligned as in C, or without padding. The cases of an
    enum share their bytes, except in columns.
    """

    def __init__(self, is_aligned: bool, are_apart: bool = False) -> None:
        self.is_aligned, self.are_apart, self.end = is_aligned, are_apart, 0
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
        fields = self.parts(column)
        self.align(alignment)
        return Record(column.name, column.type_name, fields, column.logical if isinstance(column, _Group) else None)

    def parts(self, column: _Column) -> tuple[Field, ...]:
        """The fields of a group, or the tag and the union of an enum."""
        if not isinstance(column, _Cases):
            return tuple([self.field(part) for part in _parts(column)])
        tag = self.field(column.tag)
        self.align(max([1, *map(_alignment, column.cases)]))
        start = end = self.end
        members = []
        for case in column.cases:
            self.end = end if self.are_apart else start
            members.append(self.field(case))
            end = max(end, self.end)
        self.end = end
        return (tag, Union("", "", tuple(members)))

    def rows(self, start: int, stop: int, stride: int) -> np.ndarray:
        """The bytes of rows."""
        block = np.zeros((stop - start, stride), np.uint8)
        for offset, leaf in self.leaves:
            size = leaf.type.size
            block[:, offset : offset + size] |= _bytes(leaf, start, stop).reshape(stop - start, size)
        return block.reshape(-1)


def _alignment(column: _Column) -> int:
    if not isinstance(column, _Leaf):
        return max([1, *map(_alignment, _parts(column))])
    return _type_alignment(column.type)


def _type_alignment(type_: Type) -> int:
    while isinstance(type_, Array):
        type_ = type_.of
    if isinstance(type_, Struct):
        return max(_type_alignment(value.type) for value in values_of(type_.fields))
    return 1 if isinstance(type_, Text) else type_.size


def _is_logical(field: Field) -> bool:
    if isinstance(field, Value):
        of = field.type
        while isinstance(of, Array):
            of = of.of
        return field.logical is not None or isinstance(of, Struct) and any(map(_is_logical, of.fields))
    return isinstance(field, Record) and field.logical is not None or any(map(_is_logical, children(field)))


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
    if isinstance(field, Union):
        return b"\2" + _text(field.name) + _text(field.type_name) + _fields(field.members)
    name, kind = _text(field.name), _text(field.type_name)
    if field.logical is not None:
        return b"\3" + name + _logical(field.logical) + kind + _fields(field.fields)
    return b"\1" + name + kind + _fields(field.fields)


def _logical(logical: LogicalType) -> bytes:
    code = bytes([{"date": 1, "time": 2, "timestamp": 3, "duration": 4, "decimal": 5, "uuid": 6}[logical.kind]])
    if logical.kind == "decimal":
        return code + bytes([logical.precision, logical.scale])
    unit = bytes([UNITS.index(logical.unit)]) if logical.unit else b""
    return code + unit + (bytes([logical.is_utc]) if logical.kind == "timestamp" else b"")


def _type(type_: Type, logical: LogicalType | None) -> bytes:
    """A type; the elements of an array have the logical type."""
    if isinstance(type_, Array):
        return b"\x0a" + _u32(type_.count) + _type(type_.of, logical)
    if logical is not None:
        return b"\x0e" + _logical(logical) + _type(type_, None)
    if isinstance(type_, Struct):
        return b"\x0d" + _text(type_.name) + _u32(type_.size) + _fields(type_.fields)
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
    return isinstance(leaf.type, (Primitive, Enum)) and not leaf.is_shared


class _Writer:
    def __init__(self, schema: bytes, layout: str, version: int, placed: _Placement, rows: int) -> None:
        self.schema, self.layout, self.version, self.rows = schema, LAYOUTS.index(layout), version, rows
        self.placed, self.leaves, self.stride = placed, placed.leaves, placed.end
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
        return [(self.data_offset + start * self.stride, self.placed.rows(start, stop, self.stride))]

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
    times: Collection[str] = (),
    decimals: Mapping[str, tuple[int, int]] | None = None,
    overwrite: bool = False,
) -> None:
    """Writes a new, sealed struct file: arrays of equal length by their names, or a structured array.

    NumPy's types become those that `open` reads as them: bool, int8, int16, int32, int64, float32,
    float64, and uint16 as Char. Texts, str or bytes, are as long as the longest one. datetime64[D] is
    a date, another datetime64 a timestamp without a time zone, or in UTC if its column is in `utc`;
    timedelta64 is a duration, or a time of day if its column is in `times`. Further dimensions are an
    array, a structured dtype a struct. A column of which values are masked, None or NaT is an Option, and
    one of single elements an array of Options. `cases` names the cases of enum columns, in their order;
    the values are names or numbers of cases. A field of a struct is named `point.x`.

    Lists of Python's objects are written as `decode` returns them: Decimal, UUID, date, time, datetime
    (UTC if it has a time zone) and timedelta in microseconds, dict as a struct, Case as a case of an enum
    with fields, Some, and lists of equal lengths. A Decimal has 18 digits in a Long, or 38 in two, and
    the most digits after the point that a value has, unless `decimals` has both numbers for its column.

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
    options = _Options(layout, dict(cases or {}), set(utc), set(times), dict(decimals or {}))
    reader = _Reader(options)
    parts = [reader.column(part, part, values) for part, values in named.items()]
    unused = options.names() - reader.used
    if unused:
        raise ValueError(
            "cases, utc, times and decimals must name columns of enums, timestamps, timedelta64 and Decimals, but name "
            + ", ".join(sorted(unused))
        )
    placed = _Placement(layout == "rows", layout == "columns")
    fields = [placed.field(part) for part in parts]
    placed.align(max(map(_alignment, parts)))
    lengths = {leaf.name: len(leaf.data) for _, leaf in placed.leaves}
    if len({len(leaf.data) for _, leaf in placed.leaves}) > 1:
        raise ValueError(f"the columns must have equal lengths, but have {lengths}")
    schema = _text(name) + _fields(fields)
    version = LOGICAL_VERSION if any(map(_is_logical, fields)) else PLAIN_VERSION
    writer = _Writer(schema, layout, version, placed, len(placed.leaves[0][1].data))
    _publish(os.fspath(path), overwrite, writer.write)
