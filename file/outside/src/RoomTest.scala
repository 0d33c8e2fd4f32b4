package outside.file

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import undercroft.file.format.ErrorKind
import undercroft.struct.*
import undercroft.file.*
import undercroft.tools.{ChildJvm, Requirement, SmallDisk}

/** Preallocation of files, and full disks. */
class RoomTest extends undercroft.tools.Suite:
  import Trades.*

  test("a row file stays about as long as its rows while it is written"):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      val table = Rows.create[Trade](path)
      assert(Files.size(path) < 100_000, Files.size(path).toString)
      for i <- 0 until 10 do table += Trade(i, i)
      table.commit()
      assert(Files.size(path) < 200_000, Files.size(path).toString)
      for i <- 10 until 300_000 do table += Trade(i, i)
      table.commit()
      val rows = 300_000L * 16
      assert(Files.size(path) < 3 * rows, Files.size(path).toString)
      Files.copy(path, folder.resolve("copy.rows"))
      assertEquals(count(folder.resolve("copy.rows")), 300_000L)
      table.close()
      assert(Files.size(path) < rows + 3 * 4096 + 4096, Files.size(path).toString)

  test("a column file has the length of its capacity and ends after its last row on close"):
    inFolder: folder =>
      val path = folder.resolve("day.cols")
      val table = Columns.create[Trade](path, maxRows = 1_000_000)
      for i <- 0 until 10 do table += Trade(i, i)
      table.commit()
      table.close()
      assert(Files.size(path) < 8_000_000 + 64 * 1024, Files.size(path).toString)
      val again = Columns.open[Trade](path)
      for i <- 10 until 1000 do again += Trade(i, i)
      again.commit()
      again.close()
      val read = Columns.openReadOnly[Trade](path)
      assertEquals(read.toVector, Vector.tabulate(1000)(i => Trade(i, i)))
      read.close()

  test("Columns.create without maxRows throws IllegalArgumentException"):
    inFolder: folder =>
      val error = intercept[IllegalArgumentException](Columns.create[Trade](folder.resolve("c")))
      assert(error.getMessage.contains("maxRows"), error.getMessage)
      assertEquals(Files.list(folder).count, 0L)

  test(
    "a reader sees all rows that are committed after it was opened as the file grows"
  ):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      val columns = folder.resolve("day.cols")
      val table = Rows.create[Trade](path)
      val reader = Rows.openReadOnly[Trade](path)
      val second = Columns.create[Trade](columns, maxRows = 400_000)
      val secondReader = Columns.openReadOnly[Trade](columns)
      var next = 0
      for rows <- Seq(1, 10, 5000, 20_000, 100_000, 200_000) do
        for i <- next until next + rows do
          table += Trade(i, i)
          second += Trade(i, i)
        next += rows
        table.commit()
        second.commit()
        for one <- Seq(reader, secondReader) do
          assertEquals(one.refresh(), next.toLong)
          assertEquals(one(next - 1), Trade(next - 1, next - 1))
          assertEquals(one.sumOf(_.id), next.toLong * (next - 1) / 2)
      Seq(reader, table, secondReader, second).foreach(_.close())

  test("a reader sees the rows of a later writer that has room for more of them"):
    inFolder: folder =>
      val path = folder.resolve("day.rows")
      val first = Rows.create[Trade](path, maxRows = 10)
      first += Trade(0, 0)
      first.commit()
      val reader = Rows.openReadOnly[Trade](path)
      first.close()
      val second = Rows.open[Trade](path, maxRows = 50_000)
      for i <- 1 until 50_000 do second += Trade(i, i)
      second.commit()
      assertEquals(reader.refresh(), 50_000L)
      assertEquals(reader(49_999), Trade(49_999, 49_999))
      assertEquals(reader.sumOf(_.id), 50_000L * 49_999 / 2)
      Seq(reader, second).foreach(_.close())

  test("a killed process leaves a file that is about as long as its rows"):
    inFolder: folder =>
      val path = folder.resolve("killed.rows")
      val (exit, output) = child("outside.file.Halting", path.toString)
      assertEquals(exit, 137, output)
      assert(Files.size(path) < 200_000, Files.size(path).toString)
      assertEquals(count(path), 10L)
      val again = Rows.open[Trade](path)
      again += Trade(10, 10)
      again.commit()
      again.close()
      assert(Files.size(path) < 20_000, Files.size(path).toString)
      assertEquals(count(path), 11L)

  test("opening a file with an impossible row limit throws and does not migrate the file"):
    inFolder: folder =>
      val day = written(folder.resolve("day.rows"), 10)
      val before = Files.readAllBytes(day)
      val negative = intercept[IllegalArgumentException](Rows.open[WideTrade](day, maxRows = -2))
      assertEquals(negative.getMessage, "the row limit must be at least 0, but is -2")
      for limit <- Seq(Long.MaxValue, Long.MaxValue / 16) do
        val large = intercept[IllegalArgumentException](Rows.open[WideTrade](day, maxRows = limit))
        assertEquals(large.getMessage, s"a file cannot hold $limit rows of 16 bytes")
      assertEquals(Files.readAllBytes(day).toVector, before.toVector)
      assertEquals(count(day), 10L)

  test("a file that cannot be mapped keeps its length"):
    // A file on tmpfs can have 2^50 bytes, which no process can map.
    Requirement.DEV_SHM.require()
    val folder = Files.createTempDirectory(Path.of("/dev/shm"), "undercroft-outside-")
    try
      val day = written(folder.resolve("day.rows"), 10)
      val length = Files.size(day)
      failure(Rows.open[Trade](day, maxRows = 1L << 46)): Unit
      assertEquals((Files.size(day), count(day)), (length, 10L))
    finally delete(folder)

  private def child(main: String, args: String*): (Int, String) =
    inFolder: folder =>
      val flags = Seq("-Xmx256m", "-XX:+UseSerialGC", s"-XX:ErrorFile=$folder/error.log") ++
        Seq("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"))
      val out = folder.resolve("said.txt").toFile
      val process = ChildJvm.builder((flags ++ Seq(main) ++ args)*)
        .redirectErrorStream(true)
        .redirectOutput(out)
        .start()
      try
        assert(process.waitFor(120, TimeUnit.SECONDS), "the child did not end in 120 s")
        (process.exitValue, Files.readString(out.toPath))
      finally process.destroyForcibly(): Unit

  test("appending uses the last space of a nearly full disk before it throws"):
    SmallDisk("48m").use: folder =>
      val path = folder.resolve("day.rows")
      val table = Rows.create[Trade](path)
      val before = 20 << 20 >> 4
      for i <- 0 until before do table += Trade(i, i)
      table.commit()
      table.close()
      // Leaves 1.9 MB free, less than the step by which a file of this size grows.
      val free = Files.getFileStore(folder).getUsableSpace
      Files.write(folder.resolve("ballast"), new Array[Byte]((free - 1_900_000).toInt))
      val reopened = Rows.open[Trade](path)
      var rows = before
      val (full, words) = failure:
        while true do
          reopened += Trade(rows, rows)
          rows += 1
      assertEquals(full, ErrorKind.NO_SPACE, words)
      assert(rows - before > 1_700_000 / 16, s"${rows - before} rows in 1.9 MB")
      reopened.commit()
      reopened.close()
      val read = Rows.openReadOnly[Trade](path)
      assertEquals((read.size, read(rows - 1)), (rows.toLong, Trade(rows - 1, rows - 1)))
      read.close()
end RoomTest

/** Commits ten rows and halts the JVM, as a kill does. */
object Halting:
  def main(args: Array[String]): Unit =
    val table = Rows.create[Trade](Path.of(args(0)))
    for i <- 0 until 10 do table += Trade(i, i)
    table.commit()
    Runtime.getRuntime.halt(137)
