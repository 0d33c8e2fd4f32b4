package outside.actor

import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import scala.concurrent.{Await, Future, blocking}
import scala.concurrent.duration.*
import scala.util.{Try, boundary}
import scala.util.boundary.break
import undercroft.actor.*
import undercroft.tools.ForkedJvm

/** Start, restart and end of actors and systems under resource exhaustion and contention. */
class LifecycleTest extends undercroft.tools.Suite:

  private val borrowedThreads = List(
    "the thread of its sender" -> Run.Caller,
    "an executor" -> Run.On(task => Thread.startVirtualThread(task): Unit)
  )

  for (name, run) <- borrowedThreads do
    test(s"a stop ends the sleep of an actor on $name"):
      val system = ActorSystem("sleepers", listener = _ => ())
      given ActorSystem = system
      val asleep = java.util.concurrent.CountDownLatch(1)
      val sleeper = spawn(
        Behavior.setup[Int]:
          Behavior.receive: _ =>
            asleep.countDown()
            context.sleep(1.hour)
            Behavior.same
        ,
        run = run
      )
      Thread.startVirtualThread(() => sleeper ! 1): Unit
      assert(asleep.await(60, java.util.concurrent.TimeUnit.SECONDS))
      system.shutdown(10.milliseconds, 60.seconds): Unit // it does not drain: a message is handled
      assert(sleeper.isStopped)

  for run <- Run.standard do
    test(s"a process on $run that sleeps in a loop ends with its system"):
      val system = ActorSystem("heartbeats")
      given ActorSystem = system
      val beaten = java.util.concurrent.CountDownLatch(1)
      val heart = spawn(
        Behavior.process[Int]: inbox =>
          inbox.receive(): Unit
          while true do
            beaten.countDown()
            context.sleep(1.milli)
        ,
        run = run
      )
      for n <- 1 to 3 do heart ! n // the first one is handled
      assert(beaten.await(60, java.util.concurrent.TimeUnit.SECONDS))
      system.shutdown(10.milliseconds, 60.seconds): Unit // it does not drain: two messages wait
      assert(heart.isStopped)
      assertEquals((system.observe.audit.handled, system.observe.audit.deadLetterCount), (1L, 2L))
      assert(system.observe.audit.isExact, s"${system.observe.audit}")
  end for

  test("an actor sends in PostStop to its full parent, which waits for its end, and does not wait"):
    val system = ActorSystem("family", listener = _ => ())
    given ActorSystem = system
    def child(to: ActorRef[Int]): Behavior[Int] = Behavior.ignore[Int].onSignal {
      case Signal.PostStop =>
        to ! 0
        Behavior.same
    }
    val parent = spawn(
      Behavior.setup[Int]:
        spawn(child(self[Int]), run = Run.Virtual): Unit
        for _ <- 1 to 9 do context[Int].pipeToSelf(Future.successful(1))(_ => 1)
        Behavior.receive[Int](_ => Behavior.stopped)
      ,
      mailbox = Mailbox(2, Overflow.Backpressure)
    )
    try
      val end = Try(Await.ready(parent.whenStopped, 1.minute))
      assert(end.isSuccess, s"\n${system.observe.tree.show}")
    finally system.shutdown(Duration.Zero, 1.second): Unit

  test("a break out of the body of a scope is no failure: all messages are handled"):
    val count = 1_000_000
    @volatile var handled = 0
    val result = boundary[Int]:
      ActorSystem.scoped[Int]("countdown"):
        val counter = spawn(Behavior.setup[Int]:
          Behavior.receive[Int]: n =>
            handled += 1
            if n > 1 then self[Int] ! n - 1
            Behavior.same)
        counter ! count
        break(7)
    assertEquals((result, handled), (7, count))

  private val together: Decider = { case _: IllegalStateException =>
    Supervision.RestartAll(limit = 3, within = 1.hour)
  }

  for run <- List(Run.Virtual, Run.Thread, Run.Workers) do
    test(s"a group restarts while a child on $run waits for room in a sibling's mailbox"):
      val system = ActorSystem("group", 2, _ => ())
      given ActorSystem = system
      val written = AtomicInteger()
      val (isFull, mayWrite) = (CountDownLatch(1), CountDownLatch(1))
      val parent = spawn(Behavior.setup[String] {
        lazy val sink: ActorRef[Int] = spawn(
          Behavior.receive[Int] { _ =>
            mayWrite.await()
            written.incrementAndGet(): Unit
            Behavior.same
          }.supervised(together),
          "sink",
          Run.Virtual,
          Mailbox(10, Overflow.Backpressure)
        )
        val reader = spawn(
          Behavior.receive[Int] { count =>
            for n <- 1 to count do
              if n == 10 then isFull.countDown()
              sink ! n
            Behavior.same
          }.supervised(together),
          "reader",
          run
        )
        val failing = spawn(
          Behavior.receive[Int](_ => throw IllegalStateException("once")).supervised(together),
          "failing"
        )
        val _ = sink // the youngest: it halts first
        Behavior.receive:
          case "read" =>
            reader ! 50
            Behavior.same
          case _ =>
            failing ! 1
            Behavior.same
      })
      parent ! "read"
      assert(isFull.await(1, TimeUnit.MINUTES))
      parent ! "fail"
      mayWrite.countDown()
      assert(system.awaitQuiescence(2.minutes), s"\n${system.observe.tree.show}")
      assertEquals(written.get, 50)
      parent ! "read" // no sender waits for room any more
      assert(system.awaitQuiescence(2.minutes), s"\n${system.observe.tree.show}")
      assertEquals(written.get, 100)
      assert(system.shutdown(1.minute, 1.minute))
      assert(system.observe.audit.isExact, s"${system.observe.audit}")
  end for

  test("a child whose setup fills the mailbox of an unstarted sibling restarts with it"):
    val system = ActorSystem("setups", 2, _ => ())
    given ActorSystem = system
    val handled = AtomicInteger()
    val isSecond = AtomicBoolean()
    val parent = spawn(Behavior.setup[Int] {
      lazy val sink: ActorRef[Int] = spawn(
        Behavior.receive[Int] { _ =>
          handled.incrementAndGet(): Unit
          Behavior.same
        }.supervised(together),
        "sink",
        Run.Virtual,
        Mailbox(5, Overflow.Backpressure)
      )
      val older = spawn(
        Behavior.setup[Int] {
          if isSecond.get then for n <- 1 to 20 do sink ! n
          Behavior.receive[Int] { _ =>
            isSecond.set(true)
            throw IllegalStateException("once")
          }
        }.supervised(together),
        "older",
        Run.Virtual
      )
      val _ = sink
      Behavior.receive: n =>
        older ! n
        Behavior.same
    })
    parent ! 1
    assert(system.awaitQuiescence(2.minutes), s"\n${system.observe.tree.show}")
    assertEquals(handled.get, 20)
    assert(system.shutdown(1.minute, 1.minute))

  test("an interrupt flag that a handler restores does not reach other actors of the worker"):
    val failures = LinkedBlockingQueue[ActorEvent]()
    val system = ActorSystem("interrupts", 1, event => failures.add(event): Unit)
    given ActorSystem = system
    val gate = CountDownLatch(1)
    val slept = AtomicInteger()
    val holder = spawn(Behavior.receive[Int] { _ =>
      gate.await()
      Behavior.same
    })
    val polite = spawn(Behavior.receive[Int] { _ =>
      Thread.currentThread.interrupt()
      if !Thread.currentThread.isInterrupted then throw IllegalStateException("not interrupted")
      Behavior.same
    })
    val innocent = spawn(Behavior.receive[Int] { n =>
      if n % 2 == 0 then blocking(Thread.sleep(1)) else Thread.sleep(1)
      slept.incrementAndGet(): Unit
      Behavior.same
    })
    holder ! 1
    for n <- 1 to 20 do
      polite ! n
      innocent ! n
    gate.countDown()
    assert(system.awaitQuiescence(1.minute))
    assertEquals(failures.toArray.toList, Nil)
    assertEquals(slept.get, 20)
    assert(system.shutdown(1.minute, 1.minute))

  test("ActorSystem.scoped rethrows an exception at once while actors still run"):
    val expected = IllegalArgumentException("expected")
    val thrown = intercept[IllegalArgumentException]:
      ActorSystem.scoped("scoped", drain = 1.hour):
        val endless = spawn(Behavior.setup[Int]:
          Behavior.receive: n =>
            self[Int] ! n
            Behavior.same)
        endless ! 1
        throw expected
    assertEquals(thrown, expected)

  test("a system shuts down after a spawn that could not start a thread"):
    val jvm =
      ForkedJvm.run("outside.actor.SpawnWithoutThreads", NoThreads.flags, shell = NoThreads.limit)
    assertEquals(
      (jvm.exit, jvm.last),
      (0, "refused, over, exact"),
      jvm.output
    )

  test("slow class initialization is not reported as a stall of the actor"):
    val jvm = ForkedJvm.run(
      "outside.actor.SlowClass",
      Seq("-Xmx128m", "-Dundercroft.actor.stallMillis=100")
    )
    assertEquals(
      (jvm.exit, jvm.last),
      (0, "the handler that waits was reported, no other"),
      jvm.output
    )

  test("on SIGTERM a shutdown hook lets a system handle its messages and stop"):
    val jvm = ForkedJvm.run(
      "outside.actor.UntilTerminated",
      Seq("-Xmx128m"),
      // `Process.destroy` would close the output; the handle does not.
      onLine = (process, line) => if line == "ready" then process.toHandle.destroy(): Unit
    )
    assertEquals(jvm.output.linesIterator.toList, List("ready", "handled 200", "stopped true"))
