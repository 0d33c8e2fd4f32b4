package undercroft.lab.bench

/** Every benchmark of the `ring` experiment returns the expected result. */
class RingBenchmarks extends undercroft.tools.Suite:

  private val systems =
    classOf[Ring].getDeclaredField("system").nn
      .getAnnotation(classOf[org.openjdk.jmh.annotations.Param]).nn.value.nn.toSeq.map(_.nn)

  for system <- systems do
    test(s"$system: every message of a ring is handled and counted once"):
      if system == "erlang" then undercroft.tools.Requirement.ERLANG.require()
      val ring = Rings.open(system, 10)
      try
        assertEquals(ring.pass(1, 1000), 1000L)
        assertEquals(ring.pass(5, 10_000), 10_000L)
        if system != "erlang" then assertEquals(ring.pass(3, 1000), 1000L)
      finally ring.close()

  test("a pass that loses a message throws after its longest time"):
    val ring = new JvmRing(2, 0):
      override protected def patienceNanos(hops: Int): Long = 100L * hops
      protected def start(node: Int, hop: Hop): Unit = assertEquals((node, hop.left), (0, 10))
      def close(): Unit = ()
    val e = intercept[IllegalStateException](ring.pass(1, 10))
    assertEquals(e.getMessage, "1 of 1 tokens had not made their 10 hops after 1000 ns")

  test("a benchmark of the ring returns its number of messages"):
    val state = Ring()
    state.system = "undercroft"
    state.nodes = 100
    state.tokens = 10
    assertEquals(Once.answer(state, "pass"), Ring.hops.toLong)

  for system <- Seq("undercroft", "erlang") do
    test(s"$system: a ring from the start of a JVM counts its messages and its processor time"):
      if system == "erlang" then undercroft.tools.Requirement.ERLANG.require()
      val (start, used) = (RingOnClient(), ProcessorTime())
      start.system = system
      start.open()
      try assertEquals(start.pass(used), RingFromStart.hops.toLong)
      finally start.close()
      assert(used.processorNanos >= 0, s"${used.processorNanos} ns")

  test("quantiles are accurate to a sixteenth"):
    val rounds = Rounds()
    assertEquals(rounds.quantile(0.5), 0L)
    for nanos <- 1 to 1000 do rounds.add(nanos * 1000L)
    for share <- Seq(0.1, 0.5, 0.99) do
      val (exact, told) = (share * 1e6, rounds.quantile(share).toDouble)
      assert(told >= exact && told <= exact * 17 / 16, s"$share: $told")

  for messages <- Seq("objects", "structs"); cases <- Seq(3, 16) do
    test(s"$messages of $cases cases pass a ring of eight behaviors, each counted once"):
      val state = RingMessages()
      state.messages = messages
      state.cases = cases
      assertEquals(Once.answer(state, "pass"), RingMessages.hops.toLong)

  for recorded <- Seq("nothing", "handlers") do
    test(s"every message of a ring is handled; recorded: $recorded"):
      val state = RingRecorded()
      state.recorded = recorded
      assertEquals(Once.answer(state, "pass"), RingMessages.hops.toLong)

  for
    system <- Seq("undercroft", "undercroft-1", "pekko", "pekko-1");
    shape <- Seq("ring", "pipeline")
  do
    test(s"$system: every message of a $shape with work is handled once"):
      val state = RingWork()
      state.system = system
      state.shape = shape
      state.workNanos = 1000
      assertEquals(Once.answer(state, "pass"), RingWork.hops.toLong)

  for messages <- Seq("structs", "objects", "pekko-1") do
    test(s"$messages: the rounds of a ring beside a live heap are timed"):
      val (tail, gaps) = (RingTail(), Gaps())
      tail.messages = messages
      tail.liveMiB = 50
      tail.seconds = 1
      tail.open()
      try
        assert(tail.pass(gaps) >= RingMessages.hops)
        assert(gaps.nanosOf9999 > 100 && gaps.nanosOf9999 <= gaps.longestNanos, s"$gaps")
        assert(gaps.longestNanos < 10e9, s"${gaps.longestNanos} ns")
      finally tail.close()

  test("an unknown actor system is rejected with its name"):
    val e = intercept[IllegalArgumentException](Rings.open("quasar", 10))
    assertEquals(e.getMessage, "no system of actors is called quasar")
end RingBenchmarks
