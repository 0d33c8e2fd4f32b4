package undercroft.examples

/** Every Scala snippet of the README and the guide is part of an example, line for line. */
class SnippetsTest extends undercroft.tools.Suite:

  private val fence = "```"

  private def pages: Vector[os.Path] =
    Vector("thrift", "arrow", "duckdb", "pekko").map(Examples.repository / _ / "README.md") ++
      Vector(Examples.repository / "README.md") ++
      os.walk(Examples.repository / "docs").filter(_.ext == "md").toVector.sorted

  /** The Scala snippets of a page, with the number of the line each begins at. */
  private def snippets(page: os.Path): Vector[(Int, Vector[String])] =
    val lines = os.read.lines(page).toVector
    for (line, i) <- lines.zipWithIndex if line.trim == fence + "scala"
    yield (i + 2, undented(lines.drop(i + 1).takeWhile(_.trim != fence)))

  private def undented(lines: Vector[String]): Vector[String] =
    val margin = lines.filterNot(_.isBlank).map(_.indexWhere(_ != ' ')).minOption.getOrElse(0)
    lines.map(_.drop(margin))

  private def stands(snippet: Vector[String], code: Vector[String]): Boolean =
    code.sliding(snippet.size).exists(part => undented(part) == snippet)

  test("the README contains Scala snippets"):
    assert(snippets(Examples.repository / "README.md").nonEmpty)

  for
    page <- pages
    (line, snippet) <- snippets(page)
  do
    test(s"the snippet at ${page.relativeTo(Examples.repository)}:$line is part of an example"):
      assert(snippet.nonEmpty)
      assert(
        Examples.sources.exists(stands(snippet, _)),
        snippet.mkString("no example has these lines:\n", "\n", "")
      )

  test("a snippet that differs from an example in one line is detected"):
    val code = Vector("def f =", "  val a = 1", "  a + 1")
    assert(stands(Vector("val a = 1", "a + 1"), code))
    assert(!stands(Vector("val a = 1", "a + 2"), code))
end SnippetsTest
