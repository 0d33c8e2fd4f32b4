package outside.file

import undercroft.file.*
import undercroft.struct.*

case class TradeAmount(amount: Int) derives Struct, CanEqual

/** A table that is opened read-only refuses every write, whatever its rows are read from. */
class ReadOnlyTest extends undercroft.tools.Suite:
  import Trades.*

  private inline def refuses[T: Struct, L <: Layout](table: FileTable[T, L], value: T): Unit =
    try
      val before = table.toVector
      val writes: Seq[() => Any] = Seq(
        () => table(0) = value,
        () => table(table.size - 1) = value,
        () => table.append(value)
      )
      for write <- writes do
        val error = intercept[UnsupportedOperationException](write())
        assert(error.getMessage.contains("was opened to be read only"), error.getMessage)
      assertEquals(table.toVector, before)
    finally table.close()

  test("writes to the rows of the same class, of a wider one and of one with fewer fields throw"):
    inFolder: folder =>
      val rows = sealedFile(Rows, folder.resolve("rows"), 3)
      refuses(Rows.openReadOnly[Trade](rows), Trade(9, 9))
      refuses(Rows.openReadOnly[WideTrade](rows), WideTrade(9, 9))
      refuses(Rows.openReadOnly[TradeAmount](rows), TradeAmount(9))
      val columns = sealedFile(Columns, folder.resolve("columns"), 3)
      refuses(Columns.openReadOnly[Trade](columns), Trade(9, 9))
      refuses(Columns.openReadOnly[WideTrade](columns), WideTrade(9, 9))
      refuses(Columns.openReadOnly[TradeAmount](columns), TradeAmount(9))

  test("converted rows are read, and throw after their table was closed"):
    inFolder: folder =>
      val path = sealedFile(Rows, folder.resolve("rows"), 3)
      val table = Rows.openReadOnly[WideTrade](path)
      assertEquals(table.map(_.amount).toVector, Vector(0L, 1L, 2L))
      assertEquals(table.slice(1, 3).sumOf(_.id), 3L)
      table.close()
      val _ = intercept[Exception](table(0))
      val _ = intercept[Exception](table.sumOf(_.id))

  test("a row of a file has no reference, and the error names the alternatives"):
    inFolder: folder =>
      val table = Rows.openReadOnly[Trade](sealedFile(Rows, folder.resolve("rows"), 3))
      val expected = s"a row of $folder/rows has no reference, because references are to memory " +
        "of Undercroft: use rows(i), row(i) or updateAt"
      for use <- Seq(() => table.ref(1).amount, () => table.ref(1), () => table.ref(7).amount) do
        assertEquals(intercept[UnsupportedOperationException](use()).getMessage, expected)
      table.close()
end ReadOnlyTest
