package outside.file

import java.nio.file.Path
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.file.*

/** Many rows in one append to a file: views, computed rows, and batches. */
class AppendManyTest extends undercroft.tools.Suite:
  import Trades.*

  private def trade(i: Long) = Trade(i, (i * 7919 % 100).toInt)
  private def trades(count: Int) = Vector.tabulate(count)(i => trade(i))

  /** Runs a test with a table of 10 trades in a file of each layout. */
  private def inEachFile(body: (FileTable[Trade, ? <: Layout], () => Vector[Trade]) => Unit): Unit =
    def run[L <: Layout](tables: TableFactory[L], read: Path => Vector[Trade]): Unit =
      inFolder: folder =>
        val path = folder.resolve("day.trades")
        val table = tables.create[Trade](path, maxRows = 100_000)
        try
          table.appendAll(trades(10))
          table.commit()
          body(table, () => read(path))
        finally table.close()
    def all(table: FileTable[Trade, ?]): Vector[Trade] =
      try table.toVector
      finally table.close()
    run(Rows, path => all(Rows.openReadOnly[Trade](path)))
    run(PackedRows, path => all(PackedRows.openReadOnly[Trade](path)))
    run(Columns, path => all(Columns.openReadOnly[Trade](path)))

  test("views of memory are appended, and visible to readers after the next commit"):
    inEachFile: (table, committed) =>
      Region.scoped:
        val source = Columns.from(trades(5000))
        table.appendAll(source.filter(_.amount > 50))
        val expected = trades(10) ++ trades(5000).filter(_.amount > 50)
        assertEquals(table.toVector, expected)
        assertEquals(committed(), trades(10))
        table.commit()
        assertEquals(committed(), expected)

  test("a function that is not a literal is evaluated once for all rows"):
    inEachFile: (table, committed) =>
      def counter(): Long => Trade =
        var next = 0
        _ =>
          next += 1
          Trade(next, 7)
      table.appendAll(3)(counter())
      table.commit()
      assertEquals(committed(), trades(10) ++ Vector(Trade(1, 7), Trade(2, 7), Trade(3, 7)))

  test("a file's table appends its own rows as they were before"):
    inEachFile: (table, committed) =>
      table.appendAll(table.filter(_.id % 2 == 0))
      val once = trades(10) ++ trades(10).filter(_.id % 2 == 0)
      assertEquals(table.toVector, once)
      table.appendAll(table.reverse)
      val view: View[Trade] = table.map(t => t.copy(amount = -1))
      table.appendAll(view)
      val twice = once ++ once.reverse
      assertEquals(table.toVector, twice ++ twice.map(_.copy(amount = -1)))
      table.commit()
      assertEquals(committed(), table.toVector)

  test("the view of an appendAll is evaluated before the append begins"):
    inEachFile: (table, committed) =>
      def appending: View[Trade] =
        table += trade(10)
        table.filter(_.id > 8)
      table.appendAll(appending)
      table.commit()
      assertEquals(committed(), trades(11) ++ trades(11).drop(9))

  test("whole tables are copied to files of the same layout, from memory, files and folders"):
    inFolder: folder =>
      val target = Columns.create[Trade](folder.resolve("all.trades"), maxRows = 100_000)
      val shop = Columns.folder[Trade](folder.resolve("shop"), maxRows = 1000)
      for part <- 0 until 3 do shop.add(file => file.appendAll(trades(100).drop(part)))
      val source = Columns.openAll[Trade](folder.resolve("shop"))
      target.appendAll(source)
      target.appendAll(source.filter(_.id < 5))
      target.appendAll(source.files.head.table.slice(3, 5))
      Region.scoped(target.appendAll(Columns.from(trades(7))))
      target.appendAll(target)
      val parts = (0 until 3).toVector.flatMap(part => trades(100).drop(part))
      val once =
        parts ++ parts.filter(_.id < 5) ++ source.files.head.table.toVector.slice(3, 5) ++ trades(7)
      assertEquals(target.toVector, once ++ once)
      Region.scoped:
        val rows = Rows.growing[Trade]
        val columns = Columns.growingTo[Trade](1000)
        rows.appendAll(source.filter(_.id > 90))
        columns.appendAll(source)
        columns.appendAll(target.take(3))
        assertEquals(rows.toVector, parts.filter(_.id > 90))
        assertEquals(columns.toVector, parts ++ parts.take(3))
      source.close()
      target.close()

  test("computed rows and batches are counted at their end"):
    inEachFile: (table, committed) =>
      table.appendAll(2000)(i => trade(10 + i))
      assertEquals(table.toVector, trades(2010))
      table.appending(maxRows = 1000): batch =>
        for i <- 2010 until 2020 do
          batch += trade(i)
          assertEquals(table.size, 2010L)
      table.appendAll(0)(i => trade(i))
      table += trade(2020)
      assertEquals(table.toVector, trades(2021))
      assertEquals(committed(), trades(10))
      table.commit()
      assertEquals(committed(), trades(2021))

  test("a negative number of computed rows is rejected, and the table takes rows afterwards"):
    inEachFile: (table, _) =>
      for count <- Seq(-1L, -5L, Long.MinValue) do
        val error = intercept[IllegalArgumentException](table.appendAll(count)(i => trade(i)))
        assertEquals(error.getMessage, s"count must be at least 0, but is $count rows")
      table.appendAll(1)(i => trade(10 + i))
      assertEquals(table.toVector, trades(11))

  test("a commit within a batch commits the rows before it"):
    inEachFile: (table, committed) =>
      table += trade(10)
      table.appending(maxRows = 10): batch =>
        batch += trade(11)
        table.commit()
        assertEquals(committed(), trades(11))
      assertEquals(table.toVector, trades(12))
      table.commit()
      assertEquals(committed(), trades(12))

  test("a failure appends no row of a view or of computed rows, and those before it of a batch"):
    inEachFile: (table, committed) =>
      intercept[ArithmeticException](table.appendAll(100)(i => trade(1 / (50 - i))))
      intercept[ArithmeticException]:
        table.appendAll(table.map(t => Trade(1 / (5 - t.id), 1)))
      assertEquals(table.toVector, trades(10))
      intercept[ArithmeticException]:
        table.appending(maxRows = 100): batch =>
          for i <- 10 until 20 do batch += trade(i + 0 / (15 - i))
      assertEquals(table.toVector, trades(15))
      table.appendAll(List(trade(15), trade(16)))
      table.commit()
      assertEquals(committed(), trades(17))

  test("other appends fail while rows are appended that are not counted yet"):
    inEachFile: (table, committed) =>
      val message =
        s"an append to ${table.path} is in progress: append to its batch, or after its end"
      def rejected(append: => Unit): Unit =
        assertEquals(intercept[IllegalStateException](append).getMessage, message)
      table.appending(maxRows = 10): batch =>
        batch += trade(10)
        rejected(table += trade(0))
        rejected(table.appendAll(List(trade(0))))
        rejected(table.appendAll(table.take(1)))
        rejected(table.appendAll(table.filter(_.id > 0)))
        rejected(table.appendAll(5)(i => trade(i)))
        rejected(table.appending(maxRows = 1)(_ += trade(0)))
      rejected(table.appendAll(5) { i =>
        table += trade(0); trade(i)
      })
      rejected(table.appendAll(table.map { t =>
        table += trade(0); t
      }))
      assertEquals(table.toVector, trades(11))
      table.commit()
      assertEquals(committed(), trades(11))

  test("appends beyond the capacity change nothing"):
    inFolder: folder =>
      val table = Columns.create[Trade](folder.resolve("small.trades"), maxRows = 128)
      table.appendAll(128)(i => trade(i))
      def beyond(append: => Unit): String = intercept[IndexOutOfBoundsException](append).getMessage
      val message = "1 rows after the first 128 do not fit in a file of at most 128 rows"
      assertEquals(beyond(table.appendAll(1)(i => trade(i))), message)
      assertEquals(beyond(table.appendAll(table.take(1))), message)
      assertEquals(beyond(table.appending(maxRows = 1)(_ += trade(1))), message)
      assertEquals(
        beyond(table.appendAll(table.filter(_.id == 5))),
        "row 128 does not fit in a file of at most 128 rows"
      )
      assertEquals(table.toVector, trades(128))
      table.close()

  test("a batch that is full or has ended throws, and its rows stay"):
    inEachFile: (table, _) =>
      var late: Option[FileAppendBatch[Trade, ?]] = None
      val full = intercept[IllegalStateException]:
        table.appending(maxRows = 2): batch =>
          late = Some(batch)
          for i <- 10 until 15 do batch += trade(i)
      assertEquals(full.getMessage, "a batch of at most 2 rows is full")
      val ended = intercept[IllegalStateException](late.foreach(batch => batch.append(trade(0))))
      assertEquals(ended.getMessage, "the batch has ended")
      assertEquals(table.toVector, trades(12))
      val negative = intercept[IllegalArgumentException](table.appending(maxRows = -1)(_ => ()))
      assertEquals(negative.getMessage, "maxRows must be >= 0: -1")
      table += trade(12)
      assertEquals(table.size, 13L)

  test("a file that is read only or closed rejects views, computed rows and batches"):
    inFolder: folder =>
      val path = sealedFile(Rows, folder.resolve("day.trades"), 3)
      val table = Rows.openReadOnly[Trade](path)
      for
        append <- List[() => Unit](
          () => table.appendAll(table.filter(_.id >= 0)),
          () => table.appendAll(table),
          () => table.appendAll(1)(i => trade(i)),
          () => table.appending(maxRows = 1)(_ += trade(1))
        )
      do
        val _ = intercept[RuntimeException](append())
        assertEquals(table.size, 3L)
      table.close()
      val closed = Rows.create[Trade](folder.resolve("closed.trades"))
      closed.close()
      for
        append <- List[() => Unit](
          () => closed.appendAll(1)(i => trade(i)),
          () => closed.appending(maxRows = 1)(_ += trade(1)),
          () => Region.scoped(closed.appendAll(Rows.from(trades(2)))),
          () => Region.scoped(closed.appendAll(Rows.from(trades(2)).filter(_.id > 0)))
        )
      do intercept[RuntimeException](append())
end AppendManyTest
