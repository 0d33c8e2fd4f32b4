# SPDX-License-Identifier: Apache-2.0
"""CRC32C (Castagnoli, RFC 3720), by google-crc32c if it is installed, else by NumPy.

A CRC without its final inversion is linear over GF(2). The bytes are split into lanes of equal
length. NumPy computes the CRCs of all lanes in parallel, two bytes per table lookup, and joins
neighbours pairwise: crc(a + b) = shift(crc(a), len(b)) ^ crc(b), where `shift` is a linear map whose
tables are computed once for each length.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

try:
    import google_crc32c as _native
except ImportError:
    _native = None

POLYNOMIAL = 0x82F63B78
LANE_BYTES = 64
"""Bytes of a lane; a multiple of 4."""
BLOCK_BYTES = 1 << 20
"""Bytes processed at a time; a multiple of LANE_BYTES."""


def _byte_table() -> np.ndarray:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ np.uint32(POLYNOMIAL), table >> 1)
    return table.astype(np.uint32)


_TABLE = _byte_table()
_TABLE_LIST = [int(value) for value in _TABLE]


def _append_zeros(crc: np.ndarray, count: int) -> np.ndarray:
    for _ in range(count):
        crc = _TABLE[crc & 0xFF] ^ crc >> np.uint32(8)
    return crc


@lru_cache(maxsize=None)
def _word_tables() -> tuple[np.ndarray, np.ndarray]:
    """The state after a word of 32 bits, by its lower and its upper half."""
    halves = np.arange(1 << 16, dtype=np.uint32)
    return _append_zeros(halves, 4), _append_zeros(halves << np.uint32(16), 4)


@lru_cache(maxsize=None)
def _shift_tables(level: int) -> tuple[np.ndarray, ...]:
    """The state after LANE_BYTES * 2**level zero bytes, by each byte of the state before."""
    bits = np.left_shift(np.uint32(1), np.arange(32, dtype=np.uint32))
    columns = _append_zeros(bits, LANE_BYTES) if level == 0 else _shift(_shift(bits, level - 1), level - 1)
    tables = []
    numbers = np.arange(256, dtype=np.uint32)
    for byte in range(4):
        table = np.zeros(256, dtype=np.uint32)
        for bit in range(8):
            table ^= np.where(numbers >> np.uint32(bit) & 1, columns[8 * byte + bit], 0).astype(np.uint32)
        tables.append(table)
    return tuple(tables)


def _shift(crc: np.ndarray, level: int) -> np.ndarray:
    tables = _shift_tables(level)
    parts = np.ascontiguousarray(crc, dtype="<u4").view(np.uint8).reshape(-1, 4)
    joined: np.ndarray = tables[0][parts[:, 0]]
    for byte in (1, 2, 3):
        joined = joined ^ tables[byte][parts[:, byte]]
    return joined


def _lanes(state: int, data: np.ndarray) -> int:
    """The state after `data`, whose size is a multiple of LANE_BYTES."""
    low, high = _word_tables()
    words = np.ascontiguousarray(data.view("<u4").reshape(-1, LANE_BYTES // 4).T)
    crc = np.zeros(words.shape[1], dtype="<u4")
    crc[0] = state
    for word in words:
        crc ^= word
        halves = crc.view("<u2")
        crc = (low[halves[0::2]] ^ high[halves[1::2]]).astype("<u4", copy=False)
    level = 0
    while crc.size > 1:
        if crc.size % 2:  # leading zeros do not change a state of zero
            crc = np.concatenate([np.zeros(1, dtype="<u4"), crc])
        crc = _shift(crc[0::2], level) ^ crc[1::2]
        level += 1
    return int(crc[0])


def _portable(data: memoryview | bytes, value: int) -> int:
    state = value ^ 0xFFFFFFFF
    array = np.frombuffer(data, dtype=np.uint8)
    whole = array.size // LANE_BYTES * LANE_BYTES
    for start in range(0, whole, BLOCK_BYTES):
        state = _lanes(state, array[start : min(start + BLOCK_BYTES, whole)])
    for byte in array[whole:].tolist():
        state = _TABLE_LIST[(state ^ byte) & 0xFF] ^ state >> 8
    return state ^ 0xFFFFFFFF


def crc32c(data: bytes | memoryview, value: int = 0) -> int:
    """The CRC32C of bytes; `value` is the CRC32C of the bytes before them.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    >>> crc32c(b"6789", crc32c(b"12345")) == crc32c(b"123456789")
    True
    """
    if len(data) == 0:
        return value
    if _native is not None:
        return int(_native.extend(value, bytes(data)))
    return _portable(data, value)
