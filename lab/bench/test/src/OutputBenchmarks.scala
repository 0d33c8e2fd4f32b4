package undercroft.lab.bench

/** Every benchmark of the `output` experiment returns the expected result. */
class OutputBenchmarks extends undercroft.tools.Suite:
  /** Bytes that end at the first piece that reaches a block's length before the end, or at it. */
  private def written(load: String, bytes: Long): Long =
    if load == "twos" then bytes / 2 * 2
    else
      val lengths = Iterator.continually(Pieces.lengths).flatten.map(_.toLong)
      lengths.scanLeft(0L)(_ + _).find(_ >= bytes - Pieces.block.length).get

  for load <- Seq("mixed", "twos") do
    test(s"every way of small writes ($load) writes the same number of bytes".tag(LongTest)):
      val expected = written(load, 1 << 20)
      for state <- Seq(() => AnySize(), () => ArraySize()) do
        val answers = Once.answers: () =>
          val output = state()
          output.load = load
          output match
            case any: AnySize     => any.mebibytes = 1
            case array: ArraySize => array.mebibytes = 1
            case other            => fail(s"$other")
          output
        for (method, answer) <- answers if COutput.program.isDefined || !method.endsWith("C") do
          assertEquals(answer, expected: Any, method)

  test("OneWrite performs one write per call"):
    assertEquals(
      Once.answers(() => OneWrite()),
      Map("mixed" -> Pieces.lengths(0).toLong, "twos" -> 2L)
    )

  test("the growth rule of JDK 6 copies all bytes for each byte beyond its doubling"):
    def answers(structure: String) = Once.answers: () =>
      val state = GrowthRules()
      state.structure = structure
      state
    val doubled = GrowthRules.doubledBytes.toLong
    val beyond = GrowthRules.beyondBytes.toLong
    val half = answers("half")
    assertEquals(half("byteOutput"), doubled / 2: Any)
    assertEquals(half("exactNeed"), half("largestArray"))
    assertEquals(half("exactNeed"), doubled / 2 - 32: Any)
    val whole = answers("whole")
    assertEquals(whole("byteOutput"), doubled + beyond: Any)
    assertEquals(whole("largestArray"), doubled - 32 + doubled: Any)
    val again = beyond * doubled + beyond * (beyond - 1) / 2
    assertEquals(whole("exactNeed"), doubled - 32 + again: Any)

  test("copied bytes per written byte are counted, for arrays those of their doublings"):
    val array = GrowingArray(GrowthRules.exactNeed(GrowthRules.doubledBytes))
    for i <- 0 until 100_000 do array.write(i)
    assertEquals(SmallWrites.doubled(100_000), array.copied)
    val out = undercroft.buffer.ByteOutput()
    for i <- 0 until 3 << 20 do out.write(i)
    val counts = CopyCounts()
    counts.of(out.copiedBytes, out.size)
    out.close()
    // The growth steps of the array, the whole array when it moves off-heap, and 1 MiB once.
    val copied = 256 + 1024 + 4096 + (16 << 10) + (1 << 20)
    assertEquals(counts.copiedPerByte, copied.toDouble / (3 << 20))

  test("past the largest array the growth rule of JDK 7 throws, and a ByteOutput grows"):
    val answers = Once.answers: () =>
      val state = GrowthEnd()
      state.mebibytes = 1
      state
    assertEquals(answers("largestArray"), 2L << 20: Any)
    assertEquals(answers("byteOutput"), (2L << 20) + 1: Any)
    val largest = GrowthRules.largest(1 << 30)
    assertEquals(largest, Int.MaxValue - 8)
    assertEquals(GrowthRules.largestArray(1 << 30)(1 << 30, (1 << 30) + 1), largest)
    val error =
      try GrowthRules.largestArray(1 << 30)(largest, largest + 1).toString
      catch case e: OutOfMemoryError => e.getMessage
    assertEquals(error, s"${largest + 1} bytes")
end OutputBenchmarks
