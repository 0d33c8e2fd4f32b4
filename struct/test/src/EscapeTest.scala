package undercroft.struct

/** The errors of the compiler for a region that leaves its scope; each source is compiled as user
  * code.
  */
class EscapeTest extends undercroft.tools.Suite:
  private val Checked = "import language.experimental.captureChecking"

  private def errors(header: String, body: String): String =
    Compiled(List(header, "import undercroft.memory.*", body).mkString("\n")).errors

  private val leaks = Map(
    "a region" -> "def leak(): Region = Region.scoped(Region.current)",
    "a function that uses a region" ->
      "def leak(): () => Long = Region.scoped(() => Region.current.allocateBlock(8, 8).offset)",
    "a region with a name" -> "def leak(): Region = Region.named(\"day\")(Region.current)"
  )

  for (what, code) <- leaks do
    test(s"with capture checking, returning $what from its scope does not compile"):
      val message = errors(Checked, code)
      assert(message.contains("Region"), message)

  test("with capture checking, returning a computed value from a scope compiles"):
    val code = "def offset(): Long = Region.scoped(Region.current.allocateBlock(8, 8).offset)"
    assertEquals(errors(Checked, code), "")

  test("without capture checking, returning a region from its scope compiles"):
    for code <- leaks.values do assertEquals(errors("", code), "")
end EscapeTest
