package undercroft.exchange

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
end UsageTest
