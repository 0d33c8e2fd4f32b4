package outside.struct

import undercroft.memory.*
import undercroft.struct.*

object LateClosures:
  enum Event derives Struct, CanEqual:
    case Opened
    case Traded(price: Int)
  case class Row(
      id: Int,
      name: Text[8],
      marks: InlineArray[Int, 3],
      event: Event,
      bonus: Option[Int]
  ) derives Struct, CanEqual

  val values: Vector[Row] = Vector.tabulate(5): i =>
    Row(
      i,
      Text[8](s"n$i"),
      InlineArray.tabulate(k => i * 10 + k),
      if i % 2 == 0 then Event.Traded(i * 100) else Event.Opened,
      Option.when(i % 3 == 0)(i)
    )

  final class Later[A](value: => A):
    def run(): A = value
end LateClosures

/** A closure, a by-name argument or a lazy value in the function literal of a loop runs after the
  * loop, and has the values of its own row, as with a Vector of the same rows.
  */
class LateClosureTest extends undercroft.tools.Suite:
  import LateClosures.*

  private inline def same[A](inline part: Row => () => A): Unit =
    val expected = values.map(part).map(_())
    Region.scoped:
      assertEquals(Rows.from(values).map(part).toVector.map(_()), expected, "rows")
      assertEquals(PackedRows.from(values).map(part).toVector.map(_()), expected, "packed rows")
      val columns = Columns.from(values)
      assertEquals(columns.map(part).toVector.map(_()), expected, "columns")
      assertEquals(columns.filter(_.id > 1).map(part).toVector.map(_()), expected.drop(2), "filter")
      val rows = Rows.from(values)
      val ofRefs = values.indices.map(i => rows.ref(i)(part)).toVector
      assertEquals(ofRefs.map(_()), expected, "references")

  test("a function uses a text"):
    same(row => () => row.name.startsWith("n3"))
    same(row => () => row.name.byteLength + row.id)

  test("a function uses an element of an array"):
    same(row => () => row.marks(1))
    same(row => () => (0 until 3).map(k => row.marks(k)).sum)

  test("a function matches on an enum, on an Option and on the row"):
    same(row =>
      () =>
        row.event match
          case Event.Traded(price) => price
          case Event.Opened        => -1
    )
    same(row =>
      () =>
        row.bonus match
          case Some(bonus) => bonus
          case None        => -1
    )
    same(row =>
      () =>
        row match
          case Row(id, _, _, Event.Traded(price), _) => id + price
          case Row(id, _, _, _, _)                   => id
    )

  test("a by-name argument and a lazy value are evaluated late"):
    same: row =>
      val late = Later(row.marks(2))
      () => late.run()
    same: row =>
      lazy val starts = row.name.startsWith("n1")
      () => starts
    same: row =>
      def price: Int = row.event match
        case Event.Traded(price) => price
        case Event.Opened        => 0
      () => price

  test("a class whose instance is created late has the values of its row"):
    same: row =>
      class Late:
        val price = row.event match
          case Event.Traded(price) => price
          case Event.Opened        => -1
        val mark = row.marks(1)
        val starts = row.name.startsWith("n1")
      () =>
        val late = Late()
        (late.price, late.mark, late.starts)

  test("an object that is used late has the values of its row"):
    same: row =>
      object Late:
        val price = row.event match
          case Event.Traded(price) => price
          case Event.Opened        => -1
        val mark = row.marks(1)
      () => (Late.price, Late.mark)

  test("a stream is computed late"):
    Region.scoped:
      val streams = Columns.from(values).map(row => LazyList.tabulate(3)(row.marks(_))).toVector
      assertEquals(streams.map(_.toList), values.map(row => List.tabulate(3)(row.marks(_))))

  test("a store in the loop does not change what a function of an earlier row returns"):
    Region.scoped:
      val rows = Rows.from(values)
      val functions = rows.map(row => () => row.name.startsWith("n")).toVector
      rows.foreach(row => rows.ref(row.id).name = Text[8]("other"))
      assertEquals(functions.map(_()), Vector.fill(5)(true))

  test("a function outlives the region of its row"):
    val functions = Region.scoped:
      Rows.from(values).map(row => () => row.marks(0) + row.name.byteLength).toVector
    assertEquals(functions.map(_()), values.map(row => row.id * 10 + 2))
end LateClosureTest
