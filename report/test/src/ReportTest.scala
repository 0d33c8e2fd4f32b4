package undercroft.report

/** A page with every kind of part, as a browser shows it. */
class ReportTest extends undercroft.house.Suite:
  private val ours = Owner("ours", Hue.Teal)
  private val theirs = Owner("theirs", Hue.Violet)

  private def points(values: (Double, Double)*) =
    values.map((at, value) => Point(at, Value(value, value * 0.9, value * 1.1)))

  private val curves = Seq(
    Curve("a", ours, points(1.0 -> 2.0, 1000.0 -> 30.0)),
    Curve("b", theirs, points(1.0 -> 4.0, 1000.0 -> 900.0)),
    Curve("c", theirs, points(1.0 -> 5.0, 1000.0 -> 950.0))
  )

  private val report = Report(
    "A page",
    Seq("What it is, with <b> & \"quotes\"."),
    Seq(
      Section(
        "first",
        "2 of 3",
        Seq(
          Part.Heading("A heading"),
          Part.Words("Some words."),
          Part.Small("Small words."),
          Part.Points(Seq("one", "two")),
          Part.Command("./mill report.test"),
          Part.Grid(
            Seq("name", "number", "holds", "a long column", "another long column"),
            Seq(
              Seq(Cell.words("a name that is not short"), Cell.number("12.5")) ++
                Seq(Cell("yes", Kind.Good), Cell("absent", Kind.Faint), Cell("no", Kind.Bad))
            )
          ),
          Part.Grid(Seq("folded"), Seq(Seq(Cell.number("7"))), folded = Some("All figures"))
        )
      ),
      Section(
        "second",
        "charts",
        Seq(
          Part.Picture(
            "Bars",
            Chart.Bars(
              Seq(
                Mark("slow", theirs, Value(20, 15, 90)),
                Mark("quick", ours, Value.alone(1)),
                Mark("nothing", ours, Value.alone(0))
              ),
              Numbers.time
            )
          ),
          Part.Picture("Growth", Chart.Growth(curves, "size", Numbers.time)),
          Part.Picture(
            "Course",
            Chart.Course(
              curves.map(one => one.copy(marks = Seq(1.0, 500.0))),
              "second",
              Numbers.time,
              "it rained"
            )
          ),
          Part.Picture(
            "One point",
            Chart.Growth(Seq(Curve("a", ours, points(5.0 -> 0.0))), "size", Numbers.time)
          )
        )
      )
    )
  )

  private val page = report.html

  test("the page needs nothing from elsewhere"):
    for reference <- Seq("<link", "<script", "src=", "url(", "@import") do
      assert(!page.contains(reference), reference)

  test("words are words, whatever they hold"):
    assert(page.contains("with &lt;b&gt; &amp; &quot;quotes&quot;."))

  private val pictures =
    raw"(?s)<svg .*? viewBox=\"0 0 (\d+) (\d+)\">(.*?)</svg>".r.findAllMatchIn(page).toSeq

  test("every place in a picture is a number, and within it"):
    assertEquals(pictures.size, 4)
    assert(!page.contains("NaN") && !page.contains("Infinity"))
    for picture <- pictures do
      val Seq(width, height, drawn) = picture.subgroups.map(_.nn): @unchecked
      def places(names: String) =
        raw" (?:$names)=\"([-\d.]+)\"".r.findAllMatchIn(drawn).map(_.group(1).nn.toDouble).toSeq
      def inside(places: Seq[Double], end: String) =
        assert(places.nonEmpty)
        assertEquals(places.filter(at => at < 0 || at > end.toDouble), Seq())
      inside(places("x|x1|x2"), width)
      inside(places("y|y1|y2"), height)

  test("colours are the style sheet's, by day and by night"):
    for picture <- pictures do
      val drawn = picture.group(3).nn
      assert(!drawn.contains("rgb("), drawn)
      assert(drawn.contains("fill=\"var(--teal)\""), drawn)

  test("the same report is the same page, and no id is in it twice"):
    assertEquals(report.html, page)
    val ids = raw"\bid=[\"']([^\"']*)".r.findAllMatchIn(page).map(_.group(1).nn).toSeq
    assertEquals(ids, Seq("first", "second"))

  test("a chart asks the system for no font"):
    val jvm = java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java").nn
    val path = System.getProperty("java.class.path").nn
    val process = ProcessBuilder(
      Seq(jvm.toString, "-Xmx128m", "-Xlog:class+load", "-cp", path, "undercroft.report.drawOne")*
    ).redirectErrorStream(true).nn.start().nn
    val said = String(process.getInputStream.nn.readAllBytes)
    assertEquals(process.waitFor(), 0, said)
    assert(said.contains("org.jfree.chart.JFreeChart "), "no chart was drawn")
    val fonts = raw"sun\.font\.\w*(?:FontManager|FontConfig)\w*".r.findAllIn(said).toSeq.distinct
    assertEquals(fonts, Seq())

  test("signs stand where something happened, and say what"):
    assert(page.contains(">it rained</text>"))
    val course = pictures(2).group(3).nn
    def wedges(drawn: String) = raw"d=\"M[-\d. ]+L[-\d. ]+L[-\d. ]+Z\"".r.findAllIn(drawn).size
    assertEquals(wedges(course), 2 * curves.size + 1)
    assertEquals(wedges(pictures(1).group(3).nn), 0)

  test("bars stand from the quickest to the slowest, and tell their values and intervals"):
    val places =
      Seq("nothing: 0 ns", "quick: 1 ns<", "slow: 20 ns (15 ns to 90 ns)").map(page.indexOf)
    assert(places.forall(_ > 0), places)
    assertEquals(places, places.sorted)

  test("curves of one owner have different colours, and the first has the owner's"):
    val looks = Look.dressed(curves).map(_._2)
    assertEquals(looks.map(_.hue).distinct.size, 3)
    assertEquals(looks.take(2).map(_.hue), Seq(Hue.Teal, Hue.Violet))

  test("more curves than colours are dashed"):
    val many = (1 to 9).map(i => Curve(s"$i", theirs, points(1.0 -> 1.0)))
    val looks = Look.dressed(many).map(_._2)
    assertEquals(looks.distinct.size, 9)
    assertEquals(looks.map(_.dash).max, 1)
    assert(!looks.exists(_.hue == Hue.Teal), "ours is nobody else's")

  test("our curves keep our colour, dashed"):
    val two = Seq("a", "b").map(Curve(_, ours, points(1.0 -> 1.0)))
    assertEquals(
      Look.dressed(two).map(_._2),
      Seq(Look(Hue.Teal, 0), Look(Hue.Teal, 1))
    )

  test("a logarithmic axis lies between round values, fine where there are few"):
    assertEquals(Levels.around(3, 40), Seq(2.0, 5.0, 10.0, 20.0, 50.0))
    assertEquals(Levels.around(1, 1e6), (0 to 6).map(math.pow(10, _)))
    assertEquals(Levels.around(7, 7), Seq(5.0, 10.0))
    assertEquals(Levels.around(10, 10), Seq(10.0, 20.0))

  private def told(places: Double*) =
    val drawn = report.copy(sections =
      Seq(
        Section(
          "one",
          "",
          Seq(
            Part.Picture(
              "p",
              Chart.Growth(Seq(Curve("a", ours, points(places.map(_ -> 3.0)*))), "n", Numbers.time)
            )
          )
        )
      )
    )
    raw">([^<>]*)</text>".r.findAllMatchIn(drawn.html).map(_.group(1).nn).toSeq

  test("an axis of many places tells those that have room, the first and the last too"):
    val places = told((1 to 50).map(_.toDouble)*).filter(_.forall(_.isDigit))
    assert(places.contains("1") && places.contains("50"), places)
    assert(places.size > 4 && places.size < 30, places)

  test("an axis of few places tells all of them"):
    assertEquals(
      told(8, 16, 32, 48, 64).filter(_.forall(_.isDigit)),
      Seq("8", "16", "32", "48", "64")
    )

  for width <- Seq(390, 1200); dark <- Seq(false, true) do
    test(s"Chromium shows all of it, $width pixels wide, ${if dark then "dark" else "light"}"):
      assume(Browser.found.isDefined, Browser.absence)
      val opened = Browser.open(page, width, dark)
      assertEquals(opened.complaints, Seq())
      assertEquals(opened.width, width)
      assert(opened.pageWidth <= width, s"the page is ${opened.pageWidth} wide")
      assertEquals(opened.charts, 4)
      assertEquals(opened.numbers, Seq(1, 1))

  test("the browser sees an error, an empty picture, a table without numbers and a wide page"):
    assume(Browser.found.isDefined, Browser.absence)
    val wrong = "<!doctype html><script>nothing.at()</script><figure><svg></svg></figure>" +
      "<table><tr><td>words</td></tr></table><div style=\"width: 5000px\">wide</div>"
    val opened = Browser.open(wrong, 600, dark = false)
    assert(opened.complaints.exists(_.contains("nothing is not defined")), opened.complaints)
    assertEquals(opened.charts, 0)
    assertEquals(opened.numbers, Seq(0))
    assert(opened.pageWidth >= 5000, opened.pageWidth)
end ReportTest

/** Draws a chart in a JVM of its own. */
@main def drawOne(): Unit =
  val mark = Mark("a", Owner("b", Hue.Teal), Value.alone(1))
  val chart = Chart.Bars(Seq(mark), Numbers.time)
  println(Report("c", Seq(), Seq(Section("d", "e", Seq(Part.Picture("f", chart))))).html.length)
