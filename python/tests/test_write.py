# SPDX-License-Identifier: Apache-2.0
"""Files that Python writes: they have the values of the arrays, and hold by their checksums."""

from __future__ import annotations

import os
import random
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest

import undercroft
from undercroft import Case, Some

LAYOUTS = ("columns", "rows", "packed")


def _everything(rows: int) -> dict[str, Any]:
    """A column of each type that is written."""
    numbers = np.arange(rows)
    small = numbers % 120 - 60
    text = [f"é{i}" * (i % 4) for i in range(rows)]
    return {
        "flag": numbers % 3 == 0,
        "byte": small.astype("i1"),
        "short": (small * 200).astype(">i2"),
        "char": (numbers % 65536).astype("u2"),
        "int": numbers.astype("i4") * -7,
        "long": numbers * -(1 << 40),
        "float": (numbers / 8).astype("f4"),
        "double": np.where(numbers % 5 == 0, np.nan, -numbers / 3),
        "text": np.array(text, "U24"),
        "bytes": np.array([t.encode()[:3] for t in text], "S5"),
        "day": (numbers - 7).astype("M8[D]"),
        "at": numbers.astype("M8[ns]"),
        "took": (-numbers).astype("m8[ms]"),
        "side": np.where(numbers % 2, "buy", "sell"),
        "grid": (np.arange(rows * 6).reshape(rows, 2, 3) % 1000).astype("i2"),
        "names": np.array([[str(i), "x"] for i in range(rows)], "U5").reshape(rows, 2),
        "maybe": np.ma.array(numbers, mask=numbers % 4 == 1),
        "note": [None if i % 3 else f"n{i}" for i in range(rows)] or np.zeros(0, "U1"),
        "point": np.array([(i % 9, i / 2) for i in range(rows)], [("x", "i1"), ("y", "f8")]),
    }


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rows", [0, 1, 64, 20_001])
def test_a_file_has_the_values_of_the_arrays(tmp_path: Path, layout: str, rows: int) -> None:
    path = tmp_path / "all.struct"
    written = _everything(rows)
    undercroft.write(path, written, layout=layout, name="All", cases={"side": ("sell", "buy")}, utc=["at"])
    with undercroft.open(path, verify=True) as table:
        assert (len(table), table.layout, table.durability, table.schema.name) == (rows, layout, "sealed", "All")
        for name in ("flag", "byte", "short", "char", "int", "long", "float", "double", "day", "at", "took", "grid"):
            stored = table[name].astype("M8[D]") if name == "day" else table[name]
            assert np.array_equal(stored, written[name], equal_nan=name in ("float", "double")), name
        assert table.text("text") == written["text"].tolist()
        assert table.text("bytes") == [t.decode(errors="replace") for t in written["bytes"]]
        assert table.decode("side") == written["side"].tolist()
        assert table.decode("names") == written["names"].tolist()
        assert table.decode("maybe") == written["maybe"].tolist()
        assert table.decode("note") == list(written["note"])
        assert table.decode("point") == [{"x": x, "y": y} for x, y in written["point"].tolist()]
        assert table.schema.version == 3
    assert [p.name for p in tmp_path.iterdir()] == ["all.struct"]


def test_a_structured_array_is_written_with_the_places_of_c(tmp_path: Path) -> None:
    path = tmp_path / "trades.struct"
    trades = np.array([(1, 0.5, b"a"), (2, -0.0, b"bc")], np.dtype([("id", "i2"), ("price", "f8"), ("t", "S3")], align=True))
    undercroft.write(path, trades, layout="rows")
    with undercroft.open(path, verify=True) as table:
        assert table.array.tolist() == trades.tolist()
        assert (table.schema.stride, table.schema.version) == (trades.itemsize, 2)


def test_a_file_is_replaced_only_if_that_is_said(tmp_path: Path) -> None:
    path, link = tmp_path / "t.struct", tmp_path / "link.struct"
    undercroft.write(path, {"a": [1]})
    with undercroft.open(path) as old:
        with pytest.raises(FileExistsError, match="overwrite=True replaces it"):
            undercroft.write(path, {"a": [2, 3]})
        assert old["a"].tolist() == [1]
        os.symlink(path, link)
        undercroft.write(link, {"a": [2, 3]}, overwrite=True)
        assert old["a"].tolist() == [1]
    assert link.is_symlink() and undercroft.open(path)["a"].tolist() == [2, 3]
    with pytest.raises(OSError):
        undercroft.write(tmp_path / "no" / "t.struct", {"a": [1]})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.struct", "t.struct"]


