package undercroft.actor

class RouterTest extends EveryModel:

  /** Notes the messages that it receives, with the number that it took when it started. */
  private def worker(using Stage): Behavior[Int] = Behavior.setup:
    val number = numbers.incrementAndGet()
    Behavior
      .receive[Int] {
        case -1 => Behavior.stopped
        case n  => note(s"$number:$n"); Behavior.same
      }
  private val numbers = java.util.concurrent.atomic.AtomicInteger()

  private def pool(size: Int, routing: Routing[Int])(using Stage): ActorRef[Int] =
    numbers.set(0)
    val router = stage.start(Router.pool(size, routing, stage.run)(worker), "pool")
    stage.quiet()
    router

  /** The messages of each worker, in the order of arrival. */
  private def shares(using Stage): Map[String, List[String]] =
    stage.noted.map(_.split(':')).groupMap(_(0))(_(1))

  onEveryModel("a round-robin pool sends to its workers in turn"):
    val router = pool(3, Routing.RoundRobin)
    for n <- 1 to 7 do router ! n
    assertEquals(
      shares.values.toSet,
      Set(List("1", "4", "7"), List("2", "5"), List("3", "6"))
    )

  onEveryModel("a broadcast pool sends every message to all workers"):
    val router = pool(3, Routing.Broadcast)
    for n <- 1 to 2 do router ! n
    assertEquals(shares, List("1", "2", "3").map(_ -> List("1", "2")).toMap)

  onEveryThread("a random pool distributes equally for equal seeds"):
    def byLot(seed: Long): Map[String, List[String]] =
      var result = Map.empty[String, List[String]]
      Stage.play(stage.run):
        val router = pool(4, Routing.Random(seed))
        for n <- 1 to 40 do router ! n
        result = shares
      result
    // Workers take their numbers in the order in which they start; the shares do not depend on it.
    assertEquals(byLot(7).values.toSet, byLot(7).values.toSet)
    assertEquals(byLot(7).size, 4)
    assertNotEquals(byLot(7).values.toSet, byLot(8).values.toSet)

  onEveryModel("ByKey sends equal keys to one worker, also after another worker stops"):
    val router = pool(4, Routing.ByKey(n => if n == -1 then 0 else n % 100))
    for round <- 0 until 3; key <- 1 to 99 do router ! round * 100 + key
    val before = shares
    assertEquals(before.size, 4)
    def keys(byWorker: Map[String, List[String]]) =
      byWorker.map((worker, messages) => worker -> messages.map(_.toInt % 100).toSet)
    assertEquals(keys(before).values.toList.map(_.size).sum, 99)
    router ! -1 // stops the worker of key 0
    stage.until("one has stopped")(stage.system.observe.tree.rows.size == 4)
    for key <- 1 to 99 do router ! 900 + key
    val after =
      stage.noted.filter(_.split(':')(1).toInt > 900).map(_.split(':')).groupMap(_(0))(_(1))
    assertEquals(after.size, 3)
    for (worker, ids) <- keys(before) if after.contains(worker) do
      assert(ids.subsetOf(keys(after)(worker)), s"$worker had $ids and has ${after(worker)}")

  onEveryModel("a pool uses its remaining workers and stops with the last one"):
    val router = pool(2, Routing.RoundRobin)
    router ! -1
    stage.until("one has stopped")(stage.system.observe.tree.rows.size == 2)
    for n <- 1 to 2 do router ! n
    assertEquals(shares.values.toList, List(List("1", "2")))
    router ! -1
    stage.until("the pool has stopped")(router.isStopped)

  test("a pool of size 0 throws IllegalArgumentException"):
    val e = intercept[IllegalArgumentException](Router.pool(0)(Behavior.ignore[Int]))
    assertEquals(e.getMessage, "size must be at least 1, but is 0")

  onEveryModel("a message to a full routee is a dead letter, and the router continues"):
    val target = stage.start(Behavior.process[Int](inbox => inbox.receiveFirst { case 0 => () }))
    val registry = Registry()(using stage.system)
    val full = stage.start(
      Behavior.setup[Int]:
        Behavior.receive: n =>
          note(s"full:$n")
          Behavior.same
      ,
      "full",
      Mailbox(1)
    )
    registry.register(ServiceKey[Int]("x"), full)
    val router = stage.start(Router.group(registry, ServiceKey[Int]("x")), "group")
    for n <- 1 to 100 do router ! n
    stage.quiet()
    val handled = stage.noted.size
    assert(handled >= 1)
    assertEquals(stage.lost.size, 100 - handled)
    assert(stage.lost.forall(_._2 == DeadLetterReason.Full), stage.lost)
    target ! 0

  onEveryModel("a group router follows the registry; without routees a message is unhandled"):
    val registry = Registry()(using stage.system)
    val key = ServiceKey[Int]("workers")
    val router = stage.start(Router.group(registry, key), "group")
    router ! 1
    stage.quiet()
    assertEquals(stage.lost, List((1, DeadLetterReason.Unhandled)))
    numbers.set(0)
    val workers = Vector.fill(2)(stage.start(worker))
    stage.quiet()
    for routee <- workers do registry.register(key, routee)
    for n <- 1 to 4 do router ! n
    assertEquals(shares.values.map(_.size).toList, List(2, 2))
    workers(0) ! -1
    stage.until("it is taken out")(registry.find(key).size == 1)
    router ! 5
    stage.quiet()
    assertEquals(stage.noted.size, 5)
end RouterTest
