package outside.arrow

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.{Files, Path}
import undercroft.arrow.*
import undercroft.file.*
import undercroft.file.format.FileLayout
import undercroft.memory.*
import undercroft.struct.*

final case class Pairs(id: Int, v: InlineArray[Option[Int], 2]) derives Struct
final case class Plain(id: Int, v: Long) derives Struct
final case class OnlyId(id: Int) derives Struct

/** Arrow files that are rare: elements that are null, streams of old writers, pipes. */
class ForeignFilesTest extends undercroft.tools.Suite:
  private def folder(): Path = Files.createTempDirectory("foreign").nn

  for layout <- FileLayout.values do
    test(s"an array of Options is the same after a way by Arrow to a struct file: $layout"):
      val (arrow, copy) = (folder().resolve("a.arrow"), folder().resolve("copy"))
      val values =
        Vector(Pairs(1, InlineArray(Some(1), None)), Pairs(2, InlineArray(None, Some(-2))))
      Region.scoped:
        Rows.from(values).writeArrow(arrow)
        convertArrow(arrow, copy, layout.nn)
        val read = layout match
          case FileLayout.ALIGNED => Rows.openReadOnly[Pairs](copy)
          case FileLayout.PACKED  => PackedRows.openReadOnly[Pairs](copy)
          case _                  => Columns.openReadOnly[Pairs](copy)
        try assertEquals(read.toVector, values)
        finally read.close()

  private val rows = Vector(Plain(1, 10), Plain(2, -20))

  /** A stream of a schema and one batch as Arrow wrote it before 0.15, without markers. */
  private def oldStream(): Array[Byte] =
    val stream = ByteArrayOutputStream()
    Region.scoped(Rows.from(rows).writeArrowStream(stream))
    val bytes = stream.toByteArray.nn
    val first = ByteBuffer.wrap(bytes).nn.order(ByteOrder.LITTLE_ENDIAN).nn.getInt(4)
    val second = 8 + first
    bytes.slice(4, second) ++ bytes.slice(second + 4, bytes.length - 8) ++ new Array[Byte](4)

  test("a stream from before Arrow 0.15 is read, as a file and as a stream"):
    val bytes = oldStream()
    val file = folder().resolve("old.arrow")
    Files.write(file, bytes)
    Region.scoped:
      assertEquals(Columns.readArrow[Plain](file).toVector, rows)
      assertEquals(Rows.readArrowStream[Plain](ByteArrayInputStream(bytes)).toVector, rows)
      for count <- Seq(0, 4) do // without an end marker, and one of a file that is cut off
        val cut = ByteArrayInputStream(bytes.dropRight(4 + count * 16))
        if count == 0 then assertEquals(Rows.readArrowStream[Plain](cut).toVector, rows)
        else interceptArrow(Rows.readArrowStream[Plain](cut)): Unit

  private def interceptArrow(body: => Any): ArrowException =
    intercept[ArrowException](body: Unit)

  test("a text is no Arrow stream"):
    val text = "a,b\n1,2\n3,4\n".getBytes("US-ASCII").nn
    val file = folder().resolve("t.arrow")
    Files.write(file, text ++ new Array[Byte](40))
    Region.scoped:
      assertEquals(
        interceptArrow(Rows.readArrow[Plain](file)).kind,
        ArrowErrorKind.NotAnArrowFile
      )
      assertEquals(
        interceptArrow(Rows.readArrowStream[Plain](ByteArrayInputStream(text))).kind,
        ArrowErrorKind.NotAnArrowFile
      )

  test("convertArrow copies the columns that are named, in their order"):
    val (arrow, copy) = (folder().resolve("a.arrow"), folder().resolve("copy"))
    Region.scoped(Rows.from(rows).writeArrow(arrow))
    convertArrow(arrow, copy, columns = Seq("id"))
    val read = Columns.openReadOnly[OnlyId](copy)
    try assertEquals(read.toVector, Vector(OnlyId(1), OnlyId(2)))
    finally read.close()
    val unknown = interceptArrow(convertArrow(arrow, folder().resolve("x"), columns = Seq("z")))
    assert(unknown.getMessage.nn.contains("no column `z`; the columns are id, v"), unknown)

  test("a named pipe is refused without waiting for its writer"):
    val pipe = folder().resolve("p.arrow")
    val made = ProcessBuilder("mkfifo", pipe.toString).start().waitFor
    assume(made == 0, "skipped: this system has no mkfifo")
    Region.scoped:
      for read <-
          Seq(() => convertArrow(pipe, folder().resolve("x")), () => Rows.readArrow[Plain](pipe))
      do
        assert(interceptArrow(read()).getMessage.nn.contains("it is not a regular file"))
end ForeignFilesTest