def _objects(i: int) -> dict[str, Any]:
    """A row of Python's objects, as `decode` returns them."""
    at = np.datetime64(i, "us")
    return {
        "price": Decimal(i * 25) / 100,
        "wide": Decimal(f"{i}e25") + Decimal(f"0.{i}"),
        "id": UUID(int=(i << 100) + (1 << 127)),
        "ids": [UUID(int=i), UUID(int=1 << 64)],
        "day": np.datetime64("2026-11-24") + i,
        "opens": np.timedelta64(i, "us"),
        "at": at,
        "change": (
            Case("Opened", {}),
            Case("Renamed", {"name": f"n{i}", "old": None if i % 2 else "x"}),
            Case("Moved", {"to": i}),
        )[i % 3],
        "changes": [Case("Opened", {}), Case("Moved", {"to": -i})],
        "maybe": None if i % 4 == 1 else Decimal(i),
        "nested": Some(None) if i % 3 == 0 else None if i % 3 == 1 else Some(i),
        "cells": [None if i % 2 else i, None, 7],
        "points": [[{"x": i, "y": None}, {"x": 1, "y": 0.5}], [{"x": 2, "y": i / 2}, {"x": 3, "y": None}]],
        "lines": None if i % 5 == 2 else [i, i + 1],
        "place": {"name": f"p{i}", "at": {"x": i, "tags": ["a", str(i)]}},
    }


@pytest.mark.parametrize("layout", LAYOUTS)
def test_objects_are_written_as_they_are_read(tmp_path: Path, layout: str) -> None:
    rows = [_objects(i) for i in range(60)]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    cases = ("Opened", "Renamed", "Moved")
    for path in (tmp_path / "first", tmp_path / "second"):
        undercroft.write(
            path, columns, layout=layout, times=["opens"], utc=["at"], decimals={"wide": (38, 4)},
            cases={"change": cases, "changes": cases},
        )  # fmt: skip
        with undercroft.open(path, verify=True) as table:
            assert list(table.rows()) == rows
            columns = {name: table.decode(name) for name in table.names}
            kinds = str(table.schema)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert "decimal(18, 2)" in kinds and "decimal(38, 4)" in kinds and "time[us]" in kinds and "timestamp[us, UTC]" in kinds


def test_times_of_python_are_written_in_microseconds(tmp_path: Path) -> None:
    path = tmp_path / "t.struct"
    columns: dict[str, Any] = {
        "day": [date(2026, 11, 24), None],
        "time": [time(1, 2, 3, 4), time(23, 59, 59, 999_999)],
        "local": [datetime(2026, 11, 24, 12), datetime(1, 1, 1)],
        "at": [datetime(2026, 11, 24, 12, tzinfo=timezone(timedelta(hours=2))), None],
        "took": [timedelta(seconds=-1), timedelta(days=3)],
    }
    undercroft.write(path, columns)
    with undercroft.open(path, verify=True) as table:
        assert table.decode("day") == [np.datetime64("2026-11-24"), None]
        assert table.decode("time") == [np.timedelta64(3_723_000_004, "us"), np.timedelta64(86_399_999_999, "us")]
        assert table.decode("local") == [np.datetime64("2026-11-24T12", "us"), np.datetime64("0001-01-01", "us")]
        assert table.decode("at") == [np.datetime64("2026-11-24T10", "us"), None]
        assert table.decode("took") == [np.timedelta64(-1, "s"), np.timedelta64(3, "D")]


def test_masked_elements_and_arrays_of_structs_are_written(tmp_path: Path) -> None:
    path = tmp_path / "t.struct"
    cells = np.ma.array([[1, 2], [3, 4]], mask=[[True, False], [False, False]])
    points = np.array([[(1, 0.5), (2, 1.5)]] * 2, [("x", "i2"), ("y", "f8")])
    undercroft.write(path, {"cells": cells, "points": points}, layout="rows")
    with undercroft.open(path, verify=True) as table:
        assert table.decode("cells") == [[None, 2], [3, 4]]
        assert table.decode("points") == [[{"x": 1, "y": 0.5}, {"x": 2, "y": 1.5}]] * 2


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {}, "there must be a column at least"),
    ({"a": [1], "b": [1, 2]}, {}, "equal lengths, but have {'a': 1, 'b': 2}"),
    ({"a": np.zeros(1, "u4")}, {}, "column a must be of bool, .* but is of uint32: cast it"),
    ({"a": np.zeros(1, "f2")}, {}, "is of float16"),
    ({"a": np.zeros(1, "c8")}, {}, "is of complex64"),
    ({"a": [object()]}, {}, "column a must have values of one type"),
    ({"a": [1, "x", None]}, {"layout": "tree"}, "layout must be rows, packed, columns, but is 'tree'"),
    ({"a": ["x\0y"]}, {}, "column a must have texts without a zero character"),
    ({"a": np.zeros(1, "M8[h]")}, {}, r"column a must have the unit s, ms, us, ns, or D .* datetime64\[h\]"),
    ({"a": np.zeros(1, "m8[D]")}, {}, "must have the unit"),
    ({"a": np.array([1 << 40], "M8[D]")}, {}, "days from 1970, but has more"),
    ({"a": ["x"]}, {"cases": {"a": ["y"]}}, "column a must have the cases y, but has 'x'"),
    ({"a": [3]}, {"cases": {"a": ["y", "z"]}}, "numbers of cases from 0 to 1, but has 3 to 3"),
    ({"a": [3]}, {"cases": {"b": ["y"]}}, "decimals must name columns of enums, .*, but name b"),
    ({"a": [3]}, {"utc": ["a"]}, "but name a"),
    ({"": [3]}, {}, "the name of a column must be a str that is not empty"),
    ({"a": 3}, {}, "must be an array with an element for each row"),
    ({"a": [1, "x"]}, {}, "must have values of one type of bool, .*, but has texts among others"),
    ({"a": [Decimal(1), 2]}, {}, "must have values of one type of .*Decimal.*, but has Decimal, int"),
    ({"a": [object()]}, {}, "but has object"),
    ({"a": [Decimal("NaN")]}, {}, "decimals that are finite, but has NaN"),
    ({"a": [Decimal(10) ** 38]}, {}, "at most 38 digits, but has 39"),
    ({"a": [Decimal("0.125")]}, {"decimals": {"a": (9, 2)}}, "at most 2 digits after the point, but has 3"),
    ({"a": [Decimal("100")]}, {"decimals": {"a": (4, 2)}}, "at most 4 digits, but has 5"),
    ({"a": [{"x": 1}, {"y": 1}]}, {}, "must have dicts with the keys"),
    ({"a": [[1], [1, 2]]}, {}, "lists of equal lengths, but has"),
    ({"a": [Case("A", {})]}, {}, "cases must name all cases of the enum, in their order"),
    ({"a": [Case("A", {}), Case("A", {"x": 1})]}, {"cases": {"a": ["A"]}}, "the same fields in each Case A"),
    ({"a": [Case("B", {})]}, {"cases": {"a": ["A"]}}, "must have the cases A, but has 'B'"),
    ({"a": [None]}, {}, "column a must have a value"),
    ({"a": [datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=timezone.utc)]}, {}, "has both"),
    ({"a": [3]}, {"times": ["a"]}, "but name a"),
]


