package undercroft.tools

class TestSummaryTest extends Suite:
  private val out = FunFixture[os.Path](_ => os.temp.dir(), os.remove.all(_))

  private def report(cases: (String, Double)*): String =
    cases.map((name, seconds) => s"""<testcase classname="$name" name="$name" time="$seconds">""")
      .mkString("<testsuites>\n", "\n", "\n</testsuites>")

  out.test("a summary lists suites and modules by seconds, and skipped tests by reason"): out =>
    val folder = out / "actor" / "outside" / "testForked.dest"
    val cases = Seq("outside.actor.PoolTest.a > b" -> 1.5, "outside.actor.PoolTest.c" -> 9.5)
    os.write(folder / "test-report.xml", report(cases*), createFolders = true)
    os.write(folder / "sandbox" / "skipped.txt", "no gcc\nno erl\nno gcc\n", createFolders = true)
    val other = out / "memory" / "test" / "testForked.dest" / "test-report.xml"
    os.write(other, report("undercroft.memory.RegionTest.d" -> 0.5), createFolders = true)
    os.write(out / "memory" / "compile.dest" / "test-report.xml", report(), createFolders = true)
    val summary = TestSummary.of(out, 0)
    assertNoDiff(
      summary.text,
      """|The slowest suites, seconds:
         |    11.0  actor.outside outside.actor.PoolTest
         |     0.5  memory.test undercroft.memory.RegionTest
         |The modules, seconds:
         |    11.0  actor.outside
         |     0.5  memory.test
         |11.5 seconds in 2 suites
         |Tests that were skipped: 3
         |       2  no gcc
         |       1  no erl""".stripMargin
    )
    assertEquals(summary.slowerThan(10).map(_.name), Seq("outside.actor.PoolTest"))

  out.test("a summary leaves out the files of earlier runs"): out =>
    val folder = out / "memory" / "test" / "testForked.dest"
    os.write(folder / "test-report.xml", report("a.BTest.c" -> 1), createFolders = true)
    os.write(folder / "skipped.txt", "no gcc\n")
    val written = os.mtime(folder / "test-report.xml")
    assertEquals(TestSummary.of(out, written + 60000), TestSummary(Seq(), Seq()))

  test("tests take as many times as long as there are running threads for each processor"):
    assertEquals(TestSummary.slowdown("9.00 6.00 1.00 2/900 12", processors = 2), 3.0)
    assertEquals(TestSummary.slowdown("9.00 0.50 1.00 2/900 12", processors = 2), 1.0)
end TestSummaryTest
