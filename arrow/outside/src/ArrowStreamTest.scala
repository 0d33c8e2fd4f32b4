package outside.arrow

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream, IOException, OutputStream}
import java.io.SequenceInputStream
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.file.{Files, Path}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import scala.jdk.CollectionConverters.*
import scala.util.Random
import undercroft.arrow.*
import undercroft.file.*
import undercroft.file.format.StructFile
import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.{ForkedJvm, SmallDisk}

enum Gate derives CanEqual:
  case In, Out

case class Passage(id: Long, gate: Gate, name: Text[12], fee: Option[Double])
    derives Struct,
      CanEqual

case class Toll(id: Long, name: Text[12], fee: Option[Double], parts: InlineArray[Int, 2])
    derives Struct
case class TollAndLane(id: Long, lane: Int) derives Struct

/** Tables to and from streams. */
class ArrowStreamTest extends undercroft.tools.RoundsSuite:

  private val Rounds = 200

  private def passage(i: Long): Passage = Passage(
    i,
    Gate.fromOrdinal((i % 2).toInt),
    Text(s"no. $i"),
    Option.when(i % 3 > 0)(i / 4.0)
  )

  private def written(rows: Long, batchRows: Int = 7): Array[Byte] =
    val bytes = ByteArrayOutputStream()
    Region.scoped(Columns.tabulate[Passage](rows)(passage).writeArrowStream(bytes, batchRows))
    bytes.toByteArray

  private inline def check[L <: Layout](table: Table[Passage, L], rows: Long): Unit =
    assertEquals(table.size, rows)
    for i <- 0L until rows do assertEquals(table(i), passage(i))

  for rows <- Seq(0L, 1L, 7L, 1000L) do
    test(s"a stream of $rows rows has their values, in every layout"):
      val bytes = written(rows)
      Region.scoped:
        check(Columns.readArrowStream[Passage](ByteArrayInputStream(bytes)), rows)
        check(Rows.readArrowStream[Passage](ByteArrayInputStream(bytes)), rows)
        check(PackedRows.readArrowStream[Passage](ByteArrayInputStream(bytes)), rows)

  test("the fields of a file and a stream without record batches are compared, too"):
    val folder = Files.createTempDirectory("empty")
    val file = folder.resolve("tolls.arrow")
    try
      Region.scoped:
        val bytes = ByteArrayOutputStream()
        Rows[Toll](0).writeArrowStream(bytes)
        Rows[Toll](0).writeArrow(file)
        def stream = ByteArrayInputStream(bytes.toByteArray)
        assertEquals(Rows.readArrow[Toll](file).size, 0L)
        assertEquals(Columns.readArrowStream[Toll](stream).size, 0L)
        for read <- Seq(
            () => Rows.readArrow[TollAndLane](file).size,
            () => Rows.readArrowStream[TollAndLane](stream).size
          )
        do
          val error = intercept[ArrowException](read())
          assert(error.getMessage.contains("lane"), error.getMessage)
    finally
      Files.deleteIfExists(file)
      Files.delete(folder)

  test("a file in the stream format is read like a file"):
    val file = Files.createTempFile("outside-arrow", ".arrows")
    try
      Files.write(file, written(100))
      Region.scoped(check(Rows.readArrow[Passage](file), 100))
      assert(intercept[ArrowException](Region.scoped(Rows.readArrow[Gone](file))).file == file)
    finally Files.delete(file)

  test("several streams follow each other in one input, and no byte behind them is read"):
    val all = written(3) ++ written(0) ++ written(20) ++ Array[Byte](1, 2, 3)
    val input = ByteArrayInputStream(all)
    Region.scoped:
      for rows <- Seq(3L, 0L, 20L) do check(Rows.readArrowStream[Passage](input), rows)
    assertEquals(input.readAllBytes().toList, List[Byte](1, 2, 3))

  test("a socket carries tables both ways, again and again"):
    val server = ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    val echo = CompletableFuture.runAsync: () =>
      val socket = server.accept()
      try
        val (in, out) = (socket.getInputStream, socket.getOutputStream)
        for _ <- 1 to Rounds do
          Region.scoped(Rows.readArrowStream[Passage](in).writeArrowStream(out))
      finally socket.close()
    val socket = Socket(server.getInetAddress, server.getLocalPort)
    try
      socket.setSoTimeout(60_000)
      for round <- 1 to Rounds do
        Region.scoped:
          val size = round % 10L
          Columns.tabulate[Passage](size)(passage).writeArrowStream(socket.getOutputStream)
          check(Columns.readArrowStream[Passage](socket.getInputStream), size)
      echo.get(1, TimeUnit.MINUTES)
    finally
      socket.close()
      server.close()

  test("an input that returns a few bytes at a time is read whole"):
    final class Slow(bytes: Array[Byte]) extends InputStream:
      private val inner = ByteArrayInputStream(bytes)
      def read(): Int = inner.read()
      override def read(into: Array[Byte], offset: Int, count: Int): Int =
        inner.read(into, offset, Math.min(count, 3))
    Region.scoped(check(Rows.readArrowStream[Passage](Slow(written(200))), 200))

  test("an IOException of the streams reaches the caller; what was written is a part of the rows"):
    final class Broken(after: Int) extends OutputStream:
      private val bytes = ByteArrayOutputStream()
      def write(byte: Int): Unit =
        if bytes.size == after then throw IOException("the peer has closed")
        bytes.write(byte)
    Region.scoped:
      val rows = Rows.tabulate[Passage](1000)(passage)
      val error = intercept[IOException](rows.writeArrowStream(Broken(1000)))
      assertEquals(error.getMessage, "the peer has closed")
      val failing = new InputStream:
        def read(): Int = throw IOException("reset")
      val half = SequenceInputStream(ByteArrayInputStream(written(50).take(900)), failing)
      assertEquals(
        intercept[IOException](Rows.readArrowStream[Passage](half)).getMessage,
        "reset"
      )

  test("a cut stream is an error with its position, unless it is cut between two batches"):
    val bytes = written(50)
    val results =
      for length <- 0 until bytes.length
      yield try
        Right(Region.scoped(
          Rows.readArrowStream[Passage](ByteArrayInputStream(bytes.take(length))).size
        ))
      catch
        case error: ArrowException =>
          assert(error.getMessage.startsWith(s"stream: offset ${error.offset}: "), error.getMessage)
          Left(error.kind)
    val sizes = results.collect { case Right(size) => size }.distinct
    assertEquals(sizes, (0L to 49L by 7L).toVector :+ 50L)
    val kinds = results.collect { case Left(kind) => kind }.distinct.toSet
    assertEquals(kinds, Set(ArrowErrorKind.Truncated, ArrowErrorKind.NotAnArrowFile))

  testRounds("a forged stream is read or rejected")(200, 2000): rounds =>
    val sample = written(40)
    val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
    val random = Random(seed)
    var (read, refused) = (0, 0)
    for round <- 0 until rounds do
      val bytes = sample.clone
      for _ <- 0 to random.nextInt(3) do
        bytes(random.nextInt(bytes.length)) = random.nextInt(4) match
          case 0 => 0
          case 1 => -1
          case 2 => 127
          case _ => random.nextInt().toByte
      try
        Region.scoped(Rows.readArrowStream[Passage](ByteArrayInputStream(bytes)).size)
        read += 1
      catch
        case error: ArrowException => refused += 1
        case error: Throwable      => throw AssertionError(s"seed $seed, round $round", error)
    assert(read > 0 && refused > 0, s"$read read, $refused refused, seed $seed")

  test("a full disk of temporary files is an error that says so"):
    SmallDisk("256k").use: disk =>
      val flags = ForkedJvm.Granted :+ s"-Djava.io.tmpdir=$disk"
      val result = ForkedJvm.run("outside.arrow.readOnFullDisk", flags)
      assertEquals(result.exit, 0, result.output)
      assertEquals(result.last, "NoSpace, files left: 0", result.output)

  test("compression without its module on the class path is an error, and nothing is written"):
    val folder = Files.createTempDirectory("outside-arrow")
    val file = folder.resolve("passages.arrow")
    val bytes = ByteArrayOutputStream()
    try
      Region.scoped:
        val rows = Rows.tabulate[Passage](3)(passage)
        val error = intercept[ArrowException](rows.writeArrow(file, 7, ArrowCompression.Zstd))
        assertEquals(
          error.getMessage,
          s"$file: offset 0: not supported: compression with ZSTD needs " +
            "undercroft-compression on the class path; or write the file without compression"
        )
        intercept[ArrowException](rows.writeArrowStream(bytes, 7, ArrowCompression.Lz4))
      assertEquals(bytes.size, 0)
      assertEquals(folder.toFile.list.length, 0)
      val stored = Rows.create[Passage](folder.resolve("passages.rows"))
      stored += passage(1)
      stored.close()
      val opened = StructFile.open(folder.resolve("passages.rows"))
      try intercept[ArrowException](opened.writeArrow(file, ArrowCompression.Lz4))
      finally opened.close()
      assert(!Files.exists(file))
      Files.list(folder).forEach(Files.delete(_))
    finally Files.delete(folder)
    end try

  test("no temporary file is left"):
    def temporary: Set[Path] =
      val names = Files.list(Path.of(System.getProperty("java.io.tmpdir")))
      try
        names.toList.asScala.toSet.filter: file =>
          file.getFileName.toString.startsWith("undercroft-arrow") && !Files.isDirectory(file)
      finally names.close()
    val before = temporary
    for _ <- 1 to 100 do
      Region.scoped(Rows.readArrowStream[Passage](ByteArrayInputStream(written(9))).size)
      intercept[ArrowException](
        Region.scoped(Rows.readArrowStream[Passage](ByteArrayInputStream(Array[Byte](1, 2))).size)
      ): Unit
    // Another process may have such a file for a moment.
    val since = temporary -- before
    val end = System.nanoTime + 60_000_000_000L
    while since.exists(Files.exists(_)) && System.nanoTime < end do
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000)
    assertEquals(since.filter(Files.exists(_)), Set.empty[Path])
end ArrowStreamTest

case class Gone(missing: Int) derives Struct

/** Reads a stream that is larger than the disk of temporary files. */
@main def readOnFullDisk(): Unit =
  val bytes = ByteArrayOutputStream()
  Region.scoped(Columns.tabulate[Gone](200_000)(i => Gone(i.toInt)).writeArrowStream(bytes))
  val kind =
    try
      Region.scoped(Columns.readArrowStream[Gone](ByteArrayInputStream(bytes.toByteArray)).size)
      "read"
    catch case error: ArrowException => error.kind.toString
  val folder = Path.of(System.getProperty("java.io.tmpdir")).toFile
  println(s"$kind, files left: ${folder.list.count(_.startsWith("undercroft-arrow"))}")
