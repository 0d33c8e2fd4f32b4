package undercroft.tools.api

class PublicApiTest extends undercroft.tools.Suite:

  private val dumped = FunFixture[String](
    _ =>
      val classes = os.Path(java.nio.file.Path.of(classOf[PublicApiTest].getProtectionDomain.nn
        .getCodeSource.nn.getLocation.nn.toURI).nn)
      ApiDump.of(classes, System.getProperty("java.class.path").nn)
    ,
    _ => ()
  )

  dumped.test("a dump has public definitions and no private ones"): text =>
    val fixture = text.linesIterator
      .dropWhile(_ != "package undercroft.tools.api.fixture").drop(2).takeWhile(_.nonEmpty)
    assertNoDiff(
      fixture.mkString("\n"),
      """|def all(names: String*): List[_]
         |enum Colour extends Enum
         |final case class Square[A <: AnyRef](side: Int, name: A) extends Shape[A]
         |  def area: Long
         |  var name: A
         |final class Made private
         |  val how: String
         |inline def twice(inline body: Int): Int
         |object Colour
         |  case val Green: Colour
         |  case val Red: Colour
         |object Made
         |  def by(how: String = ...)(using width: Int): Made
         |object Metres
         |  extension def value(metres: Metres): Long
         |opaque type Metres
         |trait Shape[+A]
         |  def area: Long
         |  protected def seenByHeirs: Int
         |type Pair[A] = Tuple2[A, A]
         |type Wide[A] = A match  { case Int => Long case Double => Double }""".stripMargin
    )

  test("a dump of Java has the public classes and members"):
    val folder = os.temp.dir()
    val source = "public class Lamp { public int on; private int wick; class Hidden {} }"
    os.write(folder / "Lamp.java", source)
    val javac = java.util.spi.ToolProvider.findFirst("javac").nn.orElseThrow.nn
    assertEquals(javac.run(System.out, System.err, (folder / "Lamp.java").toString), 0)
    assertNoDiff(
      ApiDump.of(folder, ""),
      "public class Lamp {\n  public int on;\n  public Lamp();\n}\n"
    )

  test("a difference lists the lines of each side, and equal texts have none"):
    assertEquals(ApiDump.difference("api.txt", "a\nb\n", "a\nb\n"), None)
    val lines = ApiDump.difference("api.txt", "a\nb\n", "a\nc\n").get.linesIterator.toVector
    assert(lines.head.startsWith("api.txt differs from the public API"), lines)
    assertEquals(lines.tail, Vector("- b", "+ c"))
end PublicApiTest
