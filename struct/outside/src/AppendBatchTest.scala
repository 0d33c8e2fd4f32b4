package outside.struct

import undercroft.memory.*
import undercroft.struct.*

case class Order(number: Int, price: Long, side: Boolean, note: Text[6]) derives Struct

/** A row of one byte in every layout. */
case class SingleByte(points: Byte) derives Struct

class AppendBatchTest extends undercroft.tools.Suite:
  private def order(i: Long) = Order(i.toInt, i * 3, i % 2 == 0, Text(s"n${i % 1000}"))

  private def check(table: GrowingTable[Order, ?], rows: Int): Unit =
    assertEquals(table.size, rows.toLong)
    for i <- 0 until rows do assertEquals(table(i), order(i))

  private inline def batches[L <: Layout](rows: => GrowingTable[Order, L]): Unit =
    val table = rows
    table += order(0)
    table.appending(maxRows = 3): batch =>
      batch += order(1)
      assertEquals(table.size, 1L)
      batch.append(order(2))
    check(table, 3)
    table.appending(maxRows = 0)(_ => ())
    table.appending(maxRows = 20_000)(batch => for i <- 3 until 20_000 do batch += order(i))
    table += order(20_000)
    table.appendAll(10)(i => order(20_001 + i))
    check(table, 20_011)

    val failed = intercept[ArithmeticException]:
      table.appending(maxRows = 10): batch =>
        for i <- 0 until 10 do batch += order(20_011 + i + 0 / (7 - i).max(0))
    assert(failed.getMessage.contains("zero"), failed.getMessage)
    check(table, 20_018)

  test("a batch appends rows in every layout, in scoped and in shared regions"):
    Region.scoped:
      batches(Rows.growing[Order])
      batches(PackedRows.growing[Order])
      batches(Columns.growingTo[Order](30_000))
      batches(Rows.growingTo[Order](30_000))
    val region = Region.shared("fills")
    try
      batches(Rows.growing[Order](using region))
      batches(PackedRows.growingTo[Order](30_000)(using region))
      batches(Columns.growingTo[Order](30_000)(using region))
    finally region.close()

  test("a batch of generic code appends the same rows"):
    def appendTwice[T: Struct, L <: Layout](table: GrowingTable[T, L], value: T): Unit =
      table.appending(maxRows = 2): batch =>
        batch += value
        batch += value
    Region.scoped:
      for table <- Seq(Rows.growing[Order], PackedRows.growing[Order], Columns.growingTo[Order](9))
      do
        table += order(0)
        appendTwice(table, order(5))
        assertEquals(table.toVector, Vector(order(0), order(5), order(5)))

  test("a full batch, and a batch after its end, reject rows and keep the others"):
    Region.scoped:
      val table = PackedRows.growing[Order]
      var escaped: AppendBatch[Order, Packed] | Null = null
      val full = intercept[IllegalStateException]:
        table.appending(maxRows = 2): batch =>
          escaped = batch
          for i <- 0 until 3 do batch += order(i)
      assertEquals(full.getMessage, "a batch of at most 2 rows is full")
      check(table, 2)
      val ended = intercept[IllegalStateException](escaped.nn += order(2))
      assertEquals(ended.getMessage, "the batch has ended")
      check(table, 2)

  test("a batch that does not fit leaves the table unchanged"):
    Region.scoped:
      val table = Rows.growingTo[Order](10)
      table += order(0)
      val negative = intercept[IllegalArgumentException](table.appending(-1)(_ => ()))
      assertEquals(negative.getMessage, "maxRows must be >= 0: -1")
      val large = intercept[IndexOutOfBoundsException](table.appending(10)(_ => ()))
      assertEquals(
        large.getMessage,
        "10 rows after the first 1 do not fit in a table of at most 10 rows"
      )
      intercept[IndexOutOfBoundsException](table.appending(Long.MaxValue)(_ => ())): Unit
      table.appending(9)(batch => for i <- 1 until 10 do batch += order(i))
      check(table, 10)
    Region.within(Budget("fills", 1.MiB)):
      val table = Rows.growing[Order]
      table += order(0)
      intercept[MemoryLimitException](table.appending(1_000_000)(_ => ())): Unit
      table.appending(1000)(batch => for i <- 1 to 1000 do batch += order(i))
      check(table, 1001)

  test("other appends during a batch throw, and the batch continues"):
    Region.scoped:
      val table = Rows.growing[Order]
      table += order(0)
      table.appending(maxRows = 3): batch =>
        batch += order(1)
        val single = intercept[IllegalStateException](table += order(9))
        assert(single.getMessage.contains("open batch of at most 3 rows"), single.getMessage)
        intercept[IllegalStateException](table.appendAll(2)(i => order(i)))
        intercept[IllegalStateException](table.appending(1)(_ => ()))
        intercept[IllegalStateException](table.appendAll(List(order(9))))
        batch += order(2)
      check(table, 3)

  test("an appendAll that a batch rejects leaves the rows of the batch"):
    Region.scoped:
      val source = Rows.from(List(order(8), order(9)))
      for appends <- Seq[GrowingTable[Order, Aligned] => Unit](
          table => table.appendAll(1)(_ => order(9)),
          table => table.appendAll(source.map(row => row))
        )
      do
        val table = Rows.growing[Order]
        table += order(0)
        table.appending(maxRows = 3): batch =>
          batch += order(1)
          intercept[IllegalStateException](appends(table)): Unit
          assertEquals(table.sumOf(_.price), 0L, "the loop moves the rows")
          batch += order(2)
        check(table, 3)

  test("a row's own expression may append to the batch and read the table"):
    Region.scoped:
      val table = Rows.growing[Order]
      table += order(0)
      table.appending(maxRows = 3): batch =>
        batch += {
          batch += order(1)
          order(2)
        }
        batch += order(table.size + 2)
      check(table, 4)

  test("a reference, a slice or a loop in a batch moves the rows, those of the batch too"):
    Region.scoped:
      for moves <- Seq[GrowingTable[Order, Aligned] => Any](
          _.ref(0).number,
          _.slice(0, 1).size,
          _.sumOf(_.price),
          _.segment.byteSize
        )
      do
        val table = Rows.growing[Order]
        table += order(0)
        table.appending(maxRows = 8): batch =>
          batch += order(1)
          val _ = moves(table)
          for i <- 2 to 8 do batch += order(i)
        check(table, 9)
      val columns = Columns.growingTo[Order](100)
      columns += order(0)
      columns.appending(maxRows = 3): batch =>
        batch += order(1)
        assertEquals(columns.sumOf(_.price), 0L)
        batch += order(2)
      check(columns, 3)

  test("a batch of rows of one byte continues in the new memory after a move"):
    Region.scoped:
      val bytes = Rows.growing[Byte]
      bytes += 100.toByte
      bytes.appending(maxRows = 8): batch =>
        batch += 101.toByte
        assertEquals(bytes.count(_ > 0), 1L)
        for i <- 102 to 108 do batch += i.toByte
      assertEquals(bytes.toVector.map(_.toInt), Vector.range(100, 109))
      val singles = PackedRows.growing[SingleByte]
      singles += SingleByte(100)
      singles.appending(maxRows = 8): batch =>
        batch += SingleByte(101)
        assertEquals(singles.ref(0).points.toInt, 100)
        for i <- 102 to 108 do batch += SingleByte(i.toByte)
      assertEquals(singles.toVector.map(_.points.toInt), Vector.range(100, 109))
      val columns = Columns.growingTo[Byte](100)
      columns.appending(maxRows = 8): batch =>
        batch += 100.toByte
        assertEquals(columns.count(_ > 0), 0L)
        for i <- 101 to 107 do batch += i.toByte
      assertEquals(columns.toVector.map(_.toInt), Vector.range(100, 108))

  test("a batch without room in a new table of a shared region or of Malloc is full"):
    val region = Region.shared("fills")
    for allocator <- List[Allocator](region, Malloc) do
      val table = Rows.growing[Order](using allocator)
      val full = intercept[IllegalStateException]:
        table.appending(maxRows = 0)(batch => batch += order(1))
      assertEquals(full.getMessage, "a batch of at most 0 rows is full")
      table.close()
    region.close()

  test("a batch whose table or region was closed throws before it stores"):
    for rows <- Seq(1, 100_000) do
      Region.scoped:
        val table = Rows.growing[Order]
        for i <- 0 until rows do table += order(i)
        intercept[StaleReferenceException]:
          table.appending(maxRows = 3): batch =>
            batch += order(1)
            table.close()
            batch += order(2)
        intercept[StaleReferenceException](table += order(3))
        intercept[StaleReferenceException](table.appending(1)(_ => ())): Unit
      for layout <- 0 to 2 do
        val region = Region.shared("closed")
        val table =
          if layout == 0 then Rows.growing[Order](using region)
          else if layout == 1 then PackedRows.growing[Order](using region)
          else Columns.growingTo[Order](200_000)(using region)
        for i <- 0 until rows do table += order(i)
        val error = intercept[StaleReferenceException]:
          table.appending(maxRows = 3): batch =>
            batch += order(1)
            region.close()
            batch += order(2)
        assert(error.getMessage.contains("closed"), error.getMessage)

  test("a batch of a scoped region's table rejects another thread"):
    Region.scoped:
      for rows <- Seq(1, 100_000) do
        val table = Rows.growing[Order]
        for i <- 0 until rows do table += order(i)
        table.appending(maxRows = 2): batch =>
          batch += order(rows)
          var failure: Throwable | Null = null
          val other = Thread: () =>
            try batch += order(7)
            catch case error: Throwable => failure = error
          other.start()
          other.join()
          assert(failure.isInstanceOf[RegionThreadException], s"$failure")
        check(table, rows + 1)

  /** Batches, appends and moves at random, beside a Vector. */
  private inline def randomSteps[L <: Layout](
      random: scala.util.Random,
      table: GrowingTable[Order, L],
      clue: String
  ): Unit =
    var model = Vector.empty[Order]
    for _ <- 0 until 20 do
      val rows = Vector.fill(random.nextInt(200))(order(random.nextInt(1000)))
      random.nextInt(4) match
        case 0 => rows.foreach(table += _)
        case 1 => table.appendAll(rows.size)(i => rows(i.toInt))
        case 2 =>
          table.appending(rows.size + random.nextInt(3))(batch => rows.foreach(batch += _))
        case _ =>
          table.appending(rows.size): batch =>
            rows.foreach: row =>
              if random.nextInt(50) == 0 && table.size > 0 then
                assertEquals(table.slice(0, 1)(0), model(0), clue)
              batch += row
      model ++= rows
    assertEquals(table.toVector, model, clue)
  end randomSteps

  test("random batches, appends and moves hold the rows of a Vector"):
    val seed = System.nanoTime
    val random = scala.util.Random(seed)
    for round <- 0 until 40 do
      val clue = s"seed $seed, round $round"
      Region.scoped:
        randomSteps(random, Rows.growing[Order], clue)
        randomSteps(random, PackedRows.growing[Order], clue)
        randomSteps(random, Columns.growingTo[Order](5000), clue)
end AppendBatchTest
