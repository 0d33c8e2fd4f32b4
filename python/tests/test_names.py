# SPDX-License-Identifier: Apache-2.0
"""Fields whose names contain dots, beside fields with the same dotted path."""

from __future__ import annotations

import struct
from pathlib import Path

import forge
import pytest

import undercroft


def dotted(path: Path) -> Path:
    encoded = forge.schema(
        "Dotted",
        forge.value("p.x", 0, forge.INT),
        forge.record("p", "Part", forge.value("x", 4, forge.INT)),
        forge.value("a.b", 8, forge.INT),
    )
    rows = [struct.pack("<iii", i, 100 + i, 1000 + i) for i in range(3)]
    path.write_bytes(forge.file(encoded, b"".join(rows), 12, 3))
    return path


def test_an_ambiguous_path_is_refused(tmp_path: Path) -> None:
    with undercroft.open(dotted(tmp_path / "dotted.rows")) as table:
        assert "p.x" in table
        with pytest.raises(undercroft.UnknownFieldError, match="several fields are 'p.x'"):
            table["p.x"]
        assert table["a.b"].tolist() == [1000, 1001, 1002]
        assert table["p"]["x"].tolist() == [100, 101, 102]
        assert table.array["p.x"].tolist() == [0, 1, 2]


def test_a_data_frame_loses_no_column(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    with undercroft.open(dotted(tmp_path / "dotted.rows")) as table:
        with pytest.raises(undercroft.LayoutError, match="several columns are 'p.x'"):
            table.to_pandas()


def test_arrow_has_both_fields(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with undercroft.open(dotted(tmp_path / "dotted.rows")) as table:
        arrow = table.to_arrow()
        assert arrow["p.x"].to_pylist() == [0, 1, 2]
        assert arrow["p"].to_pylist() == [{"x": 100}, {"x": 101}, {"x": 102}]
