package undercroft.lab.bench

/** Every benchmark of the `arrays` experiment makes the array that it claims. */
class ArraysBenchmarks extends munit.FunSuite:

  test("a new byte array and a zero fill have the asked size and hold zeros"):
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

  test("an array is made, filled or tabulated alike with and without a ClassTag"):
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
end ArraysBenchmarks
