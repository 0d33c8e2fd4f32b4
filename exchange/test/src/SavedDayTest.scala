package undercroft.exchange

import java.nio.file.Files

class SavedDayTest extends munit.FunSuite:

  private def day = Exchange.file("some.csv", "").resolveSibling("day.trades").nn

  test("a made-up day is saved, and opened later with the balance that it had"):
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
    assert(opened.out.contains(Figures.spaced(expected)), opened.out)

  test("real trades are saved beside their report"):
    val csv = Exchange.file("trades.csv", "ticket,amount,price,buy\n1,10,5,true\n2,1,1,false\n")
    val file = csv.resolveSibling("day.trades").toString
    assertEquals(Exchange.run("--from", csv.toString, "--save", file).code, 0)
    val opened = Exchange.run("--open", file, "--json", "-")
    assertEquals(ujson.read(opened.out)("balance").num, 49.0)
    val again = Exchange.run("--from", csv.toString, "--save", file)
    assertEquals((again.code, again.err), (2, s"exchange: --save $file: exists already\n"))

  test("a file that is no day, or not there, is bad input"):
    val csv = Exchange.file("trades.csv", "ticket,amount,price,buy\n1,10,5,true\n")
    val foreign = Exchange.run("--open", csv.toString)
    assertEquals(foreign.code, 2)
    assert(foreign.err.contains("no struct file"), foreign.err)
    val missing = Exchange.run("--open", day.toString)
    assertEquals(missing.code, 2)
    assert(missing.err.contains("there is no such file"), missing.err)
    val both = Exchange.run("--open", day.toString, "--trades", "5")
    assert(both.err.contains("--trades does not go with --open"), both.err)
    assert(!Files.exists(day))
end SavedDayTest
