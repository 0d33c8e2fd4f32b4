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
    "a function that uses it" ->
      "def leak(): () => Long = Region.scoped(() => Region.current.allocateBlock(8, 8).offset)",
    "a region with a name" -> "def leak(): Region = Region.named(\"day\")(Region.current)"
  )

  for (what, code) <- leaks do
    test(s"where capture checking is on, $what does not leave its scope"):
      val message = errors(Checked, code)
      assert(message.contains("Region"), message)

  test("where capture checking is on, a value computed in the scope leaves it"):
    val code = "def offset(): Long = Region.scoped(Region.current.allocateBlock(8, 8).offset)"
    assertEquals(errors(Checked, code), "")

  test("users who do not switch it on are not asked"):
    for code <- leaks.values do assertEquals(errors("", code), "")
end EscapeTest
