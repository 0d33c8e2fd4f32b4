package undercroft.tools

import java.lang.classfile.{Attributes, ClassFile}
import java.util.concurrent.Callable
import scala.jdk.CollectionConverters.*
import scala.jdk.OptionConverters.*

class PlainLambdasTest extends Suite:
  import PlainLambdasTest.*

  private val folder = FunFixture[os.Path](_ => os.temp.dir(), os.remove.all(_))
  private val className = classOf[Lambdas].getName.nn

  private def compiled(name: String): Array[Byte] =
    val in = getClass.getResourceAsStream(s"/${name.replace('.', '/')}.class").nn
    try in.readAllBytes.nn
    finally in.close()

  /** How many lambdas of a class file each factory links. */
  private def factories(file: Array[Byte]): Map[String, Int] =
    val table = ClassFile.of().nn.parse(file).nn.findAttribute(Attributes.bootstrapMethods).nn
    table.toScala.toSeq.flatMap(_.bootstrapMethods.nn.asScala)
      .map(_.bootstrapMethod.nn.reference.nn.name.nn.stringValue.nn)
      .filter(_.endsWith("etafactory")).groupMapReduce(identity)(_ => 1)(_ + _)

  private def results(file: Array[Byte]): Any =
    val loader = new ClassLoader(getClass.getClassLoader):
      override def loadClass(asked: String): Class[?] | Null =
        if asked == className then defineClass(asked, file, 0, file.length)
        else super.loadClass(asked)
    loader.loadClass(className).nn.getConstructor().nn.newInstance() match
      case lambdas: Callable[?] => lambdas.call()

  folder.test("lambdas become plain, unless their interface may call a bridge method"): root =>
    val (file, version) =
      (root / "a" / "A.class", root / "META-INF" / "versions" / "25" / "A.class")
    for path <- Seq(file, version) do os.write(path, compiled(className), createFolders = true)
    assertEquals(factories(compiled(className)), Map("altMetafactory" -> 4))
    PlainLambdas.rewrite(root)
    assertEquals(factories(os.read.bytes(file)), Map("metafactory" -> 3, "altMetafactory" -> 1))
    assertEquals(results(os.read.bytes(file)), List(2, 3, 4, 5, 6))
    assertEquals(factories(os.read.bytes(version)), Map("altMetafactory" -> 4))

  test("a class file without lambdas of Scala stays as it is"):
    for other <- Seq(classOf[Measure[?]], classOf[String]) do
      assertEquals(PlainLambdas.of(compiled(other.getName.nn)), None)
end PlainLambdasTest

object PlainLambdasTest:
  trait Measure[A]:
    def of(a: A): Any

  /** A caller of Measure calls the bridge method. */
  trait TextMeasure extends Measure[String]:
    def of(a: String): Any

  /** Lambdas of each kind. */
  class Lambdas extends Callable[List[Any]]:
    def call(): List[Any] =
      val next: Int => Int = _ + 1
      val length: String => Int = _.length
      val size: java.util.function.Function[String, Integer] = _.length + 1
      val text: TextMeasure = _.length + 2
      val measure: Measure[String] = text
      List(next(1), length("abc"), size("abc"), text.of("abc"), measure.of("abcd"))
end PlainLambdasTest
