package undercroft.actor

import scala.concurrent.duration.DurationInt
import undercroft.actor.testkit.{simulate, simulation}

class RegistryTest extends EveryModel:
  private val key = ServiceKey[Int]("numbers")

  private def one(name: String)(using Stage): ActorRef[Int] =
    stage.start(Behavior.receive[Int](_ => Behavior.stopped), name)

  onEveryModel("Registry.find returns registered actors in order, without duplicates"):
    val registry = Registry()(using stage.system)
    val (a, b) = (one("a"), one("b"))
    assertEquals(registry.find(key), Vector())
    for ref <- List(a, b, a) do registry.register(key, ref)
    assertEquals(registry.find(key), Vector(a, b))
    assertEquals(registry.find(ServiceKey[Int]("others")), Vector())

  onEveryModel("the registry removes actors that stop or have already stopped"):
    val registry = Registry()(using stage.system)
    val (a, b) = (one("a"), one("b"))
    for ref <- List(a, b) do registry.register(key, ref)
    a ! 1
    stage.until("it is gone")(registry.find(key) == Vector(b))
    registry.register(key, a)
    stage.until("it is gone again")(registry.find(key) == Vector(b))

  onEveryModel("a deregistered actor is not found and can be registered again"):
    val registry = Registry()(using stage.system)
    val a = one("a")
    registry.register(key, a)
    registry.deregister(key, a)
    stage.until("it is gone")(registry.find(key).isEmpty)
    registry.register(key, a)
    assertEquals(registry.find(key), Vector(a))

  onEveryModel("registerUnique accepts one actor at a time until it stops"):
    val registry = Registry()(using stage.system)
    val (a, b) = (one("a"), one("b"))
    assertEquals(registry.registerUnique(key, a), true)
    assertEquals(registry.registerUnique(key, b), false)
    assertEquals(registry.find(key), Vector(a))
    a ! 1
    stage.until("its place is free")(registry.find(key).isEmpty)
    assertEquals(registry.registerUnique(key, b), true)

  onEveryModel("a registry and a topic reject a Reply, which is not an actor"):
    val registry = Registry()(using stage.system)
    val topic = stage.start(Topic[Int](), "topic")
    var asker: Option[Reply[Int]] = None
    val server = stage.start(Behavior.receive[Reply[Int]] { to =>
      asker = Some(to); Behavior.same
    })
    val answer = server.askAsync(1.minute)(identity[Reply[Int]])
    stage.quiet()
    intercept[IllegalArgumentException](registry.register(key, asker.get)): Unit
    intercept[NullPointerException](registry.register(key, null.asInstanceOf[ActorRef[Int]])): Unit
    topic ! Topic.Subscribe(asker.get)
    val a = listener
    topic ! Topic.Subscribe(a)
    registry.register(key, a)
    topic ! Topic.Publish(3)
    assertEquals(stage.noted, List("3"))
    assertEquals(registry.find(key), Vector(a))
    asker.get ! 4
    assertEquals(stage.result(answer).get, 4)

  /** A reference that cannot be watched, after `watches` calls. */
  private final class Entity[T](system: ActorSystem, actor: ActorRef[Nothing], watches: Int = 0)
      extends ExternalRef[T](system):
    private var calls = 0
    def name: String = "entity"
    def tell(message: T): Unit = ()
    def isStopped: Boolean = false
    private[undercroft] def lifetime: ActorRef[Nothing] =
      calls += 1
      if calls > watches then throw IllegalArgumentException("entity cannot be watched")
      actor

  onEveryModel("a registry rejects a reference that cannot be watched, and continues"):
    val registry = Registry()(using stage.system)
    val (a, b) = (one("a"), one("b"))
    val entity = Entity[Int](stage.system, b)
    for
      call <- List[() => Any](
        () => registry.register(key, entity),
        () => registry.registerUnique(key, entity),
        () => registry.subscribe(key, Entity[Listing[Int]](stage.system, b))
      )
    do
      val error = intercept[IllegalArgumentException](call())
      assertEquals(error.getMessage, "entity cannot be watched")
    assertEquals(registry.find(key), Vector())
    registry.register(key, Entity[Int](stage.system, b, watches = 1))
    stage.until("it is removed")(registry.find(key).isEmpty)
    stage.quiet()
    registry.register(key, a)
    assertEquals(registry.find(key), Vector(a))
    a ! 1
    stage.until("it is gone")(registry.find(key).isEmpty)

  test("actors of a simulation that register themselves at once are all found"):
    simulate(seeds = 200):
      val registry = Registry()
      for _ <- 1 to 4 do
        spawn(Behavior.setup[Int] {
          registry.register(key, context[Int].self)
          Behavior.ignore
        }): Unit
      simulation.runUntilIdle()
      assertEquals(registry.find(key).size, 4)

  private def listener(using Stage): ActorRef[Int] = stage.start(Behavior.receive[Int] { n =>
    note(s"$n"); Behavior.same
  })

  onEveryModel("a subscriber receives the listing at once and at each change until it stops"):
    val registry = Registry()(using stage.system)
    val a = one("a")
    val listener = stage.start(Behavior.receive[Listing[Int]] { listing =>
      note(listing.refs.mkString(listing.key.name + ": ", ",", ""))
      if listing.refs.size == 2 then Behavior.stopped else Behavior.same
    })
    registry.subscribe(key, listener)
    stage.quiet()
    registry.register(key, a)
    stage.quiet()
    a ! 1
    stage.until("it was told")(stage.noted.size == 3)
    for name <- List("b", "c") do
      registry.register(key, one(name))
      stage.quiet()
    stage.until("it has stopped")(listener.isStopped)
    registry.register(key, one("d"))
    stage.quiet()
    assertEquals(
      stage.noted,
      List("numbers: ", "numbers: a", "numbers: ", "numbers: b", "numbers: b,c")
    )
    assertEquals(stage.lost, List())

  onEveryThread("actors registered from several threads are found once each"):
    val registry = Registry()(using stage.system)
    val refs = Vector.tabulate(200)(i => one(s"$i"))
    val threads = (0 until 4).map: i =>
      Thread.ofPlatform.start: () =>
        for j <- i * 25 until i * 25 + 125 do registry.register(key, refs(j))
    threads.foreach(_.join())
    assertEquals(registry.find(key).sortBy(_.name.toInt), refs)
    for ref <- refs do ref ! 1
    stage.until("all are gone")(registry.find(key).isEmpty)
end RegistryTest
