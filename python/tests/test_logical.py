# SPDX-License-Identifier: Apache-2.0
"""Logical types: dates, times, decimals and UUIDs."""

from __future__ import annotations

import struct
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import forge
import numpy as np
import pytest
from conftest import sample, samples

import undercroft

DATE, UUID_TYPE = b"\x0e\x01", b"\x0e\x06"


def shown(value: Any) -> Any:
    if isinstance(value, list):
        return [shown(part) for part in value]
    return None if value is None else str(value)


@pytest.mark.parametrize("name", samples("visits"))
def test_every_value_is_decoded_to_the_one_that_was_written(name: str) -> None:
    path, expected = sample(name)
    with undercroft.open(path, verify=True) as table:
        assert table.schema.version == (4 if table.is_compressed else 3)
        rows = [{field: shown(value) for field, value in row.items()} for row in table]
        assert rows == expected["rows"]
        assert table["at"].dtype == np.dtype("M8[ns]")
        assert table["length"].dtype == np.dtype("m8[ns]")
        assert table["local"].dtype == np.dtype("M8[s]")
        assert table["paid"].dtype.newbyteorder("=") == np.dtype("M8[ns]")
        assert (table["paid"] == table["at"]).all()
        assert not table["at"].flags.owndata
        assert str(table["day"].astype("M8[D]")[0]) == "1969-12-01"
        assert "timestamp[ns, UTC]" in str(table.schema) and "decimal(18, 2)" in str(table.schema)
        assert isinstance(table.row(0)["price"], Decimal) and isinstance(table.row(0)["id"], UUID)


@pytest.mark.parametrize("name", samples("visits"))
def test_arrow_has_its_own_types(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    path, expected = sample(name)
    with undercroft.open(path) as table:
        arrow = table.to_arrow()
        arrow.validate(full=True)
        assert [str(arrow.schema.field(i).type) for i in range(11)] == [
            "date32[day]", "time64[ns]", "timestamp[ns, tz=UTC]", "timestamp[s]", "duration[ns]",
            "decimal128(18, 2)", "decimal128(38, 10)", "extension<arrow.uuid>", "date32[day]",
            "timestamp[ns, tz=UTC]", "extension<arrow.uuid>",
        ]  # fmt: skip
        for field in ("day", "price", "wide", "id", "back", "partner", "days"):
            assert shown(arrow[field].to_pylist()) == [row[field] for row in expected["rows"]], field
        assert arrow["at"].cast(pa.int64()).to_pylist() == table["at"].astype("i8").tolist()
        assert arrow["until"].null_count == sum(row["until"] is None for row in expected["rows"])


@pytest.mark.parametrize("name", samples("visits"))
def test_pandas_has_datetimes_with_their_unit_and_zone(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    path, expected = sample(name)
    with undercroft.open(path) as table:
        frame = table.to_pandas()
        assert str(frame["at"].dtype) == "datetime64[ns, UTC]"
        assert str(frame["local"].dtype) == "datetime64[s]"
        assert str(frame["length"].dtype) == "timedelta64[ns]"
        assert frame["day"].dt.strftime("%Y-%m-%d").tolist() == [row["day"] for row in expected["rows"]]
        assert frame["back"].isna().tolist() == [row["back"] is None for row in expected["rows"]]
        assert shown(frame["price"].tolist()) == [row["price"] for row in expected["rows"]]
        assert shown(frame["id"].tolist()) == [row["id"] for row in expected["rows"]]
        assert frame["at"].astype("int64").tolist() == table["at"].astype("i8").tolist()
        assert pandas.isna(frame["until"][1])


@pytest.mark.parametrize("name", samples("visits"))
def test_polars_has_the_values(name: str) -> None:
    pytest.importorskip("polars")
    path, expected = sample(name)
    with undercroft.open(path) as table:
        frame = table.to_polars()
        assert frame["day"].cast(str).to_list() == [row["day"] for row in expected["rows"]]
        assert shown(frame["price"].to_list()) == [row["price"] for row in expected["rows"]]
        assert str(UUID(bytes=frame["id"][0])) == expected["rows"][0]["id"]


def test_dates_and_uuids_have_their_extreme_values(tmp_path: Path) -> None:
    """A file written by the documentation, byte by byte."""
    halves = (forge.value("high", 8, forge.LONG), forge.value("low", 16, forge.LONG))
    encoded = forge.schema(
        "Visit",
        forge.value("day", 0, DATE + forge.INT),
        b"\x03" + forge.text("id") + b"\x06" + forge.text("Pair") + forge.fields(*halves),
    )
    rows = [(-(2**31), -1, -1), (2**31 - 1, -(2**63), 0), (0, 0, 7)]
    data = b"".join(struct.pack("<i4xqq", *row) for row in rows)
    path = tmp_path / "visits.struct"
    path.write_bytes(forge.file(encoded, data, 24, 3, version=3))
    with undercroft.open(path) as table:
        assert [str(day) for day in table.decode("day")] == ["-5877641-06-23", "5881580-07-11", "1970-01-01"]
        assert table.decode("id") == [UUID(int=2**128 - 1), UUID(int=2**127), UUID(int=7)]


def test_a_folder_has_uuids_of_16_bytes_for_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some versions of Polars refuse the UUID of Arrow."""
    pa, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    halves = (forge.value("high", 0, forge.LONG), forge.value("low", 8, forge.LONG))
    encoded = forge.schema("Visit", b"\x03" + forge.text("id") + b"\x06" + forge.text("Pair") + forge.fields(*halves))
    for number in range(2):
        data = struct.pack("<qq", 0, number)
        (tmp_path / f"{number}.struct").write_bytes(forge.file(encoded, data, 16, 1, version=3))
    types = []
    original = polars.from_arrow
    monkeypatch.setattr(polars, "from_arrow", lambda arrow: types.append(arrow.schema.field("id").type) or original(arrow))
    with undercroft.open_folder(tmp_path) as folder:
        assert folder.to_polars()["id"].to_list() == [UUID(int=number).bytes for number in range(2)]
        assert types == [pa.binary(16)]
        assert [id.bytes if isinstance(id, UUID) else id for id in folder.to_arrow()["id"].to_pylist()] == [
            UUID(int=number).bytes for number in range(2)
        ]
