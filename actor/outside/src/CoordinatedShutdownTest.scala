package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicReference
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import CoordinatedShutdown.{Outcome, Step, TerminateActors}

/** Shutdowns whose tasks throw, never end, or shut down in turn. */
class CoordinatedShutdownTest extends PatternSuite:

  private def newSystem(log: Log = Log()): ActorSystem = ActorSystem("ending", 2, log.add)

  private val done: Step = Step(TerminateActors, "ending", Outcome.Done)

  test("phases run one after another, and the actors stop last"):
    val notes = ConcurrentLinkedQueue[String]()
    val actors = newSystem()
    val actor = spawn(Behavior.receive[String] { s =>
      notes.add(s): Unit
      Behavior.same
    })(using actors)
    val shutdown =
      CoordinatedShutdown(actors, "first" -> 1.minute, "empty" -> 1.minute, "second" -> 1.minute)
    shutdown.add("second", "b")(notes.add(s"b, ${actors.isStopped}"): Unit)
    shutdown.add("first", "a")(actor ! "a")
    val steps = shutdown.run()
    assertEquals(
      steps,
      Vector(
        Step("first", "a", Outcome.Done),
        Step("second", "b", Outcome.Done),
        done
      )
    )
    assertEquals(notes.asScala.toSet, Set("a", "b, false"))
    assert(actors.isStopped)
    assert(actors.observe.audit.isExact && actors.observe.audit.handled == 1, actors.observe.audit)

  test("tasks of one phase run concurrently"):
    val actors = newSystem()
    val shutdown = CoordinatedShutdown(actors, "together" -> 1.minute)
    val latch = CountDownLatch(3)
    for name <- List("a", "b", "c") do
      shutdown.add("together", name):
        latch.countDown()
        latch.await()
    assertEquals(shutdown.run().map(_.outcome).toSet, Set[Outcome](Outcome.Done))

  test("a shutdown deregisters a router, handles its messages and then stops the actors"):
    val log = Log()
    val system = newSystem(log)
    given ActorSystem = system
    val key = ServiceKey[Int]("sums")
    val sums = spawn(Router.pool(3)(Behavior.ignore[Int]), "sums")
    val registry = Registry()
    registry.register(key, sums)
    for found <- registry.find(key); n <- 1 to 300 do found ! n
    val shutdown =
      CoordinatedShutdown(system, "take no more" -> 1.minute, "write books" -> 1.minute)
    shutdown.add("take no more", "door")(registry.deregister(key, sums))
    assertEquals(shutdown.run(), Vector(Step("take no more", "door", Outcome.Done), done))
    assertEquals(registry.find(key), Vector())
    assert(system.isStopped)
    assert(system.observe.audit.isExact, s"${system.observe.audit}")
    assertEquals(log.deadLetters, Nil)
    assertEquals(system.observe.audit.deadLetters, Map.empty)

  test("a shutdown runs its tasks while processes occupy all carriers of virtual threads"):
    val system = newSystem()
    given ActorSystem = system
    val processors = Runtime.getRuntime.availableProcessors
    val started = CountDownLatch(processors)
    val end = System.nanoTime + 1.minute.toNanos
    for _ <- 1 to processors + 1 do
      val busy = spawn(Behavior.process[Int]: inbox =>
        started.countDown()
        while System.nanoTime < end do
          context[Int].self ! inbox.receive() + 1)
      busy ! 1
    await(started)
    val isWritten = CountDownLatch(1)
    val shutdown = CoordinatedShutdown(system, 1.second, 1.minute, "write books" -> 1.minute)
    shutdown.add("write books", "ledger")(isWritten.countDown())
    val steps = shutdown.run()
    assertEquals(steps.head, Step("write books", "ledger", Outcome.Done))
    assertEquals(isWritten.getCount, 0L)
    assert(system.isStopped, s"${steps.mkString}\n${system.observe.tree.show}")
    assert(System.nanoTime < end, "the shutdown ended after the processes only")

  test("an actor that does not stop in the given time is reported, and the shutdown returns"):
    val gate = CountDownLatch(1)
    val entered = CountDownLatch(1)
    val system = newSystem()
    val busy = spawn(Behavior.receive[Int] { _ =>
      entered.countDown()
      gate.await()
      Behavior.same
    })(using system)
    busy ! 1
    await(entered)
    try
      val steps = CoordinatedShutdown(system, Duration.Zero, 20.millis).run()
      val messages = steps.collect { case Step(_, _, Outcome.Failed(cause)) => cause.getMessage }
      assertEquals(
        messages,
        Vector("ending did not handle its messages in 0 seconds and stop in 20 milliseconds")
      )
    finally gate.countDown()
    val _ = system.shutdown(1.minute, 1.minute)
    assert(system.isStopped, system.observe.tree.show)

  /** Runs a shutdown on a new thread, for which the creation of the thread `number`, from 1, fails:
    * of those that it or its threads create. Returns the steps of the second run if the first one
    * throws; None after a minute.
    */
  private def withoutThread(number: Int)(shutdown: CoordinatedShutdown): Option[Vector[Step]] =
    val created = java.util.concurrent.atomic.AtomicInteger()
    val inherited = new InheritableThreadLocal[String]:
      override def childValue(parentValue: String): String =
        if created.incrementAndGet() == number then throw OutOfMemoryError("no thread")
        parentValue
    val steps = AtomicReference[Option[Vector[Step]]](None)
    val thread = Thread.ofPlatform.daemon.start: () =>
      inherited.set("value")
      try steps.set(Some(shutdown.run()))
      catch case _: OutOfMemoryError => steps.set(Some(shutdown.run()))
    val _ = thread.join(java.time.Duration.ofMinutes(1))
    steps.get

  test("a shutdown whose thread cannot be started runs at the next call"):
    val system = newSystem()
    try assertEquals(withoutThread(1)(CoordinatedShutdown(system)), Some(Vector(done)))
    finally system.close()

  test("a task whose thread cannot be started has failed, and the other phases run"):
    val system = newSystem()
    try
      val shutdown = CoordinatedShutdown(system, "take no more" -> 1.minute)
      shutdown.add("take no more", "door")(())
      val outcomes = withoutThread(2)(shutdown).map(_.map(_.outcome))
      outcomes match
        case Some(Vector(Outcome.Failed(cause), Outcome.Done)) =>
          assertEquals(cause.getMessage, "no thread")
        case other => fail(s"$other")
    finally system.close()

  test("times that are negative or too long are refused with the allowed range"):
    val system = newSystem()
    try
      for (drain, stop, name) <- List((-1.second, 1.second, "drain"), (1.second, -1.second, "stop"))
      do
        val error =
          intercept[IllegalArgumentException](CoordinatedShutdown(system, drain, stop))
        assertEquals(
          error.getMessage,
          s"$name must be from 0 s to 36500 days, but is -1 seconds"
        )
    finally
      val _ = system.shutdown(Duration.Zero, 1.minute)

  test("a task that throws has its exception as the outcome, and the next phases run"):
    val causes = List(IllegalStateException("no disk"), AssertionError("a bug"), Error("fatal"))
    val system = newSystem()
    val shutdown = CoordinatedShutdown(system, "first" -> 1.minute, "second" -> 1.minute)
    for (cause, i) <- causes.zipWithIndex do shutdown.add("first", s"task $i")(throw cause)
    shutdown.add("second", "after")(())
    assertEquals(
      shutdown.run(),
      causes.zipWithIndex.map((cause, i) => Step("first", s"task $i", Outcome.Failed(cause)))
        .toVector :+ Step("second", "after", Outcome.Done) :+ done
    )
    assert(system.isStopped)

  test("a task that never ends and ignores interrupts does not hold up the phase after its own"):
    val system = newSystem()
    val shutdown = CoordinatedShutdown(system, "endless" -> 50.millis, "after" -> 1.minute)
    val (gate, interrupt, end) = (CountDownLatch(1), CountDownLatch(1), CountDownLatch(1))
    shutdown.add("endless", "waits"):
      var isOpen = false
      var interrupts = 0
      while !isOpen && interrupts < 10 do
        try
          gate.await()
          isOpen = true
        catch
          case _: InterruptedException =>
            interrupts += 1
            interrupt.countDown()
      end.countDown()
    shutdown.add("after", "runs")(await(interrupt))
    val steps = Vector(
      Step("endless", "waits", Outcome.TimedOut),
      Step("after", "runs", Outcome.Done),
      done
    )
    assertEquals(shutdown.run(), steps)
    assert(system.isStopped)
    gate.countDown()
    await(end)
    // The task has ended meanwhile, and its outcome is the same.
    assertEquals(shutdown.run(), steps)

  /** A shutdown whose actor never stops reports the time that `create` gives the actors to stop. */
  private def reportsTime(stop: String)(create: ActorSystem => CoordinatedShutdown): Unit =
    val system = newSystem()
    given ActorSystem = system
    val (gate, entry) = (CountDownLatch(1), CountDownLatch(1))
    val endless = spawn(
      Behavior.receive[Int] { _ =>
        entry.countDown()
        gate.await()
        Behavior.same
      },
      "endless",
      Run.Virtual
    )
    endless ! 1
    await(entry)
    val shutdown = create(system)
    try
      shutdown.run() match
        case Vector(Step(TerminateActors, "ending", Outcome.Failed(cause: RuntimeException))) =>
          assertEquals(
            cause.getMessage,
            s"ending did not handle its messages in 50 milliseconds and stop in $stop"
          )
        case steps => fail(s"$steps")
      assert(!system.isStopped)
    finally gate.countDown()
    assert(system.shutdown(1.minute, 1.minute))
  end reportsTime

  test("an actor whose handler never ends fails the last phase with the name of the system"):
    reportsTime("60 milliseconds")(CoordinatedShutdown(_, 50.millis, 60.millis))

  test("actors have ten seconds to stop unless the shutdown has another time".tag(LongTest)):
    reportsTime("10 seconds")(CoordinatedShutdown(_, 50.millis))

  test("a task that runs the shutdown it belongs to times out, and the next phases run"):
    val system = newSystem()
    val shutdown = CoordinatedShutdown(system, "again" -> 50.millis, "after" -> 1.minute)
    shutdown.add("again", "runs"):
      val _ = shutdown.run()
    shutdown.add("after", "runs")(())
    assertEquals(
      shutdown.run(),
      Vector(
        Step("again", "runs", Outcome.TimedOut),
        Step("after", "runs", Outcome.Done),
        done
      )
    )

  test("a task can add a task to a later phase, and none to its own"):
    val system = newSystem()
    val shutdown = CoordinatedShutdown(system, "first" -> 1.minute, "second" -> 1.minute)
    shutdown.add("first", "for the next phase")(shutdown.add("second", "added")(()))
    shutdown.add("first", "for its own")(shutdown.add("first", "late")(()))
    shutdown.run() match
      case Vector(first, Step("first", "for its own", Outcome.Failed(cause)), added, last) =>
        assertEquals(first, Step("first", "for the next phase", Outcome.Done))
        assertEquals(cause.getMessage, "task 'late' cannot be added: phase 'first' has started")
        assertEquals(added, Step("second", "added", Outcome.Done))
        assertEquals(last, done)
      case steps => fail(s"$steps")

  test("threads that run one shutdown at once get the same outcomes of tasks that ran once"):
    for round <- 1 to 50 do
      val system = newSystem()
      val shutdown = CoordinatedShutdown(system, "first" -> 1.minute)
      val (notes, results) = (ConcurrentLinkedQueue[Int](), ConcurrentLinkedQueue[Vector[Step]]())
      for i <- 1 to 3 do shutdown.add("first", s"$i")(notes.add(i): Unit)
      val start = CountDownLatch(1)
      val threads = Vector.fill(4)(Thread.ofPlatform.daemon.start: () =>
        start.await()
        results.add(shutdown.run()): Unit)
      start.countDown()
      threads.foreach(join)
      assertEquals(notes.asScala.toList.sorted, List(1, 2, 3), s"round $round")
      assertEquals(results.size, 4, s"round $round")
      assertEquals(
        results.asScala.toSet,
        Set((1 to 3).map(i => Step("first", s"$i", Outcome.Done)).toVector :+ done),
        s"round $round"
      )

  test("a task that is added while the shutdown begins is rejected, or has an outcome"):
    for round <- 1 to 100 do
      val system = newSystem()
      val shutdown = CoordinatedShutdown(system, "first" -> 1.minute)
      val accepted = ConcurrentLinkedQueue[String]()
      val rejected = AtomicReference[IllegalStateException]()
      val start = CountDownLatch(1)
      val adding = Thread.ofPlatform.daemon.start: () =>
        start.await()
        try
          for i <- 1 to 20 do
            shutdown.add("first", s"$i")(())
            accepted.add(s"$i")
        catch case error: IllegalStateException => rejected.set(error)
      start.countDown()
      val steps = shutdown.run()
      join(adding)
      assertEquals(steps.init.map(_.task), accepted.asScala.toVector, s"round $round")
      if rejected.get != null then
        assertEquals(
          rejected.get.getMessage,
          s"task '${accepted.size + 1}' cannot be added: phase 'first' has started"
        )

  test("an unknown phase is an error with the phases that there are"):
    val system = newSystem()
    val shutdown = CoordinatedShutdown(system, "first" -> 1.minute, "second" -> 1.minute)
    val error = intercept[IllegalArgumentException](shutdown.add("frist", "task")(()))
    assertEquals(
      error.getMessage,
      "phase 'frist' of task 'task' must be one of first, second, actors"
    )
    shutdown.run(): Unit

  test("two phases of one name are an error with that name, also the name of the last phase"):
    val system = newSystem()
    for name <- List("first", "actors") do
      val error = intercept[IllegalArgumentException]:
        CoordinatedShutdown(system, "first" -> 1.minute, name -> 1.minute)
      assertEquals(error.getMessage, s"phase names must be unique, but repeat $name")
    assert(system.shutdown(1.minute, 1.minute))

  test("a shutdown of a system that is already shut down runs its tasks"):
    val system = newSystem()
    assert(system.shutdown(1.minute, 1.minute))
    val shutdown = CoordinatedShutdown(system, "first" -> 1.minute)
    shutdown.add("first", "task")(())
    assertEquals(shutdown.run(), Vector(Step("first", "task", Outcome.Done), done))

  test("after a shutdown a message is a dead letter, and an actor cannot be spawned"):
    val log = Log()
    val system = newSystem(log)
    given ActorSystem = system
    val actor = spawn(Behavior.ignore[Int], "actor")
    CoordinatedShutdown(system).run(): Unit
    actor ! 5
    assertEquals(log.deadLetters, List((5, DeadLetterReason.Stopped)))
    val error = intercept[SpawnRejectedException](spawn(Behavior.ignore[Int]))
    assertEquals(error.getMessage, "ending is stopping and cannot spawn actors")

  for (way, line) <- List("return" -> "main returns", "exit" -> "a task exits") do
    test(s"a shutdown that is registered for the exit of the JVM runs once when $line"):
      val jvm = undercroft.tools.ChildJvm.builder(
        "-Xmx64m",
        "-cp",
        System.getProperty("java.class.path"),
        "outside.actor.ShutdownAtExit",
        way
      ).redirectErrorStream(true).start()
      val hasExited = jvm.waitFor(2, TimeUnit.MINUTES)
      if !hasExited then jvm.destroyForcibly(): Unit
      assert(hasExited, "the JVM does not exit")
      val out = String(jvm.getInputStream.readAllBytes()).linesIterator.toList
      assertEquals(out, List("first phase", "second phase", "actors: true"))
      assertEquals(jvm.exitValue, if way == "exit" then 3 else 0)
  test("a task without a name is rejected, or does not end the shutdown"):
    val system = ActorSystem("ending", 1, _ => ())
    try
      val shutdown = CoordinatedShutdown(system, "first" -> 1.minute)
      try
        shutdown.add("first", null)(())
        shutdown.run(): Unit
      catch case _: NullPointerException => ()
      shutdown.run(): Unit
      assert(system.isStopped)
    finally system.close()

  test("a shutdown whose caller is interrupted runs all phases, then or by a later call"):
    val system = ActorSystem("ending", 1, _ => ())
    val gate = CountDownLatch(1)
    try
      val shutdown = CoordinatedShutdown(system, "first" -> 1.minute, "second" -> 1.minute)
      var isSecond = false
      val caller = Thread.currentThread
      shutdown.add("first", "task"):
        caller.interrupt()
        gate.await()
      shutdown.add("second", "task") { isSecond = true }
      var isInterrupted = false
      try shutdown.run(): Unit
      catch case _: InterruptedException => isInterrupted = true
      gate.countDown()
      val steps = shutdown.run()
      assert(isSecond, s"interrupted: $isInterrupted, the second phase did not run: $steps")
      assert(system.isStopped, "the system runs")
    finally
      gate.countDown()
      Thread.interrupted(): Unit
      system.close()

  test("a negative time limit is an error"):
    val system = ActorSystem("ending", 1, _ => ())
    try
      intercept[IllegalArgumentException]:
        CoordinatedShutdown(system, "first" -> -1.second)
      intercept[IllegalArgumentException]:
        CoordinatedShutdown(system, -1.second, "first" -> 1.second)
    finally system.close()

  test("a drain of nearly the longest duration is accepted, or an error that names it"):
    val system = ActorSystem("ending", 1, _ => ())
    try
      CoordinatedShutdown(system, Long.MaxValue.nanos): Unit
    catch case error: IllegalArgumentException => assert(error.getMessage.contains("drain"), error)
    finally system.close()

  test("an actor that runs the shutdown of its own system gets an error"):
    val system = ActorSystem("ending", 2, _ => ())
    given ActorSystem = system
    val shutdown = CoordinatedShutdown(system, 100.millis)
    val end = CountDownLatch(1)
    var error: Throwable = null
    val actor = spawn(Behavior.receive[Int] { _ =>
      try shutdown.run(): Unit
      catch case cause: IllegalStateException => error = cause
      end.countDown()
      Behavior.same
    })
    actor ! 1
    await(end)
    system.close()
    assert(error != null)
end CoordinatedShutdownTest

/** Ends while a shutdown is registered twice for the exit of the JVM. */
object ShutdownAtExit:
  def main(args: Array[String]): Unit =
    val system = ActorSystem("app", 1, _ => ())
    // A task that exits waits for the exit, which waits for the shutdown: only the limit ends it.
    val (firstLimit, end) =
      if args(0) == "exit" then (200.millis, CountDownLatch(1)) else (1.minute, CountDownLatch(0))
    val shutdown = CoordinatedShutdown(system, "first" -> firstLimit, "second" -> 1.minute)
    shutdown.add("first", "task"):
      println("first phase")
      end.countDown()
      if args(0) == "exit" then System.exit(3)
    shutdown.add("second", "task"):
      end.await()
      println("second phase")
    for _ <- 1 to 2 do shutdown.runAtExit()
    Runtime.getRuntime.addShutdownHook(Thread.ofPlatform.unstarted: () =>
      shutdown.run(): Unit
      println(s"actors: ${system.isStopped}"))
    if args(0) == "exit" then
      shutdown.run(): Unit
      Thread.currentThread.join() // for ever: a return would race with the task's exit
  end main
end ShutdownAtExit
