package undercroft.lab.bench

/** Every benchmark of the `struct` experiment returns the expected result. */
class StructBenchmarks extends undercroft.tools.Suite:

  test("every sort returns the smallest key"):
    def sized[S <: Sorting](state: S): S =
      state.rows = 1000
      state
    val random = java.util.SplittableRandom(1)
    val keys = Seq.fill(1000)((ticket = random.nextInt(), price = random.nextInt(1000)))
    val longs = java.util.SplittableRandom(1)
    val smallestLong = Seq.fill(1000)(longs.nextInt()).min
    val answers =
      Seq("rows", "columns").flatMap: layout =>
        Once
          .answers: () =>
            val state = sized(SortRows())
            state.layout = layout
            state
          .toSeq
      ++ Once.answers(() => sized(SortObjects())).toSeq
        ++ Once.answers(() => sized(SortLongs())).toSeq
    assertEquals(answers.size, 11)
    for (method, answer) <- answers do
      val smallest = method match
        case "longsThemselves"          => smallestLong
        case two if two.contains("Two") => keys.map(_.price).min
        case _                          => keys.map(_.ticket).min
      assertEquals(answer, smallest: Any, method)

  test("every map stores and finds the same entries"):
    val answers = Once.answers: () =>
      val state = MapAccess()
      state.entries = 1000
      state
    assertEquals(answers.size, 10)
    for (method, answer) <- answers do
      val expected = if method.startsWith("get") then (0L until 1000L).sum else 1000L
      assertEquals(answer, expected: Any, method)

  test("ordered maps find the same entries and neighbours, and move the same window"):
    for entries <- Seq(10, 1000) do
      val answers = Once.answers: () =>
        val state = OrderedMaps()
        state.entries = entries
        state
      assertEquals(answers.size, 10)
      for name <- Seq("get", "floor", "put", "window", "loop") do
        assertEquals(answers(s"${name}Ours"), answers(s"${name}TreeMap"), name)
      val sum = (0L until entries).sum
      assertEquals((answers("getOurs"), answers("loopOurs")), (sum, sum))
      assertEquals(answers("putOurs"), entries.toLong: Any)

  test("a text map finds the same entries as a HashMap of Strings in less memory"):
    val state = MapText()
    state.entries = 10_000
    state.fill()
    assertEquals((state.getOurs(Held()), state.getHashMap(Held())), (49_995_000L, 49_995_000L))
    assertEquals((state.getBytes(), state.getHashMapOfBytes()), (49_995_000L, 49_995_000L))
    assert(state.offHeapBytes > 0 && state.offHeapBytes < state.heapBytes, state.offHeapBytes)
    state.free()

  test("filters of rows find as many as those of objects"):
    val answers = Once.answers: () =>
      val state = TextFilters()
      state.rows = 10_000
      state
    assertEquals(
      Seq("equal", "starts", "before", "exists").map(name => answers(s"${name}Ours")),
      Seq("equal", "starts", "before", "exists").map(name => answers(s"${name}Heap"))
    )
    assertEquals(answers("existsOurs"), answers("matchOurs"))
    assert(answers.values.forall(_.toString != "0"), answers)

  test("a loop over a map returns the same as one over rows"):
    val answers = Once.answers: () =>
      val state = MapScan()
      state.entries = 1000
      state
    assertEquals(answers, Map[String, Any]("ofEntries" -> 499_500L, "ofRows" -> 499_500L))

  test("the memory of a map is counted"):
    val state = MapMemory()
    state.entries = 100_000
    val (offHeap, heap) = (Held(), Held())
    assertEquals((state.ours(offHeap), state.hashMap(heap)), (100_000L, 100_000L))
    assert(offHeap.heldBytes > 1_600_000 && heap.heldBytes > offHeap.heldBytes, offHeap.heldBytes)

  test("trees have the same number of nodes on the heap and in regions and report CPU time"):
    val state = BinaryTrees()
    state.depth = 8
    val (heap, regions) = (Spent(), Spent())
    val nodes = 256L * 31 + 16 * 511 + 511
    assertEquals((state.heap(heap), state.regions(regions)), (nodes, nodes))
    assert(heap.cpuMillis >= 0 && regions.cpuMillis >= 0)

  test("a service with live trees reads the same on the heap and in regions, and is timed"):
    val state = LiveTrees()
    state.parts = 3
    state.seconds = 1
    state.perMillisecond = 5
    state.warmUpSeconds = 0
    def served(serve: Delays => Long): Long =
      val delays = Delays()
      val sum = serve(delays)
      assert(delays.nanosOf9999 > 0 && delays.nanosOf9999 <= delays.longestNanos, s"$delays")
      assert(delays.longestNanos < 60e9 && delays.cpuMillis > 0, s"$delays")
      sum
    // Every request reads the keys k, 2k and 4k + 1 of a tree that is nearly three parts older.
    val expected = (0 until 5000).map: request =>
      val key = 5000L + 4999 - request
      7 * key + 1
    assertEquals(served(state.regions), expected.sum)
    assertEquals(served(state.heapG1), expected.sum)

  for program <- Seq("linked-list", "kd-tree", "order-book", "n-body", "word-count") do
    test(s"the program $program returns the same on the heap and in a region"):
      val state = Programs()
      state.program = program
      state.size = 20_000
      val answer = state.heap(Spent())
      assertNotEquals(answer, 0L)
      assertEquals(state.region(Spent()), answer)
      val (heap, region) = (Held(), Held())
      assertEquals(state.heldByHeap(heap), answer)
      assertEquals(state.heldByRegion(region), answer)
      assert(region.heldBytes > 0, region.heldBytes)

  test("a fold over a column returns the same in C"):
    val state = ColumnFold()
    state.rows = 65536
    val sum = (0L until 65536L).sum * ColumnFold.passes(65536)
    assertEquals(Once.answer(state, "ours"), sum: Any)
    if CStructs.program.isDefined then
      val c = ColumnFoldInC()
      c.rows = 65536
      assertEquals(Once.answer(c, "compiledC"), sum: Any)

  for fields <- Seq(64, 128, 250) do
    test(s"structs of $fields fields are copied, compared and hashed whole"):
      def places() =
        val state = WidePlaces()
        state.fields = fields
        state
      val last = fields * WidePlaces.count - 1L
      assertEquals(Once.answer(places(), "copy"), last: Any)
      assertEquals(Once.answer(places(), "same"), WidePlaces.operations.toLong: Any)
      assertEquals(Once.answer(places(), "segmentCopy"), last: Any)
      assertEquals(Once.answer(places(), "segmentMismatch"), WidePlaces.operations.toLong: Any)
      assertEquals(Once.answer(places(), "compare"), 0L: Any)
      val hash = Once.answer(places(), "hash")
      assertNotEquals(hash, 0L: Any)
      assertEquals(hash, Once.answer(places(), "hash"))
      if CStructs.program.isDefined then
        val c = WidePlacesInC()
        c.fields = fields
        assertEquals(Once.answer(c, "memcpy"), last: Any)

  test("the longest insertion into a growing map is measured"):
    for whose <- Seq("ours", "longMap", "hashMap") do
      val state = MapGrowth()
      state.entries = 20_000
      val longest = Longest()
      val size = whose match
        case "ours"    => state.ours(longest)
        case "longMap" => state.longMap(longest)
        case "hashMap" => state.hashMap(longest)
      assertEquals(size, 20_000L, whose)
      assert(longest.longestMicros > 0 && longest.overMillisecond >= 0, whose)

  test("the longest recurring insertion into a large growing map is measured"):
    val state = LargeMapGrowth()
    state.entries = 40_000
    val recurring = Recurring()
    assertEquals(state.ours(recurring), 40_000L * LargeMapGrowth.Times)
    assert(recurring.longestNanos >= recurring.recurringNanos && recurring.recurringNanos > 0)

  for ofMany <- Seq(false, true) do
    test(s"generic code returns the same as code for a known type (of many: $ofMany)"):
      val answers = Once.answers: () =>
        val state = GenericCode()
        state.ofMany = ofMany
        state
      assertEquals(answers("totalGeneric"), 30_000L: Any)
      assertEquals(answers("totalInline"), 30_000L: Any)
      assertEquals(answers("loopGeneric"), 30_000L: Any)
      assertEquals(answers("loopKnown"), 30_000L: Any)
      assertEquals(answers("totalKnown"), 30_000L: Any)
      assertEquals(answers("reverseGeneric"), 9_999L: Any)
      assertEquals(answers("reverseKnown"), 9_999L: Any)
end StructBenchmarks
