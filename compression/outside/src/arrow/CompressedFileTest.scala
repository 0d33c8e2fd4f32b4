package outside.compression.arrow

import java.nio.file.{Files, Path}
import scala.util.Random
import undercroft.arrow.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.Python

enum Side derives CanEqual:
  case sell, buy

case class Quote(
    id: Long,
    price: Double,
    name: Text[20],
    side: Side,
    limit: Option[Int],
    open: Boolean
) derives Struct, CanEqual

object Quote:
  /** The row that the script in Python writes. */
  def of(i: Int): Quote = Quote(
    i,
    i * 0.5,
    Text(s"name ${i % 1000} é"),
    if i % 3 == 0 then Side.sell else Side.buy,
    Option.when(i % 7 != 0)(i),
    i % 2 == 0
  )

case class Id(id: Long) derives Struct

/** Compressed files and streams of pyarrow. */
class CompressedFileTest extends undercroft.tools.RoundsSuite:

  private val folder = Files.createTempDirectory("undercroft-compressed")

  override def afterAll(): Unit =
    Files.list(folder).forEach(Files.delete(_))
    Files.delete(folder)

  private def written(kind: String, codec: String, rows: Int): Path =
    val path = folder.resolve(s"$kind-$codec-$rows.arrow")
    if !Files.exists(path) then
      Python.run(sys.env("UNDERCROFT_PYTHON"), kind, codec, s"$rows", s"$path")
    path

  for kind <- Seq("file", "stream"); codec <- Seq("none", "lz4", "zstd"); rows <- Seq(0, 1, 5000) do
    test(s"a $kind of $rows rows, compressed with $codec, has the values of pyarrow"):
      val path = written(kind, codec, rows)
      Region.scoped:
        def check(quotes: Int => Quote, size: Long) =
          assertEquals(size, rows.toLong)
          for i <- 0 until rows do assertEquals(quotes(i), Quote.of(i))
        val inColumns = Columns.readArrow[Quote](path)
        check(i => inColumns(i), inColumns.size)
        val inRows = Rows.readArrow[Quote](path)
        check(i => inRows(i), inRows.size)
        val copy = folder.resolve(s"$kind-$codec-$rows.cols")
        convertArrow(path, copy)
        val converted = StructFileRows.count(copy)
        assertEquals(converted, rows.toLong)

  for codec <- Seq("none", "lz4", "zstd") do
    test(s"delta and replacement dictionaries compressed with $codec have the values of pyarrow"):
      val path = written("deltas", codec, 3000)
      Region.scoped:
        val quotes = Rows.readArrow[Quote](path)
        assertEquals(quotes.size, 3000L)
        for i <- 0 until 3000 do assertEquals(quotes(i), Quote.of(i))

  test("the file that pandas writes by default is read"):
    val path = written("feather", "none", 100_000)
    Region.scoped:
      val ids = Columns.readArrow[Id](path)
      assertEquals(ids.sumOf(_.id), 99_999L * 50_000)

  testRounds("reads leave no temporary file and no open file")(rounds = 100, longRounds = 1000):
    rounds =>
      val path = written("file", "zstd", 1)
      val before = TemporaryFiles.all
      def openFiles = Path.of("/proc/self/fd").toFile.list.length
      val count = openFiles
      for _ <- 1 to rounds do Region.scoped(assertEquals(Rows.readArrow[Quote](path).size, 1L))
      TemporaryFiles.checkOnly(before)
      assert(openFiles < count + 50, s"$count open files became $openFiles")

  for kind <- Seq("file", "stream"); codec <- Seq("lz4", "zstd") do
    testRounds(
      s"changed and cut $codec ${kind}s are errors or the same number of rows, never a crash"
    )(rounds = 24, longRounds = 500): rounds =>
      val path = written(kind, codec, 5000)
      val bytes = Files.readAllBytes(path)
      val before = TemporaryFiles.all
      val seed = System.nanoTime
      val random = Random(seed)
      val damaged = folder.resolve("damaged.arrow")
      for round <- 1 to rounds do
        val content =
          if round % 4 == 0 then bytes.take(random.nextInt(bytes.length)) else bytes.clone()
        if content.nonEmpty then
          for _ <- 1 to 1 + random.nextInt(4) do
            content(random.nextInt(content.length)) = random.nextInt().toByte
        Files.write(damaged, content)
        try Region.scoped(assert(Rows.readArrow[Quote](damaged).size <= 5000))
        catch
          case _: ArrowException => ()
          case error: Throwable  => throw AssertionError(s"seed $seed, round $round", error)
      TemporaryFiles.checkOnly(before)
  end for

  test("a stream without its end marker is read up to its last whole batch"):
    val path = written("stream", "none", 5000)
    val bytes = Files.readAllBytes(path)
    val open = folder.resolve("open.arrow")
    Files.write(open, bytes.dropRight(8))
    Region.scoped(assertEquals(Rows.readArrow[Quote](open).size, 5000L))
    Files.write(open, bytes.dropRight(9))
    val error = intercept[ArrowException](Region.scoped(Rows.readArrow[Quote](open).size))
    assertEquals(error.kind, ArrowErrorKind.Truncated)
end CompressedFileTest

object StructFileRows:
  def count(path: Path): Long =
    val file = undercroft.file.format.StructFile.open(path)
    try file.rows
    finally file.close()
