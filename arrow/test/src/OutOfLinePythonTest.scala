package undercroft.arrow

import java.io.ByteArrayOutputStream
import java.nio.file.Files
import undercroft.memory.*
import undercroft.struct.*

enum Berth derives CanEqual:
  case Upper, Lower

final case class Knot(x: Int, berth: Option[Berth], name: Text[6]) derives Struct, CanEqual
final case class Voyage(
    id: Int,
    text: TextRef,
    maybeText: Option[TextRef],
    bytes: BytesRef,
    maybeBytes: Option[BytesRef],
    knots: RowsRef[Knot],
    maybeKnots: Option[RowsRef[Knot]],
    numbers: RowsRef[Long],
    options: RowsRef[Option[Double]],
    names: RowsRef[Text[6]],
    berths: RowsRef[Berth]
) derives Struct, CanEqual

object Voyage:
  private def knot(i: Int): Knot =
    Knot(i, Option.when(i % 3 > 0)(Berth.fromOrdinal(i % 2)), Text(s"ż$i"))

  /** The row that `rows` of Python has. */
  def of(i: Int)(using Allocator): Voyage = Voyage(
    i,
    TextRef("naïve text " * (i % 4)),
    Option.when(i % 3 > 0)(TextRef(s"t$i")),
    BytesRef(Array.tabulate(i % 30)(_.toByte)),
    Option.when(i % 4 > 0)(BytesRef(Array.tabulate(i % 3)(_.toByte))),
    RowsRef.from(Vector.tabulate(i % 5)(knot)),
    Option.when(i % 3 > 0)(RowsRef.from(Vector.tabulate(i % 3)(knot))),
    RowsRef.from(Vector.tabulate(i % 7)(k => 1L << 40 | k)),
    RowsRef.from(Vector.tabulate(i % 4)(k => Option.when(k != 1)(k / 4.0))),
    RowsRef.from(Vector.tabulate(i % 3)(k => Text[6](s"n$k"))),
    RowsRef.from(Vector.tabulate(i % 4)(k => Berth.fromOrdinal(k % 2)))
  )
end Voyage

