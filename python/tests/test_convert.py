# SPDX-License-Identifier: Apache-2.0
"""Conversions to pandas, Arrow and Polars."""

from __future__ import annotations

import importlib
import struct
from pathlib import Path
from typing import Any

import forge
import pytest
from conftest import sample, samples

import undercroft


def flattened(value: Any) -> Any:
    """A row of the JSON as Arrow gives it: a case is a struct of its tag and of all cases."""
    if isinstance(value, dict) and set(value) == {"Some"}:
        return {"get": value["Some"]}
    if isinstance(value, dict):
        return {name: flattened(part) for name, part in value.items()}
    return [flattened(part) for part in value] if isinstance(value, list) else value


def of_change(value: dict[str, Any]) -> dict[str, Any]:
    cases = {"tag": value["case"], "Traded": None, "Renamed": None}
    return cases | ({value["case"]: value["fields"]} if value["fields"] else {})


@pytest.mark.parametrize("name", samples("everything70") + samples("everything0"))
def test_arrow_has_the_values_that_were_written(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    path, expected = sample(name)
    with undercroft.open(path) as table:
        arrow = table.to_arrow()
        arrow.validate(full=True)
        rows = []
        for row in expected["rows"]:
            rows.append(flattened(row) | {"change": of_change(row["change"]), "char": ord(row["char"])})
        assert arrow.to_pylist() == rows
        assert arrow.schema.field("color").type == pa.dictionary(pa.int8(), pa.string())
        assert arrow.schema.field("matrix").type == pa.list_(pa.list_(pa.int16(), 2), 2)
        if table.layout == "columns" and rows:
            address = table["price" if "price" in table else "long"].__array_interface__["data"][0]
            assert arrow["long"].chunk(0).buffers()[1].address == address


@pytest.mark.parametrize("name", samples("rare"))
def test_arrow_has_arrays_of_structs_and_hierarchies(name: str) -> None:
    pytest.importorskip("pyarrow")
    path, expected = sample(name)
    with undercroft.open(path) as table:
        arrow = table.to_arrow()
        arrow.validate(full=True)
        for field in ("wide", "cube", "colors", "names", "options", "union", "bigDouble", "bigShort"):
            assert arrow[field].to_pylist() == [row[field] for row in expected["rows"]], field
        row = arrow["maybeShape"].to_pylist()[0]
        assert row["tag"] == "Polygon" and row["Circle"] is None
        assert row["Polygon"]["corners"][1] == {"x": 1, "y": 1}
        assert arrow["maybeShape"].to_pylist()[1] is None


@pytest.mark.parametrize("name", samples("everything70") + samples("everything0") + samples("changes"))
def test_pandas_has_the_values_that_were_written(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    path, expected = sample(name)
    with undercroft.open(path) as table:
        frame = table.to_pandas()
    rows = expected["rows"]
    assert len(frame) == len(rows)
    if name.startswith("changes"):
        assert [case.case for case in frame["value"]] == [row["case"] for row in rows]
        return
    for field in ("bool", "byte", "short", "int", "long", "float", "double", "text", "color", "char", "big"):
        assert frame[field].tolist() == [row[field] for row in rows], field
    assert frame["point.x"].tolist() == [row["point"]["x"] for row in rows]
    assert frame["option"].dtype == pandas.Int32Dtype()
    for field in ("option", "maybe", "named", "absent"):
        column = [None if value is None or value is pandas.NA or value != value else value for value in frame[field]]
        assert column == [row[field] for row in rows], field
    assert isinstance(frame["color"].dtype, pandas.CategoricalDtype)
    assert frame["array"].tolist() == [row["array"] for row in rows]


@pytest.mark.parametrize("big", [False, True])
def test_pandas_has_halves_of_surrogate_pairs_as_objects(tmp_path: Path, big: bool) -> None:
    pytest.importorskip("pandas")
    kind = forge.big(forge.CHAR) if big else forge.CHAR
    encoded = forge.schema("Unit", forge.value("unit", 0, kind), forge.value("n", 2, forge.SHORT))
    form = ">H" if big else "<H"
    for units in [0x41, 0xD7FF, 0xE000], [0x41, 0xD800, 0xDFFF]:
        path = tmp_path / f"units-{units[1]}.struct"
        rows = b"".join(struct.pack(form, unit) + b"\1\0" for unit in units)
        path.write_bytes(forge.file(encoded, rows, 4, len(units)))
        with undercroft.open(path) as table:
            frame = table.to_pandas()
        assert frame["unit"].tolist() == [chr(unit) for unit in units]
        if 0xD800 in units:
            assert frame["unit"].dtype == object
        assert frame["n"].tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", samples("everything70") + samples("rare") + samples("changes") + samples("day"))
def test_polars_has_the_values_that_were_written(name: str) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    path, expected = sample(name)
    with undercroft.open(path) as table:
        frame = table.to_polars()
        assert frame.height == len(table)
        if name.startswith("everything"):
            for field in ("bool", "int", "long", "text", "color", "option", "maybe", "named", "point", "matrix"):
                assert frame[field].to_list() == [row[field] for row in expected["rows"]], field
        if name.startswith("rare"):
            for field in ("wide", "cube", "colors", "names", "options"):
                assert frame[field].to_list() == [row[field] for row in expected["rows"]], field


def test_a_missing_package_is_named_with_its_cure(trades: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = importlib.import_module

    def absent(name: str, package: str | None = None) -> Any:
        if name in ("pandas", "pyarrow", "polars"):
            raise ImportError(f"No module named {name!r}")
        return original(name, package)

    monkeypatch.setattr(importlib, "import_module", absent)
    with undercroft.open(trades) as table:
        for call, extra in ((table.to_pandas, "pandas"), (table.to_arrow, "arrow"), (table.to_polars, "polars")):
            with pytest.raises(ImportError, match=rf"not installed: pip install 'undercroft\[{extra}\]'"):
                call()
