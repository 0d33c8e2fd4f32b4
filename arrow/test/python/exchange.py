"""Exchanges tables with a JVM of the same process by Arrow's C stream interface.

    exchange.py LIBRARY ROUNDS LIBJVM CLASSPATH

LIBRARY is pyarrow, polars or duckdb.
"""

import ctypes
import gc
import sys

import jpype
import pyarrow as pa

library, rounds, libjvm, classpath = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
jpype.startJVM(libjvm, "--enable-native-access=ALL-UNNAMED", classpath=classpath.split(":"))
bridge = jpype.JClass("undercroft.arrow.PythonBridge")


def stream():
    memory = (ctypes.c_uint64 * 5)()
    return memory, ctypes.addressof(memory)


def expected(i):
    return {
        "id": i,
        "gate": ["In", "Out"][i % 2],
        "name": f"no. {i}",
        "fee": i / 4.0 if i % 3 > 0 else None,
        "weight": i * 7 % 1000,
        "size": [i, -i, 5],
        "stops": [{"x": i, "note": f"s{i % 10}"}, {"x": -i, "note": ""}],
        "label": "ż" * (i % 20),
        "seal": bytes(range(i % 17)) if i % 4 > 0 else None,
        "legs": [{"x": k, "note": f"l{k}"} for k in range(i % 5)],
        "marks": [None if k == 1 else k for k in range(i % 4)] if i % 3 > 0 else None,
    }


def wanted_sum(rows):
    return sum(
        row["id"]
        + len(row["name"])
        + row["size"][0]
        + (int(row["fee"] * 4) if row["fee"] is not None else 0)
        + (1 if row["gate"] == "Out" else 0)
        + row["stops"][1]["x"]
        + len(row["stops"][0]["note"])
        + len(row["label"].encode())
        + (len(row["seal"]) if row["seal"] is not None else -1)
        + sum(leg["x"] + len(leg["note"]) for leg in row["legs"])
        + (sum(100 if mark is None else mark for mark in row["marks"]) if row["marks"] is not None else -1)
        for row in rows
    )


def check_import(address, rows):
    total = int(bridge.sumFrom(address))
    assert total == wanted_sum(rows), (total, wanted_sum(rows))


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype = ctypes.c_void_p
capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
STREAM = b"arrow_array_stream"


class Exported:
    """A table of the JVM as an object of Arrow's PyCapsule interface. Each capsule has an export of its own, because a
    consumer may ask for several, such as one for the schema."""

    def __init__(self, count):
        self.count = count
        self.memories = []

    def __arrow_c_stream__(self, requested_schema=None):
        memory, address = stream()
        bridge.exportTo(address, self.count, 7)
        self.memories.append(memory)
        return new_capsule(address, STREAM, None)

    def close(self):
        """Releases the streams that the consumer has not released: a capsule without a destructor does not."""
        for memory in self.memories:
            if memory[3] != 0:
                ctypes.CFUNCTYPE(None, ctypes.c_void_p)(memory[3])(ctypes.addressof(memory))


class Lent:
    """A lent stream, for one consumer."""

    def __init__(self, address):
        self.address = address

    def __arrow_c_stream__(self, requested_schema=None):
        return new_capsule(self.address, STREAM, None)


def lend(count, read):
    """Calls a function with the address of a lent stream; returns its result."""
    results = []

    @jpype.JImplements("undercroft.arrow.StreamReader")
    class Reader:
        @jpype.JOverride
        def read(self, address):
            results.append(read(address))

    bridge.lend(count, Reader())
    return results[0]


