package outside.struct

import undercroft.memory.Region
import undercroft.struct.*
import undercroft.tools.ForkedJvm

case class Noted(number: Int, note: Text[4096]) derives Struct

/** Stores while the Java heap has no room for an array of their bytes. */
class FullHeapTest extends undercroft.tools.Suite:

  test("a long text is stored in a map and in a table although the Java heap is full"):
    val flags = Seq("-XX:+UseSerialGC", "-XX:-UseGCOverheadLimit", "-Xmx32m")
    val result = ForkedJvm.run("outside.struct.FullHeap", ForkedJvm.Granted ++ flags)
    assertEquals(result.exit, 0, result.output)
    assert(result.output.contains("stored in a map: true, in a table: true"), result.output)
end FullHeapTest

object FullHeap:
  private var blocks: Array[AnyRef] = null

  /** Fills the heap with arrays, down to 1 KiB. */
  private def fill(): Unit =
    var size = 1 << 16
    while size >= 256 do
      try
        while true do
          val block = new Array[AnyRef](size)
          block(0) = blocks
          blocks = block
      catch case _: OutOfMemoryError => size /= 2

  // Methods, so that the calls of the stores are linked by an earlier use.
  private def store(map: StructMap[Int, Text[4096]], key: Int, text: Text[4096]): Unit =
    map(key) = text

  private def store(rows: Rows[Noted], number: Int, note: Text[4096]): Unit =
    rows(0) = Noted(number, note)

  def main(arguments: Array[String]): Unit =
    Region.scoped:
      val (old, text) = (Text[4096]("old"), Text[4096]("ä" * 2000))
      val map = StructMap[Int, Text[4096]](expected = 10)
      val rows = Rows[Noted](1)
      val odd = StructMap[Int, Text[3]]()
      odd(1) = Text[3]("odd") // links the store of a byte
      for value <- List(text, old) do
        store(map, 1, value)
        store(rows, 1, value)
      fill()
      try store(map, 2, text)
      catch case _: OutOfMemoryError => ()
      try store(rows, 2, text)
      catch case _: OutOfMemoryError => ()
      blocks = null
      val isInMap = map.get(2).exists(_.string == text.string)
      val isInTable = rows(0).number == 2 && rows(0).note.string == text.string
      println(s"stored in a map: $isInMap, in a table: $isInTable")
end FullHeap
