package undercroft.lab.bench

import scala.jdk.CollectionConverters.*

/** Every benchmark of the `arrays` experiment creates the array that it claims. */
class ArraysBenchmarks extends undercroft.tools.Suite:

  test("a new byte array and a zero fill have the requested size and contain zeros"):
    val answers = Once.answers: () =>
      val state = NewBytes()
      state.bytes = 1000
      state
    for (method, answer) <- answers do
      answer match
        case bytes: Array[Byte] =>
          assertEquals(bytes.length, 1000, method)
          assert(bytes.forall(_ == 0), method)
        case other => fail(s"$method answered $other")

  for bytes <- Seq(1000, 10_000, 100_000) do
    test(s"a block of $bytes bytes is allocated off-heap or by a pool"):
      def blocks() =
        val state = NewBlocks()
        state.bytes = bytes
        state
      for (method, answer) <- Once.answers(blocks) do
        answer match
          case hits: java.lang.Long if method.startsWith("pooled") =>
            assertEquals(hits.longValue, RegionAllocation.blocks - 1L, method)
          case address: java.lang.Long => assert(address.longValue != 0, method)
          case other                   => fail(s"$method answered $other")

  for compiler <- Seq(classOf[ArraysInScala3], ArraysBenchmarks.scala213) do
    test(s"${compiler.getSimpleName}: arrays of every dimension have all their bytes"):
      for bytes <- Seq(1, 32, 1024, 32768, 1 << 20) do
        def arrays() =
          val state = compiler.getConstructor().nn.newInstance()
          compiler.getMethod("bytes_$eq", classOf[Int]).nn.invoke(state, bytes)
          state
        for (method, answer) <- Once.answers(arrays) do
          def size(any: Any): Int = any match
            case bytes: Array[Byte] => bytes.length
            case arrays: Array[Any] => arrays.map(size).sum
            case other              => fail(s"$method answered $other")
          def depth(any: Any): Int = any match
            case arrays: Array[Any] => 1 + depth(arrays(0))
            case _                  => 1
          assertEquals(size(answer), bytes, method)
          assertEquals(depth(answer), method.find(_.isDigit).get.asDigit, method)

  test("Scala 3 compiles a known ofDim to the bare instruction, Scala 2.13 to a call"):
    import java.lang.classfile.Opcode.*
    val three = ArraysBenchmarks.opcodes(classOf[ArraysInScala3])
    assert(three("ofDim1").contains(NEWARRAY))
    for method <- Seq("ofDim2", "ofDim3") do assert(three(method).contains(MULTIANEWARRAY), method)
    for method <- Seq("ofDim1", "ofDim2", "ofDim3") do
      val old = ArraysBenchmarks.opcodes(ArraysBenchmarks.scala213)(method)
      assert(old.contains(INVOKEVIRTUAL), method)
      assert(!old.contains(NEWARRAY) && !old.contains(MULTIANEWARRAY), method)

  test("an array is created, filled or tabulated equally with and without a ClassTag"):
    val answers = Once.answers: () =>
      val state = ClassTags()
      state.length = 10
      state
    for (method, answer) <- answers do
      val expected =
        if method.startsWith("fill") then Seq.fill(10)(7)
        else if method.startsWith("tabulate") then Seq.tabulate(10)(_ * 3)
        else Seq.fill(10)(0)
      answer match
        case ints: Array[Int] => assertEquals(ints.toSeq, expected, method)
        case other            => fail(s"$method answered $other")

  for collection <- Seq("Vector", "List", "ArraySeq") do
    test(s"a $collection is copied to an array equally by every method"):
      def source() =
        val state = ToArrays()
        state.collection = collection
        state.length = 10
        state
      for (method, answer) <- Once.answers(source) do
        answer match
          case ints: Array[Int] => assertEquals(ints.toSeq, Seq.tabulate(10)(_ * 3), method)
          case other            => fail(s"$method answered $other")
end ArraysBenchmarks

object ArraysBenchmarks:
  /** The first article's benchmark, compiled by Scala 2.13. */
  val scala213: Class[?] = Class.forName("undercroft.lab.arrays213.ArraysBenchmark").nn

  /** The instructions of a class's methods, by their names. */
  def opcodes(kind: Class[?]): Map[String, Set[java.lang.classfile.Opcode]] =
    val file = kind.getResourceAsStream(s"${kind.getSimpleName}.class").nn
    val model =
      try java.lang.classfile.ClassFile.of().nn.parse(file.readAllBytes()).nn
      finally file.close()
    model.methods.nn.asScala
      .map: method =>
        val code = method.code.nn.map(_.elementList.nn.asScala.toSeq).orElse(Seq())
        val codes = code.collect { case op: java.lang.classfile.Instruction => op.opcode.nn }
        method.methodName.nn.stringValue.nn -> codes.toSet
      .toMap
end ArraysBenchmarks