def by_pyarrow(turn, count):
    memory, address = stream()
    bridge.exportTo(address, count, 7)
    table = pa.RecordBatchReader._import_from_c(address).read_all()
    table.validate(full=True)
    assert table.to_pylist() == [expected(i) for i in range(count)], table.to_pylist()
    # A slice has an offset, bits that do not begin at a byte, and other batches.
    part = table.slice(3, 40)
    if turn % 2 == 0:
        names = pa.array([row["name"] for row in part.to_pylist()], pa.string_view())
        part = part.set_column(2, "name", names)
        for name, tpe in {
            "label": pa.string_view(),
            "seal": pa.binary_view() if turn % 4 == 0 else pa.large_binary(),
            "marks": pa.large_list(pa.int32()),
        }.items():
            column = pa.array(part.column(name).to_pylist(), tpe)
            part = part.set_column(part.column_names.index(name), name, column)
    if turn % 3 == 0 and len(part) > 1:
        # The dictionaries of the arrays differ.
        pieces = [part.slice(0, len(part) // 2), part.slice(len(part) // 2)]
        gates = [["Out", "In"], ["In", "Out", "unused"]]
        batches = []
        for piece, values in zip(pieces, gates):
            indices = pa.array([values.index(row["gate"]) for row in piece.to_pylist()], pa.int32())
            gate = pa.DictionaryArray.from_arrays(indices, pa.array(values))
            batches += piece.set_column(1, "gate", gate).combine_chunks().to_batches()
        reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    else:
        reader = part.to_reader()
    memory, address = stream()
    reader._export_to_c(address)
    check_import(address, part.to_pylist())

    def total(address):
        lent = pa.RecordBatchReader._import_from_c(address).read_all()
        return sum(lent.column("id").to_pylist())

    assert lend(count, total) == sum(range(count))


def by_polars(turn, count):
    import polars as pl

    exported = Exported(count)
    frame = pl.DataFrame(exported)
    exported.close()
    rows = [expected(i) for i in range(count)]
    assert frame.to_dicts() == rows, frame
    part = frame.slice(3, 40)
    gate = pl.Categorical if turn % 2 == 0 else pl.Enum(["Out", "In"])
    part = pl.concat([part.slice(0, 5), part.slice(5)], rechunk=turn % 3 == 0)
    part = part.with_columns(pl.col("gate").cast(pl.String).cast(gate))
    capsule = part.__arrow_c_stream__()
    check_import(capsule_pointer(capsule, STREAM), rows[3:43])

    def total(address):
        return pl.DataFrame(Lent(address))["id"].sum()

    assert lend(count, total) == sum(range(count))


def by_duckdb(turn, count):
    import duckdb

    connection = duckdb.connect()
    exported = Exported(count)
    found = connection.sql("from exported order by id")
    names = found.columns
    rows = [dict(zip(names, row)) for row in found.fetchall()]
    wanted = [expected(i) for i in range(count)]
    # DuckDB has an array as a tuple.
    plain = [row | {"size": list(row["size"]), "stops": list(row["stops"])} for row in rows]
    assert plain == wanted, plain[:3]
    del found
    exported.close()
    produced = connection.sql(
        f"""select i::bigint as id, if(i % 2 = 0, 'In', 'Out')::enum('Out', 'In') as gate, 'no. ' || i as name,
        if(i % 3 > 0, i / 4.0, null)::double as fee, (i * 7 % 1000)::integer as weight,
        [i, -i, 5]::smallint[3] as size,
        [{{'x': i, 'note': 's' || (i % 10)}}, {{'x': -i, 'note': ''}}]::struct(x integer, note varchar)[2] as stops,
        repeat('ż', i % 20) as label,
        if(i % 4 > 0, from_hex(substr('000102030405060708090a0b0c0d0e0f10', 1, 2 * (i % 17))), null) as seal,
        [{{'x': k, 'note': 'l' || k}} for k in range(i % 5)]::struct(x integer, note varchar)[] as legs,
        if(i % 3 > 0, [if(k = 1, null, k) for k in range(i % 4)], null)::integer[] as marks
        from range({count}) r(i)"""
    )
    capsule = produced.__arrow_c_stream__()
    check_import(capsule_pointer(capsule, STREAM), wanted)

    def total(address):
        reader = pa.RecordBatchReader._import_from_c(address)
        return connection.sql("select coalesce(sum(id), 0) from reader").fetchall()[0][0]

    assert lend(count, total) == sum(range(count))
    connection.close()


turn_of = {"pyarrow": by_pyarrow, "polars": by_polars, "duckdb": by_duckdb}[library]
before = pa.total_allocated_bytes()
for turn in range(rounds):
    turn_of(turn, turn % 60)
gc.collect()
assert pa.total_allocated_bytes() == before
print(f"{rounds} rounds, {bridge.unreleased()} exports unreleased")
