package undercroft.lab

import undercroft.report.Browser

/** The report is one page that a browser displays correctly. */
class PageTest extends undercroft.tools.Suite:
  /** Bytes in one dimension, the days, day by day, and the gathers. */
  private val charts = 4

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

  /** A lab with a few results of two experiments, and the page of these results. */
  private val lab =
    val folder = os.temp.dir(prefix = "lab-page-")
    val store = ResultStore(Command.home / "goals.json", folder)
    def envelope(name: String) = RunMetadata(
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
      Seq(Skipped("C (5 steps)", "no gcc on the PATH: C is skipped")),
      repeats = 2,
      disturbed = 1,
      steps = 4
    )
    def day(storage: String, millis: Double*) =
      entry("SecondDay.day", "storage" -> storage, "trades" -> "50000000")("ms/op", millis*)
    val disturbed = day("packed-rows-huge", 300, 310)
    disturbed("others") = 0.75
    val objects = day("array-buffer", 5000, 5100)
    objects("secondaryMetrics") = ujson.Obj(
      "gc.count" -> ujson.Obj("scoreUnit" -> "counts", "rawData" -> ujson.Arr(ujson.Arr(9, 9))),
      "gc.time" -> ujson.Obj("scoreUnit" -> "ms", "rawData" -> ujson.Arr(ujson.Arr(4040, 4040)))
    )
    store.keep(
      envelope("trades"),
      Seq(disturbed, objects, day("unsafe", 620, 600), day("c-malloc", 100, 100.1))
    )
    val old = entry("ArraysBenchmark.ofDim1", "bytes" -> "1024")("ns/op", 90, 91)
    old("frames") = ujson.Arr(
      ujson.Obj("method" -> "scala.Array$.ofDim", "share" -> 0.9),
      ujson.Obj("method" -> "undercroft.lab.arrays213.ArraysBenchmark.ofDim1", "share" -> 0.1)
    )
    store.keep(envelope("arrays"), Seq(old))
    val gathers =
      for size <- Seq("32", "8192"); method <- Seq("RefGather.ref", "RandomGather.unsafe")
      yield entry(
        method,
        "kibibytes" -> size,
        "pages" -> "small"
      )("ns/op", size.toDouble, size.toDouble + 1)
    store.keep(envelope("memory"), gathers)
    store
  end lab

  private val page = Page.of(lab).html

  test("the page shows goals, verdicts, skipped steps and the command to rerun"):
    for text <- Seq(
        "<td>Second day rows</td>",
        "<td class=\"good\">yes</td>",
        "<td class=\"bad\">no</td>",
        "Left out: C (5 steps): no gcc on the PATH: C is skipped",
        "./mill lab.run trades --full",
        "<td>objects in a ListBuffer</td><td>out of memory</td>",
        "<td class=\"faint\">not measured</td>",
        "of 2 goals hold, ",
        "multianewarray"
      )
    do assert(page.contains(text), text)

  test("the page begins with the picture of the trading days"):
    val picture = page.indexOf("<figure>")
    assert(picture > 0 && picture < page.indexOf("<table"), "a table is above the first picture")

  test("the article's figures are shown beside ours with the share of GC time"):
    val row =
      raw"(?s)<td>objects in an ArrayBuffer</td>(.*?)</tr>".r.findFirstMatchIn(page).get.group(1).nn
    assertEquals(
      raw"<td[^>]*>([^<]*)</td>".r.findAllMatchIn(row).map(_.group(1).nn).toSeq,
      Seq("6.7", "", "5.05 s (80 % in GC)", "", "")
    )

  test("the methods on top of the stack are shown with their shares"):
    for text <- Seq("scala.Array$.ofDim", "<td class=\"number\">90 %</td>") do
      assert(page.contains(text), text)

  test("an article's table and verdict are text for a terminal"):
    val article = TradesExperiment.article.get
    val lines = ArticleTable.text(article, lab.results("trades")).linesIterator.toSeq
    assertEquals(lines.head, "The article: Scala and off-heap")
    assert(
      lines.exists(_.matches("objects in an ArrayBuffer +6.7 +5.05 s \\(80 % in GC\\) *")),
      lines
    )
    assertEquals(lines.map(_.length).slice(1, 4).distinct.size, 1)
    // The packed rows of the fixture have huge pages, which are no part of the article.
    assertEquals(article.verdict(lab.results("trades")), None)
    def result(key: Key, nanos: Double) = key -> Result(Samples(Seq(Seq(nanos))), "ns/op", None)
    def pair(pool: String, threads: Int) =
      Key(s"PoolPairs.$pool", "threads" -> s"$threads", "kind" -> "platform")
    val pools = Results(
      Map(
        result(pair("none", 1), 100),
        result(pair("none", 64), 900),
        result(pair("striped", 1), 50),
        result(pair("striped", 64), 90)
      )
    )
    val segments = SegmentsExperiment.article.get
    assertEquals(
      segments.verdict(pools),
      Some(
        "A striped pool had 5.8x the throughput of no pool; here it has 2x on one thread, and 10x " +
          "on 64."
      )
    )
    val striped =
      ArticleTable.of(segments.tables.head, pools).rows.find(_.head == "striped lock-free").get
    assertEquals(striped, Seq("striped lock-free", "5.8", "2x (50 ns)", "", "", "10x (90 ns)"))

  test("an experiment that was not run has one line and its command"):
    val section = raw"(?s)<section id=.ring.>(.*?)</section>".r.findFirstMatchIn(page).get.group(1)
    assert(!section.nn.contains("<table"), section)
    assert(section.nn.contains("Not run yet."), section)

  test("disturbed results are marked"):
    assert(page.contains("The machine was not quiet: 2 repeats"), "no word of it")
    assert(raw"305 †".r.findFirstIn(page).isDefined, "no mark")

  test("bar charts and line charts are drawn from the results"):
    assertEquals("<figure>".r.findAllIn(page).size, charts)
    assert(page.contains(">8192</text>"), "no line over places")
    assert(page.contains("packed-rows-huge, 13 B: 305 ms"), "the pointer is told a bar's value")

  for width <- Seq(390, 1200) do
    test(s"Chromium shows charts and numbers without an error at a width of $width pixels"):
      val opened = Browser.open(page, width, dark = width == 390)
      assertEquals(opened.complaints, Seq())
      assertEquals(opened.charts, charts)
      assert(opened.pageWidth <= width, s"the page is ${opened.pageWidth} wide")
      assert(opened.numbers.nonEmpty && opened.numbers.forall(_ > 0), opened.numbers)

  test("the page of the committed results has charts and a number in every table"):
    val committed = ResultStore(Command.home / "goals.json", Command.home / "results")
    val expected = Experiment.all.flatMap: experiment =>
      val results = committed.results(experiment.name)
      experiment.charts.filter(chart => results.byKey.keys.exists(chart.of(_).isDefined))
    val opened = Browser.open(Page.of(committed).html, 800, dark = true)
    assertEquals(opened.complaints, Seq())
    assertEquals(opened.charts, expected.size)
    assert(expected.sizeIs > 5, expected.map(_.title))
    assert(opened.numbers.nonEmpty && opened.numbers.forall(_ > 0), opened.numbers)
end PageTest
