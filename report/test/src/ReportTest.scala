package undercroft.report

/** A page with every kind of part, as a browser shows it. */
class ReportTest extends munit.FunSuite:
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
          Part.Picture("Course", Chart.Course(curves, "second", Numbers.time)),
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

  test("every place in a picture is a number, and within it"):
    assert(!page.contains("NaN") && !page.contains("Infinity"))
    val shares =
      raw"""(?:x|x1|x2|cx)="([-\d.]+)%"""".r.findAllMatchIn(page).map(_.group(1).nn.toDouble)
    val outside = shares.filter(share => share < 0 || share > 100).toSeq
    assertEquals(outside, Seq())

  test("bars stand from the quickest to the slowest, and tell their values and intervals"):
    val places =
      Seq("nothing: 0 ns", "quick: 1 ns<", "slow: 20 ns (15 ns to 90 ns)").map(page.indexOf)
    assert(places.forall(_ > 0), places)
    assertEquals(places, places.sorted)

  test("curves of one owner have different colours, and the first has the owner's"):
    val looks = Lines.dressed(curves).map(_._2)
    assertEquals(looks.map(_.hue).distinct.size, 3)
    assertEquals(looks.take(2).map(_.hue), Seq(Hue.Teal, Hue.Violet))

  test("more curves than colours are dashed"):
    val many = (1 to 9).map(i => Curve(s"$i", theirs, points(1.0 -> 1.0)))
    val looks = Lines.dressed(many).map(_._2)
    assertEquals(looks.distinct.size, 9)
    assertEquals(looks.map(_.dash).max, 1)
    assert(!looks.exists(_.hue == Hue.Teal), "ours is nobody else's")

  test("our curves keep our colour, dashed"):
    val two = Seq("a", "b").map(Curve(_, ours, points(1.0 -> 1.0)))
    assertEquals(
      Lines.dressed(two).map(_._2),
      Seq(Lines.Look(Hue.Teal, 0), Lines.Look(Hue.Teal, 1))
    )

  test("even axes start at zero and have few round levels"):
    val axes = Axes.even(Seq(Curve("a", ours, points(1.0 -> 163.0, 9.0 -> 281.0))))
    assertEquals(axes.levels, Seq(0.0, 100.0, 200.0, 300.0))
    assertEquals(axes.up(150), 0.5)
    assertEquals(axes.across(5), 0.5)

  test("logarithmic axes end at powers of ten"):
    val axes = Axes.logarithmic(Seq(Curve("a", ours, points(10.0 -> 3.0, 1000.0 -> 200.0))))
    assertEquals(axes.levels, Seq(1.0, 10.0, 100.0, 1000.0))
    assertEquals(axes.across(100), 0.5)
    assertEqualsDouble(axes.up(10), 1.0 / 3, 1e-9)

  test("an axis of many places tells some of them, the first and the last too"):
    val axes = Axes.even(Seq(Curve("a", ours, points((1 to 50).map(i => i.toDouble -> 1.0)*))))
    assertEquals(axes.places.size, 10)
    assertEquals((axes.places.head, axes.places.last), (1.0, 50.0))

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
