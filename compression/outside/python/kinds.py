"""Writes files of all kinds of columns that pyarrow has, as Arrow's own test data does: kinds.py FOLDER

Each file has the columns `id`, the numbers from 0, `x`, of the kind, and `last`, ten times the numbers. Prints the names of the
kinds as JSON, each with the word that names a kind that no struct file stores, or null.
"""

import json
import sys
from datetime import date
from decimal import Decimal

import pyarrow as pa

folder = sys.argv[1]
ids = list(range(3))
text = ["a", None, "b"]
ints = pa.array([1, 2, 3], pa.int32())
names = pa.array(["p", "q", "r"])


def dictionary(values, indices=(0, None, 1)):
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), values)


kinds = {
    "bool": (pa.array([True, None, False]), None),
    "float16": (pa.array([1.5, None, 2.5], pa.float16()), None),
    "uint64": (pa.array([1, None, 2**64 - 1], pa.uint64()), None),
    "utf8": (pa.array(text), None),
    "large-utf8": (pa.array(text, pa.large_string()), None),
    "utf8-view": (pa.array(["a", None, "a text of more than twelve bytes"], pa.string_view()), None),
    "fixed-size-binary": (pa.array([b"ab", None, b"cd"], pa.binary(2)), None),
    "date64": (pa.array([date(2026, 11, 29)] * 3, pa.date64()), None),
    "time32": (pa.array([1, None, 2], pa.time32("ms")), None),
    "timestamp": (pa.array([1, None, 2], pa.timestamp("ns", "UTC")), None),
    "duration": (pa.array([1, None, 2], pa.duration("s")), None),
    "decimal128": (pa.array([Decimal("1.25"), None, Decimal("-3.50")], pa.decimal128(9, 2)), None),
    "decimal256": (pa.array([Decimal("1.25"), None, Decimal("-3.50")], pa.decimal256(76, 2)), None),
    "decimal256-fine": (pa.array([Decimal("1"), None, None], pa.decimal256(76, 50)), "decimal with 50 digits"),
    "null": (pa.nulls(3), None),
    "dictionary": (dictionary(names), None),
    "dictionary-null": (dictionary(pa.array(["p", None])), None),
    "dictionary-empty": (dictionary(pa.array([], pa.string()), (None, None, None)), None),
    "dictionary-int64": (dictionary(pa.array([7, 8], pa.int64())), "int64"),
    "dictionary-list": (dictionary(pa.array([[1], [2, 3]])), "list"),
    "dictionary-struct": (dictionary(pa.array([{"a": 1}, {"a": 2}])), "struct"),
    "list": (pa.array([[1, 2], None, [3, 4]]), None),
    "list-lengths": (pa.array([[1], None, [3, 4]]), "list of 2 elements"),
    "list-empty": (pa.array([[], None, []], pa.list_(pa.int32())), "list of 0 elements"),
    "large-list": (pa.array([[1, None], None, [3, 4]], pa.large_list(pa.int64())), None),
    "list-list": (pa.array([[[1]], None, [[2]]]), "list of list"),
    "list-dictionary": (pa.FixedSizeListArray.from_arrays(dictionary(names, [0, 1, 2, 0, 1, 2]), 2), None),
    "fixed-size-list": (pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int8(), 2)), None),
    "list-view": (pa.array([[1], None, [2]], pa.list_view(pa.int32())), "list view"),
    "large-list-view": (pa.array([[1], None, [2]], pa.large_list_view(pa.int32())), "list view"),
    "binary": (pa.array([b"1", None, b"2"]), "binary"),
    "large-binary": (pa.array([b"1", None, b"2"], pa.large_binary()), "binary"),
    "binary-view": (pa.array([b"1", None, b"2"], pa.binary_view()), "binary view"),
    "map": (pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int32())), "map"),
    "struct": (pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}]), None),
    "struct-map": (
        pa.array([{"m": [("k", 1)]}] * 3, pa.struct([("m", pa.map_(pa.string(), pa.int32()))])),
        "`x.m` is of the type map",
    ),
    "struct-empty": (pa.array([{}, None, {}], pa.struct([])), "`x` has no fields"),
    "union-sparse": (
        pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [ints, names]),
        "union",
    ),
    "union-dense": (
        pa.UnionArray.from_dense(pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [ints, names]),
        "union",
    ),
    "run-end": (pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([5, 6])), "run-end encoded"),
    "interval": (pa.array([pa.MonthDayNano([1, 2, 3]), None, None], pa.month_day_nano_interval()), "interval"),
    "uuid": (pa.array([b"0123456789abcdef"] * 3, pa.uuid()), None),
}

for kind, (values, _) in kinds.items():
    table = pa.table({"id": pa.array(ids, pa.int32()), "x": values, "last": pa.array([10 * i for i in ids], pa.int64())})
    versions = [pa.ipc.MetadataVersion.V5]
    versions += [pa.ipc.MetadataVersion.V4] if kind.startswith("union") else []
    for version in versions:
        options = pa.ipc.IpcWriteOptions(metadata_version=version)
        number = str(version)[-2:]
        with pa.ipc.new_file(f"{folder}/{kind}.{number}.arrow", table.schema, options=options) as file:
            file.write_table(table)
        with pa.ipc.new_stream(f"{folder}/{kind}.{number}.arrows", table.schema, options=options) as stream:
            stream.write_table(table)
    compressed = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(f"{folder}/{kind}.zstd.arrow", table.schema, options=compressed) as file:
        file.write_table(table)

print(json.dumps({kind: word for kind, (_, word) in kinds.items()}))