end LifecycleTest

/** Spawns actors on their own threads, more than can be started. */
object SpawnWithoutThreads:
  def main(args: Array[String]): Unit =
    val system = ActorSystem("app", 2, _ => ())
    given ActorSystem = system
    var actors = List.empty[ActorRef[Int]]
    var refused = ""
    while refused.isEmpty && actors.size < 10_000 do
      try actors = spawn(Behavior.receive[Int](_ => Behavior.stopped), run = Run.Thread) :: actors
      catch case cause: SpawnRejectedException => refused = cause.getMessage
    println(s"${actors.size} actors, then: $refused")
    actors.foreach(_ ! 1)
    val isOver = system.shutdown(1.minute, 1.minute)
    println(s"${if refused.isEmpty then "spawned all" else "refused"}, ${
        if isOver then "over" else "not over"
      }, ${if system.observe.audit.isExact then "exact" else system.observe.audit.toString}")
    Runtime.getRuntime.halt(0)

/** A handler that initializes a class, for half a second, and a handler that blocks undeclared. */
object SlowClass:
  private object Table:
    Thread.sleep(500)
    val size = 1

  def main(args: Array[String]): Unit =
    val reports = LinkedBlockingQueue[String]()
    val listener: ActorEvent => Unit =
      case ActorEvent.Stalled(actor, _, _, _) => reports.add(actor.name): Unit
      case _                                  => ()
    val system = ActorSystem("app", 2, listener)
    given ActorSystem = system
    val (done, gate) = (CountDownLatch(1), CountDownLatch(1))
    val first = spawn(
      Behavior.receive[Int] { n =>
        if n == Table.size then done.countDown()
        Behavior.same
      },
      "first"
    )
    val waiting = spawn(
      Behavior.receive[Int] { _ =>
        gate.await()
        Behavior.same
      },
      "waiting"
    )
    first ! 1
    done.await()
    waiting ! 1
    val name = reports.poll(2, TimeUnit.MINUTES)
    gate.countDown()
    val isOver = system.shutdown(1.minute, 1.minute)
    if isOver && name == "waiting" && reports.isEmpty then
      println("the handler that waits was reported, no other")
    else println(s"over $isOver, told of $name, then $reports")
    Runtime.getRuntime.halt(0)
  end main
end SlowClass

/** Handles messages until it receives SIGTERM, then the remaining ones. */
object UntilTerminated:
  def main(args: Array[String]): Unit =
    val system = ActorSystem("app", 2, _ => ())
    given ActorSystem = system
    val handled = AtomicInteger()
    val gate = CountDownLatch(1)
    val slow = spawn(
      Behavior.receive[Int] { _ =>
        gate.await()
        handled.incrementAndGet(): Unit
        Behavior.same
      },
      run = Run.Virtual
    )
    Runtime.getRuntime.addShutdownHook(Thread(() =>
      gate.countDown()
      val _ = system.shutdown(1.minute, 1.minute)
      println(s"handled ${handled.get}")
      println(s"stopped ${system.isStopped}")
    ))
    for n <- 1 to 200 do slow ! n
    println("ready")
    CountDownLatch(1).await()
  end main
end UntilTerminated
