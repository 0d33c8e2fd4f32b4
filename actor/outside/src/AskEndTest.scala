package outside.actor

import java.lang.ref.WeakReference
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import scala.concurrent.{Await, Future, Promise}
import scala.concurrent.duration.*
import scala.util.{Failure, Try}
import undercroft.actor.*

/** Asks of references that are not actors: they end, also when the system stops. */
class AskEndTest extends undercroft.tools.Suite:
  private def ended[A](future: Future[A]): Try[A] = Await.ready(future, 60.seconds).value.get

  /** An actor, and its adapter for asks whose reply is a number. */
  private def adapterOf(behavior: Behavior[Reply[Int]], run: Run = Run.Workers)(using
      ActorSystem
  ): ActorRef[Some[Reply[Int]]] =
    val adapter = Promise[ActorRef[Some[Reply[Int]]]]()
    val actor = spawn(
      Behavior.setup[Reply[Int]]:
        adapter.success(context.messageAdapter[Some[Reply[Int]]](_.value))
        behavior
      ,
      run = run
    )
    val _ = actor
    Await.result(adapter.future, 60.seconds)

  test("an ask of a message adapter fails when the actor stops, and after the system has stopped"):
    val system = ActorSystem("shop", listener = _ => ())
    given ActorSystem = system
    val adapter = adapterOf(Behavior.ignore)
    val asked = adapter.askAsync[Int](1.hour)(Some(_))
    assert(system.shutdown(60.seconds, 60.seconds))
    assert(ended(asked).failed.get.isInstanceOf[AskTargetStoppedException])
    val late = adapter.askAsync[Int](1.hour)(Some(_))
    assert(ended(late).failed.get.isInstanceOf[AskTargetStoppedException])
    val blocking = Try(adapter.ask[Int](1.hour)(Some(_)))
    assert(blocking.failed.get.isInstanceOf[AskTargetStoppedException])

  /** An actor that is busy until the latch opens, with a full mailbox. */
  private def withFullMailbox(overflow: Overflow)(use: ActorRef[Reply[Int]] => Unit): Unit =
    val begun, open = CountDownLatch(1)
    ActorSystem.scoped("shop", listener = _ => ()):
      val busy = spawn(
        Behavior.receive[Reply[Int]]: _ =>
          begun.countDown()
          val _ = open.await(60, SECONDS)
          Behavior.same
        ,
        run = Run.Thread,
        mailbox = Mailbox(1, overflow)
      )
      try
        val first = busy.askAsync[Int](60.seconds)(reply => reply)
        assert(begun.await(60, SECONDS) && !first.isCompleted)
        use(busy)
      finally open.countDown()

  test("an asynchronous ask of a full mailbox fails by its future"):
    withFullMailbox(Overflow.Fail): busy =>
      val result = ended(busy.askAsync[Int](60.seconds)(reply => reply))
      assert(result.failed.get.isInstanceOf[AskDeadLetterException], s"$result")

  test("an ask that is interrupted while it waits for room throws InterruptedException"):
    withFullMailbox(Overflow.Backpressure): busy =>
      Thread.currentThread.interrupt()
      val message =
        try s"${busy.ask[Int](60.seconds)(reply => reply)}"
        catch case cause: InterruptedException => cause.getMessage
      assert(!Thread.interrupted(), "the exception stands for the interrupt")
      assertEquals(message, s"the ask of ${busy.name} was interrupted")

  test("an actor that replies in a later message does not keep the results"):
    ActorSystem.scoped("shop"):
      var waiting: Option[Reply[Array[Byte]]] = None
      val actor = spawn(Behavior.receive[Reply[Array[Byte]] | Int] {
        case reply: Reply[Array[Byte]] @unchecked => waiting = Some(reply); Behavior.same
        case size: Int =>
          waiting.foreach(_ ! new Array[Byte](size))
          waiting = None
          Behavior.same
      })
      val results =
        for _ <- 1 to 20 yield
          val result = actor.askAsync[Array[Byte]](60.seconds)(reply => reply)
          actor ! 1 << 20
          WeakReference(Await.result(result, 60.seconds))
      def kept = results.count(_.get != null)
      var tries = 0
      while kept > 2 && tries < 50 do
        System.gc()
        tries += 1
      assert(kept <= 2, s"$kept of 20 results are reachable")

  test("an ask of a message adapter without a handler fails at once"):
    ActorSystem.scoped("shop", listener = _ => ()):
      val result = ended(adapterOf(Behavior.empty).askAsync[Int](1.hour)(Some(_)))
      assert(result.failed.get.isInstanceOf[AskDeadLetterException], s"$result")

  for run <- Run.standard do
    test(s"an ask of a message adapter has a reply, also if it was stashed, on $run"):
      ActorSystem.scoped("shop"):
        var isFirst = true
        val adapter = adapterOf(
          Behavior.setup[Reply[Int]]:
            Behavior.receive: reply =>
              if isFirst then
                isFirst = false
                context.stash()
                context.unstashAll()
              else reply ! 7
              Behavior.same
          ,
          run
        )
        assertEquals(adapter.ask[Int](60.seconds)(Some(_)), 7)
        assert(summon[ActorSystem].awaitQuiescence(60.seconds))
        assert(summon[ActorSystem].observe.audit.isExact)

  test("in a handler on Run.Caller, an ask of the adapter of another such actor has a reply"):
    ActorSystem.scoped("shop"):
      val adapter = adapterOf(
        Behavior.receive { reply =>
          reply ! 7
          Behavior.same
        },
        Run.Caller
      )
      val asker = spawn(
        Behavior.receive[Reply[Int]] { reply =>
          reply ! adapter.ask[Int](60.seconds)(Some(_)) + 1
          Behavior.same
        },
        run = Run.Caller
      )
      assertEquals(asker.ask[Int](60.seconds)(identity), 8)

  test("an ask of its own adapter is a deadlock, which throws"):
    ActorSystem.scoped("shop", listener = _ => ()):
      val outcome = Promise[Try[Int]]()
      spawn(
        Behavior.setup[Reply[Int]]:
          val own = context.messageAdapter[Some[Reply[Int]]](_.value)
          outcome.success(Try(own.ask[Int](60.seconds)(Some(_))))
          Behavior.ignore
        ,
        run = Run.Virtual
      ): Unit
      assert(ended(outcome.future).get.failed.get.isInstanceOf[AskDeadlockException])

  enum Work:
    case Begin(to: Reply[Try[Int]])
    case AskFirst(first: ActorRef[Work])
    case Number(to: Reply[Int])

  test("an ask whose target asks the asker before it is sent is a deadlock, which throws"):
    ActorSystem.scoped("shop", listener = _ => ()):
      val asking = java.util.concurrent.LinkedBlockingQueue[Thread]()
      val second = spawn(
        Behavior.receive[Work]:
          case Work.AskFirst(first) =>
            asking.put(Thread.currentThread)
            val _ = first.ask[Int](60.seconds)(Work.Number(_))
            Behavior.same
          case _ => Behavior.same
        ,
        "second",
        Run.Thread
      )
      // Replies when the second actor waits for the first one.
      val helper = spawn(
        Behavior.receive[(ActorRef[Work], Reply[Int])]:
          case (first, reply) =>
            second ! Work.AskFirst(first)
            val thread = asking.take()
            val end = System.nanoTime + 50_000_000_000L
            while thread.getState != Thread.State.TIMED_WAITING && System.nanoTime < end do
              java.util.concurrent.locks.LockSupport.parkNanos(100_000)
            reply ! 1
            Behavior.same
        ,
        "helper",
        Run.Thread
      )
      val first = spawn(
        Behavior.setup[Work]:
          val own = context[Work].self
          Behavior.receive:
            case Work.Begin(to) =>
              to ! Try(second.ask[Int](100.millis) { reply =>
                val _ = helper.ask[Int](60.seconds)(to => (own, to))
                Work.Number(reply)
              })
              Behavior.same
            case Work.Number(to) =>
              to ! 7
              Behavior.same
            case _ => Behavior.same
        ,
        "first",
        Run.Thread
      )
      val result = first.ask[Try[Int]](60.seconds)(Work.Begin(_))
      assert(result.failed.get.isInstanceOf[AskDeadlockException], s"$result")

  test("an ask of another asker, who does not answer, fails when the system stops"):
    val system = ActorSystem("shop", listener = _ => ())
    given ActorSystem = system
    val result = Promise[Future[Int]]()
    val actor = spawn(Behavior.receive[Reply[Reply[Int]]] { asker =>
      result.success(asker.askAsync[Int](1.hour)(identity))
      Behavior.same
    })
    val unanswered = actor.askAsync[Reply[Int]](1.hour)(identity)
    assert(ended(unanswered).isSuccess)
    assert(system.shutdown(60.seconds, 60.seconds))
    ended(Await.result(result.future, 60.seconds)) match
      case Failure(cause: AskTimeoutException) =>
        assert(cause.getMessage.endsWith("did not answer before shop stopped"), cause.getMessage)
      case other => fail(s"$other")
end AskEndTest
