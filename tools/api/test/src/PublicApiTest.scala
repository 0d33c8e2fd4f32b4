package undercroft.tools.api

class PublicApiTest extends undercroft.tools.Suite:

  private val dumped = FunFixture[String](
    _ =>
      val target = os.temp()
      val classes = os.Path(java.nio.file.Path.of(classOf[PublicApiTest].getProtectionDomain.nn
        .getCodeSource.nn.getLocation.nn.toURI).nn)
      writeApi(target.toString, classes.toString, System.getProperty("java.class.path").nn)
      os.read(target)
    ,
    _ => ()
  )

  dumped.test("writeApi prints public definitions and omits private ones"): text =>
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
end PublicApiTest
