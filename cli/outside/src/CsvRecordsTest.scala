package outside.cli

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path, StandardOpenOption}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.zip.GZIPOutputStream
import scala.util.Random

/** The types of a CSV file's columns are found in its lines, if each line is a record, and from
  * DuckDB's records otherwise, as with the option --skip: both ways must find the same.
  */
class CsvRecordsTest extends CliSuite:

  private def convert(folder: Path, content: String, target: String, options: String*): Int =
    Files.writeString(folder.resolve("t.csv"), content)
    run(folder)(Seq("convert", "./t.csv", s"./$target", "--overwrite") ++ options*).code

  /** Converts a file both ways; returns whether it is converted. */
  private def isAlike(folder: Path, content: String, options: String*): Boolean =
    val feed = content.indexOf('\n')
    val ending = if content(feed - 1) == '\r' then "\r\n" else "\n"
    def clue = s"${content.take(100)}...${content.takeRight(100)}"
    val code = convert(folder, content, "lines.cols", options*)
    assertEquals(
      code,
      convert(folder, s"first$ending$content", "records.cols", options :+ "--skip=1"*),
      clue
    )
    if code == 0 then
      val files = Seq("lines.cols", "records.cols").map(folder.resolve(_))
      assertEquals(Files.mismatch(files(0), files(1)), -1L, clue)
    code == 0

  inFolder("lines and records of a CSV file have the same types and rows"): folder =>
    val contents = Seq(
      "a,b\r\n1,x\r\n2,y\r\n",
      "a,b\n1,x\r\n2,y\n",
      "a,b\n1,x\n2,y",
      "a,b\n1,\n,y\n",
      "a,b\n1,\"\"\n2,y\n",
      "a,b\n\"\",x\n2,y\n",
      "a,b\n\"1\",\"x,y\"\n\"2\",y\n",
      "a,b\n1,\"x \"\"y\"\" z\"\n2,y\n",
      "a,b\n1,\"x\ny\"\n2,y\n",
      "a,b\n1,x\n\n2,y\n",
      "a,b\n1,x\n\n",
      "a\n1\n\n2\n",
      "a,b\n1,x\"y\n2,y\n",
      "a,b\n1, \"x\"\n2,y\n",
      "a,b\n 1,x\n2 ,y\n",
      "a,b\ntrue,1.5\nFALSE,2e3\n",
      "a,b\n2026-01-02,2026-01-02 03:04:05\n2026-01-03,2026-01-03T04:05:06.5\n",
      "1,2\n3,4\n",
      "a,b\n,\n,\n",
      "\"a\",\"b\"\n1,2\n"
    )
    val rows = contents.count(isAlike(folder, _))
    assert(rows >= 14, s"$rows of ${contents.size} files were converted")

  inFolder("random CSV files have the same types and rows by lines and by records"): folder =>
    val random = Random(52)
    val cells = Vector("", "1", "-7", "2.50", "x", "true", "\"q\"", "\"\"", " ", "\"a,b\"", "é")
    val endings = Vector("\n", "\n", "\r\n")
    var converted = 0
    for _ <- 1 to 12 do
      val (columns, ending) = (1 + random.nextInt(3), endings(random.nextInt(endings.size)))
      val few = Vector.fill(3)(cells(random.nextInt(cells.size)))
      val lines = Vector.fill(1 + random.nextInt(4)):
        Vector.fill(columns)(few(random.nextInt(few.size))).mkString(",")
      val content = (Vector("n,m,o".take(2 * columns - 1)) ++ lines).mkString("", ending, ending)
      if isAlike(folder, content) then converted += 1
    assert(converted >= 6, s"$converted of 12 files were converted")

  inFolder("a late text changes the type of a CSV column as an early one does"): folder =>
    val early =
      Seq("1", "1234567890123456", "1.5", "true", "2026-01-02", "2026-01-02 03:04:05", "x")
    val late = Seq(
      "",
      "\"\"",
      "7",
      "9223372036854775807",
      "2.5",
      "false",
      "1600-01-02 03:04:05.5",
      "007",
      " 8",
      "longer"
    )
    val rows = (early :+ "f" * 500).mkString("a,b,c,d,e,f,g,h\n", ",", "\n") +
      (early :+ "f" * 500).mkString("", ",", "\n") * 600
    assert(rows.length > (1 << 18), "the last row is not among the first ones")
    val ends = late.map(text => early.map(_ => text)) ++
      early.indices.map(i => early.updated(i, late(3 * i % late.size))) // in one column alone
    for (end, i) <- ends.zipWithIndex do
      val options = Seq(Seq(), Seq("--header=yes"), Seq("--header=no"))(i % 3)
      assert(isAlike(folder, s"$rows${end.mkString(",")},g\n", options*), s"$end")

  inFolder("a line of more than 1 MiB after short ones is a record"): folder =>
    val long = "y" * (1 << 20)
    for options <- Seq(Seq(), Seq("--header=yes"), Seq("--header=no")) do
      assert(isAlike(folder, s"a,b\n1,x\n2,$long\n", options*), s"$options")

  inFolder("rows keep their order and their number in a CSV file of several parts"): folder =>
    val rows = Vector.tabulate(300_000)(i => s"$i,${i % 7 == 0},text ${i % 1000}")
    write(folder, "t.csv", "a,b,c" +: rows*)
    done(run(folder)("convert", "./t.csv", "./t.cols")): Unit
    done(run(folder)("convert", "./t.cols", "./u.csv")): Unit
    assertEquals(Files.mismatch(folder.resolve("t.csv"), folder.resolve("u.csv")), -1L)

  inFolder("a compressed file has no lines, whatever the case of its ending"): folder =>
    for ending <- Seq("gz", "GZ") do
      val name = s"t.csv.$ending"
      val bytes = GZIPOutputStream(Files.newOutputStream(folder.resolve(name)))
      try bytes.write("a\n1\n22\n".getBytes)
      finally bytes.close()
      done(run(folder)("convert", s"./$name", "./t.cols", "--overwrite")): Unit
      val sum = done(run(folder)("sql", "select sum(a) as sum from t", "./t.cols", "--csv"))
      assertEquals(sum.out, "sum\n23\n")

  inFolder("skipped lines that end in another way than the first record are refused"): folder =>
    val ends = Seq("\n", "\r\n", "\r")
    for skipped <- ends; first <- ends do
      val content = s"made${skipped}a,b${first}1,x${first}2,y$first"
      val code = convert(folder, content, "t.cols", "--skip=1", "--header=yes")
      assertEquals(code, if skipped == first then 0 else 2, content)
      if code == 2 then
        def name(end: String) = end.replace("\r", "CR").replace("\n", "LF")
        val outcome = run(folder)("convert", "./t.csv", "./u.cols", "--skip=1", "--header=yes")
        val message =
          s"the skipped line 1 must end with ${name(first)}, as the first record does, " +
            s"but ends with ${name(skipped)}\n"
        assertEquals(outcome, Outcome(2, "", s"undercroft: ./t.csv: $message"))
      else
        val rows = done(run(folder)("head", "./t.cols", "--csv")).out
        assertEquals(rows, "a,b\n1,x\n2,y\n", content)
    val quoted = "made\n\"a\r\nb\"\n1\n"
    assertEquals(convert(folder, quoted, "t.cols", "--skip=1", "--header=yes"), 0)

  inFolder("a byte order mark is no part of the first text of a CSV file"): folder =>
    for options <- Seq(Seq(), Seq("--header=no")) do
      assertEquals(convert(folder, "\uFEFF1,2\n3,4\n", "t.cols", options*), 0)
      val sum = done(run(folder)("sql", "select sum(column0), sum(column1) from t", "./t.cols"))
      assert(sum.lines(2).matches(" *4 +6"), sum.out)

  inFolder("a file that changes while it is converted is refused with a sentence"): folder =>
    val file = folder.resolve("t.csv").nn
    for _ <- 1 to 3 do
      write(folder, "t.csv", "a" +: Vector.tabulate(900_000)(i => s"${i + 100_000}")*)
      val isOver = AtomicBoolean()
      // The target's file, in a folder beside its place, exists when the rows have been counted.
      def isCreated = folder.toFile.listFiles.exists: part =>
        part.isDirectory && Option(part.list).exists(_.exists(_.endsWith(".part")))
      val changing = Thread.ofPlatform.start: () =>
        while !isCreated && !isOver.get do Thread.onSpinWait()
        val channel = FileChannel.open(file, StandardOpenOption.WRITE)
        try channel.write(ByteBuffer.wrap("x".getBytes), Files.size(file) - 8): Unit // a line feed
        finally channel.close()
      val outcome =
        try run(folder)("convert", "./t.csv", "./t.cols")
        finally
          isOver.set(true)
          changing.join()
      if outcome.code == 0 then Files.delete(folder.resolve("t.cols")) // it was stored before
      else
        assertEquals(
          outcome,
          Outcome(
            2,
            "",
            "undercroft: the CSV file changed while it was read: convert it while no other program " +
              "writes to it\n"
          )
        )
      assertEquals(names(folder), Set("t.csv"))
    end for
end CsvRecordsTest
