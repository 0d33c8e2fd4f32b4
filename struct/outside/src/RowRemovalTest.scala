package outside.struct

import undercroft.memory.*
import undercroft.struct.*
import undercroft.testkit.assertAllocates

case class Move(at: Long, piece: Option[Int], note: Text[40]) derives Struct

/** A row whose constructor runs an action of the test. */
final case class Watched(n: Int) derives Struct:
  Watched.action()

object Watched:
  var action: () => Unit = () => ()

/** `clear` and `removeLast` of growing tables, and everything that refers to removed rows. */
class RowRemovalTest extends undercroft.tools.Suite:

  private def move(i: Int) =
    Move(i, if i % 3 == 0 then None else Some(i), Text("x" * (i % 40)))

  private def tables(region: Region): List[GrowingTable[Move, ?]] =
    given Region = region
    List(Rows.growing[Move], PackedRows.growing[Move], Columns.growingTo[Move](100_000))

  private def eachTable(check: GrowingTable[Move, ?] => Unit): Unit =
    Region.scoped(tables(Region.current).foreach(check))
    val region = Region.shared("removals")
    try tables(region).foreach(check)
    finally region.close()

  test("rows are removed from the end, and appended again, as in an ArrayBuffer"):
    eachTable: table =>
      val model = collection.mutable.ArrayBuffer.empty[Move]
      for i <- 0 until 3000 do
        table.appendAll(List(move(i)))
        model += move(i)
        if i % 5 < 2 then assertEquals(table.removeLast(), model.remove(model.size - 1))
        if i % 977 == 976 then
          table.clear()
          model.clear()
      assertEquals(table.toVector, model.toVector)
      while model.nonEmpty do
        assertEquals(table.removeLast(), model.remove(model.size - 1))
      assertEquals((table.size, table.isEmpty, table.toVector), (0L, true, Vector()))
      val error = intercept[NoSuchElementException](table.removeLast())
      assertEquals(error.getMessage, "removeLast requires at least one value")

  test("clear keeps the memory of the rows for the next ones"):
    eachTable: table =>
      def live = Ledger.report().rows.map(_.liveBytes).sum
      table.appendAll(List.tabulate(10_000)(move))
      table.sumOf(_.at): Unit
      val before = live
      for _ <- 1 to 20 do
        table.clear()
        assertEquals(table.size, 0L)
        table.appendAll(List.tabulate(10_000)(move))
      assert(live - before < 65_536, s"$before bytes before, $live after")
      assertEquals(table.toVector, Vector.tabulate(10_000)(move))

  test("appends and removals of rows allocate nothing"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      val columns = Columns.growingTo[Tick](1000)
      for table <- 1 to 3 do rows += Tick(table, 1)
      var sum = 0L
      assertAllocates(0):
        rows += Tick(7, 8)
        sum += rows.removeLast().at
      assertAllocates(0):
        columns += Tick(7, 8)
        sum += columns.removeLast().price
      assertAllocates(0):
        columns.clear()
        columns += Tick(7, 8)
      assertEquals((rows.size, columns.size), (3L, 1L))

  test("references and slices of removed rows access the row that is stored there, and no other"):
    for isShared <- List(false, true) do
      Region.scoped:
        val region = if isShared then Region.shared("removed") else Region.current
        val rows = Rows.growing[Tick](using region)
        for i <- 0 until 10 do rows += Tick(i, i)
        val (ref, slice, reverse) = (rows.ref(9), rows.slice(0, 10), rows.reverse)
        val (iterator, view) = (rows.iterator, rows.filter(_.at > 4))
        assertEquals(rows.removeLast(), Tick(9, 9))
        assertEquals((ref.at, slice(9).at, reverse.map(_.at).head), (9L, 9L, 9L))
        ref.price = 77 // is stored in memory of the table, beyond its rows
        assertEquals(rows.size, 9L)
        rows += Tick(20, 20)
        assertEquals((ref.at, ref.price, slice(9).at), (20L, 20, 20L))
        rows.clear()
        assertEquals((slice.sumOf(_.at), view.size), (56L, 0L))
        val index = intercept[IndexOutOfBoundsException](rows(0))
        assertEquals(index.getMessage, "Index 0 out of bounds for length 0")
        intercept[IndexOutOfBoundsException](iterator.next()): Unit
        intercept[IndexOutOfBoundsException](reverse(0)): Unit
        intercept[IndexOutOfBoundsException](rows.row(0)): Unit
        intercept[IndexOutOfBoundsException](rows.ref(0)): Unit
        intercept[IndexOutOfBoundsException](rows.slice(0, 1)): Unit
        intercept[IndexOutOfBoundsException](rows.updateAt(0)(_.price)(_ + 1)): Unit
        rows.close()
        intercept[StaleReferenceException](ref.at): Unit
        intercept[StaleReferenceException](slice(9)): Unit
        if isShared then region.close()

  test("a loop whose function removes rows reads the rows that it began with"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      for i <- 0 until 10 do rows += Tick(i, i)
      var seen = Vector.empty[Long]
      rows.foreach: tick =>
        seen :+= tick.at
        if rows.nonEmpty then rows.removeLast(): Unit
      assertEquals((seen, rows.size), (Vector.range(0L, 10L), 0L))
      for i <- 0 until 3 do rows += Tick(i, i)
      rows.updateAt(2)(_.price): price =>
        rows.clear()
        price + 1
      assertEquals(rows.size, 0L)

  test("a part of a row that is not stored is not that of the removed row"):
    Region.scoped:
      def appended[T: Struct](rows: GrowingTable[T, Aligned], value: T): Unit = rows += value
      val rows = Rows.growing[Move]
      rows += Move(-1, Some(-1), Text("z" * 40))
      rows.clear()
      appended(rows, Move(1, None, Text("a")))
      rows.removeLast(): Unit
      rows += Move(1, None, Text("a"))
      val fresh = Rows.from(List(Move(1, None, Text("a"))))
      assertEquals(rows.segment.mismatch(fresh.segment), -1L)

  test("removals within appendAll and within a batch throw, and change nothing"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      rows += Tick(1, 1)
      for remove <- List[() => Any](() => rows.clear(), () => rows.removeLast()) do
        val bulk = intercept[IllegalStateException](
          rows.appendAll(3) { i =>
            remove(): Unit; Tick(i, 0)
          }
        )
        assertEquals(
          bulk.getMessage,
          "an appendAll to the table has not ended: append after its end"
        )
        val batch = intercept[IllegalStateException](
          rows.appending(maxRows = 3) { batch => remove(): Unit }
        )
        assert(batch.getMessage.contains("has an open batch of at most 3 rows"), batch.getMessage)
        assertEquals(rows.toVector, Vector(Tick(1, 1)))

  test("a row whose constructor appends rows is not removed by removeLast"):
    Region.scoped:
      val rows = Rows.growing[Watched]
      rows += Watched(1)
      Watched.action = () =>
        Watched.action = () => ()
        rows += Watched(2)
      val error = intercept[IllegalStateException](rows.removeLast())
      assertEquals(error.getMessage, "the constructor of row 0 changed the table from 1 to 2 rows")
      assertEquals(rows.map(_.n).toVector, Vector(1, 2))

  test("removals on another thread, of a closed table and in a closed region throw"):
    val left = Region.named("owner"):
      val closed = Rows.growing[Tick]
      closed += Tick(1, 1)
      closed.close()
      intercept[StaleReferenceException](closed.clear())
      intercept[StaleReferenceException](closed.removeLast()): Unit
      val (rows, columns) = (Rows.growing[Tick], Columns.growingTo[Tick](10))
      rows += Tick(1, 1)
      columns += Tick(1, 1)
      var failures = List.empty[Throwable]
      def fails(use: => Any): Unit =
        try failures ::= AssertionError(s"no failure, but $use")
        catch case error: Throwable => failures ::= error
      val stranger = Thread: () =>
        fails(rows.clear())
        fails(rows.removeLast())
        fails(columns.clear())
      stranger.start()
      stranger.join()
      assertEquals(failures.size, 3)
      assert(failures.forall(_.isInstanceOf[RegionThreadException]), failures.toString)
      assertEquals((rows.size, columns.size), (1L, 1L))
      rows
    for remove <- List[() => Any](() => left.clear(), () => left.removeLast()) do
      val error = intercept[StaleReferenceException](remove())
      assert(error.getMessage.contains("owner"), error.getMessage)

  test("threads that read rows of a shared table while another removes them see rows of the table"):
    val region = Region.shared("readers")
    val rows = Rows.growing[Tick](using region)
    for i <- 0 until 1000 do rows += Tick(i, i)
    val slice = rows.slice(0, 1000)
    var wrong = 0
    val reader = Thread: () =>
      for _ <- 1 to 200; i <- 0 until 1000 do
        val at = slice(i).at
        if at != i && at != -i then wrong += 1
    reader.start()
    for _ <- 1 to 200 do
      rows.clear()
      for i <- 0 until 1000 do rows += Tick(-i, i)
    reader.join()
    assertEquals(wrong, 0)
    region.close()
    intercept[StaleReferenceException](rows.clear())
end RowRemovalTest
