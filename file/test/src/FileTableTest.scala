package undercroft.file

import java.nio.channels.FileChannel
import java.nio.file.{Files, StandardOpenOption}
import scala.compiletime.testing.typeCheckErrors
import scala.util.boundary
import undercroft.file.format.{ErrorKind, Durability}
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.testkit.assertAllocates

final case class Tick(up: Byte) derives Struct

/** Wider than the rows that the JIT reads without a call. */
final case class Widest(a: Wider, b: Wider, c: Wider, d: Int) derives Struct, CanEqual
final case class Wider(a: Long, b: Long, c: Long, d: Long, e: Long, f: Long, g: Long) derives Struct

class FileTableTest extends undercroft.tools.Suite:
  import Samples.{failure, path}

  private val trades = Vector.tabulate(5000)(i => Trade.of(i.toLong))
  private val balance = trades.map(_.balance).sum

  test("rows too wide for the JIT are read whole from a mapped file"):
    val parts = Vector.tabulate(3000)(i => Wider(i, 1, 2, 3, 4, 5, -i))
    val values = parts.map(part => Widest(part, part, part, part.a.toInt))
    val rows = Rows.create[Widest](path(), maxRows = 5000)
    for value <- values do rows += value
    assertEquals(values.indices.map(i => rows(i)).toVector, values)
    assertEquals(
      rows.foldLeft(0L)((sum, row) => sum + row.hashCode),
      values.map(_.hashCode.toLong).sum
    )
    rows.close()

  private inline def holds[L <: Layout](tables: TableFactory[L]): Unit =
    val file = path()
    val day = tables.create[Trade](file, maxRows = 100_000)
    for trade <- trades do day += trade
    assertEquals(day.sumOf(_.balance), balance)
    day.commit()
    day += Trade(1, 2, 3, true)
    day.close()

    val writer = tables.open[Trade](file, maxRows = 100_000)
    assertEquals(writer.size, 5000L)
    assertEquals(writer.toVector, trades)
    writer.appendAll(trades)
    writer.updateAt(7)(_.price)(_ + 1)
    val reader = tables.openReadOnly[Trade](file)
    assertEquals(reader.size, 5000L)
    writer.commit()
    assertEquals(reader.refresh(), 10_000L)
    assertEquals(reader.slice(5000, 10_000).toVector, trades)
    assertEquals(reader(7), trades(7).copy(price = trades(7).price + 1))
    assertEquals(reader.filter(_.buy).count(_ => true), 2L * trades.count(_.buy))
    writer.seal()

    val whole = tables.openReadOnly[Trade](file)
    whole.verify()
    assertEquals(whole.size, 10_000L)
    assertEquals(whole.sumOf(_.balance), reader.sumOf(_.balance))
    Region.scoped:
      assertEquals(whole.sortBy(_.price).map(_.price).toVector, whole.map(_.price).toVector.sorted)
    assertEquals(whole.parAggregate(0L)((sum, t) => sum + t.balance)(_ + _), whole.sumOf(_.balance))
    Seq(reader, whole).foreach(_.close())
  end holds

  test("a file of Rows supports the operations of a table in memory"):
    holds(Rows)

  test("a file of PackedRows supports the operations of a table in memory"):
    holds(PackedRows)

  test("a file of Columns supports the operations of a table in memory"):
    holds(Columns)

  test("writing to a read-only table and using a closed table throw"):
    val file = path()
    val day = Rows.create[Trade](file)
    day += trades(0)
    day.commit()
    val reader = Rows.openReadOnly[Trade](file)
    val words = s"$file was opened to be read only"
    assertEquals(intercept[UnsupportedOperationException](reader(0) = trades(1)).getMessage, words)
    assertEquals(intercept[UnsupportedOperationException](reader += trades(1)).getMessage, words)
    assertEquals(intercept[UnsupportedOperationException](reader.fill(trades(1))).getMessage, words)
    assertEquals(reader(0), trades(0))
    reader.close()
    day.close()
    assertEquals(
      failure(reader(0)),
      (ErrorKind.CLOSED, s"$file: offset 0: closed: the file was closed")
    )
    assertEquals(failure(day.sumOf(_.price))._1, ErrorKind.CLOSED)
    assertEquals(failure(day += trades(0))._1, ErrorKind.CLOSED)

  test("ref of a file row throws, and a struct with references in a file does not compile"):
    val day = Rows.create[Trade](path())
    day += trades(0)
    val error = intercept[UnsupportedOperationException](day.ref(0))
    assert(error.getMessage.nn.contains("references are to memory"), error.getMessage)
    day.close()
    val linked = typeCheckErrors("""
      final case class Linked(price: Int, inner: Option[Ref[Trade]]) derives Struct
      Rows.openReadOnly[Linked](path())""").map(_.message)
    assert(
      linked.exists(_.contains("Linked cannot be in a file: `inner.get` is a Reference")),
      linked
    )
    val named = typeCheckErrors("""
      enum Named derives Struct:
        case Nameless
        case Name(text: TextRef)
      Columns.create[Named](path())""").map(_.message)
    assert(named.exists(_.contains("`Name.text` is a TextRef")), named)
    val lines = typeCheckErrors("""
      final case class Order(id: Long, lines: RowsRef[Trade]) derives Struct
      Rows.create[Order](path())""").map(_.message)
    assert(lines.exists(_.contains("`lines` is a RowsRef, which refers to this process")), lines)
    assertEquals(typeCheckErrors("Rows.openReadOnly[Trade](path())"), Nil)

  test("a row appended while another one is evaluated precedes it; a failed one is not added"):
    val day = Rows.create[Trade](path())
    day += Trade(1, { day += trades(0); 2 }, 3, true)
    assertEquals(day.toVector, Vector(trades(0), Trade(1, 2, 3, true)))
    intercept[ArithmeticException](day += Trade(1, 2 / (day.size - 2).toInt, 3, true))
    assertEquals(day.size, 2L)
    day.close()

  test("appending views, computed rows and batches to a file table allocates nothing"):
    val day =
      PackedRows.create[Tick](path(), maxRows = 1_000_000_000, durability = Durability.VOLATILE)
    Region.scoped:
      val ticks = Rows.tabulate[Tick](50)(i => Tick(i.toByte))
      assertAllocates(0)(day.appendAll(ticks.filter(_.up > 40)))
      assertAllocates(0)(day.appendAll(10)(i => Tick(i.toByte)))
      assertAllocates(0):
        day.appending(maxRows = 10): batch =>
          var i = 0
          while i < 10 do
            if i % 3 != 0 then batch += Tick(i.toByte)
            i += 1
    day.close()

  test("appending to, reading from and folding a file table allocate nothing"):
    val day =
      PackedRows.create[Tick](path(), maxRows = 1_000_000_000, durability = Durability.VOLATILE)
    day += Tick(1)
    assertAllocates(0)(day += Tick(2))
    assertAllocates(0)(day(0).up)
    day.close()
    val table = Columns.create[Trade](path(), maxRows = 10_000)
    table.appendAll(trades)
    assertAllocates(0)(table.sumOf(_.balance))
    table.close()

  test("folding a folder of files and reading its rows by an index allocate nothing"):
    val folder = path()
    val writer = Columns.folder[Trade](folder, maxRows = 10_000)
    for _ <- 0 until 3 do writer.add(_.appendAll(trades))
    val table = Columns.openAll[Trade](folder)
    assertEquals(table.size, 3L * trades.size)
    assertAllocates(0)(table.sumOf(_.balance))
    assertAllocates(0)(table(trades.size + 1).price)
    table.close()

  test("operations on a truncated file throw with ErrorKind.TRUNCATED"):
    for isWriter <- Seq(false, true); seal <- Seq(false, true) if !(isWriter && seal) do
      val file = path()
      val day = PackedRows.create[Trade](file, maxRows = 100_000)
      for _ <- 0 until 10 do day.appendAll(trades)
      day.commit()
      if seal then day.seal()
      val table = if isWriter then day else PackedRows.openReadOnly[Trade](file)
      val channel = FileChannel.open(file, StandardOpenOption.WRITE).nn
      try channel.truncate(20_000): Unit
      finally channel.close()
      assertEquals(failure(table.sumOf(_.balance))._1, ErrorKind.TRUNCATED)
      assertEquals(failure(table.map(_.price).max)._1, ErrorKind.TRUNCATED)
      assertEquals(failure(table.toVector)._1, ErrorKind.TRUNCATED)
      assertEquals(failure(table.copyTo(new Array[Trade](10)))._1, ErrorKind.TRUNCATED)
      val view: View[Trade] = table
      assertEquals(
        failure(view.map(trade => trade.balance).exists(_ == Long.MinValue))._1,
        ErrorKind.TRUNCATED
      )
      Region.scoped:
        assertEquals(failure(table.filter(_.buy).count(_ => true))._1, ErrorKind.TRUNCATED)
        assertEquals(failure(table.sortBy(_.price))._1, ErrorKind.TRUNCATED)
        assertEquals(failure(table.partition(_.buy))._1, ErrorKind.TRUNCATED)
      assertEquals(failure(table.verify())._1, ErrorKind.TRUNCATED)
      table.close()
      day.close()

  /** Runs an operation with a sealed file and a function that truncates the file. */
  private def truncated(operation: (FileTable[Trade, Packed], () => Unit) => Any): Unit =
    val file = path()
    val day = PackedRows.create[Trade](file, maxRows = 100_000)
    day.appendAll(trades)
    day.seal()
    val table = PackedRows.openReadOnly[Trade](file)
    def cut(): Unit =
      val channel = FileChannel.open(file, StandardOpenOption.WRITE).nn
      try channel.truncate(20_000): Unit
      finally channel.close()
    assertEquals(failure(operation(table, () => cut()))._1, ErrorKind.TRUNCATED)
    table.close()

  test("an exit from a loop over a file that was truncated throws with ErrorKind.TRUNCATED"):
    truncated: (table, cut) =>
      boundary[Int]:
        table.foreach: trade =>
          cut()
          boundary.break(trade.ticket)
        0
    truncated: (table, cut) =>
      table.foreach: _ =>
        cut()
        throw java.io.IOException("exit")

  test("a failed loop over rows in another order throws with ErrorKind.TRUNCATED, too"):
    truncated: (table, cut) =>
      val rows: View[Trade] = table.strided(2)
      rows.foreach: _ =>
        cut()
        throw ArithmeticException("of a value that is lost")
    truncated: (table, cut) =>
      val pairs: View[(Trade, Trade)] = table.zip(table)
      pairs.foreach: _ =>
        cut()
        throw ArithmeticException("of a value that is lost")

  test("a compiled fold over a file truncated at any length throws each time"):
    val file = path()
    val day = Rows.create[Trade](file, maxRows = 1_000_000)
    for _ <- 0 until 100 do day.appendAll(trades)
    day.commit()
    day.close()
    assert(Files.size(file) > 7_000_000)
    val table = Rows.openReadOnly[Trade](file)
    val whole = table.sumOf(_.balance)
    for cut <- Seq(6_000_000L, 100_000L, 8192L, 0L) do
      val channel = FileChannel.open(file, StandardOpenOption.WRITE).nn
      try channel.truncate(cut): Unit
      finally channel.close()
      for _ <- 0 until 20 do assertEquals(failure(table.sumOf(_.balance))._1, ErrorKind.TRUNCATED)
    assert(whole != 0)
    table.close()
end FileTableTest
