package undercroft.memory

import java.lang.classfile.instruction.{InvokeInstruction, NewPrimitiveArrayInstruction}
import java.lang.classfile.instruction.NewReferenceArrayInstruction
import java.lang.classfile.{ClassFile, CodeElement}
import scala.collection.immutable.ArraySeq
import scala.collection.mutable
import scala.jdk.CollectionConverters.ListHasAsScala

/** Code compiled from the helpers, compared with hand-written loops. */
object ArraySamples:
  def handFill(size: Int): Array[Int] =
    val array = new Array[Int](size)
    var i = 0
    while i < size do
      array(i) = 7
      i += 1
    array
  def ourFill(size: Int): Array[Int] = HeapArrays.fill(size)(7)
  def theirFill(size: Int): Array[Int] = Array.fill(size)(7)
  def ourTabulate(size: Int): Array[Long] = HeapArrays.tabulate(size)(i => i * 2L)
  def theirTabulate(size: Int): Array[Long] = Array.tabulate(size)(i => i * 2L)
  inline def generic[T](size: Int): Array[T] = HeapArrays.ofDim[T](size)
  def ourDim(size: Int): Array[Byte] = generic[Byte](size)
  def ourCopy(from: Iterable[Int]): Array[Int] = HeapArrays.toArray(from)
  def ourSquare(size: Int): Array[Array[Byte]] = HeapArrays.ofDim[Byte](size, size + 1)
  def ourCube(size: Int): Array[Array[Array[Int]]] = HeapArrays.ofDim[Int](size, size + 1, 5)
  def ourStrings(size: Int): Array[String] = HeapArrays.fill(size)("x")

class HeapArraysTest extends undercroft.tools.Suite:
  private val code: Map[String, List[CodeElement]] =
    val stream = ArraySamples.getClass.getResourceAsStream("ArraySamples$.class")
    val model = ClassFile.of().parse(stream.readAllBytes())
    model.methods.asScala.toList
      .filter(_.code.isPresent)
      .map(method => method.methodName.stringValue -> method.code.get.elementList.asScala.toList)
      .toMap

  private def calls(method: String): List[String] = code(method).collect:
    case call: InvokeInstruction => s"${call.owner.asInternalName}.${call.name.stringValue}"

  private def instructions(method: String): Int =
    code(method).count(_.isInstanceOf[java.lang.classfile.Instruction])

  test("HeapArrays.fill, tabulate and ofDim return the same arrays as the standard library"):
    assertEquals(ArraySamples.ourFill(9).toList, ArraySamples.theirFill(9).toList)
    assertEquals(ArraySamples.ourTabulate(9).toList, ArraySamples.theirTabulate(9).toList)
    assertEquals(ArraySamples.ourStrings(2).toList, List("x", "x"))
    assertEquals(ArraySamples.ourDim(3).toList, List.fill(3)(0.toByte))
    assertEquals(HeapArrays.fill[Boolean](2)(true).toList, List(true, true))
    assertEquals(HeapArrays.tabulate[Char](2)(i => ('a' + i).toChar).toList, List('a', 'b'))
    var counted = 0
    val evaluated = HeapArrays.fill(3) { counted += 1; counted }
    assertEquals(evaluated.toList, List(1, 2, 3))

  test("HeapArrays.ofDim of several dimensions returns the same arrays as Array.ofDim"):
    for size <- 0 to 3 do
      val square = Array.ofDim[Byte](size, size + 1)
      assertEquals(ArraySamples.ourSquare(size).map(_.toSeq).toSeq, square.map(_.toSeq).toSeq)
      val cube = Array.ofDim[Int](size, size + 1, 5)
      def rows(of: Array[Array[Array[Int]]]) = of.map(_.map(_.toSeq).toSeq).toSeq
      assertEquals(rows(ArraySamples.ourCube(size)), rows(cube))
    intercept[NegativeArraySizeException](HeapArrays.ofDim[Int](2, -1))
    assertEquals(HeapArrays.ofDim[String](2, 2)(1)(1), null.asInstanceOf[String])

  test("HeapArrays.ofDim of several dimensions compiles to loops over newarray"):
    for method <- List("ourSquare", "ourCube") do
      assertEquals(calls(method), Nil, method)
      assertEquals(code(method).count(_.isInstanceOf[NewPrimitiveArrayInstruction]), 1, method)

  test("HeapArrays.toArray returns the same array as toArray of the standard library"):
    val ints = Vector.tabulate(70)(_ * 3)
    val kinds =
      Seq[Iterable[Int]](ints, ints.toList, ints.toSet, ints.to(ArraySeq), LazyList.from(ints)) ++
        Seq[Iterable[Int]](0 until 70 by 3, Nil, ints.view.filter(_ > 5), mutable.Queue.from(ints))
    for kind <- kinds do
      assertEquals(ArraySamples.ourCopy(kind).toList, kind.toArray.toList, kind.getClass.getName)
    assertEquals(HeapArrays.toArray(List("a", "b")).toList, List("a", "b"))
    assertEquals(HeapArrays.toArray[Any](List(1, "b")).toList, List[Any](1, "b"))

  test("HeapArrays.toArray evaluates a view once"):
    var evaluated = 0
    val view = Vector(1, 2, 3).view.map { x =>
      evaluated += 1; x
    }.filter(_ > 1)
    assertEquals(HeapArrays.toArray(view).toList, List(2, 3))
    assertEquals(evaluated, 3)

  test("HeapArrays.toArray compiles to a newarray instruction and a call of copyToArray"):
    val code = this.code("ourCopy")
    val creation = code.indexWhere(_.isInstanceOf[NewPrimitiveArrayInstruction])
    val copied = code.indexWhere:
      case call: InvokeInstruction => call.name.stringValue == "copyToArray"
      case _                       => false
    assert(creation > 0 && creation < copied, s"$creation $copied")
    assert(ArraySamples.ourCopy(List(1, 2)).isInstanceOf[Array[Int]])

  test("HeapArrays.fill and tabulate compile to a loop without ClassTag, function or boxing"):
    for method <- List("ourFill", "ourTabulate", "ourDim", "handFill") do
      assertEquals(calls(method), Nil, method)
      assertEquals(code(method).count(_.isInstanceOf[NewPrimitiveArrayInstruction]), 1, method)
    assertEquals(calls("ourStrings"), Nil)
    assertEquals(code("ourStrings").count(_.isInstanceOf[NewReferenceArrayInstruction]), 1)
    val difference = instructions("ourFill") - instructions("handFill")
    assert(difference <= 2, s"$difference instructions more than by hand")

  test("Array.fill and Array.tabulate of the standard library compile to calls"):
    for method <- List("theirFill", "theirTabulate") do assert(calls(method).nonEmpty, method)

  test("HeapArrays.ofDim of an unknown element type does not compile"):
    val errors = compileErrors("def generic[T](size: Int): Array[T] = HeapArrays.ofDim[T](size)")
    assert(errors.nonEmpty)
end HeapArraysTest
