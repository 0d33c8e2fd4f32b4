# SPDX-License-Identifier: Apache-2.0
"""Conversions to Arrow, pandas and Polars."""

from __future__ import annotations

import importlib
from math import prod
from typing import Any

import numpy as np

from ._decode import Source, case_name, codes, decode, halves, is_defined, pack_texts, plain, stored, texts
from ._logical import bytes_of, is_converted, is_time, times
from ._nodes import Group, Hierarchy, Leaf, Node, Optional, parts
from .errors import LayoutError
from .schema import Enum, LogicalType, Primitive, Text

BLOCK_BYTES = 1 << 19
"""Bytes of texts that are converted at a time: they stay in a processor's cache."""
MAX_STRING_BYTES = (1 << 31) - 1
"""The most bytes of an Arrow array of strings."""


def module(name: str, caller: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{caller} needs {name}, which is not installed: pip install 'undercroft[{extra}]'", name=name
        ) from error


def _top(row: Node) -> tuple[Node, ...]:
    """The columns of a table: the fields of a row, or one column for a row that is an enum."""
    return row.nodes if isinstance(row, Group) else (row,)


def _native(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _is_boolean(leaf: Leaf) -> bool:
    type_ = plain(leaf.element)
    return isinstance(type_, Primitive) and type_.name == "Boolean"


def _flags(leaf: Leaf, source: Source) -> np.ndarray:
    flags: np.ndarray = source.view(leaf, np.dtype("u1")) != 0
    return flags


# Arrow


class _Arrow:
    def __init__(self, pyarrow: Any, has_extensions: bool) -> None:
        self.pa = pyarrow
        self.has_extensions = has_extensions and hasattr(pyarrow, "uuid")

    def array(self, node: Node, source: Source, valid: np.ndarray | None) -> Any:
        """The Arrow array of a node; null where `valid` is false."""
        if isinstance(node, Leaf):
            return self._leaf(node, source, valid)
        if isinstance(node, Optional):
            flags = is_defined(node, source)
            defined = flags if valid is None else flags & valid
            inner = self.array(node.value, source, defined)
            if not isinstance(node.value, Optional):
                return inner
            return self._struct([("get", inner)], defined, source)
        if isinstance(node, Hierarchy):
            return self._hierarchy(node, source, valid)
        if node.logical is not None:
            nulls = None if valid is None else ~valid
            return self._wide(bytes_of(*halves(node, source), node.logical), node.logical, nulls)
        return self._struct([(part.name, self.array(part, source, valid)) for part in node.nodes], valid, source)

    def _struct(self, fields: list[tuple[str, Any]], valid: np.ndarray | None, source: Source) -> Any:
        pa = self.pa
        if not fields:
            present = [True] * source.count if valid is None else valid.tolist()
            return pa.array([{} if here else None for here in present], pa.struct([]))
        types = [pa.field(name, array.type) for name, array in fields]
        nulls = None if valid is None else pa.array(~valid)
        return pa.StructArray.from_arrays([array for _, array in fields], fields=types, mask=nulls)

    def _hierarchy(self, node: Hierarchy, source: Source, valid: np.ndarray | None) -> Any:
        tags = codes(node.tag, source, None, valid)
        fields = [("tag", self._leaf(node.tag, source, valid))]
        for number, case in enumerate(node.cases):
            if case.nodes:
                here = tags == number
                fields.append((case.name, self.array(case, source, here if valid is None else here & valid)))
        return self._struct(fields, valid, source)

    def _leaf(self, leaf: Leaf, source: Source, valid: np.ndarray | None) -> Any:
        pa = self.pa
        inside = valid if valid is None else np.repeat(valid, prod(leaf.dims))
        if leaf.inner is not None:
            array = self.array(leaf.inner, source.inner(leaf, None), inside)
        else:
            array = self._elements(leaf, source, valid, inside)
        for i, size in reversed(list(enumerate(leaf.dims))):
            mask = None if valid is None else pa.array(~np.repeat(valid, prod(leaf.dims[:i])))
            array = pa.FixedSizeListArray.from_arrays(array, size, mask=mask)
        return array

    def _elements(self, leaf: Leaf, source: Source, valid: np.ndarray | None, inside: np.ndarray | None) -> Any:
        pa, type_ = self.pa, plain(leaf.element)
        nulls = None if inside is None else ~inside
        if leaf.logical is not None and is_converted(leaf.logical):
            return self._logical(_native(stored(leaf, source)).reshape(-1), leaf.logical, nulls)
        if isinstance(type_, Enum):
            numbers = codes(leaf, source, None, valid).reshape(-1)
            if not type_.cases or leaf.is_shared:
                return pa.array(_native(numbers), mask=nulls)
            signed = next(b for b in (1, 2, 4, 8) if b >= type_.size and len(type_.cases) <= 1 << 8 * b - 1)
            indices = pa.array(numbers.astype(f"i{signed}"), mask=nulls)
            return pa.DictionaryArray.from_arrays(indices, pa.array(type_.cases, pa.string()))
        if isinstance(type_, Text):
            return self._texts(source.view(leaf).reshape(-1), inside)
        array = _flags(leaf, source) if _is_boolean(leaf) else _native(source.view(leaf))
        return pa.array(array.reshape(-1), mask=nulls)

    def _texts(self, array: np.ndarray, defined: np.ndarray | None) -> Any:
        """The strings of bytes of one dimension; in chunks if they exceed an array."""
        pa = self.pa
        groups: list[list[Any]] = [[]]
        room, rows = MAX_STRING_BYTES, max(1, BLOCK_BYTES // array.dtype.itemsize)
        for start in range(0, len(array), rows):
            here = None if defined is None else defined[start : start + rows]
            strings = self._strings(array[start : start + rows], here)
            size = strings.buffers()[2].size
            if size > room:
                groups.append([])
                room = MAX_STRING_BYTES
            groups[-1].append(strings)
            room -= size
        arrays = [pa.concat_arrays(group) for group in groups if group]
        if not arrays:
            return pa.array([], pa.string())
        return arrays[0] if len(arrays) == 1 else pa.chunked_array(arrays)

    def _strings(self, array: np.ndarray, defined: np.ndarray | None) -> Any:
        pa = self.pa
        content, lengths = pack_texts(array, defined)
        offsets = np.zeros(len(lengths) + 1, np.int32)
        np.cumsum(lengths, out=offsets[1:])
        validity = None if defined is None else pa.array(defined).buffers()[1]
        strings = pa.StringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(content), validity)
        if content.size and content.max() >= 0x80:
            try:
                strings.validate(full=True)
            except pa.ArrowInvalid:
                return pa.array(texts(array), pa.string(), mask=None if defined is None else ~defined)
        return strings

    def _logical(self, numbers: np.ndarray, logical: LogicalType, nulls: np.ndarray | None) -> Any:
        pa, unit = self.pa, logical.unit
        if logical.kind == "decimal":
            return self._wide(bytes_of(numbers >> 63, numbers, logical), logical, nulls)
        array = pa.array(numbers, mask=nulls)
        if logical.kind == "date":
            return array.view(pa.date32())
        if logical.kind == "timestamp":
            return array.view(pa.timestamp(unit, "UTC" if logical.is_utc else None))
        if logical.kind == "duration":
            return array.view(pa.duration(unit))
        if unit in ("s", "ms"):
            return array.cast(pa.int32()).view(pa.time32(unit))
        return array.view(pa.time64(unit))

    def _wide(self, content: np.ndarray, logical: LogicalType, nulls: np.ndarray | None) -> Any:
        """An array of values of 16 bytes."""
        pa = self.pa
        is_uuid = logical.kind == "uuid"
        type_ = pa.binary(16) if is_uuid else pa.decimal128(logical.precision, logical.scale)
        validity = None if nulls is None else pa.array(~nulls).buffers()[1]
        buffers = [validity, pa.py_buffer(np.ascontiguousarray(content))]
        array = pa.Array.from_buffers(type_, len(content), buffers)
        return pa.ExtensionArray.from_storage(pa.uuid(), array) if is_uuid and self.has_extensions else array


def to_arrow(row: Node, source: Source, has_extensions: bool = True) -> Any:
    pa = module("pyarrow", "to_arrow", "arrow")
    arrow = _Arrow(pa, has_extensions)
    nodes = _top(row)
    names = [node.name or "value" for node in nodes]
    return pa.table([arrow.array(node, source, None) for node in nodes], names=names)


def to_polars(row: Node, source: Source) -> Any:
    polars = module("polars", "to_polars", "polars")
    module("pyarrow", "to_polars", "polars")
    return polars.from_arrow(to_arrow(row, source, has_extensions=False))


# pandas


def to_pandas(row: Node, source: Source) -> Any:
    pandas = module("pandas", "to_pandas", "pandas")
    columns: dict[str, Any] = {}
    for node in _top(row):
        _columns(pandas, node, source, columns)
    return pandas.DataFrame(columns, index=pandas.RangeIndex(source.count))


def _columns(pandas: Any, node: Node, source: Source, columns: dict[str, Any]) -> None:
    if isinstance(node, Group) and node.nodes and node.logical is None:
        for part in node.nodes:
            _columns(pandas, part, source, columns)
    else:
        name = node.path or "value"
        if name in columns:
            raise LayoutError(
                source.path, None, f"several columns are {name!r}, as a name contains a dot: use to_arrow"
            )
        columns[name] = _series(pandas, node, source)


def _series(pandas: Any, node: Node, source: Source) -> Any:
    defined = None
    leaf: Node = node
    if isinstance(node, Optional) and isinstance(node.value, Leaf):
        defined, leaf = is_defined(node, source), node.value
    if isinstance(leaf, Leaf) and not leaf.dims and leaf.inner is None:
        if leaf.logical is not None and is_time(leaf.logical):
            return _times(pandas, stored(leaf, source), leaf.logical, defined)
        if is_converted(leaf.logical):
            return pandas.Series(decode(node, source), dtype=object)
        type_ = plain(leaf.element)
        if isinstance(type_, Enum):
            if type_.cases and len(set(type_.cases)) == len(type_.cases) and not leaf.is_shared:
                numbers = codes(leaf, source, None, defined).astype("i8")
                if defined is not None:
                    numbers = np.where(defined, numbers, -1)
                return pandas.Categorical.from_codes(numbers, list(type_.cases))
        elif isinstance(type_, Primitive) and type_.name != "Char":
            values = _flags(leaf, source) if _is_boolean(leaf) else _native(source.view(leaf))
            if defined is None:
                return values.copy()
            return _nullable(pandas, values, defined)
        if isinstance(type_, Text) and (source.count if defined is None else defined.any()):
            dtype = pandas.Series([""]).dtype  # objects before pandas 3
            if getattr(dtype, "storage", None) == "pyarrow":
                pa = module("pyarrow", "to_pandas", "arrow")
                return pandas.Series(dtype.__from_arrow__(_Arrow(pa, False).array(leaf, source, defined)))
        if isinstance(type_, (Text, Primitive)):
            is_object = source.count == 0 or isinstance(type_, Primitive) and _has_surrogate(source.view(leaf))
            return pandas.Series(decode(node, source), dtype=object if is_object else None)
    return pandas.Series(decode(node, source), dtype=object)


def _times(pandas: Any, numbers: np.ndarray, logical: LogicalType, defined: np.ndarray | None) -> Any:
    values = times(numbers, logical)
    if logical.kind == "date":
        values = values.astype("M8[s]")  # the coarsest unit of pandas
    if defined is not None:
        values[~defined] = "NaT"
    series = pandas.Series(values)
    return series.dt.tz_localize("UTC") if logical.is_utc else series


def _has_surrogate(units: np.ndarray) -> bool:
    """Whether one of some UTF-16 units is half of a pair, which pandas' strings cannot hold."""
    return bool(((units & 0xF800) == 0xD800).any())


def _nullable(pandas: Any, values: np.ndarray, defined: np.ndarray) -> Any:
    kinds = {"b": "BooleanArray", "f": "FloatingArray"}
    array = getattr(pandas.arrays, kinds.get(values.dtype.kind, "IntegerArray"))
    return array(values.copy(), ~defined)
