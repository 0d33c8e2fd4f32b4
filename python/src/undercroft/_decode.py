# SPDX-License-Identifier: Apache-2.0
"""Values of fields: as NumPy views of the mapping, and decoded to Python objects."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ._logical import is_converted, objects, pairs
from ._nodes import Group, Hierarchy, Leaf, Node, Optional, element_dtype, span, stored_dtype, structured
from .errors import CorruptFileError
from .schema import BigEndian, Enum, Primitive, Text, Type


@dataclass(frozen=True)
class Case:
    """A value of an enum with fields or of a sealed hierarchy: the name of its case, and its fields.

    >>> Case("Traded", {"price": 3})["price"]
    3
    """

    case: str
    fields: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


@dataclass(frozen=True)
class Some:
    """A defined Option whose value is itself an Option: `Some(None)` differs from None."""

    value: Any


@dataclass(frozen=True)
class Source:
    """`count` consecutive rows in a buffer.

    `base` is the place of the first byte of the data, `first` the first row. `stride` is 0 in
    columns, whose places depend on the capacity. A source that is not the file itself has no path.
    """

    buffer: Any
    path: str
    byte_order: str
    base: int
    stride: int
    capacity: int
    first: int
    count: int
    is_file: bool = True

    def slice(self, start: int, stop: int) -> Source:
        return Source(
            self.buffer, self.path, self.byte_order, self.base, self.stride, self.capacity,
            self.first + start, stop - start, self.is_file,
        )  # fmt: skip

    def place(self, leaf: Leaf, row: int) -> int:
        if self.stride:
            return self.base + leaf.offset + (self.first + row) * self.stride
        return self.base + self.capacity * leaf.offset + (self.first + row) * leaf.type.size

    def view(self, leaf: Leaf, dtype: np.dtype | None = None) -> np.ndarray:
        """The values of a leaf without a copy, of shape `(count, *dims)`."""
        dtype = dtype or element_dtype(leaf, self.byte_order)
        return self._array(self.place(leaf, 0), self.stride or leaf.type.size, dtype, leaf.dims)

    def records(self, node: Node) -> np.ndarray:
        """A structured array of all values of a node, in rows only."""
        start, end = span(node)
        dtype = structured(node, self.byte_order, start, end - start)
        return self._array(self.base + self.first * self.stride + start, self.stride, dtype, ())

    def rows(self, node: Node) -> np.ndarray:
        """A structured array of whole rows."""
        dtype = structured(node, self.byte_order, 0, self.stride)
        return self._array(self.base + self.first * self.stride, self.stride, dtype, ())

    def _array(self, place: int, step: int, dtype: np.dtype, dims: tuple[int, ...]) -> np.ndarray:
        shape = (self.count, *dims)
        if self.count == 0:
            result = np.empty(shape, dtype)
            result.flags.writeable = False
            return result
        strides = [step]
        for i in range(len(dims)):
            strides.append(dtype.itemsize * prod(dims[i + 1 :]))
        return np.ndarray(shape, dtype, self.buffer, place, tuple(strides))

    def inner(self, leaf: Leaf, pick: np.ndarray | None) -> Source:
        """The structs of a leaf, a copy of them, one after the other."""
        size = leaf.element.size
        raw = self.view(leaf, np.dtype(("V", size)))
        flat = np.ascontiguousarray(raw if pick is None else raw[pick]).reshape(-1)
        count = flat.size
        return Source(flat.view(np.uint8), self.path, self.byte_order, 0, size, 0, 0, count, False)

    def fault(self, leaf: Leaf, row: int, reason: str) -> CorruptFileError:
        return CorruptFileError(self.path, self.place(leaf, row) if self.is_file else None, reason)


def plain(type_: Type) -> Type:
    """The type without its byte order."""
    return type_.of if isinstance(type_, BigEndian) else type_


def codes(leaf: Leaf, source: Source, pick: np.ndarray | None, mask: np.ndarray | None = None) -> np.ndarray:
    """The case numbers of an enum, checked to be below the count of its cases. Where `mask` is false
    they are 0.
    """
    numbers = source.view(leaf)
    numbers = numbers if pick is None else numbers[pick]
    if mask is not None:
        numbers = np.where(mask.reshape(-1, *[1] * (numbers.ndim - 1)), numbers, 0)
    type_ = plain(leaf.element)
    assert isinstance(type_, Enum)
    if type_.cases and numbers.size and not leaf.is_shared and int(numbers.max()) >= len(type_.cases):
        at = int(np.argmax(numbers.reshape(len(numbers), -1).max(axis=1)))
        row = at if pick is None else int(pick[at])
        raise source.fault(
            leaf,
            row,
            f"corrupt: the case number of {leaf.path or leaf.name} must be from 0 to "
            f"{len(type_.cases) - 1}, but is {int(numbers.max())}",
        )
    return numbers


def texts(array: np.ndarray) -> list[str]:
    """The texts of an array of bytes of one dimension. Invalid UTF-8 is replaced by U+FFFD."""
    fields = array.tolist()
    result = b"\0".join(fields).decode("utf-8", "replace").split("\0")
    if len(result) == len(fields):
        return result
    return [data.split(b"\0", 1)[0].decode("utf-8", "replace") for data in fields]  # bytes follow a zero


def pack_texts(array: np.ndarray, defined: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of texts, one after the other, and their lengths; those that are not `defined` are empty."""
    size = array.dtype.itemsize
    data = np.ascontiguousarray(array).view(np.uint8)
    kept = data != 0
    by_text = kept.reshape(-1, size)
    if defined is not None:
        by_text &= defined[:, np.newaxis]
    starts = kept[1:] > kept[:-1]
    if np.count_nonzero(starts) != np.count_nonzero(starts[size - 1 :: size]):  # bytes follow a zero
        np.logical_and.accumulate(by_text, axis=1, out=by_text)
    return data[kept], np.add.reduceat(kept, np.arange(0, kept.size, size), dtype=np.int32)


