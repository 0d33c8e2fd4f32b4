package undercroft.lab.bench

/** Every benchmark of the `segments` experiment returns the expected result. */
class SegmentsBenchmarks extends undercroft.tools.Suite:
  for (kind, count) <- Seq(("platform", 1), ("virtual", 4)) do
    test(s"$count $kind threads divide all pairs and all lines among them"):
      def pairs() =
        val state = PoolPairs()
        state.kind = kind
        crew(state)
      for (method, answer) <- Once.answers(() => pairs()) do
        assertEquals(answer, PoolPairs.pairs.toLong: Any, method)
      for (method, answer) <- Once.answers(() => crew(HandedOver())) do
        assertEquals(answer, HandedOver.segments.toLong: Any, method)
      for (method, answer) <- Once.answers(() => crew(OkioReleases())) do
        assertEquals(answer, PoolPairs.pairs.toLong: Any, method)
      for (method, answer) <- Once.answers(() => crew(LinesShuffled())) do
        assertEquals(answer, LinesShuffled.lines * 80L: Any, method)

    def crew[C <: Crew](state: C): C =
      state.threads = count
      state

  test("PoolCounts returns the counters of a pool"):
    val pool = undercroft.buffer.SegmentPool.lockFree()
    for _ <- 1 to 4 do pool.recycle(pool.take())
    val counts = PoolCounts()
    counts.of(pool)
    assertEquals((counts.hitsOfHundred, counts.lostOfThousand), (75.0, 0.0))

  test("the counters of every pool are reported for every workload and are consistent"):
    val rows = PoolBooks.rows(Seq(1, 4))
    assertEquals(rows.size, 21)
    for row <- rows do
      val hits = raw"([0-9.]+) %".r.findAllMatchIn(row).map(_.group(1).nn.toDouble).toSeq
      assert(hits.size == 2 && hits.forall(share => share >= 0 && share <= 100), row)
      // One thread never contends with another; but it may move from processor to processor.
      if row.contains("| pairs |") && !row.contains("per processor") then
        assert(row.contains("100.0 %, 0.0 |"), row)

  test("Buffer and Okio's Buffer return the same for every operation"):
    val answers = Once.answers(() => BufferOperations())
    val methods = answers.keys.filter(_.endsWith("Ours")).toSeq
    assertEquals(methods.size * 2, answers.size)
    for method <- methods do
      assertEquals(answers(method), answers(method.replace("Ours", "Okio")), method)
    assertEquals(answers("equalsOurs"), true: Any)
    assertEquals(answers("indexOfOurs"), -1L: Any)
    assertEquals(answers("intsOurs"), (0L until BufferOperations.times).sum: Any)

  for (name, chars) <- Seq("ascii" -> 110, "two-bytes" -> 100, "emoji" -> 90) do
    test(s"Buffer and Okio's Buffer read the text that was written ($name)"):
      val text = SampleText()
      text.text = name
      text.choose()
      val operations = BufferOperations()
      assertEquals(operations.utf8Ours(text), BufferOperations.times.toLong * chars)
      assertEquals(operations.utf8Okio(text), BufferOperations.times.toLong * chars)

  test("Buffer and Okio's Buffer read and write the same in a row"):
    for operation <- OperationsInARow.reads.keys; place <- Seq("buffer", "file") do
      val answers = Once.answers: () =>
        val state = OperationsInARow()
        state.operation = operation
        state.place = place
        state
      assertEquals(answers.size, 2)
      assertEquals(answers("ours"), answers("okio"), s"$operation, $place")
      assertNotEquals(answers("ours"), 0L: Any, operation)
    for
      operation <-
        Seq("writeDecimalLong", "writeHexadecimalUnsignedLong", "writeUtf8of8", "writeByte")
      place <- Seq("buffer", "sink")
    do
      val answers = Once.answers: () =>
        val state = WritesInARow()
        state.operation = operation
        state.place = place
        state
      assertEquals(answers("ours"), answers("okio"), s"$operation, $place")
      assert(answers("ours").asInstanceOf[Long] >= OperationsInARow.times, operation)
    val lines = Once.answers(() => FileLines())
    assertEquals(lines.size, 4)
    for (method, answer) <- lines do assertEquals(answer, lines("bufferedReader"), method)

  test("all bytes are handed over by a Buffer of each memory and by a ByteOutput"):
    for kind <- Seq("heap", "native", "output") do
      val answers = Once.answers: () =>
        val state = BufferHandOff()
        state.kind = kind
        state
      assertEquals(answers.size, 3)
      for (method, answer) <- answers do
        assertEquals(answer, BufferHandOff.total: Any, s"$method of $kind")
end SegmentsBenchmarks
