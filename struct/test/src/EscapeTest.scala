package undercroft.struct

import dotty.tools.dotc.reporting.StoreReporter
import java.nio.file.Files

/** What the compiler says of a region that leaves its scope; each source is compiled as a user's.
  */
class EscapeTest extends munit.FunSuite:
  private val Checked = "import language.experimental.captureChecking"

  private def errors(header: String, body: String): String =
    val folder = Files.createTempDirectory("escape")
    val source = folder.resolve("User.scala")
    Files.writeString(source, List(header, "import undercroft.memory.*", body).mkString("\n")): Unit
    val path = System.getProperty("java.class.path").nn
    val args = Array("-classpath", path, "-color:never", "-d", folder.toString, source.toString)
    try
      val reporter = StoreReporter()
      val _ = dotty.tools.dotc.Driver().process(args, reporter, null)
      reporter.removeBufferedMessages(using dotty.tools.dotc.core.Contexts.NoContext)
        .filter(_.level >= dotty.tools.dotc.interfaces.Diagnostic.ERROR)
        .map(_.message)
        .mkString("\n")
    finally
      val files = Files.walk(folder)
      files.sorted(java.util.Comparator.reverseOrder).forEach(Files.delete(_))
      files.close()

  private val leaks = Map(
    "a region" -> "def leak(): Region = Region.scoped(Region.current)",
    "a function that uses it" ->
      "def leak(): () => Long = Region.scoped(() => Region.current.block(8, 8).offset)",
    "a region with a name" -> "def leak(): Region = Region.named(\"day\")(Region.current)"
  )

  for (what, code) <- leaks do
    test(s"where capture checking is on, $what does not leave its scope"):
      val found = errors(Checked, code)
      assert(found.contains("Region"), found)

  test("where capture checking is on, a value computed in the scope leaves it"):
    val code = "def offset(): Long = Region.scoped(Region.current.block(8, 8).offset)"
    assertEquals(errors(Checked, code), "")

  test("users who do not switch it on are not asked"):
    for code <- leaks.values do assertEquals(errors("", code), "")
end EscapeTest
