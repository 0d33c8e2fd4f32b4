package outside.struct

import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.ForkedJvm

case class Tick(at: Long, price: Int) derives Struct

/** A number whose conversion runs an action of the test. */
final case class Observed(n: Int)

object Observed:
  var action: () => Unit = () => ()

given Struct.StoredAs[Observed, Int] =
  Struct.storedAs[Observed, Int] { observed =>
    Observed.action()
    observed.n
  }(Observed(_))

case class Observation(id: Int, seen: Observed) derives Struct

class GrowingTableTest extends undercroft.tools.Suite:

  test("100 000 growing tables of one row each take less than 200 MB"):
    ManyTables.main(Array())

  test("100 000 growing tables of one row each work if native access is denied"):
    val result = ForkedJvm.run("outside.struct.ManyTables", ForkedJvm.Denied)
    assertEquals(result.exit, 0, result.output)
    assert(result.output.contains("200000 tables"), result.output)

  test("100 000 growing tables of one row each work if address space is limited"):
    val flags = ForkedJvm.Granted ++ Seq("-XX:+UseSerialGC", "-XX:CompressedClassSpaceSize=64m")
    val result = ForkedJvm.run("outside.struct.ManyTables", flags, shell = "ulimit -v 6000000;")
    assertEquals(result.exit, 0, result.output)
    assert(result.output.contains("200000 tables"), result.output)

  test("references stay valid while thousands of growing tables grow side by side"):
    Region.scoped:
      val tables = Vector.fill(3000)(Rows.growing[Tick])
      for (table, i) <- tables.zipWithIndex do table += Tick(i, i)
      val refs = tables.map(_.ref(0))
      for table <- tables; i <- 1 to 20 do table += Tick(-i, i)
      assertEquals(refs.map(_.at), Vector.tabulate(3000)(_.toLong))
      assertEquals(tables.map(_.size).distinct, Vector(21L))

  test("references and slices stay valid while a table grows to a million rows"):
    for shared <- List(true, false) do
      Region.scoped:
        val region = if shared then Region.shared("growing") else Region.current
        val rows = Rows.growing[Tick](using region)
        val columns = Columns.growingTo[Tick](1_000_000)(using region)
        rows += Tick(7, 8)
        columns += Tick(7, 8)
        val (ref, slice, column) = (rows.ref(0), rows.slice(0, 1), columns.slice(0, 1))
        for i <- 1 until 1_000_000 do
          rows += Tick(i, i)
          columns += Tick(i, i)
        ref.price = 9
        columns.updateAt(0)(_.price)(_ + 1)
        assertEquals(rows(0).price, 9)
        assertEquals(slice(0).price, 9)
        assertEquals(column(0).price, 9)
        assertEquals(rows.sumOf(_.at), 499_999_500_000L + 7)
        assertEquals(columns.sumOf(_.at), 499_999_500_000L + 7)
        if shared then region.close()

  test("a row whose conversion moves its table in generic code is stored in the new place"):
    def appended[T: Struct](rows: GrowingTable[T, Aligned], value: T): Unit = rows += value
    def batched[T: Struct](rows: GrowingTable[T, Aligned], value: T): Unit =
      rows.appending(maxRows = 1)(batch => batch += value)
    def viewed[T: Struct](rows: GrowingTable[T, Aligned], value: T): Unit = Region.scoped:
      val action = Observed.action
      Observed.action = () => ()
      val source = Rows.from(List(value))
      Observed.action = action
      rows.appendAll(source.map(row => row))
    val appends = List[(GrowingTable[Observation, Aligned], Observation) => Unit](
      appended(_, _),
      batched(_, _),
      viewed(_, _)
    )
    for append <- appends do
      Region.scoped:
        val rows = Rows.growing[Observation]
        Observed.action = () => ()
        rows += Observation(0, Observed(10))
        Observed.action = () => assertEquals(rows.slice(0, 1).sumOf(_.id), 0L)
        try append(rows, Observation(1, Observed(11)))
        finally Observed.action = () => ()
        assertEquals(rows.toVector.map(row => (row.id, row.seen.n)), Vector((0, 10), (1, 11)))

  test("a row that replaces another is stored in the new place if its conversion moves the table"):
    def updated[T: Struct](rows: GrowingTable[T, Aligned], value: T): Unit = rows(0) = value
    val stores = List[(GrowingTable[Observation, Aligned], Observation) => Unit](
      updated(_, _),
      (rows, value) => rows.copyFrom(Array(value))
    )
    for store <- stores do
      Region.scoped:
        val rows = Rows.growing[Observation]
        Observed.action = () => ()
        rows += Observation(0, Observed(10))
        Observed.action = () => assertEquals(rows.slice(0, 1).size, 1L)
        try store(rows, Observation(1, Observed(11)))
        finally Observed.action = () => ()
        assertEquals(rows.toVector.map(row => (row.id, row.seen.n)), Vector((1, 11)))

  test("rows of a growing table are unchanged after each growth of its memory"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      val packed = PackedRows.growing[Tick]
      val columns = Columns.growingTo[Tick](100_000)
      for i <- 0 until 100_000 do
        rows += Tick(i, i)
        packed += Tick(i, i)
        columns += Tick(i, i)
        val before = i / 2
        assert(rows(before).at == before && rows(i).price == i)
        assert(packed(before).at == before && packed(i).price == i)
        assert(columns(before).at == before && columns(i).price == i)

  test("appendAll with a function that reads earlier rows appends every row"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      val columns = Columns.growingTo[Tick](1000)
      rows += Tick(100, 0)
      columns += Tick(100, 0)
      rows.appendAll(50)(i => Tick(rows.ref(0).at + rows.sumOf(_.at) + i, i.toInt))
      columns.appendAll(50)(i => Tick(columns.sumOf(_.at) + i, i.toInt))
      assertEquals(rows.map(_.price).toVector, (0 +: (0 until 50)).toVector)
      assertEquals(rows.drop(1).map(_.at).toVector, Vector.tabulate(50)(200L + _))
      assertEquals(columns.drop(1).map(_.at).toVector, Vector.tabulate(50)(100L + _))

  test("appends of several rows within the function of appendAll throw and store nothing"):
    Region.scoped:
      val source = Rows.from(List(Tick(90, 90), Tick(91, 91)))
      for appends <- Seq[GrowingTable[Tick, Aligned] => Unit](
          table => table.appendAll(2)(i => Tick(99, 1 / (1 - i.toInt))),
          table => table.appendAll(source),
          table => table.appendAll(source.map(tick => tick)),
          table => table.appendAll(List(Tick(99, 99))),
          table => table.appending(2)(batch => batch += Tick(99, 99)),
          table => table.appending(0)(_ => ())
        )
      do
        val rows = Rows.growing[Tick]
        def checkRejected(): Unit =
          val error = intercept[IllegalStateException](appends(rows))
          assertEquals(
            error.getMessage,
            "an appendAll to the table has not ended: append after its end"
          )
        rows.appendAll(3): i =>
          if i > 0 then checkRejected()
          Tick(i, i.toInt)
        rows.appendAll(
          source.map { tick =>
            checkRejected()
            tick
          }
        )
        rows += Tick(92, 92)
        assertEquals(rows.map(_.at).toVector, Vector[Long](0, 1, 2, 90, 91, 92))
        try appends(rows)
        catch case _: ArithmeticException => ()
        rows.appendAll(1)(_ => Tick(93, 93))
        assertEquals(rows(rows.size - 1).at, 93L)
      end for

  test("an appendAll whose function appends a row and then throws leaves the table unchanged"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      rows += Tick(7, 7)
      intercept[ArithmeticException]:
        rows.appendAll(10): i =>
          if i == 0 then rows += Tick(99, 99)
          Tick(1 / (5 - i), 1)
      assertEquals(rows.toVector, Vector(Tick(7, 7)))
      val source = Rows.from(List(Tick(1, 1), Tick(0, 0)))
      intercept[ArithmeticException]:
        rows.appendAll(
          source.map { tick =>
            if tick.at == 1 then rows += Tick(99, 99)
            Tick(1 / tick.at, 1)
          }
        )
      assertEquals(rows.toVector, Vector(Tick(7, 7)))
      rows += Tick(8, 8)
      assertEquals(rows.toVector, Vector(Tick(7, 7), Tick(8, 8)))

  test("updateAt with a function that grows the table stores the updated value"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      rows += Tick(1, 1)
      rows.updateAt(0)(_.price): price =>
        for i <- 1 to 10_000 do rows += Tick(i, i)
        price + 41
      assertEquals(rows(0).price, 42)
      assertEquals(rows.size, 10_001L)

  test("an append to a closed table, in a closed region or on another thread throws"):
    val left = Region.named("owner"):
      val closed = Rows.growing[Tick]
      closed += Tick(1, 1)
      closed.close()
      closed.close()
      intercept[StaleReferenceException](closed += Tick(2, 2))
      intercept[StaleReferenceException](closed(0))
      intercept[StaleReferenceException](closed.sumOf(_.at))
      val rows = Rows.growing[Tick]
      rows += Tick(1, 1)
      var failure: Throwable | Null = null
      val stranger = Thread: () =>
        try rows += Tick(2, 2)
        catch case error: Throwable => failure = error
      stranger.start()
      stranger.join()
      assert(failure.isInstanceOf[RegionThreadException], s"$failure")
      rows
    val error = intercept[StaleReferenceException](left += Tick(2, 2))
    assert(error.getMessage.contains("owner"), error.getMessage)
    intercept[StaleReferenceException](left(0))
    intercept[StaleReferenceException](left.sumOf(_.at))

  test("another thread cannot close an empty table of a scoped region"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      var failure: Throwable | Null = null
      val stranger = Thread: () =>
        try rows.close()
        catch case error: Throwable => failure = error
      stranger.start()
      stranger.join()
      assert(failure.isInstanceOf[RegionThreadException], s"$failure")
      rows += Tick(1, 1)
      assertEquals(rows.size, 1L)

  test("a closed table of few rows gives neither references nor slices"):
    Region.scoped:
      val rows = Rows.growing[Tick]
      rows += Tick(1, 250)
      rows.close()
      intercept[StaleReferenceException](rows.ref(0).price): Unit
      intercept[StaleReferenceException](rows.ref(0)): Unit
      intercept[StaleReferenceException](rows.take(1)): Unit
      intercept[StaleReferenceException](rows.segment): Unit
      val empty = Columns.growingTo[Tick](10)
      empty.close()
      intercept[StaleReferenceException](empty.slice(0, 0)): Unit
end GrowingTableTest

/** Appends one row each to many tables, of rows and of columns. */
object ManyTables:
  private val Tables = 100_000

  def main(arguments: Array[String]): Unit =
    Region.named("many tables"):
      var sum = 0L
      val rows = Vector.fill(Tables)(Rows.growing[Tick])
      val columns = Vector.fill(Tables)(Columns.growingTo[Tick](1000))
      for i <- 0 until Tables do
        rows(i) += Tick(i, i)
        columns(i) += Tick(i, i)
      for i <- 0 until Tables do
        assert(rows(i).size == 1 && rows(i)(0).at == i && columns(i)(0).price == i)
        sum += 2
      val live = Ledger.report().rows.find(_.name == "many tables").get.liveBytes
      assert(live < 200_000_000, s"$live bytes")
      println(s"$sum tables, $live bytes")
end ManyTables
