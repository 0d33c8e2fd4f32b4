"""Writes a table with pyarrow: compressed.py KIND CODEC ROWS FILE.

KIND is file, stream, deltas (a stream whose dictionary grows and is then replaced) or feather; check reads a file or stream and compares its rows instead; CODEC is none, lz4 or zstd.
"""

import sys

import pandas
import pyarrow
from pyarrow import feather, ipc

kind, codec, rows, path = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
numbers = range(rows)
table = pyarrow.table(
    {
        "id": pyarrow.array(numbers, pyarrow.int64()),
        "price": pyarrow.array([i * 0.5 for i in numbers], pyarrow.float64()),
        "name": pyarrow.array([f"name {i % 1000} é" for i in numbers], pyarrow.string()),
        "side": pyarrow.array(["buy" if i % 3 else "sell" for i in numbers]).dictionary_encode(),
        "limit": pyarrow.array([None if i % 7 == 0 else i for i in numbers], pyarrow.int32()),
        "open": pyarrow.array([i % 2 == 0 for i in numbers], pyarrow.bool_()),
    }
)
options = ipc.IpcWriteOptions(compression=None if codec == "none" else codec)
if kind == "check":
    # Not a file of Python: a thread of pyarrow that releases it while the interpreter ends aborts the process.
    with pyarrow.memory_map(path) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        read = (ipc.open_file if is_file else ipc.open_stream)(source).read_all()
        read.validate(full=True)
        assert read.to_pylist() == table.to_pylist()
elif kind == "deltas":
    options = ipc.IpcWriteOptions(compression=None if codec == "none" else codec, emit_dictionary_deltas=True)
    # The last part lacks the first one's values, so its dictionary is another one.
    cases = [["buy", "sell"], ["buy", "sell", "unused"], ["sell", "buy"]]
    place = table.schema.get_field_index("side")
    with pyarrow.OSFile(path, "wb") as sink, ipc.new_stream(sink, table.schema, options=options) as writer:
        for part, values in enumerate(cases):
            batch = table.slice(part * rows // 3, (part + 1) * rows // 3 - part * rows // 3).combine_chunks()
            texts = batch["side"].cast(pyarrow.string()).to_pylist()
            sides = pyarrow.array([values.index(text) for text in texts], pyarrow.int32())
            sides = pyarrow.DictionaryArray.from_arrays(sides, pyarrow.array(values))
            writer.write_table(batch.set_column(place, "side", sides))
        assert writer.stats.num_dictionary_deltas == 1, writer.stats
        assert writer.stats.num_replaced_dictionaries == 1, writer.stats
elif kind == "feather":
    feather.write_feather(pandas.DataFrame({"id": list(numbers)}), path)
else:
    new = ipc.new_file if kind == "file" else ipc.new_stream
    with pyarrow.OSFile(path, "wb") as sink, new(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=1000)
