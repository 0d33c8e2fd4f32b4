# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import forge

FOLDER = os.environ.get("UNDERCROFT_SAMPLES")
"""The folder of the files that Scala wrote, and of a JSON beside each with its values."""


def samples(prefix: str = "", suffix: str = "") -> list[Any]:
    """The names of the samples, for `pytest.mark.parametrize`."""
    if FOLDER is None:
        reason = "UNDERCROFT_SAMPLES names no folder of samples: ./mill python.outside.test writes one"
        return [pytest.param("", marks=pytest.mark.skip(reason=reason))]
    names = sorted(path.stem for path in Path(FOLDER).glob(f"{prefix}*{suffix}.json"))
    assert names, f"no sample is called {prefix}*{suffix}"
    return list(names)


def sample(name: str) -> tuple[Path, dict[str, Any]]:
    """The file of a sample, and what its JSON says."""
    folder = Path(FOLDER or "")
    return folder / f"{name}.struct", json.loads((folder / f"{name}.json").read_text())


@pytest.fixture
def trades(tmp_path: Path) -> Path:
    """A file of three trades."""
    path = tmp_path / "trades.struct"
    path.write_bytes(forge.trades())
    return path
