package outside.actor

import java.util.concurrent.CountDownLatch
import scala.concurrent.{Await, Promise}
import scala.concurrent.duration.*
import scala.util.Try
import undercroft.actor.*
import undercroft.actor.testkit.*

/** The inbox of a process: its thread, its timers, and exceptions while it chooses a message. */
class InboxTest extends undercroft.tools.Suite:

  private def refusal(text: Try[Any]): String = text.failed.get match
    case cause: IllegalStateException => cause.getMessage
    case other                        => fail(s"$other")

  test("an inbox on another thread, and after the end of its process, is refused"):
    ActorSystem.scoped("office"):
      val inboxes = Promise[Inbox[Int]]()
      val process = spawn(
        Behavior.process[Int]: inbox =>
          inboxes.success(inbox)
          assertEquals(inbox.receive(), 1)
        ,
        "clerk"
      )
      val inbox = Await.result(inboxes.future, 60.seconds)
      val name = Thread.currentThread.getName
      val expected = s"the inbox of clerk is used outside its process, on $name"
      assertEquals(refusal(Try(inbox.receive(Duration.Zero))), expected)
      process ! 1
      Await.ready(process.whenStopped, 60.seconds)
      assertEquals(refusal(Try(inbox.receive())), expected)
      assert(summon[ActorSystem].observe.audit.isExact)

  test("the inbox of the incarnation before a restart is refused"):
    ActorSystem.scoped("office", listener = _ => ()):
      var former: Inbox[Int] | Null = null
      val outcome = Promise[Try[Int]]()
      val process = Behavior.process[Int]: inbox =>
        val before = former
        if before == null then
          former = inbox
          throw IllegalStateException("a test")
        else outcome.success(Try(before.receive()))
      spawn(process.supervised { case _ => Supervision.Restart() }) ! 1
      assert(refusal(Await.result(
        outcome.future,
        60.seconds
      )).contains("is used outside its process"))

  test("a timer with a fixed delay counts from the end of the handling, in a process too"):
    simulate(seeds = 20):
      val probe = Probe[FiniteDuration]()
      spawn(Behavior.process[String]: inbox =>
        context[String].startTimerWithFixedDelay("t", "tick", 200.millis)
        for _ <- 1 to 3 do
          val from = simulation.now
          inbox.receive(): Unit
          probe.ref ! (simulation.now - from).toMillis.millis
          context[String].sleep(300.millis)): Unit
      simulation.runUntil(1.minute)(probe.received.size == 3): Unit
      assertEquals(probe.received, Vector.fill(3)(200.millis))

  test("the time for which a process waits is not a turn of the actor whose setup returned it"):
    ActorObservation.recordDurations(true)
    try
      ActorSystem.scoped("office", listener = _ => ()):
        val setups = CountDownLatch(2)
        val clerk = Behavior.setup[Int]:
          setups.countDown()
          Behavior.process[Int]: inbox =>
            if setups.getCount == 1 then
              inbox.receive(50.millis): Unit
              throw IllegalStateException("a test")
            inbox.receive(): Unit
        spawn(clerk.supervised { case _ => Supervision.Restart() }, "clerk", Run.Virtual): Unit
        assert(setups.await(60, java.util.concurrent.TimeUnit.SECONDS))
        assertEquals(summon[ActorSystem].observe.tree.rows.map(_.busyNanos).sum, 0L)
    finally ActorObservation.recordDurations(false)

  test("a message to a process is parked if its adapter fails, and not retried"):
    simulate(seeds = 20):
      val adapters = Probe[ActorRef[Int]]()
      var conversions = 0
      val process = Behavior.process[String]: inbox =>
        adapters.ref ! context[String].messageAdapter[Int]: _ =>
          conversions += 1
          throw IllegalStateException("a test")
        inbox.receive(): Unit
      spawn(
        process
          .onMessageFailure { case _ => MessageFailure.Retry(2, MessageFailure.Park) }
          .supervised { case _ => Supervision.Restart() }
      ): Unit
      adapters.receiveMessage() ! 5
      simulation.runUntilIdle()
      assertEquals(simulation.system.drainParked().map(_.message), Vector[Any](5))
      assertEquals(conversions, 1)
      val audit = simulation.system.observe.audit
      assertEquals((audit.failed, audit.isExact), (1L, true))

  test("a process that catches the failure of an adapter continues, and the message has failed"):
    simulate(seeds = 20):
      val adapters = Probe[ActorRef[Int]]()
      val texts = Probe[String]()
      spawn(Behavior.process[String]: inbox =>
        adapters.ref ! context[String].messageAdapter[Int]: n =>
          if n == 1 then throw IllegalStateException("a test")
          s"$n"
        texts.ref ! s"${Try(inbox.receive()).isFailure} ${inbox.receive()}"): Unit
      val adapter = adapters.receiveMessage()
      for n <- 1 to 2 do adapter ! n
      simulation.runUntilIdle()
      assertEquals(texts.received, Vector("true 2"))
      val audit = simulation.system.observe.audit
      assertEquals((audit.failed, audit.isExact), (1L, true))

  /** Sends the messages to a process, and returns what it noted. */
  private def noted(messages: Seq[Int])(body: Inbox[Int] => String): String =
    ActorSystem.scoped("office"):
      val result = Promise[String]()
      val start = CountDownLatch(1)
      val process = spawn(
        Behavior.process[Int]: inbox =>
          start.await()
          result.complete(Try(body(inbox))): Unit
        ,
        mailbox = Mailbox(1_000_000)
      )
      messages.foreach(process ! _)
      start.countDown()
      val text = Await.result(result.future, 60.seconds)
      Await.ready(process.whenStopped, 60.seconds)
      assert(summon[ActorSystem].awaitQuiescence(60.seconds))
      assert(summon[ActorSystem].observe.audit.isExact, s"${summon[ActorSystem].observe.audit}")
      text

  private def rest(inbox: Inbox[Int]): Vector[Int] = Iterator
    .continually(inbox.receive(Duration.Zero))
    .takeWhile(_.nonEmpty)
    .flatten
    .toVector

  test("a message that does not fit into the stash is not lost, nor counted as handled"):
    val count = ActorContext.StashLimit + 3
    val text = noted((1 to count) :+ -2): inbox =>
      val overflows = (1 to 5).count: _ =>
        Try(inbox.receiveFirst { case -2 => () }).failed.toOption
          .exists(_.isInstanceOf[StashOverflowException])
      val all = rest(inbox)
      s"$overflows ${all == ((1 to count) :+ -2)}"
    assertEquals(text, "5 true")

  test("a message that was too many for the stash is a dead letter when the process ends"):
    val count = ActorContext.StashLimit + 1
    ActorSystem.scoped("office", listener = _ => ()):
      val process = spawn(
        Behavior.process[Int]: inbox =>
          inbox.receiveFirst { case 0 => () }
          val _ = Try(inbox.receiveFirst { case -1 => () })
        ,
        mailbox = Mailbox(1_000_000)
      )
      for n <- 0 to count do process ! n
      Await.ready(process.whenStopped, 60.seconds)
      val audit = summon[ActorSystem].observe.audit
      assertEquals((audit.handled, audit.deadLetters.values.sum), (1L, count.toLong))

  test("a message whose guard throws is not lost, and keeps its place"):
    val text = noted(1 to 5): inbox =>
      val first = inbox.receiveFirst { case 2 => 2 }
      val thrown = Try(inbox.receiveFirst { case n if 12 / (n - 4) == 99 => n })
      s"$first ${thrown.failed.get.getClass.getSimpleName} ${rest(inbox)}"
    assertEquals(text, "2 ArithmeticException Vector(1, 3, 4, 5)")
end InboxTest
