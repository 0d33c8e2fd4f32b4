# SPDX-License-Identifier: Apache-2.0
"""Mutations of valid files: each is read, or is an UndercroftError. `UNDERCROFT_SEED` repeats a run,
`UNDERCROFT_ROUNDS` sets the number of mutations."""

from __future__ import annotations

import importlib.util
import os
import random
import struct
from pathlib import Path

import forge
import pytest
from conftest import FOLDER, samples

import undercroft

SEED = int(os.environ.get("UNDERCROFT_SEED", random.randrange(1 << 30)))
INSTALLED = [name for name in ("pyarrow", "pandas") if importlib.util.find_spec(name)]
ROUNDS = int(os.environ.get("UNDERCROFT_ROUNDS", "500"))


def use_everything(path: Path, mapped: bool) -> None:
    with undercroft.open(path, mapped=mapped) as table:
        rows = min(len(table), 50)
        str(table.schema), repr(table)
        for name in table.names:
            for use in (lambda: table[name].tobytes(), lambda: table.decode(name, 0, rows)):
                try:
                    use()
                except undercroft.UndercroftError:
                    pass
        if table.layout != "columns":
            table.array.tobytes()
        try:
            list(table.rows(0, rows))
        except undercroft.UndercroftError:
            pass
        for name in INSTALLED:
            if len(table) < 1000:
                try:
                    table.to_pandas() if name == "pandas" else table.to_arrow().validate(full=True)
                except undercroft.UndercroftError:
                    pass
        table.refresh()
        table.verify()


def mutated(data: bytes, source: random.Random) -> bytes:
    """A copy with up to four changed places, mostly in the headers and the schema."""
    copy = bytearray(data)
    (data_offset,) = struct.unpack_from("<Q", copy, 40)
    for _ in range(source.randint(1, 4)):
        place = source.choice(
            [
                source.randrange(128),
                4096 + source.randrange(128),
                8192 + source.randrange(min(data_offset - 8192, 2200)),
                source.randrange(len(copy)),
            ]
        )
        width = source.choice([1, 1, 2, 4, 8])
        number = source.choice([0, 1, 2, 255, 1 << 31, (1 << 64) - 1, source.getrandbits(64), source.randrange(64)])
        copy[place : place + width] = (number & (1 << 8 * width) - 1).to_bytes(width, "little")
        if source.random() < 0.3 and 8 <= place < 128:  # the same in both slots, as sealed files need it
            copy[4096 + place : 4096 + place + width] = copy[place : place + width]
    if source.random() < 0.1:
        del copy[source.randrange(len(copy)) :]
    if source.random() < 0.8:
        return forge.repaired(bytes(copy))
    return bytes(copy)


def fuzz(data: bytes, path: Path, rounds: int, seed: int) -> tuple[int, int]:
    read = refused = 0
    for number in range(rounds):
        source = random.Random(f"{seed}-{number}")
        path.write_bytes(mutated(data, source))
        try:
            use_everything(path, mapped=number % 4 != 0)
            read += 1
        except undercroft.UndercroftError:
            refused += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}, round {number}: {path} gives {error!r}") from error
    return read, refused


def test_a_mutated_file_is_read_or_is_an_error(tmp_path: Path) -> None:
    print("seed", SEED)
    read, refused = fuzz(forge.trades(20), tmp_path / "fuzz.struct", ROUNDS, SEED)
    assert read > 0 and refused > 0, f"{read} read, {refused} refused, seed {SEED}"


@pytest.mark.parametrize(
    "name",
    samples("everything70-rows-sealed")
    + samples("everything70-packed-committed")
    + samples("everything70-columns-sealed")
    + samples("everything70-columns-compressed")
    + samples("everything70-rows-compressed")
    + samples("rare-rows")
    + samples("rare-columns")
    + samples("changes-columns"),
)
def test_a_mutated_sample_is_read_or_is_an_error(name: str, tmp_path: Path) -> None:
    print("seed", SEED)
    data = (Path(FOLDER or "") / f"{name}.struct").read_bytes()
    read, refused = fuzz(data, tmp_path / "fuzz.struct", ROUNDS, SEED)
    assert read > 0 and refused > 0, f"{read} read, {refused} refused, seed {SEED}"
