package outside.struct

import undercroft.memory.*
import undercroft.struct.*

/** Types of which a store does not fill all bytes of a row. */
object Partial:
  enum Mark derives Struct:
    case Dot(size: Byte)
    case Box(width: Long, height: Long)
  enum Form derives Struct:
    case Point(size: Byte)
    case Bar(width: Long, height: Byte)
  final case class Padded(a: Byte, b: Long) derives Struct
  final case class Between(a: Form, b: Byte, c: Form) derives Struct

/** Rows that code without a known type appends to memory that another owner has used. */
class RecycledMemoryTest extends undercroft.tools.Suite:
  import Partial.*

  private def usePages(): Unit =
    Region.scoped:
      PackedRows[Long](250_000).segment.fill(-1): Unit

  private def append[T: Struct, L <: Layout](table: GrowingTable[T, L], values: Vector[T]): Unit =
    val half = values.size / 2
    table.appendAll(values.take(half))
    table.appending(half): batch =>
      values.take(half).foreach(value => batch += value)

  private def hasOldBytes(bytes: java.nio.ByteBuffer): Boolean =
    (0 until bytes.limit).exists(i => bytes.get(i) == -1)

  test("appended rows of an enum without padding have no bytes of an earlier owner"):
    usePages()
    Region.scoped:
      val rows = PackedRows.growingTo[Mark](100_000)
      append(rows, Vector.fill[Mark](50_000)(Mark.Dot(1)))
      assertEquals(rows.size, 50_000L)
      assert(!hasOldBytes(rows.byteBuffer))

  test("appended rows with padding have no bytes of an earlier owner"):
    usePages()
    Region.scoped:
      val rows = Rows.growingTo[Padded](100_000)
      append(rows, Vector.fill(50_000)(Padded(1, 2)))
      assertEquals(rows(49_999), Padded(1, 2))
      assert(!hasOldBytes(rows.byteBuffer))

  test("rows of known enums have no bytes of an earlier owner after their cases"):
    usePages()
    Region.scoped:
      val shapes = Rows.growingTo[Form](100_000)
      for _ <- 1 to 10_000 do shapes += Form.Point(1)
      shapes.appendAll(10_000)(_ => Form.Bar(2, 3))
      assert(!hasOldBytes(shapes.byteBuffer))
      assertEquals(shapes(19_999), Form.Bar(2, 3))
      val filled = Rows.tabulate[Between](10_000)(_ => Between(Form.Point(1), 2, Form.Bar(3, 4)))
      assert(!hasOldBytes(filled.byteBuffer))
      assertEquals(filled(9_999), Between(Form.Point(1), 2, Form.Bar(3, 4)))
end RecycledMemoryTest
