# SPDX-License-Identifier: Apache-2.0
"""Compressed files: forged ones, and their agreement with the sealed files of the samples."""

from __future__ import annotations

import random
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from conftest import sample, samples
from forge import BYTE, PAGE, array, compressed, schema, text_type, value
from test_fuzz import ROUNDS, SEED, fuzz

import undercroft
from undercroft import _compressed
from undercroft._nodes import Leaf, parts, walk

NOTES = schema("Note", value("title", 0, text_type(4)), value("body", 4, text_type(12)))
ROWS = 128
TITLES = [b"".join(b"t%03d" % (64 * block + i) for i in range(64)) for block in (0, 1)]
BODIES = [b"".join(b"body %07d" % (i % 3) for i in range(64))] * 2


def zstd(data: bytes) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    encoded: bytes = zstandard.ZstdCompressor(write_content_size=False).compress(data)
    return encoded


def notes(**numbers: Any) -> bytes:
    """Columns of two blocks whose pieces are stored as they are."""
    pieces = [list(pair) for pair in zip(TITLES, BODIES)]
    stored = numbers.pop("stored", pieces)
    return compressed(NOTES, pieces, stored, 16, ROWS, layout=2, **numbers)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "notes.struct"
    path.write_bytes(data)
    return path


def test_a_missing_codec_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, notes())
    with undercroft.open(path) as table:
        assert table.is_compressed and "compressed" in repr(table)
        table.text("title")
    monkeypatch.setattr(_compressed, "_zstd", lambda: None)
    with undercroft.open(path) as table, pytest.raises(undercroft.MissingCodecError, match=r"undercroft\[zstd\]"):
        table.text("title")
    with pytest.raises(undercroft.MissingCodecError):
        undercroft.open(path, verify=True)
    with undercroft.open(written(tmp_path, notes(codec=b"lz9"))) as table:
        with pytest.raises(undercroft.MissingCodecError, match="'lz9': this package reads 'zstd'"):
            table.row(0)


def test_a_field_decompresses_its_own_column(tmp_path: Path) -> None:
    damaged = [[zstd(TITLES[0]), BODIES[0]], [TITLES[1], b"not a frame of Zstandard"]]
    with undercroft.open(written(tmp_path, notes(stored=damaged))) as table:
        assert table.text("title")[::64] == ["t000", "t064"]
        assert table["title"].tolist() == [b"t%03d" % i for i in range(ROWS)]
        assert not table["title"].flags.writeable
        with pytest.raises(ValueError):
            table["title"][0] = b"x"
        for use in (lambda: table["body"], lambda: table.row(1), table.verify, table.to_pandas):
            with pytest.raises(undercroft.CorruptFileError, match="block 1 is not 768 bytes of zstd"):
                use()
        assert table.text("title")[1] == "t001"


def test_arrays_outlive_the_table(tmp_path: Path) -> None:
    with undercroft.open(written(tmp_path, notes())) as table:
        titles = table["title"]
    assert titles[127] == b"t127"
    with pytest.raises(undercroft.ClosedTableError):
        table["title"]


def test_many_threads_read_the_same_columns(tmp_path: Path) -> None:
    encoded = [[zstd(piece) for piece in pair] for pair in zip(TITLES, BODIES)]
    for _ in range(20):
        with undercroft.open(written(tmp_path, notes(stored=encoded))) as table:
            found: list[bool] = []

            def read(name: str) -> None:
                first = b"t000" if name == "title" else b"body 0000000"
                found.append(table[name][0] == first and bool((table[name] != b"").all()))

            threads = [threading.Thread(target=read, args=(name,)) for name in ("title", "body") * 4]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert found == [True] * 8


def test_every_number_of_the_table_is_checked(tmp_path: Path) -> None:
    start = PAGE * 3
    stored = [[TITLES[0], BODIES[0]], [TITLES[1], b""]]
    for data, words in {
        notes(durability=1): "durability of a compressed file must be from 2 to 2, but is 1",
        notes(block_rows=(1 << 22) + 1): f"at most {1 << 26} bytes",
        notes(capacity=192): "capacity must be 128, but is 192",
        notes(block_rows=32): "block table must have 176 bytes, but has 96",
        notes(at={(0, 0): start + 1}): f"piece 0 of block 0 must be at {start} .* but is at {start + 1}",
        notes(at={(1, 1): 1 << 63}): f"but is at {1 << 63}",
        notes(stored=stored): "with 1 to 768 bytes, but is at .* with 0",
        notes(stored=[[TITLES[0] + b"x", BODIES[0]], [TITLES[1], BODIES[1]]]): "with 1 to 256 bytes",
        notes(gap=bytes(8)): f"block table must be at {start + 2048}, but is at {start + 2056}",
        notes(table_checksum=7): "checksum of the block table",
        notes(table_offset=start - 1): f"from {start} to",
        notes()[:-1]: "truncated",
        notes() + b"x": "must have",
    }.items():
        with pytest.raises(undercroft.UndercroftError, match=words):
            undercroft.open(written(tmp_path, data))


def test_changed_bytes_are_found(tmp_path: Path) -> None:
    good = notes(stored=[[zstd(piece) for piece in pair] for pair in zip(TITLES, BODIES)])
    undercroft.open(written(tmp_path, good), verify=True).close()
    source = random.Random(SEED)
    for _ in range(100):
        at = source.randrange(len(good))
        data = bytearray(good)
        data[at] ^= 1 << source.randrange(8)
        with pytest.raises(undercroft.UndercroftError):
            undercroft.open(written(tmp_path, bytes(data)), verify=True)


def test_a_frame_of_more_bytes_takes_no_more_memory(tmp_path: Path) -> None:
    bomb = zstd(bytes(1 << 28))
    body = schema("Big", value("x", 0, array(1 << 16, BYTE)))
    data = compressed(body, [[bytes(1 << 16)]], [[bomb]], 1 << 16, 1)
    assert len(bomb) < 1 << 16
    tracemalloc.start()
    with undercroft.open(written(tmp_path, data)) as table:
        with pytest.raises(undercroft.CorruptFileError, match="it has more than 65536 bytes"):
            table.row(0)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()
    data = compressed(body, [[bytes(1 << 16)]], [[zstd(bytes(100))]], 1 << 16, 1)
    with undercroft.open(written(tmp_path, data)) as table:
        with pytest.raises(undercroft.CorruptFileError, match="it has 100 bytes"):
            table.row(0)


@pytest.mark.parametrize("name", samples("day", "-compressed") + samples("visits", "-compressed"))
def test_a_compressed_file_has_the_arrays_of_its_sealed_file(name: str) -> None:
    path, _ = sample(name)
    plain = path.with_name(path.name.replace("-compressed", "-sealed"))
    with undercroft.open(path) as table, undercroft.open(plain) as expected:
        assert path.stat().st_size < plain.stat().st_size
        assert table.is_compressed and not expected.is_compressed
        assert table.names == expected.names
        if table.layout == "columns":
            for leaf in (node for node in walk(parts(expected._metadata.row)) if isinstance(node, Leaf)):
                assert table[leaf.path].tobytes() == expected[leaf.path].tobytes(), leaf.path
        else:
            assert table.array.tobytes() == expected.array.tobytes()
        table.verify()


def test_a_mutated_compressed_file_is_read_or_is_an_error(tmp_path: Path) -> None:
    print("seed", SEED)
    read, refused = fuzz(notes(), tmp_path / "fuzz.struct", ROUNDS, SEED)
    assert read > 0 and refused > 0, f"{read} read, {refused} refused, seed {SEED}"
