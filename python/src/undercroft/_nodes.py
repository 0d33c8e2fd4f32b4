# SPDX-License-Identifier: Apache-2.0
"""Fields as a program sees them: Options, sealed hierarchies, groups and values, with their paths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterable, Iterator, Literal, Union as Either

import numpy as np

from ._logical import is_converted, is_time
from .schema import (
    Array,
    BigEndian,
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
)

MAX_DIMENSIONS = 30
"""The most dimensions of an array in a table: NumPy has at least 32, one of them for the rows."""

_CODES = {1: "?", 2: "i1", 3: "i2", 4: "u2", 5: "i4", 6: "i8", 7: "f4", 8: "f8"}


class UnsupportedField(Exception):
    """A field that the format allows and NumPy cannot represent."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """A value. `dims` are the dimensions of an array, outermost first; `element` is the type of one
    element. `inner` is the content of a struct in one place.
    """

    name: str
    path: str
    offset: int
    type: Type
    dims: tuple[int, ...]
    element: Type
    inner: Node | None
    is_shared: bool
    logical: LogicalType | None = None


@dataclass(frozen=True, eq=False)
class Group:
    name: str
    path: str
    type_name: str
    nodes: tuple[Node, ...]
    logical: LogicalType | None = None
    """The meaning of two Longs as one value."""


@dataclass(frozen=True, eq=False)
class Optional:
    name: str
    path: str
    defined: Leaf
    value: Node


@dataclass(frozen=True, eq=False)
class Hierarchy:
    name: str
    path: str
    tag: Leaf
    cases: tuple[Group, ...]
    is_shared: bool


Node = Either[Leaf, Group, Optional, Hierarchy]


def parts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Group):
        return node.nodes
    if isinstance(node, Optional):
        return (node.defined, node.value)
    if isinstance(node, Hierarchy):
        return (node.tag, *node.cases)
    return ()


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from walk(parts(node))


def row_node(name: str, fields: tuple[Field, ...]) -> Node:
    """The node of a whole row: a group, or a hierarchy if the row is an enum with fields."""
    return _record("", "", name, fields, False)


def _unique(name: str, used: set[str]) -> str:
    candidate, number = name or "value", 2
    while candidate in used:
        candidate, number = f"{name or 'value'}_{number}", number + 1
    used.add(candidate)
    return candidate


def _lent(fields: tuple[Field, ...], is_shared: bool) -> Iterator[tuple[Field, bool]]:
    """The fields, and instead of each field without a name its parts."""
    for field in fields:
        if isinstance(field, Record) and not field.name:
            yield from _lent(field.fields, is_shared)
        elif isinstance(field, Union) and not field.name:
            yield from _lent(field.members, True)
        else:
            yield field, is_shared


def _record(name: str, path: str, type_name: str, fields: tuple[Field, ...], is_shared: bool) -> Node:
    prefix = f"{path}." if path else ""
    first, second = fields if len(fields) == 2 else (None, None)
    if isinstance(first, Value) and second is not None:
        if type_name == "Option" and first.name == "isDefined" and first.type.size == 1:
            defined = _leaf(first, "isDefined", prefix + "isDefined", is_shared)
            return Optional(name, path, defined, _node(second, "get", prefix + "get", is_shared))
        if isinstance(second, Union) and not second.name and _is_tag(first, second):
            tag = _leaf(first, "tag", prefix + "tag", is_shared)
            used = {"tag"}
            cases = []
            for case in second.members:
                assert isinstance(case, Record)
                unique = _unique(case.name, used)
                cases.append(_group(unique, prefix + unique, case.type_name, case.fields, is_shared))
            return Hierarchy(name, path, tag, tuple(cases), is_shared)
    return _group(name, path, type_name, fields, is_shared)


def _is_tag(value: Value, union: Union) -> bool:
    names = tuple(member.name for member in union.members)
    return (
        isinstance(value.type, Enum)
        and value.type.cases == names
        and all(isinstance(member, Record) for member in union.members)
    )


def _group(name: str, path: str, type_name: str, fields: tuple[Field, ...], is_shared: bool) -> Group:
    prefix = f"{path}." if path else ""
    used: set[str] = set()
    nodes = []
    for field, inside in _lent(fields, is_shared):
        unique = _unique(field.name, used)
        nodes.append(_node(field, unique, prefix + unique, inside))
    return Group(name, path, type_name, tuple(nodes))


def _node(field: Field, name: str, path: str, is_shared: bool) -> Node:
    if isinstance(field, Value):
        return _leaf(field, name, path, is_shared)
    if isinstance(field, Record):
        return _meant(_record(name, path, field.type_name, field.fields, is_shared), field.logical)
    return _group(name, path, field.type_name, field.members, True)


def _meant(node: Node, logical: LogicalType | None) -> Node:
    """A group of two Longs, with the meaning that they have together."""
    return replace(node, logical=logical) if isinstance(node, Group) and is_converted(logical) else node


def _leaf(value: Value, name: str, path: str, is_shared: bool) -> Leaf:
    dims = []
    element = value.type
    while isinstance(element, Array):
        dims.append(element.count)
        element = element.of
    if len(dims) > MAX_DIMENSIONS:
        raise UnsupportedField(f"{path} has {len(dims)} dimensions: at most {MAX_DIMENSIONS} can be read")
    inner = None
    if isinstance(element, Struct):
        inner = _meant(_record("", "", element.name, element.fields, is_shared), value.logical)
    return Leaf(name, path, value.offset, value.type, tuple(dims), element, inner, is_shared, value.logical)


def element_dtype(leaf: Leaf, byte_order: str) -> np.dtype:
    """The dtype of one element of a value; bytes for text, unsigned numbers for enums. Dates, which
    have four bytes, are their numbers of days.
    """
    dtype = stored_dtype(leaf, byte_order)
    if leaf.logical is not None and is_time(leaf.logical) and leaf.logical.unit:
        kind = "M8" if leaf.logical.kind == "timestamp" else "m8"
        return np.dtype(f"{kind}[{leaf.logical.unit}]").newbyteorder(dtype.byteorder)  # type: ignore[arg-type]
    return dtype


def stored_dtype(leaf: Leaf, byte_order: str) -> np.dtype:
    """The dtype of one element without its logical type."""
    if leaf.inner is not None:
        return _structured(leaf.inner, byte_order, 0, leaf.element.size)
    return _scalar(leaf.element, "<" if byte_order == "little" else ">")


def _scalar(type_: Type, order: Literal["<", ">"]) -> np.dtype:
    if isinstance(type_, BigEndian):
        return _scalar(type_.of, ">")
    if isinstance(type_, Primitive):
        return np.dtype(_CODES[type_.code]).newbyteorder(order)
    if isinstance(type_, Enum):
        return np.dtype(f"u{type_.size}").newbyteorder(order)
    assert isinstance(type_, Text)
    return np.dtype(f"S{type_.size}")


def span(node: Node) -> tuple[int, int]:
    """The offsets `[from, until)` of all values of a node; `(0, 0)` if there are none."""
    leaves = [part for part in walk([node]) if isinstance(part, Leaf)]
    if not leaves:
        return 0, 0
    return min(leaf.offset for leaf in leaves), max(leaf.offset + leaf.type.size for leaf in leaves)


def structured(node: Node, byte_order: str, start: int, size: int) -> np.dtype:
    """The structured dtype of a node in rows, which begins at the offset `start`."""
    try:
        return _structured(node, byte_order, start, size)
    except (ValueError, TypeError, OverflowError) as error:
        raise UnsupportedField(f"NumPy has no dtype for it: {error}") from None


def _structured(node: Node, byte_order: str, start: int, size: int) -> np.dtype:
    names, formats, offsets = [], [], []
    for part in parts(node):
        begin, end = span(part)
        if begin == end:
            continue
        names.append(part.name)
        offsets.append(begin - start)
        if isinstance(part, Leaf):
            dtype = element_dtype(part, byte_order)
            formats.append(np.dtype((dtype, part.dims)) if part.dims else dtype)
        else:
            formats.append(_structured(part, byte_order, begin, end - begin))
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})
