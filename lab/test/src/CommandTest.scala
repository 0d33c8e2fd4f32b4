package undercroft.lab

import java.io.{ByteArrayOutputStream, PrintStream}
import mainargs.Leftover

/** Wrong command lines: each is reported, and nothing is run. */
class CommandTest extends undercroft.tools.Suite:

  private def command(names: String*)(
      json: Option[String] = None,
      report: Option[String] = None,
      against: Seq[String] = Seq(),
      only: Option[String] = None,
      list: Boolean = false,
      compute: Boolean = false
  ) = Command(
    names,
    Effort.Quick,
    json,
    report,
    against,
    only,
    asked = false,
    resume = false,
    list,
    compute
  )

  /** The exit code, and the output on both streams. */
  private def said(run: => Int): (Int, String) =
    val written = ByteArrayOutputStream()
    val stream = PrintStream(written, true)
    val errors = System.err.nn
    System.setErr(stream)
    val code =
      try Console.withOut(stream)(run)
      finally System.setErr(errors)
    (code, written.toString)

  private def refused(command: Command, words: String) =
    val (code, text) = said(command.run())
    assertEquals(code, 2, text)
    assert(text.contains(words), text)

  test("an unknown experiment, rival or option is rejected with the known names"):
    refused(
      command("shoes")(),
      "no experiment is called shoes; there are arrays, billionRows, cluster,"
    )
    refused(command("all")(against = Seq("Rust")), "no rival is called Rust; there are Undercroft,")
    refused(command("arrays", "--fast")(), "no option is called --fast; --help tells")
    refused(command()(), "which experiment? There are arrays,")

  test("an option after a name that follows an option is rejected by its place"):
    val words = "names come before all options or after all options"
    refused(command("arrays", "--only", "a", "trades")(), s"wrong place of --only: $words")
    refused(command("arrays", "--only=a")(), s"wrong place of --only=a: $words")
    assert(Main.options("--full") && !Main.options("--experiments"), Main.options)

  test("--list and wrong usage create no folder"):
    val parent = os.Path(System.getProperty("java.io.tmpdir").nn)
    def folders = os.list(parent).filter(_.last.startsWith("lab-quick-")).toSet
    val before = folders
    assertEquals(said(command("arrays")(list = true).run())._1, 0)
    refused(command("shoes")(), "no experiment is called shoes")
    refused(command("arrays")(only = Some("shoes")), "there is nothing to run")
    assertEquals(folders, before)

  test("--compute rejects a folder without results, and creates nothing"):
    val parent = os.temp.dir(prefix = "lab-compute-")
    for folder <- Seq(parent, parent / "new") do
      val refusal = s"--compute needs the results of a run, and $folder has none"
      refused(command()(Some(folder.toString), compute = true), refusal)
    assertEquals(os.list(parent).toList, Nil)

  test("--compute rejects files that are not results, and names them"):
    for
      name <- Seq("sorts.json", "sorts.run.json")
      content <- Seq("", "{}", "[{", "null", "[null]")
    do
      val folder = os.temp.dir(prefix = "lab-compute-")
      os.write(folder / name, content)
      val json = Some(folder.toString)
      refused(command()(json, compute = true), s"${folder / name}: not results of the lab: ")
      assertEquals(os.list(folder).map(_.last), Seq(name))

  test("an invalid --only expression and one without a match are rejected"):
    refused(command("arrays")(only = Some("(")), "--only ( is not a regular expression")
    refused(command("arrays")(only = Some("shoes")), "there is nothing to run")

  test("a file given as a folder is rejected before anything runs"):
    val file = os.temp("")
    refused(command("arrays")(json = Some(file.toString)), s"--json $file: is a file")
    refused(command("arrays")(report = Some(file.toString)), s"--report $file: is a file")

  test("--add to a missing or invalid file of results is rejected before anything runs"):
    val folder = os.temp.dir(prefix = "lab-add-")
    val file = folder / "arrays.json"
    val envelope = RunMetadata(
      "arrays",
      "quick",
      "2026-01-01T00:00:00Z",
      1,
      "abc",
      Machine.here(),
      Machine.jdk,
      None,
      1,
      Plan.order,
      Map(),
      0,
      0,
      Seq()
    )
    ResultStore(Command.home / "goals.json", folder).keep(envelope, Seq())
    def adding = Command(
      Seq("arrays"),
      Effort.Quick,
      Some(folder.toString),
      None,
      Seq(),
      Some("NewBytes.newArray bytes=1000$"),
      asked = false,
      resume = false,
      list = false,
      compute = false,
      add = true
    )
    os.remove(file)
    refused(adding, s"arrays: $folder has no results of this machine")
    os.write(file, "{}")
    refused(adding, s"$file: not results of the lab: ")

  test("lab/soak.sh rejects hours that are no whole number above 0"):
    for hours <- Seq("0.5", "abc", "0", "-1") do
      val script = (Command.home / "soak.sh").toString
      val ended = os.call(Seq("sh", script, hours), stderr = os.Pipe, check = false)
      assertEquals(ended.exitCode, 2)
      assert(ended.err.text().contains(s"at least 1, is allowed, not $hours"), ended.err.text())

  test("--list shows each experiment once with its duration and missing rivals"):
    val (code, text) = said(command("arrays", "trades", "arrays")(list = true).run())
    assertEquals(code, 0)
    assertEquals(text.linesIterator.count(_.startsWith("arrays: What does it cost")), 1)
    assert(raw"--quick: \d+ steps in 1 rounds, about 0:".r.findFirstIn(text).isDefined, text)
    for rival <- Rival.values; why <- rival.absence do
      if Plan.of(TradesExperiment, Set()).skipped.exists(_.reason == why) then
        assert(text.contains(why), text)

  private def results(nanos: Double): String =
    val folder = os.temp.dir(prefix = "lab-compare-")
    val entry = ujson.Obj(
      "benchmark" -> "undercroft.lab.bench.Downcall.criticalDowncall",
      "mode" -> "avgt",
      "primaryMetric" -> ujson.Obj(
        "scoreUnit" -> "ns/op",
        "rawData" -> ujson.Arr(ujson.Arr(nanos), ujson.Arr(nanos * 1.01), ujson.Arr(nanos * 0.99))
      )
    )
    os.write(folder / "memory.json", ujson.write(ujson.Arr(entry)))
    folder.toString

  test("lab.compare exits with 0 without a slowdown, 1 on a regression, 2 without results"):
    val (quick, slow) = (results(10), results(15))
    def compared(folders: String*)(threshold: Double) =
      said(Compare.compare(Leftover(folders*), threshold))
    assertEquals(compared(quick, quick)(5)._1, 0)
    assertEquals(compared(slow, quick)(5)._1, 0)
    val (code, text) = compared(quick, slow)(5)
    assertEquals(code, 1)
    assert(text.contains("memory Downcall.criticalDowncall: 1.5x"), text)
    assertEquals(compared(quick, slow)(60)._1, 0)
    assertEquals(compared(quick, s"$quick/none")(5)._1, 2)
    assertEquals(compared(quick, os.temp.dir().toString)(5)._1, 2)
    assertEquals(compared(quick)(5)._1, 2)
    assertEquals(compared(quick, slow)(-1)._1, 2)
    for threshold <- Seq(Double.NaN, Double.PositiveInfinity) do
      val (code, text) = compared(quick, slow)(threshold)
      assertEquals(code, 2)
      val range = "a finite number of per cent, 0 or more, is allowed"
      assert(text.contains(s"--threshold $threshold: $range"), text)

  test("lab.compare takes OLD before NEW, at whatever place --threshold is"):
    val (quick, slow) = (results(10), results(15))
    for threshold <- Seq(Seq("--threshold", "5"), Seq("--threshold=5")); place <- 0 to 2 do
      val words = Seq(quick, slow).patch(place, threshold, 0)
      val (code, text) = said(Compare.run(words))
      assertEquals(code, 1, words)
      assert(text.contains("memory Downcall.criticalDowncall: 1.5x"), text)

  test("lab.compare rejects files that are not results, and names them"):
    val (valid, invalid) = (results(10), os.temp.dir(prefix = "lab-compare-"))
    for content <- Seq("", "{}", "[{") do
      os.write.over(invalid / "memory.json", content)
      val (code, text) = said(Compare.compare(Leftover(valid, invalid.toString), 5))
      assertEquals(code, 2)
      assert(text.contains(s"${invalid / "memory.json"}: not results of the lab: "), text)
      assert(content != "{}" || text.contains("expected sequence got dictionary"), text)

  test("lab.compare finds no change between the committed results and themselves"):
    val committed = (Command.home / "results").toString
    val (code, text) = said(Compare.compare(Leftover(committed, committed), 5))
    assertEquals(code, 0, text)
    assert(text.contains(", 0 in one only"), text)

  test("the longest steps are reported with the sum of their rounds"):
    def took(name: String, seconds: Double) = (key = Key(name), seconds = seconds)
    val steps = Seq(took("a", 1), took("b", 4), took("c", 2), took("a", 2.5), took("d", 1))
    assertEquals(Session.longest(steps), "; the longest: b (4 s), a (3.5 s), c (2 s)")
    assertEquals(Session.longest(steps.take(2)), "")
end CommandTest
