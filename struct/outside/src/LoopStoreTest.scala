package outside.struct

import undercroft.memory.*
import undercroft.struct.*

object LoopStores:
  enum Content derives Struct, CanEqual:
    case Counted(n: Long)
    case Weighed(x: Double)

  case class Parcel(content: Content, cells: InlineArray[Int, 2], label: Text[8]) derives Struct

  /** Runs code of a test when it is compared. */
  case class Stamp(n: Int) derives Struct, CanEqual:
    override def equals(other: Any): Boolean =
      Stamp.onEquals()
      false
    override def hashCode: Int = n

  object Stamp:
    var onEquals: () => Unit = () => ()

  enum Crate derives Struct:
    case Full(stamp: Stamp, n: Long)
    case Empty(x: Double)
end LoopStores

/** A function literal that stores into the row that it reads. */
class LoopStoreTest extends undercroft.tools.Suite:
  import LoopStores.*

  private def parcels(using Region): Rows[Parcel] =
    Rows.from(List(Parcel(Content.Counted(5), InlineArray[Int, 2](10, 20), Text[8]("old"))))

  private def weigh(rows: Rows[Parcel]): Unit =
    rows.updateAt(0)(_.content)(_ => Content.Weighed(1.0))

  test("a guard that stores another case does not change the value that a match tests"):
    Region.scoped:
      val rows = parcels
      def isLight(n: Long): Boolean =
        weigh(rows)
        n < 0
      val numbers = rows
        .map: row =>
          row.content match
            case Content.Counted(n) if isLight(n) => 0L
            case Content.Counted(n)               => n
            case Content.Weighed(_)               => -1L
        .toVector
      assertEquals(numbers, Vector(5L))
      assertEquals(rows(0).content, Content.Weighed(1.0))

  test("a by-name guard that stores another case does not change the value that a match tests"):
    Region.scoped:
      val rows = parcels
      def numbers(isLight: => Boolean): Vector[Long] =
        rows
          .map: row =>
            row.content match
              case Content.Counted(_) if isLight => 0L
              case Content.Counted(n)            => n
              case Content.Weighed(_)            => -1L
          .toVector
      val found = numbers:
        weigh(rows)
        false
      assertEquals(found, Vector(5L))

  test("a match after a store in the body of a match tests the case that was stored"):
    Region.scoped:
      val rows = parcels
      val numbers = rows
        .map: row =>
          row.content match
            case Content.Counted(_) =>
              weigh(rows)
              row match
                case Parcel(Content.Counted(n), _, _) => n
                case Parcel(Content.Weighed(x), _, _) => -x.toLong
            case Content.Weighed(_) => -2L
        .toVector
      assertEquals(numbers, Vector(-1L))

  test("an equals method that stores another case does not change the value that a match tests"):
    Region.scoped:
      val rows = Rows.from(List[Crate](Crate.Full(Stamp(1), 5)))
      val origin = Stamp(1)
      def empty(): Unit = rows(0) = Crate.Empty(1.0)
      Stamp.onEquals = () => empty()
      try
        val numbers = rows
          .map:
            case Crate.Full(`origin`, _) => 0L
            case Crate.Full(_, n)        => n
            case Crate.Empty(_)          => -1L
          .toVector
        assertEquals(numbers, Vector(5L))
      finally Stamp.onEquals = () => ()

  test("a name of an array or a text of the row keeps its value when the row changes"):
    Region.scoped:
      val rows = parcels
      var cells = Vector.empty[Int]
      rows.foreach: row =>
        val old = row.cells
        rows.updateAt(0)(_.cells(0))(_ + 1)
        cells = cells :+ old(0)
      assertEquals(cells, Vector(10))
      assertEquals(rows(0).cells(0), 11)
      var labels = Vector.empty[Boolean]
      rows.foreach: row =>
        val label = row.label
        rows.updateAt(0)(_.label)(_ => Text[8]("new"))
        labels = labels :+ label.startsWith("old")
      assertEquals(labels, Vector(true))

  test("a name in a function of two rows keeps its value when the row changes"):
    Region.scoped:
      val rows = parcels
      var cells = Vector.empty[Int]
      rows
        .zip(rows)
        .foreach: (a, b) =>
          val old = a.cells
          rows.updateAt(0)(_.cells(0))(_ + 1)
          cells = cells :+ old(0) :+ b.label.byteLength
      assertEquals(cells, Vector(10, 3))
end LoopStoreTest
