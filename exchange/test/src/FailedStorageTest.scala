package undercroft.exchange

import internal.run.StorageRunner

/** Storages that cannot hold the day, and JVMs that fail: each is a row of the report. */
class FailedStorageTest extends undercroft.tools.Suite:

  test("a storage that runs out of memory is reported as a row, and the others run"):
    val outcome = Exchange.run(
      Seq("--trades", "1000000", "--storage", "list-buffer,int-array", "--heap", "24m") ++
        Seq("--json", "-")*
    )
    val Seq(list, array) = ujson.read(outcome.out)("storages").arr.toSeq: @unchecked
    assertEquals(list("outcome").str, "out of memory")
    assertEquals(list.obj.keys.toSeq, Exchange.keys)
    assertEquals(list("dayBalance"), ujson.Null)
    assert(list("gcPauses").num > 0, list.toString)
    assertEquals(array("outcome").str, "ok", outcome.err)
    assertEquals(outcome.code, 0)

  test("a storage that exceeds --give-up-after is reported as given up"):
    val outcome = Exchange.run(
      Seq("--trades", "200000000", "--storage", "unsafe", "--heap", "64m", "--json", "-") ++
        Seq("--give-up-after", "1", "--jvm", "-Xint")*
    )
    assertEquals(Exchange.row(outcome)("outcome").str, "gave up after 1 s")
    assertEquals(outcome.code, 1, "no storage could do it")

  test("a day too large for a storage is reported as a row"):
    val outcome = Exchange.run("--trades", "600000000", "--storage", "int-array", "--json", "-")
    assertEquals(Exchange.row(outcome)("outcome").str, "too large: an array ends at 2 147 483 639")

  test("a JVM that denies Unsafe is reported as a row"):
    val outcome = Exchange.run(
      Seq("--trades", "10", "--storage", "unsafe", "--json", "-") ++
        Seq("--jvm", "--sun-misc-unsafe-memory-access=deny")*
    )
    assertEquals(Exchange.row(outcome)("outcome").str, "Unsafe is denied by this JDK")

  test("a JVM that does not start is reported as a row with its message"):
    val outcome =
      Exchange.run("--trades", "10", "--storage", "rows", "--json", "-", "--jvm", "--no-such-flag")
    val reason = Exchange.row(outcome)("outcome").str
    assert(reason.startsWith("its JVM ended with exit code 1: Unrecognized option"), reason)

  test("a missing JVM is reported as a row with the system's message"):
    val home = System.getProperty("java.home").nn
    System.setProperty("java.home", "/no/such/jdk")
    try
      val outcome = Exchange.run("--trades", "10", "--storage", "rows", "--json", "-")
      val reason = Exchange.row(outcome)("outcome").str
      assert(reason.startsWith("its JVM did not start: Cannot run program"), reason)
      assertEquals(outcome.code, 1)
    finally System.setProperty("java.home", home): Unit

  test("the exit code of a killed JVM is reported as text"):
    assertEquals(
      StorageRunner.ending(137, Seq.empty),
      "killed, as a system does that has run out of memory"
    )
    assertEquals(StorageRunner.ending(134, Seq.empty), "killed by signal 6")
end FailedStorageTest