/** Values of any length to and from pyarrow. */
class OutOfLinePythonTest extends undercroft.tools.Suite:

  private val rows = """
import pyarrow as pa

def knot(i):
    return {"x": i, "berth": ["Upper", "Lower"][i % 2] if i % 3 > 0 else None, "name": f"ż{i}"}

def row(i):
    return {
        "id": i,
        "text": "naïve text " * (i % 4),
        "maybeText": f"t{i}" if i % 3 > 0 else None,
        "bytes": bytes(range(i % 30)),
        "maybeBytes": bytes(range(i % 3)) if i % 4 > 0 else None,
        "knots": [knot(k) for k in range(i % 5)],
        "maybeKnots": [knot(k) for k in range(i % 3)] if i % 3 > 0 else None,
        "numbers": [1 << 40 | k for k in range(i % 7)],
        "options": [k / 4 if k != 1 else None for k in range(i % 4)],
        "names": [f"n{k}" for k in range(i % 3)],
        "berths": [["Upper", "Lower"][k % 2] for k in range(i % 4)],
    }

rows = [row(i) for i in range(100)]
"""

  test("pyarrow reads texts, bytes and runs of any length from files and streams"):
    val (file, streamed) = (Samples.path(), Samples.path())
    Region.scoped:
      val voyages = Columns.tabulate[Voyage](100)(i => Voyage.of(i.toInt))
      voyages.writeArrow(file, 33)
      val bytes = ByteArrayOutputStream()
      voyages.writeArrowStream(bytes, 33)
      Files.write(streamed, bytes.toByteArray): Unit
    Python.runCode(s"""$rows
for table in [pa.ipc.open_file("$file").read_all(), pa.ipc.open_stream("$streamed").read_all()]:
    table.validate(full=True)
    assert table.to_pylist() == rows, table.to_pylist()
    types = {field.name: str(field.type) for field in table.schema}
    assert types["text"] == "string" and types["bytes"] == "binary", types
    assert types["numbers"] == "list<item: int64 not null>", types
    assert types["options"] == "list<item: double>", types
    knot = table.schema.field("knots").type.value_type
    assert str(knot.field("name").type) == "string" and str(knot.field("x").type) == "int32", types
""")

  private val index = "pa.dictionary(pa.int8(), pa.string())"
  for (title, text, bytes, list) <- Seq(
      ("offsets of 32 bits", "pa.string()", "pa.binary()", "pa.list_"),
      ("offsets of 64 bits", "pa.large_string()", "pa.large_binary()", "pa.large_list"),
      ("views", "pa.string_view()", "pa.binary_view()", "pa.list_"),
      ("dictionaries of texts", s"$index", "pa.binary()", "pa.large_list")
    )
  do
    test(s"texts, bytes and lists that pyarrow wrote with $title are read"):
      val (file, streamed) = (Samples.path(), Samples.path())
      Python.runCode(s"""$rows
berth = pa.dictionary(pa.int32(), pa.string())
knot = pa.struct([("x", pa.int32()), ("berth", berth), ("name", pa.string())])
types = {
    "id": pa.int32(), "text": $text, "maybeText": $text, "bytes": $bytes, "maybeBytes": $bytes,
    "knots": $list(knot), "maybeKnots": $list(knot), "numbers": $list(pa.int64()),
    "options": $list(pa.float64()), "names": $list(pa.string()), "berths": $list(berth),
}
def knots(lists):
    \"\"\"pyarrow makes no dictionaries inside of structs from dicts.\"\"\"
    size = [len(one) if one is not None else 0 for one in lists]
    flat = [one for part in lists if part is not None for one in part]
    item = pa.StructArray.from_arrays(
        [
            pa.array([one["x"] for one in flat], pa.int32()),
            pa.array([one["berth"] for one in flat]).dictionary_encode()
                if any(one["berth"] for one in flat)
                else pa.DictionaryArray.from_arrays(pa.nulls(len(flat), pa.int32()), ["Upper"]),
            pa.array([one["name"] for one in flat]),
        ],
        ["x", "berth", "name"],
    )
    ends = [0]
    for one in size:
        ends.append(ends[-1] + one)
    is_large = "$list" == "pa.large_list"
    kind = pa.LargeListArray if is_large else pa.ListArray
    offsets = pa.array(ends, pa.int64() if is_large else pa.int32())
    mask = pa.array([one is None for one in lists])
    return kind.from_arrays(offsets, item, mask=mask)
def berths(lists):
    flat = pa.array([one for part in lists for one in part]).dictionary_encode()
    ends = [0]
    for part in lists:
        ends.append(ends[-1] + len(part))
    is_large = "$list" == "pa.large_list"
    kind = pa.LargeListArray if is_large else pa.ListArray
    return kind.from_arrays(pa.array(ends, pa.int64() if is_large else pa.int32()), flat)
def column(name):
    values = [row[name] for row in rows]
    if name in ("knots", "maybeKnots"):
        return knots(values)
    if name == "berths":
        return berths(values)
    if str(types[name]).startswith("dictionary"):
        return pa.array(values).dictionary_encode()
    return pa.array(values, types[name])
table = pa.table({name: column(name) for name in types})
# Slices begin inside of the buffers.
batches = [table.slice(0, 37), table.slice(37, 3), table.slice(40)]
table = pa.concat_tables(batches)
with pa.ipc.new_file("$file", table.schema) as sink:
    sink.write_table(table)
with pa.ipc.new_stream("$streamed", table.schema) as sink:
    sink.write_table(table)
""")
      Region.scoped:
        val expected = Vector.tabulate(100)(Voyage.of(_))
        assertEquals(Rows.readArrow[Voyage](file).toVector, expected)
        assertEquals(Columns.readArrow[Voyage](streamed).toVector, expected)
  end for

  test("lists of a fixed size with nulls, of pyarrow, are read as runs"):
    final case class Fixed(lists: Option[RowsRef[Option[Int]]]) derives Struct, CanEqual
    val file = Samples.path()
    Python.runCode(s"""
import pyarrow as pa
lists = pa.array([[1, 2, None], None, [4, 5, 6]], pa.list_(pa.int32(), 3))
table = pa.table({"lists": lists})
with pa.ipc.new_file("$file", table.schema) as sink:
    sink.write_table(table)
""")
    Region.scoped:
      assertEquals(
        PackedRows.readArrow[Fixed](file).toVector,
        Vector(
          Fixed(Some(RowsRef(Some(1), Some(2), None))),
          Fixed(None),
          Fixed(Some(RowsRef(Some(4), Some(5), Some(6))))
        )
      )
end OutOfLinePythonTest
