package outside.duckdb

import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.duckdb.*
import undercroft.file.format.{Checksums, ErrorKind, StructFile, StructFileException}
import undercroft.struct.*
import undercroft.file.*

case class Sale(id: Long, amount: Int) derives Struct, CanEqual
case class RenamedSale(id: Long, @formerly("amount") pieces: Int) derives Struct, CanEqual
case class Amount(amount: Int) derives Struct
case class Grid(cells: InlineArray[InlineArray[Short, 2], 3]) derives Struct, CanEqual

/** SQL over struct files. */
class StructFilesTest extends undercroft.tools.Suite:

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  /** A sealed columnar file with a flipped bit in the id of row 150 000. */
  private def flipped(folder: Path): Path =
    val path = folder.resolve("day.cols")
    val table = Columns.create[Sale](path, maxRows = 200_000)
    for i <- 0 until 200_000 do table += Sale(i, i)
    table.seal()
    val file = java.io.RandomAccessFile(path.toFile, "rw")
    try
      file.seek(12288 + 150_000 * 8 + 2)
      val byte = file.read()
      file.seek(12288 + 150_000 * 8 + 2)
      file.write(byte ^ 0x10)
    finally file.close()
    path

  private def value(duckdb: DuckDb, sql: String): String = duckdb.query(sql)(0, 0).show

  test("a table has the names of its class, whose fields are renamed or fewer than the file's"):
    inFolder: folder =>
      val path = folder.resolve("day.cols")
      val written = Columns.create[Sale](path, maxRows = 200_000)
      for i <- 0 until 200_000 do written += Sale(i, i)
      written.seal()
      val duckdb = DuckDb()
      val renamed = Columns.openReadOnly[RenamedSale](path)
      val part = Columns.openReadOnly[Amount](path)
      duckdb.register("renamed", renamed)
      duckdb.register("part", part)
      val filtered = "select count(*) from renamed where pieces >= 199990 and id < 199995"
      assertEquals(value(duckdb, filtered), "5")
      assertEquals(value(duckdb, "select sum(pieces) from renamed"), "19999900000")
      assertEquals(value(duckdb, "select max(amount) from part where amount < 100"), "99")
      for sql <- Seq("select amount from renamed", "select id from part") do
        assert(intercept[DuckDbException](duckdb.query(sql)).getMessage.contains("not found"))
      duckdb.close()
      renamed.close()
      part.close()

  test("a flipped bit in a sealed file fails the queries that read its column"):
    inFolder: folder =>
      val path = flipped(folder)
      val duckdb = DuckDb()
      val file = StructFile.open(path)
      val table = Columns.openReadOnly[Sale](path)
      duckdb.register("file", file)
      duckdb.register("day", table)
      for
        name <- Seq("file", "day")
        sql <- Seq("select sum(id) from", "select sum(amount) from")
      do
        if sql.contains("id") then
          val error = intercept[StructFileException](duckdb.query(s"$sql $name"))
          assertEquals(error.kind, ErrorKind.CORRUPT)
          assert(error.getMessage.contains("the checksum of block"), error.getMessage)
        else assertEquals(value(duckdb, s"$sql $name"), "19999900000")
      val filtered = "select sum(amount) from day where id <> 7 and amount > 140000"
      assertEquals(intercept[StructFileException](duckdb.query(filtered)).kind, ErrorKind.CORRUPT)
      duckdb.close()
      table.close()
      file.close()

  test("with Checksums.NEVER a query returns the corrupt bytes unchecked"):
    inFolder: folder =>
      val file = StructFile.open(flipped(folder), Checksums.NEVER)
      val duckdb = DuckDb()
      duckdb.register("file", file)
      assert(value(duckdb, "select sum(id) from file") != "19999900000")
      duckdb.close()
      file.close()

  test("a multidimensional array is returned as an array of arrays"):
    inFolder: folder =>
      val table = Rows.create[Grid](folder.resolve("grid.rows"), maxRows = 5000)
      for row <- 0 until 5000 do
        table += Grid(InlineArray.tabulate(i =>
          InlineArray.tabulate(j => (row + 10 * i + j).toShort)
        ))
      table.commit()
      val duckdb = DuckDb()
      duckdb.register("grids", table)
      assertEquals(value(duckdb, "select typeof(cells) from grids limit 1"), "SMALLINT[2][3]")
      assertEquals(value(duckdb, "select sum(cells[3][2]) from grids"), s"${5000L * 21 + 12497500}")
      duckdb.close()
      table.close()

  test("a file that is closed before a query or during it is an error with ErrorKind.CLOSED"):
    inFolder: folder =>
      val path = folder.resolve("day.cols")
      val table = Columns.create[Sale](path, maxRows = 200_000)
      for i <- 0 until 200_000 do table += Sale(i, i)
      table.seal()
      table.close()
      val duckdb = DuckDb()
      def kindOfFailure(): Option[ErrorKind] =
        try
          assertEquals(value(duckdb, "select sum(id) + sum(amount) from day"), "39999800000")
          None
        catch case error: StructFileException => Some(error.kind)
      for round <- 0 until 100 do
        val file = StructFile.open(path, Checksums.NEVER)
        duckdb.register("day", file)
        if round == 0 then
          file.close()
          assertEquals(kindOfFailure(), Some(ErrorKind.CLOSED))
        else
          val closing = Thread.ofPlatform.start: () =>
            for _ <- 0 until round * 2000 do Thread.onSpinWait()
            file.close()
          val kind = kindOfFailure()
          closing.join()
          assert(kind.forall(_.equals(ErrorKind.CLOSED)), s"$kind")
      duckdb.close()
end StructFilesTest
