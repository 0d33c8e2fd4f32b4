"""Reads struct files as docs/format.md says, and prints them as JSON: the rows, and in a sealed file
the ranges of its blocks. Nothing but Python's standard library."""

import hashlib
import json
import struct
import sys

TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ 0x82F63B78 if n & 1 else n >> 1
    TABLE.append(n)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def need(condition, words):
    if not condition:
        sys.exit(words)


def slot(data, at):
    part = data[at : at + 4096]
    holds = len(part) == 4096 and part[:8] == bytes.fromhex("89554352 0d0a1a0a")
    if not holds or crc32c(part[:4092]) != struct.unpack_from("<I", part, 4092)[0]:
        return None
    need(struct.unpack_from("<H", part, 8)[0] <= 3, "a later version")
    names = ("generation", "capacity", "stride", "data", "schema_bytes")
    header = dict(zip(names, struct.unpack_from("<5Q", part, 16)))
    header["big"], header["promise"], header["layout"] = part[10] == 1, part[11], part[12]
    header["schema_crc"] = struct.unpack_from("<I", part, 56)[0]
    header["hash"] = part[64:72]
    header["block_rows"], header["blocks"], header["block_bytes"] = struct.unpack_from("<3Q", part, 72)
    header["blocks_crc"] = struct.unpack_from("<I", part, 96)[0]
    header["bytes"], header["rows"] = struct.unpack_from("<2Q", part, 104)
    return header


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize("<" + form)
        return value

    def text(self):
        size = self.take("I")
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def fields(self):
        return [self.field() for _ in range(self.take("I"))]

    def field(self):
        what, name = self.take("B"), self.text()
        if what == 0:
            return ("value", name, self.take("I"), self.type())
        if what == 3:
            self.logical()
            what = 1
        return (("record", "union")[what - 1], name, self.text(), self.fields())

    def logical(self):
        """Skips a logical type, because JSON has the stored numbers."""
        code = self.take("B")
        if code == 7:
            self.text()
        else:
            self.at += (0, 0, 1, 2, 1, 2, 0)[code]

    def type(self):
        code = self.take("B")
        if code <= 8:
            return (code,)
        if code == 9:
            return (9, self.take("I"))
        if code == 10:
            count = self.take("I")
            return (10, count, self.type())
        if code == 11:
            kind = self.type()
            return (11, kind, [self.text() for _ in range(self.take("I"))])
        if code == 12:
            return (12, self.type())
        if code == 14:
            self.logical()
            return self.type()
        return (13, self.text(), self.take("I"), self.fields())


NUMBERS = (1, 2, 3, 4, 5, 6, 7, 8, 11)
FORMS = {1: "?", 2: "b", 3: "h", 4: "H", 5: "i", 6: "q", 7: "f", 8: "d"}


def size(kind):
    if kind[0] <= 8:
        return struct.calcsize("<" + FORMS[kind[0]])
    if kind[0] == 9:
        return kind[1]
    if kind[0] == 10:
        return kind[1] * size(kind[2])
    return kind[2] if kind[0] == 13 else size(kind[1])


def value(data, at, kind, order):
    code = kind[0]
    if code <= 8:
        return struct.unpack_from(order + FORMS[code], data, at)[0]
    if code == 9:
        return data[at : at + kind[1]].rstrip(b"\0").decode()
    if code == 10:
        step = size(kind[2])
        return [value(data, at + i * step, kind[2], order) for i in range(kind[1])]
    if code == 11:
        number = value(data, at, kind[1], order) & (1 << 8 * size(kind)) - 1
        return kind[2][number]
    if code == 12:
        return value(data, at, kind[1], ">")
    return members(kind[3], lambda offset, inner: value(data, at + offset, inner, order))


def members(fields, read):
    """The values of fields; of a union behind a tag only the case that is there."""
    found = {}
    for field in fields:
        what, name = field[:2]
        if what == "value":
            found[name] = read(field[2], field[3])
        elif what == "record":
            found.update(members(field[3], read) if not name else {name: members(field[3], read)})
        elif "tag" in found and not name:
            found.update(members([case for case in field[3] if case[1] == found["tag"]], read))
        else:
            found.update(members(field[3], read))
    return found


def values(fields):
    """Every value that is not in a union, in order: its offset and type."""
    for field in fields:
        if field[0] == "value":
            yield field[2], field[3], False
        else:
            for offset, kind, shared in values(field[3]):
                yield offset, kind, shared or field[0] == "union"


def blocks(data, header, fields):
    """Compares the checksums of a sealed file, and gives the ranges."""
    columns = header["layout"] == 2
    table = data[header["blocks"] :]
    need(len(data) == header["bytes"] and len(table) == header["block_bytes"], "another size")
    need(crc32c(table) == header["blocks_crc"], "the block table is corrupt")
    pieces = [(0, header["stride"])]
    if columns:
        pieces = sorted({(offset, size(kind)) for offset, kind, _ in values(fields)})
    ranged = [
        kind[1] if kind[0] == 12 else kind
        for _, kind, shared in values(fields)
        if not shared and (kind[0] in NUMBERS or kind[0] == 12 and kind[1][0] in NUMBERS)
    ]
    start = -(-4 * len(pieces) // 8) * 8
    record = start + 16 * len(ranged)
    ranges = []
    for block in range(-(-header["rows"] // header["block_rows"])):
        first = block * header["block_rows"]
        rows = min(header["block_rows"], header["rows"] - first)
        for i, (offset, step) in enumerate(pieces):
            at = header["data"] + header["capacity"] * offset + first * step
            crc = struct.unpack_from("<I", table, block * record + 4 * i)[0]
            need(crc32c(data[at : at + rows * step]) == crc, f"block {block} is corrupt")
        forms = ["<2d" if kind[0] in (7, 8) else "<2q" for kind in ranged]
        ranges.append(
            [struct.unpack_from(form, table, block * record + start + 16 * i) for i, form in enumerate(forms)]
        )
    return ranges


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    slots = [found for found in (slot(data, 0), slot(data, 4096)) if found]
    need(slots, "no header that holds")
    header = max(slots, key=lambda found: found["generation"])
    pages = data[8192 : header["data"]]
    need(crc32c(pages) == header["schema_crc"], "the schema is corrupt")
    schema = pages[: header["schema_bytes"]]
    need(hashlib.sha256(schema).digest()[:8] == header["hash"], "another hash")
    reader = Reader(schema)
    name, fields = reader.text(), reader.fields()
    order = ">" if header["big"] else "<"

    def row(i):
        def at(offset, kind):
            if header["layout"] == 2:
                place = header["capacity"] * offset + i * size(kind)
            else:
                place = i * header["stride"] + offset
            return value(data, header["data"] + place, kind, order)

        return members(fields, at)

    result = {"name": name, "promise": header["promise"], "rows": [row(i) for i in range(header["rows"])]}
    if header["promise"] == 2:
        result["ranges"] = blocks(data, header, fields)
    return result


print(json.dumps(read(sys.argv[1])))
