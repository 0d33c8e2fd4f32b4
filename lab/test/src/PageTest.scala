package undercroft.lab

/** The report is one page that a browser shows as it is meant. */
class PageTest extends munit.FunSuite:
  private def entry(method: String, params: (String, String)*)(unit: String, forks: Double*) =
    ujson.Obj(
      "benchmark" -> s"undercroft.lab.bench.$method",
      "mode" -> "avgt",
      "jvmArgs" -> ujson.Arr(),
      "params" -> ujson.Obj.from(params.map((name, value) => name -> ujson.Str(value))),
      "primaryMetric" -> ujson.Obj(
        "scoreUnit" -> unit,
        "rawData" -> ujson.Arr.from(forks.map(time => ujson.Arr(time)))
      ),
      "secondaryMetrics" -> ujson.Obj()
    )

  /** A lab with a few results of two experiments, and the page made of them. */
  private val lab =
    val folder = os.temp.dir(prefix = "lab-page-")
    val made = Laboratory(Command.home / "goals.json", folder)
    def envelope(name: String) = Envelope(
      name,
      "full",
      "2026-01-01T00:00:00Z",
      60,
      "abcdef",
      Machine.here(),
      Machine.jdk,
      None,
      3,
      Plan.order,
      Map(),
      0.1,
      0.2,
      Seq(Skipped("C (5 steps)", "no gcc on the PATH: C is skipped"))
    )
    def day(storage: String, millis: Double*) =
      entry("SecondDay.day", "storage" -> storage, "trades" -> "50000000")("ms/op", millis*)
    made.keep(
      envelope("trades"),
      Seq(day("packed-rows-huge", 300, 310), day("unsafe", 620, 600), day("c-malloc", 440, 450))
    )
    val gathers =
      for size <- Seq("32", "8192"); method <- Seq("RefGather.ref", "RandomGather.unsafe")
      yield entry(
        method,
        "kibibytes" -> size,
        "pages" -> "small"
      )("ns/op", size.toDouble, size.toDouble + 1)
    made.keep(envelope("memory"), gathers)
    made
  end lab

  private val page = Page.of(lab)

  test("the page holds what was asked, what holds, what was left out and how to rerun"):
    for text <- Seq(
        "second-day-rows-vs-unsafe",
        "<td class=\"holds\">yes</td>",
        "<td class=\"missed\">no</td>",
        "Left out: C (5 steps): no gcc on the PATH: C is skipped",
        "./mill lab.run trades --full",
        "6.7, or out of memory"
      )
    do assert(page.contains(text), text)

  test("the page needs nothing from elsewhere"):
    for reference <- Seq("<link", "<script", "src=", "url(", "@import") do
      assert(!page.contains(reference), reference)

  test("bars and lines are drawn from the results, with finite places"):
    assertEquals("<svg".r.findAllIn(page).size, 2)
    assert(page.contains("<polyline"))
    assert(!page.contains("NaN") && !page.contains("Infinity"))
    assert(page.contains("packed-rows-huge, 13 B: 305"), "the pointer is told a bar's value")

  test("Chromium opens it without an error, with its charts and with numbers in its tables"):
    val chromium = Seq("chromium", "chromium-browser", "google-chrome").find: name =>
      scala.util.Try(os.call((name, "--version"), stderr = os.Pipe)).isSuccess
    assume(chromium.isDefined, "skipped: no chromium on the PATH")
    val file = os.temp(page, suffix = ".html")
    val opened = os.call(
      Seq(chromium.get, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr") ++
        Seq("--virtual-time-budget=2000", "--dump-dom", s"file://$file"),
      stderr = os.Pipe,
      timeout = 120_000
    )
    val complaints = opened.err.lines().filter(_.contains(":CONSOLE"))
    assertEquals(complaints, Vector.empty[String])
    val dom = opened.out.text()
    assertEquals("<svg".r.findAllIn(dom).size, 2)
    assert("<td class=\"number\">".r.findAllIn(dom).size > 10)
end PageTest
