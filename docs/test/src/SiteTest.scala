package undercroft.docs

/** The pages for scaladoc, of a small repository. */
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
end SiteTest
