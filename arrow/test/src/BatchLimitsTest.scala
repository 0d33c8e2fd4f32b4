package undercroft.arrow

import internal.columns.{ArrowWriter, BatchLimits}
import internal.io.ArrowOutput
import internal.ipc.ArrowSource
import internal.rows.BatchRows
import java.io.ByteArrayOutputStream
import java.io.ByteArrayInputStream
import undercroft.file.FieldSlices
import undercroft.memory.*
import undercroft.struct.*

/** The sizes of record batches of values of any length, with limits that a test can exceed. */
class BatchLimitsTest extends undercroft.tools.Suite:
  final case class Letter(id: Int, text: TextRef) derives Struct, CanEqual
  final case class Scan(bytes: Option[BytesRef]) derives Struct, CanEqual
  final case class Trip(halts: RowsRef[Halt]) derives Struct, CanEqual
  final case class Chapter(lines: InlineArray[RowsRef[Int], 2]) derives Struct, CanEqual

  private def stream[L <: Layout](
      lanes: FieldSlices,
      bytes: Long,
      items: Int,
      mostRows: Int = 1000
  ): Array[Byte] =
    val target = ByteArrayOutputStream()
    val output = ArrowOutput(target, ArrowSource.StreamName)
    ArrowWriter(lanes, output, mostRows, None, BatchLimits(bytes, items)).writeStream()
    output.flush()
    target.toByteArray.nn

  private def batchRows(stream: Array[Byte]): Vector[Long] =
    val source = ArrowSource.ofStream(ByteArrayInputStream(stream))
    try source.content.batches.map(_.rows)
    finally source.close()

  test("a batch ends before its texts exceed the limit, and later batches are larger again"):
    Region.scoped:
      val letters = Rows.tabulate[Letter](200): i =>
        Letter(i.toInt, TextRef("x" * (if i < 20 then 50 else if i < 180 then 0 else 1)))
      val written = stream(FieldSlices.withOutOfLine(letters), 100, 1000)
      val sizes = batchRows(written)
      assert(sizes.take(10).forall(_ <= 2), s"$sizes")
      assert(sizes.max > 20, s"$sizes")
      assertEquals(
        Rows.readArrowStream[Letter](ByteArrayInputStream(written)).toVector,
        letters.toVector
      )

  test("a batch ends before its lists have too many elements, unless one row has them"):
    Region.scoped:
      val trips = Rows.tabulate[Trip](40): i =>
        Trip(RowsRef.from(Vector.tabulate(if i == 7 then 100 else 3)(k => Halt(k, Text("")))))
      val written = stream(FieldSlices.withOutOfLine(trips), 100, 10)
      val sizes = batchRows(written)
      assert(sizes.forall(_ <= 3), s"$sizes")
      assertEquals(
        Columns.readArrowStream[Trip](ByteArrayInputStream(written)).toVector,
        trips.toVector
      )

  test("a value beyond the limit of a batch is an error with the row, its bytes and the limit"):
    Region.scoped:
      val letters = Rows.from(Vector(Letter(1, TextRef("a")), Letter(2, TextRef("x" * 101))))
      val error = intercept[ArrowException](stream(FieldSlices.withOutOfLine(letters), 100, 10))
      assertEquals(error.kind, ArrowErrorKind.Unsupported)
      val words = "`text` of row 1 has 101 bytes, but must have at most 100"
      assert(error.getMessage.nn.endsWith(words), error.getMessage)
      val scans = Columns.from(Vector(Scan(None), Scan(Some(BytesRef(new Array[Byte](102))))))
      val second = intercept[ArrowException](stream(FieldSlices.withOutOfLine(scans), 100, 10))
      val reason = "`bytes` of row 1 has 102 bytes, but must have at most 100"
      assert(second.getMessage.nn.endsWith(reason), second.getMessage)

  test("bytes of the heap are a few MiB for rows with many values out of line"):
    Region.scoped:
      val bytes = BytesRef(new Array[Byte](100))
      val scans = Rows.tabulate[Scan](100_000)(_ => Scan(Some(bytes)))
      val lanes = FieldSlices.withOutOfLine(scans)
      assertEquals(batchRows(stream(lanes, Int.MaxValue, 1 << 20, 1 << 20)), Vector(100_000L))
      assertEquals(BatchRows.most(lanes.columns, Int.MaxValue), 1 << 20)
end BatchLimitsTest
