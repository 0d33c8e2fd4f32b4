"""Reads and writes Arrow files with pyarrow and Polars, for the tests of undercroft-arrow.

    arrow.py pyarrow FILE          its rows and types, and the bytes that mapping it took
    arrow.py polars FILE           its rows
    arrow.py write pyarrow FILE    three rows that pyarrow writes
    arrow.py write polars FILE     the same by Polars
    arrow.py types pyarrow FILE    all types; or `texts`, `cases`, `rows`, or a type not stored
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


def texts(pa):
    """Types that a struct file stores as text, or as numbers of more bits."""
    from datetime import date, datetime, time
    from decimal import Decimal

    moments = [datetime(2020, 1, 2, 3, 4, 5, 678000), datetime(1969, 12, 31, 23, 59, 59, 1), None]
    return {
        "date": pa.array([date(2020, 1, 2), None, date(1, 1, 1)]),
        "date64": pa.array([date(2020, 1, 2), date(9999, 12, 31), date(1969, 12, 31)], pa.date64()),
        "time": pa.array([time(1, 2, 3), time(0, 0), time(23, 59, 59)], pa.time32("s")),
        "micros": pa.array([time(1, 2, 3, 500), time(0, 0), time(12, 0, 0, 1)], pa.time64("us")),
        "moment": pa.array(moments, pa.timestamp("us")),
        "nanos": pa.array([1, 2, -1], pa.timestamp("ns")),
        "zoned": pa.array([0, 1, 2], pa.timestamp("s", "Europe/Warsaw")),
        "price": pa.array([Decimal("1.25"), Decimal("-3.00"), Decimal("0.01")]),
        "whole": pa.array([1, -5, None], pa.decimal128(10, 0)),
        "huge": pa.array([Decimal(10) ** 30, Decimal(-5), Decimal(0)], pa.decimal256(40, 0)),
        "count": pa.array([1, 2**63 - 1, 0], pa.uint64()),
        "large": pa.array([1, 2**64 - 1, None], pa.uint64()),
        "half": pa.array([1.5, None, -0.0], pa.float16()),
        "nothing": pa.nulls(3),
        "bytes": pa.array([[1, 255], None, [3, 4]], pa.list_(pa.uint8(), 2)),
        "halves": pa.array([[1.5, 2], [2, 3], [3, 4]], pa.list_(pa.float16(), 2)),
        "empty": pa.array([None, None, None], pa.string()).dictionary_encode(),
        "Option": pa.array([{"isDefined": i > 1, "get": i} for i in range(3)]),
    }


def types(path, unstored):
    """Types that a struct file can store, or one that it cannot, in batches of two rows."""
    import pyarrow as pa
    from decimal import Decimal

    columns = {
        "bool": pa.array([True, False, None]),
        "int8": pa.array([-128, 127, 0], pa.int8()),
        "int64": pa.array([-(2**63), 2**63 - 1, 0]),
        "uint8": pa.array([255, 0, 1], pa.uint8()),
        "uint16": pa.array([65535, None, 1], pa.uint16()),
        "uint32": pa.array([2**32 - 1, 0, 1], pa.uint32()),
        "float": pa.array([1.5, -0.0, 2.5], pa.float32()),
        "double": pa.array([None, 1e300, 2.5]),
        "text": pa.array(["Ada", "", None]),
        "large": pa.array(["naïve", "a text of more than twelve bytes", "x"], pa.large_string()),
        "view": pa.array(["", "a text of more than twelve bytes", "y"], pa.string_view()),
        "side": pa.array(["Sell", "Buy", "Sell"]).dictionary_encode(),
        "bytes": pa.array([b"abc", b"def", b"ghi"], pa.binary(3)),
        "list": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int16(), 2)),
        "point": pa.array([{"x": 1, "y": None}, None, {"x": 3, "y": 2.5}]),
    }
    if unstored == "texts":
        columns = texts(pa)
    elif unstored == "cases":
        columns = {"side": pa.array([f"case {i}" for i in range(2**16)]).dictionary_encode()}
    elif unstored == "rows":
        columns = {
            "side": pa.array([], pa.string()).dictionary_encode(),
            "list": pa.array([], pa.list_(pa.int16(), 2)),
        }
    elif unstored:
        columns = {
            "id": pa.array([1, 2, 3]),
            "when": {
                "binary": pa.array([b"a", b"", b"bc"]),
                "list": pa.array([[1], [], [2, 3]]),
                "map": pa.array([[("a", 1)], [], []], pa.map_(pa.string(), pa.int64())),
                "numbers": pa.array([7, 8, 7]).dictionary_encode(),
                "long": pa.array(["x" * (2**20 + 1), "y", "z"]),
                "part": pa.array([0, 1, 2]).view(pa.date64()),
                "digits": pa.array([Decimal(1), Decimal(-5), Decimal(10) ** 38], pa.decimal256(40, 0)),
                "scale": pa.array([Decimal(0), Decimal(0), Decimal(0)], pa.decimal256(42, 40)),
            }[unstored],
        }
    table = pa.table(columns)
    with pa.ipc.new_file(path, table.schema) as sink:
        sink.write_table(table, max_chunksize=2 if len(table) < 100 else 4096)
    return {}


def logical(path):
    """The types, the metadata and the values, as text, of the columns that Undercroft wrote."""
    import pyarrow as pa

    table = pa.ipc.open_file(path).read_all()
    metadata = {
        field.name: {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        for field in table.schema
    }
    values = {}
    for name in table.column_names:
        column = table[name]
        if pa.types.is_temporal(column.type):  # Python's types have fewer values
            column = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
        values[name] = [None if value is None else str(value) for value in column.to_pylist()]
    return {
        "types": {field.name: str(field.type) for field in table.schema},
        "metadata": metadata,
        "values": values,
    }


def write_logical(path, case):
    """Types with a meaning, in units other than those of the reader."""
    import uuid

    import pyarrow as pa
    from decimal import Decimal
    from datetime import date, datetime, time, timedelta, timezone

    columns = {
        "day": pa.array([date(2026, 11, 25), date(1, 1, 1)], pa.date64()),
        "time": pa.array([time(1, 2, 3), time(23, 59, 59)], pa.time32("s")),
        "at": pa.array([datetime(2026, 11, 25, 1, 2, 3, 4), datetime(1969, 12, 31)], pa.timestamp("us", "UTC")),
        "local": pa.array([datetime(2026, 11, 25, 1, 2, 3), datetime(1969, 12, 31)], pa.timestamp("s")),
        "length": pa.array([timedelta(microseconds=-1), timedelta(days=1)], pa.duration("us")),
        "price": pa.array([Decimal("-1.5"), Decimal("12345678901234.5")], pa.decimal256(40, 1)),
        "wide": pa.array([Decimal("-1"), Decimal("1234567890123456789012345678")], pa.decimal128(38, 0)),
        "id": pa.array([uuid.UUID(int=1 << 127 | 7).bytes, uuid.UUID(int=5).bytes], pa.uuid()),
        "back": pa.array([None, date(2026, 11, 25)], pa.date32()),
        "isin": pa.array(["DE0001", "DE0002"]),
    }
    columns |= {
        "": {},
        "late": {"at": pa.array([2**62, 0], pa.timestamp("s", "UTC"))},
        "local": {"at": pa.array([0, 0], pa.timestamp("us"))},
        "number": {"at": pa.array([0, 0], pa.int64())},
        "digits": {"price": pa.array([Decimal("1.001"), Decimal("1")], pa.decimal128(10, 3))},
        "precise": {"price": pa.array([Decimal(10) ** 16, Decimal(1)], pa.decimal128(20, 0))},
        "part": {"day": pa.array([1, 0], pa.int64()).view(pa.date64())},
    }[case]
    table = pa.table(columns)
    with pa.ipc.new_file(path, table.schema) as sink:
        sink.write_table(table)
    return {}


def main(arguments):
    if arguments[0] == "pyarrow":
        answer = by_pyarrow(arguments[1])
    elif arguments[0] == "polars":
        answer = by_polars(arguments[1])
    elif arguments[0] == "logical":
        answer = logical(arguments[2])
    elif arguments[0] == "write-logical":
        answer = write_logical(arguments[2], arguments[3] if len(arguments) > 3 else "")
    elif arguments[0] == "types":
        answer = types(arguments[2], arguments[3] if len(arguments) > 3 else "")
    else:
        answer = write(arguments[1], arguments[2])
    print(json.dumps(answer))


main(sys.argv[1:])
