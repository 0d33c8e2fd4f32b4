# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random

from undercroft._crc32c import POLYNOMIAL, _portable, crc32c


def bitwise(data: bytes, value: int = 0) -> int:
    state = value ^ 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (POLYNOMIAL if state & 1 else 0)
    return state ^ 0xFFFFFFFF


def test_the_vectors_of_rfc_3720_have_their_checksums() -> None:
    for crc in (crc32c, _portable):
        assert crc(bytes(32), 0) == 0x8A9136AA
        assert crc(b"\xff" * 32, 0) == 0x62A8AB43
        assert crc(bytes(range(32)), 0) == 0x46DD794E
        assert crc(bytes(range(31, -1, -1)), 0) == 0x113FDB5C


def test_bytes_of_every_length_have_the_checksum_of_the_bitwise_definition() -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    source = random.Random(seed)
    for size in [*range(0, 200), 1000, 4092, 4096, 12345]:
        data, value = source.randbytes(size), source.getrandbits(32)
        assert _portable(data, value) == bitwise(data, value), size
        assert crc32c(data, value) == bitwise(data, value), size


def test_parts_longer_than_a_block_are_joined() -> None:
    data = random.Random(1).randbytes((1 << 20) + 77)
    whole = _portable(data, 0)
    for cut in (1, 63, 64, 65, 1 << 19, 1 << 20):
        assert _portable(data[cut:], _portable(data[:cut], 0)) == whole
