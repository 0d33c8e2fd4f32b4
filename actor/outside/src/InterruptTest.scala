package outside.actor

import java.net.InetSocketAddress
import java.nio.channels.ServerSocketChannel
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.{Await, blocking}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*

/** Stops of children whose handlers block. */
class InterruptTest extends undercroft.tools.Suite:
  private val runs = List(Run.Virtual, Run.Thread)

  private enum Order derives CanEqual:
    case Begin
    case Stop(after: FiniteDuration)

  /** What a system and its actors reported. */
  private final class Reports:
    val lines: ConcurrentLinkedQueue[String] = ConcurrentLinkedQueue()
    val stalls: ConcurrentLinkedQueue[ActorEvent.Stalled] = ConcurrentLinkedQueue()
    val hasStalled: CountDownLatch = CountDownLatch(1)
    def add(line: Any): Unit = lines.add(line.toString): Unit
    def all: List[String] = lines.asScala.toList
    def listen(event: ActorEvent): Unit = event match
      case ActorEvent.Failed(ref, cause, decision) =>
        add(s"${ref.name} failed: ${cause.getClass.getSimpleName} $decision")
      case stall: ActorEvent.Stalled =>
        stalls.add(stall)
        if stall.atLeast >= 1.second then hasStalled.countDown()
      case _ => ()

  /** A parent with a child that runs `handler` for each message. */
  private def parent(run: Run, reports: Reports)(handler: () => Unit): Behavior[Order] =
    Behavior.setup:
      val child = spawn(
        Behavior
          .receive[Int] { _ =>
            handler()
            Behavior.same
          }
          .onSignal { case Signal.PostStop =>
            reports.add(s"PostStop ${Thread.currentThread.isInterrupted}")
            Behavior.same
          }
          .supervised { case _: InterruptedException => Supervision.Restart() },
        "child",
        run
      )
      context.watch(child)
      Behavior
        .receive[Order]:
          case Order.Begin       => child ! 1; Behavior.same
          case Order.Stop(after) => context.stop(child, interruptAfter = after); Behavior.same
        .onSignal { case Signal.Terminated(ref, cause) =>
          reports.add(s"terminated ${ref.name} $cause")
          Behavior.stopped
        }

  private def withSystem(reports: Reports, workers: Int = 2)(body: ActorSystem ?=> Unit): Unit =
    val system = ActorSystem("interrupts", workers, reports.listen)
    try body(using system)
    finally assert(system.shutdown(1.minute, 1.minute))
    assert(system.observe.audit.isExact, system.observe.audit.toString)

  for
    run <- runs;
    (name, block) <- List[(String, CountDownLatch => Unit)](
      "a latch" -> (_.await()),
      "a declared wait" -> (latch => blocking(latch.await()))
    )
  do
    test(s"a child on $run that blocks in $name is interrupted, and stops as by stop"):
      val reports = Reports()
      withSystem(reports, workers = 3):
        val isBusy = CountDownLatch(1)
        val top = spawn(
          parent(run, reports) { () =>
            isBusy.countDown()
            block(CountDownLatch(1))
          },
          run = Run.Virtual
        )
        val end = top.whenStopped
        top ! Order.Begin
        assert(isBusy.await(1, TimeUnit.MINUTES))
        top ! Order.Stop(10.millis)
        Await.result(end, 1.minute)
      assertEquals(
        reports.all,
        List("child failed: InterruptedException Stop", "PostStop false", "terminated child None")
      )
  end for

  for run <- runs do
    test(s"a child on $run that waits for a connection is interrupted"):
      val reports = Reports()
      withSystem(reports, workers = 3):
        val server = ServerSocketChannel.open().bind(InetSocketAddress("localhost", 0))
        val isBusy = CountDownLatch(1)
        val top = spawn(
          parent(run, reports) { () =>
            isBusy.countDown()
            server.accept(): Unit
          },
          run = Run.Virtual
        )
        top ! Order.Begin
        assert(isBusy.await(1, TimeUnit.MINUTES))
        top ! Order.Stop(Duration.Zero)
        Await.result(top.whenStopped, 1.minute)
        assert(!server.isOpen)
      assertEquals(
        reports.all,
        List("child failed: ClosedByInterruptException Stop", "PostStop false") ++
          List("terminated child None")
      )

    test(s"a child on $run whose handler returns in time is not interrupted"):
      val reports = Reports()
      withSystem(reports, workers = 3):
        val (isBusy, mayEnd) = (CountDownLatch(1), CountDownLatch(1))
        val top = spawn(
          parent(run, reports) { () =>
            isBusy.countDown()
            mayEnd.await()
          },
          run = Run.Virtual
        )
        top ! Order.Begin
        assert(isBusy.await(1, TimeUnit.MINUTES))
        top ! Order.Stop(1.hour)
        mayEnd.countDown()
        Await.result(top.whenStopped, 1.minute)
      assertEquals(reports.all, List("PostStop false", "terminated child None"))

    test(s"a child on $run that ignores its interrupt is reported, and stops when it returns"):
      val reports = Reports()
      withSystem(reports, workers = 3):
        val (isBusy, mayEnd) = (CountDownLatch(1), CountDownLatch(1))
        val interrupts = AtomicInteger()
        def awaitAnyway(): Unit =
          try mayEnd.await()
          catch
            case _: InterruptedException =>
              interrupts.incrementAndGet()
              awaitAnyway()
        val top = spawn(
          parent(run, reports) { () =>
            isBusy.countDown()
            awaitAnyway()
          },
          run = Run.Virtual
        )
        top ! Order.Begin
        assert(isBusy.await(1, TimeUnit.MINUTES))
        top ! Order.Stop(Duration.Zero)
        assert(reports.hasStalled.await(1, TimeUnit.MINUTES))
        assert(!top.isStopped)
        assertEquals(interrupts.get, 1)
        mayEnd.countDown()
        Await.result(top.whenStopped, 1.minute)
        val stall = reports.stalls.asScala.filter(_.atLeast >= 1.second).head
        assertEquals(stall.actor.name, "child")
        assert(stall.stack.exists(_.getMethodName.contains("awaitAnyway")), stall.stack.toString)
      assertEquals(reports.all, List("PostStop false", "terminated child None"))
  end for

  test("the descendants of a child are interrupted in the same way"):
    val reports = Reports()
    withSystem(reports):
      val isBusy = CountDownLatch(1)
      def middle: Behavior[Int] = Behavior.setup:
        val inner = spawn(
          Behavior.receive[Int] { _ =>
            isBusy.countDown()
            CountDownLatch(1).await()
            Behavior.same
          },
          "inner",
          Run.Virtual
        )
        Behavior.receive: n =>
          inner ! n
          Behavior.same
      val top = spawn(Behavior.setup[Order] {
        val child = spawn(middle, "middle", Run.Thread)
        context.watchWith(child, Order.Begin)
        child ! 1
        Behavior.receive:
          case Order.Stop(after) => context.stop(child, interruptAfter = after); Behavior.same
          case Order.Begin       => Behavior.stopped
      })
      assert(isBusy.await(1, TimeUnit.MINUTES))
      top ! Order.Stop(1.milli)
      Await.result(top.whenStopped, 1.minute)
    assertEquals(reports.all, List("inner failed: InterruptedException Stop"))

  test("a child whose setup or process blocks is interrupted"):
    val reports = Reports()
    withSystem(reports):
      for
        (name, behavior) <- List[(String, CountDownLatch => Behavior[Int])](
          "setup" -> (isBusy =>
            Behavior.setup:
              isBusy.countDown()
              CountDownLatch(1).await()
              Behavior.ignore
          ),
          "process" -> (isBusy =>
            Behavior.process: inbox =>
              inbox.receive(): Unit
              isBusy.countDown()
              CountDownLatch(1).await()
          )
        )
      do
        val isBusy = CountDownLatch(1)
        val top = spawn(
          Behavior.setup[Order] {
            val child = spawn(behavior(isBusy), name, Run.Virtual)
            context.watchWith(child, Order.Begin)
            child ! 1
            Behavior.receive:
              case Order.Stop(after) => context.stop(child, interruptAfter = after); Behavior.same
              case Order.Begin       => Behavior.stopped
          },
          run = Run.Thread
        )
        assert(isBusy.await(1, TimeUnit.MINUTES))
        top ! Order.Stop(1.milli)
        Await.result(top.whenStopped, 1.minute)
    assertEquals(
      reports.all,
      List("setup failed: InterruptedException Stop", "process failed: InterruptedException Stop")
    )

  test("a stop with an interrupt states its misuse, and changes nothing"):
    ActorSystem.scoped("misuse"):
      val stranger = spawn(Behavior.ignore[Int], "stranger")
      val actor = spawn(
        Behavior.setup[Reply[List[String]]] {
          val child = spawn(Behavior.ignore[Int], "child")
          val direct = spawn(Behavior.ignore[Int], "direct", run = Run.On(_.run()))
          Behavior.receive: reply =>
            def error(body: => Unit) = intercept[IllegalArgumentException](body).getMessage
            reply ! List(
              error(context.stop(child, -1.second)),
              error(context.stop(child, 1.second)),
              error(context.stop(stranger, 1.second)),
              error(context.stop(direct, 1.second)),
              context.children.size.toString
            )
            Behavior.same
        },
        "parent"
      )
      assertEquals(
        actor.ask[List[String]](1.minute)(identity),
        List(
          "interruptAfter must be at least 0, but is -1 seconds",
          "child has no thread of its own (Run.Workers), so it cannot be interrupted: spawn it " +
            "with Run.Virtual or Run.Thread",
          "stranger is not a child of parent",
          "direct has no thread of its own (Run.On), so it cannot be interrupted: spawn it with " +
            "Run.Virtual or Run.Thread",
          "2"
        )
      )
      assert(!stranger.isStopped)

  for run <- runs do
    test(s"PostStop on $run is not interrupted, also by a request that comes while it runs"):
      val (started, asked) = (CountDownLatch(1), CountDownLatch(1))
      val result = CompletableFuture[Boolean]()
      withSystem(Reports(), workers = 1):
        val top = spawn(
          Behavior.setup[Int] {
            val child = spawn(
              Behavior.ignore[Int].onSignal { case Signal.PostStop =>
                started.countDown()
                var isHit = false
                try asked.await(1, TimeUnit.MINUTES): Unit
                catch case _: InterruptedException => isHit = true
                  // The request is repeated after 0, 1, 3 and 7 ms.
                val end = System.nanoTime + 20.millis.toNanos
                while !isHit && System.nanoTime < end do isHit = Thread.interrupted()
                result.complete(isHit): Unit
                Behavior.same
              },
              run = run
            )
            Behavior.receive: _ =>
              context.stop(child)
              assert(started.await(1, TimeUnit.MINUTES))
              context.stop(child, Duration.Zero)
              asked.countDown()
              Behavior.stopped
          },
          run = Run.Virtual
        )
        val end = top.whenStopped
        top ! 1
        Await.result(end, 1.minute)
      assert(!result.get(1, TimeUnit.MINUTES))
  end for
end InterruptTest
