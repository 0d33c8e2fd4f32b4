package undercroft.actor.patterns

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import CoordinatedShutdown.{Outcome, Step}

class CoordinatedShutdownTest extends undercroft.tools.Suite:

  private def system() = ActorSystem("ending", 1, _ => ())

  test("phases run one after another, and the actors stop last"):
    val notes = ConcurrentLinkedQueue[String]()
    val actors = system()
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
        Step("actors", "ending", Outcome.Done)
      )
    )
    assertEquals(notes.asScala.toSet, Set("a", "b, false"))
    assert(actors.isStopped)
    assert(actors.audit.isExact && actors.audit.handled == 1, actors.audit)

  test("tasks of one phase run concurrently"):
    val actors = system()
    val shutdown = CoordinatedShutdown(actors, "together" -> 1.minute)
    val latch = CountDownLatch(3)
    for name <- List("a", "b", "c") do
      shutdown.add("together", name):
        latch.countDown()
        latch.await()
    assertEquals(shutdown.run().map(_.outcome).toSet, Set[Outcome](Outcome.Done))

  test("a failed or timed-out task does not delay later phases"):
    val actors = system()
    val shutdown =
      CoordinatedShutdown(actors, "work" -> 1.minute, "wait" -> 20.millis, "after" -> 1.minute)
    val broken = Exception("broken")
    val interrupted = CountDownLatch(1)
    shutdown.add("work", "fails")(throw broken)
    shutdown.add("wait", "hangs"):
      try CountDownLatch(1).await()
      catch case _: InterruptedException => interrupted.countDown()
    shutdown.add("after", "goes on")(())
    assertEquals(
      shutdown.run().init,
      Vector(
        Step("work", "fails", Outcome.Failed(broken)),
        Step("wait", "hangs", Outcome.TimedOut),
        Step("after", "goes on", Outcome.Done)
      )
    )
    assert(interrupted.await(1, java.util.concurrent.TimeUnit.MINUTES))
    assert(actors.isStopped)

  test("concurrent calls of run execute the shutdown once and return the same steps"):
    val actors = system()
    val count = java.util.concurrent.atomic.AtomicInteger()
    val shutdown = CoordinatedShutdown(actors, "once" -> 1.minute)
    shutdown.add("once", "count")(count.incrementAndGet(): Unit)
    val results = ConcurrentLinkedQueue[Vector[Step]]()
    val threads = (1 to 4).map(_ => Thread.ofVirtual.start(() => results.add(shutdown.run()): Unit))
    threads.foreach(_.join())
    assertEquals((results.size, results.asScala.toSet.size, count.get), (4, 1, 1))

  test("an unknown phase, a late task and a repeated phase name throw"):
    val actors = system()
    val shutdown = CoordinatedShutdown(actors, "a" -> 1.minute)
    val error = intercept[IllegalArgumentException](shutdown.add("b", "task")(()))
    assertEquals(error.getMessage, "phase 'b' of task 'task' must be one of a, actors")
    shutdown.run(): Unit
    val late = intercept[IllegalStateException](shutdown.add("a", "task")(()))
    assertEquals(late.getMessage, "task 'task' cannot be added: phase 'a' has started")
    val twice =
      intercept[IllegalArgumentException](CoordinatedShutdown(
        actors,
        "a" -> 1.minute,
        "a" -> 1.minute
      ))
    assertEquals(twice.getMessage, "phase names must be unique, but repeat a")
end CoordinatedShutdownTest
