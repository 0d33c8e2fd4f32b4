package outside.arrow

import java.nio.file.{Files, Path}
import undercroft.arrow.*
import undercroft.memory.*
import undercroft.struct.*

enum Signal derives CanEqual:
  case Low, High

case class Wrapped(value: Int) derives Struct, CanEqual

/** Arrow files of tables whose rows are not case classes. */
class ElementArrowTest extends undercroft.tools.Suite:

  private def inFile[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    val path = folder.resolve("rows.arrow")
    try body(path)
    finally
      Files.deleteIfExists(path)
      Files.delete(folder)

  test("a table of elements is written to Arrow and read as written, as one column, value"):
    Region.scoped:
      inFile: path =>
        Rows.from(List(3, 1, 2)).writeArrow(path)
        assertEquals(Columns.readArrow[Int](path).toVector, Vector(3, 1, 2))
        assertEquals(Rows.readArrow[Wrapped](path).map(_.value).toVector, Vector(3, 1, 2))
      inFile: path =>
        val limits = Vector[Option[Long]](Some(7L), None, Some(0L))
        Columns.from(limits).writeArrow(path)
        assertEquals(Rows.readArrow[Option[Long]](path).toVector, limits)
      inFile: path =>
        val signals = Vector(Signal.High, Signal.Low)
        PackedRows.from(signals).writeArrow(path)
        assertEquals(Columns.readArrow[Signal](path).toVector, signals)
      inFile: path =>
        val names = Vector[Text[8]](Text("bob"), Text("äöü"))
        PackedRows.from(names).writeArrow(path)
        assertEquals(Columns.readArrow[Text[8]](path).toVector, names)
end ElementArrowTest
