package undercroft.exchange

import internal.storage.Storage
import java.io.{ByteArrayOutputStream, OutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

class UsageTest extends undercroft.tools.Suite:

  private def refused(args: String*): String =
    val outcome = Exchange.run(args*)
    assertEquals(outcome.code, 2, outcome.err)
    assertEquals(outcome.out, "")
    outcome.err

  test("--help lists every option and every storage"):
    val outcome = Exchange.run("--help")
    assertEquals(outcome.code, 0)
    val options = Seq("trades", "storage", "json", "from", "rejects", "heap", "give-up-after")
    for word <- options.map("--" + _) ++ Storage.values.map(_.name) do
      assert(outcome.out.contains(word), s"no $word in ${outcome.out}")

  test("an invalid number is rejected with its option"):
    assert(clue(refused("--trades", "-5")).contains("--trades -5"))
    assert(clue(refused("--trades", "0")).contains("--trades 0"))
    assert(clue(refused("--trades", "many")).contains("\"many\" due to not being a whole number"))
    assert(clue(refused("--give-up-after", "0")).contains("--give-up-after 0"))
    assert(clue(refused("--pages", "tiny")).contains("--pages tiny"))
    assert(clue(refused("--heap", "big")).contains("--heap big"))

  test("an unknown storage is rejected with the list of known ones"):
    val words = refused("--storage", "rows,colums")
    assert(words.contains("--storage colums: there is no such storage"), words)
    for storage <- Storage.values do assert(words.contains(storage.name), words)

  test("an unknown option is rejected with its name"):
    assert(clue(refused("--trade", "5")).contains("--trade"))

  test("an unreadable or unwritable file is rejected with its path"):
    assert(clue(refused("--json", "/no/such/folder/x.json")).contains("/no/such/folder/x.json"))
    assert(clue(refused("--from", "no-such.csv")).contains("--from no-such.csv: there is no such"))
    assert(clue(refused("--from", "/tmp")).contains("/tmp: is a folder"))

  test("conflicting options are rejected with the reason"):
    val csv = Exchange.file("trades.csv", "ticket,amount,price,buy\n").toString
    assert(clue(refused("--from", csv, "--trades", "5")).contains("--trades is for made-up trades"))
    assert(clue(refused("--from", csv, "--aot", "x")).contains("--aot is for made-up trades"))
    assert(clue(refused("--open", csv, "--aot", "x")).contains("--aot does not go with --open"))
    assert(clue(refused("--save", "x", "--aot", "x")).contains("--aot does not go with --save"))
    assert(clue(refused("--rejects", "x")).contains("--from"))
    assert(clue(refused("--from", csv, "--rejects", csv)).contains("is the file that --from reads"))
    assert(clue(refused("--from", csv, "--json", csv)).contains("is the file that --from reads"))

  test("an option that would write the file of another one is rejected, and no file changes"):
    val csv = Exchange.file("trades.csv", "ticket,amount,price,buy\n1,1,1,true\n")
    def beside(name: String): String = csv.resolveSibling(name).toString
    val day = beside("day")
    assertEquals(Exchange.run("--save", day, "--trades", "10").code, 0)
    val bytes = Files.readAllBytes(Path.of(day)).toSeq
    val link = Files.createSymbolicLink(Path.of(beside("link")), Path.of(day)).toString
    for json <- Seq(day, s"${csv.getParent}/../${csv.getParent.getFileName}/day", link) do
      assert(clue(refused("--open", day, "--json", json)).contains("is the file that --open reads"))
    assertEquals(Files.readAllBytes(Path.of(day)).toSeq, bytes)
    for (first, options) <- Seq(
        "--save" -> Seq("--trades", "10", "--save", beside("new"), "--json", beside("new")),
        "--save" -> Seq("--from", csv.toString, "--save", beside("new"), "--json", beside("./new")),
        "--rejects" -> Seq(
          "--from",
          csv.toString,
          "--rejects",
          beside("new"),
          "--json",
          beside("new")
        ),
        "--json" -> Seq("--trades", "10", "--json", beside("new"), "--report", beside("./new"))
      )
    do assert(clue(refused(options*)).contains(s"is the file that $first writes"))
    assert(!Files.exists(Path.of(beside("new"))))

  test("lists without a storage and too many trades are rejected"):
    assert(clue(refused("--storage", ",")).contains("there is no such storage"))
    assert(clue(refused("--trades", "1099511627777")).contains("from 1 to 1099511627776"))

  test("a result that cannot be written to standard output is a failure"):
    val closed = PrintStream(OutputStream.nullOutputStream)
    closed.close()
    val err = ByteArrayOutputStream()
    assertEquals(Main.run(Seq("--help"), closed, PrintStream(err, true, UTF_8)), 1)
    assert(clue(err.toString(UTF_8)).contains("cannot be written to standard output"))
end UsageTest
