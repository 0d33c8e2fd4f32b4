package undercroft.tools

class DocExamplesTest extends undercroft.tools.Suite:
  /** The lines of a doc comment. */
  private def comment(lines: String*): String =
    lines.mkString("/** Subject.\n  * ", "\n  * ", "\n  */")

  test("an example has the line of its first statement, and no margin"):
    val source = comment("{{{", "  if a then", "    b()", "}}}")
    assertEquals(
      DocExamples.of(source),
      Vector(DocExamples.Example(3, Vector("if a then", "  b()")))
    )

  test("a fenced block is no example"):
    assertEquals(DocExamples.of(comment("```text", "base | limit", "```")), Vector.empty)

  test("definitions and imports stand before the statements, with their indented lines"):
    val lines = Vector(
      "import a.b",
      "val x = 1",
      "enum E:",
      "  case A",
      "given C = c",
      "try x",
      "catch",
      "  e"
    )
    val (definitions, statements) = DocExamples.Example(1, lines).parts
    assertEquals(definitions, Vector("import a.b", "enum E:", "  case A", "given C = c"))
    assertEquals(statements, Vector("val x = 1", "try x", "catch", "  e"))

  test("a source has an object for each example, named for its file and line"):
    val examples = DocExamples.of(comment("{{{", "val x = 1", "}}}"))
    val source = DocExamples.scala("memory/src/Region.scala", "undercroft.memory", examples)
    assert(source.contains("object memory_src_Region_3:"), source)
    assert(source.contains("import undercroft.memory.*"), source)
    assert(source.contains("    val x = 1\n    ()\n"), source)
    val list = DocExamples.list(Seq("memory/src/Region.scala" -> examples))
    assert(
      list.contains("\"memory/src/Region.scala:3\" -> (() => memory_src_Region_3.run())"),
      list
    )
end DocExamplesTest
