# SPDX-License-Identifier: Apache-2.0
"""Values of logical types, from the stored numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from .schema import LogicalType

TIMES = ("date", "time", "timestamp", "duration")
"""The logical types whose values NumPy has."""

_LOW = (1 << 64) - 1


def is_time(logical: LogicalType | None) -> bool:
    return logical is not None and logical.kind in TIMES


def is_converted(logical: LogicalType | None) -> bool:
    """Whether decoded values differ from the stored ones."""
    return logical is not None and logical.kind != "named"


def times(numbers: np.ndarray, logical: LogicalType) -> np.ndarray:
    """The numbers as datetime64 or timedelta64."""
    unit = logical.unit or "D"
    kind = "M8" if logical.kind in ("date", "timestamp") else "m8"
    return numbers.astype("i8").view(f"{kind}[{unit}]")


def decimal(unscaled: int, scale: int) -> Decimal:
    """Exact, whatever the precision of the context."""
    return Decimal((int(unscaled < 0), tuple(int(digit) for digit in str(abs(unscaled))), -scale))


def objects(numbers: np.ndarray, logical: LogicalType) -> list[Any]:
    """The values of numbers of one dimension."""
    if logical.kind == "decimal":
        return [decimal(number, logical.scale) for number in numbers.tolist()]
    return list(times(numbers, logical))


def pairs(high: np.ndarray, low: np.ndarray, logical: LogicalType) -> list[Any]:
    """The values of 128 bits."""
    numbers = [upper << 64 | lower & _LOW for upper, lower in zip(high.tolist(), low.tolist())]
    if logical.kind == "uuid":
        return [UUID(int=number & (1 << 128) - 1) for number in numbers]
    return [decimal(number, logical.scale) for number in numbers]


def bytes_of(high: np.ndarray, low: np.ndarray, logical: LogicalType) -> np.ndarray:
    """16 bytes for each value: decimals little-endian, UUIDs big-endian."""
    if logical.kind == "uuid":
        return np.stack([high, low], axis=1).astype(">i8").view(np.uint8)
    return np.stack([low, high], axis=1).astype("<i8").view(np.uint8)
