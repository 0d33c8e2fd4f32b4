# SPDX-License-Identifier: Apache-2.0
"""Files that no writer writes on this machine: of the other byte order, of version 1, and forged."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forge import (
    BOOLEAN, BYTE, CHAR, DOUBLE, INT, LONG, PAGE, SHORT, TRADE,
    array, big, enum, fields, file, record, schema, slot, struct_type, text, text_type, trades, u32, union, value,
)  # fmt: skip

import undercroft
from undercroft import Case


def written(folder: Path, data: bytes) -> Path:
    path = folder / "forged.struct"
    path.write_bytes(data)
    return path


def one_value(kind: bytes, size: int, data: bytes, **numbers: Any) -> bytes:
    return file(schema("One", value("x", 0, kind)), data, size, len(data) // size, **numbers)


def test_rows_of_the_other_byte_order_are_read(tmp_path: Path) -> None:
    encoded = schema(
        "Mixed",
        value("a", 0, INT),
        value("b", 4, big(SHORT)),
        value("c", 6, enum(SHORT, "X", "Y")),
        value("d", 8, array(2, struct_type("P", 4, value("p", 0, SHORT), value("q", 2, CHAR)))),
    )
    data = b"".join(struct.pack(">ihHhHhH", i, -i, i % 2, i + 1, 65, i + 2, 66) for i in range(5))
    with undercroft.open(written(tmp_path, file(encoded, data, 16, 5, byte_order=1))) as table:
        assert table["a"].tolist() == [0, 1, 2, 3, 4]
        assert table["a"].dtype == np.dtype(">i4")
        assert table["b"].tolist() == [0, -1, -2, -3, -4]
        assert table.array["d"]["p"].tolist() == [[i + 1, i + 2] for i in range(5)]
        expected = {"a": 1, "b": -1, "c": "Y", "d": [{"p": 2, "q": "A"}, {"p": 3, "q": "B"}]}
        assert table.row(1) == expected
        pytest.importorskip("pandas")
        assert table.to_pandas()["a"].tolist() == [0, 1, 2, 3, 4]


def test_a_file_of_version_1_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, one_value(array(6, BYTE), 6, bytes(range(12)), version=1, writer=0))
    with undercroft.open(path) as table:
        assert table["x"].tolist() == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]


def test_the_slot_with_the_higher_generation_is_the_header(tmp_path: Path) -> None:
    older = trades(3)[:PAGE]
    data = bytearray(trades(3, generation=2))
    data[:PAGE] = older
    with undercroft.open(written(tmp_path, bytes(data))) as table:
        assert len(table) == 3
    data[PAGE + 100] ^= 1
    with undercroft.open(written(tmp_path, bytes(data))) as table:
        assert len(table) == 3


def test_every_number_of_the_header_is_checked(tmp_path: Path) -> None:
    wrong: dict[str, tuple[int, ...]] = {
        "byte_order": (2, 255),
        "durability": (3,),
        "layout": (3,),
        "capacity": (2, 1 << 60, (1 << 64) - 1),
        "stride": (0, (1 << 30) + 1, (1 << 64) - 1),
        "data_offset": (0, 4096, 3 * PAGE + 8, (1 << 64) - 4096),
        "schema_bytes": (0, 1 << 40, (1 << 64) - 1),
        "rows": (4, (1 << 64) - 1),
    }
    for name, numbers in wrong.items():
        for number in numbers:
            path = written(tmp_path, trades(3, **{name: number}))
            with pytest.raises(undercroft.CorruptFileError) as caught:
                undercroft.open(path)
            assert str(number) in str(caught.value), (name, number)
    with pytest.raises(undercroft.UnsupportedVersionError, match="version 5 of the format: versions 1 to 4"):
        undercroft.open(written(tmp_path, trades(3, version=5)))
    with pytest.raises(undercroft.CorruptFileError, match="version must be at least 1"):
        undercroft.open(written(tmp_path, trades(3, version=0)))
    with pytest.raises(undercroft.CorruptSchemaError, match="hash"):
        undercroft.open(written(tmp_path, trades(3, schema_hash=b"12345678")))


def test_rows_beyond_the_end_of_the_file_are_refused(tmp_path: Path) -> None:
    for layout in (0, 1, 2):
        path = written(tmp_path, trades(64, layout=layout, rows=1 << 40, capacity=1 << 40))
        with pytest.raises(undercroft.TruncatedFileError):
            undercroft.open(path)


def test_every_fault_of_a_schema_is_an_error(tmp_path: Path) -> None:
    deep = INT
    for _ in range(70):
        deep = array(1, deep)
    wide = INT
    for _ in range(40):
        wide = array(1, wide)
    for encoded, words in {
        schema("A", value("x", 21, INT)): "must end within the 24 bytes",
        schema("A", value("x", 0xFFFFFFFF, INT)): "must end within",
        schema("A", value("x", 0, b"\x0f")): "from 1 to 14, but is 15",
        schema("A", value("x", 0, b"\x00")): "from 1 to 14, but is 0",
        schema("A", b"\x04" + text("x")): "from 0 to 3, but is 4",
        schema("A", value("x", 0, b"\x0e\x08\x05")): "from 1 to 7, but is 8",
        schema("A", value("x", 0, b"\x0e\x01\x06")): "date must not be stored as Long",
        schema("A", value("x", 0, b"\x0e\x03\x04\x00\x06")): "from 0 to 3, but is 4",
        schema("A", value("x", 0, b"\x0e\x03\x01\x02\x06")): "zone must be 0 or 1, but is 2",
        schema("A", value("x", 0, b"\x0e\x05\x27\x00\x06")): "must not have 39 digits",
        schema("A", value("x", 0, b"\x0e\x05\x13\x02\x06")): "must not be stored as Long",
        schema("A", value("x", 0, b"\x0e\x06\x06")): "uuid must not be stored as Long",
        schema("A", value("x", 0, b"\x0e\x01\x0e\x01\x05")): "at most one logical type",
        schema("A", value("x", 0, text_type(0))): "has 0",
        schema("A", value("x", 0, array(1 << 31, INT))): str(1 << 31),
        schema("A", value("x", 0, array(1 << 20, array(1 << 20, INT)))): "bytes or elements",
        schema("A", value("x", 0, enum(DOUBLE, "X"))): "must be of type 2 to 6, but is a Double",
        schema("A", value("x", 0, enum(BYTE, *["X"] * 257))): "257 cases must fit in 1 bytes",
        schema("A", value("x", 0, big(text_type(4)))): "type 1 to 8 or 11",
        schema("A", value("x", 0, struct_type("S", 4, value("y", 1, INT)))): "4 bytes of the struct S",
        schema("A", value("x", 0, deep)): "at most 64 deep",
        schema("A", value("x", 0, INT)) + b"\0": "1 bytes follow the schema",
        schema("A", value("x", 0, INT))[:-1]: "bytes must follow",
        text("A") + u32(0xFFFFFFFF): "remaining bytes",
        text(b"\xff") + fields(): "must be UTF-8",
    }.items():
        with pytest.raises(undercroft.CorruptSchemaError) as caught:
            undercroft.open(written(tmp_path, file(encoded, bytes(24), 24, 1)))
        assert words in str(caught.value)
    with pytest.raises(undercroft.LayoutError, match="40 dimensions"):
        undercroft.open(written(tmp_path, file(schema("A", value("x", 0, wide)), bytes(24), 24, 1)))


def test_columns_must_not_overlap(tmp_path: Path) -> None:
    overlapping = schema("A", value("x", 0, INT), value("y", 2, INT))
    path = written(tmp_path, file(overlapping, bytes(64 * 8), 8, 64, layout=2))
    with pytest.raises(undercroft.CorruptSchemaError, match="the columns of x and y overlap"):
        undercroft.open(path)
    shared = schema("A", union("u", "U", value("x", 0, INT), value("y", 0, INT)), value("z", 4, INT))
    path = written(tmp_path, file(shared, bytes(range(256)) * 2, 8, 64, layout=2))
    with undercroft.open(path) as table:
        assert (table["u.x"] == table["u.y"]).all() and table["z"][0] == 0x03020100


def test_a_case_number_without_a_case_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, one_value(enum(BYTE, "A", "B"), 1, bytes([0, 1, 200])))
    with undercroft.open(path) as table:
        assert table["x"].tolist() == [0, 1, 200]
        assert table.decode("x", 0, 2) == ["A", "B"]
        for read in (table.to_pandas, table.to_arrow):
            pytest.importorskip(read.__name__.removeprefix("to_").replace("arrow", "pyarrow"))
            with pytest.raises(undercroft.CorruptFileError, match="from 0 to 1, but is 200"):
                read()
        with pytest.raises(undercroft.CorruptFileError) as caught:
            table.row(2)
        assert caught.value.offset == 3 * PAGE + 2


def test_bytes_that_belong_to_another_case_are_not_decoded(tmp_path: Path) -> None:
    encoded = schema(
        "Change",
        value("tag", 0, enum(BYTE, "Painted", "Named")),
        union(
            "",
            "",
            record("Painted", "Painted", value("color", 1, enum(BYTE, "Red"))),
            record("Named", "Named", value("name", 1, text_type(2))),
        ),
    )
    with undercroft.open(written(tmp_path, file(encoded, b"\0\0\0\1\xc3\xa9", 3, 2))) as table:
        assert list(table) == [Case("Painted", {"color": "Red"}), Case("Named", {"name": "é"})]
        assert table.row(1)["name"] == "é"


def test_an_empty_option_is_not_decoded(tmp_path: Path) -> None:
    option = record("o", "Option", value("isDefined", 0, BOOLEAN), value("get", 1, enum(BYTE, "Red")))
    with undercroft.open(written(tmp_path, file(schema("A", option), b"\0\xff\2\0", 2, 2))) as table:
        assert list(table) == [{"o": None}, {"o": "Red"}]


def test_fields_of_equal_names_are_told_apart(tmp_path: Path) -> None:
    encoded = schema("A", value("x", 0, BYTE), value("x", 1, BYTE), value("", 2, BYTE))
    with undercroft.open(written(tmp_path, file(encoded, b"\1\2\3", 3, 1))) as table:
        assert table.row(0) == {"x": 1, "x_2": 2, "value": 3}
        assert table.array.dtype.names == ("x", "x_2", "value")


def test_a_text_ends_before_its_first_zero_and_invalid_utf8_is_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, one_value(text_type(4), 4, b"ab\0cabcda\xff\0\0\0\0\0\0"))
    with undercroft.open(path) as table:
        assert table.text("x") == ["ab", "abcd", "a\ufffd", ""]


def test_rows_in_doubt_are_refused_with_the_allowed_range(trades: Path) -> None:
    with undercroft.open(trades) as table:
        for index in (3, -4):
            with pytest.raises(IndexError, match=f"row must be from -3 to 2, but is {index}"):
                table.row(index)
        with pytest.raises(IndexError, match=r"within \[0, 3\), but are \[1, 4\)"):
            table.decode("price", 1, 4)
        with pytest.raises(undercroft.UnknownFieldError, match="the fields are price, amount, buy, ticker"):
            table["prize"]
        with pytest.raises(KeyError):
            table["prize"]
        with pytest.raises(undercroft.LayoutError, match="price must be a text field"):
            table.text("price")
        assert "price" in table and "prize" not in table


def test_an_empty_table_has_empty_arrays(tmp_path: Path) -> None:
    for layout in (0, 1, 2):
        with undercroft.open(written(tmp_path, file(TRADE, b"", 24, 0, layout=layout))) as table:
            assert len(table) == 0 and list(table) == []
            assert table["price"].shape == (0,)
            assert table.text("ticker") == []
            table.verify()


def test_arrays_outlive_their_table(trades: Path) -> None:
    with undercroft.open(trades) as table:
        prices = table["price"]
    assert table.is_closed
    os.truncate(trades, os.path.getsize(trades))
    assert prices.tolist() == [0.0, 0.25, 0.5]
    for use in (lambda: table["price"], lambda: table.row(0), table.verify, table.refresh, table.to_arrow):
        with pytest.raises(undercroft.ClosedTableError):
            use()
    table.close()


def test_a_file_that_is_cut_while_it_is_open_is_an_error(trades: Path) -> None:
    with undercroft.open(trades) as mapped, undercroft.open(trades, mapped=False) as read:
        os.truncate(trades, 3 * PAGE + 30)
        for use in (lambda: mapped["price"], lambda: mapped.row(0), mapped.verify, lambda: mapped.array):
            with pytest.raises(undercroft.TruncatedFileError, match="it needs 12360 bytes, but has 12318"):
                use()
        assert read["price"].tolist() == [0.0, 0.25, 0.5]


def test_a_replaced_file_is_recognized(trades: Path, tmp_path: Path) -> None:
    with undercroft.open(trades) as table:
        assert not table.is_replaced
        other = tmp_path / "other"
        other.write_bytes(trades.read_bytes())
        os.replace(other, trades)
        assert table.is_replaced
        assert table.refresh() == 3


def test_a_refresh_that_finds_another_table_is_an_error(trades: Path) -> None:
    import forge

    for changed in (
        forge.trades(2, generation=3),
        forge.trades(3, generation=3, stride=32, capacity=3),
        slot(version=2, generation=3, capacity=3, stride=24, data_offset=4 * PAGE, schema_bytes=5, rows=3),
    ):
        trades.write_bytes(forge.trades())
        with undercroft.open(trades) as table:
            with trades.open("r+b") as raw:
                raw.seek(PAGE)
                raw.write(changed[-PAGE:] if len(changed) == PAGE else changed[PAGE : 2 * PAGE])
            with pytest.raises(undercroft.UndercroftError):
                table.refresh()
            assert table["amount"].tolist() == [0, 1, 2]


@pytest.mark.skipif(not hasattr(os, "pread"), reason="this system reads only at the position of a file")
def test_reads_leave_the_position_of_the_file_that_forked_processes_share(tmp_path: Path) -> None:
    import forge

    for data in (trades(), forge.archive()):
        with undercroft.open(written(tmp_path, data), mapped=False) as table:
            assert table._file is not None
            descriptor = table._file.file.fileno()
            os.lseek(descriptor, 17, os.SEEK_SET)
            assert table.decode("amount")[:2] in ([0, 1], [[0], [1]])
            table.refresh()
            table.verify()
            assert os.lseek(descriptor, 0, os.SEEK_CUR) == 17


def test_files_that_are_no_struct_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        undercroft.open(tmp_path / "absent")
    with pytest.raises(undercroft.NotAStructFileError, match="not a regular file"):
        undercroft.open(tmp_path)
    with pytest.raises(undercroft.NotAStructFileError, match="it is empty"):
        undercroft.open(written(tmp_path, b""))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(undercroft.NotAStructFileError):
            undercroft.open(tmp_path / "pipe")


def test_an_untagged_union_decodes_every_member(tmp_path: Path) -> None:
    both = struct_type("", 4, union("", "", value("whole", 0, INT), value("color", 0, enum(BYTE, "Red"))))
    with undercroft.open(written(tmp_path, one_value(both, 4, struct.pack("<ii", 258, 0)))) as table:
        assert list(table) == [{"x": {"whole": 258, "color": 2}}, {"x": {"whole": 0, "color": "Red"}}]


def test_long_and_double_keep_every_bit(tmp_path: Path) -> None:
    with undercroft.open(written(tmp_path, one_value(LONG, 8, struct.pack("<q", (1 << 63) - 1)))) as table:
        assert table.row(0) == {"x": (1 << 63) - 1}
    with undercroft.open(written(tmp_path, one_value(DOUBLE, 8, struct.pack("<d", 0.1)))) as table:
        assert table.row(0) == {"x": 0.1}
