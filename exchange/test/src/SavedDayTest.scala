package undercroft.exchange

import internal.text.Formatting
import java.nio.file.Files

class SavedDayTest extends undercroft.tools.Suite:

  private def day = Exchange.file("some.csv", "").resolveSibling("day.trades").nn

  test("a saved generated day opens with the same balance"):
    val file = day.toString
    val saved = Exchange.run("--save", file, "--trades", "100000", "--json", "-")
    assertEquals(saved.code, 0, saved.err)
    val expected = (0L until 100_000L).map(i => i * i * (if i % 2 == 0 then 1 else -1)).sum
    val json = ujson.read(saved.out)
    assertEquals(
      json.obj.keys.toSeq,
      Seq("file", "trades", "balance", "openMillis", "balanceMillis")
    )
    assertEquals(json("balance").num.toLong, expected)
    val opened = Exchange.run("--open", file)
    assertEquals(opened.code, 0, opened.err)
    assert(opened.out.contains("100 000 trades"), opened.out)
    assert(opened.out.contains(Formatting.spaced(expected)), opened.out)

  test("real trades are saved along with their report"):
    val csv = Exchange.file("trades.csv", "ticket,amount,price,buy\n1,10,5,true\n2,1,1,false\n")
    val file = csv.resolveSibling("day.trades").toString
    assertEquals(Exchange.run("--from", csv.toString, "--save", file).code, 0)
    val opened = Exchange.run("--open", file, "--json", "-")
    assertEquals(ujson.read(opened.out)("balance").num, 49.0)
    val again = Exchange.run("--from", csv.toString, "--save", file)
    assertEquals((again.code, again.err), (2, s"exchange: --save $file: already exists\n"))

  test("SQL over a saved day prints a table and equal JSON"):
    val file = day.toString
    assertEquals(Exchange.run("--save", file, "--trades", "100000").code, 0)
    val sql = "select buy, sum(amount::bigint * price) as turnover, count(*) from day " +
      "where ticket < 1000 group by buy order by buy"
    val outcome = Exchange.run("--open", file, "--sql", sql)
    assertEquals(outcome.code, 0, outcome.err)
    val (sold, bought) =
      (1L until 1000 by 2).map(i => i * i).sum -> (0L until 1000 by 2).map(i => i * i).sum
    val lines = outcome.out.linesIterator.toVector
    assertEquals(
      lines.take(4).map(_.split(" +").nn.toVector.filterNot(_.nn.isEmpty).map(_.nn)).drop(2),
      Vector(Vector("false", sold.toString, "500"), Vector("true", bought.toString, "500"))
    )
    assert(lines(4).contains("2 rows of 100 000 trades"), outcome.out)
    val json = ujson.read(Exchange.run("--open", file, "--sql", sql, "--json", "-").out)
    assertEquals(json("columns").arr.map(_.str).toSeq, Seq("buy", "turnover", "count_star()"))
    assertEquals(json("rows")(1), ujson.Arr(true, bought.toDouble, 500))

  test("JSON has a FLOAT with its own digits"):
    val file = day.toString
    assertEquals(Exchange.run("--save", file, "--trades", "10").code, 0)
    val sql = "select 0.1::float from day limit 1"
    val json = ujson.read(Exchange.run("--open", file, "--sql", sql, "--json", "-").out)
    assertEquals(json("rows")(0)(0).num, 0.1)

  test("a save that fails leaves no file and throws its cause"):
    val file = day
    val failure = intercept[IllegalStateException]:
      SavedDay.kept(file, 10)(_ => throw IllegalStateException("no more trades"))
    assertEquals(failure.getMessage, "no more trades")
    val names = file.getParent.nn.toFile.nn.list.nn.toSeq.map(_.toString)
    assertEquals(names, Seq("some.csv"))

  test("--save is not hindered by the unfinished file of a killed process with this PID"):
    val file = day
    val name = s"${file.getFileName}.unfinished-${ProcessHandle.current.nn.pid}"
    Files.createFile(file.resolveSibling(name))
    val saved = Exchange.run("--save", file.toString, "--trades", "10")
    assertEquals(saved.code, 0, saved.err)

  test("--save to a symbolic link whose file does not exist is refused before any work"):
    val link = day
    Files.createSymbolicLink(link, link.resolveSibling("none"))
    val refused = Exchange.run("--save", link.toString, "--trades", "10")
    assertEquals((refused.code, refused.err), (2, s"exchange: --save $link: already exists\n"))

  test("--sql with invalid SQL or without --open exits with 2"):
    val file = day.toString
    assertEquals(Exchange.run("--save", file, "--trades", "1000").code, 0)
    val refused = Exchange.run("--open", file, "--sql", "select colour from day")
    assertEquals(refused.code, 2)
    assert(refused.err.contains("--sql: ") && refused.err.contains("colour"), refused.err)
    val nothing = Exchange.run("--sql", "select 1")
    assertEquals(nothing.code, 2)
    assert(nothing.err.contains("--sql is over the trades of --open"), nothing.err)

  test("--open of a missing or foreign file exits with 2"):
    val csv = Exchange.file("trades.csv", "ticket,amount,price,buy\n1,10,5,true\n")
    val foreign = Exchange.run("--open", csv.toString)
    assertEquals(foreign.code, 2)
    assert(foreign.err.contains("no struct file"), foreign.err)
    val missing = Exchange.run("--open", day.toString)
    assertEquals(missing.code, 2)
    assert(missing.err.contains("there is no such file"), missing.err)
    val outcome = Exchange.run("--open", day.toString, "--trades", "5")
    assert(outcome.err.contains("--trades does not go with --open"), outcome.err)
    assert(!Files.exists(day))
end SavedDayTest
