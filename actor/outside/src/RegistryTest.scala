package outside.actor

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.duration.*
import undercroft.actor.*

/** A registry whose actors stop, throw and are registered by several threads at once. */
class RegistryTest extends PatternSuite:
  private val key = ServiceKey[Int]("numbers")

  /** An actor that notes each listing, and throws at the listing `failAt`. */
  private def listener(name: String, failAt: String = "none")(using
      ActorSystem,
      Log
  ): ActorRef[Listing[Int]] =
    spawn(
      Behavior.receive[Listing[Int]] { listing =>
        val refs = listing.refs.mkString(",")
        log.note(s"$name:${listing.key.name}:$refs")
        if refs == failAt then throw IllegalStateException(s"$name was sent $refs")
        Behavior.same
      },
      name
    )

  private def listingsOf(name: String)(using Log): List[String] =
    log.notes.collect { case s"$other:numbers:$refs" if other == name => refs }

  test("a registered actor is found by its key, and its messages reach it"):
    withSystem:
      val registry = Registry()
      registry.register(ServiceKey[Int]("sums"), noting("sums"))
      for sums <- registry.find(ServiceKey[Int]("sums")); n <- 1 to 3 do sums ! n
      quiet()
      assertEquals(notedBy("sums"), List(1, 2, 3))
      assertEquals(registry.find(ServiceKey[Int]("other")), Vector())

  test("an actor that had stopped before it was registered is soon not found"):
    withSystem:
      val registry = Registry()
      val actor = noting("a")
      actor ! -1
      until("it has stopped")(actor.isStopped)
      registry.subscribe(key, listener("listener"))
      for _ <- 1 to 3 do
        registry.register(key, actor)
        until("it is not found")(registry.find(key).isEmpty)
      quiet()
      assertEquals(listingsOf("listener").last, "")

  test("the adapters of a stopped actor are soon not found, under each of their keys"):
    withSystem:
      val registry = Registry()
      val words = ServiceKey[String]("words")
      val isRegistered = CountDownLatch(1)
      val actor = spawn(Behavior.setup[Long] {
        registry.register(key, context.messageAdapter[Int](_.toLong))
        registry.register(words, context.messageAdapter[String](_.toLong))
        isRegistered.countDown()
        Behavior.receive(_ => Behavior.stopped)
      })
      isRegistered.await()
      actor ! 1L
      until("they are not found")(registry.find(key).isEmpty && registry.find(words).isEmpty)

  test("an actor that stops while another thread registers it is soon not found"):
    withSystem:
      val registry = Registry()
      for _ <- 1 to 200 do
        val actor = spawn(Behavior.receive[Int](_ => Behavior.stopped))
        together(2): thread =>
          if thread == 0 then actor ! 1
          else for n <- 1 to 3 do registry.register(ServiceKey[Int](s"$n"), actor)
        for n <- 1 to 3 do
          until("it is not found")(registry.find(ServiceKey[Int](s"$n")).isEmpty)

  test("a full subscriber of a registry with back-pressure misses listings, and no other does"):
    withSystem:
      val (gate, entry, received) = (CountDownLatch(1), CountDownLatch(1), CountDownLatch(1))
      val registry = Registry()
      val slow = spawn(
        Behavior.receive[Listing[Int]] { _ =>
          entry.countDown()
          gate.await()
          Behavior.same
        },
        "slow",
        Run.Virtual,
        Mailbox(1, Overflow.Backpressure)
      )
      registry.subscribe(key, slow)
      await(entry)
      for name <- List("a", "b") do registry.register(key, noting(name))
      registry.subscribe(
        key,
        spawn(Behavior.receive[Listing[Int]] { listing =>
          log.note(s"fast:numbers:${listing.refs.mkString(",")}")
          received.countDown()
          Behavior.same
        })
      )
      val isReceived = received.await(60, java.util.concurrent.TimeUnit.SECONDS)
      gate.countDown()
      assert(isReceived)
      quiet()
      assertEquals(listingsOf("fast"), List("a,b"))
      assertEquals(log.deadLetters.map(_._2), List.fill(2)(DeadLetterReason.Full))

  test("keys of one name and two message types have the same actors"):
    withSystem:
      val registry = Registry()
      val texts = ServiceKey[String]("numbers")
      val number = noting("number")
      val text = spawn(
        Behavior.receive[String] { line =>
          log.note(s"text:${line.length}")
          Behavior.same
        },
        "text"
      )
      registry.register(key, number)
      registry.register(texts, text)
      assertEquals(registry.find(key).map(_.name), Vector("number", "text"))
      assertEquals(registry.find(texts).map(_.name), Vector("number", "text"))
      for ref <- registry.find(key) do ref ! 5
      until("the other type is removed")(registry.find(key) == Vector(number))
      quiet()
      assertEquals(notedBy("number"), List(5))
      assertEquals(log.failures.map(_.getClass.getName), List("java.lang.ClassCastException"))

  test("exactly one of the actors that threads register as unique at once is registered"):
    withSystem:
      val registry = Registry()
      val actors = Vector.tabulate(4)(i => noting(s"$i"))
      for round <- 1 to 200 do
        val unique = ServiceKey[Int](s"leader of $round")
        val (successes, winner) = (AtomicInteger(), AtomicInteger(-1))
        together(4): thread =>
          if registry.registerUnique(unique, actors(thread)) then
            successes.incrementAndGet()
            winner.set(thread)
        assertEquals(successes.get, 1, s"round $round")
        assertEquals(registry.find(unique), Vector(actors(winner.get)), s"round $round")

  test("a registry has the last state of each actor that two threads register and deregister"):
    withSystem:
      val registry = Registry()
      val actors = Vector.tabulate(2)(i => noting(s"$i"))
      registry.subscribe(key, listener("listener"))
      for round <- 1 to 200 do
        together(2): thread =>
          registry.register(key, actors(thread))
          if (round + thread) % 3 == 0 then registry.deregister(key, actors(thread))
        quiet()
        val expected = actors.indices.filter(thread => (round + thread) % 3 != 0).map(actors).toSet
        assertEquals(registry.find(key).toSet, expected, s"round $round")
        assertEquals(
          listingsOf("listener").last,
          registry.find(key).mkString(","),
          s"round $round"
        )
        for actor <- actors do registry.deregister(key, actor)
        quiet()
        assertEquals(registry.find(key), Vector(), s"round $round")

  test("an actor that is registered by two threads under two keys is found under both"):
    withSystem:
      val registry = Registry()
      val actor = noting("a")
      together(2): thread =>
        for n <- 1 to 300 do registry.register(ServiceKey[Int](s"$thread/$n"), actor)
      for thread <- 0 to 1; n <- 1 to 300 do
        assertEquals(registry.find(ServiceKey[Int](s"$thread/$n")), Vector(actor))
      actor ! -1
      for thread <- 0 to 1; n <- 1 to 300 do
        until("it is not found")(registry.find(ServiceKey[Int](s"$thread/$n")).isEmpty)

  test("a subscriber of a registry that throws stops, and the others get each listing"):
    withSystem:
      val registry = Registry()
      registry.subscribe(key, listener("fails", failAt = "a"))
      registry.subscribe(key, listener("works"))
      quiet()
      for name <- List("a", "b") do
        registry.register(key, noting(name))
        quiet()
      assertEquals(log.failures.map(_.getMessage), List("fails was sent a"))
      assertEquals(listingsOf("fails"), List("", "a"))
      assertEquals(listingsOf("works"), List("", "a", "a,b"))
      assertEquals(log.deadLetters, Nil)

  test("a subscriber of a registry with a full mailbox misses listings, and no other does"):
    withSystem:
      val registry = Registry()
      val (gate, entry) = (CountDownLatch(1), CountDownLatch(1))
      val slow = spawn(
        Behavior.receive[Listing[Int]] { _ =>
          entry.countDown()
          gate.await()
          Behavior.same
        },
        "slow",
        Run.Virtual,
        Mailbox(1)
      )
      registry.subscribe(key, slow)
      registry.subscribe(key, listener("fast"))
      await(entry)
      for n <- 1 to 20 do registry.register(key, noting(s"$n"))
      until("the other got the last listing"):
        listingsOf("fast").lastOption.contains((1 to 20).mkString(","))
      gate.countDown()
      quiet()
      assertEquals(log.deadLetters.map(_._2).toSet, Set(DeadLetterReason.Full))
      assertEquals(log.failures, Nil)

  test("an actor that is subscribed to a registry twice gets each later listing once"):
    withSystem:
      val registry = Registry()
      val twice = listener("twice")
      for _ <- 1 to 2 do registry.subscribe(key, twice)
      quiet()
      registry.register(key, noting("a"))
      quiet()
      assertEquals(listingsOf("twice"), List("", "", "a"))

  test("deregistering an actor that is not registered changes nothing"):
    withSystem:
      val registry = Registry()
      registry.subscribe(key, listener("listener"))
      registry.register(key, noting("a"))
      registry.deregister(key, noting("b"))
      registry.deregister(ServiceKey[Int]("others"), noting("c"))
      quiet()
      assertEquals(registry.find(key).map(_.name), Vector("a"))
      assertEquals(listingsOf("listener").distinct.last, "a")

  test("a null actor and the asker of an ask are rejected with the name of the key"):
    withSystem:
      val registry = Registry()
      for register <- List[ActorRef[Int] => Any](
          registry.register(key, _),
          registry.registerUnique(key, _)
        )
      do
        val error = intercept[NullPointerException](register(null))
        assertEquals(error.getMessage, "the actor under numbers is null")
      val server = spawn(
        Behavior.receive[Reply[Int]] { asker =>
          try registry.register(key, asker)
          catch case error: IllegalArgumentException => log.note(error.getMessage)
          asker ! 1
          Behavior.same
        },
        "server"
      )
      assertEquals(server.ask[Int](1.minute)(identity), 1)
      assertEquals(log.notes, List("the asker of server under numbers is not an actor"))
      assertEquals(registry.find(key), Vector())

  test(
    "a message to an actor that was found in a registry of a terminated system is a dead letter"
  ):
    val log = Log()
    val system = ActorSystem("patterns", 1, log.add)
    val registry = Registry()(using system)
    registry.register(key, spawn(Behavior.ignore[Int], "a")(using system))
    val found = registry.find(key)
    assertEquals(found.map(_.name), Vector("a"))
    assert(system.shutdown(1.minute, 1.minute))
    found.head ! 3
    assertEquals(log.deadLetters, List((3, DeadLetterReason.Stopped)))
    val error = intercept[SpawnRejectedException](Registry("second")(using system))
    assertEquals(error.getMessage, "patterns is stopping and cannot spawn actors")
  test("an actor that one thread deregisters and registers again at once is found"):
    withSystem:
      val registry = Registry()
      val actor = noting("a")
      for round <- 1 to 200 do
        registry.register(key, actor)
        registry.deregister(key, actor)
        registry.register(key, actor)
        quiet()
        assertEquals(registry.find(key), Vector(actor), s"round $round")

  test("an actor that is deregistered and registered as unique at once is found"):
    withSystem:
      val registry = Registry()
      val actor = noting("a")
      for round <- 1 to 200 do
        registry.registerUnique(key, actor): Unit
        registry.deregister(key, actor)
        val isNew = registry.registerUnique(key, actor)
        quiet()
        assert(isNew || registry.find(key).nonEmpty, s"round $round: false, and no actor is found")
        registry.deregister(key, actor)
        quiet()

  test("a registry works after deregister with a null key"):
    withSystem:
      val registry = Registry()
      try registry.deregister(null, null)
      catch case _: NullPointerException => ()
      quiet()
      assertEquals(log.failures, Nil)
      val actor = noting("a")
      registry.register(key, actor)
      actor ! -1
      until("it is removed")(registry.find(key).isEmpty)

  test("a registry works after subscribe with a null key"):
    withSystem:
      val registry = Registry()
      val listener = spawn(Behavior.ignore[Listing[Int]], "listener")
      try registry.subscribe(null, listener)
      catch case _: NullPointerException => ()
      quiet()
      assertEquals(log.failures, Nil)

  test("an actor whose registration threw is not registered"):
    val log = Log()
    val system = ActorSystem("patterns", 1, log.add)
    given ActorSystem = system
    given Log = log
    val registry = Registry()
    val (gate, entry) = (CountDownLatch(1), CountDownLatch(1))
    val blocker = spawn(Behavior.receive[Int] { _ =>
      entry.countDown()
      gate.await()
      Behavior.same
    })
    blocker ! 1
    await(entry)
    val actor = spawn(Behavior.receive[Int](_ => Behavior.stopped), "a", Run.Virtual)
    var isFull = false
    var n = 0
    while !isFull && n < 100_000 do
      n += 1
      try registry.register(ServiceKey[Int](s"$n"), actor)
      catch case _: MailboxFullException => isFull = true
    assert(isFull)
    val other = spawn(Behavior.receive[Int](_ => Behavior.stopped), "other", Run.Virtual)
    intercept[MailboxFullException](registry.register(key, other)): Unit
    val isFoundAtOnce = registry.find(key).nonEmpty
    gate.countDown()
    quiet()
    other ! 1
    until("it has stopped")(other.isStopped)
    quiet()
    val isFoundLater = registry.find(key).nonEmpty
    assert(system.shutdown(1.minute, 1.minute))
    assertEquals((isFoundAtOnce, isFoundLater), (false, false))

  test("a registry whose actor has stopped does not keep a stopped actor"):
    val log = Log()
    val (system, other) = (ActorSystem("patterns", 1, log.add), ActorSystem("other", 1, log.add))
    val registry = Registry()(using system)
    val actor = spawn(Behavior.receive[Int](_ => Behavior.stopped), "a")(using other)
    assert(system.shutdown(1.minute, 1.minute))
    try registry.register(key, actor)
    catch case _: IllegalStateException => ()
    registry.deregister(key, actor)
    actor ! 1
    assert(other.shutdown(1.minute, 1.minute))
    assertEquals(registry.find(key), Vector())

  test("a null key of find is an error that names the key"):
    withSystem:
      val error = intercept[NullPointerException](Registry().find(null))
      assert(error.getMessage.startsWith("the key "), error.getMessage)
end RegistryTest
