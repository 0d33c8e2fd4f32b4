"""Exchanges tables with a JVM of the same process by Arrow's C stream interface.

    exchange.py ROUNDS LIBJVM CLASSPATH
"""

import ctypes
import sys

import jpype
import pyarrow as pa

rounds, libjvm, classpath = int(sys.argv[1]), sys.argv[2], sys.argv[3]
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
    }


before = pa.total_allocated_bytes()
for turn in range(rounds):
    count = turn % 60
    memory, address = stream()
    bridge.exportTo(address, count, 7)
    table = pa.RecordBatchReader._import_from_c(address).read_all()
    table.validate(full=True)
    assert table.to_pylist() == [expected(i) for i in range(count)], table.to_pylist()
    # A slice has an offset, bits that do not begin at a byte, and other batches.
    part = table.slice(3, 40)
    names = pa.array([row["name"] for row in part.to_pylist()], pa.string_view())
    if turn % 2 == 0:
        part = part.set_column(2, "name", names)
    memory, address = stream()
    part.to_reader()._export_to_c(address)
    total = int(bridge.sumFrom(address))
    wanted = sum(row["id"] + len(row["name"]) + row["size"][0] for row in part.to_pylist())
    wanted += sum(int(row["fee"] * 4) for row in part.to_pylist() if row["fee"] is not None)
    wanted += sum(1 for row in part.to_pylist() if row["gate"] == "Out")
    assert total == wanted, (total, wanted)
    # pyarrow's own sum over the lent memory of the table.
    summed = []

    @jpype.JImplements("undercroft.arrow.StreamReader")
    class Reader:
        @jpype.JOverride
        def read(self, address):
            lent = pa.RecordBatchReader._import_from_c(address).read_all()
            summed.append(sum(lent.column("id").to_pylist()))
            del lent

    bridge.lend(count, Reader())
    assert summed == [sum(range(count))]
    del table, part, names, memory

assert pa.total_allocated_bytes() == before
print(f"{rounds} rounds, {bridge.unreleased()} exports unreleased")
