"""Reads and writes Arrow files with pyarrow and Polars, for the tests of undercroft-arrow.

    arrow.py pyarrow FILE          its rows and types, and the bytes that mapping it took
    arrow.py polars FILE           its rows
    arrow.py write pyarrow FILE    three rows that pyarrow writes
    arrow.py write polars FILE     the same by Polars
"""

import json
import sys


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def addresses(array):
    for buffer in array.buffers():
        if buffer is not None and buffer.size > 0:
            yield buffer.address


def by_pyarrow(path):
    import pyarrow as pa

    before = pa.total_allocated_bytes()
    with pa.memory_map(path) as source:
        table = pa.ipc.open_file(source).read_all()
        copied = pa.total_allocated_bytes() - before
        table.validate(full=True)
        aligned = all(
            address % 64 == 0
            for column in table.columns
            for chunk in column.chunks
            if chunk.offset == 0
            for address in addresses(chunk)
        )
        return {
            "copied": copied,
            "aligned": aligned,
            "types": {field.name: str(field.type) for field in table.schema},
            "rows": plain(table.to_pylist()),
        }


def by_polars(path):
    import polars as pl

    return {"rows": plain(pl.read_ipc(path).to_dicts())}


ROWS = {
    "id": [1, 2, 3],
    "name": ["Ada", "naïve", "a text of more than twelve bytes"],
    "color": ["Green", "Red", "Green"],
    "price": [1.5, -2.0, 0.0],
    "maybe": [7, None, 9],
    "unknown": [[1], [], None],
}


def write(by, path):
    if by == "pyarrow":
        import pyarrow as pa

        table = pa.table(
            {
                "unknown": pa.array(ROWS["unknown"], pa.list_(pa.int64())),
                "id": pa.array(ROWS["id"], pa.int32()),
                "name": pa.array(ROWS["name"]),
                "color": pa.array(ROWS["color"]).dictionary_encode(),
                "price": pa.array(ROWS["price"]),
                "maybe": pa.array(ROWS["maybe"], pa.int64()),
            }
        )
        with pa.ipc.new_file(path, table.schema) as sink:
            sink.write_table(table, max_chunksize=2)
    else:
        import polars as pl

        pl.DataFrame(ROWS).with_columns(
            pl.col("id").cast(pl.Int32),
            pl.col("color").cast(pl.Enum(["Blue", "Green", "Red"])),
        ).write_ipc(path, compression="uncompressed")
    return {}


def main(arguments):
    if arguments[0] == "pyarrow":
        answer = by_pyarrow(arguments[1])
    elif arguments[0] == "polars":
        answer = by_polars(arguments[1])
    else:
        answer = write(arguments[1], arguments[2])
    print(json.dumps(answer))


main(sys.argv[1:])
