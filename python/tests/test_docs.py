# SPDX-License-Identifier: Apache-2.0
"""Every example of the docstrings, of the README and of the guide runs."""

from __future__ import annotations

import doctest
import importlib
import os
import re
from pathlib import Path

import forge
import pytest

import undercroft

HERE = Path(__file__).parent.parent
PAGES = [Path(page) for page in os.environ.get("UNDERCROFT_PAGES", "").split(os.pathsep) if page] or [
    page for page in (HERE / "README.md", HERE.parent / "docs" / "guide" / "files.md") if page.exists()
]


MODULES = ["undercroft", *(f"undercroft.{name}" for name in ("_crc32c", "_decode", "_table", "_write", "errors", "schema"))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_docstrings_hold(name: str, trades: Path) -> None:
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder()
    examples = 0
    for test in finder.find(module, name, extraglobs={"undercroft": undercroft, "path": trades}):
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert result.failed == 0, test.name
        examples += result.attempted
    assert examples > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_snippets_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pandas", "pyarrow", "polars"):
        pytest.importorskip(package)
    (tmp_path / "trades.struct").write_bytes(forge.trades())
    (tmp_path / "archive.struct").write_bytes(forge.archive())
    (tmp_path / "trades.csv").write_text("price,amount\n")
    (tmp_path / "bills.struct").write_bytes(forge.bills())
    for day in ("2026-11-23", "2026-11-24"):
        (tmp_path / "visits" / f"day={day}").mkdir(parents=True)
        (tmp_path / "visits" / f"day={day}" / "a.rows").write_bytes(forge.trades())
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert snippets, f"{page} has no Python snippet"
    scope: dict[str, object] = {}
    for snippet in snippets:
        exec(compile(snippet, str(page), "exec"), scope)
