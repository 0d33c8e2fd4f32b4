package undercroft.exchange

import internal.report.{DayPage, DayReport}
import internal.run.{Day, Measurement, Pauses, StorageRow}
import internal.storage.Storage
import internal.text.Json
import java.nio.file.Files

/** The main job end to end: every storage in a JVM of its own. */
class TradingDayTest extends undercroft.tools.Suite:

  test("all storages report the same balance in a table and in JSON"):
    val json = Exchange.file("day.json", "")
    val outcome = Exchange.run("--trades", "20000", "--heap", "64m", "--json", json.toString)
    assertEquals((outcome.code, outcome.err), (0, ""))
    assert(
      outcome.out.forall(char => char >= ' ' || char == '\n'),
      "a log has no control characters"
    )
    assert(outcome.out.contains("All 10 balances agree: -199 990 000."), outcome.out)
    assert(outcome.out.contains("-Xms64m -Xmx64m"), outcome.out)
    assert(outcome.out.contains("Huge pages: undercroft.pages="), outcome.out)

    val day = ujson.read(Files.readString(json))
    assertEquals(day.obj.keys.toSeq, Seq("trades", "heap", "jdk", "interrupted", "storages"))
    assertEquals(day("trades").num, 20000.0)
    assertEquals(day("interrupted"), ujson.False)
    val rows = day("storages").arr
    assertEquals(rows.map(_("storage").str).toSeq, Storage.values.map(_.name).toSeq)
    for row <- rows do
      assertEquals(row.obj.keys.toSeq, Exchange.keys)
      assertEquals(row("outcome").str, "ok")
      assertEquals(row("trades").num, 20000.0)
      assertEquals(row("dayBalance").num, -199_990_000.0)
      for key <- Exchange.keys.filter(_.endsWith("Millis")) do
        assert(row(key).num >= 0, s"$key of $row")
      assert(row("firstDayMillis").num > row("startMillis").num, row.toString)
      assert(row("startMillis").num > 0 && row("totalMillis").num > 0, row.toString)
      assert(row("peakHeapBytes").num > 0 && row("bytesPerTrade").num >= 13, row.toString)

    val bytes = rows.map(row => row("storage").str -> row("bytesPerTrade").num).toMap
    assertEquals(bytes("rows"), 16.0)
    assertEquals(bytes("packed-rows"), 13.0)
    assert(bytes("list-buffer") > 40 && bytes("list-buffer") < 80, bytes.toString)

  test("JSON contains every digit of a balance"):
    val balance = BigInt("-12345678901234567890123")
    assertEquals(Json.text(Json.Exact(balance)), balance.toString)

  test("--aot trains a cache for each storage once, and later runs use it".tag(LongTest)):
    val folder = Files.createTempDirectory("exchange-aot")
    def caches = Files.list(folder).nn.toArray.toSeq.map(_.toString).filter(_.endsWith(".aot"))
    val args = Seq("--trades", "200000", "--heap", "64m", "--aot", folder.toString) ++
      Seq("--storage", "unsafe,packed-rows", "--json", "-")
    try
      val first = Exchange.run(args*)
      assertEquals(first.code, 0, first.err)
      assertEquals(caches.size, 2, caches)
      assert(first.err.contains("packed-rows, AOT cache"), first.err)
      assert(first.err.contains("Every JVM uses an AOT cache"), first.err)
      val log = folder.resolve("class.log")
      val second = Exchange.run((args ++ Seq("--jvm", s"-Xlog:class+load:file=$log"))*)
      assertEquals(second.code, 0, second.err)
      assertEquals(caches.size, 4, "other flags have other caches")
      val third = Exchange.run((args ++ Seq("--jvm", s"-Xlog:class+load:file=$log"))*)
      assertEquals(third.code, 0, third.err)
      assertEquals(caches.size, 4, caches)
      assert(!third.err.contains("packed-rows, AOT cache"), third.err)
      val loaded = Files.readAllLines(log).nn.toArray.map(_.toString)
      val isCached = (line: String) => line.contains("shared objects file")
      val ours = loaded.filter(_.contains(" undercroft.")).toSeq
      assert(ours.count(isCached) > ours.size / 2, ours.mkString("\n"))
      for storage <- ujson.read(third.out)("storages").arr do
        assertEquals(storage("outcome").str, "ok")
        assertEquals(
          storage("dayBalance").num,
          ujson.read(first.out)("storages")(0)("dayBalance").num
        )
      Files.write(
        java.nio.file.Path.of(caches.filter(_.contains("packed-rows")).head),
        Array[Byte](1)
      )
      Files.write(
        java.nio.file.Path.of(caches.filter(_.contains("packed-rows")).last),
        Array[Byte](1)
      )
      val corrupt = Exchange.row(Exchange.run(args.patch(7, Seq("packed-rows"), 1)*))("outcome").str
      assert(corrupt.startsWith("its JVM ended with exit code 1: "), corrupt)
      assert(corrupt.contains(".aot is damaged, delete it"), corrupt)
    finally
      Files.walk(folder).nn.sorted(java.util.Comparator.reverseOrder).nn
        .forEach(path => Files.deleteIfExists(path): Unit)
    end try

  test("--aot with a folder that cannot be created is rejected"):
    val refused = Exchange.run("--trades", "10", "--aot", "/dev/null/caches")
    assertEquals(refused.code, 2)
    assert(refused.err.contains("--aot /dev/null/caches: cannot be written"), refused.err)

  test("--pages is passed to Undercroft's storages and reported; --json - writes only JSON"):
    for pages <- Seq("small", "huge") do
      val outcome =
        Exchange.run("--trades", "1001", "--storage", "columns", "--json", "-", "--pages", pages)
      assertEquals((outcome.code, Exchange.row(outcome)("dayBalance").num), (0, 500_500.0))
      assert(outcome.err.contains("The day's balance is 500 500."), outcome.err)
      val hugePages = Exchange.row(outcome)("hugePages").str
      assert(hugePages.contains(s"undercroft.pages=$pages"), hugePages)
      assert(outcome.err.contains(s"Huge pages: $hugePages"), outcome.err)

  test("a row's cells are below their titles, figures to the right"):
    val row = StorageRow(Storage.InRows, 4, Right(measurement(-6)), Pauses.empty)
    val table = DayReport.table
    val lines = table.head.linesIterator.toSeq :+ table.line(DayReport.cells(row, isFewer = false))
    val Seq(titles, rule, cells) = lines: @unchecked
    assert(cells.startsWith("rows           C ABI    "), cells)
    val ends = raw"-(?= |$$)".r.findAllMatchIn(rule).map(_.end).toSeq.drop(DayReport.leftColumns)
    assertEquals(ends.size, DayReport.header.size - DayReport.leftColumns)
    for line <- Seq(titles, cells); end <- ends do
      assert(line(end - 1) != ' ' && line.lift(end).forall(_ == ' '), s"$end of $line")

  private def measurement(balance: BigInt) =
    val day = Day(balance, 1, 2, 3)
    Measurement(1, day, day, 13, 1, None, "small")

  private def report(trades: Long, rows: (Storage, Long, BigInt)*) =
    val measured = rows.map: (storage, count, balance) =>
      StorageRow(storage, count, Right(measurement(balance)), Pauses.empty)
    DayReport(trades, "1g", rows.size, measured)

  test("the formula of the balance equals the sum of the trades"):
    for trades <- Seq(1L, 2L, 3L, 1000L, 1001L) do
      val exchange = Storage.Arrays.open(trades)
      Day.record(exchange, trades, _ => ())
      assertEquals(Day.balance(trades), exchange.dayBalance, trades)
    // From 2^31 on the trades begin again.
    val period = 1L << 31
    assertEquals(Day.balance(period + 3), Day.balance(period) + Day.balance(3))
    assertEquals(Day.balance(period), -(BigInt(period) * (period - 1) / 2))

  test("a wrong balance is reported with the right one, and is a failure"):
    val wrong = report(4, (Storage.Ints, 4, -6), (Storage.Raw, 4, 5))
    assert(!wrong.agree)
    assert(clue(wrong.verdict).contains("unsafe: 5 instead of -6"))

  test("storages of all the default day's trades but one are compared, and a remark says why"):
    val trades = 50_000_000L
    val whole = (Storage.Ints, trades, BigInt(-1_249_999_975_000_000L))
    val day = report(trades, whole, (Storage.Lists, 5_000_000L, BigInt(-12_499_997_500_000L)))
    assert(day.agree)
    assert(clue(day.remarks.head).startsWith("* list-buffer: 5 000 000 trades a day, because "))
    assertEquals(
      day.verdict,
      "All 2 balances agree: -1 249 999 975 000 000, -12 499 997 500 000 for 5 000 000 trades."
    )
    val page = DayPage.of(day, Seq.empty).html
    assert(page.contains("<td>list-buffer *</td>"), "no asterisk")
    assert(
      page.contains("./mill exchange.run --heap 1g --storage int-array,list-buffer"),
      "command"
    )
    // Its figures are no match for the others; its bytes a trade are.
    assertEquals(raw"<title>list-buffer: ".r.findAllIn(page).size, 1)
end TradingDayTest
