package undercroft.exchange

import internal.storage.Storage
import java.nio.file.Files
import undercroft.report.Browser

/** `--report` writes a page that a browser shows as it is meant. */
class PageTest extends undercroft.tools.Suite:

  private def page(args: String*): String =
    val file = Exchange.file("day.html", "")
    val outcome = Exchange.run((args ++ Seq("--report", file.toString))*)
    assertEquals(outcome.code, 0, outcome.err)
    Files.readString(file).nn

  test("the page shows every storage in charts and a table".tag(LongTest)):
    val html = page("--trades", "5000", "--heap", "64m")
    for storage <- Storage.values do
      assert(html.contains(s"<td>${storage.name}</td>"), storage.name)
      assert(html.contains(s"<title>${storage.name}: "), storage.name)
    assert(html.contains("All 9 balances agree: -12 497 500."), "no verdict")
    assert(html.contains("./mill exchange.run --trades 5000 --heap 64m"), "no command")
    for width <- Seq(390, 1200) do
      val opened = Browser.open(html, width, dark = width == 390)
      assertEquals(opened.complaints, Seq())
      assert(opened.charts == 7 || opened.charts == 8, opened.charts) // 8 with pauses
      assert(opened.pageWidth <= width, s"the page is ${opened.pageWidth} wide")
      assert(opened.numbers.size == 1 && opened.numbers.forall(_ > 90), opened.numbers)

  test("the page's command has the storages, pages and flags of its run"):
    val html = page(
      "--trades",
      "500",
      "--heap",
      "64m",
      "--storage",
      "rows,columns",
      "--pages",
      "small",
      "--jvm",
      "-Dwords=a 'b'"
    )
    val command = "./mill exchange.run --trades 500 --heap 64m --storage rows,columns " +
      "--jvm -Dundercroft.pages=small --jvm "
    assert(clue(html).contains(command))

  test("the page has no bar for a storage that was never stopped, and says so"):
    val html = page("--trades", "1000", "--storage", "unsafe,rows", "--heap", "512m")
    assert(clue(html).contains("Never stopped by the garbage collector: unsafe, rows."))
    assert(!html.contains("0 ns"), "an empty bar")

  test("a failed storage is in the report's table with its reason and in no chart"):
    val html = page("--trades", "1000000", "--storage", "list-buffer,rows", "--heap", "24m")
    assert(html.contains("<td class=\"bad\">out of memory</td>"), html)
    assert(!html.contains("<title>list-buffer"), html)

  test("an unwritable --report file is rejected before any work"):
    for (file, words) <-
        Seq("/no/such/folder/x.html" -> "its folder does not exist", "/tmp" -> "folder")
    do
      val outcome = Exchange.run("--trades", "1000", "--report", file)
      assertEquals(outcome.code, 2)
      assertEquals(outcome.out, "")
      assert(outcome.err.contains(s"--report $file: ") && outcome.err.contains(words), outcome.err)

  test("--report and --json with the same file are rejected"):
    val file = Exchange.file("day", "").toString
    val outcome = Exchange.run("--trades", "1000", "--report", file, "--json", file)
    assertEquals(outcome.code, 2)
    assert(outcome.err.contains(s"--report $file: is the file that --json writes"), outcome.err)

  test("--report with real trades is rejected"):
    val csv = Exchange.file("trades.csv", "ticket,amount,price,buy\n1,2,3,true\n").toString
    val outcome = Exchange.run("--from", csv, "--report", "page.html")
    assertEquals(outcome.code, 2)
    assert(outcome.err.contains("--report is for made-up trades"), outcome.err)

  test("the jar writes a report without a warning, also on a JVM that denies Unsafe"):
    for flags <- Seq(Seq(), Seq("--sun-misc-unsafe-memory-access=deny")) do
      val file = Exchange.file("day.html", "")
      val outcome = Exchange.runJarWith(flags*)(
        Seq("--trades", "1000", "--storage", "rows", "--heap", "64m", "--report", file.toString)*
      )
      assertEquals(outcome.code, 0, outcome.err)
      assert(!outcome.err.contains("WARNING"), outcome.err)
      assert(Files.readString(file).nn.contains("</html>"))
end PageTest
