# SPDX-License-Identifier: Apache-2.0
"""Files that Scala wrote, of every kind and layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import sample, samples

import undercroft
from undercroft import Case, Some


def encoded(value: Any) -> Any:
    """A decoded value in the form of the JSON beside a sample."""
    if isinstance(value, Case):
        return {"case": value.case, "fields": encoded(value.fields)}
    if isinstance(value, Some):
        return {"Some": encoded(value.value)}
    if isinstance(value, dict):
        return {name: encoded(part) for name, part in value.items()}
    return [encoded(part) for part in value] if isinstance(value, list) else value




@pytest.mark.parametrize("mapped", [True, False])
@pytest.mark.parametrize("name", samples("everything") + samples("rare") + samples("changes"))
def test_every_row_is_decoded_to_the_value_that_was_written(name: str, mapped: bool) -> None:
    path, expected = sample(name)
    with undercroft.open(path, mapped=mapped) as table:
        assert table.layout == expected["layout"]
        assert table.durability == expected["durability"]
        assert len(table) == len(expected["rows"])
        assert [encoded(row) for row in table] == expected["rows"]
        assert [encoded(table.row(i)) for i in range(len(table))] == expected["rows"]
        table.verify()


@pytest.mark.parametrize("name", samples("everything70"))
def test_arrays_are_views_of_the_file(name: str) -> None:
    path, expected = sample(name)
    rows = expected["rows"]
    with undercroft.open(path) as table:
        for field in ("bool", "byte", "short", "int", "long", "float", "double", "array", "matrix", "big"):
            array = table[field]
            assert array.tolist() == [row[field] for row in rows], field
            assert not array.flags.owndata and not array.flags.writeable, field
        assert table["matrix"].shape == (70, 2, 2)
        assert table["char"].tolist() == [ord("é")] * 70
        assert table["flags"].dtype == np.bool_
        assert table["big"].dtype == np.dtype(">i4")
        assert table["color"].dtype == np.dtype("u1")
        assert table.categories("color") == ("Red", "Green", "Blue")
        assert table.categories("change.tag") == ("Opened", "Traded", "Renamed")
        assert table["point.x"].tolist() == list(range(70))
        assert table["option.isDefined"].tolist() == [i % 2 == 0 for i in range(70)]
        assert table["change.Traded.price"][1] == 1000
        assert table["points"]["x"].tolist() == [[1, i] for i in range(70)]
        assert table.text("text") == [row["text"] for row in rows]
        assert table.decode("color", 3, 5) == ["Red", "Green"]
        if table.layout == "columns":
            with pytest.raises(undercroft.LayoutError, match="point.x, point.y"):
                table["point"]
            with pytest.raises(undercroft.LayoutError, match="array needs rows"):
                table.array
        else:
            array = table.array
            assert array.shape == (70,) and array.dtype.itemsize == table.schema.stride
            assert array["point"]["y"].tolist() == [7] * 70
            assert table["point"]["x"].tolist() == array["point"]["x"].tolist()
            assert array["matrix"].shape == (70, 2, 2)
            assert array["change"]["Renamed"]["name"][2] == b"a longer name 2"
            assert array["text"][1] == b"a longer text 1"
            assert not array.flags.owndata and not array.flags.writeable


@pytest.mark.parametrize("name", samples("rare"))
def test_case_numbers_above_127_are_read_without_a_sign(name: str) -> None:
    path, _ = sample(name)
    with undercroft.open(path) as table:
        assert table["wide"].tolist() == [i + 40 for i in range(70)]
        assert table["cube"].shape == (70, 2, 3, 4)
        assert table["bigDouble"].dtype == np.dtype(">f8")
        assert table["bigDouble"][3] == 1.5
        assert table["colors"].shape == (70, 3)


@pytest.mark.parametrize("name", samples("day"))
def test_a_file_of_many_blocks_has_its_values_and_checksums(name: str) -> None:
    path, expected = sample(name)
    with undercroft.open(path, verify=True) as table:
        count = expected["trades"]
        numbers = np.arange(count)
        assert len(table) == count
        assert (table["price"] == numbers * 0.25).all()
        assert (table["amount"] == numbers % 1000).all()
        assert (table["buy"] == (numbers % 2 == 0)).all()
        assert table.decode("ticker", count - 2) == ["T48", "T49"]
        assert table.row(-1) == {"price": (count - 1) / 4, "amount": 999, "buy": False, "ticker": "T49"}
        assert table.refresh() == count


@pytest.mark.parametrize("name", samples("fault"))
def test_a_faulty_file_raises_the_error_of_its_fault(name: str) -> None:
    path, expected = sample(name)
    kind = getattr(undercroft, expected["error"])
    if expected["atVerify"]:
        with undercroft.open(path) as table:
            with pytest.raises(kind) as caught:
                table.verify()
    else:
        with pytest.raises(kind) as caught:
            undercroft.open(path)
    assert type(caught.value) is kind
    assert isinstance(caught.value, undercroft.UndercroftError)
    assert str(caught.value).startswith(f"{path}: offset {caught.value.offset}: ")


@pytest.mark.parametrize("name", samples("everything70-columns-sealed"))
def test_the_schema_is_readable(name: str) -> None:
    path, _ = sample(name)
    with undercroft.open(path) as table:
        shown = str(table.schema)
    assert shown.startswith("Everything: columns, little-endian, ")
    for part in ("Text[24]", "Enum[Red, Green, Blue]", "Array[2] of Array[2] of Short", "big-endian Int", "Option"):
        assert part in shown