def decode(node: Node, source: Source, pick: np.ndarray | None = None) -> list[Any]:
    """The values of a node in the rows `pick`, or in all rows, as Python objects."""
    count = source.count if pick is None else len(pick)
    if isinstance(node, Leaf):
        return _leaf(node, source, pick)
    if isinstance(node, Optional):
        return _optional(node, source, pick, count)
    if isinstance(node, Hierarchy):
        return _hierarchy(node, source, pick, count)
    if node.logical is not None:
        return pairs(*halves(node, source, pick), node.logical)
    if not node.nodes:
        return [{} for _ in range(count)]
    names = [part.name for part in node.nodes]
    columns = [decode(part, source, pick) for part in node.nodes]
    return [dict(zip(names, values)) for values in zip(*columns)]


def halves(
    node: Group, source: Source, pick: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The upper and the lower Longs of values of 128 bits."""
    views = []
    for leaf in node.nodes:
        assert isinstance(leaf, Leaf)
        view = source.view(leaf)
        views.append(view if pick is None else view[pick])
    return views[0], views[1]


def stored(leaf: Leaf, source: Source) -> np.ndarray:
    """The stored numbers of a value with a logical type."""
    return source.view(leaf, stored_dtype(leaf, source.byte_order))


def is_defined(node: Optional, source: Source, pick: np.ndarray | None = None) -> np.ndarray:
    flags: np.ndarray = source.view(node.defined, np.dtype("u1")) != 0
    return flags if pick is None else flags[pick]


def _optional(node: Optional, source: Source, pick: np.ndarray | None, count: int) -> list[Any]:
    places = np.flatnonzero(is_defined(node, source, pick))
    values = decode(node.value, source, places if pick is None else pick[places])
    if isinstance(node.value, Optional):
        values = [Some(value) for value in values]
    result = np.full(count, None, object)
    result[places] = np.fromiter(values, object, len(values))
    return list(result)


def _hierarchy(node: Hierarchy, source: Source, pick: np.ndarray | None, count: int) -> list[Any]:
    tags = codes(node.tag, source, pick)
    result: list[Any] = tags.tolist()  # in an untagged union a tag may be no case
    for number, case in enumerate(node.cases):
        places = np.flatnonzero(tags == number)
        if places.size:
            fields = decode(case, source, places if pick is None else pick[places])
            for place, value in zip(places.tolist(), fields):
                result[place] = Case(case_name(node, number), value)
    return result


def case_name(node: Hierarchy, number: int) -> str:
    type_ = plain(node.tag.element)
    assert isinstance(type_, Enum)
    return type_.cases[number]


def _leaf(leaf: Leaf, source: Source, pick: np.ndarray | None) -> list[Any]:
    if leaf.inner is not None:
        inner = source.inner(leaf, pick)
        return _nest(decode(leaf.inner, inner), leaf.dims)
    if leaf.logical is not None and is_converted(leaf.logical):
        array = stored(leaf, source)
        return _nest(objects((array if pick is None else array[pick]).reshape(-1), leaf.logical), leaf.dims)
    type_ = plain(leaf.element)
    if isinstance(type_, Enum) and type_.cases:
        numbers = codes(leaf, source, pick).reshape(-1).tolist()
        cases = dict(enumerate(type_.cases))
        return _nest([cases.get(number, number) for number in numbers], leaf.dims)
    is_boolean = isinstance(type_, Primitive) and type_.name == "Boolean"
    array = source.view(leaf, np.dtype("u1") if is_boolean else None)
    array = array if pick is None else array[pick]
    if isinstance(type_, Text):
        return _nest(texts(array.reshape(-1)), leaf.dims)
    flat = ((array != 0) if is_boolean else array).reshape(-1).tolist()
    if isinstance(type_, Primitive) and type_.name == "Char":
        flat = [chr(unit) for unit in flat]
    return _nest(flat, leaf.dims)


def _nest(flat: list[Any], dims: tuple[int, ...]) -> list[Any]:
    for size in reversed(dims):
        flat = [flat[i : i + size] for i in range(0, len(flat), size)]
    return flat
