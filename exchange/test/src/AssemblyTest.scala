package undercroft.exchange

/** The one jar, run without a flag. */
class AssemblyTest extends undercroft.tools.Suite:

  test("the jar runs its storages and exits with 0 and no warning"):
    val outcome = Exchange.runJar("--trades", "1000", "--storage", "unsafe,rows", "--heap", "64m")
    assertEquals(outcome.code, 0, outcome.err)
    assert(outcome.out.contains("All 2 balances agree: -499 500."), outcome.out)
    assert(!outcome.err.contains("WARNING"), outcome.err)

  test("the jar writes JSON on a JVM that denies Unsafe"):
    val outcome = Exchange.runJarWith("--sun-misc-unsafe-memory-access=deny")(
      Seq("--trades", "1000", "--storage", "rows", "--heap", "64m", "--json", "-")*
    )
    assertEquals(outcome.code, 0, outcome.err)
    assertEquals(ujson.read(outcome.out)("trades").num, 1000.0)

  test("the jar exits with 2 on bad usage or input and with 1 on a failure"):
    assertEquals(Exchange.runJar("--trades", "none").code, 2)
    val file = Exchange.file("trades.csv", "ticket,amount,price,buy\n1,2,3,perhaps\n")
    assertEquals(Exchange.runJar("--from", file.toString).code, 2)
    assertEquals(Exchange.runJar("--trades", "600000000", "--storage", "int-array").code, 1)

  test("more real trades than the memory limit exit with 1 and an error message"):
    val lines = "ticket,amount,price,buy\n" + "1,2,3,true\n" * 100_000
    val file = Exchange.file("trades.csv", lines)
    val outcome = Exchange.runJarWith("-Dundercroft.limit=1m")("--from", file.toString)
    assertEquals(outcome.code, 1, outcome.err)
    val words =
      "exchange: asked for 65536 bytes, but only 0 are available in the budget of the whole"
    assert(outcome.err.contains(words), outcome.err)

  test("the jar reads real trades without a JVM warning"):
    val file = Exchange.file("trades.csv", "ticket,amount,price,buy\n1,2,3,true\n")
    val outcome = Exchange.runJar("--from", file.toString)
    assertEquals(outcome.code, 0, outcome.err)
    assert(!outcome.err.contains("WARNING"), outcome.err)
end AssemblyTest
