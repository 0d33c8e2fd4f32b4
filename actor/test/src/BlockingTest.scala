package undercroft.actor

import java.util.concurrent.{CountDownLatch, CyclicBarrier, LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.{Await, blocking}
import scala.concurrent.duration.*

/** Handlers on workers that declare that they block. */
class BlockingTest extends undercroft.tools.Suite:

  private def opened(latch: CountDownLatch): Unit =
    // No MUnit assertion, as threads contend in it: this is called in handlers.
    if !latch.await(60, TimeUnit.SECONDS) then throw IllegalStateException("no latch was opened")

  test("other actors of a blocked worker run elsewhere, and the blocked actor resumes"):
    Stage.play(Run.Workers, workers = 1):
      val (entered, gate) = (CountDownLatch(1), CountDownLatch(1))
      val handled = AtomicInteger()
      val peers = List.fill(10)(stage.start(Behavior.receive[Int] { _ =>
        handled.incrementAndGet(): Unit
        Behavior.same
      }))
      val blocker = stage.start(Behavior.setup[Int]:
        Behavior.receive:
          case 0 =>
            peers.foreach(_ ! 1) // one is in the worker's next-turn slot, the rest in its queue
            self[Int] ! 1
            blocking:
              self[Int] ! 2
              peers.foreach(_ ! 2)
              entered.countDown()
              opened(gate)
            note("opened")
            self[Int] ! 3
            Behavior.same
          case n =>
            note(s"blocker $n")
            Behavior.same)
      blocker ! 0
      opened(entered)
      peers.foreach(_ ! 3)
      stage.until("the others handle what was sent")(handled.get == 30)
      gate.countDown()
      assertEquals(stage.noted, List("opened", "blocker 1", "blocker 2", "blocker 3"))
      peers.foreach(_ ! 4)
      stage.quiet()
      assertEquals(handled.get, 40)

  test("an actor can await the reply of an actor on the same worker"):
    Stage.play(Run.Workers, workers = 1):
      val server = stage.start(Behavior.receive[Reply[Int]] { to =>
        to ! 42
        Behavior.same
      })
      val client = stage.start(Behavior.receive[Int] { n =>
        val answer = server.askAsync[Int](1.minute)(identity)
        note(s"${Await.result(answer, 1.minute) + n}")
        Behavior.same
      })
      for n <- 1 to 3 do client ! n
      assertEquals(stage.noted, List("43", "44", "45"))

  test("each of 20 blocking handlers has a worker, and these end with the system"):
    Stage.play(Run.Workers, workers = 1):
      val barrier = CyclicBarrier(20)
      val actors = List.tabulate(20): i =>
        stage.start(Behavior.receive[Int] { round =>
          val at = blocking(barrier.await(60, TimeUnit.SECONDS))
          note(s"$i in round $round")
          if at >= 20 then throw IllegalStateException(s"resumed at $at")
          Behavior.same
        })
      for round <- 1 to 5; actor <- actors do actor ! round
      val expected = for i <- 0 until 20; round <- 1 to 5 yield s"$i in round $round"
      assertEquals(stage.noted.sorted, expected.toList.sorted)

  test("undeclared blocking on a compensating worker is reported as a stall"):
    val stalls = LinkedBlockingQueue[ActorEvent.Stalled]()
    val listener: ActorEvent => Unit =
      case stuck: ActorEvent.Stalled => stalls.add(stuck): Unit
      case _                         => ()
    val system = ActorSystem("spare", 1, listener)
    given ActorSystem = system
    val (entered, gate, door) = (CountDownLatch(1), CountDownLatch(1), CountDownLatch(1))
    try
      val silent = spawn(
        Behavior.receive[Int] { _ =>
          opened(door)
          Behavior.same
        },
        "silent"
      )
      val polite = spawn(Behavior.receive[Int] { _ =>
        blocking:
          entered.countDown()
          opened(gate)
        Behavior.same
      })
      polite ! 1
      opened(entered)
      silent ! 1
      val stuck = stalls.poll(60, TimeUnit.SECONDS)
      assert(stuck != null, "nobody told")
      assertEquals(stuck.nn.actor.name, "silent")
    finally
      for latch <- List(door, gate) do latch.countDown()
      val isOver = system.shutdown(60.seconds, 60.seconds)
      assert(isOver)
    end try
    // A loaded machine may stop a running handler for as long as a stall.
    assert(
      !stalls.stream.anyMatch(_.state.toString == "WAITING"),
      "declared blocking was reported"
    )

  test("messages keep their order and none is lost while workers start and end"):
    for workers <- 1 to 3 do
      Stage.play(Run.Workers, workers = workers):
        val (senders, count) = (8, 2000)
        val last = new Array[Int](senders)
        val receiver = stage.start(Behavior.receive[(Int, Int)] { case (from, n) =>
          if n != last(from) + 1 then note(s"$n from $from after ${last(from)}")
          last(from) = n
          if n % 61 == 0 then blocking(Thread.`yield`())
          Behavior.same
        })
        val actors = List.tabulate(senders): i =>
          stage.start(Behavior.setup[Int]:
            Behavior.receive: n =>
              receiver ! (i, 3 * n - 2)
              if n % 7 == 0 then
                blocking:
                  receiver ! (i, 3 * n - 1)
                  Thread.`yield`()
                  if n < count then self[Int] ! n + 1
              else
                receiver ! (i, 3 * n - 1)
                if n < count then self[Int] ! n + 1
              receiver ! (i, 3 * n)
              Behavior.same)
        actors.foreach(_ ! 1)
        assertEquals(stage.noted, Nil)
        assertEquals(last.toList, List.fill(senders)(3 * count))
        assertEquals(stage.system.observe.audit.handled, senders * count * 4L)
end BlockingTest
