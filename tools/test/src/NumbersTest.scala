package undercroft.tools

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.IteratorHasAsScala
import scala.util.Using

/** The published modules write numbers alike in every locale. */
class NumbersTest extends Suite:

  /** A number that Scala's interpolator, or Java without a locale, formats by the default locale;
    * hexadecimal digits are the same in each.
    */
  private val Default = List(
    """\bf"+[^"]*%[-+0 ,(]*\d*(\.\d+)?[defg]""",
    """String\.format\(\s*"[^"]*%[-+0 ,(]*\d*(\.\d+)?[defg]""",
    """"[^"]*%[-+0 ,(]*\d*(\.\d+)?[defg][^"]*"\s*\.(format|formatted)\("""
  ).map(_.r)

  private def violations(text: String): List[String] =
    Default.flatMap(_.findAllIn(text)).map(_.trim)

  test("the pattern finds numbers in the default locale, and no others"):
    val wrong = List(
      """f"$share%.1f"""",
      """f"$name%-8s $count%,5d"""",
      """String.format("%d", n)""",
      "String.format(\n  \"a %05d\", n)",
      """"%.2f ms".formatted(millis)""",
      """"%d".format(n)"""
    )
    for text <- wrong do assert(violations(text).nonEmpty, text)
    val right = List(
      """f"$byte%02x $name%-8s"""",
      """String.format(Locale.ROOT, "%d", n)""",
      """"%.2f".formatLocal(Locale.ROOT, x)""",
      """"0x%08x".formatted(n)""",
      """s"$percent% done""""
    )
    assertEquals(right.flatMap(violations), Nil)

  test("no main code of a published module formats a number in the default locale"):
    val root = Path.of(sys.env("UNDERCROFT"))
    val others = Set("lab", "examples", "docs", "out", "mill-build", "tools", "test", "outside")
    def names(file: Path) = root.relativize(file).iterator.asScala.map(_.toString).toList
    def isMain(file: Path) =
      names(file).contains("src") && !names(file).exists(others) &&
        (file.toString.endsWith(".scala") || file.toString.endsWith(".java"))
    def isModule(folder: Path) =
      Files.isDirectory(folder) && !names(folder).exists(others) && names(folder).head.head != '.'
    val modules = Using.resource(Files.list(root))(_.iterator.asScala.filter(isModule).toList)
    val files = modules.flatMap: module =>
      Using.resource(Files.walk(module))(_.iterator.asScala.filter(isMain).toList)
    assert(files.size > 300, s"${files.size} files")
    val found =
      for file <- files; text <- violations(Files.readString(file))
      yield s"${root.relativize(file)}: $text"
    assertEquals(found, Nil)
end NumbersTest
