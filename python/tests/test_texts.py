# SPDX-License-Identifier: Apache-2.0
"""Texts in Arrow, pandas and Polars, beside a plain model of them."""

from __future__ import annotations

import gc
import random
import sys
from pathlib import Path
from typing import Any, Callable

import forge
import numpy as np
import pytest

import undercroft
from undercroft import _convert

ROWS = 100
LAYOUTS = ("rows", "packed", "columns")
WELL, FAULTY = ["a", "bc", "é", "€", "𝄞", "z" * 50], [b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf", b"\x80"]


def field(random: random.Random, size: int, fault: str) -> bytes:
    """The bytes of a text: empty, short, full, cut in a character, with bytes after a zero, or invalid."""
    text = "".join(random.choices(WELL, k=random.randrange(4))).encode()
    if fault != "cut":
        text = text[:size].decode("utf-8", "ignore").encode()
    if fault == "invalid" and random.random() < 0.2:
        text = random.choice(FAULTY) + text
    text = text[:size]
    if fault == "zeros" and len(text) < size - 1 and random.random() < 0.3:
        text += random.choice([b"\0x", b"\0\xff"])
    return text.ljust(size, b"\0")


def shown(data: bytes) -> str:
    return data.split(b"\0")[0].decode("utf-8", "replace")


def texts_file(path: Path, layout: str, size: int, texts: list[bytes], defined: list[bool]) -> None:
    """A file with a text, an Option of it, and an array of two."""
    kind = forge.text_type(size)
    encoded = forge.schema(
        "Note",
        forge.value("text", 0, kind),
        forge.record("maybe", "Option", forge.value("isDefined", size, forge.BOOLEAN), forge.value("get", size + 1, kind)),
        forge.value("pair", 2 * size + 1, forge.array(2, kind)),
    )
    flags = [bytes([flag]) for flag in defined]
    columns = [texts, flags, texts, [text + text for text in texts]]
    count, capacity = len(texts), len(texts)
    if layout == "columns":
        capacity = -(-count // 64) * 64
        data = b"".join(b"".join(column).ljust(capacity * width, b"\0") for column, width in zip(columns, (size, 1, size, 2 * size)))
    else:
        data = b"".join(b"".join(row) for row in zip(*columns))
    numbers = {"layout": LAYOUTS.index(layout), "capacity": capacity}
    path.write_bytes(forge.file(encoded, data, 4 * size + 1, count, **numbers))


def none(values: list[Any]) -> list[Any]:
    """The values with None instead of the NaN of pandas."""
    return [value if isinstance(value, (str, list, np.ndarray)) else None for value in values]


@pytest.mark.parametrize("fault", ["none", "cut", "zeros", "invalid"])
@pytest.mark.parametrize("size", [1, 2, 3, 8, 41])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_conversions_have_the_texts_of_a_plain_model(
    tmp_path: Path, layout: str, size: int, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa = pytest.importorskip("pyarrow")
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    chosen = random.Random(f"{layout} {size} {fault}")
    fields = [field(chosen, size, fault) for _ in range(ROWS)]
    defined = [chosen.random() < 0.7 for _ in fields]
    path = tmp_path / "notes.struct"
    texts_file(path, layout, size, fields, defined)
    texts = [shown(data) for data in fields]
    expected = {
        "text": texts,
        "maybe": [text if here else None for text, here in zip(texts, defined)],
        "pair": [[text, text] for text in texts],
    }
    for block_bytes in (1 << 19, 7 * size, 1):
        monkeypatch.setattr(_convert, "BLOCK_BYTES", block_bytes)
        with undercroft.open(path) as table:
            arrow, frame, polars_frame = table.to_arrow(), table.to_pandas(), table.to_polars()
            assert {name: table.decode(name) for name in expected} == expected
            assert table.text("text") == texts
        arrow.validate(full=True)
        assert arrow.schema.types == [pa.string(), pa.string(), pa.list_(pa.string(), 2)]
        assert arrow.to_pydict() == expected
        assert [arrow[name].num_chunks for name in expected] == [1, 1, 1]
        assert polars_frame.schema["text"] == polars_frame.schema["maybe"] == polars.String
        assert polars_frame.to_dict(as_series=False) == expected
        assert {name: none(frame[name].tolist()) for name in expected} == expected
        for name in ("text", "maybe"):
            assert frame[name].dtype == pandas.Series(expected[name]).dtype


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [0, 3])
def test_no_rows_and_no_defined_texts_keep_the_types_of_their_columns(tmp_path: Path, layout: str, count: int) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    path = tmp_path / "notes.struct"
    texts_file(path, layout, 4, [b"text"] * count, [False] * count)
    with undercroft.open(path) as table:
        arrow, frame = table.to_arrow(), table.to_pandas()
    arrow.validate(full=True)
    assert arrow.schema.types == [pa.string(), pa.string(), pa.list_(pa.string(), 2)]
    assert arrow["maybe"].to_pylist() == [None] * count
    assert not any(chunk.buffers()[2] for chunk in arrow["maybe"].chunks), "bytes of texts that are not defined"
    assert frame["maybe"].dtype == object
    assert arrow["text"].to_pylist() == frame["text"].tolist() == ["text"] * count


def test_texts_beyond_an_array_of_arrow_are_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    texts = [f"text {i}" for i in range(10)]
    undercroft.write(tmp_path / "notes.struct", {"text": texts})
    monkeypatch.setattr(_convert, "BLOCK_BYTES", 12)
    monkeypatch.setattr(_convert, "MAX_STRING_BYTES", 20)
    with undercroft.open(tmp_path / "notes.struct") as table:
        arrow = table.to_arrow()
        assert [len(chunk) for chunk in arrow["text"].chunks] == [2] * 5
        assert arrow["text"].to_pylist() == table.to_pandas()["text"].tolist() == texts


def test_pandas_has_texts_in_its_own_storage(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "notes.struct"
    undercroft.write(path, {"text": ["a", "é", "", "b"], "maybe": ["é", None, "", None]})
    with pandas.option_context("mode.string_storage", "python"), undercroft.open(path) as table:
        frame = table.to_pandas()
        for name, values in ("text", ["a", "é", "", "b"]), ("maybe", ["é", None, "", None]):
            assert none(frame[name].tolist()) == values
            assert frame[name].dtype == pandas.Series(values).dtype


def test_a_folder_has_texts_of_different_sizes(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    pytest.importorskip("pandas")
    for number, texts in enumerate([["a", "é"], ["a longer text", ""]]):
        (tmp_path / f"day={number}").mkdir()
        undercroft.write(tmp_path / f"day={number}" / "a.struct", {"text": texts})
    with undercroft.open_folder(tmp_path) as folder:
        expected = {"text": ["a", "é", "a longer text", ""], "day": ["0", "0", "1", "1"]}
        assert folder.to_arrow().to_pydict() == folder.to_polars().to_dict(as_series=False) == expected
        assert folder.to_pandas().to_dict("list") == expected


def calls(action: Callable[[], Any]) -> int:
    """The functions that an action calls, those of C included."""
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    action()  # imports and caches
    gc.collect()
    gc.disable()
    sys.setprofile(profile)
    try:
        action()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def test_the_calls_of_a_conversion_do_not_grow_with_the_rows(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    counts = []
    for rows in (1000, 10_000):
        path = tmp_path / f"{rows}.struct"
        values = {"text": ["text", "é"] * (rows // 2), "maybe": [None, "text"] * (rows // 2)}
        undercroft.write(path, values | {"side": ["buy", "sell"] * (rows // 2)}, cases={"side": ["buy", "sell"]})
        with undercroft.open(path) as table:
            actions = (table.to_arrow, table.to_pandas, table.to_polars, lambda: table.decode("text"), lambda: table.decode("maybe"))
            counts.append([calls(action) for action in actions])
    for few, many in zip(*counts):
        assert 0 < many < few + 500, counts
