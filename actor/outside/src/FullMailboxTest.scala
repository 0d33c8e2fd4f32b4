package outside.actor

import java.util.concurrent.CountDownLatch
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.util.{Failure, Try}
import undercroft.actor.*

/** Each way to send counts against the mailbox limit, with each overflow strategy. */
class FullMailboxTest extends undercroft.tools.Suite:
  private val Limit = 10
  private val Sent = 500

  enum Request derives CanEqual:
    case Tell(n: Int)
    case Ask(to: Reply[Int])

  /** An actor whose first message waits for the gate to open. */
  private def slow(gate: CountDownLatch, policy: Overflow, run: Run)(using ActorSystem) =
    spawn(
      Behavior.receive[Request]: request =>
        gate.await()
        request match
          case Request.Tell(_) => ()
          case Request.Ask(to) => to ! 1
        Behavior.same
      ,
      s"slow-$policy",
      run,
      Mailbox(Limit, policy)
    )

  private def waiting(ref: ActorRef[Nothing])(using system: ActorSystem): Long =
    system.observe.auditOf(ref).waiting

  for
    policy <- List(Overflow.Fail, Overflow.DropNewest, Overflow.DropOldest)
    run <- List(Run.Virtual, Run.Thread)
  do
    test(s"asks and tells to a full mailbox end at once ($policy, $run)"):
      ActorSystem.scoped("full", workers = 1, listener = _ => ()):
        val system = summon[ActorSystem]
        val gate = CountDownLatch(1)
        val actor = slow(gate, policy, run)
        var refused = 0
        val asks = Vector.tabulate(Sent): n =>
          if n % 2 == 0 then
            try actor ! Request.Tell(n)
            catch case _: MailboxFullException => refused += 1
          Try(actor.askAsync[Int](1.hour)(Request.Ask(_)))
        val room = Limit + 2L // the current message, and one more that two senders may add
        assert(waiting(actor) <= room, s"${waiting(actor)} wait")
        val open = asks.count(ask => ask.isSuccess && !ask.get.isCompleted)
        assert(open <= room, s"$open asks wait")
        gate.countDown()
        assert(system.awaitQuiescence(1.minute))
        for ask <- asks do
          ask match
            case Failure(cause) => assert(cause.isInstanceOf[MailboxFullException], s"$cause")
            case done =>
              Await.ready(done.get, 1.minute).value.get match
                case Failure(cause) => assert(cause.isInstanceOf[AskDeadLetterException], s"$cause")
                case answer         => assertEquals(answer, scala.util.Success(1))
        assert(system.observe.audit.isExact, s"${system.observe.audit}")
        assertEquals(system.observe.audit.sent, Sent / 2L + Sent)
        assertEquals(refused > 0, policy == Overflow.Fail)
  end for

  test("an ask to a full mailbox with back-pressure ends with its timeout"):
    ActorSystem.scoped("full", workers = 1, listener = _ => ()):
      val system = summon[ActorSystem]
      val gate = CountDownLatch(1)
      val actor = slow(gate, Overflow.Backpressure, Run.Virtual)
      for n <- 1 to Limit do actor ! Request.Tell(n)
      intercept[AskTimeoutException](actor.ask[Int](50.millis)(Request.Ask(_)))
      val later = actor.askAsync[Int](50.millis)(Request.Ask(_))
      intercept[AskTimeoutException](Await.result(later, 1.minute))
      gate.countDown()
      assert(system.awaitQuiescence(1.minute))
      assertEquals(system.observe.audit.deadLetterCount, 2L)
      assertEquals(actor.ask[Int](1.minute)(Request.Ask(_)), 1)
      assert(system.observe.audit.isExact, s"${system.observe.audit}")

  for run <- List(Run.Virtual, Run.Thread) do
    test(s"a sender continues at half of a mailbox that never becomes empty ($run)"):
      ActorSystem.scoped("full", workers = 1, listener = _ => ()):
        val gate = CountDownLatch(1)
        val actor = spawn(
          Behavior.setup[Int]:
            var isOver = false
            // Its results are accepted beyond the limit: one of them always waits.
            def again(): Unit =
              context[Int].pipeToSelf(scala.concurrent.Future.successful(0))(_.get)
            again()
            Behavior.receive: n =>
              gate.await()
              if n == Sent then isOver = true
              if n == 0 && !isOver then again()
              Behavior.same
          ,
          "busy",
          run,
          Mailbox(Limit, Overflow.Backpressure)
        )
        val sender = Thread.ofPlatform.daemon.start(() => for n <- 1 to Sent do actor ! n)
        val end = System.nanoTime + 1.minute.toNanos
        var isWaiting = false
        while !isWaiting && System.nanoTime < end do
          java.util.concurrent.locks.LockSupport.parkNanos(100_000)
          val isFull = summon[ActorSystem].observe.audit.waiting >= Limit
          isWaiting = isFull && sender.getState == Thread.State.TIMED_WAITING
        assert(isWaiting, "the sender does not wait for room")
        gate.countDown()
        val hasEnded = sender.join(java.time.Duration.ofMinutes(1))
        assert(hasEnded, "the sender waits")
        assert(summon[ActorSystem].awaitQuiescence(1.minute))
        assertEquals(summon[ActorSystem].observe.audit.deadLetterCount, 0L)
  end for

  test("a priority message, a timer and a future's result reach an actor with a full mailbox"):
    for policy <- Overflow.values do
      ActorSystem.scoped("full", workers = 1, listener = _ => ()):
        val system = summon[ActorSystem]
        val (gate, entry) = (CountDownLatch(1), CountDownLatch(1))
        val handled = CountDownLatch(Limit + 1)
        val received = java.util.concurrent.ConcurrentLinkedQueue[Int]()
        val actor = spawn(
          Behavior.setup[Int]:
            context[Int].startSingleTimer("timer", -2, 0.seconds)
            context[Int].pipeToSelf(scala.concurrent.Future.successful(-3))(_.get)
            Behavior.receive[Int]: n =>
              received.add(n): Unit
              entry.countDown()
              gate.await()
              handled.countDown()
              Behavior.same
          ,
          "busy",
          Run.Virtual,
          Mailbox(Limit, policy)
        )
        entry.await()
        // The timer's message and the future's may leave room for fewer.
        for n <- 1 to Limit - 2 do actor ! n
        actor.tellPriority(-1)
        gate.countDown()
        assert(handled.await(1, java.util.concurrent.TimeUnit.MINUTES), s"$policy: $received")
        assert(system.awaitQuiescence(1.minute))
        assert(List(-1, -2, -3).forall(received.contains(_)), s"$policy: $received")
        assert(system.observe.audit.isExact, s"$policy: ${system.observe.audit}")
        assertEquals(system.observe.audit.deadLetterCount, 0L, s"$policy")

  test("a blocking ask and an asynchronous one of a full mailbox both fail with an AskException"):
    ActorSystem.scoped("app", listener = _ => ()):
      val gate = CountDownLatch(1)
      val entered = CountDownLatch(1)
      val actor = spawn(
        Behavior.receive[Reply[Int]]: reply =>
          entered.countDown()
          gate.await()
          reply ! 1
          Behavior.same
        ,
        "slow",
        Run.Virtual,
        Mailbox(2)
      )
      val first = actor.askAsync[Int](1.minute)(identity)
      entered.await()
      val waiting = Vector.fill(1)(actor.askAsync[Int](1.minute)(identity))
      val error = intercept[AskDeadLetterException](actor.ask[Int](1.minute)(identity))
      assertEquals(error.getMessage, "the mailbox of slow is full: 2 messages wait")
      val failed = Await.ready(actor.askAsync[Int](1.minute)(identity), 1.minute)
      assert(failed.value.get.failed.get.isInstanceOf[AskDeadLetterException])
      gate.countDown()
      for answer <- first +: waiting do assertEquals(Await.result(answer, 1.minute), 1)

  test("watches of an actor do not count as priority messages"):
    ActorSystem.scoped("office"):
      val (gate, watched) = (CountDownLatch(1), CountDownLatch(1))
      val target = slow(gate, Overflow.Fail, Run.Workers)
      target ! Request.Tell(1)
      spawn(
        Behavior.setup[Int]:
          for _ <- 1 to ActorRef.PriorityLimit do
            context.watch(target)
            context.unwatch(target)
          watched.countDown()
          Behavior.ignore
        ,
        run = Run.Virtual
      ): Unit
      assert(watched.await(1, java.util.concurrent.TimeUnit.MINUTES))
      target.tellPriority(Request.Tell(2))
      gate.countDown()
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assertEquals(summon[ActorSystem].observe.auditOf(target).handled, 2L)
end FullMailboxTest