@pytest.mark.parametrize(("columns", "options", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_arrays_that_cannot_be_stored_are_refused(
    tmp_path: Path, columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        undercroft.write(tmp_path / "t.struct", columns, **options)
    assert list(tmp_path.iterdir()) == []


def test_each_changed_byte_of_a_written_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "t.struct"
    undercroft.write(path, {"a": np.arange(100), "b": ["x", None] * 50})
    whole = path.read_bytes()
    choice = random.Random(7)
    for _ in range(200):
        changed = bytearray(whole)
        changed[choice.randrange(len(whole))] ^= 1 << choice.randrange(8)
        path.write_bytes(changed)
        with pytest.raises(undercroft.UndercroftError):
            undercroft.open(path, verify=True)


def test_missing_times_are_options(tmp_path: Path) -> None:
    path = tmp_path / "t.struct"
    undercroft.write(path, {"at": np.array(["2026-11-29T12:00:00", "NaT"], "M8[s]")})
    assert undercroft.open(path).decode("at") == [np.datetime64("2026-11-29T12:00:00"), None]


def test_a_folder_is_one_table(tmp_path: Path) -> None:
    for name in ("pandas", "pyarrow", "polars"):
        pytest.importorskip(name)
    for day, prices, texts in (("2026-11-24", [1, 2], ["a", "b"]), ("2026-11-25", [3], ["long"])):
        (tmp_path / f"day={day}").mkdir()
        columns = {"price": prices, "t": texts}
        undercroft.write(tmp_path / f"day={day}" / "a.struct", columns)
    with undercroft.open_folder(tmp_path, verify=True) as folder:
        assert (len(folder), folder.names, len(folder.files)) == (3, ("price", "t", "day"), 2)
        assert folder["price"].tolist() == [1, 2, 3]
        assert folder["day"].tolist() == ["2026-11-24"] * 2 + ["2026-11-25"]
        assert folder["t"].tolist() == [b"a", b"b", b"long"]
        assert folder.decode("t") == ["a", "b", "long"]
        assert list(folder.rows())[2] == {"price": 3, "t": "long", "day": "2026-11-25"}
        expected = {"price": [1, 2, 3], "t": ["a", "b", "long"], "day": folder.decode("day")}
        assert folder.to_arrow().to_pydict() == expected
        assert folder.to_polars().to_dict(as_series=False) == expected
        assert folder.to_pandas().to_dict("list") == expected
    last = undercroft.open_folder(tmp_path, where=lambda partition: partition["day"] == "2026-11-25")
    assert last["price"].tolist() == [3]
    with pytest.raises(undercroft.UnknownFieldError, match="no field 'x'"):
        folder["x"]
    undercroft.write(tmp_path / "day=2026-11-25" / "b.struct", {"price": [0.5], "t": ["x"]})
    with pytest.raises(undercroft.LayoutError, match="price is Double, but Long in .*use decode"):
        undercroft.open_folder(tmp_path)["price"]
    (tmp_path / "day=2026-11-25" / "hour=1").mkdir()
    undercroft.write(tmp_path / "day=2026-11-25" / "hour=1" / "c.struct", {"price": [1]})
    with pytest.raises(undercroft.LayoutError, match="its partitions are"):
        undercroft.open_folder(tmp_path)
