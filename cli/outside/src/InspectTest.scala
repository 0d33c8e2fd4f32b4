package outside.cli

import java.nio.file.{Files, Path}
import java.time.{Duration, Instant, LocalTime}
import java.util.concurrent.{FutureTask, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.file.*
import undercroft.struct.*

final case class Visit(id: Int, price: Int) derives Struct
final case class Clock(time: LocalTime, at: Instant) derives Struct
final case class Guest(id: Int, name: Text[8]) derives Struct

object SecondsOnly:
  given Struct.StoredAs[Duration, Long] = LogicalType.duration(LogicalType.TimeUnit.Seconds)
  final case class Pause(d: Duration, pauses: InlineArray[Duration, 2]) derives Struct
  val second: Duration = Duration.ofSeconds(1)
  def pause: Pause = Pause(second, InlineArray[Duration, 2](second, second))

object MillisOnly:
  given Struct.StoredAs[Duration, Long] = LogicalType.duration(LogicalType.TimeUnit.Millis)
  final case class Pause(d: Duration, pauses: InlineArray[Duration, 2]) derives Struct
  val milli: Duration = Duration.ofMillis(1)
  def pause: Pause = Pause(milli, InlineArray[Duration, 2](milli, milli))

/** Commands that print: schema, head, stats, sql, verify and diff. */
class InspectTest extends CliSuite:

  private def orders(folder: Path, name: String = "orders.rows"): Unit =
    val file = Rows.create[Order](folder.resolve(name))
    try
      file += Order(1, Side.Sell, Corner(3, 4), Some(Text("new")))
      file += Order(2, Side.Buy, Corner(-3, 0), None)
      file.seal()
    finally file.close()

  inFolder("schema prints the layout and each field with its place"): folder =>
    orders(folder)
    val lines = done(run(folder)("schema", "./orders.rows")).lines
    assert(lines.head.matches("Order: aligned, [0-9]+ bytes a row, little-endian"), lines.head)
    val fields = lines.drop(3).map(_.split(" {2,}").toList.take(2))
    assertEquals(
      fields,
      List(
        List("id", "Int"),
        List("side", "enum of 2: Buy Sell"),
        List("corner.x", "Int"),
        List("corner.y", "Int"),
        List("note.isDefined", "Boolean"),
        List("note.get", "Text[5]")
      )
    )
    val json = done(run(folder)("schema", "./orders.rows", "--json")).out
    assert(json.startsWith("""[{"field":"id","type":"Int","offset":0,"bytes":4},"""), json)

  inFolder("head prints the first rows, selected columns, and nothing for 0 rows"): folder =>
    orders(folder)
    assertEquals(
      done(run(folder)("head", "./orders.rows", "--columns", "id, side", "--csv")).lines,
      List("id,side", "1,Sell", "2,Buy")
    )
    assertEquals(done(run(folder)("head", "./orders.rows", "--rows", "1", "--csv")).lines.size, 2)
    assertEquals(done(run(folder)("head", "./orders.rows", "--rows", "0", "--json")).out, "[]\n")
    val outcome = run(folder)("head", "./orders.rows", "--columns", "price")
    assertEquals(outcome.code, 2)
    assert(outcome.err.contains("price"), outcome.err)

  inFolder("sql joins files by their names, and prints exact numbers as JSON"): folder =>
    orders(folder)
    write(folder, "prices.csv", "id,price", "1,9007199254740993", "2,5")
    val outcome = done(
      run(folder)(
        "sql",
        "select o.id, price, corner.x from orders o join p using (id) order by id",
        "./orders.rows",
        "p=./prices.csv",
        "--json"
      )
    )
    assertEquals(
      outcome.out,
      """[{"id":1,"price":9007199254740993,"x":3},{"id":2,"price":5,"x":-3}]""" + "\n"
    )

  inFolder("sql prints a FLOAT with its own digits, and a DECIMAL without an exponent"): folder =>
    val query = "select 0.1::float f, 0.5::float h, 0.1::float::double d, " +
      "0::decimal(18, 8) z, 0.0000001::decimal(18, 8) s"
    def out(format: String*) = done(run(folder)((Seq("sql", query) ++ format)*)).lines
    val digits = "0.1,0.5,0.10000000149011612,0.00000000,0.00000010"
    assertEquals(out("--csv"), List("f,h,d,z,s", digits))
    assertEquals(
      out("--json"),
      List("""[{"f":0.1,"h":0.5,"d":0.10000000149011612,"z":0.00000000,"s":0.00000010}]""")
    )
    assertEquals(out()(2).split(" +").mkString(","), digits)

  inFolder("sql queries a folder of struct files with the values in its folders' names"): folder =>
    val orders = Rows.folder[Visit](folder.resolve("orders"), maxRows = 10)
    for day <- 1 to 3; i <- 1 to 2 do
      orders.addTo((day = java.time.LocalDate.of(2026, 11, day)))(_ += Visit(i, 100 * day))
    val sql = "select day, count(*) n, sum(price) p from orders where day > date '2026-11-01' " +
      "group by day order by day"
    val result = done(run(folder)("sql", sql, "./orders", "--csv"))
    assertEquals(result.lines, List("day,n,p", "2026-11-02,2,400", "2026-11-03,2,600"))
    val named = done(run(folder)("sql", "select count(*) n from t", "t=./orders", "--csv"))
    assertEquals(named.lines, List("n", "6"))

  inFolder("sql queries a folder whose files are compacted meanwhile")(compactedMeanwhile(_, 8))
  inFolder("400 times sql queries a folder whose files are compacted meanwhile".tag(LongTest))(
    compactedMeanwhile(_, 400)
  )

  private def compactedMeanwhile(folder: Path, queries: Int): Unit =
    val writer = Rows.folder[Visit](folder.resolve("visits"), maxRows = 1000)
    writer.add(_ += Visit(0, 0)): Unit
    val finished = AtomicBoolean()
    val changes = FutureTask[Unit](() =>
      var rounds = 0
      while !finished.get && rounds < 10_000 do
        for i <- 0 until 3 do writer.add(_ += Visit(i, rounds))
        writer.compact(): Unit
        rounds += 1
    )
    Thread.ofPlatform.start(changes): Unit
    try
      var seen = 1L
      for _ <- 0 until queries do
        val query = Seq("sql", "select count(*) n from visits", "./visits", "--csv")
        val rows = done(run(folder)(query*)).lines(1).toLong
        assert(rows >= seen, s"$rows rows after $seen")
        seen = rows
    finally
      finished.set(true)
      changes.get(120, TimeUnit.SECONDS)
  end compactedMeanwhile

  inFolder("sql reports an empty folder, and files that have different fields"): folder =>
    Files.createDirectory(folder.resolve("empty"))
    val empty = run(folder)("sql", "from empty", "./empty")
    assertEquals(empty.code, 2)
    assert(empty.err.contains("./empty: the folder has no files"), empty.err)
    Rows.folder[Visit](folder.resolve("mixed"), maxRows = 1).add(_ += Visit(1, 2)): Unit
    Rows.create[Guest](folder.resolve("mixed/z.rows"), maxRows = 1).close()
    val mixed = folder.resolve("plain")
    Files.createDirectory(mixed)
    Rows.create[Guest](mixed.resolve("a.rows"), maxRows = 1).close()
    Rows.create[Visit](mixed.resolve("b.rows"), maxRows = 1).close()
    val refused = run(folder)("sql", "from plain", "./plain")
    assertEquals(refused.code, 2)
    assert(refused.err.contains("b.rows has other fields than"), refused.err)
    // A manifest decides which files are in the folder.
    val listed = done(run(folder)("sql", "select count(*) n from mixed", "./mixed", "--csv"))
    assertEquals(listed.lines, List("n", "1"))

  inFolder("sql reports a wrong query, an ambiguous name and a result that is too large"): folder =>
    orders(folder)
    orders(folder, "orders.copy")
    val wrong = run(folder)("sql", "selec 1")
    assertEquals((wrong.code, wrong.out), (2, ""))
    assert(wrong.err.contains("syntax error"), wrong.err)
    val twice = run(folder)("sql", "select 1", "./orders.rows", "./orders.copy")
    assertEquals(
      twice,
      Outcome(2, "", "undercroft: several files are named orders: name each, NAME=FILE\n")
    )
    val large = run(folder)("sql", "select * from range(1000001)")
    assertEquals((large.code, large.out), (2, ""))
    assert(large.err.contains("at most 1000000 rows"), large.err)

  inFolder("stats prints the rows, the range and the nulls of each column"): folder =>
    write(folder, "t.csv", "a,b", "1,x", "5,", "3,z")
    done(run(folder)("convert", "./t.csv", "./t.rows"))
    val lines = done(run(folder)("stats", "./t.rows")).lines
    assert(lines(0).contains("sealed in blocks of "), lines(0))
    assert(lines(1).startsWith("3 rows, "), lines(1))
    val cells = lines.drop(4).map(_.split(" +").toList)
    assertEquals(
      cells.map(_.take(4)),
      List(List("a", "BIGINT", "1", "5"), List("b", "VARCHAR", "x", "z"))
    )
    assertEquals(cells.map(_.last), List("0.00", "33.33"))

  inFolder("stats has the exact range and the mean of times and Instants in nanoseconds"): folder =>
    val file = Rows.create[Clock](folder.resolve("t.rows"))
    try
      file += Clock(
        LocalTime.of(10, 0, 0, 1).nn,
        Instant.parse("2026-01-01T00:00:00.000000001Z").nn
      )
      file += Clock(
        LocalTime.of(12, 0, 0, 3).nn,
        Instant.parse("2026-01-03T00:00:00.000000003Z").nn
      )
      file.seal()
    finally file.close()
    val cells = done(run(folder)("stats", "./t.rows")).lines.drop(4).map(_.split(" {2,}").toList)
    val time = List("time", "TIME_NS", "10:00:00.000000001", "12:00:00.000000003", "11:00:00")
    assertEquals(cells(0), time ++ List("2", "0.00"))
    assertEquals(cells(1)(2), "2026-01-01 00:00:00.000000001+00")
    assertEquals(cells(1)(3), "2026-01-03 00:00:00.000000003+00")
    assertEquals(cells(1)(4), "2026-01-02 00:00:00+00")

  inFolder("tables escape control characters, and keep surrogate pairs whole"): folder =>
    val wide = "x" * 56 + "\ud83d\ude00" + "y" * 9
    val query = s"select chr(27) || '[31m' || chr(7) || chr(9) || chr(155) || '$wide' as \"a\nb\""
    val lines = done(run(folder)("sql", query)).lines
    assertEquals(lines.size, 3)
    assertEquals(lines(0), "a\\nb")
    assertEquals(lines(2), "\\u001b[31m\\u0007\\t\\u009b" + "x" * (57 - 24) + "...")
    val cut = done(run(folder)("sql", s"select '$wide' as t")).lines(2)
    assertEquals(cut, "x" * 56 + "...")
    // A program reads the characters.
    val csv = done(run(folder)("sql", "select chr(27) || chr(9) as t", "--csv")).out
    assertEquals(csv, "t\n\u001b\t\n")

  for ending <- Seq("csv", "json", "parquet") do
    inFolder(s"the name of a file is not a pattern: $ending"): folder =>
      val named = Seq("q1", "q[1]", "w*", "wx", "w?", "{q1,wx}", "[[*]]").zipWithIndex
        .map((name, i) => s"$name.$ending" -> i)
      for (name, value) <- named do
        val target = folder.resolve(name).toString
        done(run(folder)("sql", s"copy (select $value as v) to '$target' (format $ending)"))
      for (name, value) <- named do
        assertEquals(
          done(run(folder)("head", s"./$name", "--csv")).lines,
          List("v", s"$value"),
          name
        )

    inFolder(s"the name of a folder is no column of a file in it: $ending"): folder =>
      val day = Files.createDirectory(folder.resolve("day=2026-01-01"))
      val target = day.resolve(s"x.$ending")
      done(run(folder)("sql", s"copy (select 1 as v) to '$target' (format $ending)"))
      val printed = done(run(folder)("head", s"./day=2026-01-01/x.$ending", "--csv")).lines
      assertEquals(printed, List("v", "1"))
  end for

  inFolder("verify finds one changed bit, names the file, and checks the other files too"):
    folder =>
      orders(folder, "good.rows")
      orders(folder, "bad.rows")
      val path = folder.resolve("bad.rows")
      val bytes = Files.readAllBytes(path)
      val at = (0 until bytes.length - 3).find(i =>
        bytes(i) == 'n' && bytes(i + 1) == 'e' && bytes(i + 2) == 'w'
      ).get
      bytes(at) = (bytes(at) ^ 1).toByte
      Files.write(path, bytes)
      val outcome = run(folder)("verify", "./bad.rows", "./good.rows", "./none.rows")
      assertEquals(outcome.code, 2)
      assert(outcome.out.contains("good.rows: 2 rows, all checksums are correct"), outcome.out)
      assertEquals(outcome.err.linesIterator.size, 2, outcome.err)
      assert(outcome.err.contains("bad.rows") && outcome.err.contains("none.rows"), outcome.err)
      val json = run(folder)("verify", "./bad.rows", "--json")
      assertEquals(json.code, 2)
      assert(json.out.contains("\"state\":\"corrupt\""), json.out)

  inFolder("verify has the exit code of other commands for a file that cannot be read"): folder =>
    val unreadable = "./loop.rows"
    Files.createSymbolicLink(folder.resolve(unreadable), Path.of("loop.rows"))
    for words <- Seq(Seq("schema", unreadable), Seq("verify", unreadable)) do
      val outcome = run(folder)(words*)
      assertEquals((outcome.code, outcome.out), (1, ""), outcome.err)
    assertEquals(run(folder)("verify", unreadable, "./none.rows").code, 2)

  inFolder("verify states that a file that is not sealed has no checksums"): folder =>
    val file = Rows.create[Corner](folder.resolve("live.rows"))
    try
      file += Corner(1, 2)
      val outcome = done(run(folder)("verify", "./live.rows"))
      assert(outcome.out.contains("not sealed"), outcome.out)
    finally file.close()

  inFolder("diff prints the columns, the counts or the rows that differ, with exit code 1"):
    folder =>
      write(folder, "a.csv", "id,name", "1,Ann", "2,Bob", "3,Cid")
      write(folder, "b.csv", "id,name", "1,Ann", "2,Bo", "3,Cid")
      write(folder, "c.csv", "id,name", "1,Ann")
      write(folder, "d.csv", "id,label", "1,Ann")
      assertEquals(run(folder)("diff", "./a.csv", "./a.csv"), Outcome(0, "", ""))
      val rows = run(folder)("diff", "./a.csv", "./b.csv")
      assertEquals((rows.code, rows.lines.size), (1, 3))
      assert(rows.lines.last.trim.startsWith("1") && rows.lines.last.contains("Bob"), rows.out)
      val counts = run(folder)("diff", "./a.csv", "./c.csv", "--json")
      assertEquals(counts.code, 1)
      assert(counts.out.contains(":3") && counts.out.contains(":1"), counts.out)
      val columns = run(folder)("diff", "./c.csv", "./d.csv")
      assertEquals((columns.code, columns.lines.size), (1, 4))
      assert(columns.out.contains("name") && columns.out.contains("label"), columns.out)

  inFolder("diff with 0 rows prints none, and has the exit code of different files"): folder =>
    write(folder, "a.csv", "id", "1")
    write(folder, "b.csv", "id", "2")
    assertEquals(run(folder)("diff", "./a.csv", "./b.csv", "--rows", "0"), Outcome(1, "", ""))
    val json = run(folder)("diff", "./a.csv", "./b.csv", "--rows", "0", "--json")
    assertEquals(json, Outcome(1, "[]\n", ""))
    assertEquals(run(folder)("diff", "./a.csv", "./a.csv", "--rows", "0"), Outcome(0, "", ""))

  inFolder("diff prints the columns whose durations have different units"): folder =>
    val seconds = Rows.create[SecondsOnly.Pause](folder.resolve("s.rows"))
    try
      seconds += SecondsOnly.pause
      seconds.seal()
    finally seconds.close()
    val millis = Rows.create[MillisOnly.Pause](folder.resolve("ms.rows"))
    try
      millis += MillisOnly.pause
      millis.seal()
    finally millis.close()
    done(run(folder)("convert", "./ms.rows", "./ms.arrow"))
    for other <- Seq("./ms.rows", "./ms.arrow") do
      val outcome = run(folder)("diff", "./s.rows", other)
      assertEquals((outcome.code, outcome.err), (1, ""))
      val (before, after) = ("a duration in seconds", "a duration in milliseconds")
      assertEquals(
        outcome.lines.drop(2).map(_.split(" {2,}").toList),
        List(List("d", before, after), List("pauses.item", before, after))
      )
    assertEquals(run(folder)("diff", "./ms.rows", "./ms.arrow"), Outcome(0, "", ""))

  inFolder("diff compares rows at equal places, also of a large file"): folder =>
    for (name, changed) <- Seq("a" -> -1, "b" -> 249_999) do
      val file = Columns.create[Corner](folder.resolve(name), 300_000)
      try
        for i <- 0 until 250_000 do file += Corner(i, if i == changed then 1 else 0)
        file.seal()
      finally file.close()
    assertEquals(run(folder)("diff", "./a", "./a"), Outcome(0, "", ""))
    val outcome = run(folder)("diff", "./a", "./b", "--json")
    assertEquals(outcome.code, 1)
    assert(outcome.out.startsWith("""[{"row":249999,"""), outcome.out)

  inFolder("commands read a compressed file, and verify names its changed block"): folder =>
    orders(folder)
    compressFile(folder.resolve("orders.rows"), folder.resolve("orders.zst"))
    assertEquals(
      done(run(folder)("schema", "./orders.zst")).out,
      done(run(folder)("schema", "./orders.rows")).out
    )
    for words <-
        Seq(Seq("head", "FILE", "--csv"), Seq("sql", "select id from t", "t=FILE", "--csv"))
    do
      def printed(file: String) = done(run(folder)(words.map(_.replace("FILE", file).nn)*)).out
      assertEquals(printed("./orders.zst"), printed("./orders.rows"))
    assert(done(run(folder)("stats", "./orders.zst")).out.contains("2 rows"))
    done(run(folder)("convert", "./orders.zst", "./orders.arrow"))
    done(run(folder)("convert", "./orders.zst", "./orders.csv"))
    done(run(folder)("diff", "./orders.zst", "./orders.rows"))
    assertEquals(
      done(run(folder)("verify", "./orders.zst")).lines,
      List(s"$folder/orders.zst: 2 rows, compressed with zstd, all checksums are correct")
    )
    val bytes = Files.readAllBytes(folder.resolve("orders.zst"))
    bytes(12_288) = (bytes(12_288) ^ 1).toByte
    Files.write(folder.resolve("changed.zst"), bytes)
    val outcome = run(folder)("verify", "./changed.zst")
    assertEquals(outcome.code, 2)
    assert(
      outcome.err.contains("corrupt: the checksum of the stored bytes of block 0"),
      outcome.err
    )
    val target = run(folder)("convert", "./changed.zst", "./changed.csv")
    assertEquals(target.code, 2)
    assertEquals(
      names(folder),
      Set("orders.rows", "orders.zst", "orders.arrow", "orders.csv", "changed.zst")
    )
end InspectTest
