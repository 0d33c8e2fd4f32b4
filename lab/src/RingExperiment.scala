package undercroft.lab

/** The fourth article: messages that circulate in a ring of actors. */
object RingExperiment extends Experiment:
  val name = "ring"
  val question = "What does a message between actors cost, and what an actor, and an ask?"

  private def ring(system: String, nodes: String, tokens: String = "1") =
    Key("Ring.pass", "system" -> system, "nodes" -> nodes, "tokens" -> tokens)

  private def past(system: String, seconds: String, measured: String = "") =
    def shown(key: Key, calls: Double) = Some(Shown(key, Shown.time(calls)))
    def spawned(method: String, count: Int) =
      if spawners(measured) then shown(Key(s"ActorSpawn.$method", "system" -> measured), count)
      else None
    val hundredMillion =
      Seq("1", "10").map(tokens => ring(measured, "100", tokens)).map(shown(_, 1e8))
    Past(
      Seq(system, seconds),
      if measured.isEmpty then Seq(None, None, None, None, None)
      else
        spawned("spawnFew", 100) +: hundredMillion :+ spawned("spawnAll", 20_000) :+
          (if models(measured) then None else shown(ring(measured, "20000"), 1e8))
    )

  /** The systems whose cost of an actor is measured. */
  private val spawners = Set("undercroft", "pekko", "erlang")

  /** The run models beside workers, whose actors are a hundred at most. */
  private val models = Set("virtual", "thread", "caller", "executor").map("undercroft-" + _)

  override def lack(key: Key): Option[String] =
    super.lack(key).orElse:
      val many = key.params.get("nodes").contains("20000")
      Option.when(many && key.params.get("system").exists(models)):
        "a run model is measured in rings of a hundred"
    .orElse:
      val hasNone = key.benchmark.startsWith("RingOnClient.") && rival(key) == Rival.Erlang
      Option.when(hasNone)("Erlang has no client compiler")

  override def slow(key: Key): Boolean = key.params.get("system").contains("undercroft-thread")

  val article = Some(
    Article(
      "Running rings around Scala",
      Some("Alex Miller, Pure Danger Tech, 2009"),
      "ring",
      "Scala's actors took twice as long as Erlang's processes. The author wanted one code whose " +
        "run model is chosen when an actor is created; its readers, a chart over time, " +
        "which is the first one here.",
      Seq(
        Printed(
          Seq("system", "the article, s"),
          Seq("spawn 100", "100 M messages", "ten tokens", "spawn 20 000", "ring of 20 000"),
          Seq(
            past("Scala's actors", "152"),
            past("Erlang", "77", "erlang"),
            past("Pekko, one thread", "", "pekko-1"),
            past("Pekko", "", "pekko"),
            past("Undercroft, one worker", "", "undercroft-1"),
            past("Undercroft, workers", "", "undercroft"),
            past("Undercroft, virtual threads", "", "undercroft-virtual"),
            past("Undercroft, threads", "", "undercroft-thread"),
            past("Undercroft, the caller's thread", "", "undercroft-caller"),
            past("Undercroft, an executor", "", "undercroft-executor")
          )
        )
      ),
      results =>
        def speed(rival: String) =
          ArticleTable.times(results, ring(rival, "100"), ring("undercroft", "100"))
        for erlang <- speed("erlang"); pekko <- speed("pekko")
        yield "Erlang was 2.0x as fast as Scala's actors; here Undercroft is " +
          s"$erlang as fast as Erlang, and $pekko as fast as Pekko."
    )
  )

  val benchmarks = Seq(
    "Ring",
    "RingFromStart",
    "RingOnClient",
    "RingMessages",
    "RingRecorded",
    "ActorSpawn",
    "ActorAsk",
    "ActorFlood",
    "ActorFanIn",
    "RingWork",
    "RingTail",
    "ActorsAlive",
    "SystemAtRest"
  )

  override val notes = Seq(
    "Every message of a ring is a new object. A system with -1 has one thread; the others have " +
      "their defaults. Erlang runs in a process of its own, which is told of each call by a pipe.",
    "`RingTail` is a ring on one worker beside a live heap of 6 GiB, whose references another thread " +
      "exchanges without creating garbage: the longest time of a round of a hundred messages, and " +
      "the time that 99.99 % of the rounds did not exceed. Work is a chain of multiplications.",
    "A ring from the start has no warm-up; `processorNanos` is the processor time of a message.",
    "`heldBytes` is what each of a million actors holds that are alive with nothing to do, and all " +
      "of which answer then; `usedPercent`, what a system of a thousand uses of a processor."
  )

  def rival(key: Key): Rival =
    key.params.get("system").orElse(key.params.get("messages")).getOrElse("") match
      case s"undercroft$_" => Rival.Undercroft
      case "" | "structs"  => Rival.Undercroft // the cost of its own messages
      case "objects"       => Rival.Heap
      case s"pekko$_"      => Rival.Pekko
      case "ox"            => Rival.Ox
      case "erlang"        => Rival.Erlang

  override def atFirstLook(key: Key): Boolean =
    key.params.get("nodes").forall(_ == "100") && !key.benchmark.startsWith("RingTail")

  private val cases = Seq("3", "16")
  private def made(messages: String, cases: String) =
    Key("RingMessages.pass", "messages" -> messages, "cases" -> cases)
  private def faster(ours: Key, rival: Key) = Measure.Speedup(Seq(Pair(ours, rival)))
  private def cost(method: String, rival: String) =
    faster(Key(method, "system" -> "undercroft"), Key(method, "system" -> rival))

  private def work(system: String, shape: String, nanos: String) =
    Key("RingWork.pass", "system" -> system, "shape" -> shape, "workNanos" -> nanos)
  private def scaling(shape: String, nanos: String) =
    faster(work("undercroft", shape, nanos), work("undercroft-1", shape, nanos))
  private def tail(messages: String, counter: String) =
    Key("RingTail.pass", "messages" -> messages, "liveMiB" -> "6144", "seconds" -> "20")
      .counted(counter)

  private val ourSystem = "system" -> "undercroft"

  val measures = Map(
    "ring-100-vs-pekko" -> faster(ring("undercroft", "100"), ring("pekko", "100")),
    "ring-100-vs-pekko-one-thread" -> faster(ring("undercroft-1", "100"), ring("pekko-1", "100")),
    "ring-100-vs-erlang" -> faster(ring("undercroft", "100"), ring("erlang", "100")),
    "ring-20000-vs-erlang" -> faster(ring("undercroft", "20000"), ring("erlang", "20000")),
    "work-scaling-1-us" -> scaling("ring", "1000"),
    "work-scaling-5-us" -> scaling("ring", "5000"),
    "pipeline-scaling" -> scaling("pipeline", "1000"),
    "flood-many-senders" -> cost("ActorFanIn.send", "pekko"),
    "ring-tail-with-live-heap" -> Measure.Ratio(
      for counter <- Seq("nanosOf9999", "longestNanos"); rival <- Seq("objects", "pekko-1")
      yield Pair(tail("structs", counter), tail(rival, counter))
    ),
    "actor-spawn-vs-pekko" -> cost("ActorSpawn.spawnAll", "pekko"),
    "actor-spawn-vs-erlang" -> cost("ActorSpawn.spawnAll", "erlang"),
    "actor-ask-vs-pekko" -> cost("ActorAsk.askAll", "pekko"),
    "process-ask-vs-pekko" -> cost("ActorAsk.askFromProcess", "pekko"),
    "process-ask-vs-erlang" -> cost("ActorAsk.askFromProcess", "erlang"),
    "actor-flood-vs-pekko" -> cost("ActorFlood.flood", "pekko"),
    "ring-new-structs-vs-new-objects" -> Measure.Speedup(
      cases.map(n => Pair(made("structs", n), made("objects", n)))
    ),
    "actor-at-rest-bytes" -> Measure.Counted(
      Seq(Key("ActorsAlive.answer", ourSystem, "count" -> "1000000").counted("heldBytes"))
    ),
    "system-at-rest-processor" -> Measure.Counted(
      Seq(Key("SystemAtRest.rest", ourSystem, "millis" -> "3000").counted("usedPercent"))
    ),
    "ring-new-structs-garbage" -> Measure.Garbage(cases.map(made("structs", _)))
  )

  private def fromStart(benchmark: String, words: String) = Chart.Rates(
    s"Messages a second in a ring of 100, from the start of the JVM$words",
    key => Option.when(key.benchmark.startsWith(s"$benchmark."))(key.params("system")),
    bench.RingFromStart.hops
  )

  val charts = Seq(
    fromStart("RingFromStart", ""),
    fromStart("RingOnClient", ", client compiler"),
    Chart.Bars("A message in a ring of 100, one token, ns", key => shown(key, "100", "1")),
    Chart.Bars("A message in a ring of 20 000, one token, ns", key => shown(key, "20000", "1")),
    Chart.Bars("A message in a ring of 100, ten tokens, ns", key => shown(key, "100", "10")),
    Chart.Bars(
      "A message that is made anew at each hop, of one of 3 or 16 cases, ns",
      key =>
        Option.when(key.benchmark.startsWith("RingMessages")):
          s"${key.params("messages")} of ${key.params("cases")}"
    ),
    Chart.Bars(
      "An actor spawned and its first message, an ask from outside, one of a flood's messages, ns",
      key =>
        Option.when(Set("ActorSpawn", "ActorAsk", "ActorFlood")(key.benchmark.takeWhile(_ != '.'))):
          s"${key.benchmark.takeWhile(_ != '.')} ${key.params("system")}"
    )
  )

  private def shown(key: Key, nodes: String, tokens: String) =
    Option.when(key.params.get("nodes").contains(nodes) && key.params("tokens") == tokens):
      key.params("system")
end RingExperiment
