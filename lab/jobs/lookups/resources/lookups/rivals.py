"""Items in Lance or Parquet: arguments are the engine, the step, the path, and numbers of the step."""

import os
import sys
import threading
import time

import numpy as np
import pyarrow as pa

LENGTH = 254
BATCH = 10_000  # items of a commit
FEW = 100  # items of a commit beside lookups
CHECKED = 100  # lookups whose sum is printed

vector_type = pa.list_(pa.float32(), LENGTH)
schema = pa.schema([("id", pa.int64()), ("vector", vector_type)])


def batch(start, end):
    """The items from one id to another."""
    ids = np.arange(start, end, dtype=np.uint64)
    mixed = (ids[:, None] * np.uint64(31) + np.arange(LENGTH, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    elements = (mixed >> np.uint64(48)).astype(np.float32).ravel()
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(elements), LENGTH)
    return pa.record_batch([pa.array(ids.astype(np.int64)), vectors], schema=schema)


def wanted(start, end, items):
    """The ids to look up, from one position of a random sequence to another."""
    mixed = (np.arange(start, end, dtype=np.uint64) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(1)
    return (mixed % np.uint64(items)).tolist()


def batches(items):
    return (batch(start, min(start + BATCH, items)) for start in range(0, items, BATCH))


class Lance:
    def __init__(self, path):
        import lance

        self.lance, self.path = lance, path

    def write(self, items):
        self.lance.write_dataset(batches(items), self.path, schema=schema)
        for folder, _, files in os.walk(self.path):
            for file in files:
                force(os.path.join(folder, file))

    def append(self, start, end):
        self.lance.write_dataset(pa.Table.from_batches([batch(start, end)]), self.path, mode="append")

    def open(self):
        dataset = self.lance.dataset(self.path)
        return lambda id: dataset.take([id], columns=["vector"])["vector"].chunk(0).values


class Parquet:
    """A Parquet file in groups of 1000 rows; a lookup reads the group of its item."""

    GROUP = 1000

    def __init__(self, path):
        import pyarrow.parquet

        self.parquet, self.path = pyarrow.parquet, path

    def write(self, items):
        with self.parquet.ParquetWriter(self.path, schema, compression="none", use_dictionary=False) as writer:
            for rows in batches(items):
                writer.write_batch(rows, row_group_size=self.GROUP)
        force(self.path)

    def open(self):
        file = self.parquet.ParquetFile(self.path, memory_map=True)

        def find(id):
            vectors = file.read_row_group(id // self.GROUP, columns=["vector"], use_threads=False)["vector"].chunk(0)
            return vectors.slice(id % self.GROUP, 1).flatten()

        return find


def force(path):
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def look_up(find, start, end, items):
    total = 0
    for id in wanted(start, end, items):
        total += int(find(id).to_numpy().sum(dtype=np.float64))
    return total


def main(engine, step, path, items, count):
    store = {"lance": Lance, "parquet": Parquet}[engine](path)
    if step == "write":
        start = time.perf_counter_ns()
        store.write(items)
        print(f"write={(time.perf_counter_ns() - start) / items:.1f} sum=0")
    elif step in ("cold", "warm"):
        find = store.open()
        if step == "warm":
            look_up(find, count, 2 * count, items)
        start = time.perf_counter_ns()
        total = look_up(find, 0, CHECKED, items)
        look_up(find, CHECKED, count, items)
        print(f"{step}={(time.perf_counter_ns() - start) / count:.1f} sum={total}")
    elif step == "beside":
        beside(store, items, count)


def beside(store, items, count):
    """Looks items up in one thread, while another adds some and commits each few."""
    find, done, lookups = store.open(), threading.Event(), 0

    def read():
        nonlocal lookups
        while not done.is_set():
            look_up(find, lookups, lookups + FEW, items)
            lookups += FEW

    reader = threading.Thread(target=read)
    reader.start()
    start = time.perf_counter_ns()
    for first in range(items, items + count, FEW):
        store.append(first, first + FEW)
    elapsed = time.perf_counter_ns() - start
    done.set()
    reader.join()
    find = store.open()
    total = sum(int(find(id).to_numpy().sum(dtype=np.float64)) for id in range(items, items + count, FEW))
    print(f"append={elapsed / count:.1f} beside={elapsed / lookups:.1f} sum={total}")


main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
