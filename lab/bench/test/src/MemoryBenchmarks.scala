package undercroft.lab.bench

import java.lang.foreign.MemorySegment

/** Every benchmark of the `memory` experiment returns the expected result. */
class MemoryBenchmarks extends undercroft.tools.Suite:
  for program <- Seq("FirstRegion", "FirstArena") do
    test(s"a fresh process stores 1000 rows: $program"):
      val state = FreshProcess()
      state.program = program
      assertEquals(Once.answer(state, "run"), FreshProcess.expected)

  for fields <- Seq(64, 128, 250) do
    test(s"one of $fields fields is read and incremented in every row"):
      val sum = (1L to WideFields.count).map(_ * fields - 1).sum
      all(Once.answers: () =>
        val state = WideFields()
        state.fields = fields
        state): method =>
        if method.startsWith("update") then WideFields.count.toLong else sum

  private def all(answers: Map[String, Any])(expected: String => Any): Unit =
    assert(answers.nonEmpty)
    for (method, answer) <- answers do assertEquals(answer, expected(method), method)

  test("every way of field access reads and writes the same values"):
    val sum = (0 until FieldAccess.count).map(_.toLong).sum
    all(Once.answers(() => FieldAccess())): method =>
      if method.startsWith("read") then sum else FieldAccess.count + 6

  test("an in-place loop adds one to every element"):
    def loop() =
      val state = InPlaceLoop()
      state.elements = 1000
      state
    all(Once.answers(loop))(method => if method.startsWith("longs") then 1L else 1)

  test("a map of two arrays writes the function of every element"):
    def map() =
      val state = TwoArrayMap()
      state.elements = 1000
      state
    all(Once.answers(map))(_ => 999L * 3 + 1)

  test("AosSum returns the sum of the field or the balance"):
    def sum() =
      val state = AosSum()
      state.trades = 1001
      state
    val prices = (0L until 1001).map(_ * 2).sum
    val balance = (0L until 1001).map(i => i * 2 * i * (if i % 2 == 0 then 1 else -1)).sum
    all(Once.answers(sum))(method => if method.startsWith("field") then prices else balance)

  test("a gather over a segment for each struct reads every struct once"):
    def gather() =
      val state = SegmentGather()
      state.kibibytes = 32
      state
    all(Once.answers(gather))(_ => (0L until 2048).sum)

  test("every way of copying a struct copies its last field"):
    all(Once.answers(() => InliningCliff()))(_.filter(_.isDigit).toInt - 1)

  test("an atomic operation returns the previous value"):
    all(Once.answers(() => AtomicAccess()))(method =>
      if method.startsWith("set") then true else 41L
    )

  for pages <- Seq("small", "huge") do
    test(s"touching $pages pages writes to every 4 KiB"):
      def touch() =
        val state = FirstTouch()
        state.pages = pages
        state
      all(Once.answers(touch))(_ => (64L << 20) / 4096)

  test("segments of one kind and of two have the same sum"):
    all(Once.answers(() => MixedSegments()))(_ => 2 * (0L until 1024).sum)

  test("a downcall returns a processor number"):
    for (method, answer) <- Once.answers(() => Downcall()) do
      answer match
        case cpu: Integer => assert(cpu.intValue >= 0 && cpu.intValue < 65536, s"$method: $cpu")
        case other        => fail(s"$method answered $other")

  for pages <- Seq("small", "huge") do
    test(s"a gather over $pages pages reads every struct once"):
      def gather() =
        val state = RandomGather()
        state.kibibytes = 32
        state.pages = pages
        state
      all(Once.answers(gather))(_ => (0L until 2048).sum)

  test("a gather over a heap array reads every struct once"):
    def gather() =
      val state = HeapGather()
      state.kibibytes = 32
      state
    all(Once.answers(gather))(_ => (0L until 2048).sum)

  test("a gather too large to read every struct samples the whole range"):
    val structs = 64L << 20
    val places = RandomGather.drawn(structs)
    assertEquals(places.length, RandomGather.most)
    val sorted = places.clone
    java.util.Arrays.sort(sorted)
    assert(sorted.head >= 0 && sorted.head < structs / 100, sorted.head)
    assert(sorted.last > structs * 99 / 100 && sorted.last < structs, sorted.last)
    val distinct = 1 + (1 until sorted.length).count(i => sorted(i) != sorted(i - 1))
    assert(distinct > RandomGather.most * 9 / 10)

  for bytes <- Seq(64, 4096, 1 << 20) do
    test(s"an allocation of $bytes bytes returns a block"):
      def allocation() =
        val state = Allocation()
        state.bytes = bytes
        state
      for (method, answer) <- Once.answers(allocation) do
        answer match
          case block: Array[Byte]      => assertEquals(block.length, bytes, method)
          case block: MemorySegment    => assertEquals(block.byteSize, bytes.toLong, method)
          case address: java.lang.Long => assert(address.longValue != 0, method)
          case other                   => fail(s"$method answered $other")

  for pages <- Seq("small", "huge") do
    test(s"a gather through Refs over $pages pages reads every struct once"):
      def gather() =
        val state = RefGather()
        state.kibibytes = 32
        state.pages = pages
        state
      all(Once.answers(gather))(_ => (0L until 2048).sum)

  for bytes <- Seq(64, 4096, 1 << 20) do
    test(s"a region allocates blocks of $bytes bytes"):
      def allocation() =
        val state = RegionAllocation()
        state.bytes = bytes
        state
      for (method, answer) <- Once.answers(allocation) do
        assert(answer.isInstanceOf[Long] && answer.asInstanceOf[Long] != 0, method)

  test("blocks among live ones are replaced"):
    def blocks() =
      val state = LiveBlocks()
      state.bytes = 64
      state
    all(Once.answers(blocks))(_ => LiveBlocks.count)

  test("another thread frees every block that it is handed"):
    def blocks() =
      val state = RemoteFrees()
      state.bytes = 64
      state
    all(Once.answers(blocks))(_ => RemoteFrees.count)

  test("rows of every width are stored, read by field and read whole"):
    val count = WideRows.count
    val firsts = (0L until count).sum
    for (method, answer) <- Once.answers(() => WideRows()) do
      val width = method.filter(_.isDigit).toInt
      val expected: Any =
        if method.startsWith("store") then count - 1 + width - 1
        else if method.startsWith("one") then firsts + 3L * count
        else firsts * width + count.toLong * (0 until width).sum
      assertEquals(answer, expected, method)

  test("growth appends every trade"):
    undercroft.tools.Requirement.GCC.require()
    def growth() =
      val state = Growth()
      state.trades = 1_000_000
      state
    all(Once.answers(growth))(_ => 999_999L)
end MemoryBenchmarks
