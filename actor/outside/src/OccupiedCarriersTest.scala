package outside.actor

import java.util.concurrent.{CompletableFuture, CountDownLatch, Executor, Executors}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import scala.concurrent.duration.*
import undercroft.actor.*

/** Actors while virtual threads occupy all carriers, and actors on virtual threads that do. */
class OccupiedCarriersTest extends undercroft.tools.Suite:
  private val carriers = Runtime.getRuntime.availableProcessors
  private val pool = Executors.newFixedThreadPool(2, Thread.ofPlatform.daemon.factory)
  override def afterAll(): Unit = pool.shutdown()

  /** Runs `body` while virtual threads compute on all carriers; fails if they gave up before its
    * end, after two minutes.
    */
  private def whileOccupied(work: () => Unit)(body: => Unit): Unit =
    val isOver = AtomicBoolean()
    val end = System.nanoTime + 2.minutes.toNanos
    val started = CountDownLatch(carriers)
    val threads = Vector.fill(2 * carriers):
      Thread.startVirtualThread: () =>
        started.countDown()
        while !isOver.get && System.nanoTime < end do work()
    try
      started.await()
      body
      assert(System.nanoTime < end, "it ended after the virtual threads only")
    finally
      isOver.set(true)
      threads.foreach(_.join())

  private val compute = () => Thread.onSpinWait()
  private val direct: Executor = _.run()

  for
    (label, run) <- Seq(
      "Run.Workers" -> Run.Workers,
      "Run.Thread" -> Run.Thread,
      "Run.Caller" -> Run.Caller,
      "an executor" -> Run.On(pool),
      "a direct executor" -> Run.On(direct)
    )
  do
    test(s"timers wake an actor on $label while virtual threads occupy all carriers"):
      ActorSystem.scoped("app"):
        val ticks = CountDownLatch(20)
        whileOccupied(compute):
          val actor = spawn(
            Behavior.setup[String]:
              context.startTimerAtFixedRate("tick", "tick", 2.millis)
              Behavior.receive: _ =>
                ticks.countDown()
                Behavior.same
            ,
            "ticking",
            run
          )
          actor ! "message"
          ticks.await()

    test(s"an actor on $label restarts after a delay while virtual threads occupy all carriers"):
      ActorSystem.scoped("app", listener = _ => ()):
        val starts = CountDownLatch(2)
        whileOccupied(compute):
          val actor = spawn(
            Behavior
              .setup[String]:
                starts.countDown()
                Behavior.receive(_ => throw RuntimeException("wanted"))
              .supervised { case _ => Supervision.Backoff(1.milli, 1.milli) },
            "failing",
            run
          )
          actor ! "fail"
          starts.await()
  end for

  test("an interrupted stop ends a handler while virtual threads occupy all carriers"):
    ActorSystem.scoped("app", listener = _ => ()):
      val (entered, ended) = (CountDownLatch(1), CountDownLatch(1))
      whileOccupied(compute):
        val parent = spawn(Behavior.setup[String]:
          val child = spawn(
            Behavior.receive[String]: _ =>
              entered.countDown()
              try CountDownLatch(1).await()
              finally ended.countDown()
              Behavior.same
            ,
            "child",
            Run.Thread
          )
          Behavior.receive:
            case "begin" => child ! "wait"; Behavior.same
            case _       => context.stop(child, interruptAfter = 1.milli); Behavior.same)
        parent ! "begin"
        entered.await()
        parent ! "stop"
        ended.await()

  test("the last turns of an actor whose executor refuses it run while all carriers are occupied"):
    ActorSystem.scoped("app", listener = _ => ()):
      val stopped = CountDownLatch(1)
      val executor = Executors.newFixedThreadPool(1, Thread.ofPlatform.daemon.factory)
      val actor = spawn(
        Behavior.ignore[String].onSignal { case Signal.PostStop =>
          stopped.countDown()
          Behavior.same
        },
        "refused",
        Run.On(executor)
      )
      actor ! "first"
      executor.shutdown()
      executor.awaitTermination(1, java.util.concurrent.TimeUnit.MINUTES): Unit
      whileOccupied(compute):
        actor ! "second"
        stopped.await()

  test("the clock ticks while virtual threads on all carriers ask, and so use it"):
    ActorSystem.scoped("app"):
      val answering = spawn(Behavior.receive[Reply[Int]] { reply =>
        reply ! 1
        Behavior.same
      })
      val ticks = CountDownLatch(200)
      whileOccupied(() => answering.askAsync[Int](10.seconds)(identity): Unit):
        spawn(Behavior.setup[String]:
          context.startTimerAtFixedRate("tick", "tick", 2.millis)
          Behavior.receive: _ =>
            ticks.countDown()
            Behavior.same): Unit
        ticks.await()

  test("an actor that a virtual thread asks runs while virtual threads occupy all carriers"):
    ActorSystem.scoped("app"):
      val handled = CountDownLatch(1)
      val actor = spawn(Behavior.receive[Option[Reply[Int]]] { message =>
        message match
          case Some(reply) => reply ! 1
          case None        => handled.countDown()
        Behavior.same
      })
      assert(summon[ActorSystem].awaitQuiescence(1.minute)) // its worker is idle
      val (begun, isOver) = (AtomicInteger(), AtomicBoolean())
      val asker = CompletableFuture[Thread]()
      val end = System.nanoTime + 2.minutes.toNanos
      val compute = () => while !isOver.get && System.nanoTime < end do Thread.onSpinWait()
      // The last carrier runs a thread that computes before it runs one that the ask starts.
      val work = () =>
        if begun.incrementAndGet() != carriers then compute()
        else
          Thread.startVirtualThread(() => compute())
          asker.complete(Thread.currentThread)
          actor.ask[Int](10.minutes)(reply => Some(reply)): Unit
          compute()
      whileOccupied(work):
        val thread = asker.get
        while thread.getState != Thread.State.TIMED_WAITING && System.nanoTime < end do
          Thread.`yield`()
        actor ! None
        handled.await()
        isOver.set(true)
        assert(System.nanoTime < end, "it ended after the virtual threads only")

  private def busyProcess(isOver: () => Boolean): Behavior[Int] = Behavior.process: inbox =>
    while !isOver() do context[Int].self ! inbox.receive() + 1

  private def busyReceiver(isOver: () => Boolean): Behavior[Int] = Behavior.setup:
    Behavior.receive: n =>
      if isOver() then Behavior.stopped
      else
        context[Int].self ! n + 1
        Behavior.same

  for
    (label, run, behavior) <- Seq[(String, Run, (() => Boolean) => Behavior[Int])](
      ("processes", Run.Workers, busyProcess),
      ("processes on virtual threads", Run.Virtual, busyProcess),
      ("actors on virtual threads", Run.Virtual, busyReceiver)
    )
  do
    test(s"busy $label, twice as many as carriers, let other virtual threads run"):
      ActorSystem.scoped("app"):
        val isDone = AtomicBoolean()
        val end = System.nanoTime + 2.minutes.toNanos
        val isOver = () => isDone.get || System.nanoTime > end
        val actors = Vector.fill(2 * carriers)(spawn(behavior(isOver), "busy", run))
        try
          for actor <- actors do actor ! 1
          for _ <- 1 to 20 do Thread.startVirtualThread(() => ()).join()
          assert(System.nanoTime < end, "the virtual threads ran after the actors only")
        finally isDone.set(true)

  test("an actor on its virtual senders' thread lets other virtual threads run"):
    ActorSystem.scoped("app"):
      val isDone = AtomicBoolean()
      val end = System.nanoTime + 2.minutes.toNanos
      val isOver = () => isDone.get || System.nanoTime > end
      val senders = Vector.fill(2 * carriers):
        val actor = spawn(busyReceiver(isOver), "busy", Run.Caller)
        Thread.startVirtualThread(() => actor ! 1)
      try
        for _ <- 1 to 20 do Thread.startVirtualThread(() => ()).join()
        assert(System.nanoTime < end, "the virtual threads ran after the actors only")
      finally
        isDone.set(true)
        senders.foreach(_.join())
end OccupiedCarriersTest
