package undercroft.docs

/** The pages for scaladoc, of a small repository and of this one. */
class SiteTest extends undercroft.tools.Suite:

  private def repository(files: (String, String)*): os.Path =
    val root = os.temp.dir()
    for (path, text) <- files do os.write(root / os.SubPath(path), text, createFolders = true)
    root

  private def written(root: os.Path): os.Path =
    val target = os.temp.dir()
    Site(root, "https://sources.example").write(target)
    target

  test("links between pages are links of the site, and other files link to the sources"):
    val target = written(
      repository(
        "README.md" -> "# `Front`\n\n[guide](docs/guide/README.md#tasks) [code](src/A.scala) [x](#top)\n",
        "docs/guide/README.md" -> "# Guide\n\n[b](b.md), [a](a.md)\n",
        "docs/guide/a.md" -> "# A \"quoted\"\n\n[front](../../README.md) [web](https://a.example/b.md)\n",
        "docs/guide/b.md" -> "# B\n\n`f[A](b)` [`a`](a.md)\n\n```scala\nval link = \"[no](link.md)\"\n```\n",
        "src/A.scala" -> "object A"
      )
    )
    val pages = target / "_docs"
    assertEquals(
      os.read(pages / "index.md"),
      "---\ntitle: \"Front\"\n---\n\n[guide](guide/index.md#tasks) " +
        "[code](https://sources.example/src/A.scala) [x](#top)\n"
    )
    assertEquals(
      os.read(pages / "guide" / "a.md"),
      "---\ntitle: \"A 'quoted'\"\n---\n\n[front](../index.md) [web](https://a.example/b.md)\n"
    )
    assert(os.read(pages / "guide" / "b.md").contains("[no](link.md)"))
    assert(os.read(pages / "guide" / "b.md").contains("`f[A](b)` [`a`](a.md)"))
    assertEquals(
      os.read(target / "sidebar.yml"),
      """index: index.md
        |subsection:
        |  - title: "Guide"
        |    index: guide/index.md
        |    directory: guide
        |    subsection:
        |      - title: "B"
        |        page: guide/b.md
        |      - title: "A 'quoted'"
        |        page: guide/a.md
        |""".stripMargin
    )

  test("code of a page begins at the margin"):
    val target = written(
      repository(
        "README.md" -> "# Front\n\n```scala\n    if a then\n      b\n\n    c\n```\n\n    d\n"
      )
    )
    assertEquals(
      os.read(target / "_docs" / "index.md"),
      "---\ntitle: \"Front\"\n---\n\n```scala\nif a then\n  b\n\nc\n```\n\n    d\n"
    )

  test("a section without a page of its own begins with links to its pages"):
    val target = written(
      repository(
        "README.md" -> "# Front\n",
        "SECURITY.md" -> "# Security\n",
        "docs/format.md" -> "# Format\n"
      )
    )
    assertEquals(
      os.read(target / "_docs" / "reference" / "index.md"),
      "---\ntitle: \"Reference\"\n---\n\n- [Format](format.md)\n- [Security](security.md)\n"
    )
    assert(os.read(target / "sidebar.yml").contains("directory: reference"))

  test("a link to a file that does not exist is an error that names the page and the link"):
    val root = repository("README.md" -> "# Front\n\n[gone](docs/gone.md)\n")
    val error = intercept[IllegalArgumentException](written(root))
    assertEquals(error.getMessage, "README.md links to docs/gone.md: no such file")

  /** The least number of links from the front page to each page that links lead to, by source. */
  private def clicks(site: Site): Map[String, Int] =
    val byTarget = site.pages.map(page => page.target -> page).toMap
    def linked(page: Page): Seq[Page] =
      page.links
        .map(site.link(page, _).takeWhile(_ != '#'))
        .filter(link => link.nonEmpty && !link.contains(":"))
        .flatMap(link => byTarget.get(page.target / os.up / os.RelPath(link)))
    @scala.annotation.tailrec
    def search(counts: Map[Page, Int], level: Seq[Page], count: Int): Map[Page, Int] =
      val next = level.flatMap(linked).distinct.filterNot(counts.contains)
      if next.isEmpty then counts
      else search(counts ++ next.map(_ -> count), next, count + 1)
    val front = site.pages.filter(_.source.toString == Contents.front)
    search(front.map(_ -> 0).toMap, front, 1).map((page, count) => page.source.toString -> count)

  test("the clicks from the front page to a page are counted along the shortest way"):
    val root = repository(
      "README.md" -> "# Front\n\n[guide](docs/guide/README.md#a) [web](https://a.example/b.md)\n",
      "docs/guide/README.md" -> "# Guide\n\n[a](a.md), [front](../../README.md)\n",
      "docs/guide/a.md" -> "# A\n\n[b](b.md)\n",
      "docs/guide/b.md" -> "# B\n",
      "docs/guide/c.md" -> "# C\n\n[a](a.md)\n"
    )
    val counts = clicks(Site(root, "https://sources.example"))
    assertEquals(counts.get("docs/guide/a.md"), Some(2))
    assertEquals(counts.get("docs/guide/b.md"), Some(3))
    assertEquals(counts.get("docs/guide/c.md"), None)

  private lazy val ownSite = Site(os.Path(sys.env("UNDERCROFT")), "https://sources.example")

  test("every text that needs an address shows that of settings.mill, and no other"):
    val root = os.Path(sys.env("UNDERCROFT"))
    val (url, repository) = (sys.env("UNDERCROFT_URL"), sys.env("UNDERCROFT_REPOSITORY"))
    val addresses = Seq(
      "README.md" -> Set(url, repository),
      "SECURITY.md" -> Set(url),
      "python/README.md" -> Set(url)
    )
    val placeholder = """https://[a-z.]*undercroft\.[a-z]+(?:/undercroft)*""".r
    for (path, expected) <- addresses do
      assertEquals(placeholder.findAllIn(os.read(root / os.SubPath(path))).toSet, expected, path)

  for task <- Task.all do
    test(s"the page about ${task.name} is at most two clicks from the front page"):
      val page = ownSite.pages.find(_.source.toString == task.source)
      assert(page.isDefined, s"${task.source} is not on the site")
      val missing = task.contains.filterNot(page.get.markdown.contains)
      assertEquals(missing, Seq(), s"words that are not on ${task.source}")
      val count = clicks(ownSite).get(task.source)
      assert(count.exists(_ <= 2), s"clicks to ${task.source}: ${count.getOrElse("no way")}")
end SiteTest
