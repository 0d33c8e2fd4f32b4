package undercroft.memory

import java.lang.classfile.instruction.{InvokeInstruction, NewPrimitiveArrayInstruction}
import java.lang.classfile.instruction.NewReferenceArrayInstruction
import java.lang.classfile.{ClassFile, CodeElement}
import scala.jdk.CollectionConverters.ListHasAsScala

/** What the compiler makes of the helpers; compared with a loop written by hand. */
object ArraySamples:
  def handFill(size: Int): Array[Int] =
    val array = new Array[Int](size)
    var i = 0
    while i < size do
      array(i) = 7
      i += 1
    array
  def ourFill(size: Int): Array[Int] = Arrays.fill(size)(7)
  def theirFill(size: Int): Array[Int] = Array.fill(size)(7)
  def ourTabulate(size: Int): Array[Long] = Arrays.tabulate(size)(i => i * 2L)
  def theirTabulate(size: Int): Array[Long] = Array.tabulate(size)(i => i * 2L)
  inline def generic[T](size: Int): Array[T] = Arrays.ofDim[T](size)
  def ourDim(size: Int): Array[Byte] = generic[Byte](size)
  def ourStrings(size: Int): Array[String] = Arrays.fill(size)("x")

class ArraysTest extends munit.FunSuite:
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

  test("the helpers give what the library gives"):
    assertEquals(ArraySamples.ourFill(9).toList, ArraySamples.theirFill(9).toList)
    assertEquals(ArraySamples.ourTabulate(9).toList, ArraySamples.theirTabulate(9).toList)
    assertEquals(ArraySamples.ourStrings(2).toList, List("x", "x"))
    assertEquals(ArraySamples.ourDim(3).toList, List.fill(3)(0.toByte))
    assertEquals(Arrays.fill[Boolean](2)(true).toList, List(true, true))
    assertEquals(Arrays.tabulate[Char](2)(i => ('a' + i).toChar).toList, List('a', 'b'))
    var counted = 0
    val evaluated = Arrays.fill(3) { counted += 1; counted }
    assertEquals(evaluated.toList, List(1, 2, 3))

  test("they are the bare instruction and a loop: no ClassTag, no function, no box"):
    for method <- List("ourFill", "ourTabulate", "ourDim", "handFill") do
      assertEquals(calls(method), Nil, method)
      assertEquals(code(method).count(_.isInstanceOf[NewPrimitiveArrayInstruction]), 1, method)
    assertEquals(calls("ourStrings"), Nil)
    assertEquals(code("ourStrings").count(_.isInstanceOf[NewReferenceArrayInstruction]), 1)
    val more = instructions("ourFill") - instructions("handFill")
    assert(more <= 2, s"$more instructions more than by hand")

  test("the library's own have a ClassTag or a function to pay for"):
    for method <- List("theirFill", "theirTabulate") do assert(calls(method).nonEmpty, method)

  test("an element type that is not known is refused by the compiler"):
    val errors = compileErrors("def generic[T](size: Int): Array[T] = Arrays.ofDim[T](size)")
    assert(errors.nonEmpty)
end ArraysTest
