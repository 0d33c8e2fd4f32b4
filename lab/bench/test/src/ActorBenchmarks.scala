package undercroft.lab.bench

/** Every benchmark of the `actor` experiment returns the expected result. */
class ActorBenchmarks extends undercroft.tools.Suite:

  for system <- Seq("undercroft", "pekko", "erlang") do
    test(s"$system: spawned actors reply, and asks get replies"):
      if system == "erlang" then undercroft.tools.Requirement.ERLANG.require()
      val spawn = ActorSpawn()
      spawn.system = system
      assertEquals(Once.answer(spawn, "spawnAll"), ActorSpawn.count)
      assertEquals(Once.answer(spawn, "spawnFew"), ActorSpawn.few)
      val ask = ActorAsk()
      ask.system = system
      assertEquals(Once.answer(ask, "askAll"), ActorAsk.count)
      assertEquals(Once.answer(ask, "askFromProcess"), ActorAsk.count)

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
      resting.settleMillis = 1
      assertEquals(resting.rest(used), 1_000_000L)
      assert(used.usedPercent >= 0, s"${used.usedPercent} %")

    test(s"$system: every message of a flood is handled"):
      val flood = ActorFlood()
      flood.system = system
      assertEquals(Once.answer(flood, "flood"), ActorFlood.count.toLong)
  end for

  for system <- Seq("undercroft", "pekko") do
    test(s"$system: one actor handles every message of eight senders"):
      val fanIn = ActorFanIn()
      fanIn.system = system
      assertEquals(Once.answer(fanIn, "send"), ActorFanIn.count.toLong)
end ActorBenchmarks
