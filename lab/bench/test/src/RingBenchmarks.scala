package undercroft.lab.bench

/** Every benchmark of the `ring` experiment returns the expected result. */
class RingBenchmarks extends undercroft.tools.Suite:

  private def needs(system: String): Unit =
    if system == "erlang" then
      assume(ErlangRing.folder.isDefined, "skipped: no erl on the PATH: install erlang-base")

  for system <- Seq("undercroft", "undercroft-1", "pekko", "pekko-1", "ox", "erlang") do
    test(s"$system: every message of a ring is handled and counted once"):
      needs(system)
      val ring = Rings.open(system, 10)
      try
        assertEquals(ring.pass(1, 1000), 1000L)
        assertEquals(ring.pass(5, 10_000), 10_000L)
        if system != "erlang" then assertEquals(ring.pass(3, 1000), 1000L)
      finally ring.close()

  test("a benchmark of the ring returns its number of messages"):
    val state = Ring()
    state.system = "undercroft"
    state.nodes = 100
    state.tokens = 10
    assertEquals(Once.answer(state, "pass"), Ring.hops.toLong)

  for system <- Seq("undercroft", "pekko", "erlang") do
    test(s"$system: spawned actors reply, and asks get replies"):
      needs(system)
      val spawn = ActorSpawn()
      spawn.system = system
      assertEquals(Once.answer(spawn, "spawnAll"), ActorSpawn.count)
      assertEquals(Once.answer(spawn, "spawnFew"), ActorSpawn.few)
      val ask = ActorAsk()
      ask.system = system
      assertEquals(Once.answer(ask, "askAll"), ActorAsk.count)

  for system <- Seq("undercroft", "pekko") do
    test(s"$system: the memory of idle actors is counted, and each one replies"):
      val (alive, memory) = (ActorsAlive(), Held())
      alive.system = system
      alive.count = 20_000
      assertEquals(alive.answer(memory), 20_000)
      assert(memory.heldBytes > 16 && memory.heldBytes < 10_000, s"${memory.heldBytes} bytes each")

    test(s"$system: the processor time of an idle system is counted"):
      val (resting, used) = (SystemAtRest(), Used())
      resting.system = system
      resting.millis = 100
      assertEquals(resting.rest(used), 1_000_000L)
      assert(used.usedPercent >= 0, s"${used.usedPercent} %")

    test(s"$system: every message of a flood is handled"):
      val flood = ActorFlood()
      flood.system = system
      assertEquals(Once.answer(flood, "flood"), ActorFlood.count.toLong)

  for messages <- Seq("objects", "structs"); cases <- Seq(3, 16) do
    test(s"$messages of $cases cases pass a ring of eight behaviors, each counted once"):
      val state = RingMessages()
      state.messages = messages
      state.cases = cases
      assertEquals(Once.answer(state, "pass"), RingMessages.hops.toLong)

  test("an unknown actor system is rejected with its name"):
    val e = intercept[IllegalArgumentException](Rings.open("quasar", 10))
    assertEquals(e.getMessage, "no system of actors is called quasar")
end RingBenchmarks
