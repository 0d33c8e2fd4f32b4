package outside.actor

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, CyclicBarrier}
import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*

/** Futures of the end of actors and systems. */
class WhenStoppedTest extends undercroft.tools.Suite:
  private given ExecutionContext = ExecutionContext.global

  private def quitter: Behavior[String] = Behavior.receive:
    case "fail" => throw IllegalStateException("a failure")
    case "quit" => Behavior.stopped
    case _      => Behavior.same

  private def await(future: Future[Unit]): Unit = Await.result(future, 1.minute)

  for run <- Run.standard; end <- List("quit", "fail") do
    test(s"the future of an actor on $run completes after '$end', and for a stopped actor at once"):
      ActorSystem.scoped("ends", listener = _ => ()):
        val actor = spawn(quitter, run = run)
        val future = actor.whenStopped
        actor ! "stay"
        assert(!future.isCompleted)
        actor ! end
        await(future)
        assert(actor.isStopped)
        assertEquals(actor.whenStopped.value, Some(scala.util.Success(())))

  test("a restart does not complete the future"):
    ActorSystem.scoped("restarts", listener = _ => ()):
      val actor =
        spawn(quitter.supervised { case _: IllegalStateException => Supervision.Restart() })
      val future = actor.whenStopped
      actor ! "fail"
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assertEquals(summon[ActorSystem].observe.auditOf(actor).restarts, 1L)
      assert(!future.isCompleted)
      actor ! "quit"
      await(future)

  test("the future completes after the signal PostStop and after the children"):
    ActorSystem.scoped("family"):
      val ended = ConcurrentLinkedQueue[String]()
      def node(name: String, inner: Behavior[String]): Behavior[String] =
        inner.onSignal { case Signal.PostStop =>
          ended.add(name)
          Behavior.same
        }
      val parent = spawn(Behavior.setup[String] {
        for n <- 1 to 3 do spawn(node(s"child", Behavior.ignore[String]), run = Run.Virtual): Unit
        node("parent", quitter)
      })
      val seen = parent.whenStopped.map(_ => ended.asScala.toVector)
      parent ! "quit"
      assertEquals(Await.result(seen, 1.minute), Vector("child", "child", "child", "parent"))

  test("each caller's callback runs exactly once"):
    ActorSystem.scoped("callers"):
      val actor = spawn(quitter)
      val calls = AtomicInteger()
      val done = for _ <- 1 to 100 yield actor.whenStopped.map(_ => calls.incrementAndGet())
      actor ! "quit"
      for future <- done do Await.ready(future, 1.minute): Unit
      assertEquals(calls.get, 100)

  test("the future of a system completes when its last actor has stopped"):
    val system = ActorSystem("late", 2, _ => ())
    val (isBusy, mayEnd) = (CountDownLatch(1), CountDownLatch(1))
    val busy = spawn(
      Behavior.receive[Int] { _ =>
        isBusy.countDown()
        mayEnd.await()
        Behavior.same
      },
      run = Run.Virtual
    )(using system)
    val future = system.whenStopped
    busy ! 1
    isBusy.await()
    assert(!system.shutdown(Duration.Zero, 1.milli))
    assert(!future.isCompleted)
    mayEnd.countDown()
    await(future)
    assert(system.isStopped && busy.isStopped)
    assert(system.whenStopped.isCompleted)
    system.close()

  test("the future of a message adapter is its actor's"):
    ActorSystem.scoped("refs", listener = _ => ()):
      val adapters = java.util.concurrent.LinkedBlockingQueue[ActorRef[Int]]()
      val actor = spawn(Behavior.setup[String] {
        adapters.add(context[String].messageAdapter[Int](n => if n == 0 then "quit" else "stay"))
        quitter
      })
      val adapter = adapters.poll(1, TimeUnit.MINUTES)
      val future = adapter.whenStopped
      adapter ! 0
      await(future)
      assert(actor.isStopped && adapter.whenStopped.isCompleted)

  test("a reply has no future of its end, and says so"):
    ActorSystem.scoped("replies"):
      val actor = spawn(
        Behavior.receive[Reply[String]] { reply =>
          reply ! intercept[IllegalArgumentException](reply.whenStopped).getMessage
          Behavior.same
        },
        "desk"
      )
      assertEquals(
        actor.ask[String](1.minute)(identity),
        "the asker of desk is a reply, not an actor, and cannot be watched"
      )

  test("the future of an actor that waits for itself does not complete early"):
    ActorSystem.scoped("self"):
      val futures = java.util.concurrent.LinkedBlockingQueue[Future[Unit]]()
      val actor = spawn(Behavior.setup[String] {
        futures.add(context[String].self.whenStopped)
        quitter
      })
      val future = futures.poll(1, TimeUnit.MINUTES)
      assert(!future.isCompleted)
      actor ! "quit"
      await(future)

  test("a million futures requested while their actors stop all complete"):
    val (rounds, size) = (1000, 1000)
    val threads = Executors.newFixedThreadPool(2)
    given ExecutionContext = ExecutionContext.fromExecutor(threads)
    try
      ActorSystem.scoped("race", 2):
        var registered = 0
        for round <- 1 to rounds do
          val actors = Array.fill(size)(spawn(Behavior.receive[Int](_ => Behavior.stopped)))
          val start = CyclicBarrier(2)
          val stops = Future {
            start.await()
            for actor <- actors do actor ! 1
          }
          val requests = Future {
            start.await()
            for actor <- actors yield
              if !actor.isStopped then registered += 1
              actor.whenStopped
          }
          await(stops)
          for future <- Await.result(requests, 1.minute) do await(future)
        assert(registered > 0, "no future was requested before its actor had stopped")
    finally threads.shutdown()
    end try
end WhenStoppedTest
