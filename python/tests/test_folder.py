# SPDX-License-Identifier: Apache-2.0
"""The files of a folder, and tables that are pickled."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import forge
import pytest

import undercroft


def _written(folder: Path, name: str) -> int:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(forge.trades())
    return path.stat().st_size


def test_the_files_of_a_folder_are_those_of_its_last_manifest(tmp_path: Path) -> None:
    size = _written(tmp_path, "day=2026-11-24/part%3A=__HIVE_DEFAULT_PARTITION__/a.rows")
    _written(tmp_path, "b.rows")
    _written(tmp_path, "killed.rows")
    listed = f"{size} day=2026-11-24/part%3A=__HIVE_DEFAULT_PARTITION__/a.rows\n- b.rows\n"
    (tmp_path / "_undercroft.9").write_text("undercroft folder 1\n- b.rows\nfiles 1\n")
    (tmp_path / "_undercroft.10").write_text(f"undercroft folder 2\n{listed}stream 3 q-1\nfiles 2\n")
    facts = listed.replace("- b", "schema PACKED LITTLE 21 AAAA\n- b") + "+ 3 1764000000000 0 -1 2.5 0.5 -Infinity\n"
    assert undercroft.files(tmp_path)
    (tmp_path / "_undercroft.11").write_text(f"undercroft folder 3\n{facts}stream 3 q-1\nfiles 2\n")
    files = undercroft.files(tmp_path)
    assert [file.partition for file in files] == [{"day": "2026-11-24", "part:": None}, {}]
    assert sum(len(undercroft.open(file.path)) for file in files) == 6


def test_a_folder_without_a_manifest_has_all_its_files(tmp_path: Path) -> None:
    for name in ("b.rows", "day=1/a.rows", "_hidden", ".b", "b.rows.lock", "notes/x.rows"):
        _written(tmp_path, name)
    assert [Path(file.path).relative_to(tmp_path).as_posix() for file in undercroft.files(tmp_path)] == [
        "b.rows",
        "day=1/a.rows",
    ]


@pytest.mark.parametrize(
    "text",
    ["", "undercroft folder 1\nfiles 0", "undercroft folder 1\n- b.rows\nfiles 2\n", "undercroft folder 1\n- ../b\nfiles 1\n"],
)
def test_an_invalid_manifest_is_an_error(tmp_path: Path, text: str) -> None:
    _written(tmp_path, "b.rows")
    (tmp_path / "_undercroft.1").write_text(text)
    with pytest.raises(undercroft.CorruptFileError, match="not a manifest"):
        undercroft.files(tmp_path)


def test_a_file_of_another_length_than_in_the_manifest_is_an_error(tmp_path: Path) -> None:
    size = _written(tmp_path, "b.rows")
    (tmp_path / "_undercroft.1").write_text(f"undercroft folder 1\n{size + 1} b.rows\nfiles 1\n")
    with pytest.raises(undercroft.CorruptFileError, match=f"it has {size} bytes, but {size + 1}"):
        undercroft.files(tmp_path)


def test_a_folder_is_no_table_and_the_error_names_the_cure(tmp_path: Path) -> None:
    with pytest.raises(undercroft.NotAStructFileError, match="undercroft.open_folder opens a folder"):
        undercroft.open(tmp_path)


def test_a_folder_without_files_has_no_columns_and_the_error_has_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    opened = undercroft.open_folder(folder)
    assert (len(opened), opened.names, list(opened.rows())) == (0, (), [])
    for use in (lambda: opened["price"], lambda: opened.decode("price"), opened.to_arrow, opened.to_pandas, opened.to_polars):
        with pytest.raises((undercroft.EmptyFolderError, ImportError)) as error:
            use()
        if not isinstance(error.value, ImportError):
            assert str(error.value) == f"{folder}: it has no files, so its columns are not known"
    _written(folder, "b.rows")
    with pytest.raises(undercroft.EmptyFolderError, match="where selects none of its 1 files"):
        undercroft.open_folder(folder, where=lambda partition: False)["price"]


@pytest.mark.parametrize("mapped", [True, False])
def test_a_pickled_table_is_opened_again(trades: Path, mapped: bool) -> None:
    with undercroft.open(trades, mapped=mapped) as table:
        copy = pickle.loads(pickle.dumps(table))
        assert copy.row(1) == table.row(1)
        assert copy._is_mapped == mapped
    with pytest.raises(undercroft.ClosedTableError):
        pickle.dumps(table)


def test_a_table_is_an_argument_of_another_process(trades: Path) -> None:
    with undercroft.open(trades) as table, ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(len, table).result(timeout=120) == 3
