# SPDX-License-Identifier: Apache-2.0
"""Files that a writer in a JVM appends to while Python reads them."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Iterator

import numpy as np
import pytest
from conftest import FOLDER

import undercroft

PORT = os.environ.get("UNDERCROFT_WRITER")

pytestmark = pytest.mark.skipif(
    PORT is None or FOLDER is None,
    reason="UNDERCROFT_WRITER is no port of a writer: ./mill python.outside.test starts one",
)


class Writer:
    """The other side is `Writer.scala`: an order is a line, and so is its answer."""

    def __init__(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", int(PORT or "0")))
        self.lines = self.socket.makefile("r")

    def order(self, line: str) -> int:
        self.socket.sendall(f"{line}\n".encode())
        return int(self.lines.readline())


@pytest.fixture
def writer() -> Iterator[Writer]:
    writer = Writer()
    yield writer
    writer.lines.close()
    writer.socket.close()


def check(table: undercroft.Table, rows: int) -> None:
    numbers = np.arange(rows)
    assert len(table) == rows
    assert (table["amount"] == numbers % 1000).all()
    assert (table["price"] == numbers * 0.25).all()


@pytest.mark.parametrize("layout", ["rows", "packed", "columns"])
@pytest.mark.parametrize("mapped", [True, False])
def test_refresh_shows_the_rows_committed_since(writer: Writer, layout: str, mapped: bool) -> None:
    name = f"live-{layout}-{mapped}.struct"
    writer.order(f"create {layout} {name}")
    with undercroft.open(Path(FOLDER or "") / name, mapped=mapped) as table:
        check(table, 0)
        old = None
        for count in (1, 10, 5000, 40_000):
            rows = writer.order(f"append {count}")
            assert len(table) < rows
            assert table.refresh() == rows
            check(table, rows)
            if old is not None:
                assert (old == np.arange(len(old)) * 0.25).all()
            old = table["price"]
        assert table.durability == "volatile"
        table.verify()
        writer.order("close")
        assert table.refresh() == len(table) == 45_011
        check(table, 45_011)


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_rows_are_whole_while_the_writer_commits(writer: Writer, layout: str) -> None:
    name = f"race-{layout}.struct"
    writer.order(f"create {layout} {name}")
    commits, rows, growths = 400, 0, 0
    with undercroft.open(Path(FOLDER or "") / name) as table:
        writer.order(f"race {commits}")
        while rows < commits * 100:
            now = table.refresh()
            assert now >= rows and now % 100 == 0
            growths += now > rows
            check(table, now)
            rows = now
    assert growths > 0
    writer.order("close")
