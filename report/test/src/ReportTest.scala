package undercroft.report

/** A page with every kind of part, as a browser shows it. */
class ReportTest extends undercroft.tools.Suite:
  private val ourOwner = Owner("ours", Hue.Teal)
  private val rivalOwner = Owner("theirs", Hue.Violet)

  private def points(values: (Double, Double)*) =
    values.map((at, value) => CurvePoint(at, Value(value, value * 0.9, value * 1.1)))

  private val curves = Seq(
    Curve("a", ourOwner, points(1.0 -> 2.0, 1000.0 -> 30.0)),
    Curve("b", rivalOwner, points(1.0 -> 4.0, 1000.0 -> 900.0)),
    Curve("c", rivalOwner, points(1.0 -> 5.0, 1000.0 -> 950.0))
  )

  private val report = Report(
    "A page",
    Seq("What it is, with <b> & \"quotes\"."),
    Seq(
      Section(
        "first",
        "2 of 3",
        Seq(
          Block.Heading("A heading"),
          Block.Words("Some words."),
          Block.Small("Small words."),
          Block.Points(Seq("one", "two")),
          Block.Command("./mill report.test"),
          Block.Grid(
            Seq("name", "number", "holds", "a long column", "another long column"),
            Seq(
              Seq(TableCell.words("a name that is not short"), TableCell.number("12.5")) ++
                Seq(
                  TableCell("yes", CellKind.Good),
                  TableCell("absent", CellKind.Faint),
                  TableCell("no", CellKind.Bad)
                )
            )
          ),
          Block.Grid(Seq("folded"), Seq(Seq(TableCell.number("7"))), folded = Some("All figures"))
        )
      ),
      Section(
        "second",
        "charts",
        Seq(
          Block.Picture(
            "Bars",
            Chart.Bars(
              Seq(
                Mark("slow", rivalOwner, Value(20, 15, 90)),
                Mark("quick", ourOwner, Value.alone(1)),
                Mark("nothing", ourOwner, Value.alone(0))
              ),
              FigureText.time
            )
          ),
          Block.Picture("Growth", Chart.Growth(curves, "size", FigureText.time)),
          Block.Picture(
            "Course",
            Chart.Course(curves, "second", FigureText.time)
          ),
          Block.Picture(
            "One point",
            Chart.Growth(Seq(Curve("a", ourOwner, points(5.0 -> 0.0))), "size", FigureText.time)
          )
        )
      )
    )
  )

  private val page = report.html

  test("the page has no external references"):
    for reference <- Seq("<link", "<script", "src=", "url(", "@import") do
      assert(!page.contains(reference), reference)

  test("text is escaped in HTML"):
    assert(page.contains("with &lt;b&gt; &amp; &quot;quotes&quot;."))

  private val pictures =
    raw"(?s)<svg .*? viewBox=\"0 0 (\d+) (\d+)\">(.*?)</svg>".r.findAllMatchIn(page).toSeq

  test("every coordinate in a picture is a number within its bounds"):
    assertEquals(pictures.size, 4)
    assert(!page.contains("NaN") && !page.contains("Infinity"))
    for picture <- pictures do
      val Seq(width, height, drawn) = picture.subgroups.map(_.nn): @unchecked
      def places(names: String) =
        raw" (?:$names)=\"([-\d.]+)\"".r.findAllMatchIn(drawn).map(_.group(1).nn.toDouble).toSeq
      def inside(places: Seq[Double], end: String) =
        assert(places.nonEmpty)
        assertEquals(places.filter(at => at < 0 || at > end.toDouble), Seq())
      def corners(part: Int) =
        raw"[ML]([-\d.]+) ([-\d.]+)".r.findAllMatchIn(drawn).map(_.group(part).nn.toDouble).toSeq
      inside(places("x|cx") ++ corners(1), width)
      inside(places("y|cy") ++ corners(2), height)

  test("pictures take their colours from the style sheet in light and dark mode"):
    for picture <- pictures do
      val drawing = picture.group(3).nn
      assert(!drawing.contains("rgb("), drawing)
      assert(drawing.contains("fill=\"var(--teal)\""), drawing)

  test("a report renders to the same page each time, and its ids are unique"):
    assertEquals(report.html, page)
    val ids = raw"\bid=[\"']([^\"']*)".r.findAllMatchIn(page).map(_.group(1).nn).toSeq
    assertEquals(ids, Seq("first", "second"))

  test("bars are sorted from fastest to slowest and labelled with value and interval"):
    val places =
      Seq("nothing: 0 ns", "quick: 1 ns<", "slow: 20 ns (15 ns to 90 ns)").map(page.indexOf)
    assert(places.forall(_ > 0), places)
    assertEquals(places, places.sorted)

  test("a curve has its owner's colour"):
    assertEquals(LineStyle.dressed(curves).map(_._2.hue), curves.map(_.owner.hue))

  test("twelve curves of one owner are drawn in twelve ways, on the page, too"):
    val series = (1 to 12).map(i => Curve(s"c$i", ourOwner, points(1.0 -> i, 2.0 -> i)))
    val looks = LineStyle.dressed(series).map(_._2)
    assertEquals(looks.map(look => (look.hue, look.dashes, look.corners)).distinct.size, 12)
    val chart = Chart.Growth(series, "place", FigureText.time)
    val html = Report("many", Seq(), Seq(Section("s", "", Seq(Block.Picture("p", chart))))).html
    assertEquals("<title>c".r.findAllIn(html).size, 24)
    assertEquals("stroke-dasharray".r.findAllIn(html).size, 2 * (12 - 3))

  test("a logarithmic axis has round levels, with finer ones if there are few"):
    assertEquals(Levels.around(3, 40), Seq(2.0, 5.0, 10.0, 20.0, 50.0))
    assertEquals(Levels.around(1, 1e6), (0 to 6).map(math.pow(10, _)))
    assertEquals(Levels.around(7, 7), Seq(5.0, 10.0))
    assertEquals(Levels.around(10, 10), Seq(10.0, 20.0))

  private def told(places: Double*) =
    val chartReport = report.copy(sections =
      Seq(
        Section(
          "one",
          "",
          Seq(
            Block.Picture(
              "p",
              Chart.Growth(
                Seq(Curve("a", ourOwner, points(places.map(_ -> 3.0)*))),
                "n",
                FigureText.time
              )
            )
          )
        )
      )
    )
    raw">([^<>]*)</text>".r.findAllMatchIn(chartReport.html).map(_.group(1).nn).toSeq
  end told

  test("an axis of many values labels those that fit, including the first and the last"):
    val places = told((1 to 50).map(_.toDouble)*).filter(_.forall(_.isDigit))
    assert(places.contains("1") && places.contains("50"), places)
    assert(places.size > 4 && places.size < 30, places)

  test("an axis of few values labels all of them"):
    assertEquals(
      told(8, 16, 32, 48, 64).filter(_.forall(_.isDigit)),
      Seq("8", "16", "32", "48", "64")
    )

  for width <- Seq(390, 1200); dark <- Seq(false, true) do
    test(s"Chromium shows the page at $width pixels, ${if dark then "dark" else "light"}"):
      val opened = Browser.open(page, width, dark)
      assertEquals(opened.complaints, Seq())
      assertEquals(opened.width, width)
      assert(opened.pageWidth <= width, s"the page is ${opened.pageWidth} wide")
      assertEquals(opened.charts, 4)
      assertEquals(opened.numbers, Seq(1, 1))

  test("Browser reports script errors, empty pictures, tables without numbers and wide pages"):
    val wrong = "<!doctype html><script>nothing.at()</script><figure><svg></svg></figure>" +
      "<table><tr><td>words</td></tr></table><div style=\"width: 5000px\">wide</div>"
    val opened = Browser.open(wrong, 600, dark = false)
    assert(opened.complaints.exists(_.contains("nothing is not defined")), opened.complaints)
    assertEquals(opened.charts, 0)
    assertEquals(opened.numbers, Seq(0))
    assert(opened.pageWidth >= 5000, opened.pageWidth)
end ReportTest
