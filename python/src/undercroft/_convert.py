# SPDX-License-Identifier: Apache-2.0
"""Conversions to Arrow, pandas and Polars."""

from __future__ import annotations

import importlib
from math import prod
from typing import Any

import numpy as np

from ._decode import Source, case_name, codes, decode, is_defined, plain, text
from ._nodes import Group, Hierarchy, Leaf, Node, Optional, parts
from .schema import Enum, Primitive, Text


def _module(name: str, caller: str, extra: str) -> Any:
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
    def __init__(self, pyarrow: Any) -> None:
        self.pa = pyarrow

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
        if isinstance(type_, Enum):
            numbers = codes(leaf, source, None, valid).reshape(-1)
            if not type_.cases or leaf.is_shared:
                return pa.array(_native(numbers), mask=nulls)
            signed = next(b for b in (1, 2, 4, 8) if b >= type_.size and len(type_.cases) <= 1 << 8 * b - 1)
            indices = pa.array(numbers.astype(f"i{signed}"), mask=nulls)
            return pa.DictionaryArray.from_arrays(indices, pa.array(type_.cases, pa.string()))
        if isinstance(type_, Text):
            strings = [text(data) for data in source.view(leaf).reshape(-1).tolist()]
            return pa.array(strings, pa.string(), mask=nulls)
        array = _flags(leaf, source) if _is_boolean(leaf) else _native(source.view(leaf))
        return pa.array(array.reshape(-1), mask=nulls)


def to_arrow(row: Node, source: Source) -> Any:
    pa = _module("pyarrow", "to_arrow", "arrow")
    arrow = _Arrow(pa)
    nodes = _top(row)
    names = [node.name or "value" for node in nodes]
    return pa.table([arrow.array(node, source, None) for node in nodes], names=names)


def to_polars(row: Node, source: Source) -> Any:
    polars = _module("polars", "to_polars", "polars")
    _module("pyarrow", "to_polars", "polars")
    return polars.from_arrow(to_arrow(row, source))


# pandas


def to_pandas(row: Node, source: Source) -> Any:
    pandas = _module("pandas", "to_pandas", "pandas")
    columns: dict[str, Any] = {}
    for node in _top(row):
        _columns(pandas, node, source, columns)
    return pandas.DataFrame(columns, index=pandas.RangeIndex(source.count))


def _columns(pandas: Any, node: Node, source: Source, columns: dict[str, Any]) -> None:
    if isinstance(node, Group) and node.nodes:
        for part in node.nodes:
            _columns(pandas, part, source, columns)
    else:
        columns[node.path or "value"] = _series(pandas, node, source)


def _series(pandas: Any, node: Node, source: Source) -> Any:
    defined = None
    leaf: Node = node
    if isinstance(node, Optional) and isinstance(node.value, Leaf):
        defined, leaf = is_defined(node, source), node.value
    if isinstance(leaf, Leaf) and not leaf.dims and leaf.inner is None:
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
        if isinstance(type_, (Text, Primitive)):
            is_object = source.count == 0 or isinstance(type_, Primitive) and _has_surrogate(source.view(leaf))
            return pandas.Series(decode(node, source), dtype=object if is_object else None)
    return pandas.Series(decode(node, source), dtype=object)


def _has_surrogate(units: np.ndarray) -> bool:
    """Whether one of some UTF-16 units is half of a pair, which pandas' strings cannot hold."""
    return bool(((units & 0xF800) == 0xD800).any())


def _nullable(pandas: Any, values: np.ndarray, defined: np.ndarray) -> Any:
    kinds = {"b": "BooleanArray", "f": "FloatingArray"}
    array = getattr(pandas.arrays, kinds.get(values.dtype.kind, "IntegerArray"))
    return array(values.copy(), ~defined)
