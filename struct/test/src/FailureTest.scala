package undercroft.struct

import undercroft.memory.*

class FailureTest extends undercroft.tools.Suite:
  private val trade = Trade(1, 2, 3, buy = true)

  /** The result of `make` in a region that has been closed since. */
  private def closed[A](make: Region ?=> A): A = Region.named("morning")(make)

  private def namesRegion(use: => Any)(using munit.Location): Unit =
    val error = intercept[StaleReferenceException](use)
    assert(error.getMessage.contains("morning"), error.getMessage)

  private def onAnotherThread(use: => Unit): Unit =
    var thrown = Option.empty[Throwable]
    val thread = Thread: () =>
      try use
      catch case error: Throwable => thrown = Some(error)
    thread.start()
    thread.join()
    thrown.foreach(error => throw error)

  test("every use of a table in a closed region throws an exception that names the region"):
    val rows = closed(Rows.from(List(trade, trade)))
    val columns = closed(Columns.from(List(trade, trade)))
    val growing = closed:
      val table = Rows.growingTo[Trade](10)
      table += trade
      table
    namesRegion(rows(0))
    namesRegion(rows(0) = trade)
    namesRegion(rows.ref(0).price)
    namesRegion(rows.sumOf(_.price))
    namesRegion(rows.updateAll(_.price)(_ + 1))
    namesRegion(rows.updateAt(0)(_.price)(_ + 1))
    namesRegion(rows.slice(0, 1)(0))
    namesRegion(rows.map(_.price).toVector)
    namesRegion(columns(0))
    namesRegion(columns.sumOf(_.price))
    namesRegion(columns.setFrom(rows)(identity))
    namesRegion(growing(0))
    namesRegion(growing += trade)
    onAnotherThread(namesRegion(rows(0)))
    onAnotherThread(namesRegion(columns.sumOf(_.price)))
    onAnotherThread(namesRegion(rows.ref(0).price = 1))

  test("a shared region's table works on every thread until it is closed"):
    val region = Region.shared("morning")
    val rows = Rows.from(List(trade))(using region)
    onAnotherThread(assertEquals(rows(0), trade))
    region.close()
    namesRegion(rows(0))
    onAnotherThread(namesRegion(rows(0)))

  /** Closes a table before its region, and gives its memory to another table of the same kind. */
  private inline def closesEarly[L <: Layout](
      inline make: Allocator ?=> GrowingTable[Trade, L]
  )(using Region): Unit =
    val table = make
    for i <- 0 until 50_000 do table += Trade(i, 2, 3, true)
    val slice = table.slice(10, 20)
    table.close()
    table.close()
    val next = make
    for i <- 0 until 50_000 do next += Trade(-i, -2, -3, false)
    // The old owner is known only while the history of the page has room for it.
    intercept[StaleReferenceException](table(5))
    intercept[StaleReferenceException](table(5) = trade)
    intercept[StaleReferenceException](table += trade)
    intercept[StaleReferenceException](table.sumOf(_.price))
    intercept[StaleReferenceException](slice(0))
    assertEquals(table.size, 50_000L)
    assertEquals(next.sumOf(_.price), -150_000L)

  test("every use of a closed growing table throws, even after its memory was reused"):
    def all(using Region): Unit =
      closesEarly(Rows.growing[Trade])
      closesEarly(PackedRows.growing[Trade])
      closesEarly(Columns.growingTo[Trade](100_000))
    Region.named("morning")(all)
    val shared = Region.shared("morning")
    try all(using shared)
    finally shared.close()

  test("appending to a table of a scoped region on another thread throws RegionThreadException"):
    Region.named("morning"):
      val rows = Rows.growing[Trade]
      rows += trade
      onAnotherThread:
        val error = intercept[RegionThreadException](rows += Trade(9, 9, 9, false))
        assert(error.getMessage.contains("morning"), error.getMessage)
      assertEquals(rows.toVector, Vector(trade))

  test("a table of a shared region accepts appends from one thread after the other"):
    val region = Region.shared("morning")
    val rows = Rows.growing[Trade](using region)
    for _ <- 1 to 3 do onAnotherThread(for _ <- 1 to 10_000 do rows += trade)
    assertEquals(rows.size, 30_000L)
    region.close()
    onAnotherThread(namesRegion(rows += trade))

  test("an index out of bounds throws an exception with index and length and changes nothing"):
    Region.scoped:
      val rows = Rows.from(List(trade, trade))
      for index <- List(-1L, 2L, Long.MinValue, Long.MaxValue, 1L << 32, 1L << 60) do
        val error = intercept[IndexOutOfBoundsException](rows(index) = Trade(9, 9, 9, false))
        assertEquals(error.getMessage, s"Index $index out of bounds for length 2")
        intercept[IndexOutOfBoundsException](rows(index))
        intercept[IndexOutOfBoundsException](rows.ref(index))
      assertEquals(rows.toVector, Vector(trade, trade))

  test("a slice out of bounds throws, and a valid slice shares the memory"):
    Region.scoped:
      val columns = Columns.from(Vector.tabulate(100)(i => Trade(i, i, i, i % 2 == 0)))
      assertEquals(
        intercept[IndexOutOfBoundsException](columns.slice(10, 101)).getMessage,
        "rows [10, 101) are not within [0, 100)"
      )
      intercept[IndexOutOfBoundsException](columns.slice(5, 4))
      val slice = columns.slice(10, 20).slice(5, 10)
      slice.updateAll(_.price)(_ => 1000)
      assertEquals(
        columns.filter(_.price == 1000).map(_.ticket).toVector,
        Vector(15, 16, 17, 18, 19)
      )

  test("storing or appending a value whose argument throws changes nothing"):
    Region.scoped:
      val rows = Rows.growingTo[Trade](10)
      rows += trade
      def broken: Int = throw IllegalArgumentException("no price")
      intercept[IllegalArgumentException](rows(0) = Trade(9, 9, broken, false))
      intercept[IllegalArgumentException](rows += Trade(9, 9, broken, false))
      assertEquals(rows.toVector, Vector(trade))

  test("an overflowing sum throws ArithmeticException with the exact sum"):
    Region.scoped:
      val rows = Rows.from(List.fill(3)(Every(true, 1, 1, 'a', 1, Long.MaxValue, 1, 1)))
      val error = intercept[ArithmeticException](rows.sumOf(_.f))
      assertEquals(
        error.getMessage,
        s"the sum ${BigInt(Long.MaxValue) * 3} does not fit in a Long: use exactSum"
      )
      assertEquals(rows.exactSumOf(_.f), BigInt(Long.MaxValue) * 3)

  test("maxOf of an empty table throws, and its sum is zero"):
    Region.scoped:
      val rows = Rows[Trade](0)
      assertEquals(
        intercept[NoSuchElementException](rows.maxOf(_.price)).getMessage,
        "max requires at least one value"
      )
      assertEquals(rows.sumOf(_.price), 0L)
      assertEquals(rows.exactSumOf(_.price), BigInt(0))
      assertEquals(rows.indexWhere(_.buy), -1L)
      assert(rows.forall(_.buy))

  test("setFrom a table of another size throws IllegalArgumentException"):
    Region.scoped:
      val (rows, columns) = (Rows[Trade](2), Columns.from(List(trade)))
      assertEquals(
        intercept[IllegalArgumentException](rows.setFrom(columns)(identity)).getMessage,
        "source has 1 rows, but the target has 2"
      )

  test("creating a table of a negative or too large size throws"):
    Region.scoped:
      assertEquals(
        intercept[IllegalArgumentException](Rows[Trade](-1)).getMessage,
        "size must be at least 0, but is -1"
      )
      intercept[InvalidSizeException](Rows[Trade](Long.MaxValue / 2))

  test("storing a value whose constructor check fails throws"):
    Region.scoped:
      val rows = Rows[Positive](1)
      intercept[IllegalArgumentException](rows(0) = Positive(-1))
      rows(0) = Positive(1)
      assertEquals(rows(0), Positive(1))
end FailureTest

case class Positive(value: Int) derives Struct, CanEqual:
  require(value > 0, s"$value is not positive")
